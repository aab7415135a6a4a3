// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: who moves where.
 *
 * Changes of filters go in, steps come out: for each site that a change
 * touches, the combo it is on and the combo it goes to. A site's way is looked
 * up, not computed: what a hook does to a combo is remembered, so that the
 * tenth site costs a few instructions.
 *
 * What a site is on is the truth; filters say only which sites to look at. A
 * hook that is not there cannot leave, and one that is there cannot come
 * again, whatever ftrace_enabled was in between.
 *
 * Enemies: no memory (so everything is allocated here, and nothing is written
 * before all of it is there), and two hooks that exclude each other.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/mm.h>
#include <linux/slab.h>

#include <linux/ftrace/arch.h>

#include "fault.h"
#include "ops.h"
#include "plan.h"

/* Whom a change brings or takes away, in ascending order. */
struct cursor {
	u32			next;	/* FTRACE_NO_SITE: no more */
	bool			add;
	struct ftrace_hook	*hook;	/* NULL: only look at the site again */
	struct ftrace_siteset	*set;
	struct ftrace_siteset_walk walk;
};

/* What a hook does to a combo. */
#define MEMOS	64

struct memo {
	const struct ftrace_hook *hook;
	u16			from, to;
	bool			add;
};

/* [L] Everything that one plan needs while it is made. */
static struct planner {
	struct ftrace_plan	*plan;
	struct cursor		*cursors;
	unsigned int		nr;
	struct ftrace_site_walk	walk;
	u16			ready;	/* the combo that was last seen to be */
	u16			instead;	/* and what stands in for it */
	struct memo		memos[MEMOS];
	struct ftrace_hook	*wanted[FTRACE_COMBO_HOOKS];
	unsigned int		nr_wanted;
} planner;

/* How often exclusive hooks met at a site of a module that came. */
static bool clash_was_told;

static struct ftrace_filter *filter_to_be(const struct ftrace_hook *hook)
{
	if (hook->change)
		return hook->change->to;
	return rcu_dereference_protected(hook->filter, lockdep_is_held(&ftrace_lock));
}

/* @hook goes after those in the list; of two that exclude each other, the earlier stays. */
static int want(struct planner *p, struct ftrace_hook *hook, bool must)
{
	const u16 exclusive = hook->need & (FTRACE_NEED_DIRECT | FTRACE_NEED_IPMODIFY);
	unsigned int i = 0;

	while (i < p->nr_wanted && exclusive) {
		if (!(p->wanted[i]->need & exclusive)) {
			i++;
			continue;
		}
		if (must)
			return -EBUSY;
		if (!clash_was_told)
			pr_warn("%ps and %ps exclude each other, only the latter is called\n",
				p->wanted[i]->ops, hook->ops);
		clash_was_told = true;
		p->nr_wanted--;
		memmove(&p->wanted[i], &p->wanted[i + 1],
			(p->nr_wanted - i) * sizeof(p->wanted[0]));
	}

	if (p->nr_wanted == FTRACE_COMBO_HOOKS)
		return -E2BIG;
	p->wanted[p->nr_wanted++] = hook;
	return 0;
}

/* From the filters, as they will be. @must: refuse hooks that exclude each other. */
static struct ftrace_combo *combo_by_filters(struct planner *p, u32 nr, bool must)
{
	struct ftrace_hook *hook;
	int err = 0;

	p->nr_wanted = 0;
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!ftrace_filter_has(filter_to_be(hook), nr))
			continue;
		err = want(p, hook, must);
		if (err)
			break;
	}
	if (err == -E2BIG)
		return ftrace_combo(FTRACE_COMBO_MIXED);
	return err ? ERR_PTR(err) : ftrace_combo_of(p->wanted, p->nr_wanted);
}

