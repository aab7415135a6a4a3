/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of change_kunit.c: what is easily missed. Sites that an exclusive hook
 * does not get, marks that stay, and numbers of combos that are used again.
 */
#ifndef _FTRACE_CHANGE_MISSED_H
#define _FTRACE_CHANGE_MISSED_H

#include "change_direct.h"

/* The memos of a plan are fewer than its hooks, so that two of them collide. */
WORLD_CASE(each_of_many_hooks_gets_its_own_site)
{
	static struct ftrace_change changes[MEMOS + 1];
	struct ftrace_plan plan;
	unsigned int i;

	static_assert(ARRAY_SIZE(changes) < ALL);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		struct ftrace_hook *hook = new_hook(0, 0, ++world->order);
		struct ftrace_siteset *set;

		set = ftrace_siteset_range(nr_of(i), nr_of(i) + 1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set));
		list_add_rcu(&hook->list, &fake_hooks);
		changes[i] = (struct ftrace_change){
			.hook = hook,
			.to = ftrace_filter_make(false, set, NULL),
		};
		KUNIT_ASSERT_FALSE(test, IS_ERR(changes[i].to));
	}
	KUNIT_EXPECT_EQ(test, ftrace_plan_make(&plan, changes, ARRAY_SIZE(changes)), 0);
	ftrace_plan_commit(&plan);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct ftrace_combo *combo = ftrace_combo(site_of(i)->state &
								FTRACE_SITE_COMBO);

		KUNIT_EXPECT_EQ(test, combo->nr, 1);
		KUNIT_EXPECT_TRUE(test, combo->nr == 1 && combo->hooks[0] == changes[i].hook);
		swap(changes[i].from, changes[i].to);
	}
	KUNIT_EXPECT_EQ(test, ftrace_plan_make(&plan, changes, ARRAY_SIZE(changes)), 0);
	ftrace_plan_commit(&plan);
	grace();
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		ftrace_filter_put(changes[i].from);
		list_del(&changes[i].hook->list);
		kfree(changes[i].hook);
	}
	judge();
}

WORLD_CASE(a_block_that_comes_keeps_its_unusable_sites)
{
	unsigned int before;

	for (u32 site = SITES; site < 2 * SITES; site++)
		site_of(site)->state |= FTRACE_SITE_COMING;
	site_of(SITES + 3)->state |= FTRACE_SITE_DEAD;
	site_of(SITES + 7)->state |= FTRACE_SITE_FAULT;
	hook_all(0, 0);

	for (u32 site = SITES; site < 2 * SITES; site++)
		site_of(site)->state &= ~FTRACE_SITE_COMING;
	before = world->patched;
	ftrace_commit_block(world->blocks[1], true);
	KUNIT_EXPECT_EQ(test, world->patched - before, SITES - 2);
	KUNIT_EXPECT_EQ(test, world->text[SITES + 3], nop_of(SITES + 3));
	KUNIT_EXPECT_EQ(test, world->text[SITES + 7], nop_of(SITES + 7));
	judge();
}

static bool marked(u32 site, u32 mark)
{
	return site_of(site)->state & mark;
}

/* A mark says what a site has called, and stays when the hook is removed. */
WORLD_CASE(sites_remember_that_they_were_hooked)
{
	for (unsigned int i = 0; i < 5; i++) {
		const u32 first = 20 * i;
		const bool exclusive = i;

		/* At last by the mixed trampoline. */
		if (i == 3) {
			world->mixed_is_fine = true;
			ftrace_combo_cap = 0;
		}
		make_hook(0, i ? exclusive_needs[(i - 1) % 2] : 0);
		start();
		add_change(0, 0);
		for (u32 site = first; site < first + 20; site++) {
			edit.want[0][site] = true;
			edit.target[site] = world->ops[0].direct_call;
		}
		edit.changes[0].to = filter_for(edit.want[0], exclusive);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		judge();
		start();
		add_change(0, 0);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		drop_hook(0);
		for (u32 site = first; site < ALL; site++) {
			const bool had = site < first + 20;

			KUNIT_EXPECT_EQ(test, marked(site, FTRACE_SITE_TOUCHED), had);
			KUNIT_EXPECT_EQ(test, marked(site, FTRACE_SITE_MODIFIED),
					had && exclusive);
		}
	}
}

