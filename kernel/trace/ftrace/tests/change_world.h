/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world for tests of combos, plans and their commit: the same code with fakes
 * in place of text, trampolines and sites. A model has the hooks that each site
 * should call; after every change, the fake text is compared with the model.
 */
#ifndef _FTRACE_CHANGE_WORLD_H
#define _FTRACE_CHANGE_WORLD_H

#include "change_fakes.h"

#ifndef MCOUNT_ADDR	/* compilers emit no call */
#define MCOUNT_ADDR	0x80UL
#endif

/* ---- hooks ---- */

/* The target of all direct calls of a hook, unless a change has another. */
static unsigned long direct_of(unsigned int h)
{
	return 0x2000UL + 16 * h;
}

/* A callback address, different for each hook; never called. */
static void *call_of(unsigned int h)
{
	return (void *)(0x100UL + h);
}

static struct ftrace_hook *new_hook(unsigned int h, u16 need, u64 order)
{
	struct ftrace_hook *hook = kzalloc_obj(*hook, GFP_KERNEL | __GFP_NOFAIL);

	world->ops[h].flags = (need & FTRACE_NEED_DIRECT ? FTRACE_OPS_FL_DIRECT : 0) |
			      (need & FTRACE_NEED_IPMODIFY ? FTRACE_OPS_FL_IPMODIFY : 0);
	/* All hooks of the graph tracer have one function. */
	world->ops[h].func = call_of(need & FTRACE_NEED_GRAPH ? HOOKS : h);
	hook->ops = &world->ops[h];
	hook->need = need;
	hook->order = order;
	world->ops[h].direct_call = need & FTRACE_NEED_DIRECT ? direct_of(h) : 0;
	hook->call = need & FTRACE_NEED_DIRECT ? NULL : call_of(h);
	hook->graph_slot = h;
	return hook;
}

static struct ftrace_hook *make_hook(unsigned int h, u16 need)
{
	struct ftrace_hook *hook = new_hook(h, need, ++world->order);

	list_add_rcu(&hook->list, &fake_hooks);
	world->hooks[h] = hook;
	return hook;
}

static struct ftrace_filter *filter_of(const struct ftrace_hook *hook)
{
	return rcu_dereference_protected(hook->filter, true);
}

static void free_hook(struct ftrace_retired *r)
{
	kfree(container_of(r, struct ftrace_hook, retired));
}

static void drop_hook(unsigned int h)
{
	struct ftrace_hook *hook = world->hooks[h];

	KUNIT_EXPECT_NULL(world->test, filter_of(hook));
	KUNIT_EXPECT_EQ(world->test, hook->nr_combos, 0);
	list_del(&hook->list);
	world->hooks[h] = NULL;
	fake_retire(&hook->retired, free_hook);
}

/* A filter of the sites in @want; unless @exclusive, sometimes as "all but" the others. */
static struct ftrace_filter *filter_for(const bool *want, bool exclusive)
{
	struct ftrace_siteset_builder in = {}, out = {};
	struct ftrace_filter *f;
	bool all = !dice(&world->dice, 3) && !exclusive;

	for (u32 site = 0; site < ALL; site++) {
		if (want[site] && !all)
			ftrace_siteset_add(&in, nr_of(site));
		if (!want[site] && all)
			ftrace_siteset_add(&out, nr_of(site));
	}
	f = ftrace_filter_make(all, ftrace_siteset_build(&in), ftrace_siteset_build(&out));
	KUNIT_ASSERT_FALSE(world->test, IS_ERR(f));
	return f;
}

static bool is_exclusive(unsigned int h)
{
	return world->hooks[h]->need & FTRACE_NEED_EXCLUSIVE;
}

/* A change of some hooks, and the model after it. */
struct edit {
	struct ftrace_change	changes[2 * HOOKS];
	unsigned int		nr;
	bool			want[HOOKS][ALL];
	unsigned long		target[ALL];
	struct ftrace_targets	targets;	/* of one of the changes, or empty */
	unsigned long		addr[ALL];
};

static struct edit edit;

static void start(void)
{
	ftrace_siteset_put(edit.targets.sites);
	edit.targets.sites = NULL;
	edit.nr = 0;
	memcpy(edit.want, world->want, sizeof(edit.want));
	memcpy(edit.target, world->target, sizeof(edit.target));
}

/* Every @sparse-th site for hook @h; 0: none. */
static void add_change(unsigned int h, u32 sparse)
{
	for (u32 site = 0; site < ALL; site++) {
		edit.want[h][site] = sparse && !dice(&world->dice, sparse);
		if (edit.want[h][site] && (world->hooks[h]->need & FTRACE_NEED_DIRECT))
			edit.target[site] = world->ops[h].direct_call;
	}
	edit.changes[edit.nr++] = (struct ftrace_change){
		.hook = world->hooks[h],
		.from = filter_of(world->hooks[h]),
		.to = sparse ? filter_for(edit.want[h], is_exclusive(h)) : NULL,
	};
}