/* Where @hook's coming or going leads from combo @from; an id or an error. */
static int lead(struct planner *p, struct ftrace_hook *hook, bool add, u16 from)
{
	unsigned int h = (from ^ ((unsigned long)hook >> 6) ^ (add << 5)) % MEMOS;
	struct memo *memo = &p->memos[h];
	struct ftrace_combo *combo;

	if (likely(memo->hook == hook && memo->from == from && memo->add == add))
		return memo->to;

	combo = ftrace_combo(from);
	combo = add ? ftrace_combo_plus(combo, hook) : ftrace_combo_minus(combo, hook);
	if (IS_ERR(combo))
		return PTR_ERR(combo);

	*memo = (struct memo){ .hook = hook, .from = from, .to = combo->id, .add = add };
	return combo->id;
}

/* The combo that sites can call in place of combo @id: itself, or the mixed one. */
static u16 make_ready(struct planner *p, u16 id)
{
	if (likely(p->ready == id))
		return p->instead;

	p->ready = id;
	p->instead = ftrace_combo_ready(ftrace_combo(id)) ? FTRACE_COMBO_MIXED : id;
	return p->instead;
}

/* A held site gets a step that leads nowhere, too: is it still held? */
static __always_inline void add_step(struct ftrace_plan *plan, u32 nr, u32 state, u16 to)
{
	const u16 from = state & FTRACE_SITE_COMBO;

	if (from == to && likely(!(state & FTRACE_SITE_HELD)))
		return;
	if (WARN_ON_ONCE(plan->nr == plan->room))
		return;
	plan->steps[plan->nr++] = (struct ftrace_step){ .nr = nr, .from = from, .to = to };
}

/* A combo's number, from an error in its pointer to one in the number. */
static int to_id(struct planner *p, const struct ftrace_combo *combo)
{
	return IS_ERR(combo) ? PTR_ERR(combo) : make_ready(p, combo->id);
}

/* What is held has missed changes since it is, and switching on and off among them. */
static int to_of_held(struct planner *p, u32 nr)
{
	if (!READ_ONCE(ftrace_enabled))
		return FTRACE_COMBO_NOP;
	return to_id(p, combo_by_filters(p, nr, false));
}

/*
 * Where site @nr goes whose state word is @state. What is mixed does not tell
 * who is there, nor what may join.
 */
static int to_by_one(struct planner *p, const struct cursor *c, u32 nr, u32 state)
{
	const u16 from = state & FTRACE_SITE_COMBO;
	int to;

	if (unlikely(state & FTRACE_SITE_HELD))
		return to_of_held(p, nr);
	to = c->hook ? lead(p, c->hook, c->add, from) : from;
	if (to < 0)
		return to;
	if (from == FTRACE_COMBO_MIXED || to == FTRACE_COMBO_MIXED)
		return to_id(p, combo_by_filters(p, nr, true));
	return make_ready(p, to);
}

/* Those who go do so first, so that one may take another's exclusive place. */
static int to_by_all(struct planner *p, u32 nr, u32 state)
{
	const u16 from = state & FTRACE_SITE_COMBO;
	unsigned int i;
	int to = from;
	int add;

	if (unlikely(state & FTRACE_SITE_HELD))
		return to_of_held(p, nr);

	for (add = 0; add <= 1; add++) {
		for (i = 0; i < p->nr; i++) {
			struct cursor *c = &p->cursors[i];

			if (c->next != nr || c->add != add || !c->hook)
				continue;
			to = lead(p, c->hook, add, to);
			if (to < 0)
				return to;
		}
	}
	if (from == FTRACE_COMBO_MIXED || to == FTRACE_COMBO_MIXED)
		return to_id(p, combo_by_filters(p, nr, true));
	return make_ready(p, to);
}

/*
 * The sites below @end, which only @c is about. Most plans are one long run of
 * this, from one combo to one other: it is worth its instructions.
 */
