// SPDX-License-Identifier: GPL-2.0
/*
 * Combos, plans and their commit, with fakes for text, trampolines and sites.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include "change_world.h"
#include "change_held.h"
#include "change_direct.h"
#ifdef CONFIG_FTRACE_DISCOVER
#include "change_armed.h"
#endif
#include "change_missed.h"

WORLD_CASE(every_site_calls_whom_it_should)
{
	for (int i = 0; i < 600; i++)
		random_change();
}

WORLD_CASE(past_the_cap_sites_are_mixed_and_come_back)
{
	u32 most = 0;

	ftrace_combo_cap = 5;
	world->mixed_is_fine = true;
	for (int i = 0; i < 300; i++) {
		random_change();
		most = max(most, ftrace_combo_mixed_sites());
		KUNIT_EXPECT_LE(test, ftrace_combo_nr(), 5);
	}
	KUNIT_EXPECT_GT(test, most, 0);

	/* With room again, removing a hook gives all mixed sites a combo. */
	ftrace_combo_cap = 1000;
	if (!world->hooks[0]) {
		make_hook(0, 0);
		start();
		add_change(0, 2);
		KUNIT_EXPECT_EQ(test, apply(), 0);
	}
	start();
	add_change(0, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
	world->mixed_is_fine = false;
	judge();
	drop_hook(0);
}

/* Hook @h on site @site alone, or on all sites for SITES or more. */
static void put_on_one(unsigned int h, u32 site)
{
	make_hook(h, 0);
	start();
	add_change(h, 0);
	for (u32 k = 0; k < ALL; k++)
		edit.want[h][k] = k == site || site >= SITES;
	edit.changes[0].to = filter_for(edit.want[h], false);
	KUNIT_EXPECT_EQ(world->test, apply(), 0);
	judge();
}

WORLD_CASE(cap_counts_what_a_plan_leaves)
{
	/* While the last plan is made, there are 15 sets: those before it and those after it. */
	ftrace_combo_cap = 10;
	for (unsigned int h = 0; h < HOOKS - 1; h++)
		put_on_one(h, h);
	put_on_one(HOOKS - 1, ALL);
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), HOOKS);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
}

static void at_most_twice_the_cap(void)
{
	KUNIT_EXPECT_LE(world->test, ftrace_combo_nr(), 2 * ftrace_combo_cap);
}

WORLD_CASE(past_the_cap_the_first_sets_have_combos)
{
	ftrace_combo_cap = 5;
	world->mixed_is_fine = true;
	world->between = at_most_twice_the_cap;
	for (unsigned int h = 0; h < HOOKS - 1; h++)
		put_on_one(h, h);
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), 5);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), HOOKS - 1 - 5);
	for (u32 site = 0; site < HOOKS - 1; site++)
		KUNIT_EXPECT_EQ(test, (site_of(site)->state & FTRACE_SITE_COMBO) ==
				FTRACE_COMBO_MIXED, site >= 5);
	put_on_one(HOOKS - 1, ALL);
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), 5);
	KUNIT_EXPECT_GT(test, ftrace_combo_mixed_sites(), 0);
}

/* More sets than a page of numbers has. */
WORLD_CASE(each_of_many_sets_has_a_number)
{
	const unsigned int nr = 9, sets = 1U << nr;
	struct ftrace_hook *hooks[9], *some[9];

	for (unsigned int h = 0; h < nr; h++) {
		hooks[h] = kunit_kzalloc(test, sizeof(*hooks[h]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, hooks[h]);
	}
	for (unsigned int set = 1; set < sets; set++) {
		struct ftrace_combo *combo;
		unsigned int k = 0;

		for (unsigned int h = 0; h < nr; h++)
			if (set & BIT(h))
				some[k++] = hooks[h];
		combo = ftrace_combo_of(some, k);
		KUNIT_EXPECT_EQ(test, combo->nr, k);
		KUNIT_EXPECT_EQ(test, combo->id, FTRACE_COMBO_MIXED + set);
		KUNIT_EXPECT_PTR_EQ(test, ftrace_combo(combo->id), combo);
	}
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), sets - 1);
	ftrace_combo_sweep();
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), 0);
	for (unsigned int h = 0; h < nr; h++)
		KUNIT_EXPECT_EQ(test, hooks[h]->nr_combos, 0);
}

