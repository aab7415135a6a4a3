// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of probes: order, adding and removing.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "../funcs.h"

static int func_a, func_b, func_c;

static const struct tracepoint_func low = { &func_a, &func_a, -1 };
static const struct tracepoint_func mid = { &func_b, &func_a, 0 };
static const struct tracepoint_func mid_too = { &func_b, &func_b, 0 };
static const struct tracepoint_func high = { &func_c, NULL, 7 };

/* Replace an array by one with one probe more. */
static struct tracepoint_func *grown(struct kunit *test,
				     struct tracepoint_func *old,
				     const struct tracepoint_func *probe)
{
	struct tracepoint_func *new = tp_funcs_add(old, probe);

	KUNIT_ASSERT_NOT_NULL(test, new);
	if (old)
		kfree(tp_funcs_block(old));
	return new;
}

static struct tracepoint_func *three(struct kunit *test)
{
	struct tracepoint_func *funcs = grown(test, NULL, &mid);

	funcs = grown(test, funcs, &low);
	return grown(test, funcs, &high);
}

static void expect_probe(struct kunit *test, const struct tracepoint_func *have,
			 const struct tracepoint_func *want)
{
	KUNIT_EXPECT_PTR_EQ(test, have->func, want->func);
	KUNIT_EXPECT_PTR_EQ(test, have->data, want->data);
	KUNIT_EXPECT_EQ(test, have->prio, want->prio);
}

static void no_array_has_no_probes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, tp_funcs_count(NULL), 0);
	KUNIT_EXPECT_FALSE(test, tp_funcs_has(NULL, &func_a, NULL));
	KUNIT_EXPECT_FALSE(test, tp_funcs_same_first(NULL, NULL));
}

static void higher_priority_comes_first(struct kunit *test)
{
	struct tracepoint_func *funcs = three(test);

	KUNIT_EXPECT_EQ(test, tp_funcs_count(funcs), 3);
	expect_probe(test, &funcs[0], &high);
	expect_probe(test, &funcs[1], &mid);
	expect_probe(test, &funcs[2], &low);
	KUNIT_EXPECT_NULL(test, funcs[3].func);
	kfree(tp_funcs_block(funcs));
}

static void equal_priority_keeps_the_order_of_coming(struct kunit *test)
{
	struct tracepoint_func *funcs = grown(test, three(test), &mid_too);

	expect_probe(test, &funcs[1], &mid);
	expect_probe(test, &funcs[2], &mid_too);
	kfree(tp_funcs_block(funcs));
}

static void same_function_with_other_data_is_another_probe(struct kunit *test)
{
	struct tracepoint_func *funcs = three(test);

	KUNIT_EXPECT_TRUE(test, tp_funcs_has(funcs, mid.func, mid.data));
	KUNIT_EXPECT_FALSE(test, tp_funcs_has(funcs, mid_too.func, mid_too.data));
	kfree(tp_funcs_block(funcs));
}

static void adding_leaves_the_old_array_alone(struct kunit *test)
{
	struct tracepoint_func *old = three(test), *new;

	new = tp_funcs_add(old, &mid_too);
	KUNIT_ASSERT_NOT_NULL(test, new);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(old), 3);
	expect_probe(test, &old[2], &low);
	KUNIT_EXPECT_TRUE(test, tp_funcs_same_first(old, new));
	kfree(tp_funcs_block(old));
	kfree(tp_funcs_block(new));
}

static void removal_takes_the_right_one(struct kunit *test)
{
	struct tracepoint_func *old = three(test), *new;

	new = tp_funcs_alloc_less(old);
	KUNIT_ASSERT_NOT_NULL(test, new);
	tp_funcs_copy_without(new, old, mid.func, mid.data);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(new), 2);
	expect_probe(test, &new[0], &high);
	expect_probe(test, &new[1], &low);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(old), 3);
	kfree(tp_funcs_block(old));
	kfree(tp_funcs_block(new));
}

static void removal_of_the_first_changes_the_beginning(struct kunit *test)
{
	struct tracepoint_func *old = three(test), *new;

	new = tp_funcs_alloc_less(old);
	KUNIT_ASSERT_NOT_NULL(test, new);
	tp_funcs_copy_without(new, old, high.func, high.data);
	KUNIT_EXPECT_FALSE(test, tp_funcs_same_first(old, new));
	kfree(tp_funcs_block(old));
	kfree(tp_funcs_block(new));
}

/* Removals alternate between the halves of one block, down to a single probe. */
static void removal_without_memory_uses_the_other_half(struct kunit *test)
{
	struct tracepoint_func *funcs = three(test), *two, *one;
	struct tp_block *block = tp_funcs_block(funcs);

	two = tp_funcs_other_half(funcs);
	KUNIT_EXPECT_PTR_NE(test, two, funcs);
	tp_funcs_copy_without(two, funcs, high.func, high.data);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(two), 2);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(funcs), 3);
	KUNIT_EXPECT_PTR_EQ(test, tp_funcs_block(two), block);

	one = tp_funcs_other_half(two);
	KUNIT_EXPECT_PTR_EQ(test, one, funcs);
	tp_funcs_copy_without(one, two, mid.func, mid.data);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(one), 1);
	expect_probe(test, &one[0], &low);
	expect_probe(test, &two[0], &mid);
	kfree(block);
}

static void unpublished_array_shrinks_in_its_place(struct kunit *test)
{
	struct tracepoint_func *funcs = three(test);
	struct tp_block *block = tp_funcs_block(funcs);

	tp_funcs_copy_without(funcs, funcs, high.func, high.data);
	KUNIT_EXPECT_EQ(test, tp_funcs_count(funcs), 2);
	KUNIT_EXPECT_PTR_EQ(test, tp_funcs_block(funcs), block);
	tp_funcs_copy_without(funcs, funcs, low.func, low.data);
	expect_probe(test, &funcs[0], &mid);
	KUNIT_EXPECT_NULL(test, funcs[1].func);
	kfree(block);
}

static struct kunit_case funcs_cases[] = {
	KUNIT_CASE(no_array_has_no_probes),
	KUNIT_CASE(higher_priority_comes_first),
	KUNIT_CASE(equal_priority_keeps_the_order_of_coming),
	KUNIT_CASE(same_function_with_other_data_is_another_probe),
	KUNIT_CASE(adding_leaves_the_old_array_alone),
	KUNIT_CASE(removal_takes_the_right_one),
	KUNIT_CASE(removal_of_the_first_changes_the_beginning),
	KUNIT_CASE(removal_without_memory_uses_the_other_half),
	KUNIT_CASE(unpublished_array_shrinks_in_its_place),
	{ }
};

static struct kunit_suite funcs_suite = {
	.name = "tracepoint_funcs",
	.test_cases = funcs_cases,
};

kunit_test_suite(funcs_suite);
