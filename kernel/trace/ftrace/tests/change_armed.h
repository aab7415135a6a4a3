/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of change_kunit.c: armed sites, which are off and call __fentry__.
 */
#ifndef _FTRACE_CHANGE_ARMED_H
#define _FTRACE_CHANGE_ARMED_H

#include "change_held.h"

/* Arm every @sparse-th site that is off. Returns their number. */
static u32 arm_some(u32 sparse)
{
	u32 n = 0;

	for (u32 site = 0; site < ALL; site++) {
		struct ftrace_site *s = site_of(site);

		if (s->state & (FTRACE_SITE_COMBO | FTRACE_SITE_HELD | FTRACE_SITE_UNUSABLE) ||
		    dice(&world->dice, sparse))
			continue;
		n += !(s->state & FTRACE_SITE_ARMED);
		s->state |= FTRACE_SITE_ARMED;
		world->text[site] = MCOUNT_ADDR;
	}
	return n;
}

static u32 count_armed(void)
{
	u32 n = 0;

	for (u32 site = 0; site < ALL; site++)
		n += !!(site_of(site)->state & FTRACE_SITE_ARMED);
	return n;
}

/* Disarm all sites, armed or not, and numbers that have no site. */
static void disarm_all(void)
{
	struct ftrace_plan plan;
	u32 nrs[ALL + BLOCKS];
	u32 n = 0;

	for (u32 site = 0; site < ALL; site++) {
		nrs[n++] = nr_of(site);
		if (site % SITES == SITES - 1)
			nrs[n++] = nr_of(site) + 1;
	}
	KUNIT_EXPECT_EQ(world->test, ftrace_plan_disarm(&plan, nrs, n), 0);
	ftrace_plan_commit(&plan);
}

WORLD_CASE(armed_sites_become_nops_or_are_hooked)
{
	u32 armed, patched;

	hook_some(0);
	armed = arm_some(2);
	KUNIT_EXPECT_GT(test, armed, 10);
	judge();
	patched = world->patched;
	disarm_all();
	KUNIT_EXPECT_EQ(test, world->patched, patched + armed);
	KUNIT_EXPECT_EQ(test, count_armed(), 0);
	judge();
}

/* Hook @h wants every @sparse-th site, and no plan has put it there. */
static void foresee(unsigned int h, u32 sparse)
{
	struct ftrace_hook *hook = make_hook(h, need_of(h));

	for (u32 site = 0; site < ALL; site++)
		world->want[h][site] = !dice(&world->dice, sparse);
	rcu_assign_pointer(hook->filter, filter_for(world->want[h], is_exclusive(h)));
}

/* Like a function that is found while all functions are traced. */
WORLD_CASE(armed_sites_get_the_hooks_that_want_them)
{
	arm_some(1);
	foresee(0, 2);
	disarm_all();
	KUNIT_EXPECT_EQ(test, count_armed(), 0);
	judge();
}

/* Like a function whose site is discovered for the second of two hooks. */
WORLD_CASE(armed_sites_get_all_hooks_with_the_first_that_comes)
{
	arm_some(1);
	foresee(0, 1);
	hook_all(1, 0);
	KUNIT_EXPECT_EQ(test, count_armed(), 0);
	judge();
}

