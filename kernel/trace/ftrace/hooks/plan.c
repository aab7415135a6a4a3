// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: which site moves to which combo.
 *
 * A plan is made from changes of filters. It has one step for each site that a
 * change touches: the combo it is on and the combo it goes to. The combo that
 * another one becomes by adding or removing a hook is cached, so that only the first
 * of many sites takes more than a few instructions.
 *
 * A site's combo says which hooks it has; filters only say which sites to look at.
 * Removing a hook that is not on a site changes nothing, and neither does adding one
 * that is on it.
 *
 * All memory is allocated here, before anything is written. Two hooks that
 * exclude each other never have a site in common, see exclusive.c.
 */
#include <linux/slab.h>

#include <linux/ftrace/arch.h>

#include "../sites/fault.h"
#include "plan.h"
#include "target_sets.h"

/* Iterates in ascending order over the sites that one change adds a hook to or removes it from. */
struct cursor {
	u32			next;	/* FTRACE_NO_SITE: at the end */
	bool			add;
	struct ftrace_hook	*hook;	/* NULL: only check the site again */
	struct ftrace_siteset	*set;
	struct ftrace_siteset_walk walk;
};

/* Number of results of combo_after() that are cached. */
#define MEMOS	64

struct memo {
	const struct ftrace_hook *hook;
	u16			from, to;
	bool			add;
};

/* Used while a plan is made. */
struct planner {
	struct ftrace_plan	*plan;
	struct cursor		*cursors;
	unsigned int		nr;
	struct ftrace_site_walk	walk;
	u16			ready;	/* combo last given to make_ready() */
	u16			substitute;	/* combo to use in its place */
	bool			all_mixed;	/* see are_all_mixed() */
	struct memo		memos[MEMOS];
	struct ftrace_hook	*wanted[FTRACE_COMBO_HOOKS];
};

static struct ftrace_filter *filter_to_be(const struct ftrace_hook *hook)
{
	return hook->change ? hook->change->to : ftrace_hook_filter(hook);
}

/*
 * True if so many hooks are for all functions that every site is on the mixed combo
 * once the changes are made. Then filters need not be tested site by site.
 */
static bool are_all_mixed(void)
{
	struct ftrace_hook *hook;
	unsigned int n = 0;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		const struct ftrace_filter *filter = filter_to_be(hook);

		n += filter && filter->all && !filter->except;
	}
	return n > FTRACE_COMBO_HOOKS;
}

static struct planner planner;		/* [L] */

static struct planner *planner_begin(struct ftrace_plan *plan)
{
	memset(&planner, 0, sizeof(planner));
	planner.plan = plan;
	planner.all_mixed = are_all_mixed();
	return &planner;
}

static void planner_end(struct planner *p)
{
	while (p->nr)
		ftrace_siteset_put(p->cursors[--p->nr].set);
	kfree(p->cursors);
}

/* The combo that the filters give site @nr once the changes are made. */
static struct ftrace_combo *combo_by_filters(struct planner *p, u32 nr)
{
	struct ftrace_hook *hook;
	unsigned int n = 0;

	if (p->all_mixed)
		return ftrace_combo(FTRACE_COMBO_MIXED);
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!ftrace_filter_has(filter_to_be(hook), nr))
			continue;
		if (n == FTRACE_COMBO_HOOKS)
			return ftrace_combo(FTRACE_COMBO_MIXED);
		p->wanted[n++] = hook;
	}
	return ftrace_combo_of(p->wanted, n);
}

/* The number of the combo that combo @from becomes when @hook is added or removed. */
static u16 combo_after(struct planner *p, struct ftrace_hook *hook, bool add, u16 from)
{
	unsigned int h = (from ^ ((unsigned long)hook >> 6) ^ (add << 5)) % MEMOS;
	struct memo *memo = &p->memos[h];
	struct ftrace_combo *combo;

	if (likely(memo->hook == hook && memo->from == from && memo->add == add))
		return memo->to;

	combo = ftrace_combo(from);
	combo = add ? ftrace_combo_plus(combo, hook) : ftrace_combo_minus(combo, hook);
	*memo = (struct memo){ .hook = hook, .from = from, .to = combo->id, .add = add };
	return combo->id;
}

