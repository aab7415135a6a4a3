// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls with a target for each function, on kernel text; and jumps.
 *
 * proves: kernel/trace/ftrace/hooks/direct.c kernel/trace/ftrace/hooks/direct_hash.c
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/linkage.h>
#include <linux/vmalloc.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

#include "hooks/combo.h"
#include "sites/targets.h"
#include "tests/tramp_targets.h"

/* Two targets, which count their calls. */
static unsigned int direct_kunit_calls[2] __used;
void direct_kunit_0(void);
void direct_kunit_1(void);

#define TARGET(name, counter)						\
asm("	.pushsection .text, \"ax\", @progbits\n"			\
"	.balign	16\n"							\
"	.type	" name ", @function\n"					\
"	.globl	" name "\n"						\
name ":\n"								\
	ASM_ENDBR							\
	CALL_DEPTH_ACCOUNT						\
"	incl	" counter "(%rip)\n"					\
	ASM_RET								\
"	.size	" name ", .-" name "\n"					\
"	.popsection\n")

TARGET("direct_kunit_0", "direct_kunit_calls");
TARGET("direct_kunit_1", "direct_kunit_calls+4");

static const unsigned long targets[] = {
	(unsigned long)direct_kunit_0, (unsigned long)direct_kunit_1,
};

static struct ftrace_ops ops;

static void callback(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		     struct ftrace_regs *fregs)
{
	(*(unsigned long *)op->private)++;
}

static unsigned long site_of(void *func)
{
	return ftrace_location((unsigned long)func);
}

typedef int (*update_fn)(struct ftrace_ops *ops, struct ftrace_hash *hash);

static int add(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return update_ftrace_direct_add(ops, hash);
}

static int del(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return update_ftrace_direct_del(ops, hash);
}

static int mod(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return update_ftrace_direct_mod(ops, hash, true);
}

/* Call @how with a table of up to two functions; an address 0 is left out. */
static int update(struct kunit *test, update_fn how, unsigned long ip0, unsigned long target0,
		  unsigned long ip1, unsigned long target1)
{
	struct ftrace_hash *hash = alloc_ftrace_hash(FTRACE_HASH_DEFAULT_BITS);
	int err = -ENOMEM;

	if (hash && (!ip0 || add_ftrace_hash_entry_direct(hash, ip0, target0)) &&
	    (!ip1 || add_ftrace_hash_entry_direct(hash, ip1, target1))) {
		KUNIT_EXPECT_EQ(test, ftrace_hash_count(hash), !!ip0 + !!ip1);
		err = how(&ops, hash);
	}
	free_ftrace_hash(hash);
	return err;
}

static void expect_calls(struct kunit *test, unsigned int calls0, unsigned int calls1)
{
	memset(direct_kunit_calls, 0, sizeof(direct_kunit_calls));
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	KUNIT_EXPECT_EQ(test, calls0, direct_kunit_calls[0]);
	KUNIT_EXPECT_EQ(test, calls1, direct_kunit_calls[1]);
}

static void functions_call_their_own_targets(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target), b = site_of(tramp_target_caller);

	/* Twice: an ops whose last function was removed can be used again. */
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 0, update(test, add, a, targets[0], 0, 0));
		expect_calls(test, 1, 0);
		KUNIT_EXPECT_EQ(test, 0, update(test, add, b, targets[1], 0, 0));
		expect_calls(test, 1, 1);
		KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[1], b, targets[0]));
		expect_calls(test, 1, 1);
		KUNIT_EXPECT_EQ(test, 0, update(test, mod, b, targets[1], 0, 0));
		expect_calls(test, 0, 2);
		KUNIT_EXPECT_EQ(test, 0, update(test, del, a, targets[1], 0, 0));
		expect_calls(test, 0, 1);
		KUNIT_EXPECT_EQ(test, 0, update(test, del, b, targets[1], 0, 0));
		expect_calls(test, 0, 0);
		KUNIT_EXPECT_FALSE(test, ops.flags & FTRACE_OPS_FL_ENABLED);
		KUNIT_EXPECT_FALSE(test, ops.flags & FTRACE_OPS_FL_DIRECT);
	}
}