static int plan_run(struct planner *p, struct cursor *c, u32 end)
{
	struct ftrace_siteset_walk walk = c->walk;
	struct ftrace_site_walk sites = p->walk;
	u32 last_from = FTRACE_COMBO_MIXED;	/* where sites differ: not remembered */
	u32 nr = c->next;
	int to = 0;

	for (; nr < end; nr = ftrace_siteset_walk_next(&walk)) {
		const struct ftrace_site *site = ftrace_site_walk(&sites, nr);
		u32 from;

		if (unlikely(!site || (site->state & FTRACE_SITE_UNUSABLE)))
			continue;

		from = site->state & (FTRACE_SITE_COMBO | FTRACE_SITE_HELD);
		if (unlikely(from != last_from || from == FTRACE_COMBO_MIXED ||
			     (from & FTRACE_SITE_HELD))) {
			to = to_by_one(p, c, nr, from);
			if (to < 0)
				return to;
			last_from = from;
		}
		add_step(p->plan, nr, from, to);
	}
	c->next = nr;
	c->walk = walk;
	p->walk = sites;
	return 0;
}

/* A site that several are about. */
static int plan_meeting(struct planner *p, u32 nr)
{
	const struct ftrace_site *site = ftrace_site_walk(&p->walk, nr);
	unsigned int i;

	if (likely(site && !(site->state & FTRACE_SITE_UNUSABLE))) {
		int to = to_by_all(p, nr, site->state);

		if (to < 0)
			return to;
		add_step(p->plan, nr, site->state, to);
	}

	for (i = 0; i < p->nr; i++) {
		struct cursor *c = &p->cursors[i];

		if (c->next == nr)
			c->next = ftrace_siteset_walk_next(&c->walk);
	}
	return 0;
}

/* The order of those who stay does not matter: hooks have one. */
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

/* Who is next, and with which number another one is there, too, or before. */
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

static int plan_sites(struct planner *p)
{
	struct cursor *c;
	u32 other;
	int err;

	for (c = foremost(p, &other); c; c = foremost(p, &other)) {
		if (c->next < other)
			err = plan_run(p, c, other);
		else
			err = plan_meeting(p, other);
		if (err)
			return err;
		drop_finished(p);
	}
	return 0;
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

/*
 * Sites that are mixed may find a combo of their own when a hook goes, and from
 * those that are held the breakpoint may have gone. Without memory they stay.
 */
static void look_again(struct planner *p, bool goes)
{
	const bool mixed = goes && ftrace_combo_mixed_sites() &&
			   ftrace_combo_nr() < ftrace_combo_cap;
	struct ftrace_siteset_builder found = {};
	struct ftrace_site_block *b;
	struct ftrace_siteset *set;
	u32 i;

	if (!mixed && likely(!ftrace_held_sites))
		return;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (i = 0; i < b->nr; i++) {
			const u32 state = b->sites[i].state;

			if (!(state & FTRACE_SITE_HELD) &&
			    (!mixed || (state & FTRACE_SITE_COMBO) != FTRACE_COMBO_MIXED))
				continue;
			if (ftrace_siteset_add(&found, ftrace_site_nr(b, i))) {
				ftrace_siteset_drop(&found);
				return;
			}
		}
	}

	set = ftrace_siteset_build(&found);
	if (!IS_ERR(set))
		add_cursor(p, NULL, false, set);
}

/*
 * An exclusive hook comes to these sites: its owner relies on it, so that none
 * of them may be one that cannot be changed. One that is held and on can: what
 * its text calls is the mixed combo then, which serves any hook.
 */
static int check_sites(struct ftrace_siteset *set)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(set, nr) {
		const struct ftrace_site *site = ftrace_site_walk(&walk, nr);
		int err;

		if (!site)
			continue;
		if (site->state & FTRACE_SITE_UNUSABLE)
			return -ENODEV;
		err = arch_ftrace_site_check(walk.block->base + site->offset,
					     ftrace_site_calls(site), NULL);
		if (err == -EBUSY && (site->state & FTRACE_SITE_COMBO) != FTRACE_COMBO_NOP)
			continue;
		if (err)
			return err == -EBUSY ? -EBUSY : -ENODEV;
	}
	return 0;
}