WORLD_CASE(a_held_site_remembers_its_exclusive_hook)
{
	hook_all(0, 0);
	world->held[30] = true;
	hook_all(5, FTRACE_NEED_IPMODIFY);
	KUNIT_EXPECT_EQ(test, site_of(30)->state & FTRACE_SITE_COMBO, FTRACE_COMBO_MIXED);
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_TRUE(test, marked(site, FTRACE_SITE_MODIFIED));
	judge();
}

/* A mixed site's combo does not tell whether it gets the hook: the hook's filter does. */
WORLD_CASE(an_exclusive_hook_that_misses_a_mixed_site_leaves_all)
{
	world->mixed_is_fine = true;
	ftrace_combo_cap = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(exclusive_needs); i++) {
		make_hook(5, exclusive_needs[i]);
		start();
		add_change(5, 1);
		world->between = others_write;
		KUNIT_EXPECT_EQ(test, apply(), -ENODEV);
		world->between = NULL;
		KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
		judge();
		drop_hook(5);

		world->foreign[30] = false;
		site_of(30)->state &= ~FTRACE_SITE_FAULT;
	}
}

/* Only the mixed trampoline calls the first hook; as there is room again, its site moves. */
WORLD_CASE(a_site_that_another_exclusive_hook_loses_is_no_error)
{
	const u32 room = ftrace_combo_cap;

	world->mixed_is_fine = true;
	ftrace_combo_cap = 0;
	for (unsigned int i = 0; i < 2; i++) {
		make_hook(5 + i, FTRACE_NEED_IPMODIFY);
		start();
		add_change(5 + i, 0);
		for (u32 site = 30 + 30 * i; site < 40 + 30 * i; site++)
			edit.want[5 + i][site] = true;
		edit.changes[0].to = filter_for(edit.want[5 + i], true);
		world->between = i ? others_write : NULL;
		KUNIT_EXPECT_EQ(test, apply(), 0);
		world->between = NULL;
		KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), i ? 0 : 10);
		ftrace_combo_cap = room;
	}
	KUNIT_EXPECT_TRUE(test, marked(30, FTRACE_SITE_FAULT));
	judge();
	for (unsigned int i = 0; i < 2; i++) {
		start();
		add_change(5 + i, 0);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		drop_hook(5 + i);
	}
	world->foreign[30] = false;
	world->text[30] = nop_of(30);
	site_of(30)->state &= ~FTRACE_SITE_FAULT;
}

/* Text is written in pieces of 64 sites; the last of them is fine. */
WORLD_CASE(an_error_of_an_early_piece_is_an_error)
{
	world->in_pieces = true;
	for (unsigned int i = 0; i < ARRAY_SIZE(exclusive_needs); i++) {
		make_hook(5, exclusive_needs[i]);
		start();
		add_change(5, 1);
		world->between = i ? others_write : breakpoint_comes;
		KUNIT_EXPECT_EQ(test, apply(), i ? -ENODEV : -EBUSY);
		world->between = NULL;
		judge();
		drop_hook(5);
		for (u32 site = 0; site < ALL; site++)
			if (!world->foreign[site])
				KUNIT_EXPECT_EQ(test, world->text[site], nop_of(site));

		world->held[30] = false;
		change_nothing();
	}
	world->foreign[30] = false;
	site_of(30)->state &= ~FTRACE_SITE_FAULT;
}

WORLD_CASE(a_breakpoint_that_goes_and_returns_is_held)
{
	hook_all(0, 0);
	world->held[30] = true;
	world->leaves = 31;
	world->returns = 31;
	hook_all(1, 0);
	KUNIT_EXPECT_EQ(test, world->returns, 0);
	KUNIT_EXPECT_EQ(test, fake_held_sites, 1);
	KUNIT_EXPECT_EQ(test, world->text[30], MIXED);
	judge();
	all_breakpoints_go();
}

/* Two at a time, so that the lowest free number is not always the last one given. */
WORLD_CASE(numbers_of_combos_never_run_out)
{
	struct ftrace_hook *first = make_hook(0, 0), *second = make_hook(1, 0);

	for (u32 i = 0; i < FTRACE_COMBO_MAX + 2; i++) {
		struct ftrace_combo *combo;

		combo = ftrace_combo_plus(ftrace_combo(FTRACE_COMBO_NOP), first);
		combo = ftrace_combo_plus(combo, second);
		if (combo->id == FTRACE_COMBO_MIXED) {
			KUNIT_FAIL(test, "no number is left after %u combos", 2 * i);
			break;
		}
		ftrace_combo_sweep();
	}
}

