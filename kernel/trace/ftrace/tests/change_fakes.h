/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Combos, plans and their commit with fakes in place of text, trampolines and
 * sites, for the world that tests them.
 */
#ifndef _FTRACE_CHANGE_FAKES_H
#define _FTRACE_CHANGE_FAKES_H

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/list.h>
#include <linux/slab.h>

/* Rename all that would clash with the kernel's own tracer. */
#define ftrace_hooks		fake_hooks
#define ftrace_site_blocks	fake_site_blocks
#define ftrace_site_by_nr	fake_site_by_nr
#define ftrace_site_end		fake_site_end
#define ftrace_fault_site	fake_fault_site
#define ftrace_hold_site	fake_hold_site
#define ftrace_release_site	fake_release_site
#define ftrace_held_sites	fake_held_sites
#define ftrace_covered_sites	fake_covered_sites
#define ftrace_cover_due	fake_cover_due
#define ftrace_uncover_sites	fake_uncover_sites
#define ftrace_tramp_make	fake_tramp_make
#define ftrace_tramp_unlist	fake_tramp_unlist
#define ftrace_tramp_free	fake_tramp_free
#define ftrace_retire		fake_retire
#define arch_ftrace_patch	fake_patch
#define arch_ftrace_mixed	fake_mixed
#define arch_ftrace_site_check	fake_site_check
#define arch_ftrace_site_retarget fake_site_retarget
#define arch_ftrace_site_bytes	fake_site_bytes
#define ftrace_exclusive_check	fake_exclusive_check
#define ftrace_combo		fake_combo
#define ftrace_commit_block	fake_commit_block
#define ftrace_commit_mixed	fake_commit_mixed
#define ftrace_combo_cap	fake_combo_cap
#define ftrace_combo_count	fake_combo_count
#define ftrace_combo_forward	fake_combo_forward
#define ftrace_combo_forwards	fake_combo_forwards
#define ftrace_combo_has	fake_combo_has
#define ftrace_combo_init	fake_combo_init
#define ftrace_combo_minus	fake_combo_minus
#define ftrace_combo_mixed_sites fake_combo_mixed_sites
#define ftrace_combo_nr		fake_combo_nr
#define ftrace_combo_of		fake_combo_of
#define ftrace_combo_plus	fake_combo_plus
#define ftrace_combo_limit	fake_combo_limit
#define ftrace_combo_ready	fake_combo_ready
#define ftrace_combo_refused	fake_combo_refused
#define ftrace_combo_sweep	fake_combo_sweep
#define ftrace_site_find_exact	fake_site_find_exact
#define ftrace_site_get		fake_site_get
#define ftrace_targets_drop	fake_targets_drop
#define ftrace_targets_keep	fake_targets_keep
#define ftrace_targets_make	fake_targets_make
#define ftrace_targets_revert	fake_targets_revert
#define ftrace_targets_settle	fake_targets_settle
#define ftrace_targets_stage	fake_targets_stage
#define ftrace_targets_swap	fake_targets_swap
#define ftrace_plan_block	fake_plan_block
#define ftrace_plan_commit	fake_plan_commit
#define ftrace_plan_disarm	fake_plan_disarm
#define ftrace_plan_drop	fake_plan_drop
#define ftrace_plan_make	fake_plan_make
#define ftrace_plan_patches	fake_plan_patches
#define ftrace_plan_revert	fake_plan_revert
#define ftrace_plan_write	fake_plan_write

size_t fake_patch(struct ftrace_patch *patches, size_t nr);
int fake_site_check(unsigned long ip, unsigned long target, u8 *found);
int fake_site_retarget(unsigned long ip, unsigned long from, unsigned long to);
void fake_site_bytes(unsigned long ip, unsigned long target, u8 *bytes);
unsigned long fake_mixed(void);

/* The kernel's own combo.c has this parameter. */
#undef early_param
#define early_param(name, fn)	static int (*const fn##_of_fake)(char *) __maybe_unused = \
					(name)[0] ? fn : NULL
#include "../hooks/combo.c"
#include "../hooks/exclusive.c"
#include "../hooks/target_sets.c"
#include "../hooks/plan.c"
#include "../hooks/commit.c"
#include "model.h"

#define BLOCKS	3
#define SITES	50			/* in a block */
#define GAP	30			/* unused numbers after each block */
#define ALL	(BLOCKS * SITES)
#define HOOKS	8
#define MIXED	0xf000UL

LIST_HEAD(fake_hooks);
LIST_HEAD(fake_site_blocks);