WORLD_CASE(other_plans_leave_armed_sites_that_they_do_not_hook)
{
	u32 armed = 0;

	arm_some(1);
	hook_some(0);
	for (u32 site = 0; site < ALL; site++)
		armed += !world->want[0][site];
	KUNIT_EXPECT_EQ(test, count_armed(), armed);
	rebuild_all();
	KUNIT_EXPECT_EQ(test, count_armed(), armed);
	judge();
	/* A hook that is removed leaves a nop. */
	start();
	add_change(0, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	drop_hook(0);
	KUNIT_EXPECT_EQ(test, count_armed(), armed);
	judge();
	disarm_all();
}

WORLD_CASE(armed_sites_under_a_breakpoint_stay_armed)
{
	u32 held = 0;

	arm_some(1);
	for (u32 site = 0; site < ALL; site++) {
		world->held[site] = !(site % 5);
		held += world->held[site];
	}
	disarm_all();
	KUNIT_EXPECT_EQ(test, count_armed(), held);
	judge();
	disarm_all();
	KUNIT_EXPECT_EQ(test, count_armed(), held);
	judge();

	memset(world->held, 0, sizeof(world->held));
	disarm_all();
	KUNIT_EXPECT_EQ(test, count_armed(), 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	judge();
}

WORLD_CASE(armed_sites_with_other_bytes_are_left_out)
{
	arm_some(1);
	world->foreign[7] = true;
	disarm_all();
	KUNIT_EXPECT_EQ(test, world->faults, 1);
	KUNIT_EXPECT_EQ(test, count_armed(), 1);
	KUNIT_EXPECT_TRUE(test, site_of(7)->state & FTRACE_SITE_ARMED);
	disarm_all();
	KUNIT_EXPECT_EQ(test, world->faults, 1);
	judge();

	/* Also while others are held. */
	world->held[30] = true;
	hook_all(0, 0);
	unhook(0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 1);
	arm_some(1);
	world->held[10] = true;
	world->foreign[11] = true;
	disarm_all();
	KUNIT_EXPECT_EQ(test, fake_held_sites, 2);
	KUNIT_EXPECT_TRUE(test, site_of(10)->state & FTRACE_SITE_HELD);
	KUNIT_EXPECT_EQ(test, world->faults, 2);
	KUNIT_EXPECT_TRUE(test, site_of(11)->state & FTRACE_SITE_FAULT);
	judge();
}

/* Exclusive hooks look at the text first: they know what an armed site calls. */
WORLD_CASE(an_exclusive_hook_gets_armed_sites)
{
	arm_some(1);
	hook_some(7);
	judge();
	disarm_all();
	judge();
}

WORLD_CASE(sites_are_armed_and_disarmed_at_random)
{
	for (u32 n = 0; n < 60; n++) {
		random_change();
		arm_some(3);
		judge();
		if (!dice(&world->dice, 3))
			disarm_all();
		judge();
	}
	disarm_all();
	KUNIT_EXPECT_EQ(test, count_armed(), 0);
	memset(world->want, 0, sizeof(world->want));
}

#ifdef CONFIG_FTRACE_DISCOVER

static void cover_all(void)
{
	for (u32 site = 0; site < ALL; site++)
		site_of(site)->state |= FTRACE_SITE_COVERED;
	fake_covered_sites = ALL;
}

static void forget_covers(void)
{
	for (u32 site = 0; site < ALL; site++)
		site_of(site)->state &= ~FTRACE_SITE_COVERED;
	fake_covered_sites = 0;
}

WORLD_CASE(covered_sites_are_uncovered_before_they_call)
{
	u32 hooked = 0;

	cover_all();
	fake_cover_due = false;
	hook_some(0);
	for (u32 site = 0; site < ALL; site++) {
		KUNIT_EXPECT_EQ(test, !(site_of(site)->state & FTRACE_SITE_COVERED),
				world->want[0][site]);
		hooked += world->want[0][site];
	}
	KUNIT_EXPECT_EQ(test, fake_covered_sites, ALL - hooked);
	KUNIT_EXPECT_TRUE(test, fake_cover_due);
	judge();
	forget_covers();
}

WORLD_CASE(a_site_that_stays_covered_stays_off_until_it_can_be_hooked)
{
	cover_all();
	hold_every_fifth();
	hook_all(0, 0);
	KUNIT_EXPECT_EQ(test, fake_covered_sites, ALL / 5);
	KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
	judge();

	all_breakpoints_go();
	KUNIT_EXPECT_EQ(test, fake_covered_sites, 0);
	forget_covers();
}

#endif

#endif /* _FTRACE_CHANGE_ARMED_H */