/* A hook on both functions, to be registered, that counts its calls. */
static struct ftrace_ops *counting_hook(struct kunit *test, unsigned long *calls,
					unsigned long flags)
{
	unsigned long ips[] = { site_of(tramp_target), site_of(tramp_target_caller) };
	struct ftrace_ops *hook = kunit_kzalloc(test, sizeof(*hook), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hook);
	hook->func = callback;
	hook->private = calls;
	hook->flags = flags;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(hook, ips, 2, 0, 0));
	return hook;
}

/* A callback is on the same functions, called by trampolines or by the mixed one. */
static void call_with_callback(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target), b = site_of(tramp_target_caller);
	unsigned long calls = 0;
	struct ftrace_ops *hook = counting_hook(test, &calls, 0);

	KUNIT_EXPECT_EQ(test, 0, update(test, add, a, targets[0], b, targets[1]));
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(hook));
	if (!ftrace_combo_cap)
		KUNIT_EXPECT_GT(test, ftrace_combo_mixed_sites(), 0);
	expect_calls(test, 1, 1);
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[1], 0, 0));
	expect_calls(test, 0, 2);
	KUNIT_EXPECT_EQ(test, calls, 4);
	KUNIT_EXPECT_EQ(test, 0, update(test, del, a, targets[1], 0, 0));
	expect_calls(test, 0, 1);
	KUNIT_EXPECT_EQ(test, calls, 6);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(hook));
	expect_calls(test, 0, 1);
	KUNIT_EXPECT_EQ(test, calls, 6);
	KUNIT_EXPECT_EQ(test, 0, update(test, del, b, targets[1], 0, 0));
	expect_calls(test, 0, 0);
	ftrace_free_filter(hook);
}

static void callbacks_do_not_disturb(struct kunit *test)
{
	call_with_callback(test);
}

static void mixed_functions_call_their_own_targets(struct kunit *test)
{
	const unsigned int cap = ftrace_combo_cap;

	ftrace_combo_cap = 0;
	call_with_callback(test);
	ftrace_combo_cap = cap;
}

static void einval_changes_nothing(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target), b = site_of(tramp_target_caller);
	struct ftrace_ops *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, mod, a, targets[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, del, a, targets[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, 0, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a + 1, targets[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a, targets[0], a, targets[1]));
	KUNIT_EXPECT_FALSE(test, ops.flags & FTRACE_OPS_FL_DIRECT);
	expect_calls(test, 0, 0);

	/* Another ops has the second function. */
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(other, b, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(other, targets[1]));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a, targets[0], b, targets[0]));
	expect_calls(test, 0, 1);

	KUNIT_EXPECT_EQ(test, 0, update(test, add, a, targets[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, b, targets[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a, targets[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, del, a, targets[1], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, del, a, targets[0], b, targets[1]));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_ftrace_direct(&ops, targets[0], false));
	KUNIT_EXPECT_EQ(test, -EINVAL, modify_ftrace_direct(&ops, targets[1]));
	/* Neither can its filter get functions without a target. */
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_set_filter_ip(&ops, site_of(vfree), 0, 0));
	expect_calls(test, 1, 1);

	/* Functions of another ops are skipped. */
	KUNIT_EXPECT_EQ(test, 0, update(test, mod, b, targets[0], 0, 0));
	expect_calls(test, 1, 1);
	KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[1], b, targets[0]));
	expect_calls(test, 0, 2);

	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(other, targets[1], true));
	KUNIT_EXPECT_EQ(test, 0, update(test, del, a, targets[1], 0, 0));
	expect_calls(test, 0, 0);
}

/* All functions of the kernel's text that nothing else has a direct call on. */
static struct ftrace_hash *all_functions(unsigned long target)
{
	struct ftrace_hash *hash = alloc_ftrace_hash(FTRACE_HASH_DEFAULT_BITS);
	struct ftrace_site_block *b;