/* Combo @id if sites can call it, else the mixed combo. */
static u16 make_ready(struct planner *p, u16 id)
{
	if (likely(p->ready == id))
		return p->substitute;

	p->ready = id;
	p->substitute = id;
	if (ftrace_combo_ready(ftrace_combo(id))) {
		p->substitute = FTRACE_COMBO_MIXED;
		ftrace_combo_refused = true;
	}
	return p->substitute;
}

/*
 * Add a step unless nothing changes. A held site gets a step even if its combo stays:
 * commit checks the breakpoint. So does a site whose direct call gets another target, or
 * that is armed by @state: its text changes.
 */
static __always_inline void add_step(struct ftrace_plan *plan, const struct ftrace_site_block *b,
				     u32 nr, u32 state, u16 to)
{
	const u16 from = state & FTRACE_SITE_COMBO;

	if (from == to && likely(!(state & (FTRACE_SITE_HELD | FTRACE_SITE_ARMED))) &&
	    likely(!ftrace_site_retargeted(b, nr - b->first, from)))
		return;
	if (WARN_ON_ONCE(plan->nr == plan->room))
		return;
	plan->steps[plan->nr++] = (struct ftrace_step){ .nr = nr, .from = from, .to = to };
}

/* The number of the combo that the filters give site @nr, if sites can call it. */
static u16 to_by_filters(struct planner *p, u32 nr)
{
	return make_ready(p, combo_by_filters(p, nr)->id);
}

/*
 * True if a site's hooks are not known from its combo: held and armed sites have missed
 * changes, and a mixed combo does not say. Then the filters decide.
 */
static bool filters_say(u32 state)
{
	return (state & (FTRACE_SITE_HELD | FTRACE_SITE_ARMED)) || ftrace_combo(state)->mixed;
}

/* The combo that site @nr moves to, if @c is the only cursor that has it. */
static u16 to_by_one(struct planner *p, const struct cursor *c, u32 nr, u32 state)
{
	const u16 from = state & FTRACE_SITE_COMBO;
	u16 to;

	if (unlikely(filters_say(state)))
		return to_by_filters(p, nr);
	to = c->hook ? combo_after(p, c->hook, c->add, from) : from;
	if (to == FTRACE_COMBO_MIXED)
		return to_by_filters(p, nr);
	return make_ready(p, to);
}

/*
 * The same if several cursors have the site. Hooks are removed before hooks are
 * added, so that one exclusive hook can replace another.
 */
static u16 to_by_all(struct planner *p, u32 nr, u32 state)
{
	const u16 from = state & FTRACE_SITE_COMBO;
	unsigned int i;
	u16 to = from;
	int add;

	if (unlikely(filters_say(state)))
		return to_by_filters(p, nr);

	for (add = 0; add <= 1; add++) {
		for (i = 0; i < p->nr; i++) {
			struct cursor *c = &p->cursors[i];

			if (c->next != nr || c->add != add || !c->hook)
				continue;
			to = combo_after(p, c->hook, add, to);
		}
	}
	if (to == FTRACE_COMBO_MIXED)
		return to_by_filters(p, nr);
	return make_ready(p, to);
}

/* Sites of a cursor that are equal in these bits make the same move, see plan_one(). */
#define BITS_OF_RUN	(FTRACE_SITE_COMBO | FTRACE_SITE_UNUSABLE | \
			 FTRACE_SITE_HELD | FTRACE_SITE_ARMED)

struct run {
	u32			state;	/* BITS_OF_RUN */
	struct ftrace_step	step;
};

/*
 * Plan a site that is not part of the run. It begins another run, unless its combo came
 * from the filters, which may give the next site another one.
 */
static noinline void plan_one(struct planner *p, const struct cursor *c, u32 nr, u32 state,
			      struct run *run)
{
	u16 to;

	if (state & FTRACE_SITE_UNUSABLE)
		return;
	to = to_by_one(p, c, nr, state);
	add_step(p->plan, p->walk.block, nr, state & ~FTRACE_SITE_ARMED, to);
	if (state != to && !filters_say(state))
		*run = (struct run){ .state = state, .step.from = state, .step.to = to };
}

