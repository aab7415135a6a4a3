/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world for tests of combos, plans and their commit: the same code with fakes
 * in place of text, trampolines and sites. A model has the hooks that each site
 * should call; after every change, the fake text is compared with the model.
 */
#ifndef _FTRACE_CHANGE_WORLD_H
#define _FTRACE_CHANGE_WORLD_H

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/list.h>
#include <linux/slab.h>

/* Rename all that would clash with the kernel's own tracer. */
#define ftrace_enabled		fake_enabled
#define ftrace_hooks		fake_hooks
#define ftrace_site_blocks	fake_site_blocks
#define ftrace_site_by_nr	fake_site_by_nr
#define ftrace_site_end		fake_site_end
#define ftrace_fault_site	fake_fault_site
#define ftrace_hold_site	fake_hold_site
#define ftrace_release_site	fake_release_site
#define ftrace_held_sites	fake_held_sites
#define ftrace_tramp_make	fake_tramp_make
#define ftrace_tramp_free	fake_tramp_free
#define ftrace_retire		fake_retire
#define arch_ftrace_patch	fake_patch
#define arch_ftrace_mixed	fake_mixed
#define arch_ftrace_site_check	fake_site_check
#define arch_ftrace_site_retarget fake_site_retarget
#define arch_ftrace_site_bytes	fake_site_bytes
#define ftrace_exclusive_check	fake_exclusive_check
#define ftrace_combo		fake_combo
#define ftrace_combo_cap	fake_combo_cap
#define ftrace_combo_count	fake_combo_count
#define ftrace_combo_has	fake_combo_has
#define ftrace_combo_init	fake_combo_init
#define ftrace_combo_minus	fake_combo_minus
#define ftrace_combo_mixed_sites fake_combo_mixed_sites
#define ftrace_combo_nr		fake_combo_nr
#define ftrace_combo_of		fake_combo_of
#define ftrace_combo_plus	fake_combo_plus
#define ftrace_combo_ready	fake_combo_ready
#define ftrace_combo_sweep	fake_combo_sweep
#define ftrace_plan_commit	fake_plan_commit
#define ftrace_plan_drop	fake_plan_drop
#define ftrace_plan_evict	fake_plan_evict
#define ftrace_plan_make	fake_plan_make
#define ftrace_plan_rebuild	fake_plan_rebuild
#define ftrace_plan_revert	fake_plan_revert
#define ftrace_plan_write	fake_plan_write

size_t fake_patch(struct ftrace_patch *patches, size_t nr);
int fake_site_check(unsigned long ip, unsigned long target, u8 *found);
int fake_site_retarget(unsigned long ip, unsigned long from, unsigned long to);
void fake_site_bytes(unsigned long ip, unsigned long target, u8 *bytes);
unsigned long fake_mixed(void);

/* The kernel's own combo.c has this parameter. */
#undef early_param
#define early_param(name, fn)	static int (*const fn##_of_fake)(char *) __maybe_unused = fn
#include "../hooks/combo.c"
#include "../hooks/exclusive.c"
#include "../hooks/plan.c"
#include "../hooks/commit.c"
#include "model.h"

#define BLOCKS	3
#define SITES	50			/* in a block */
#define GAP	30			/* unused numbers after each block */
#define ALL	(BLOCKS * SITES)
#define HOOKS	8
#define MIXED	0xf000UL

int fake_enabled = 1;
LIST_HEAD(fake_hooks);
LIST_HEAD(fake_site_blocks);

struct world {
	struct kunit		*test;
	u64			dice;
	struct ftrace_site_block *blocks[BLOCKS];
	unsigned long		text[ALL];	/* what each site calls */
	bool			foreign[ALL];	/* the site has other bytes */
	bool			held[ALL];	/* a breakpoint is on the site */
	u32			leaves;		/* site + 1: its breakpoint, on retarget */
	bool			want[HOOKS][ALL];
	struct ftrace_hook	*hooks[HOOKS];
	struct ftrace_ops	ops[HOOKS];
	u64			order;
	unsigned int		patched;	/* number of sites, in all */
	unsigned int		faults;
	bool			mixed_is_fine;
	void			(*between)(void);	/* called between a plan and its commit */
	int			fail_tramps;	/* percent */
	struct list_head	tramps, limbo;
	unsigned long		next_ip;
};

static struct world *world;

/* ---- sites ---- */

static u32 nr_of(u32 site)
{
	return site / SITES * (SITES + GAP) + site % SITES;
}

static struct ftrace_site *site_of(u32 site)
{
	return &world->blocks[site / SITES]->sites[site % SITES];
}

struct ftrace_site_block *fake_site_by_nr(u32 nr, u32 *i)
{
	const u32 block = nr / (SITES + GAP);