WORLD_CASE(mixed_sites_come_back_with_any_plan_that_leaves_room)
{
	ftrace_combo_cap = 0;
	world->mixed_is_fine = true;
	put_on_one(0, ALL);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), ALL);

	/* A hook is added on one site, and none is removed. */
	ftrace_combo_cap = 1000;
	put_on_one(1, 3);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
	world->mixed_is_fine = false;
	judge();
}

WORLD_CASE(without_trampolines_sites_are_mixed)
{
	u32 most = 0;

	world->mixed_is_fine = true;
	world->fail_tramps = 50;
	for (int i = 0; i < 300; i++) {
		random_change();
		most = max(most, ftrace_combo_mixed_sites());
	}
	KUNIT_EXPECT_GT(test, most, 0);
	world->fail_tramps = 0;
}

/* Early at boot no page is executable; later, no other plan need come to move the sites. */
WORLD_CASE(mixed_sites_settle)
{
	unsigned int before;

	world->mixed_is_fine = true;
	world->fail_tramps = 100;
	for (unsigned int h = 0; h < HOOKS - 1; h++)
		put_on_one(h, h % 2 ? h : ALL);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), ALL);
	before = world->patched;
	ftrace_commit_mixed();
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), ALL);
	KUNIT_EXPECT_EQ(test, world->patched, before);
	judge();

	world->fail_tramps = 0;
	ftrace_commit_mixed();
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
	KUNIT_EXPECT_EQ(test, world->patched - before, ALL);
	world->mixed_is_fine = false;
	judge();

	ftrace_commit_mixed();
	KUNIT_EXPECT_EQ(test, world->patched - before, ALL);
}

WORLD_CASE(two_changes_of_a_site_are_one_step)
{
	unsigned int before;

	make_hook(0, 0);
	make_hook(1, FTRACE_NEED_REGS);
	start();
	add_change(0, 1);
	add_change(1, 1);
	before = world->patched;
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->patched - before, ALL);
	judge();

	/* Sites whose hooks stay the same are not patched. */
	start();
	add_change(0, 1);
	before = world->patched;
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->patched, before);
	judge();
}

WORLD_CASE(exclusive_hooks_do_not_meet)
{
	static const u16 kinds[] = { FTRACE_NEED_DIRECT, FTRACE_NEED_IPMODIFY };

	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct ftrace_hook *old, *new;
		unsigned int before;

		make_hook(0, kinds[k]);
		make_hook(1, 0);
		start();
		add_change(0, 1);
		add_change(1, 2);
		KUNIT_EXPECT_EQ(test, apply(), 0);

		make_hook(2, kinds[k]);
		start();
		add_change(2, 3);
		before = world->patched;
		KUNIT_EXPECT_EQ(test, apply(), -EBUSY);
		KUNIT_EXPECT_EQ(test, world->patched, before);
		judge();
		drop_hook(2);

		/* In one plan, an exclusive hook can replace another. */
		old = world->hooks[0];
		new = new_hook(2, kinds[k], old->order);
		new->ops = old->ops;
		if (kinds[k] & FTRACE_NEED_DIRECT)
			new->ops->direct_call = direct_of(2);
		list_add_rcu(&new->list, &old->list);
		world->hooks[2] = new;
		start();
		add_change(2, 1);
		add_change(0, 0);
		before = world->patched;
		KUNIT_EXPECT_EQ(test, apply(), 0);
		KUNIT_EXPECT_EQ(test, world->patched - before, ALL);
		judge();
		drop_hook(0);

		start();
		add_change(1, 0);
		add_change(2, 0);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		drop_hook(1);
		drop_hook(2);
	}
}

