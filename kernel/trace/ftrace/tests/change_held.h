/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of change_kunit.c: sites with breakpoints or other foreign bytes.
 */
#ifndef _FTRACE_CHANGE_HELD_H
#define _FTRACE_CHANGE_HELD_H

#include "change_world.h"

/* Put hook @h on some of the sites. No site holds a breakpoint now. */
static void hook_some(unsigned int h)
{
	make_hook(h, need_of(h));
	start();
	add_change(h, 2);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
}

/* Make a plan that changes no hook. */
static void change_nothing(void)
{
	start();
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
}

/* Remove all breakpoints: no site is held after the next plan. */
static void all_breakpoints_go(void)
{
	memset(world->held, 0, sizeof(world->held));
	change_nothing();
	KUNIT_EXPECT_EQ(world->test, fake_held_sites, 0);
	judge();
}

WORLD_CASE(a_held_site_goes_to_the_mixed_combo_and_comes_back)
{
	u32 on = 0;

	hook_some(0);
	hook_some(1);
	hold_every_fifth();
	/* Retires the combo called under the breakpoints: nobody_calls() checks that. */
	unhook(0);
	judge();
	for (u32 site = 0; site < ALL; site++)
		on += (site_of(site)->state & FTRACE_SITE_COMBO) == FTRACE_COMBO_MIXED;
	KUNIT_EXPECT_GT(test, on, 0);
	KUNIT_EXPECT_GE(test, fake_held_sites, on);

	all_breakpoints_go();
}

WORLD_CASE(a_site_that_is_off_is_held_and_comes_back)
{
	hold_every_fifth();
	hook_all(0, 0);
	KUNIT_EXPECT_EQ(test, world->patched, ALL - ALL / 5);
	KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
	KUNIT_EXPECT_EQ(test, world->faults, 0);
	judge();

	/* The breakpoints are gone before a second hook is added: both are called. */
	memset(world->held, 0, sizeof(world->held));
	make_hook(1, 0);
	start();
	add_change(1, 40);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	judge();
}

WORLD_CASE(a_held_site_is_no_reason_to_refuse_another)
{
	world->mixed_is_fine = true;
	ftrace_combo_cap = 0;
	world->held[30] = true;
	hook_all(0, 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 1);

	make_hook(6, FTRACE_NEED_IPMODIFY);
	start();
	edit.want[6][31] = true;
	edit.changes[edit.nr++] = (struct ftrace_change){
		.hook = world->hooks[6], .to = filter_for(edit.want[6], true),
	};
	KUNIT_EXPECT_EQ(test, apply(), 0);
	judge();
}

WORLD_CASE(a_held_site_that_needs_nothing_is_released)
{
	hook_some(0);
	for (u32 site = 0; site < ALL; site++)
		world->held[site] = !world->want[0][site];
	hook_all(1, 0);
	start();
	add_change(1, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_GT(test, fake_held_sites, 0);
	judge();
	all_breakpoints_go();
}

WORLD_CASE(a_breakpoint_that_goes_meanwhile_is_no_trouble)
{
	hook_some(0);
	for (u32 site = 0; site < ALL; site++)
		if (world->want[0][site])
			world->leaves = site + 1;
	world->held[world->leaves - 1] = true;
	start();
	add_change(0, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	KUNIT_EXPECT_EQ(test, world->leaves, 0);
	judge();
}

static void come_and_go(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		for (u32 site = 0; site < ALL; site++)
			if (!dice(&world->dice, 10))
				world->held[site] = !world->held[site];
		/* Hooks 0 to 5: exclusive ones (6 and 7) are refused on such sites. */
		start();
		if (world->hooks[i % 6]) {
			add_change(i % 6, dice(&world->dice, 3) ? 1 + dice(&world->dice, 9) : 0);
		} else {
			make_hook(i % 6, need_of(i % 6));
			add_change(i % 6, 1 + dice(&world->dice, 9));
		}
		KUNIT_EXPECT_EQ(world->test, apply(), 0);
		judge();
		if (!(i % 7))
			grace();
	}
	KUNIT_EXPECT_GT(world->test, fake_held_sites, 0);
	all_breakpoints_go();
}

WORLD_CASE(breakpoints_come_and_go)
{
	come_and_go(300);
}

/* ---- breakpoints that replace the whole call ---- */

WORLD_CASE(a_trampoline_under_a_whole_breakpoint_is_kept)
{
	unsigned long tramp;
	u16 id;

	world->whole = true;
	hook_all(0, 0);
	hook_all(1, 0);
	id = site_of(30)->state & FTRACE_SITE_COMBO;
	tramp = world->text[30];
	hold_every_fifth();
	/* Retires the hook: the trampoline must not call it any more. */
	unhook(0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, ALL / 5);
	KUNIT_EXPECT_EQ(test, ftrace_combo(id)->sites, ALL / 5);
	KUNIT_EXPECT_EQ(test, world->text[30], tramp);
	KUNIT_EXPECT_TRUE(test, tramp_at(tramp) && tramp_at(tramp)->forwards);
	judge();

	/* Neither the same hooks again nor any other change leads to that trampoline. */
	hook_all(0, 0);
	unhook(1);
	KUNIT_EXPECT_EQ(test, world->text[30], tramp);
	KUNIT_EXPECT_EQ(test, ftrace_combo_forwards, 1);
	judge();

	all_breakpoints_go();
	grace();
	KUNIT_EXPECT_EQ(test, ftrace_combo_forwards, 0);
	KUNIT_EXPECT_NULL(test, tramp_at(tramp));
}

/* Sites without a breakpoint that stay on the combo are mixed until the next plan. */
static void forward_one_of_many(void)
{
	world->whole = true;
	hook_all(0, 0);
	world->held[30] = true;
	make_hook(1, 0);
	start();
	add_change(1, 2);
	edit.want[1][30] = true;
	ftrace_filter_put(edit.changes[0].to);
	edit.changes[0].to = filter_for(edit.want[1], false);
	world->mixed_is_fine = true;
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
	world->mixed_is_fine = false;
	KUNIT_EXPECT_EQ(world->test, ftrace_combo_forwards, 1);
}

WORLD_CASE(other_sites_leave_a_jump_to_the_mixed_trampoline)
{
	forward_one_of_many();
	/* The text under the breakpoint is freed: no site is held any more. */
	ftrace_combo_count(ftrace_combo(site_of(30)->state), -1);
	fake_release_site(world->blocks[0], 30);
	site_of(30)->state = FTRACE_SITE_COMING | FTRACE_SITE_ENTRY;
	world->held[30] = false;
	world->text[30] = nop_of(30);
	change_nothing();
	KUNIT_EXPECT_EQ(test, ftrace_combo_forwards, 0);
	judge();
}

WORLD_CASE(other_sites_of_such_a_trampoline_get_another)
{
	forward_one_of_many();
	/* One more hook is added on some of the sites. */
	make_hook(2, 0);
	start();
	add_change(2, 3);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, ftrace_combo(site_of(30)->state)->sites, 1);
	judge();
	all_breakpoints_go();
}

