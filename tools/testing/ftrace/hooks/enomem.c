// SPDX-License-Identifier: GPL-2.0
/*
 * The same world with every allocation of a plan failing in its turn: the plan
 * is refused and nothing has changed, or it does without. Either way, the next
 * one is as good as any.
 */
#include "tests/change_kunit.c"

struct mutex ftrace_lock;

void ftrace_direct_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			struct ftrace_regs *fregs)
{
}

void ftrace_graph_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			  struct ftrace_regs *fregs)
{
}

/* A change that is tried until no allocation of it fails any more. */
static unsigned int stubborn_change(struct kunit *test)
{
	unsigned int failures = 0, h = dice(&world->dice, HOOKS);
	int err = -ENOMEM;
	bool goes;

	goes = world->hooks[h] && !dice(&world->dice, 3);
	if (!world->hooks[h])
		make_hook(h, need_of(h));
	start();
	add_change(h, goes ? 0 : 1 + dice(&world->dice, 40));

	for (long n = 1; err; n++) {
		ftrace_filter_get(edit.changes[0].to);
		shim_failed = false;
		shim_fail_in = n;
		err = apply();
		shim_fail_in = 0;
		if (err) {
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
			KUNIT_EXPECT_TRUE(test, shim_failed);
			failures++;
		} else {
			ftrace_filter_put(edit.changes[0].to);
		}
		judge();
	}
	if (goes)
		drop_hook(h);
	grace();
	return failures;
}

/* The same with the targets of direct calls. */
static unsigned int stubborn_retarget(struct kunit *test)
{
	unsigned int failures = 0;
	int err = -ENOMEM;

	start();
	add_retarget(DIRECT, 1 + dice(&world->dice, 9));
	for (long n = 1; err; n++) {
		ftrace_filter_get(edit.changes[0].to);
		shim_fail_in = n;
		err = apply();
		shim_fail_in = 0;
		if (err) {
			KUNIT_EXPECT_EQ(test, err, -ENOMEM);
			failures++;
		} else {
			ftrace_filter_put(edit.changes[0].to);
		}
		judge();
	}
	grace();
	return failures;
}

WORLD_CASE(no_memory_changes_no_target)
{
	unsigned int failures = 0;

	world->mixed_is_fine = true;
	for (int i = 0; i < 100; i++) {
		failures += stubborn_change(test);
		if (world->hooks[DIRECT])
			failures += stubborn_retarget(test);
	}
	KUNIT_EXPECT_GT(test, failures, 200);
}

WORLD_CASE(no_memory_for_a_table)
{
	static struct ftrace_func_entry entries[ALL];
	unsigned int failures = 0;
	struct ftrace_targets t;
	struct hlist_head head;
	u32 n = make_entries(entries, &head);
	int err = -ENOMEM;

	for (long k = 1; err; k++) {
		shim_fail_in = k;
		err = ftrace_targets_make(&t, &head, n);
		shim_fail_in = 0;
		failures += !!err;
		KUNIT_EXPECT_TRUE(test, err == -ENOMEM || !err);
		KUNIT_EXPECT_EQ(test, !err, !!t.sites);
	}
	KUNIT_EXPECT_GT(test, failures, 3);
	shim_fail_in = 1;
	KUNIT_EXPECT_EQ(test, ftrace_targets_keep(&t, t.sites), 0);
	ftrace_targets_drop(&t);
	shim_fail_in = 0;
}

WORLD_CASE(no_memory_changes_nothing)
{
	unsigned int failures = 0;

	world->mixed_is_fine = true;
	for (int i = 0; i < 400; i++)
		failures += stubborn_change(test);
	KUNIT_EXPECT_GT(test, failures, 400);
}

WORLD_CASE(a_block_comes_and_goes_without_memory)
{
	world->mixed_is_fine = true;
	for (int i = 0; i < 20; i++)
		random_change();
	for (long n = 1; n < 20; n++) {
		shim_fail_in = n;
		ftrace_commit_block(world->blocks[1], false);
		for (u32 site = SITES; site < 2 * SITES; site++)
			KUNIT_EXPECT_EQ(test, world->text[site], nop_of(site));
		shim_fail_in = n;
		ftrace_commit_block(world->blocks[1], true);
		shim_fail_in = 0;
		judge();
	}
}

WORLD_CASE(who_goes_can_go_without_memory)
{
	world->mixed_is_fine = true;
	for (int i = 0; i < 30; i++)
		random_change();
	for (unsigned int h = 0; h < HOOKS; h++) {
		struct ftrace_hook *hook = world->hooks[h];

		if (!hook)
			continue;
		ftrace_filter_put(filter_of(hook));
		hook->filter = NULL;
		memset(world->want[h], 0, sizeof(world->want[h]));
		for (long n = 1; n < 20; n++) {
			shim_fail_in = n;
			rebuild_all();
			shim_fail_in = 0;
		}
		judge();
		drop_hook(h);
	}
}

/* Sites stay mixed as long as there is no memory, and settle when there is. */
WORLD_CASE(no_memory_to_settle)
{
	unsigned int failures = 0;
	long n;

	world->mixed_is_fine = true;
	world->fail_tramps = 100;
	for (unsigned int h = 0; h < HOOKS - 1; h++)
		put_on_one(h, h % 2 ? h : ALL);
	world->fail_tramps = 0;
	for (n = 1; ftrace_combo_mixed_sites(); n++) {
		shim_fail_in = n;
		ftrace_commit_mixed();
		shim_fail_in = 0;
		failures += ftrace_combo_mixed_sites() > 0;
		judge();
	}
	KUNIT_EXPECT_GT(test, failures, 3);
}

/* set_cap() is init code, which a kernel has freed when its tests run. */
WORLD_CASE(the_cap_is_a_parameter)
{
	static const struct {
		char *text;
		unsigned int cap;
	} words[] = {
		{ "0x40", 64 }, { "128", 128 }, { "010", 8 }, { "0", 0 },
		{ "", 77 }, { "many", 77 }, { "7 or so", 77 }, { NULL, 77 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		ftrace_combo_cap = 77;
		KUNIT_EXPECT_EQ(test, set_cap(words[i].text), 0);
		KUNIT_EXPECT_EQ(test, ftrace_combo_cap, words[i].cap);
	}
}

static struct kunit_case enomem_cases[] = {
	KUNIT_CASE(the_cap_is_a_parameter),
	KUNIT_CASE(no_memory_changes_nothing),
	KUNIT_CASE(no_memory_changes_no_target),
	KUNIT_CASE(no_memory_for_a_table),
	KUNIT_CASE(a_block_comes_and_goes_without_memory),
	KUNIT_CASE(who_goes_can_go_without_memory),
	KUNIT_CASE(no_memory_to_settle),
	{}
};

static struct kunit_suite enomem_suite = {
	.name		= "ftrace_change_enomem",
	.test_cases	= enomem_cases,
};
kunit_test_suite(enomem_suite);