	*i = nr % (SITES + GAP);
	return block < BLOCKS && *i < SITES ? world->blocks[block] : NULL;
}

u32 fake_site_end(void)
{
	return BLOCKS * (SITES + GAP);
}

void fake_fault_site(struct ftrace_site_block *b, u32 i, int err, const u8 *expected,
		     const u8 *found)
{
	b->sites[i].state |= FTRACE_SITE_FAULT;
	world->faults++;
}

u32 fake_held_sites;

void fake_hold_site(struct ftrace_site_block *b, u32 i)
{
	if (!(b->sites[i].state & FTRACE_SITE_HELD))
		fake_held_sites++;
	b->sites[i].state |= FTRACE_SITE_HELD;
}

void fake_release_site(struct ftrace_site_block *b, u32 i)
{
	KUNIT_EXPECT_TRUE(world->test, b->sites[i].state & FTRACE_SITE_HELD);
	b->sites[i].state &= ~FTRACE_SITE_HELD;
	fake_held_sites--;
}

/* ---- text ---- */

/* The kind of nop of a site: some are entry sites. */
static unsigned long nop_of(u32 site)
{
	return site_of(site)->state & FTRACE_SITE_ENTRY ? FTRACE_NOP_ENTRY : FTRACE_NOP;
}

static u32 site_at(unsigned long ip)
{
	return (ip - 0x1000) / 16;
}

int fake_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	const u32 site = site_at(ip);

	if (world->foreign[site])
		return -EINVAL;
	KUNIT_EXPECT_EQ(world->test, world->text[site], target);
	return world->held[site] ? -EBUSY : 0;
}

int fake_site_retarget(unsigned long ip, unsigned long from, unsigned long to)
{
	const u32 site = site_at(ip);
	int err;

	KUNIT_EXPECT_GT(world->test, from, FTRACE_NOP_ENTRY);
	KUNIT_EXPECT_GT(world->test, to, FTRACE_NOP_ENTRY);
	if (world->leaves == site + 1) {
		world->held[site] = false;
		world->leaves = 0;
	}
	err = fake_site_check(ip, from, NULL);
	if (!err)
		return -EAGAIN;
	if (err != -EBUSY)
		return err;
	world->text[site] = to;
	return 0;
}

void fake_site_bytes(unsigned long ip, unsigned long target, u8 *bytes)
{
}

size_t fake_patch(struct ftrace_patch *patches, size_t nr)
{
	unsigned long last = 0;
	size_t left_out = 0;

	for (size_t i = 0; i < nr; i++) {
		struct ftrace_patch *p = &patches[i];
		const u32 site = site_at(p->ip);

		KUNIT_EXPECT_GT(world->test, p->ip, last);
		last = p->ip;
		p->err = fake_site_check(p->ip, p->from, p->found);
		if (p->err) {
			left_out++;
			continue;
		}
		KUNIT_EXPECT_EQ(world->test, world->text[site], p->from);
		KUNIT_EXPECT_NE(world->test, p->from, p->to);
		world->text[site] = p->to;
		world->patched++;
	}
	return left_out;
}

unsigned long fake_mixed(void)
{
	return MIXED;
}

/* ---- trampolines ---- */

struct fake_tramp {
	struct ftrace_tramp		tramp;
	struct list_head		link;
	unsigned int			nr;
	bool				regs;
	unsigned long			direct;
	struct ftrace_tramp_call	calls[HOOKS];
};

struct ftrace_tramp *fake_tramp_make(const struct ftrace_tramp_spec *spec)
{
	struct fake_tramp *t;

	if (dice(&world->dice, 100) < world->fail_tramps)
		return NULL;
	t = kzalloc_obj(*t);
	if (!t)
		return NULL;
	KUNIT_EXPECT_GT(world->test, spec->nr, 0);
	KUNIT_EXPECT_LE(world->test, spec->nr, HOOKS);
	t->tramp.ip = world->next_ip += 16;
	t->nr = spec->nr;
	t->regs = spec->regs;
	t->direct = spec->direct;
	memcpy(t->calls, spec->calls, spec->nr * sizeof(*spec->calls));
	list_add_tail(&t->link, &world->tramps);
	return &t->tramp;
}

static void nobody_calls(unsigned long target)
{
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_NE(world->test, world->text[site], target);
}

void fake_retire(struct ftrace_retired *r, void (*done)(struct ftrace_retired *r))
{
	if (done == combo_free)
		nobody_calls(container_of(r, struct ftrace_combo, retired)->target);
	r->free = done;
	list_add_tail(&r->list, &world->limbo);
}

