// SPDX-License-Identifier: GPL-2.0
/* Record slots and found sites without memory. */
#include "page_index.h"
#include "records.h"

/* In the kernel, site.c has it. */
struct mutex ftrace_lock;

static void round_changes_nothing(struct kunit *test)
{
	struct ftrace_take take;
	struct ftrace_records *table;
	LIST_HEAD(tables);

	shim_fail_in = 1;
	KUNIT_EXPECT_NULL(test, ftrace_records_make(4));
	table = ftrace_records_make(4);
	KUNIT_ASSERT_NOT_NULL(test, table);
	list_add_tail(&table->list, &tables);
	table->slots[3] = 0x1005;

	shim_fail_in = 1;
	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &tables), -ENOMEM);
	KUNIT_EXPECT_EQ(test, take.nr, 0);
	ftrace_take_drop(&take);
	KUNIT_EXPECT_EQ(test, table->slots[3], 0x1005);
	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &tables), 0);
	KUNIT_EXPECT_EQ(test, take.nr, 1);
	ftrace_take_drop(&take);
	ftrace_records_free(table);
}

/* Sites in three pages, of which one has a site already. */
static void index_changes_nothing(struct kunit *test)
{
	const struct ftrace_index_site old = { .offset = 64, .nr = 1 };
	const struct ftrace_index_site new[] = { { 16, 2 }, { 80, 3 }, { 5000, 4 }, { 9000, 5 } };
	struct ftrace_index_change change;
	struct ftrace_page_index *index;
	long n;

	shim_fail_in = 1;
	KUNIT_EXPECT_NULL(test, ftrace_index_make(0, 3 * PAGE_SIZE));
	index = ftrace_index_make(0, 3 * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, index);

	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, ftrace_index_prepare(&change, index, &old, 1), 0);
	ftrace_index_publish(&change);
	for (n = 1; shim_fail_in = n, ftrace_index_prepare(&change, index, new, 4); n++) {
		KUNIT_EXPECT_EQ(test, ftrace_index_from(index, 0)->offset, 64);
		KUNIT_EXPECT_NULL(test, ftrace_index_from(index, 65));
	}
	shim_fail_in = 0;
	KUNIT_EXPECT_EQ(test, n, 6);
	ftrace_index_publish(&change);
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, ftrace_index_from(index, 5001)->nr, 5);
	ftrace_index_free(index);
}

static struct kunit_case enomem_cases[] = {
	KUNIT_CASE(round_changes_nothing),
	KUNIT_CASE(index_changes_nothing),
	{}
};

static struct kunit_suite enomem_suite = {
	.name = "enomem",
	.test_cases = enomem_cases,
};

kunit_test_suite(enomem_suite);
