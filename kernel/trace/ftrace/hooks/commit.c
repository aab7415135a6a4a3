// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: apply a plan to sites.
 *
 * First the text of all sites changes, in one transaction of the text engine
 * unless memory is short; then state words and the combos' site counts. While
 * text changes, a CPU that hits one of the engine's breakpoints may be sent to
 * the old target, as if it had arrived a moment earlier. The old trampoline exists
 * until its grace periods end, which begin after the commit.
 *
 * A site may hold other bytes than its state word says, because other code patches
 * text, too. A debugger's breakpoint covers the first byte only, and will be
 * removed again. A site that is off stays off. If the site is on, the bytes after
 * the breakpoint are changed to call the mixed trampoline, whose dispatcher
 * follows the filters; so the combo that the site called before can be freed as
 * usual. Where a breakpoint replaces the whole call, the debugger will write back a
 * call of the combo's trampoline: the trampoline becomes a jump to the mixed one, for
 * all its sites, and is freed when the last of them has left. A site that jumps to its
 * direct call keeps jumping, or is switched off: the byte under the breakpoint is a
 * jump's, and the mixed trampoline must be called. A site with any other bytes is never
 * patched again. All other sites are changed in any case.
 */
#include <linux/ftrace/arch.h>
#include <linux/slab.h>

#include "../sites/fault.h"
#include "cover.h"
#include "plan.h"

/* While a site that is off has one of these marks, its text is not a nop. */
#define MARKS_OFF	(FTRACE_SITE_ARMED | FTRACE_SITE_JUMPS)

/* [L] Used if there was no memory for ->patches of a plan. */
static struct ftrace_patch few_patches[64];

/* Account for @n sites that move from one combo to another. */
static void count(u16 from, u16 to, u32 n)
{
	ftrace_combo_count(ftrace_combo(to), n);
	ftrace_combo_count(ftrace_combo(from), -n);
}

/*
 * True if the site of @step may keep jumping to @target: it keeps the direct call's
 * hook and the target. An exclusive plan that changes the target fails, and the old
 * target is restored.
 */
static bool may_jump(const struct ftrace_plan *plan, const struct ftrace_step *step,
		     unsigned long target)
{
	struct ftrace_hook *direct = ftrace_combo(step->from)->hooks[0];
	struct ftrace_site_block *b;
	u32 i;

	if (ftrace_combo(step->to)->mixed ?
	    !ftrace_filter_has(ftrace_hook_filter(direct), step->nr) :
	    !ftrace_combo_has(ftrace_combo(step->to), direct))
		return false;
	b = ftrace_site_by_nr(step->nr, &i);
	return plan->exclusive || ftrace_target(b, i) == target;
}

/*
 * What a site under a foreign breakpoint will call instead of what @step says:
 * @patch->from if its text stays. Sets *now to the combo that it will be on.
 */
static unsigned long held_target(const struct ftrace_plan *plan, const struct ftrace_step *step,
				 const struct ftrace_patch *patch, u16 *now)
{
	const bool on = step->from != FTRACE_COMBO_NOP;

	*now = step->from;
	if (!on || ftrace_combo(step->from)->mixed ||
	    (ftrace_is_jmp(patch->from) && may_jump(plan, step, patch->from)))
		return patch->from;

	*now = ftrace_is_jmp(patch->from) ? FTRACE_COMBO_NOP : FTRACE_COMBO_MIXED;
	return ftrace_combo(*now)->target ?: FTRACE_NOP_JUMP;
}

/*
 * Handle a foreign breakpoint over the site of @step. Set *now to the combo that
 * the site's text calls on return.
 * Return: -EBUSY if the site is to be held; 0 if the breakpoint was removed meanwhile
 * and @patch was applied; -EOPNOTSUPP if the site can neither be changed nor stay;
 * else the error of @patch.
 */
static int hold(const struct ftrace_plan *plan, const struct ftrace_step *step,
		struct ftrace_patch *patch, u16 *now)
{
	const unsigned long target = held_target(plan, step, patch, now);
	const bool stays = target == patch->from;

	do {
		const int how = stays ? -EAGAIN :
				arch_ftrace_site_retarget(patch->ip, patch->from, target);

		if (how == 1) {
			*now = step->from;
			ftrace_combo_forward(ftrace_combo(step->from));
		}
		if (how >= 0)
			return -EBUSY;
		if (how == -EOPNOTSUPP)
			return how;
		patch->err = arch_ftrace_site_check(patch->ip, patch->from, patch->found);
		if (!patch->err)
			arch_ftrace_patch(patch, 1);
	} while (patch->err == -EBUSY && !stays);

