#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Combos, plans and their commit in user space: the cases that KUnit runs, and
# the failure of every single allocation, under the address, leak and undefined
# behaviour sanitisers; ops on top of them; then the same with faults in it.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="kernel/trace/ftrace/hooks/change.c kernel/trace/ftrace/hooks/combo.c
	kernel/trace/ftrace/hooks/commit.c kernel/trace/ftrace/hooks/direct.c
	kernel/trace/ftrace/hooks/exclusive.c kernel/trace/ftrace/hooks/ops.c
	kernel/trace/ftrace/hooks/plan.c kernel/trace/ftrace/hooks/swap.c
	kernel/trace/ftrace/hooks/target_sets.c"
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace/ftrace
real=linux/ftrace/arch.h
stand_ins "$top/$source"/*.[ch] "$top/$source"/*/*.[ch]

# The kernel's trace.h, which is not ours, lies two folders above dispatch.h.
mkdir -p "$out/shim/a/b"
cat >"$out/shim/trace.h" <<-'END'
	#define this_cpu_read(place)	(place)
	#define current			((struct { int pid; } *)NULL)
	enum { FTRACE_PID_TRACE = -2 };
	struct trace_array {
		struct { struct { int ftrace_ignore_pid; } *data; } array_buffer;
	};
END

# in_world NAME FILE [FLAG]
in_world()
{
	program "$1" $checked -Wno-unused-function $shim -I"$tree/$source" -I"$out/shim/a/b" ${3:-} \
		-iquote "$tree/$source/tests" "$shared/shim/kernel.c" "$shared/shim/kunit.c" \
		"$here/$2" \
		"$tree/$source/sites/siteset.c" "$tree/$source/sites/cond.c" \
		"$tree/$source/sites/filter.c" \
		"$tree/$source/sites/targets.c"
}

hooks()
{
	in_world hooks enomem.c
}

direct()
{
	in_world direct "direct.c"
}

direct_some()
{
	in_world direct_some direct.c -DSOME_REGS
}

prove 81 hooks
prove 9 direct
variant="with the arguments only" prove 9 direct_some

fault direct hooks/swap.c 's/hook->call = cond ? ftrace_if_hook : hook->then;/hook->call = hook->then;/' \
	"condition forgotten"
fault direct hooks/swap.c 's/if (new == !!err)/if (new == !err)/' "the wrong hooks retired"
fault direct hooks/swap.c 's/^			hook->ops->hook = hook;/			;/' "an ops keeps a hook that is gone"
fault direct hooks/swap.c 's/r->ops, last->order/r->ops, 0/' \
	"order changed"
fault direct hooks/swap.c 's/^	ftrace_cond_put(hook->cond);/	;/' "condition left behind"
fault direct hooks/direct.c 's/^	if (reverted)$/	if (!reverted)/' "nobody waits"
fault direct hooks/direct.c '/^	err = err ?: ftrace_share_self(ops, targets->sites);/d' "an owner that does not share"
fault direct hooks/direct.c 's/^	if (!err && stays && /	if (!stays \&\& /' "some functions are not waited for"
fault direct hooks/direct.c 's/^	ftrace_ops_wait(ops);$/	ftrace_ops_wait(ops), ops->flags \&= ~DIRECT_FLAGS;/' \
	"an ops is taken off too late"
fault direct hooks/plan.c 's/^			if (staged)$/			if (0)/' "a faulty site holds up all"
fault direct hooks/change.c 's/^			ftrace_hook_set_filter(changes\[i\].hook, changes\[i\].from);/			;/' \
	"a filter that failed stays"
fault hooks hooks/combo.c 's/kcalloc(IDS_PER_PAGE, sizeof(\*\*slot), GFP_KERNEL)/NULL/' "numbers run out"
fault direct hooks/ops.c 's/^		if (hook->ops == ops)$/		if (hook == ops->hook)/' "hooks left behind"
fault hooks hooks/combo.c \
	's/hooks\[i\]->order > hook->order/hooks[i]->order < hook->order/' "order lost"
fault hooks hooks/combo.c 's/^	if (nr_combos \/ 2 >= ftrace_combo_cap)/	if (0)/' "cap forgotten"
fault hooks hooks/plan.c 's/^		keep_to_cap(plan);/		;/' "more than the cap"
fault hooks hooks/combo.c 's/^			combo->refused = true;/			;/' "none is given up"
fault hooks hooks/plan.c 's/n > FTRACE_COMBO_HOOKS/n >= FTRACE_COMBO_HOOKS/' "mixed too early"
fault hooks hooks/exclusive.c 's/if (meet(filter, theirs))/if (0)/' "exclusion forgotten"
fault hooks hooks/exclusive.c \
	's/^			theirs = filter;/			;/' "slot forgotten"
