/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by tests of code without kernel state: dice that fall the same in every
 * run, and plain arrays to compare the real sets with.
 *
 * The tests run in the kernel and, with a handful of headers in place of the
 * kernel's, in user space under sanitisers.
 */
#ifndef _FTRACE_TESTS_MODEL_H
#define _FTRACE_TESTS_MODEL_H

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/slab.h>
#include "../sites/site.h"

/* The site that has a byte at @ip. */
static inline struct ftrace_site_block *ftrace_site_find(unsigned long ip, u32 *i)
{
	return ftrace_site_find_range(ip, ip, i);
}

static inline u32 dice(u64 *state, u32 sides)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*state >> 33) % sides;
}

#define MODEL_SIZE	700

/* Stands for the numbers [base, base + MODEL_SIZE). */
struct model {
	u32 base;
	bool has[MODEL_SIZE];
};

/* About every @sparse-th number; none if @sparse is 0. */
static inline void model_fill(struct model *m, u32 base, u32 sparse, u64 *state)
{
	m->base = base;
	for (u32 i = 0; i < MODEL_SIZE; i++)
		m->has[i] = sparse && !dice(state, sparse);
}

static inline struct ftrace_siteset *model_set(struct kunit *test, const struct model *m)
{
	struct ftrace_siteset_builder b = {};
	struct ftrace_siteset *set;

	for (u32 i = 0; i < MODEL_SIZE; i++) {
		if (m->has[i])
			KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&b, m->base + i), 0);
	}
	set = ftrace_siteset_build(&b);
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	return set;
}

/* Compare the answers of every query of @set with the model. */
static inline void model_check(struct kunit *test, const struct model *m,
			       const struct ftrace_siteset *set)
{
	u32 count = 0, next = FTRACE_NO_SITE;
	u32 nr;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	for (u32 i = MODEL_SIZE; i--; ) {
		if (m->has[i]) {
			next = m->base + i;
			count++;
		}
		KUNIT_ASSERT_EQ(test, ftrace_siteset_has(set, m->base + i), m->has[i]);
		KUNIT_ASSERT_EQ(test, ftrace_siteset_next(set, m->base + i), next);
	}
	KUNIT_EXPECT_EQ(test, ftrace_siteset_count(set), count);
	KUNIT_EXPECT_EQ(test, !set, !count);

	ftrace_siteset_for_each(set, nr)
		count--;
	KUNIT_EXPECT_EQ(test, count, 0);

	if (set) {
		KUNIT_EXPECT_EQ(test, set->first, next);
		KUNIT_EXPECT_TRUE(test, m->has[set->last - m->base]);
		KUNIT_EXPECT_EQ(test, ftrace_siteset_next(set, set->last), set->last);
		KUNIT_EXPECT_EQ(test, ftrace_siteset_next(set, set->last + 1), FTRACE_NO_SITE);
	}
}

#endif /* _FTRACE_TESTS_MODEL_H */