static int set_up_change(struct planner *p, const struct ftrace_change *change, bool *goes)
{
	const u16 exclusive = change->hook->need & (FTRACE_NEED_DIRECT | FTRACE_NEED_IPMODIFY);
	struct ftrace_siteset *added, *removed;
	int err;

	err = ftrace_filter_delta(change->from, change->to, ftrace_site_end(), &added, &removed);
	if (err)
		return err;

	if (exclusive && added) {
		p->plan->exclusive = true;
		err = check_sites(added);
		if (err) {
			ftrace_siteset_put(added);
			ftrace_siteset_put(removed);
			return err;
		}
	}

	if (removed)
		*goes = true;
	add_cursor(p, change->hook, false, removed);
	if (READ_ONCE(ftrace_enabled))
		add_cursor(p, change->hook, true, added);
	else
		ftrace_siteset_put(added);
	return 0;
}

static int set_up(struct planner *p, struct ftrace_plan *plan,
		  const struct ftrace_change *changes, unsigned int nr)
{
	bool goes = false;
	unsigned int i;
	int err;

	memset(p, 0, sizeof(*p));
	*plan = (struct ftrace_plan){};
	p->plan = plan;

	p->cursors = kmalloc_array(2 * nr + 1, sizeof(*p->cursors), GFP_KERNEL);
	if (!p->cursors)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = set_up_change(p, &changes[i], &goes);
		if (err)
			return err;
	}
	look_again(p, goes);
	return 0;
}

static void tear_down(struct planner *p)
{
	while (p->cursors && p->nr)
		ftrace_siteset_put(p->cursors[--p->nr].set);
	kfree(p->cursors);
	p->cursors = NULL;
}

static int make_room(struct ftrace_plan *plan)
{
	plan->room = min(plan->room, ftrace_site_end());
	if (!plan->room)
		return 0;

	plan->steps = kvmalloc_array(plan->room, sizeof(*plan->steps), GFP_KERNEL);
	return plan->steps ? 0 : -ENOMEM;
}

/* Without this room the same is done with more broadcasts. */
static void make_room_for_patches(struct ftrace_plan *plan)
{
	if (plan->nr)
		plan->patches = kvmalloc_array(plan->nr, sizeof(*plan->patches),
					       GFP_KERNEL | __GFP_NOWARN);
}

/**
 * ftrace_plan_make() - plan changes of hooks' filters
 * @plan: what to do, to be committed or dropped
 * @changes: each hook at most once
 * @nr: how many of them
 *
 * Nothing is written and no site's state changes. While ftrace_enabled is 0,
 * hooks only leave sites. Sites that are held are looked at again in any case.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0; -ENOMEM; -EBUSY two hooks would be IPMODIFY, or DIRECT, at one
 * site, or such a hook comes to a site that is off and has another's
 * breakpoint; -ENODEV such a hook comes to a site that cannot be changed. On
 * error the plan is empty.
 */
int ftrace_plan_make(struct ftrace_plan *plan, const struct ftrace_change *changes,
		     unsigned int nr)
{
	struct planner *p = &planner;
	unsigned int i;
	int err;

	lockdep_assert_held(&ftrace_lock);

	for (i = 0; i < nr; i++)
		changes[i].hook->change = &changes[i];

	err = set_up(p, plan, changes, nr);
	if (!err)
		err = make_room(plan);
	if (!err)
		err = plan_sites(p);
	tear_down(p);

	for (i = 0; i < nr; i++)
		changes[i].hook->change = NULL;

	if (err)
		ftrace_plan_drop(plan);
	else
		make_room_for_patches(plan);
	return err;
}