fault hooks hooks/combo.c 's/^	if (before && !combo->sites)/	if (0)/' "never swept"
fault hooks hooks/combo.c 's/^			graph = true;//' "graph twice"
fault hooks hooks/combo.c 's/= combo->need & FTRACE_NEED_REGS/= false/' "regs forgotten"
fault hooks hooks/plan.c 's/c->add != add/c->add == add/' "coming first"
fault hooks hooks/plan.c \
	's/!site || (site->state \& FTRACE_SITE_UNUSABLE)/!site/' "unusable touched"
fault hooks hooks/plan.c \
	's/= ftrace_combo_refused \&\& /= 0 \&\& /' "mixed for ever"
fault hooks hooks/commit.c 's/^	if (!ftrace_plan_make(&plan, NULL, 0))/	if (0)/' "never settles"
fault hooks hooks/plan.c 's/^		ftrace_combo_refused |= refused;/		;/' "settles once"
fault hooks hooks/plan.c \
	's/ARMED)) || ftrace_combo(state)->mixed;/ARMED));/' \
	"mixed untold"
fault hooks hooks/plan.c 's/changes\[i\].hook->change = NULL;/;/' "change left"
fault hooks hooks/plan.c 's/on ? to_by_filters(p, nr) : FTRACE_COMBO_NOP/to_by_filters(p, nr)/' \
	"text that goes calls"
fault hooks hooks/commit.c 's/^		i = ftrace_plan_block(&plan, b, i, on);/		i = b->nr;/' \
	"text that goes calls without memory"
fault hooks hooks/commit.c \
	's/^		WRITE_ONCE(site->state, .* | bits);/		(void)bits;/' "state forgotten"
fault hooks hooks/commit.c 's/^		mark_added(plan);/		;/' "a diversion forgotten"
fault hooks hooks/commit.c 's/!(site->state & FTRACE_SITE_HELD) || changes_text/changes_text/' \
	"armed beside a held one"
fault hooks hooks/commit.c 's/to, step - begin);/to, 2 * (step - begin));/' "counted wrong"
fault hooks hooks/commit.c 's/^	step->to = FTRACE_COMBO_NOP;//' "left out settled"
fault hooks hooks/commit.c \
	's/FTRACE_COMBO_NOP : FTRACE_COMBO_MIXED;/FTRACE_COMBO_NOP : step->from;/' \
	"held keeps combo"
fault hooks hooks/commit.c 's/^			ftrace_combo_forward(.*/			;/' "a jump to the mixed one untold"
fault hooks hooks/commit.c 's/!on || ftrace_combo(step->from)->mixed ||/!on ||/' "made a jump twice"
fault hooks hooks/commit.c 's/^			\*now = step->from;/			;/' "held by another combo"
fault hooks hooks/commit.c 's/^		if (how == -EOPNOTSUPP)/		if (0)/' "tried for ever"
fault hooks hooks/combo.c 's/^	while (combo->nr)/	while (0)/' "found again"
fault hooks hooks/plan.c 's/likely(!ftrace_held_sites \&\& !ftrace_combo_forwards)/likely(!ftrace_held_sites)/' \
	"forwarded for ever"
fault hooks hooks/plan.c 's/state != to \&\& !filters_say(state)/state != to/' "mixed sites alike"
fault hooks hooks/plan.c 's/^	return ftrace_combo(state)->mixed;/	return false;/' "hooks of nobody"
fault hooks hooks/commit.c \
	's/= ftrace_is_jmp(patch->from) ? FTRACE_COMBO_NOP :/= 0 ? FTRACE_COMBO_NOP :/' \
	"a jump becomes a call under a breakpoint"
fault hooks hooks/commit.c 's/^		return false;$/		return true;/' "jumps for ever"
fault hooks hooks/commit.c 's/marks = FTRACE_SITE_JUMPS;/;/' "off by a jump untold"
fault hooks hooks/plan.h 's/return FTRACE_NOP_JUMP;/;/' "off by a jump unknown"
fault hooks hooks/commit.c 's/return plan->exclusive || /return /' "a refused target stops the jump"
fault hooks hooks/commit.c 's/if (ftrace_combo(now)->mixed ||/if (now != FTRACE_COMBO_NOP ||/' \
	"a missed jump untold"
fault hooks hooks/plan.c 's/^		    !ftrace_is_jmp(calls))/1)/' "jumps unchecked"
fault hooks hooks/plan.c \
	's/likely(!ftrace_held_sites \&\& /likely(/' "held for ever"
fault hooks hooks/commit.c \
	's/^	if (unlikely(ftrace_held_sites))/	if (0)/' "held not looked at"
fault hooks hooks/plan.c \
	's/return (state \& (FTRACE_SITE_HELD | FTRACE_SITE_ARMED)) ||/return (state \& FTRACE_SITE_ARMED) ||/' "held by lead"
fault hooks hooks/commit.c \
	's/^		if (unlikely(site->state \& FTRACE_SITE_HELD))/		if (0)/' \
	"not released"