/*
 * Plan sites @nr to @last, or the first of them. Most plans are one long run of sites
 * that move from the same combo to the same other one, so the loop is optimised for it.
 * Return: The next site.
 */
static u32 plan_stretch(struct planner *p, const struct cursor *c, u32 nr, u32 last,
			struct run *run)
{
	const struct ftrace_site *site = ftrace_site_walk(&p->walk, nr);
	struct ftrace_plan *plan = p->plan;
	struct ftrace_step *step = plan->steps + plan->nr;
	const u32 move = run->step.move, bits = run->state;
	u32 n, i;

	if (unlikely(!site))
		return nr + 1;

	n = min3(last - nr + 1, p->walk.block->first + p->walk.block->nr - nr,
		 plan->room - plan->nr);
	for (i = 0; i < n && (site[i].state & BITS_OF_RUN) == bits; i++, step++) {
		step->nr = nr + i;
		step->move = move;
	}
	plan->nr += i;
	if (likely(i && i == n))
		return nr + i;
	plan_one(p, c, nr + i, site[i].state & BITS_OF_RUN, run);
	return nr + i + 1;
}

/* Plan the sites of cursor @c below @end, which no other cursor has. */
static void plan_run(struct planner *p, struct cursor *c, u32 end)
{
	struct run run = { .state = ~0U };	/* of no site */
	struct ftrace_siteset_walk walk = c->walk;
	u32 nr = c->next;

	while (nr < end) {
		const u32 last = nr + ftrace_siteset_walk_skip(&walk, nr, end - 1 - nr);

		while (nr <= last)
			nr = plan_stretch(p, c, nr, last, &run);
		nr = ftrace_siteset_walk_next(&walk);
	}
	c->next = nr;
	c->walk = walk;
}

/* Plan a site that several cursors have. */
static void plan_meeting(struct planner *p, u32 nr)
{
	const struct ftrace_site *site = ftrace_site_walk(&p->walk, nr);
	unsigned int i;

	if (likely(site && !(site->state & FTRACE_SITE_UNUSABLE)))
		add_step(p->plan, p->walk.block, nr, site->state & ~FTRACE_SITE_ARMED,
			 to_by_all(p, nr, site->state));

	for (i = 0; i < p->nr; i++) {
		struct cursor *c = &p->cursors[i];

		if (c->next == nr)
			c->next = ftrace_siteset_walk_next(&c->walk);
	}
}

/* The order of cursors does not matter: hooks are ordered by ->order. */
static void drop_finished(struct planner *p)
{
	unsigned int i = 0;

	while (i < p->nr) {
		struct cursor *c = &p->cursors[i];

		if (c->next != FTRACE_NO_SITE) {
			i++;
			continue;
		}
		ftrace_siteset_put(c->set);
		*c = p->cursors[--p->nr];
	}
}

/* Find the cursor with the lowest site; *other is the lowest of the others, maybe the same. */
static struct cursor *foremost(struct planner *p, u32 *other)
{
	struct cursor *first = NULL;
	unsigned int i;

	*other = FTRACE_NO_SITE;
	for (i = 0; i < p->nr; i++) {
		struct cursor *c = &p->cursors[i];

		if (!first || c->next < first->next) {
			if (first)
				*other = first->next;
			first = c;
		} else {
			*other = min(*other, c->next);
		}
	}
	return first;
}

static void plan_sites(struct planner *p)
{
	struct cursor *c;
	u32 other;

	for (c = foremost(p, &other); c; c = foremost(p, &other)) {
		if (c->next < other)
			plan_run(p, c, other);
		else
			plan_meeting(p, other);
		drop_finished(p);
	}
}

static void add_cursor(struct planner *p, struct ftrace_hook *hook, bool add,
		       struct ftrace_siteset *set)
{
	struct cursor *c;

	if (!set)
		return;
	c = &p->cursors[p->nr++];
	*c = (struct cursor){ .add = add, .hook = hook, .set = set };
	c->next = ftrace_siteset_walk_start(&c->walk, set);
	p->plan->room += set->count;
}