/* The latest change gives every @sparse-th site of hook @h a target of its own. */
static void own_targets(unsigned int h, u32 sparse)
{
	struct ftrace_siteset_builder sites = {};
	u32 n = 0;

	for (u32 site = 0; site < ALL; site++) {
		if (!edit.want[h][site] || dice(&world->dice, sparse))
			continue;
		ftrace_siteset_add(&sites, nr_of(site));
		edit.target[site] = 0x4000UL + 16 * dice(&world->dice, 1000);
		if (!dice(&world->dice, 3))
			edit.target[site] = ftrace_jmp_set(edit.target[site]);
		edit.addr[n++] = edit.target[site];
	}
	edit.targets.addr = edit.addr;
	edit.targets.sites = ftrace_siteset_build(&sites);
	edit.changes[edit.nr - 1].targets = &edit.targets;
}

/* Other targets for every @sparse-th site of hook @h, which stays on its sites. */
static void add_retarget(unsigned int h, u32 sparse)
{
	struct ftrace_filter *filter = filter_of(world->hooks[h]);

	edit.changes[edit.nr++] = (struct ftrace_change){
		.hook = world->hooks[h],
		.from = filter,
		.to = ftrace_filter_get(filter),
	};
	own_targets(h, sparse);
}

static int apply(void)
{
	struct ftrace_plan plan = {};
	int err = 0;

	/* Check first, as ops.c and slot.c do. */
	for (unsigned int i = 0; i < edit.nr && !err; i++) {
		struct ftrace_change *c = &edit.changes[i];

		if (c->to)
			err = ftrace_exclusive_check(c->hook->ops, ftrace_ops_slot(c->hook->ops),
						     c->to);
	}
	if (!err)
		err = ftrace_plan_make(&plan, edit.changes, edit.nr);

	for (unsigned int i = 0; i < edit.nr; i++) {
		struct ftrace_change *c = &edit.changes[i];

		KUNIT_EXPECT_NULL(world->test, c->hook->change);
		if (err)
			ftrace_filter_put(c->to);
		else
			rcu_assign_pointer(c->hook->filter, c->to);
	}
	if (err) {
		KUNIT_EXPECT_NULL(world->test, plan.steps);
		KUNIT_EXPECT_EQ(world->test, plan.nr, 0);
		return err;
	}

	if (world->in_pieces) {
		kvfree(plan.patches);
		plan.patches = NULL;
	}
	if (world->between)
		world->between();
	ftrace_targets_swap(plan.staged);
	err = ftrace_plan_write(&plan);
	for (unsigned int i = 0; i < edit.nr; i++) {
		struct ftrace_change *c = &edit.changes[i];

		if (err)
			rcu_assign_pointer(c->hook->filter, c->from);
		ftrace_filter_put(err ? c->to : c->from);
	}
	if (err) {
		if (world->before_revert)
			world->before_revert();
		ftrace_targets_revert(plan.staged, plan.had);
		ftrace_plan_revert(&plan);
	} else {
		memcpy(world->want, edit.want, sizeof(edit.want));
		memcpy(world->target, edit.target, sizeof(edit.target));
	}
	ftrace_plan_drop(&plan);
	KUNIT_EXPECT_NULL(world->test, plan.steps);
	return err;
}

/* A new hook @h, on all sites. */
static void hook_all(unsigned int h, u16 need)
{
	make_hook(h, need);
	start();
	add_change(h, 1);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
}

/* Hook @h leaves all its sites, and is freed after a grace period. */
static void unhook(unsigned int h)
{
	start();
	add_change(h, 0);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	drop_hook(h);
	grace();
}

/* ---- the judge ---- */

static unsigned int wanted(u32 site, struct ftrace_hook **hooks)
{
	struct ftrace_hook *hook;
	unsigned int nr = 0;

	/* The list is in order: make_hook() adds at its head. */
	list_for_each_entry(hook, &fake_hooks, list) {
		for (unsigned int h = 0; h < HOOKS; h++)
			if (world->hooks[h] == hook && world->want[h][site])
				hooks[nr++] = hook;
	}
	return nr;
}