	return patch->err;
}

/*
 * Handle a site that the text engine left out.
 * Return: 0; -EBUSY or -ENODEV if the plan adds an exclusive hook, or another
 * target of a direct call, that this site does not call.
 */
static int left_out(const struct ftrace_plan *plan, struct ftrace_step *step,
		    struct ftrace_patch *patch)
{
	const u16 from = step->from;
	struct ftrace_site_block *b;
	u8 expected[MCOUNT_INSN_SIZE];
	u16 now = FTRACE_COMBO_NOP;
	int err = patch->err;
	u32 marks = 0, i;
	bool lost;

	b = ftrace_site_by_nr(step->nr, &i);
	if (WARN_ON_ONCE(!b))
		return -ENODEV;

	if (err == -EBUSY)
		err = hold(plan, step, patch, &now);
	if (!err)
		return 0;

	if (err == -EBUSY) {
		ftrace_hold_site(b, i);
		if (now != FTRACE_COMBO_NOP)
			marks = FTRACE_SITE_TOUCHED;
		else if (from != FTRACE_COMBO_NOP)
			marks = FTRACE_SITE_JUMPS;
	} else {
		now = FTRACE_COMBO_NOP;	/* the text calls none of our combos */
		arch_ftrace_site_bytes(patch->ip, patch->from, expected);
		ftrace_fault_site(b, i, err, expected, patch->found);
	}
	lost = ftrace_target(b, i) != ftrace_target_other(b, i) ||
	       ftrace_siteset_has(plan->added, step->nr);
	count(from, now, 1);
	WRITE_ONCE(b->sites[i].state, (b->sites[i].state & ~FTRACE_SITE_COMBO) | now | marks);
	/* ftrace_plan_revert() skips this step. */
	step->from = FTRACE_COMBO_NOP;
	step->to = FTRACE_COMBO_NOP;

	if (ftrace_combo(now)->mixed || !plan->exclusive || !lost)
		return 0;
	return err == -EBUSY ? -EBUSY : -ENODEV;
}

/*
 * Make the patches for the first of @n steps: as many as are in block @b and make the
 * same move as the first one. Return: How many.
 */
static u32 make_patches(struct ftrace_patch *patch, const struct ftrace_step *step, u32 n,
			const struct ftrace_site_block *b)
{
	const unsigned long old = ftrace_combo(step->from)->target;
	const unsigned long new = ftrace_combo(step->to)->target;
	const u32 move = step->move, first = b->first, nr = b->nr;
	const unsigned long base = b->base;
	u32 k;

	for (k = 0; k < n && step->move == move && step->nr - first < nr; k++, step++, patch++) {
		const u32 i = step->nr - first;

		patch->ip = base + b->sites[i].offset;
		patch->from = ftrace_combo_calls(old, b, i, true);
		patch->to = ftrace_combo_calls(new, b, i, false);
		patch->err = 0;
	}
	return k;
}

static int write_text(struct ftrace_plan *plan, struct ftrace_patch *patches, u32 from, u32 n)
{
	const struct ftrace_step *step = plan->steps + from;
	struct ftrace_site_walk walk = {};
	int err = 0;
	u32 k;

	for (k = 0; k < n;) {
		ftrace_site_walk(&walk, step[k].nr);
		k += make_patches(patches + k, step + k, n - k, walk.block);
	}
	if (likely(!arch_ftrace_patch(patches, n)))
		return 0;

	for (k = 0; k < n; k++) {
		int failed = 0;

		if (patches[k].err)
			failed = left_out(plan, &plan->steps[from + k], &patches[k]);
		err = err ?: failed;
	}
	return err;
}

/*
 * Update the marks of site @i of @b, which stays on combo @id. On FTRACE_COMBO_NOP its
 * text has become a nop, unless left_out() has changed the step, and the site is held or
 * faulty: sites held before were released by look_at_held(). On another combo, the
 * target of its direct call was written, so it is not held.
 */
static void update_marks(struct ftrace_site_block *b, u32 i, u16 id)
{
	const u32 state = b->sites[i].state;

	if (id != FTRACE_COMBO_NOP) {
		if (state & FTRACE_SITE_HELD)
			ftrace_release_site(b, i);
	} else if (!(state & (FTRACE_SITE_HELD | FTRACE_SITE_FAULT))) {
		WRITE_ONCE(b->sites[i].state, state & ~MARKS_OFF);
	}
}

/*
 * Update the states of the sites from @step on, as many as are in block @b and make the
 * same move. Return: The next step.
 */