WORLD_CASE(exclusive_hooks_do_not_meet_on_mixed_sites)
{
	world->mixed_is_fine = true;
	ftrace_combo_cap = 0;
	make_hook(0, FTRACE_NEED_IPMODIFY);
	make_hook(1, 0);
	start();
	add_change(0, 1);
	add_change(1, 1);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), ALL);

	make_hook(2, FTRACE_NEED_IPMODIFY);
	start();
	add_change(2, 3);
	KUNIT_EXPECT_EQ(test, apply(), -EBUSY);
	judge();
	drop_hook(2);
}

WORLD_CASE(exclusive_hooks_name_their_functions)
{
	/* An exclusive hook must not be on all functions, or all but some. */
	make_hook(1, FTRACE_NEED_IPMODIFY);
	start();
	add_change(1, 1);
	ftrace_filter_put(edit.changes[0].to);
	edit.changes[0].to = ftrace_filter_get(&ftrace_filter_all);
	KUNIT_EXPECT_EQ(test, apply(), -EINVAL);
	drop_hook(1);
}

WORLD_CASE(exclusive_hooks_do_not_meet_in_one_slot)
{
	/* Two exclusive hooks that share a slot meet on every site of its filter. */
	make_hook(0, FTRACE_NEED_IPMODIFY);
	make_hook(1, FTRACE_NEED_IPMODIFY);
	world->ops[1].slot = &world->ops[0].own;
	start();
	add_change(0, 2);
	add_change(1, 2);
	ftrace_filter_put(edit.changes[1].to);
	edit.changes[1].to = ftrace_filter_get(edit.changes[0].to);
	KUNIT_EXPECT_EQ(test, apply(), -EBUSY);
	judge();

	/* With a filter that names no function, they meet on none. */
	start();
	for (unsigned int h = 0; h < 2; h++) {
		add_change(h, 0);
		edit.changes[h].to = ftrace_filter_get(&ftrace_filter_none);
	}
	KUNIT_EXPECT_EQ(test, apply(), 0);
	judge();
	start();
	add_change(0, 0);
	add_change(1, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	drop_hook(0);
	drop_hook(1);
	world->ops[1].slot = NULL;
}

static void set_foreign(u32 site)
{
	world->foreign[site] = true;
	world->text[site] = 0xbad;
}

WORLD_CASE(a_faulty_site_is_left_out)
{
	make_hook(0, 0);
	make_hook(1, 0);
	start();
	add_change(0, 1);
	KUNIT_EXPECT_EQ(test, apply(), 0);

	set_foreign(3);
	set_foreign(70);
	start();
	add_change(1, 1);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->faults, 2);
	KUNIT_EXPECT_TRUE(test, site_of(3)->state & FTRACE_SITE_FAULT);
	KUNIT_EXPECT_TRUE(test, site_of(70)->state & FTRACE_SITE_FAULT);
	judge();

	/* Faulty sites stay left out, and are not reported again. */
	start();
	add_change(0, 0);
	KUNIT_EXPECT_EQ(test, apply(), 0);
	KUNIT_EXPECT_EQ(test, world->faults, 2);
	judge();
	drop_hook(0);
}

WORLD_CASE(unusable_sites_are_not_touched)
{
	site_of(0)->state |= FTRACE_SITE_DEAD;
	for (u32 site = SITES; site < 2 * SITES; site++)
		site_of(site)->state |= FTRACE_SITE_COMING;
	hook_all(0, 0);
	KUNIT_EXPECT_EQ(test, world->patched, ALL - SITES - 1);
	judge();
}