static void judge_tramp(const struct ftrace_combo *combo, struct ftrace_hook **hooks,
			unsigned int nr)
{
	const struct fake_tramp *t = tramp_at(combo->target);
	bool regs = false, direct = false;
	unsigned long slots = 0;
	unsigned int k = 0;

	if (!combo->tramp) {
		KUNIT_EXPECT_EQ(world->test, nr, 1);
		KUNIT_EXPECT_TRUE(world->test, hooks[0]->need & FTRACE_NEED_DIRECT);
		KUNIT_EXPECT_EQ(world->test, combo->target, FTRACE_DIRECT_ALONE);
		return;
	}
	KUNIT_EXPECT_TRUE(world->test, t);
	if (!t)
		return;

	for (unsigned int i = 0; i < nr; i++)
		if (hooks[i]->need & FTRACE_NEED_GRAPH)
			slots |= BIT(hooks[i]->graph_slot);
	for (unsigned int i = 0; i < nr; i++) {
		regs |= hooks[i]->need & FTRACE_NEED_REGS;
		if (hooks[i]->need & FTRACE_NEED_DIRECT) {
			direct = true;
		} else if (!(hooks[i]->need & FTRACE_NEED_GRAPH)) {
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k].func, hooks[i]->call);
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k++].arg, hooks[i]->ops);
		} else if (slots) {
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k].func, call_of(HOOKS));
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k++].arg, (void *)slots);
			slots = 0;
		}
	}
	if (direct)
		KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k++].func, (void *)ftrace_direct_hook);
	KUNIT_EXPECT_EQ(world->test, t->nr, k);
	KUNIT_EXPECT_EQ(world->test, t->direct, direct);
	KUNIT_EXPECT_EQ(world->test, t->regs, regs);
	KUNIT_EXPECT_FALSE(world->test, t->forwards);
}

static bool has_direct(struct ftrace_hook **hooks, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (hooks[i]->need & FTRACE_NEED_DIRECT)
			return true;
	return false;
}

/* Check the target that trampolines find for the direct call of @site. */
static void judge_target(u32 site, struct ftrace_hook **hooks, unsigned int nr)
{
	const struct ftrace_site_block *b = world->blocks[site / SITES];

	KUNIT_EXPECT_EQ(world->test, ftrace_target_other(b, site % SITES),
			ftrace_target(b, site % SITES));
	if (has_direct(hooks, nr))
		KUNIT_EXPECT_EQ(world->test, ftrace_target(b, site % SITES),
				world->target[site]);
}

/* What the text of @site should call if it is on @combo. */
static unsigned long text_on(u32 site, const struct ftrace_combo *combo)
{
	if (combo->target == FTRACE_DIRECT_ALONE)
		return world->target[site] ?: nop_of(site);
	if (!combo->target && site_of(site)->state & FTRACE_SITE_ARMED)
		return MCOUNT_ADDR;
	if (!combo->target && site_of(site)->state & FTRACE_SITE_JUMPS)
		return FTRACE_NOP_JUMP;
	return combo->target ?: nop_of(site);
}

/* Check that each site calls the hooks it should, in order, and all counts. */
static void judge(void)
{
	static u32 sites[FTRACE_COMBO_MAX + 1];
	struct ftrace_hook *hooks[HOOKS];
	unsigned int combos = 0;

	memset(sites, 0, sizeof(sites));
	for (u32 site = 0; site < ALL; site++) {
		const u32 state = site_of(site)->state;
		const u16 id = state & FTRACE_SITE_COMBO;
		const struct ftrace_combo *combo = ftrace_combo(id);
		unsigned int nr = wanted(site, hooks);

		if (state & FTRACE_SITE_UNUSABLE) {
			KUNIT_EXPECT_EQ(world->test, id, FTRACE_COMBO_NOP);
			continue;
		}
		KUNIT_EXPECT_TRUE(world->test, combo);
		if (!combo)
			continue;
		KUNIT_EXPECT_EQ(world->test, world->text[site], text_on(site, combo));
		judge_target(site, hooks, nr);
		if (!sites[id]++ && id > FTRACE_COMBO_MIXED)
			combos++;
		if (combo->mixed) {
			KUNIT_EXPECT_TRUE(world->test, world->mixed_is_fine ||
					  (state & FTRACE_SITE_HELD));
			if (id != FTRACE_COMBO_MIXED)
				KUNIT_EXPECT_TRUE(world->test, tramp_at(combo->target)->forwards);
			continue;
		}
		/*
		 * Under a breakpoint, a site that is off cannot be switched on, and one
		 * that jumps to its direct call cannot be made to call anything else.
		 */
		if ((state & FTRACE_SITE_HELD) && world->held[site] &&
		    (id == FTRACE_COMBO_NOP ||
		     (combo->target == FTRACE_DIRECT_ALONE && has_direct(hooks, nr))))
			continue;
		KUNIT_EXPECT_FALSE(world->test, state & FTRACE_SITE_HELD);
		KUNIT_EXPECT_EQ(world->test, combo->nr, nr);
		if (combo->nr != nr)
			continue;
		KUNIT_EXPECT_TRUE(world->test, !memcmp(combo->hooks, hooks, nr * sizeof(*hooks)));
		if (nr)
			judge_tramp(combo, hooks, nr);
	}
	for (u32 id = FTRACE_COMBO_MIXED; id <= FTRACE_COMBO_MAX; id++)
		if (sites[id])
			KUNIT_EXPECT_EQ(world->test, ftrace_combo(id)->sites, sites[id]);
	KUNIT_EXPECT_EQ(world->test, ftrace_combo_nr(), combos);
	KUNIT_EXPECT_EQ(world->test, ftrace_combo_mixed_sites(), sites[FTRACE_COMBO_MIXED]);
}