fault hooks hooks/plan.c 's/^	if (exclusive \&\& added) {/	if (0) {/' "unchecked"
fault hooks hooks/commit.c \
	's/^	return err == -EBUSY ? -EBUSY : -ENODEV;/	return 0;/' "missed untold"
fault hooks hooks/commit.c \
	's/\.from = step.to, .to = step.from/.from = step.from, .to = step.to/' "not reverted"
fault hooks hooks/plan.c 's/^	plan_one(p, c, nr + i, .*/	;/' "the end of a run lost"
fault hooks sites/siteset.h 's/^	w->word &= ~((BIT(n).*/	;/' "skipped and met again"
fault hooks hooks/target_sets.c 's/^			settle_before(sites, nr);/			;/' "staged for ever"
fault hooks hooks/plan.c 's/^	ftrace_targets_settle(plan->staged);//' "never settled"
fault hooks hooks/plan.c \
	's/^	    likely(!ftrace_site_retargeted(b, nr - b->first, from)))/	    1)/' \
	"retarget forgotten"
fault hooks hooks/plan.c 's/^		err = check_sites(both, true);/		err = 0;/' "retarget unchecked"
fault hooks hooks/plan.c 's/^		if (staged && .*/		if (0)/' "checked without need"
fault hooks hooks/commit.c 's/^			ftrace_release_site(b, i);/			;/' "written and still held"
fault hooks hooks/plan.c 's/return added ? -EINVAL : 0;/return 0;/' "no target"
fault hooks hooks/plan.c 's/^	add_cursor(p, NULL, false, both);/	ftrace_siteset_put(both);/' \
	"retarget not looked at"
fault hooks hooks/commit.c 's/ftrace_combo_calls(old, b, i, true)/ftrace_combo_calls(old, b, i, false)/' \
	"the target before"
fault hooks hooks/commit.c 's/lost = ftrace_target(b, i) != ftrace_target_other(b, i) ||/lost =/' \
	"missed target untold"
fault hooks hooks/commit.c 's/^	       ftrace_siteset_has(plan->added, step->nr);/	       true;/' \
	"what others lose undoes all"
fault hooks hooks/commit.c 's/^		if (changes_text(&step))/		if (step.from != step.to)/' \
	"targets not reverted"
fault hooks hooks/combo.c 's/^	    (combo->need & FTRACE_NEED_DIRECT))/	    0)/' "direct call forgotten"
fault hooks hooks/target_sets.c 's/^	sort(pairs, k, .*/	;/' "never sorted"
fault hooks hooks/target_sets.c 's/^		if (pairs\[i\].nr == pairs\[i - 1\].nr)/		if (0)/' "twice the same"
fault hooks hooks/target_sets.c 's/targets->addr\[kept++\] = targets->addr\[k\];/kept++;/' "targets that stay"

fault hooks hooks/commit.c 's/(FTRACE_SITE_COMBO | MARKS_OFF))/FTRACE_SITE_COMBO)/' \
	"hooked and still armed"
fault hooks hooks/commit.c 's/^		WRITE_ONCE(b->sites\[i\].state, state & ~MARKS_OFF);/		;/' "a nop and still armed"
fault hooks hooks/commit.c \
	's/else if (!(state & (FTRACE_SITE_HELD | FTRACE_SITE_FAULT))) {/else {/' \
	"left out and not armed"
fault hooks hooks/commit.c 's/^		if (site->state & MARKS_OFF)/		if (0)/' \
	"armed, held and forgotten"
fault hooks hooks/plan.c \
	's/!(state & (FTRACE_SITE_HELD | FTRACE_SITE_ARMED))/!(state \& FTRACE_SITE_HELD)/' \
	"armed for ever"
fault hooks hooks/plan.c 's/b->sites\[i\].state & ~FTRACE_SITE_ARMED/b->sites[i].state/' \
	"disarmed by a block"
fault hooks hooks/plan.c \
	's/add_step(plan, p->walk.block, nrs\[k\], site->state, to_by_filters(p, nrs\[k\]))/add_step(plan, p->walk.block, nrs[k], site->state, 0)/' \
	"discovered and not hooked"
fault hooks hooks/plan.h 's/return before ? ftrace_site_idle/return !before ? ftrace_site_idle/' \
	"armed by a commit"
fault hooks hooks/plan.h 's/(FTRACE_SITE_JUMPS | FTRACE_SITE_ARMED)/FTRACE_SITE_JUMPS/' "armed text unknown"

fault direct hooks/direct.c 's/FTRACE_OPS_FL_SAVE_REGS : 0/0 : 0/' "a target without a place"
fault direct_some hooks/direct.c 's/FTRACE_OPS_FL_SAVE_REGS : 0/FTRACE_OPS_FL_SAVE_REGS : FTRACE_OPS_FL_SAVE_REGS/' \
	"registers that nobody has"
fault direct_some hooks/ops.c 's/^	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&/	if (0 \&\&/' \
	"registers that nobody saves"

finish