/* True if a site may move though no change has it. @mixed: also from the mixed combo. */
static bool may_move(u32 state, bool mixed)
{
	if (state & FTRACE_SITE_HELD)
		return true;
	if ((state & FTRACE_SITE_COMBO) == FTRACE_COMBO_MIXED)
		return mixed;
	return ftrace_combo(state)->mixed;
}

/*
 * Add a cursor for sites that may move though no change has them. If a combo was refused
 * before, a site on the mixed combo may get a combo of its own, and so may a site whose
 * trampoline is a jump to the mixed one; and the breakpoint over a held site may have
 * been removed. If memory is short, they stay as they are.
 */
static void recheck_sites(struct planner *p)
{
	const bool mixed = ftrace_combo_refused && ftrace_combo_mixed_sites() &&
			   ftrace_combo_nr() < ftrace_combo_cap;
	struct ftrace_siteset_builder found = {};
	struct ftrace_site_block *b;
	struct ftrace_siteset *set;
	u32 i;

	if (!mixed && likely(!ftrace_held_sites && !ftrace_combo_forwards))
		return;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (i = 0; i < b->nr; i++) {
			if (!may_move(b->sites[i].state, mixed))
				continue;
			if (ftrace_siteset_add(&found, ftrace_site_nr(b, i))) {
				ftrace_siteset_drop(&found);
				return;
			}
		}
	}

	set = ftrace_siteset_build(&found);
	if (IS_ERR(set))
		return;
	add_cursor(p, NULL, false, set);
	if (mixed)
		ftrace_combo_refused = false;	/* the plan looks at all of them */
}

/*
 * An exclusive hook is to be added to these sites, or another target is @staged. The
 * hook's owner relies on its calls, so all sites must be patchable. A site that is on
 * under a breakpoint is, too: it is on the mixed combo, or commit moves it there, and
 * that serves any hook. But a site that jumps under a breakpoint cannot be made to call.
 * A new target is no reason to refuse a site that was found faulty before: it did not
 * call the old target either.
 */
static int check_sites(struct ftrace_siteset *set, bool staged)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(set, nr) {
		const struct ftrace_site *site = ftrace_site_walk(&walk, nr);
		unsigned long calls;
		int err;
		u32 i;

		if (!site)
			continue;
		i = nr - walk.block->first;
		if (staged && ftrace_target_other(walk.block, i) == ftrace_target(walk.block, i))
			continue;
		if (site->state & FTRACE_SITE_UNUSABLE) {
			if (staged)
				continue;
			return -ENODEV;
		}
		calls = ftrace_site_calls(walk.block, i);
		err = arch_ftrace_site_check(walk.block->base + site->offset, calls, NULL);
		if (err == -EBUSY && (site->state & FTRACE_SITE_COMBO) != FTRACE_COMBO_NOP &&
		    !ftrace_is_jmp(calls))
			continue;
		if (err)
			return err == -EBUSY ? -EBUSY : -ENODEV;
	}
	return 0;
}

/*
 * Stage the targets of a direct call's change. Add a cursor for sites that have the
 * direct call already and may get another target.
 */
static int stage_targets(struct planner *p, const struct ftrace_change *change,
			 const struct ftrace_siteset *added)
{
	const struct ftrace_targets *targets = change->targets;
	const unsigned long same = change->hook->ops->direct_call;
	struct ftrace_siteset *sites, *both = NULL;
	int err;

	if (!change->to)
		return 0;
	/* An ops with a target for each site gets no site without its target. */
	if (!targets && !same)
		return added ? -EINVAL : 0;

	sites = targets ? targets->sites : change->to->only;
	if (!sites)
		return 0;
	/* A plan stages targets for one change only. */
	if (WARN_ON_ONCE(p->plan->staged))
		return -EINVAL;
	if (change->from) {
		both = ftrace_siteset_and(change->from->only, sites);
		if (IS_ERR(both))
			return PTR_ERR(both);
	}
	err = ftrace_targets_stage(sites, targets ? targets->addr : NULL, same);
	if (!err) {
		err = check_sites(both, true);
		if (err)
			ftrace_targets_settle(sites);
	}
	if (err) {
		ftrace_siteset_put(both);
		return err;
	}
	p->plan->staged = ftrace_siteset_get(sites);
	p->plan->had = ftrace_siteset_get(both);
	p->plan->exclusive = true;
	add_cursor(p, NULL, false, both);
	return 0;
}