	guard(mutex)(&ftrace_lock);
	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (u32 i = 0; hash && !b->mod && !b->init && i < b->nr; i++) {
			const u32 state = b->sites[i].state;

			if (state & (FTRACE_SITE_UNUSABLE | FTRACE_SITE_COMBO | FTRACE_SITE_HELD))
				continue;
			if (!add_ftrace_hash_entry_direct(hash, ftrace_site_ip(b, i), target)) {
				free_ftrace_hash(hash);
				hash = NULL;
			}
		}
	}
	return hash;
}

/* A callback on all functions as well: each of them goes through a trampoline. */
static void hook_all(struct kunit *test, unsigned int combos)
{
	struct ftrace_ops *hook = kunit_kzalloc(test, sizeof(*hook), GFP_KERNEL);
	unsigned long calls = 0;

	KUNIT_ASSERT_NOT_NULL(test, hook);
	hook->func = callback;
	hook->private = &calls;
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(hook));
	expect_calls(test, 0, 2);
	KUNIT_EXPECT_GT(test, calls, 2);
	KUNIT_EXPECT_EQ(test, 0, ftrace_combo_mixed_sites());
	KUNIT_EXPECT_LE(test, ftrace_combo_nr(), combos + 4);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(hook));
}

static void every_function_can_have_one(struct kunit *test)
{
	const unsigned long stub = (unsigned long)ftrace_stub_direct_tramp;
	struct ftrace_hash *with_stub = all_functions(stub), *counted = all_functions(targets[1]);
	const unsigned int combos = ftrace_combo_nr();
	const unsigned long a = site_of(tramp_target);

	KUNIT_EXPECT_TRUE(test, with_stub && counted);
	if (with_stub && counted) {
		kunit_info(test, "%lu functions", ftrace_hash_count(with_stub));
		KUNIT_EXPECT_GT(test, ftrace_hash_count(with_stub), 10000);
		KUNIT_EXPECT_EQ(test, 0, update_ftrace_direct_add(&ops, with_stub));
		KUNIT_EXPECT_EQ(test, 0, ftrace_combo_mixed_sites());
		KUNIT_EXPECT_LE(test, ftrace_combo_nr(), combos + 1);
		expect_calls(test, 0, 0);
		KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[0], 0, 0));
		expect_calls(test, 1, 0);
		KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[1],
						site_of(tramp_target_caller), targets[1]));
		hook_all(test, combos);
		expect_calls(test, 0, 2);
		KUNIT_EXPECT_EQ(test, 0, mod(&ops, counted));
		KUNIT_EXPECT_EQ(test, -EINVAL, update_ftrace_direct_del(&ops, with_stub));
		KUNIT_EXPECT_EQ(test, 0, update_ftrace_direct_del(&ops, counted));
		expect_calls(test, 0, 0);
	}
	free_ftrace_hash(with_stub);
	free_ftrace_hash(counted);
}

#include "direct_jumps.h"

static struct kunit_case direct_cases[] = {
	KUNIT_CASE(functions_call_their_own_targets),
	KUNIT_CASE(callbacks_do_not_disturb),
	KUNIT_CASE(mixed_functions_call_their_own_targets),
	KUNIT_CASE(einval_changes_nothing),
	KUNIT_CASE(every_function_can_have_one),
	KUNIT_CASE(a_function_jumps_to_its_target),
	KUNIT_CASE(calls_become_jumps_and_calls_again),
	KUNIT_CASE(one_address_for_all_can_be_jumped_to),
	KUNIT_CASE(callbacks_come_before_the_jump),
	KUNIT_CASE(mixed_functions_jump_to_their_targets),
	KUNIT_CASE(calls_and_jumps_are_switched_live),
	{}
};

static struct kunit_suite direct_suite = {
	.name = "ftrace_direct",
	.test_cases = direct_cases,
};

kunit_test_suite(direct_suite);