/* Add all sites of @block, which is coming, to the filter of hook @h, without a plan. */
static void wants_block(unsigned int h, u32 block)
{
	struct ftrace_hook *hook = world->hooks[h];

	for (u32 site = block * SITES; site < (block + 1) * SITES; site++)
		world->want[h][site] = true;
	ftrace_filter_put(filter_of(hook));
	rcu_assign_pointer(hook->filter, filter_for(world->want[h], is_exclusive(h)));
}

WORLD_CASE(a_block_that_comes_gets_what_is_wanted)
{
	for (u32 site = SITES; site < 2 * SITES; site++)
		site_of(site)->state |= FTRACE_SITE_COMING;
	for (unsigned int h = 0; h < HOOKS; h++) {
		const bool exclusive = need_of(h) & (FTRACE_NEED_IPMODIFY | FTRACE_NEED_DIRECT);

		make_hook(h, need_of(h));
		start();
		add_change(h, 2);
		/* An exclusive hook is refused there until the block is ready. */
		for (u32 site = SITES; site < 2 * SITES && exclusive; site++) {
			edit.want[h][site] = false;
			edit.target[site] = 0;
		}
		ftrace_filter_put(edit.changes[0].to);
		edit.changes[0].to = filter_for(edit.want[h], exclusive);
		KUNIT_EXPECT_EQ(test, apply(), 0);
		if (exclusive)
			wants_block(h, 1);
	}
	for (u32 site = SITES; site < 2 * SITES; site++)
		site_of(site)->state &= ~FTRACE_SITE_COMING;
	ftrace_commit_block(world->blocks[1], true);
	judge();
}

WORLD_CASE(a_block_that_goes_calls_nobody)
{
	for (unsigned int round = 0; round < 20; round++) {
		u32 before = 0;

		for (int i = 0; i < 10; i++)
			random_change();
		for (u32 site = 0; site < ALL; site++)
			before += site / SITES == 1 && world->text[site] != nop_of(site);
		KUNIT_EXPECT_GT(test, before, 0);
		ftrace_commit_block(world->blocks[1], false);
		for (u32 site = SITES; site < 2 * SITES; site++) {
			KUNIT_EXPECT_EQ(test, world->text[site], nop_of(site));
			KUNIT_EXPECT_EQ(test, site_of(site)->state & FTRACE_SITE_COMBO,
					FTRACE_COMBO_NOP);
			site_of(site)->state |= FTRACE_SITE_COMING;
		}
		judge();
		grace();	/* checks that nobody calls what is freed */

		/* The block comes again. */
		for (u32 site = SITES; site < 2 * SITES; site++)
			site_of(site)->state &= ~FTRACE_SITE_COMING;
		ftrace_commit_block(world->blocks[1], true);
		judge();
	}
}

WORLD_CASE(a_block_that_goes_keeps_nobody_but_under_a_breakpoint)
{
	hook_some(0);
	hold_every_fifth();
	ftrace_commit_block(world->blocks[1], false);
	for (u32 site = SITES; site < 2 * SITES; site++) {
		const bool mixed = world->held[site] && world->want[0][site];

		KUNIT_EXPECT_EQ(test, world->text[site], mixed ? MIXED : nop_of(site));
	}
	ftrace_commit_block(world->blocks[1], true);
	judge();
	all_breakpoints_go();
}

WORLD_CASE(eviction_needs_no_plan)
{
	for (int i = 0; i < 40; i++) {
		unsigned int h = dice(&world->dice, HOOKS);
		struct ftrace_hook *hook = world->hooks[h];

		random_change();
		hook = world->hooks[h];
		if (!hook)
			continue;
		ftrace_filter_put(filter_of(hook));
		rcu_assign_pointer(hook->filter, NULL);
		memset(world->want[h], 0, sizeof(world->want[h]));
		rebuild_all();
		judge();
		drop_hook(h);
	}
}

