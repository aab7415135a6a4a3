// SPDX-License-Identifier: GPL-2.0
/* Record slots: what the taker finds in them, and what it leaves there. */
#include <kunit/test.h>
#include <linux/compiler.h>

#include "../discover/records.h"

#define BUCKETS		8
#define TEXT		0xffffffff81000000UL

struct tables {
	struct list_head list;
	struct ftrace_records *of[2];
};

static void make(struct kunit *test, struct tables *t)
{
	INIT_LIST_HEAD(&t->list);
	for (int i = 0; i < 2; i++) {
		t->of[i] = ftrace_records_make(BUCKETS);
		KUNIT_ASSERT_NOT_NULL(test, t->of[i]);
		list_add_tail(&t->of[i]->list, &t->list);
	}
}

static void drop(struct tables *t)
{
	ftrace_records_free(t->of[0]);
	ftrace_records_free(t->of[1]);
}

/* As the recorder does it. Returns false if the address is skipped. */
static bool record(struct ftrace_records *table, unsigned long addr)
{
	unsigned long *slots = (void *)table->slots + (addr & ftrace_records_mask(BUCKETS));

	for (int i = 0; i < FTRACE_RECORDS_WAYS; i++) {
		if (!slots[i])
			slots[i] = addr;
		if (slots[i] == addr)
			return true;
	}
	return false;
}

static void empty_tables_give_nothing(struct kunit *test)
{
	struct ftrace_take take;
	struct tables t;

	make(test, &t);
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&t.list), 0);
	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &t.list), 0);
	KUNIT_EXPECT_EQ(test, take.nr, 0);
	ftrace_take_drop(&take);
	drop(&t);
}

/* Each bucket takes two addresses; the last bucket is in the table, too. */
static void every_slot_can_be_filled(struct kunit *test)
{
	struct tables t;
	unsigned long i;

	make(test, &t);
	for (i = 0; i < 2 * BUCKETS; i++)
		KUNIT_EXPECT_TRUE(test, record(t.of[0], TEXT + 16 * i + 5));
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&t.list), t.of[0]->nr);
	KUNIT_EXPECT_FALSE(test, record(t.of[0], TEXT + 16 * i + 5));
	drop(&t);
}

static void take_is_ascending(struct kunit *test)
{
	struct ftrace_take take;
	struct tables t;
	u32 i;

	make(test, &t);
	for (i = 0; i < 2 * BUCKETS; i++)
		record(t.of[i % 2], TEXT + 16 * (i * 7 % (2 * BUCKETS)) + 5);
	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &t.list), 0);
	KUNIT_EXPECT_EQ(test, take.nr, 2 * BUCKETS);
	for (i = 0; i < take.nr; i++) {
		KUNIT_EXPECT_EQ(test, take.records[i].addr, TEXT + 16 * i + 5);
		KUNIT_EXPECT_EQ(test, *take.records[i].slot, take.records[i].addr);
		KUNIT_EXPECT_EQ(test, ftrace_take_same(&take, i), i + 1);
	}
	ftrace_take_drop(&take);
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&t.list), 2 * BUCKETS);
	drop(&t);
}

static void address_of_several_cpus_is_one_run(struct kunit *test)
{
	struct ftrace_take take;
	struct tables t;

	make(test, &t);
	record(t.of[0], TEXT + 5);
	record(t.of[0], TEXT + 21);
	record(t.of[1], TEXT + 21);
	record(t.of[1], TEXT + 37);
	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &t.list), 0);
	KUNIT_EXPECT_EQ(test, take.nr, 4);
	KUNIT_EXPECT_EQ(test, ftrace_take_same(&take, 0), 1);
	KUNIT_EXPECT_EQ(test, ftrace_take_same(&take, 1), 3);
	KUNIT_EXPECT_EQ(test, ftrace_take_same(&take, 3), 4);
	ftrace_take_release(&take, 1, 3);
	ftrace_take_drop(&take);
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&t.list), 2);
	drop(&t);
}

static void what_comes_later_stays(struct kunit *test)
{
	struct ftrace_take take;
	struct tables t;

	make(test, &t);
	record(t.of[0], TEXT + 5);
	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &t.list), 0);
	record(t.of[0], TEXT + 16 * BUCKETS + 5);
	ftrace_take_release(&take, 0, take.nr);
	ftrace_take_drop(&take);

	KUNIT_EXPECT_EQ(test, ftrace_take_make(&take, &t.list), 0);
	KUNIT_EXPECT_EQ(test, take.nr, 1);
	KUNIT_EXPECT_EQ(test, take.records[0].addr, TEXT + 16 * BUCKETS + 5);
	ftrace_take_drop(&take);
	drop(&t);
}

/* The last call of a text returns to its end, the first one behind its start. */
static void purge_frees_one_text(struct kunit *test)
{
	struct tables t;

	make(test, &t);
	record(t.of[0], TEXT);
	record(t.of[0], TEXT + 16);
	record(t.of[1], TEXT + 1);
	record(t.of[1], TEXT + 32);
	record(t.of[1], TEXT + 48);
	ftrace_records_purge(&t.list, TEXT, TEXT + 32);
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&t.list), 2);
	KUNIT_EXPECT_TRUE(test, t.of[0]->slots[0] == TEXT);
	ftrace_records_purge(&t.list, TEXT + 32, TEXT + 64);
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&t.list), 1);
	drop(&t);
}

static struct kunit_case records_cases[] = {
	KUNIT_CASE(empty_tables_give_nothing),
	KUNIT_CASE(every_slot_can_be_filled),
	KUNIT_CASE(take_is_ascending),
	KUNIT_CASE(address_of_several_cpus_is_one_run),
	KUNIT_CASE(what_comes_later_stays),
	KUNIT_CASE(purge_frees_one_text),
	{}
};

static struct kunit_suite records_suite = {
	.name = "ftrace_records",
	.test_cases = records_cases,
};

kunit_test_suite(records_suite);