WORLD_CASE(whole_breakpoints_come_and_go)
{
	world->whole = true;
	world->mixed_is_fine = true;
	come_and_go(300);
}

WORLD_CASE(an_exclusive_hook_joins_a_call_under_a_whole_breakpoint)
{
	world->whole = true;
	hook_all(0, 0);
	world->held[30] = true;
	hook_all(5, FTRACE_NEED_IPMODIFY);
	KUNIT_EXPECT_TRUE(test, ftrace_combo(site_of(30)->state)->mixed);
	judge();
}

/* What a direct call goes to is not ours to change. */
WORLD_CASE(a_direct_call_under_a_whole_breakpoint_is_given_up)
{
	world->whole = true;
	hook_all(5, FTRACE_NEED_DIRECT);
	world->held[30] = true;
	start();
	add_change(5, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->faults, 1);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 0);
	judge();
	drop_hook(5);
	world->foreign[30] = true;
}

/* ---- exclusive hooks are called on all their sites, or refused ---- */

static const u16 exclusive_needs[] = { FTRACE_NEED_IPMODIFY, FTRACE_NEED_DIRECT };

static void refused(u16 need, int err)
{
	const unsigned int before = world->patched;

	make_hook(5, need);
	start();
	add_change(5, 1);
	KUNIT_EXPECT_EQ(world->test, apply(), err);
	KUNIT_EXPECT_EQ(world->test, world->patched, before);
	judge();
	drop_hook(5);
}

WORLD_CASE(exclusive_hooks_are_refused_on_sites_that_cannot_be_changed)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(exclusive_needs); i++) {
		const u16 need = exclusive_needs[i];

		world->held[30] = true;
		refused(need, -EBUSY);
		world->held[30] = false;
		world->foreign[31] = true;
		refused(need, -ENODEV);
		world->foreign[31] = false;
		site_of(32)->state |= FTRACE_SITE_COMING;
		refused(need, -ENODEV);
		site_of(32)->state &= ~FTRACE_SITE_COMING;
		site_of(33)->state |= FTRACE_SITE_FAULT;
		refused(need, -ENODEV);
		site_of(33)->state &= ~FTRACE_SITE_FAULT;
		site_of(34)->state |= FTRACE_SITE_DEAD;
		refused(need, -ENODEV);
		site_of(34)->state &= ~FTRACE_SITE_DEAD;
	}
}

WORLD_CASE(an_exclusive_hook_joins_a_call_under_a_breakpoint)
{
	hook_all(0, 0);
	world->held[30] = true;
	hook_all(5, FTRACE_NEED_DIRECT);
	KUNIT_EXPECT_EQ(test, site_of(30)->state & FTRACE_SITE_COMBO, FTRACE_COMBO_MIXED);
	judge();
}

static void others_write(void)
{
	world->foreign[30] = true;
}

static void breakpoint_comes(void)
{
	world->held[30] = true;
}

WORLD_CASE(an_exclusive_hook_that_misses_a_site_leaves_all)
{
	hook_some(0);
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(exclusive_needs); i++) {
		world->want[0][30] = false;
		start();
		add_change(0, 3);
		edit.want[0][30] = false;
		ftrace_filter_put(edit.changes[0].to);
		edit.changes[0].to = filter_for(edit.want[0], false);
		KUNIT_EXPECT_EQ(test, apply(), 0);

		make_hook(5, exclusive_needs[i / 2]);
		start();
		add_change(5, 1);
		world->between = i % 2 ? others_write : breakpoint_comes;
		KUNIT_EXPECT_EQ(test, apply(), i % 2 ? -ENODEV : -EBUSY);
		world->between = NULL;
		judge();
		drop_hook(5);

		world->foreign[30] = false;
		world->held[30] = false;
		site_of(30)->state &= ~FTRACE_SITE_FAULT;
		change_nothing();
		judge();
	}
}

#endif /* _FTRACE_CHANGE_HELD_H */