static const struct ftrace_step *update_some(const struct ftrace_step *step,
					     const struct ftrace_step *end,
					     struct ftrace_site_block *b)
{
	const u32 first = b->first, nr = b->nr, move = step->move;
	const u32 bits = step->to | (step->to == FTRACE_COMBO_NOP ? 0 : FTRACE_SITE_TOUCHED);
	const struct ftrace_step *const begin = step;

	for (; step < end && step->move == move && step->nr - first < nr; step++) {
		struct ftrace_site *site = &b->sites[step->nr - first];

		if (unlikely(site->state & FTRACE_SITE_HELD))
			ftrace_release_site(b, step->nr - first);
		WRITE_ONCE(site->state, (site->state & ~(FTRACE_SITE_COMBO | MARKS_OFF)) | bits);
	}
	count(begin->from, begin->to, step - begin);
	return step;
}

static void update_states(struct ftrace_plan *plan)
{
	const struct ftrace_step *step = plan->steps, *const end = step + plan->nr;
	struct ftrace_site_walk walk = {};

	while (step < end) {
		ftrace_site_walk(&walk, step->nr);
		if (unlikely(step->from == step->to)) {
			update_marks(walk.block, step->nr - walk.block->first, step->to);
			step++;
			continue;
		}
		step = update_some(step, end, walk.block);
	}
}

/* Mark the sites that got an exclusive hook. Their combo does not tell: it may be the mixed one. */
static void mark_added(const struct ftrace_plan *plan)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(plan->added, nr) {
		struct ftrace_site *site = ftrace_site_walk(&walk, nr);

		if (site && !(site->state & FTRACE_SITE_UNUSABLE))
			WRITE_ONCE(site->state, site->state | FTRACE_SITE_MODIFIED);
	}
}

/* True if the step changes what its site calls. */
static bool changes_text(const struct ftrace_step *step)
{
	struct ftrace_site_block *b;
	u32 i;

	if (step->from != step->to)
		return true;
	b = ftrace_site_by_nr(step->nr, &i);
	return ftrace_site_retargeted(b, i, step->to);
}

/*
 * Steps of held sites whose combo stays change no text. Drop these steps, and release
 * the sites whose breakpoint was removed; but keep the step of a released site that is
 * armed or jumps: its text must become a nop.
 */
static void look_at_held(struct ftrace_plan *plan)
{
	struct ftrace_site_walk walk = {};
	u32 k, kept = 0;

	for (k = 0; k < plan->nr; k++) {
		const struct ftrace_step *step = &plan->steps[k];
		struct ftrace_site *site = ftrace_site_walk(&walk, step->nr);
		unsigned long calls;
		u32 i;

		if (!(site->state & FTRACE_SITE_HELD) || changes_text(step)) {
			plan->steps[kept++] = *step;
			continue;
		}
		i = step->nr - walk.block->first;
		calls = ftrace_site_calls(walk.block, i);
		if (arch_ftrace_site_check(walk.block->base + site->offset, calls, NULL))
			continue;
		ftrace_release_site(walk.block, i);
		if (site->state & MARKS_OFF)
			plan->steps[kept++] = *step;
	}
	plan->nr = kept;
}

/* Uncover the sites that the plan switches on. */
static void uncover(const struct ftrace_plan *plan)
{
	u32 few[64], *nrs, room = plan->nr, n = 0;

	nrs = kvmalloc_array(room, sizeof(*nrs), GFP_KERNEL | __GFP_NOWARN);
	if (!nrs) {
		nrs = few;
		room = ARRAY_SIZE(few);
	}
	for (u32 k = 0; k < plan->nr; k++) {
		if (plan->steps[k].to != FTRACE_COMBO_NOP)
			nrs[n++] = plan->steps[k].nr;
		if (n == room || k == plan->nr - 1) {
			ftrace_uncover_sites(nrs, n);
			n = 0;
		}
	}
	if (nrs != few)
		kvfree(nrs);
}

/*
 * Drop the steps of sites that the plan switches on but that could not be uncovered.
 * They stay off.
 * Return: 0; -EBUSY or -ENODEV if the plan adds an exclusive hook to one of them.
 */
static int drop_covered(struct ftrace_plan *plan)
{
	struct ftrace_site_walk walk = {};
	u32 k, kept = 0;
	int err = 0;

	for (k = 0; k < plan->nr; k++) {
		const struct ftrace_step *step = &plan->steps[k];
		const u32 state = ftrace_site_walk(&walk, step->nr)->state;

		if (step->to == FTRACE_COMBO_NOP || likely(!(state & FTRACE_SITE_COVERED)))
			plan->steps[kept++] = *step;
		else if (ftrace_siteset_has(plan->added, step->nr))
			err = state & FTRACE_SITE_HELD ? -EBUSY : -ENODEV;
	}
	plan->nr = kept;
	return err;
}