WORLD_CASE(more_hooks_than_a_combo_takes_are_mixed)
{
	static struct ftrace_hook *many[FTRACE_COMBO_HOOKS + 1];
	struct ftrace_combo *combo = ftrace_combo(FTRACE_COMBO_NOP);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		many[i] = new_hook(0, 0, ++world->order);
		KUNIT_EXPECT_FALSE(test, are_all_mixed());
		rcu_assign_pointer(many[i]->filter, &ftrace_filter_all);
		list_add(&many[i]->list, &fake_hooks);
		combo = ftrace_combo_plus(combo, many[i]);
		KUNIT_EXPECT_EQ(test, combo->id == FTRACE_COMBO_MIXED, i == FTRACE_COMBO_HOOKS);
	}
	KUNIT_EXPECT_TRUE(test, are_all_mixed());
	ftrace_combo_sweep();
	KUNIT_EXPECT_EQ(test, ftrace_combo_nr(), 0);
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		KUNIT_EXPECT_EQ(test, many[i]->nr_combos, 0);
		list_del(&many[i]->list);
		kfree(many[i]);
	}
}

WORLD_CASE(numbers_come_again_before_a_grace_period_ends)
{
	struct ftrace_hook *hook = make_hook(0, 0);

	for (u32 n = 0; n <= FTRACE_COMBO_MAX; n++) {
		struct ftrace_combo *combo = ftrace_combo_plus(ftrace_combo(0), hook);

		KUNIT_EXPECT_GT(test, combo->id, FTRACE_COMBO_MIXED);
		KUNIT_EXPECT_EQ(test, ftrace_combo_ready(combo), 0);
		ftrace_combo_sweep();
		if (combo->id <= FTRACE_COMBO_MIXED)
			break;
	}
	grace();
}

WORLD_CASE(a_site_with_few_enough_hooks_again_comes_back)
{
	static struct ftrace_hook *many[FTRACE_COMBO_HOOKS + 1];
	struct ftrace_change goes = {};
	struct ftrace_plan plan;
	unsigned int i;

	memset(world->want[0], 0, sizeof(world->want[0]));
	world->want[0][0] = true;
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		/* All hooks of the graph tracer are one call of the trampoline. */
		many[i] = new_hook(0, FTRACE_NEED_GRAPH, ++world->order);
		rcu_assign_pointer(many[i]->filter, filter_for(world->want[0], true));
		list_add_rcu(&many[i]->list, &fake_hooks);
	}
	ftrace_commit_block(world->blocks[0], true);
	KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 1);

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		goes.hook = many[i];
		goes.from = filter_of(many[i]);
		KUNIT_EXPECT_EQ(test, ftrace_plan_make(&plan, &goes, 1), 0);
		ftrace_plan_commit(&plan);
		KUNIT_EXPECT_EQ(test, ftrace_combo_mixed_sites(), 0);
		ftrace_filter_put(goes.from);
		rcu_assign_pointer(many[i]->filter, NULL);
	}
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		list_del(&many[i]->list);
		fake_retire(&many[i]->retired, free_hook);
	}
	world->want[0][0] = false;
	judge();
}

WORLD_CASE(the_same_hooks_are_the_same_combo)
{
	struct ftrace_combo *nop = ftrace_combo(FTRACE_COMBO_NOP), *ab, *ba;
	struct ftrace_hook *a = make_hook(0, 0), *b = make_hook(1, 0);
	struct ftrace_hook *both[] = { b, a };

	ab = ftrace_combo_plus(ftrace_combo_plus(nop, a), b);
	ba = ftrace_combo_plus(ftrace_combo_plus(nop, b), a);
	KUNIT_EXPECT_PTR_EQ(test, ab, ba);
	KUNIT_EXPECT_PTR_EQ(test, ab, ftrace_combo_of(both, 2));
	KUNIT_EXPECT_PTR_EQ(test, ab->hooks[0], b);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_combo_plus(ab, a), ab);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_combo_minus(ftrace_combo_minus(ab, a), b), nop);
	ftrace_combo_sweep();
}