static int rebuild_block(struct planner *p, struct ftrace_site_block *b, bool enabled)
{
	int to = FTRACE_COMBO_NOP;
	u32 i;

	for (i = 0; i < b->nr; i++) {
		u32 state = b->sites[i].state;

		if (state & FTRACE_SITE_UNUSABLE)
			continue;
		if (enabled)
			to = to_id(p, combo_by_filters(p, ftrace_site_nr(b, i), false));
		if (to < 0)
			return to;
		add_step(p->plan, ftrace_site_nr(b, i), state, to);
	}
	return 0;
}

/**
 * ftrace_plan_rebuild() - plan what the filters in force say
 * @plan: what to do, to be committed or dropped
 * @block: the sites; NULL: all
 * @enabled: false: all to the nop
 *
 * Where hooks exclude each other, which nobody could know when they were
 * registered, the earlier one is called.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0; -ENOMEM. On error the plan is empty.
 */
int ftrace_plan_rebuild(struct ftrace_plan *plan, struct ftrace_site_block *block, bool enabled)
{
	struct planner *p = &planner;
	struct ftrace_site_block *b;
	int err;

	lockdep_assert_held(&ftrace_lock);

	memset(p, 0, sizeof(*p));
	*plan = (struct ftrace_plan){};
	p->plan = plan;

	list_for_each_entry(b, &ftrace_site_blocks, list)
		if (!block || b == block)
			plan->room += b->nr;
	err = make_room(plan);

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (!err && (!block || b == block))
			err = rebuild_block(p, b, enabled);
	}

	if (err)
		ftrace_plan_drop(plan);
	else
		make_room_for_patches(plan);
	return err;
}

/**
 * ftrace_plan_drop() - forget a plan
 * @plan: plan
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_plan_drop(struct ftrace_plan *plan)
{
	kvfree(plan->patches);
	kvfree(plan->steps);
	*plan = (struct ftrace_plan){};
	ftrace_combo_sweep();	/* those that were made for it */
}

/* The combo without any of them; the mixed one, which needs no memory, at worst. */
static u16 without(u16 from, struct ftrace_hook **hooks, unsigned int nr)
{
	struct ftrace_combo *combo = ftrace_combo(from);
	unsigned int i;

	if (from == FTRACE_COMBO_MIXED)
		return from;	/* it does not call who is not in the list */
	for (i = 0; i < nr; i++)
		combo = ftrace_combo_minus(combo, hooks[i]);
	if (combo->id != from && ftrace_combo_ready(combo))
		return FTRACE_COMBO_MIXED;
	return combo->id;
}

/**
 * ftrace_plan_evict() - take hooks off every site, whatever happens
 * @hooks: hooks; their filters are NULL or about to be
 * @nr: how many
 *
 * Context: Process context. May sleep. ftrace_lock held. Needs no memory.
 */
void ftrace_plan_evict(struct ftrace_hook **hooks, unsigned int nr)
{
	static struct ftrace_step steps[64];	/* [L] */
	struct ftrace_plan plan = { .steps = steps, .room = ARRAY_SIZE(steps) };
	struct ftrace_site_block *b;
	u16 from = FTRACE_COMBO_NOP, to = FTRACE_COMBO_NOP;
	u32 i;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (i = 0; i < b->nr; i++) {
			u32 state = b->sites[i].state;

			if (state & FTRACE_SITE_UNUSABLE)
				continue;
			if ((state & FTRACE_SITE_COMBO) != from) {
				from = state & FTRACE_SITE_COMBO;
				to = without(from, hooks, nr);
			}
			if (from == to)
				continue;

			plan.steps[plan.nr++] = (struct ftrace_step){
				.nr = ftrace_site_nr(b, i), .from = from, .to = to,
			};
			if (plan.nr == plan.room) {
				ftrace_plan_write(&plan);
				plan.nr = 0;
				from = FTRACE_COMBO_NOP;
				to = FTRACE_COMBO_NOP;
			}
		}
	}
	if (plan.nr)
		ftrace_plan_write(&plan);
	ftrace_combo_sweep();
}
