#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of kernel/tracepoint that need no kernel: the arrays of probes, and what
# is made of them, under the address and undefined behaviour sanitizers, and the
# walk through all interleavings of a hit with a change.
#
# usage: run.sh [-v]
cd "$(dirname "$0")" || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
cc=${CC:-gcc}
warn="-std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -Werror"

say()
{
	echo "$1 - $2" | tee -a "$out/said"
}

# build NAME FLAGS FILES...: says "not ok" with the compiler's words if it fails
build()
{
	name=$1 flags=$2
	shift 2
	# shellcheck disable=SC2086
	$cc $warn $flags -o "$out/$name" "$@" >"$out/cc" 2>&1 && return 0
	sed 's/^/# /' "$out/cc"
	say "not ok" "$name builds"
	return 1
}

can_sanitize()
{
	echo 'int main(void) { return 0; }' >"$out/probe.c"
	$cc -fsanitize=address,undefined -o "$out/probe" "$out/probe.c" 2>/dev/null &&
		"$out/probe"
}

if can_sanitize; then
	sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
else
	sanitize=
	say ok "sanitizers # SKIP $cc has none"
fi

if build funcs_test "$sanitize -isystem shim" \
	funcs_test.c ../../../kernel/tracepoint/funcs.c; then
	if "$out/funcs_test" >"$out/funcs" 2>&1; then
		tee -a "$out/said" <"$out/funcs"
	else
		tee -a "$out/said" <"$out/funcs"
		say "not ok" "funcs_test ends well"
	fi
fi

# The same file with one of its safeguards taken out must not pass.
without()
{
	mkdir -p "$out/copy/tools/testing" "$out/copy/kernel" "$out/copy/include/linux"
	cp -r . "$out/copy/tools/testing/tracepoint"
	cp -r ../../../kernel/tracepoint "$out/copy/kernel"
	cp ../../../include/linux/tracepoint-defs.h "$out/copy/include/linux"
	sed -i "$2" "$out/copy/kernel/tracepoint/core.c"
	if cmp -s "$out/copy/kernel/tracepoint/core.c" ../../../kernel/tracepoint/core.c; then
		say "not ok" "$1 can be taken out of core.c"
		return
	fi
	# shellcheck disable=SC2086
	$cc $warn -w $sanitize -isystem shim-core -o "$out/broken" \
		"$out/copy/tools/testing/tracepoint/core_test.c" \
		../../../kernel/tracepoint/funcs.c >"$out/cc" 2>&1 || {
		say "not ok" "core.c builds without $1"
		return
	}
	if "$out/broken" >/dev/null 2>&1; then
		say "not ok" "core_test finds the fault without $1"
	else
		say ok "core_test finds the fault without $1"
	fi
}

if build core_test "$sanitize -isystem shim-core" \
	core_test.c ../../../kernel/tracepoint/funcs.c; then
	if ! "$out/core_test" >"$out/core"; then
		say "not ok" "core_test ends well"
	fi
	tee -a "$out/said" <"$out/core"
	without "the detour" '/^	tp_detour(changes);/d'
	without "the wait" '/^	tp_wait(changes);/d'
	without "making the text live" '/^	text_patch_flush();/d;/^	text_patch_commit(tx);/d'
	without "the hotplug lock" '/cpus_read_\(un\)\?lock();/d'
	without "the second look at text that is left as it is" '/^	tp_text_mend(changes);/d'
	without "refusing what such text forbids" 's/^			tp_refuse(c);/			;/'
	without "the difference that data makes" 's/tp_funcs_same_first(old, c->funcs)/(c->funcs \&\& old->func == c->funcs->func)/'
	without "the look at init text" 's/ && !is_kernel_inittext(addr)//'
	without "tracepoint_synchronize_unregister() waiting" '/^	synchronize_rcu();/d'
	without "the wait for the spare half" '/cond_synchronize_rcu(tp_funcs_block(old)->idle);/d'
	without "the look at where a function lies" 's/return core_kernel_text.*;/return true;/'
	without "the turn of those made at run time" 's/return !tp->static_call_key;/return false;/'
fi

if build model "$sanitize" model.c; then
	if "$out/model" >"$out/model.said"; then
		say ok "no interleaving calls a probe wrongly or forgets one"
	else
		say "not ok" "no interleaving calls a probe wrongly or forgets one"
	fi
	[ "$1" = -v ] && cat "$out/model.said"
	for rule in no-detour no-wait func-only second-direct; do
		if "$out/model" $rule >"$out/model.said"; then
			say "not ok" "without its rule ($rule) the model finds a fault"
		else
			say ok "without its rule ($rule) the model finds a fault"
		fi
		[ "$1" = -v ] && cat "$out/model.said"
	done
fi

failed=$(grep -c '^not ok' "$out/said")
echo "$(grep '^ok' "$out/said" | grep -vc '# SKIP') passed, $failed failed"
[ "$failed" = 0 ]
