// SPDX-License-Identifier: GPL-2.0
/* The index of found sites, compared with an array of bool. */
#include <kunit/test.h>
#include <linux/mm.h>
#include <asm/ftrace.h>

#include "../sites/page_index.h"

#define START	0xffffffff81000040UL
#define PAGES	5
#define SIZE	(PAGES * PAGE_SIZE - 100)

/* Which offsets have a site; sites do not overlap. */
struct found_model {
	struct ftrace_page_index *index;
	bool at[SIZE];
	struct ftrace_index_site batch[64];
};

static u32 number_of(u32 offset)
{
	return offset * 7 + 3;
}

static struct found_model *make(struct kunit *test)
{
	struct found_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->index = ftrace_index_make(START, START + SIZE);
	KUNIT_ASSERT_NOT_NULL(test, m->index);
	return m;
}

static void drop(struct found_model *m)
{
	ftrace_index_free(m->index);
}

/* Every @every'th offset from @first on, as one batch. */
static int add(struct found_model *m, u32 first, u32 every, u32 nr)
{
	struct ftrace_index_change change;
	u32 i;
	int err;

	for (i = 0; i < nr; i++)
		m->batch[i] = (struct ftrace_index_site){
			.offset = first + i * every, .nr = number_of(first + i * every),
		};
	mutex_lock(&ftrace_lock);
	err = ftrace_index_prepare(&change, m->index, m->batch, nr);
	if (!err)
		ftrace_index_publish(&change);
	mutex_unlock(&ftrace_lock);
	for (i = 0; !err && i < nr; i++)
		m->at[first + i * every] = true;
	return err;
}

/* The offset of the site that covers @offset; SIZE: none does. */
static u32 covering(const struct found_model *m, u32 offset)
{
	u32 i;

	for (i = 0; i < MCOUNT_INSN_SIZE && i <= offset; i++) {
		if (m->at[offset - i])
			return offset - i;
	}
	return SIZE;
}

static void compare(struct kunit *test, const struct found_model *m)
{
	u32 next = SIZE, offset = SIZE;

	while (offset--) {
		const struct ftrace_index_site *at = ftrace_index_at(m->index, START + offset);
		const struct ftrace_index_site *from = ftrace_index_from(m->index, offset);
		const u32 want = covering(m, offset);

		if (m->at[offset])
			next = offset;
		KUNIT_EXPECT_EQ(test, at ? at->offset : SIZE, want);
		KUNIT_EXPECT_EQ(test, from ? from->offset : SIZE, next);
		if (at)
			KUNIT_EXPECT_EQ(test, at->nr, number_of(at->offset));
	}
}

static void empty_index_has_nothing(struct kunit *test)
{
	struct found_model *m = make(test);

	KUNIT_EXPECT_EQ(test, add(m, 0, 0, 0), 0);
	compare(test, m);
	drop(m);
}

static void batches_interleave(struct kunit *test)
{
	struct found_model *m = make(test);
	u32 first;

	for (first = 0; first < 40; first += 8) {
		KUNIT_EXPECT_EQ(test, add(m, first * 9 % 40, 320, 62), 0);
		compare(test, m);
	}
	drop(m);
}

static void sites_across_pages_are_found(struct kunit *test)
{
	struct found_model *m = make(test);

	KUNIT_EXPECT_EQ(test, add(m, PAGE_SIZE - 2, PAGE_SIZE, 3), 0);
	compare(test, m);
	KUNIT_EXPECT_EQ(test, add(m, PAGE_SIZE - 7, PAGE_SIZE, 3), 0);
	KUNIT_EXPECT_EQ(test, add(m, PAGE_SIZE + 3, PAGE_SIZE, 3), 0);
	compare(test, m);
	drop(m);
}

static void ends_of_the_text_are_found(struct kunit *test)
{
	struct found_model *m = make(test);

	KUNIT_EXPECT_EQ(test, add(m, SIZE - MCOUNT_INSN_SIZE, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, add(m, 0, 1, 1), 0);
	compare(test, m);
	drop(m);
}

static void dropped_change_leaves_nothing(struct kunit *test)
{
	struct found_model *m = make(test);
	struct ftrace_index_change change;

	KUNIT_EXPECT_EQ(test, add(m, 16, 32, 10), 0);
	m->batch[0] = (struct ftrace_index_site){ .offset = 32, .nr = 1 };
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, ftrace_index_prepare(&change, m->index, m->batch, 1), 0);
	ftrace_index_drop(&change);
	mutex_unlock(&ftrace_lock);
	compare(test, m);
	drop(m);
}

static struct kunit_case found_cases[] = {
	KUNIT_CASE(empty_index_has_nothing),
	KUNIT_CASE(batches_interleave),
	KUNIT_CASE(sites_across_pages_are_found),
	KUNIT_CASE(ends_of_the_text_are_found),
	KUNIT_CASE(dropped_change_leaves_nothing),
	{}
};

static struct kunit_suite found_suite = {
	.name = "ftrace_page_index",
	.test_cases = found_cases,
};

kunit_test_suite(found_suite);