/* Add sites that get an exclusive hook to ->added. */
static int note_added(struct ftrace_plan *plan, struct ftrace_siteset *added)
{
	struct ftrace_siteset *all = plan->added ? ftrace_siteset_or(plan->added, added) :
						   ftrace_siteset_get(added);

	if (IS_ERR(all))
		return PTR_ERR(all);
	ftrace_siteset_put(plan->added);
	plan->added = all;
	return 0;
}

static int set_up_change(struct planner *p, const struct ftrace_change *change)
{
	const u16 exclusive = change->hook->need & FTRACE_NEED_EXCLUSIVE;
	struct ftrace_siteset *added, *removed;
	int err;

	err = ftrace_filter_delta(change->from, change->to, ftrace_site_end(), &added, &removed);
	if (err)
		return err;

	if (exclusive && added) {
		p->plan->exclusive = true;
		err = check_sites(added, false) ?: note_added(p->plan, added);
	}
	if (!err && (change->hook->need & FTRACE_NEED_DIRECT))
		err = stage_targets(p, change, added);
	if (err) {
		ftrace_siteset_put(added);
		ftrace_siteset_put(removed);
		return err;
	}

	add_cursor(p, change->hook, false, removed);
	add_cursor(p, change->hook, true, added);
	return 0;
}

static int set_up(struct planner *p, const struct ftrace_change *changes, unsigned int nr)
{
	unsigned int i;
	int err;

	p->cursors = kmalloc_array(3 * nr + 1, sizeof(*p->cursors), GFP_KERNEL);
	if (!p->cursors)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = set_up_change(p, &changes[i]);
		if (err)
			return err;
	}
	recheck_sites(p);
	return 0;
}

/*
 * While a plan is made, the combos that it makes and those that lose all their sites
 * exist together. If more than the cap would have sites in the end, the latest ones are
 * refused, and their sites go to the mixed combo.
 */
static void keep_to_cap(struct ftrace_plan *plan)
{
	struct ftrace_site_walk walk = {};
	u32 k, kept = 0;
	bool refused;

	if (likely(ftrace_combo_nr() <= ftrace_combo_cap))
		return;

	for (k = 0; k < plan->nr; k++) {
		ftrace_combo(plan->steps[k].from)->coming--;
		ftrace_combo(plan->steps[k].to)->coming++;
	}
	refused = ftrace_combo_limit();
	for (k = 0; k < plan->nr; k++) {
		ftrace_combo(plan->steps[k].from)->coming = 0;
		ftrace_combo(plan->steps[k].to)->coming = 0;
	}
	if (!refused)
		return;

	for (k = 0; k < plan->nr; k++) {
		struct ftrace_step step = plan->steps[k];

		if (ftrace_combo(step.to)->refused) {
			step.to = FTRACE_COMBO_MIXED;
			if (step.from == FTRACE_COMBO_MIXED &&
			    !(ftrace_site_walk(&walk, step.nr)->state & FTRACE_SITE_HELD))
				continue;
		}
		plan->steps[kept++] = step;
	}
	plan->nr = kept;
}

static int make_room(struct ftrace_plan *plan)
{
	plan->room = min(plan->room, ftrace_site_end());
	if (!plan->room)
		return 0;

	plan->steps = kvmalloc_array(plan->room, sizeof(*plan->steps), GFP_KERNEL);
	return plan->steps ? 0 : -ENOMEM;
}

/**
 * ftrace_plan_patches() - allocate the patches that commit gives to the text engine
 * @plan: plan with all its steps
 *
 * If memory is short, commit works in pieces: the same result with more cross-CPU syncs.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_plan_patches(struct ftrace_plan *plan)
{
	if (plan->nr)
		plan->patches = kvmalloc_array(plan->nr, sizeof(*plan->patches),
					       GFP_KERNEL | __GFP_NOWARN);
}

/**
 * ftrace_plan_make() - plan changes of hooks' filters
 * @plan: filled in, to be committed or dropped
 * @changes: the changes, at most one for each hook
 * @nr: number of changes
 *
 * Writes no text and no state word; targets of direct calls are staged. A site
 * that several changes touch moves once. Held sites are always checked again.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short; -EBUSY if an exclusive hook, or
 * another target, would get a site that is off, or jumps, under a foreign breakpoint;
 * -ENODEV if it would get a site that cannot be patched; -EINVAL if a direct call
 * would get a site without a target. On error the plan is empty.
 */
