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
kernel=../../../kernel/tracepoint
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

# results NR PROGRAM: takes over what it says, which has to be NR results
results()
{
	"$out/$2" >"$out/words" 2>&1
	status=$?
	sed '/^ok - /b;/^not ok - /b;/^# /b;s/^/# /' "$out/words" | tee -a "$out/said"
	[ $status = 0 ] || say "not ok" "$2 ends well (status $status)"
	nr=$(grep -c -e '^ok - ' -e '^not ok - ' "$out/words")
	[ "$nr" = "$1" ] || say "not ok" "$2 has $1 results, not $nr"
}

# can FLAGS...: the compiler has them, and what it makes runs
can()
{
	echo 'int main(void) { return 0; }' >"$out/probe.c"
	$cc "$@" -o "$out/probe" "$out/probe.c" 2>/dev/null && "$out/probe"
}

if can -fsanitize=address,undefined; then
	sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
else
	sanitize=
	say ok "sanitizers # SKIP $cc has none"
fi
# What is not set is not zero by chance.
can -ftrivial-auto-var-init=pattern && warn="$warn -ftrivial-auto-var-init=pattern"

if build funcs_test "$sanitize -isystem shim" funcs_test.c $kernel/funcs.c; then
	results 3 funcs_test
fi

# fault FILE WHAT SED: core_test must not pass with what sed does to that file,
# which takes WHAT out of it. The other file's object is the good one.
fault()
{
	good=$kernel/$1 bad=$out/copy/kernel/tracepoint/$1
	core=$out/core_test.o funcs=$out/funcs.o
	sed "$3" "$good" >"$bad"
	if cmp -s "$bad" "$good"; then
		say "not ok" "$2 can be taken out of $1"
		return
	fi
	case $1 in
	core.c) from=$out/copy/tools/testing/tracepoint/core_test.c to=$out/broken.o core=$to ;;
	funcs.c) from=$bad to=$out/broken.o funcs=$to ;;
	esac
	# shellcheck disable=SC2086
	if ! $cc $warn -w $sanitize -isystem shim-core -c -o "$to" "$from" >"$out/cc" 2>&1 ||
	   ! $cc $sanitize -o "$out/broken" "$core" "$funcs" >>"$out/cc" 2>&1; then
		sed 's/^/# /' "$out/cc" | head -n 5
		say "not ok" "$1 builds without $2"
	elif timeout 60 "$out/broken" >/dev/null 2>&1; then
		say "not ok" "core_test finds the fault without $2"
	else
		say ok "core_test finds the fault without $2"
	fi
	cp "$good" "$bad"
}

faults()
{
	mkdir -p "$out/copy/tools/testing" "$out/copy/kernel" "$out/copy/include/linux"
	cp -r . "$out/copy/tools/testing/tracepoint"
	cp -r $kernel "$out/copy/kernel"
	cp ../../../include/linux/tracepoint-defs.h "$out/copy/include/linux"
	fault core.c "the detour" '/^	tp_detour(changes);/d'
	fault core.c "the wait" '/^	tp_wait(changes);/d'
	fault core.c "making the text live" '/^	text_patch_flush();/d;/^	text_patch_commit(tx);/d'
	fault core.c "the flush" '/^	text_patch_flush();/d'
	fault core.c "the flush of the last step" \
		'/^static void tp_flip/,/^}/s/tp_text_finish(&tx, changes);/text_patch_commit(\&tx);\
			cpus_read_unlock();\
			if (tp_text_faults(\&tx))\
				tp_text_mend(changes);/'
	fault core.c "the commit" '/^	text_patch_commit(tx);/d'
	fault core.c "the hotplug lock" '/cpus_read_\(un\)\?lock();/d'
	fault core.c "the second look at text that is left as it is" '/^	tp_text_mend(changes);/d'
	fault core.c "refusing what such text forbids" 's/^			tp_refuse(c);/			;/'
	fault core.c "the difference that data makes" \
		's/tp_funcs_same_first(old, c->funcs)/(c->funcs \&\& old->func == c->funcs->func)/'
	fault funcs.c "the difference between data" \
		's/tp_func_is(a, b->func, b->data)/tp_func_is(a, b->func, a->data)/'
	fault core.c "the look at init text" 's/ && !is_kernel_inittext(addr)//'
	fault core.c "tracepoint_synchronize_unregister() waiting" '/^	synchronize_rcu();/d'
	fault core.c "tracepoint_synchronize_unregister() flushing" \
		'/^void tracepoint_synchronize_unregister/,/^}/{/^	tracepoint_flush();/d}'
	fault core.c "an inner batch waiting for the outer one" \
		'/^void tracepoint_batch_commit/,/^}/{/^	if (!tp_batched())/d}'
	fault core.c "applying what is pending where a module goes" \
		'/^void tracepoint_orphan/,/^}/{/^	tp_apply();/d}'
	fault core.c "applying that its tracepoint goes" \
		'/^void tracepoint_orphan/,/^}/{/^		tp_apply();/d}'
	fault core.c "the wait for the spare half" \
		'/cond_synchronize_rcu(tp_funcs_block(old)->idle);/d'
	fault core.c "the look at where a function lies" 's/return core_kernel_text.*;/return true;/'
	fault core.c "the turn of those made at run time" \
		's/return !tp->static_call_key;/return false;/'
}

build funcs.o "$sanitize -isystem shim-core -c" $kernel/funcs.c &&
	build core_test.o "$sanitize -isystem shim-core -c" core_test.c &&
	build core_test "$sanitize" "$out/core_test.o" "$out/funcs.o" && {
	results 9 core_test
	faults
}

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
