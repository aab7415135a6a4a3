/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of change_kunit.c: direct calls with a target for each site. Hook 7 makes
 * them.
 */
#ifndef _FTRACE_CHANGE_DIRECT_H
#define _FTRACE_CHANGE_DIRECT_H

#include "change_world.h"

#define DIRECT	7

static void put_direct_on(u32 sparse)
{
	make_hook(DIRECT, need_of(DIRECT));
	start();
	add_change(DIRECT, sparse);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
}

static u32 count_on(u16 id)
{
	u32 n = 0;

	for (u32 site = 0; site < ALL; site++)
		n += (site_of(site)->state & FTRACE_SITE_COMBO) == id;
	return n;
}

WORLD_CASE(targets_differ_from_site_to_site)
{
	unsigned int before, combos;
	u32 alone;

	put_direct_on(2);
	combos = ftrace_combo_nr();
	make_hook(0, 0);
	start();
	add_change(0, 2);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	judge();

	/* Text changes only where the direct call is alone; no combo is added. */
	alone = count_on(ftrace_combo_plus(ftrace_combo(FTRACE_COMBO_NOP),
					   world->hooks[DIRECT])->id);
	KUNIT_EXPECT_GT(test, alone, 0);
	KUNIT_EXPECT_EQ(test, combos, 1);
	start();
	add_retarget(DIRECT, 1);
	before = world->patched;
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->patched - before, alone);
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), 3);
	judge();

	/* The same targets once more: nothing to write. */
	edit.changes[0].to = ftrace_filter_get(edit.changes[0].to);
	before = world->patched;
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->patched, before);
	judge();

	for (int i = 0; i < 100; i++) {
		start();
		add_retarget(DIRECT, 1 + i % 20);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		judge();
		random_change();
		if (!world->hooks[DIRECT])
			put_direct_on(3);
	}
}

WORLD_CASE(targets_come_with_their_sites)
{
	put_direct_on(3);
	start();
	add_change(DIRECT, 1);
	/* A target for each of the sites, also for those that have one. */
	own_targets(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	judge();

	/* Without targets, and without one for all of them, no site can be added. */
	start();
	add_change(DIRECT, 5);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	world->ops[DIRECT].direct_call = 0;
	start();
	add_change(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), -EINVAL);
	judge();
}

WORLD_CASE(mixed_sites_find_their_targets)
{
	world->mixed_is_fine = true;
	ftrace_combo_cap = 0;
	put_direct_on(1);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), ALL);
	start();
	add_retarget(DIRECT, 2);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	judge();
}

static void one_goes_bad(void)
{
	world->foreign[33] = true;
	world->text[33] = 0xbad;
}

WORLD_CASE(a_target_that_misses_a_site_reaches_none)
{
	put_direct_on(1);

	/* One of the sites has foreign bytes already: the plan finds them. */
	one_goes_bad();
	start();
	add_retarget(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), -ENODEV);
	KUNIT_EXPECT_EQ(test, world->faults, 0);
	world->foreign[33] = false;
	world->text[33] = world->target[33];
	judge();

	/* It gets them between the plan and its commit: all sites get their old targets back. */
	world->between = one_goes_bad;
	start();
	add_retarget(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), -ENODEV);
	world->between = NULL;
	KUNIT_EXPECT_EQ(test, world->faults, 1);
	judge();
}

/* The code that another owner's direct call led to may be freed. */
WORLD_CASE(a_target_that_has_left_does_not_come_back)
{
	const unsigned long gone = direct_of(DIRECT);

	put_direct_on(1);
	start();
	add_change(DIRECT, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	grace();

	world->ops[DIRECT].direct_call = gone + 0x1000;
	world->between = one_goes_bad;
	start();
	add_change(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), -ENODEV);
	world->between = NULL;
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_NE(test, ftrace_target(world->blocks[site / SITES], site % SITES),
				gone);
	judge();
}

WORLD_CASE(a_target_changes_under_a_breakpoint)
{
	put_direct_on(1);
	hold_every_fifth();
	start();
	add_retarget(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), ALL / 5);
	judge();

	memset(world->held, 0, sizeof(world->held));
	start();
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
	judge();
}

/* All sites jump to their direct call, and nothing else is on them. */
static bool put_jumps_on_all(void)
{
	make_hook(DIRECT, need_of(DIRECT));
	world->ops[DIRECT].direct_call = ftrace_jmp_set(direct_of(DIRECT));
	start();
	add_change(DIRECT, 1);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
	return ftrace_is_jmp(world->text[30]);
}

WORLD_CASE(a_jump_under_a_breakpoint_goes_on)
{
	unsigned int before;

	if (!put_jumps_on_all())
		return;		/* there are no jumps */
	/* A jump under a breakpoint cannot become a call, so the site gets no other target. */
	hold_every_fifth();
	before = world->patched;
	start();
	add_retarget(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), -EBUSY);
	KUNIT_EXPECT_EQ(test, world->patched, before);
	judge();

	/* A hook waits, and is called once the breakpoints are gone. */
	hook_all(0, 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
	KUNIT_EXPECT_EQ(test, world->text[30], world->target[30]);
	judge();
	all_breakpoints_go();
}