/* ---- a case ---- */

static bool begin(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	if (!world)
		return false;
	world->test = test;
	world->dice = 1;
	world->next_ip = 0x10000;
	INIT_LIST_HEAD(&world->tramps);
	INIT_LIST_HEAD(&world->limbo);
	INIT_LIST_HEAD(&fake_hooks);
	INIT_LIST_HEAD(&fake_site_blocks);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		struct ftrace_site_block *b;

		b = kunit_kzalloc(test, struct_size(b, sites, SITES), GFP_KERNEL);
		if (!b)
			return false;
		b->base = 0x1000 + 16 * SITES * i;
		b->first = nr_of(SITES * i);
		b->nr = SITES;
		b->room = SITES;
		for (u32 k = 0; k < SITES; k++) {
			b->sites[k].offset = 16 * k;
			b->sites[k].state = k % 3 ? 0 : FTRACE_SITE_ENTRY;
		}
		world->blocks[i] = b;
		list_add_tail(&b->list, &fake_site_blocks);
	}
	for (u32 site = 0; site < ALL; site++)
		world->text[site] = nop_of(site);
	ftrace_combo_cap = 1000;
	ftrace_combo_refused = false;
	ftrace_combo_init();
	fake_held_sites = 0;
	return true;
}

/* Remove all hooks; nothing may be left. */
static void end(void)
{
	/* Remove all breakpoints, then make one plan. */
	memset(world->held, 0, sizeof(world->held));
	start();
	for (unsigned int h = 0; h < HOOKS; h++)
		if (world->hooks[h])
			add_change(h, 0);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
	for (u32 site = 0; site < ALL; site++)
		if (!world->foreign[site])
			KUNIT_EXPECT_EQ(world->test, world->text[site], nop_of(site));
	for (unsigned int h = 0; h < HOOKS; h++)
		if (world->hooks[h])
			drop_hook(h);
	KUNIT_EXPECT_EQ(world->test, ftrace_combo_nr(), 0);
	KUNIT_EXPECT_EQ(world->test, fake_held_sites, 0);
	KUNIT_EXPECT_EQ(world->test, ftrace_combo_forwards, 0);
	grace();
	KUNIT_EXPECT_TRUE(world->test, world->tramps.next == &world->tramps);
	for (unsigned int i = 0; i < BLOCKS; i++)
		ftrace_targets_free(world->blocks[i]);
}

#define WORLD_CASE(name)						\
static void name##_in_world(struct kunit *test);			\
static void name(struct kunit *test)					\
{									\
	mutex_lock(&ftrace_lock);					\
	if (begin(test)) {						\
		name##_in_world(test);					\
		end();							\
	} else {							\
		KUNIT_FAIL(test, "no memory");				\
	}								\
	mutex_unlock(&ftrace_lock);					\
}									\
static void name##_in_world(struct kunit *test)

static u16 need_of(unsigned int h)
{
	static const u16 needs[HOOKS] = {
		[1] = FTRACE_NEED_REGS,
		[3] = FTRACE_NEED_GRAPH,
		[4] = FTRACE_NEED_GRAPH,
		[6] = FTRACE_NEED_IPMODIFY,
		[7] = FTRACE_NEED_DIRECT | FTRACE_NEED_REGS,
	};

	return needs[h];
}

/* Add, remove or refilter up to three hooks in one plan. */
static void random_change(void)
{
	unsigned int nr = 1 + dice(&world->dice, 3), first = dice(&world->dice, HOOKS);
	bool goes[HOOKS] = {};

	start();
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int h = (first + i) % HOOKS;

		goes[h] = world->hooks[h] && !dice(&world->dice, 3);
		if (!world->hooks[h])
			make_hook(h, need_of(h));
		add_change(h, goes[h] ? 0 : 1 + dice(&world->dice, 40));
	}
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
	for (unsigned int h = 0; h < HOOKS; h++)
		if (goes[h])
			drop_hook(h);
	if (!dice(&world->dice, 4))
		grace();
}

/* Rebuild all sites from the filters, as after a plan for which there was no memory. */
static void rebuild_all(void)
{
	for (unsigned int i = 0; i < BLOCKS; i++)
		ftrace_commit_block(world->blocks[i], true);
}

#endif /* _FTRACE_CHANGE_WORLD_H */
