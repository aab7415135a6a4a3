// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: text and state words change, as planned.
 *
 * First the text of all sites, in one transaction of the text engine, then the
 * state words, then the books on combos. Between the first two a CPU that
 * meets a breakpoint may be told the old target: it is as good as having come
 * a moment earlier, and the old trampoline lives until its grace period, which
 * begins later than all this.
 *
 * Enemy: bytes that are not what the state word says. Somebody else writes
 * there; such a site is left alone for ever, and the tracer goes on.
 */
#include <linux/ftrace/arch.h>

#include "fault.h"
#include "plan.h"

/* [L] Where a plan found no memory for its patches. */
static struct ftrace_patch few_patches[64];

/* [L] The plan that is being written: for write_fault(). */
static struct ftrace_plan *plan_now;

/* The site's text is not ours any more: it calls none of our combos. */
static void write_fault(const struct ftrace_patch *patch, int err, const u8 *expected,
			const u8 *found)
{
	struct ftrace_step *step = &plan_now->steps[patch->cookie];
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_by_nr(step->nr, &i);
	if (WARN_ON_ONCE(!b))
		return;

	ftrace_combo_count(ftrace_combo(step->from), -1);
	WRITE_ONCE(b->sites[i].state, b->sites[i].state & ~FTRACE_SITE_COMBO);
	step->to = step->from;	/* settled */
	ftrace_fault_site(b, i, err, expected, found);
}

static void write_text(struct ftrace_plan *plan, struct ftrace_patch *patches, u32 from, u32 n)
{
	struct ftrace_site_walk walk = {};
	unsigned long old = 0, new = 0;
	u16 old_id = FTRACE_COMBO_NOP, new_id = FTRACE_COMBO_NOP;
	u32 k;

	for (k = 0; k < n; k++) {
		const struct ftrace_step *step = &plan->steps[from + k];
		struct ftrace_site *site = ftrace_site_walk(&walk, step->nr);
		const unsigned long nop = site->state & FTRACE_SITE_ENTRY ?
					  FTRACE_NOP_ENTRY : FTRACE_NOP;

		if (step->from != old_id) {
			old_id = step->from;
			old = ftrace_combo(old_id)->target;
		}
		if (step->to != new_id) {
			new_id = step->to;
			new = ftrace_combo(new_id)->target;
		}
		patches[k] = (struct ftrace_patch){
			.ip	= walk.block->base + site->offset,
			.from	= old ?: nop,
			.to	= new ?: nop,
			.cookie	= from + k,
		};
	}
	arch_ftrace_patch(patches, n, write_fault);
}

static u32 marks_of(u16 id)
{
	u32 marks = id == FTRACE_COMBO_NOP ? 0 : FTRACE_SITE_TOUCHED;

	if (ftrace_combo(id)->need & (FTRACE_NEED_DIRECT | FTRACE_NEED_IPMODIFY))
		marks |= FTRACE_SITE_MODIFIED;
	return marks;
}

/* @n steps in a row from one combo to another. */
static void count(u16 from, u16 to, u32 n)
{
	ftrace_combo_count(ftrace_combo(to), n);
	ftrace_combo_count(ftrace_combo(from), -n);
}

static void settle(struct ftrace_plan *plan)
{
	struct ftrace_site_walk walk = {};
	u16 from = FTRACE_COMBO_NOP, to = FTRACE_COMBO_NOP;
	u32 k, run = 0, marks = 0;

	for (k = 0; k < plan->nr; k++) {
		const struct ftrace_step *step = &plan->steps[k];
		struct ftrace_site *site;

		if (unlikely(step->from == step->to))
			continue;
		if (step->from != from || step->to != to) {
			count(from, to, run);
			run = 0;
			from = step->from;
			to = step->to;
			marks = marks_of(to);
		}
		run++;
		site = ftrace_site_walk(&walk, step->nr);
		WRITE_ONCE(site->state, (site->state & ~FTRACE_SITE_COMBO) | to | marks);
	}
	count(from, to, run);
}

/**
 * ftrace_plan_write() - make it so
 * @plan: plan; stays as it is but for sites that turned out to be faulty
 *
 * Context: ftrace_lock held, may sleep.
 */
void ftrace_plan_write(struct ftrace_plan *plan)
{
	struct ftrace_patch *patches = plan->patches ?: few_patches;
	u32 room = plan->patches ? plan->nr : ARRAY_SIZE(few_patches);
	u32 from;

	lockdep_assert_held(&ftrace_lock);

	plan_now = plan;
	for (from = 0; from < plan->nr; from += room)
		write_text(plan, patches, from, min(room, plan->nr - from));
	plan_now = NULL;
	settle(plan);
}

/**
 * ftrace_plan_commit() - make it so, and let go of what no site calls any more
 * @plan: plan; empty afterwards
 *
 * Cannot fail: a site with unexpected bytes is left out and named once.
 *
 * Context: ftrace_lock held, may sleep; at boot with interrupts off, too.
 */
void ftrace_plan_commit(struct ftrace_plan *plan)
{
	ftrace_plan_write(plan);
	ftrace_plan_drop(plan);
}