WORLD_CASE(a_jump_under_a_breakpoint_is_switched_off)
{
	if (!put_jumps_on_all())
		return;		/* there are no jumps */
	for (int evict = 0; evict < 2; evict++) {
		hold_every_fifth();
		start();
		add_change(DIRECT, 0);
		if (evict) {
			ftrace_filter_put(filter_of(world->hooks[DIRECT]));
			rcu_assign_pointer(world->hooks[DIRECT]->filter, NULL);
			memset(world->want[DIRECT], 0, sizeof(world->want[DIRECT]));
			rebuild_all();
		} else {
			KUNIT_EXPECT_EQ(test, apply(), 0);
		}
		drop_hook(DIRECT);
		grace();
		KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
		KUNIT_EXPECT_EQ(test, world->text[30], FTRACE_NOP_JUMP);
		judge();

		memset(world->held, 0, sizeof(world->held));
		if (!evict) {
			change_nothing();
			KUNIT_EXPECT_EQ(test, world->text[30], nop_of(30));
			judge();
		}
		KUNIT_EXPECT_TRUE(test, put_jumps_on_all());
		KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	}
}

WORLD_CASE(a_breakpoint_that_comes_to_a_jump_keeps_its_target)
{
	if (!put_jumps_on_all())
		return;		/* there are no jumps */
	world->between = hold_every_fifth;
	start();
	add_retarget(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), -EBUSY);
	world->between = NULL;
	KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_EQ(test, world->text[site], world->target[site]);
	judge();

	/* The breakpoints are removed, which the next change of targets finds out. */
	memset(world->held, 0, sizeof(world->held));
	start();
	add_retarget(DIRECT, 1);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	judge();
}

WORLD_CASE(a_jump_that_keeps_its_target_refuses_no_other)
{
	if (!put_jumps_on_all())
		return;		/* there are no jumps */
	hold_every_fifth();
	start();
	add_retarget(DIRECT, 1);
	for (u32 site = 0; site < ALL; site += 5) {
		edit.target[site] = world->target[site];
		edit.addr[site] = world->target[site];
	}
	KUNIT_EXPECT_EQ(test, apply(), 0);
	judge();
	all_breakpoints_go();
}

/* A table of some sites, in any order. Returns their number. */
static u32 make_entries(struct ftrace_func_entry *entries, struct hlist_head *head)
{
	u32 n = 0;

	head->first = NULL;
	for (u32 k = 0; k < ALL; k++) {
		const u32 site = k * 77 % ALL;

		if (dice(&world->dice, 3))
			continue;
		entries[n].ip = 0x1000 + 16 * site;
		entries[n].direct = 0x9000 + site;
		hlist_add_head(&entries[n++].hlist, head);
	}
	return n;
}

WORLD_CASE(tables_are_sorted_by_sites)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_siteset *set = ftrace_siteset_range(nr_of(10), nr_of(70));
	struct ftrace_targets t;
	struct hlist_head head;
	u32 n = make_entries(entries, &head), nr, k = 0, kept = 0;

	KUNIT_EXPECT_EQ(test, ftrace_targets_make(&t, &head, n), 0);
	KUNIT_EXPECT_EQ(test, ftrace_siteset_count(t.sites), n);
	for (u32 site = 0; site < ALL; site++)
		if (ftrace_siteset_has(t.sites, nr_of(site)))
			KUNIT_EXPECT_EQ(test, t.addr[k++], 0x9000 + site);
	KUNIT_EXPECT_EQ(test, k, n);

	KUNIT_EXPECT_EQ(test, ftrace_targets_keep(&t, set), 0);
	ftrace_siteset_for_each(t.sites, nr) {
		KUNIT_EXPECT_TRUE(test, nr >= nr_of(10) && nr < nr_of(70));
		KUNIT_EXPECT_EQ(test, nr_of(t.addr[kept++] - 0x9000), nr);
	}
	KUNIT_EXPECT_GT(test, kept, 0);
	KUNIT_EXPECT_GT(test, n, kept);
	ftrace_targets_drop(&t);
	KUNIT_EXPECT_NULL(test, t.sites);
	ftrace_siteset_put(set);
}

WORLD_CASE(einval_tables_that_are_wrong)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_targets t;
	struct hlist_head head;
	const u32 n = make_entries(entries, &head);
	const struct ftrace_func_entry good = entries[5];

	KUNIT_EXPECT_EQ(test, ftrace_targets_make(&t, &head, 0), -EINVAL);
	entries[5].ip++;
	KUNIT_EXPECT_EQ(test, ftrace_targets_make(&t, &head, n), -EINVAL);
	entries[5].ip = entries[n - 1].ip;
	KUNIT_EXPECT_EQ(test, ftrace_targets_make(&t, &head, n), -EINVAL);
	entries[5].ip = good.ip;
	entries[5].direct = 0;
	KUNIT_EXPECT_EQ(test, ftrace_targets_make(&t, &head, n), -EINVAL);
	KUNIT_EXPECT_NULL(test, t.sites);
	KUNIT_EXPECT_NULL(test, t.addr);
}

#endif /* _FTRACE_CHANGE_DIRECT_H */