int ftrace_plan_make(struct ftrace_plan *plan, const struct ftrace_change *changes,
		     unsigned int nr)
{
	const bool refused = ftrace_combo_refused;
	struct planner *p;
	unsigned int i;
	int err;

	lockdep_assert_held(&ftrace_lock);

	*plan = (struct ftrace_plan){};
	for (i = 0; i < nr; i++)
		changes[i].hook->change = &changes[i];
	p = planner_begin(plan);

	err = set_up(p, changes, nr);
	if (!err)
		err = make_room(plan);
	if (!err) {
		plan_sites(p);
		keep_to_cap(plan);
	} else {
		ftrace_combo_refused |= refused;
	}
	planner_end(p);

	for (i = 0; i < nr; i++)
		changes[i].hook->change = NULL;

	if (err)
		ftrace_plan_drop(plan);
	else
		ftrace_plan_patches(plan);
	return err;
}

/**
 * ftrace_plan_block() - plan the sites of a block, as many as the plan has room for
 * @plan: plan without steps, with room for some
 * @b: the block
 * @i: index of the site to begin with
 * @on: true: to the combos that the filters in force ask for; false: to the nop
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: The index of the first site that was not looked at; @b's ->nr at the end.
 */
u32 ftrace_plan_block(struct ftrace_plan *plan, const struct ftrace_site_block *b, u32 i,
		      bool on)
{
	struct planner *p = planner_begin(plan);

	lockdep_assert_held(&ftrace_lock);

	for (; i < b->nr && plan->nr < plan->room; i++) {
		const u32 state = b->sites[i].state & ~FTRACE_SITE_ARMED;
		const u32 nr = ftrace_site_nr(b, i);

		if (!(state & FTRACE_SITE_UNUSABLE))
			add_step(plan, b, nr, state,
				 on ? to_by_filters(p, nr) : FTRACE_COMBO_NOP);
	}
	keep_to_cap(plan);
	return i;
}

#ifdef CONFIG_FTRACE_DISCOVER
/**
 * ftrace_plan_disarm() - plan what armed sites call instead of __fentry__
 * @plan: filled in, to be committed or dropped
 * @nrs: numbers of sites, none twice; commit is fastest if they are in address order
 * @nr: number of elements in @nrs
 *
 * The sites move to the combos that the filters in force ask for. Sites that are not
 * armed, or cannot be patched, are left out.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error the plan is empty.
 */
int ftrace_plan_disarm(struct ftrace_plan *plan, const u32 *nrs, u32 nr)
{
	struct planner *p = planner_begin(plan);
	u32 k;
	int err;

	lockdep_assert_held(&ftrace_lock);

	*plan = (struct ftrace_plan){ .room = nr };
	err = make_room(plan);

	for (k = 0; !err && k < nr; k++) {
		const struct ftrace_site *site = ftrace_site_walk(&p->walk, nrs[k]);

		if (!site || (site->state & FTRACE_SITE_UNUSABLE) ||
		    !(site->state & FTRACE_SITE_ARMED))
			continue;
		add_step(plan, p->walk.block, nrs[k], site->state, to_by_filters(p, nrs[k]));
	}
	keep_to_cap(plan);

	if (err)
		ftrace_plan_drop(plan);
	else
		ftrace_plan_patches(plan);
	return err;
}
#endif

/**
 * ftrace_plan_drop() - free a plan and the combos that no site calls
 * @plan: plan; empty afterwards
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_plan_drop(struct ftrace_plan *plan)
{
	ftrace_targets_settle(plan->staged);
	ftrace_siteset_put(plan->staged);
	ftrace_siteset_put(plan->had);
	ftrace_siteset_put(plan->added);
	kvfree(plan->patches);
	kvfree(plan->steps);
	*plan = (struct ftrace_plan){};
	ftrace_combo_sweep();	/* also of combos made for the plan */
}