/**
 * ftrace_plan_write() - apply a plan to text and site state
 * @plan: plan; steps are dropped or changed for sites that stay or cannot be patched
 *
 * Also updates the combos' site counts.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success. If a site could not be made to call the exclusive hook or the
 * direct call's target that the plan gives it: -EBUSY if the site has a foreign
 * breakpoint, -ENODEV if it has unexpected bytes. Then all other steps are done, and
 * the caller must call ftrace_plan_revert(), before ftrace_plan_drop().
 */
int ftrace_plan_write(struct ftrace_plan *plan)
{
	struct ftrace_patch *patches = plan->patches ?: few_patches;
	u32 room = plan->patches ? plan->nr : ARRAY_SIZE(few_patches);
	int err = 0;
	u32 from;

	lockdep_assert_held(&ftrace_lock);

	if (unlikely(ftrace_held_sites))
		look_at_held(plan);
	if (unlikely(ftrace_covered_sites)) {
		uncover(plan);
		err = drop_covered(plan);
	}
	for (from = 0; from < plan->nr; from += room) {
		int failed = write_text(plan, patches, from, min(room, plan->nr - from));

		err = err ?: failed;
	}
	update_states(plan);
	if (!err && plan->exclusive)
		mark_added(plan);
	ftrace_cover_later();
	return err;
}

/**
 * ftrace_plan_revert() - undo what ftrace_plan_write() did
 * @plan: plan, written but not dropped
 *
 * Cannot fail for lack of memory: the combos that the sites were on still exist. The
 * caller has put the targets of direct calls back.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_plan_revert(struct ftrace_plan *plan)
{
	u32 k, kept = 0;

	lockdep_assert_held(&ftrace_lock);

	for (k = 0; k < plan->nr; k++) {
		const struct ftrace_step step = plan->steps[k];

		if (changes_text(&step))
			plan->steps[kept++] = (struct ftrace_step){
				.nr = step.nr, .from = step.to, .to = step.from,
			};
	}
	plan->nr = kept;
	plan->exclusive = false;
	ftrace_plan_write(plan);
	ftrace_combo_refused = true;	/* sites may be back on the mixed combo */
}

/**
 * ftrace_plan_commit() - apply and drop a plan that adds no exclusive hook
 * @plan: plan; empty afterwards
 *
 * Cannot fail. Sites with unexpected bytes are left out and reported once.
 *
 * Context: Process context. May sleep. ftrace_lock held. Also at boot with
 * interrupts off.
 */
void ftrace_plan_commit(struct ftrace_plan *plan)
{
	ftrace_plan_write(plan);
	ftrace_plan_drop(plan);
}

/**
 * ftrace_commit_mixed() - move sites from the mixed combo to combos of their own
 *
 * For when combos or trampolines that were refused before can be made. If memory is
 * short, sites stay as they are, until another plan looks at them.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_commit_mixed(void)
{
	struct ftrace_plan plan;

	if (!ftrace_plan_make(&plan, NULL, 0))
		ftrace_plan_commit(&plan);
}

/**
 * ftrace_commit_block() - move all sites of a block, even if memory is short
 * @b: block
 * @on: true: to the combos that the filters in force ask for; false: to the nop,
 *	except sites under a foreign breakpoint, which may call the mixed trampoline
 *
 * In one transaction; 64 sites at a time if memory is short. Does nothing if there are
 * no hooks. Cannot fail.
 *
 * Context: Process context. May sleep. ftrace_lock held. Also at boot with
 * interrupts off.
 */
void ftrace_commit_block(struct ftrace_site_block *b, bool on)
{
	static struct ftrace_step few[ARRAY_SIZE(few_patches)];		/* [L] */
	struct ftrace_plan plan = { .room = b->nr };
	u32 i = 0;

	lockdep_assert_held(&ftrace_lock);

	if (list_empty(&ftrace_hooks))
		return;

	plan.steps = kvmalloc_array(b->nr, sizeof(*plan.steps), GFP_KERNEL | __GFP_NOWARN);
	if (plan.steps) {
		ftrace_plan_block(&plan, b, 0, on);
		ftrace_plan_patches(&plan);
		ftrace_plan_commit(&plan);
		return;
	}

	plan.steps = few;
	plan.room = ARRAY_SIZE(few);
	while (i < b->nr) {
		i = ftrace_plan_block(&plan, b, i, on);
		ftrace_plan_write(&plan);
		plan.nr = 0;
	}
	ftrace_combo_sweep();
}