/* The world in user space has no dispatch.c. */
#if defined(CONFIG_FTRACE_COMBO) && defined(CONFIG_FUNCTION_GRAPH_TRACER)
#define HAVE_DISPATCHER

static unsigned long told;

static void tell(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *slots,
		 struct ftrace_regs *fregs)
{
	told = (unsigned long)slots;
}

WORLD_CASE(who_is_in_a_combo_that_is_left_calls_the_graph_tracer)
{
	struct ftrace_combo *combo;

	hook_all(3, FTRACE_NEED_GRAPH);
	combo = ftrace_combo(site_of(30)->state & FTRACE_SITE_COMBO);
	hook_all(0, 0);
	KUNIT_EXPECT_EQ(test, combo->nr, 0);

	/* A task may still run its trampoline, which calls this if a hook has a condition. */
	told = 0;
	world->ops[3].func = tell;
	ftrace_graph_if_hook(0, 0, (struct ftrace_ops *)combo, NULL);
	KUNIT_EXPECT_EQ(test, told, BIT(3));
}
#endif

static struct kunit_case change_cases[] = {
	KUNIT_CASE(every_site_calls_whom_it_should),
	KUNIT_CASE(past_the_cap_sites_are_mixed_and_come_back),
	KUNIT_CASE(cap_counts_what_a_plan_leaves),
	KUNIT_CASE(past_the_cap_the_first_sets_have_combos),
	KUNIT_CASE(each_of_many_sets_has_a_number),
	KUNIT_CASE(mixed_sites_come_back_with_any_plan_that_leaves_room),
	KUNIT_CASE(without_trampolines_sites_are_mixed),
	KUNIT_CASE(mixed_sites_settle),
	KUNIT_CASE(two_changes_of_a_site_are_one_step),
	KUNIT_CASE(exclusive_hooks_do_not_meet),
	KUNIT_CASE(exclusive_hooks_do_not_meet_on_mixed_sites),
	KUNIT_CASE(exclusive_hooks_name_their_functions),
	KUNIT_CASE(exclusive_hooks_do_not_meet_in_one_slot),
	KUNIT_CASE(a_faulty_site_is_left_out),
	KUNIT_CASE(unusable_sites_are_not_touched),
	KUNIT_CASE(a_held_site_goes_to_the_mixed_combo_and_comes_back),
	KUNIT_CASE(a_site_that_is_off_is_held_and_comes_back),
	KUNIT_CASE(a_held_site_that_needs_nothing_is_released),
	KUNIT_CASE(a_breakpoint_that_goes_meanwhile_is_no_trouble),
	KUNIT_CASE(breakpoints_come_and_go),
	KUNIT_CASE(a_trampoline_under_a_whole_breakpoint_is_kept),
	KUNIT_CASE(other_sites_of_such_a_trampoline_get_another),
	KUNIT_CASE(other_sites_leave_a_jump_to_the_mixed_trampoline),
	KUNIT_CASE(whole_breakpoints_come_and_go),
	KUNIT_CASE(an_exclusive_hook_joins_a_call_under_a_whole_breakpoint),
	KUNIT_CASE(a_direct_call_under_a_whole_breakpoint_is_given_up),
	KUNIT_CASE(exclusive_hooks_are_refused_on_sites_that_cannot_be_changed),
	KUNIT_CASE(an_exclusive_hook_joins_a_call_under_a_breakpoint),
	KUNIT_CASE(an_exclusive_hook_that_misses_a_site_leaves_all),
#ifdef CONFIG_FTRACE_DISCOVER
	KUNIT_CASE(armed_sites_become_nops_or_are_hooked),
	KUNIT_CASE(armed_sites_get_the_hooks_that_want_them),
	KUNIT_CASE(armed_sites_get_all_hooks_with_the_first_that_comes),
	KUNIT_CASE(other_plans_leave_armed_sites_that_they_do_not_hook),
	KUNIT_CASE(armed_sites_under_a_breakpoint_stay_armed),
	KUNIT_CASE(armed_sites_with_other_bytes_are_left_out),
	KUNIT_CASE(an_exclusive_hook_gets_armed_sites),
	KUNIT_CASE(sites_are_armed_and_disarmed_at_random),
#ifdef CONFIG_FTRACE_DISCOVER
	KUNIT_CASE(covered_sites_are_uncovered_before_they_call),
	KUNIT_CASE(a_site_that_stays_covered_stays_off_until_it_can_be_hooked),
#endif
#endif
	KUNIT_CASE(targets_differ_from_site_to_site),
	KUNIT_CASE(targets_come_with_their_sites),
	KUNIT_CASE(mixed_sites_find_their_targets),
	KUNIT_CASE(a_target_that_misses_a_site_reaches_none),
	KUNIT_CASE(a_target_changes_under_a_breakpoint),
	KUNIT_CASE(a_target_that_has_left_does_not_come_back),
	KUNIT_CASE(a_held_site_is_no_reason_to_refuse_another),
#ifdef HAVE_DISPATCHER
	KUNIT_CASE(who_is_in_a_combo_that_is_left_calls_the_graph_tracer),
#endif
	KUNIT_CASE(a_jump_under_a_breakpoint_goes_on),
	KUNIT_CASE(a_jump_under_a_breakpoint_is_switched_off),
	KUNIT_CASE(a_breakpoint_that_comes_to_a_jump_keeps_its_target),
	KUNIT_CASE(a_jump_that_keeps_its_target_refuses_no_other),
	KUNIT_CASE(tables_are_sorted_by_sites),
	KUNIT_CASE(einval_tables_that_are_wrong),
	KUNIT_CASE(a_block_that_comes_gets_what_is_wanted),
	KUNIT_CASE(a_block_that_goes_calls_nobody),
	KUNIT_CASE(a_block_that_goes_keeps_nobody_but_under_a_breakpoint),
	KUNIT_CASE(eviction_needs_no_plan),
	KUNIT_CASE(more_hooks_than_a_combo_takes_are_mixed),
	KUNIT_CASE(numbers_come_again_before_a_grace_period_ends),
	KUNIT_CASE(a_site_with_few_enough_hooks_again_comes_back),
	KUNIT_CASE(the_same_hooks_are_the_same_combo),
	KUNIT_CASE(each_of_many_hooks_gets_its_own_site),
	KUNIT_CASE(a_block_that_comes_keeps_its_unusable_sites),
	KUNIT_CASE(sites_remember_that_they_were_hooked),
	KUNIT_CASE(a_held_site_remembers_its_exclusive_hook),
	KUNIT_CASE(an_exclusive_hook_that_misses_a_mixed_site_leaves_all),
	KUNIT_CASE(a_site_that_another_exclusive_hook_loses_is_no_error),
	KUNIT_CASE(an_error_of_an_early_piece_is_an_error),
	KUNIT_CASE(a_breakpoint_that_goes_and_returns_is_held),
	KUNIT_CASE(numbers_of_combos_never_run_out),
	KUNIT_CASE(a_combo_that_was_freed_is_not_found),
	KUNIT_CASE(an_exclusive_hook_names_its_functions),
	KUNIT_CASE(numbers_without_a_site_are_left_out),
	KUNIT_CASE(a_refused_target_leaves_a_jump_under_a_breakpoint),
#ifdef CONFIG_FTRACE_DISCOVER
	KUNIT_CASE(an_exclusive_hook_that_misses_a_covered_site_leaves_all),
#endif
	{}
};

static struct kunit_suite change_suite = {
	.name		= "ftrace_change",
	.test_cases	= change_cases,
};

kunit_test_suite(change_suite);

MODULE_DESCRIPTION("Tests of combos, plans and their commit");
MODULE_LICENSE("GPL");
