#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Combos, plans and their commit in user space: the cases that KUnit runs, and
# the failure of every single allocation, under the address, leak and undefined
# behaviour sanitisers. Then the same with faults put in: each must be caught.
#
# usage: run.sh [FAULT...]	with these faults only
#
#	CC	compiler; default: gcc
#	QUICK	leave the faults out
set -u
only=$*
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
rooms=$top/kernel/trace/ftrace
core=$here/../sites
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0 planted=0
. "$here/../results.sh"

# Every header of the kernel's is the one that stands for them all.
for h in $(cat "$rooms"/*.[ch] "$rooms"/*/*.[ch] "$core/shim.c" |
	   sed -n 's/^#include <\([a-z/0-9_]*\.h\)>.*/\1/p' | sort -u); do
	case $h in
	errno.h | limits.h | linux/errno.h | linux/limits.h | std* | string* | set* | sys/*) continue ;;
	esac
	mkdir -p "$out/shim/$(dirname "$h")"
	echo '#include "shim_change.h"' >"$out/shim/$h"
done
cp "$top/include/linux/ftrace/arch.h" "$out/shim/linux/ftrace/arch.h"

# build DIR: with the rooms in there
build()
{
	${CC:-gcc} -std=gnu11 -O1 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter \
		-Wno-missing-field-initializers -Wno-unused-function \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-include "$here/shim_change.h" -I"$out/shim" -I"$core" -I"$here" \
		-I"$1" -iquote "$1/tests" "$core/shim.c" "$here/enomem.c" \
		"$1/sites/siteset.c" "$1/sites/filter.c" -o "$1/change"
}

copy()
{
	mkdir "$1"
	cp -r "$rooms"/. "$1"
}

copy "$out/good"
if build "$out/good"; then
	results 27 "$out/good/change"
else
	echo "not ok - builds"
	failed=1
fi

# fault NAME FILE SED: what sed does to the file must make a case fail
fault()
{
	[ -z "${QUICK:-}" ] || return
	case " ${only:-$1} " in *" $1 "*) ;; *) return ;; esac
	planted=$((planted + 1))
	copy "$out/$1"
	sed -i "$3" "$out/$1/$2"
	if cmp -s "$rooms/$2" "$out/$1/$2"; then
		echo "not ok - fault $1 changes nothing"
		failed=1
	elif ! build "$out/$1" 2>"$out/log"; then
		sed 's/^/# /' "$out/log" | head -n 5
		echo "not ok - fault $1 does not compile"
		failed=1
	elif ASAN_OPTIONS=detect_leaks=1 timeout 120 "$out/$1/change" >"$out/log" 2>&1; then
		echo "not ok - fault $1 is not caught"
		failed=1
	else
		echo "ok - fault $1 is caught"
	fi
	rm -rf "${out:?}/$1"
}

fault order_lost	hooks/combo.c	's/hooks\[i\]->order > hook->order/hooks[i]->order < hook->order/'
fault cap_forgotten	hooks/combo.c	's/ || nr_combos >= ftrace_combo_cap//'
fault exclusion_forgotten hooks/exclusive.c 's/if (meet(filter, theirs))/if (0)/'
fault slot_forgotten	hooks/exclusive.c 's/^			theirs = filter;/			;/'
fault never_swept	hooks/combo.c	's/^	if (before && !combo->sites)/	if (0)/'
fault graph_twice	hooks/combo.c	's/^			graph = true;//'
fault regs_forgotten	hooks/combo.c	's/= combo->need & FTRACE_NEED_REGS/= false/'
fault coming_first	hooks/plan.c	's/c->add != add/c->add == add/'
fault unusable_touched	hooks/plan.c	's/!site || (site->state \& FTRACE_SITE_UNUSABLE)/!site/'
fault mixed_for_ever	hooks/plan.c	's/^	recheck_sites(p, goes);/	recheck_sites(p, false);/'
fault mixed_untold	hooks/plan.c	's/^	if (from == FTRACE_COMBO_MIXED || to == FTRACE_COMBO_MIXED)/	if (0)/'
fault off_ignored	hooks/plan.c	's/if (READ_ONCE(ftrace_enabled))/if (1)/'
fault change_left	hooks/plan.c	's/changes\[i\].hook->change = NULL;/;/'
fault state_forgotten	hooks/commit.c 's/^		WRITE_ONCE(site->state.*/;/'
fault counted_wrong	hooks/commit.c 's/^		run++;/		run += 2;/'
fault left_out_settled hooks/commit.c 's/^	step->to = now;//'
fault held_keeps_combo	hooks/commit.c 's/^	\*now = stays ? from : FTRACE_COMBO_MIXED;/	*now = from;/'
fault held_for_ever	hooks/plan.c	's/^	if (!mixed \&\& likely(!ftrace_held_sites))/	if (!mixed)/'
fault held_not_looked_at hooks/commit.c 's/^	if (unlikely(ftrace_held_sites))/	if (0)/'
fault held_by_lead	hooks/plan.c	's/^	if (unlikely(state \& FTRACE_SITE_HELD))/	if (0)/'
fault held_when_off	hooks/plan.c	's/^	if (!READ_ONCE(ftrace_enabled))/	if (0)/'
fault not_released	hooks/commit.c 's/^		if (unlikely(site->state \& FTRACE_SITE_HELD))/		if (0)/'
fault unchecked		hooks/plan.c	's/^	if (exclusive \&\& added) {/	if (0) {/'
fault missed_untold	hooks/commit.c 's/^	return err == -EBUSY ? -EBUSY : -ENODEV;/	return 0;/'
fault not_reverted	hooks/commit.c 's/\.from = step.to, .to = step.from/.from = step.from, .to = step.to/'
fault last_run_lost	hooks/commit.c '/^	count(from, to, run);$/d'
if [ $planted -eq 0 ] && [ -z "${QUICK:-}" ]; then
	echo "not ok - there is a fault $only"
	failed=1
fi
exit $failed