WORLD_CASE(a_combo_that_was_freed_is_not_found)
{
	u16 id;

	hook_all(0, 0);
	id = site_of(0)->state & FTRACE_SITE_COMBO;
	KUNIT_EXPECT_TRUE(test, ftrace_combo(id));
	unhook(0);
	KUNIT_EXPECT_NULL(test, ftrace_combo(id));
}

WORLD_CASE(an_exclusive_hook_names_its_functions)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(exclusive_needs); i++) {
		static const bool all_or_none[] = { true, false };

		make_hook(0, exclusive_needs[i]);
		for (unsigned int k = 0; k < ARRAY_SIZE(all_or_none); k++) {
			struct ftrace_siteset *but = ftrace_siteset_range(nr_of(3), nr_of(4));
			struct ftrace_siteset *only = ftrace_siteset_range(nr_of(1), nr_of(9));
			struct ftrace_filter *f;

			f = ftrace_filter_make(all_or_none[k], only, but);
			KUNIT_ASSERT_FALSE(test, IS_ERR(f));
			start();
			add_change(0, 0);
			edit.changes[0].to = f;
			KUNIT_EXPECT_EQ(test, apply(), -EINVAL);
			judge();
		}
		drop_hook(0);
	}
}

/* A module's text is freed before the filters that name it are made anew. */
WORLD_CASE(numbers_without_a_site_are_left_out)
{
	static const u16 needs[] = { 0, FTRACE_NEED_IPMODIFY, FTRACE_NEED_DIRECT };

	for (unsigned int i = 0; i < ARRAY_SIZE(needs); i++) {
		struct ftrace_siteset *numbers = ftrace_siteset_range(0, fake_site_end());
		struct ftrace_filter *f = ftrace_filter_make(false, numbers, NULL);
		const unsigned int before = world->patched;

		KUNIT_ASSERT_FALSE(test, IS_ERR(f));
		make_hook(0, needs[i]);
		start();
		add_change(0, 1);
		ftrace_filter_put(edit.changes[0].to);
		edit.changes[0].to = f;
		KUNIT_EXPECT_EQ(test, apply(), 0);
		KUNIT_EXPECT_EQ(test, world->patched - before, ALL);
		judge();
		start();
		add_change(0, 0);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		KUNIT_EXPECT_EQ(test, world->patched - before, 2 * ALL);
		judge();
		drop_hook(0);
	}
}

static void jump_is_covered(void)
{
	world->held[20] = true;
}

/* A site that jumps to the refused target must not go on doing so. */
WORLD_CASE(a_refused_target_leaves_a_jump_under_a_breakpoint)
{
	if (!put_jumps_on_all())
		return;		/* there are no jumps */
	start();
	add_retarget(DIRECT, 1);
	for (u32 site = 0; site < ALL; site++)
		edit.addr[site] = ftrace_jmp_set(edit.addr[site]);
	world->between = one_goes_bad;
	world->before_revert = jump_is_covered;
	KUNIT_EXPECT_EQ(test, apply(), -ENODEV);
	world->between = NULL;
	world->before_revert = NULL;
	KUNIT_EXPECT_EQ(test, world->text[20], FTRACE_NOP_JUMP);
	judge();
	memset(world->held, 0, sizeof(world->held));
	change_nothing();
	KUNIT_EXPECT_EQ(test, world->text[20], world->target[20]);
	judge();
}

#ifdef CONFIG_FTRACE_DISCOVER
static void covered_breakpoint_comes(void)
{
	site_of(30)->state |= FTRACE_SITE_COVERED;
	fake_covered_sites++;
	breakpoint_comes();
}

WORLD_CASE(an_exclusive_hook_that_misses_a_covered_site_leaves_all)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(exclusive_needs); i++) {
		make_hook(5, exclusive_needs[i]);
		start();
		add_change(5, 1);
		world->between = covered_breakpoint_comes;
		KUNIT_EXPECT_EQ(test, apply(), -EBUSY);
		world->between = NULL;
		for (u32 site = 0; site < ALL; site++)
			KUNIT_EXPECT_EQ(test, world->text[site], nop_of(site));
		judge();
		drop_hook(5);

		world->held[30] = false;
		site_of(30)->state &= ~FTRACE_SITE_COVERED;
		fake_covered_sites = 0;
		change_nothing();
	}
}
#endif

#endif /* _FTRACE_CHANGE_MISSED_H */