struct world {
	struct kunit		*test;
	u64			dice;
	struct ftrace_site_block *blocks[BLOCKS];
	unsigned long		text[ALL];	/* what each site calls */
	bool			foreign[ALL];	/* the site has other bytes */
	bool			held[ALL];	/* a breakpoint is on the site */
	bool			whole;		/* and replaces all of the call */
	u32			leaves;		/* site + 1: its breakpoint, on retarget */
	u32			returns;	/* site + 1: its breakpoint, on the next write */
	u32			spoilt;		/* site + 1: gets other bytes, on the next write */
	bool			want[HOOKS][ALL];
	unsigned long		target[ALL];	/* of the direct call, if a hook has one */
	struct ftrace_hook	*hooks[HOOKS];
	struct ftrace_ops	ops[HOOKS];
	u64			order;
	unsigned int		patched;	/* number of sites, in all */
	unsigned int		faults;
	bool			mixed_is_fine;
	bool			in_pieces;	/* no memory for a plan's patches */
	void			(*between)(void);	/* called between a plan and its commit */
	void			(*before_revert)(void);
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

#ifdef CONFIG_FTRACE_DISCOVER
u32 fake_covered_sites;
bool fake_cover_due;

/* A breakpoint is where the function begins: a site that has one stays covered. */
void fake_uncover_sites(const u32 *nrs, u32 nr)
{
	while (nr--) {
		const u32 site = *nrs / (SITES + GAP) * SITES + *nrs % (SITES + GAP);
		struct ftrace_site *s = site_of(site);
		u32 i;

		if (s->state & FTRACE_SITE_COVERED && world->held[site]) {
			fake_hold_site(fake_site_by_nr(*nrs, &i), site % SITES);
		} else if (s->state & FTRACE_SITE_COVERED) {
			s->state &= ~FTRACE_SITE_COVERED;
			fake_covered_sites--;
		}
		nrs++;
	}
}
#endif

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

struct ftrace_site_block *fake_site_find_exact(unsigned long ip, u32 *i)
{
	const u32 site = site_at(ip);

	if (ip < 0x1000 || ip % 16 || site >= ALL)
		return NULL;
	*i = site % SITES;
	return world->blocks[site / SITES];
}

#ifdef CONFIG_FTRACE_DISCOVER
int fake_site_get(unsigned long ip, struct ftrace_site_block **b, u32 *i)
{
	*b = fake_site_find_exact(ip, i);
	return *b ? 0 : -EINVAL;
}
#endif

int fake_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	const u32 site = site_at(ip);

	if (world->foreign[site])
		return -EINVAL;
	KUNIT_EXPECT_EQ(world->test, world->text[site], target);
	return world->held[site] ? -EBUSY : 0;
}

/* Breakpoints of somebody else. */
static void hold_every_fifth(void)
{
	for (u32 site = 0; site < ALL; site++)
		world->held[site] = !(site % 5);
}

static int fake_tramp_forward(unsigned long from, unsigned long to);

int fake_site_retarget(unsigned long ip, unsigned long from, unsigned long to)
{
	const u32 site = site_at(ip);
	int err;

	/* The byte under the breakpoint stays a call's, or a jump's. */
	KUNIT_EXPECT_GT(world->test, from, FTRACE_NOP_JUMP);
	KUNIT_EXPECT_GE(world->test, to, FTRACE_NOP_JUMP);
	KUNIT_EXPECT_EQ(world->test, ftrace_is_jmp(from), to == FTRACE_NOP_JUMP);
	KUNIT_EXPECT_FALSE(world->test, ftrace_is_jmp(to));
	if (world->leaves == site + 1) {
		world->held[site] = false;
		world->leaves = 0;
	}
	err = fake_site_check(ip, from, NULL);
	if (!err)
		return -EAGAIN;
	if (err != -EBUSY)
		return err;
	if (world->whole)
		return fake_tramp_forward(from, to);
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
		if (world->returns == site + 1 && !world->held[site]) {
			world->held[site] = true;
			world->returns = 0;
		}
		if (world->spoilt == site + 1) {
			world->foreign[site] = true;
			world->spoilt = 0;
		}
		p->err = fake_site_check(p->ip, p->from, p->found);
		if (p->err) {
			left_out++;
			continue;
		}
		KUNIT_EXPECT_EQ(world->test, world->text[site], p->from);
		KUNIT_EXPECT_NE(world->test, p->from, p->to);
		if (p->to > FTRACE_NOP_JUMP)
			KUNIT_EXPECT_FALSE(world->test, site_of(site)->state & FTRACE_SITE_COVERED);
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
	bool				direct;
	bool				forwards;	/* jumps to the mixed one */
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

static void nobody_calls_combo(const struct ftrace_combo *combo)
{
	nobody_calls(combo->target);
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_NE(world->test, site_of(site)->state & FTRACE_SITE_COMBO, combo->id);
}

void fake_retire(struct ftrace_retired *r, void (*done)(struct ftrace_retired *r))
{
	if (done == combo_free)
		nobody_calls_combo(container_of(r, struct ftrace_combo, retired));
	r->free = done;
	list_add_tail(&r->list, &world->limbo);
}

void fake_tramp_unlist(struct ftrace_tramp *tramp)
{
	nobody_calls(tramp->ip);
	tramp->unlisted = true;
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

static int fake_tramp_forward(unsigned long from, unsigned long to)
{
	struct fake_tramp *t = tramp_at(from);

	if (!t)
		return -EOPNOTSUPP;
	KUNIT_EXPECT_FALSE(world->test, t->forwards);
	KUNIT_EXPECT_EQ(world->test, to, MIXED);
	t->forwards = true;
	return 1;
}

#endif /* _FTRACE_CHANGE_FAKES_H */