void fake_tramp_free(struct ftrace_tramp *tramp)
{
	struct fake_tramp *t = container_of(tramp, struct fake_tramp, tramp);

	nobody_calls(tramp->ip);
	list_del(&t->link);
	kfree(t);
}

/* A grace period is over. */
static void grace(void)
{
	struct ftrace_retired *r, *next;

	list_for_each_entry_safe(r, next, &world->limbo, list) {
		list_del(&r->list);
		r->free(r);
	}
}

static struct fake_tramp *tramp_at(unsigned long ip)
{
	struct fake_tramp *t;

	list_for_each_entry(t, &world->tramps, link)
		if (t->tramp.ip == ip)
			return t;
	return NULL;
}

/* ---- hooks ---- */

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
	hook->ops = &world->ops[h];
	hook->need = need;
	hook->order = order;
	hook->direct = need & FTRACE_NEED_DIRECT ? 0x2000UL + 16 * h : 0;
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
};

static struct edit edit;

static void start(void)
{
	edit.nr = 0;
	memcpy(edit.want, world->want, sizeof(edit.want));
}

/* Every @sparse-th site for hook @h; 0: none. */
static void add_change(unsigned int h, u32 sparse)
{
	for (u32 site = 0; site < ALL; site++)
		edit.want[h][site] = sparse && !dice(&world->dice, sparse);
	edit.changes[edit.nr++] = (struct ftrace_change){
		.hook = world->hooks[h],
		.from = filter_of(world->hooks[h]),
		.to = sparse ? filter_for(edit.want[h], is_exclusive(h)) : NULL,
	};
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

	if (world->between)
		world->between();
	err = ftrace_plan_write(&plan);
	for (unsigned int i = 0; i < edit.nr; i++) {
		struct ftrace_change *c = &edit.changes[i];

		if (err)
			rcu_assign_pointer(c->hook->filter, c->from);
		ftrace_filter_put(err ? c->to : c->from);
	}
	if (err)
		ftrace_plan_revert(&plan);
	else
		memcpy(world->want, edit.want, sizeof(edit.want));
	ftrace_plan_drop(&plan);
	KUNIT_EXPECT_NULL(world->test, plan.steps);
	return err;
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
	unsigned long direct = 0, slots = 0;
	unsigned int k = 0;
	bool regs = false;

	if (!combo->tramp) {
		KUNIT_EXPECT_EQ(world->test, nr, 1);
		KUNIT_EXPECT_EQ(world->test, combo->target, hooks[0]->direct);
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
			direct = hooks[i]->direct;
		} else if (!(hooks[i]->need & FTRACE_NEED_GRAPH)) {
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k].func, hooks[i]->call);
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k++].arg, hooks[i]->ops);
		} else if (slots) {
			KUNIT_EXPECT_PTR_EQ(world->test, t->calls[k++].arg, (void *)slots);
			slots = 0;
		}
	}
	KUNIT_EXPECT_EQ(world->test, t->nr, k);
	KUNIT_EXPECT_EQ(world->test, t->direct, direct);
	KUNIT_EXPECT_EQ(world->test, t->regs, regs);
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
		KUNIT_EXPECT_EQ(world->test, world->text[site], combo->target ?: nop_of(site));
		if (!sites[id]++ && id > FTRACE_COMBO_MIXED)
			combos++;
		if (id == FTRACE_COMBO_MIXED) {
			KUNIT_EXPECT_TRUE(world->test, world->mixed_is_fine ||
					  (state & FTRACE_SITE_HELD));
			continue;
		}
		/* A site that is off cannot be switched on under a breakpoint. */
		if ((state & FTRACE_SITE_HELD) && world->held[site] && id == FTRACE_COMBO_NOP)
			continue;
		KUNIT_EXPECT_FALSE(world->test, state & FTRACE_SITE_HELD);
		if (!fake_enabled && id == FTRACE_COMBO_NOP)
			continue;
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
		for (u32 k = 0; k < SITES; k++) {
			b->sites[k].offset = 16 * k;
			b->sites[k].state = k % 3 ? 0 : FTRACE_SITE_ENTRY;
		}
		world->blocks[i] = b;
		list_add_tail(&b->list, &fake_site_blocks);
	}
	for (u32 site = 0; site < ALL; site++)
		world->text[site] = nop_of(site);
	fake_enabled = 1;
	ftrace_combo_cap = 1000;
	ftrace_combo_init();
	fake_held_sites = 0;
	return true;
}

/* Remove all hooks; nothing may be left. */
static void end(void)
{
	fake_enabled = 1;
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
	grace();
	KUNIT_EXPECT_TRUE(world->test, world->tramps.next == &world->tramps);
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

#endif /* _FTRACE_CHANGE_WORLD_H */
