// SPDX-License-Identifier: GPL-2.0
/* Filters, compared with arrays of bool. */
#include "model.h"
#include "../sites/filter.h"

struct models {
	struct model only, except, from, to, delta;
};

static struct models *models(struct kunit *test)
{
	struct models *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	return m;
}

static void all_and_nothing_are_two_things(struct kunit *test)
{
	struct ftrace_filter *nothing = ftrace_filter_make(false, NULL, NULL);
	struct ftrace_filter *all = ftrace_filter_make(true, NULL, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(nothing));
	KUNIT_EXPECT_PTR_EQ(test, all, &ftrace_filter_all);
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(nothing, 0));
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(all, 0));
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(all, 1000000));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(NULL, 0));
	ftrace_filter_put(nothing);
	ftrace_filter_put(all);
	ftrace_filter_put(NULL);
}

/* "All" has no reference count, so one put too many does not free it. */
static void all_is_never_freed(struct kunit *test)
{
	for (u32 i = 0; i < 10; i++)
		ftrace_filter_put(&ftrace_filter_all);
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(&ftrace_filter_all, 1));
	KUNIT_EXPECT_PTR_EQ(test, ftrace_filter_get(&ftrace_filter_all), &ftrace_filter_all);
}

static void exceptions_win(struct kunit *test)
{
	struct ftrace_filter *f;

	f = ftrace_filter_make(true, NULL, ftrace_siteset_range(10, 20));
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f));
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(f, 9));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(f, 10));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(f, 19));
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(f, 20));
	ftrace_filter_put(f);

	f = ftrace_filter_make(false, ftrace_siteset_range(15, 30),
			       ftrace_siteset_range(10, 20));
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(f, 9));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(f, 15));
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(f, 20));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(f, 30));
	ftrace_filter_put(f);
}

/* "All" ignores @only, and drops it. */
static void all_drops_the_list(struct kunit *test)
{
	struct ftrace_filter *f;

	f = ftrace_filter_make(true, ftrace_siteset_range(1, 5), ftrace_siteset_range(3, 4));
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f));
	KUNIT_EXPECT_NULL(test, f->only);
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(f, 100));
	KUNIT_EXPECT_FALSE(test, ftrace_filter_has(f, 3));
	ftrace_filter_put(f);
}

/* A random filter, or NULL; @truth gets its members. */
static struct ftrace_filter *some_filter(struct kunit *test, struct models *m,
					 struct model *truth, u64 *state)
{
	static const u32 densities[] = { 0, 1, 2, 40, 300 };
	const u32 kind = dice(state, 6);
	struct ftrace_filter *f;

	model_fill(&m->only, 0, densities[dice(state, ARRAY_SIZE(densities))], state);
	model_fill(&m->except, 0, densities[dice(state, ARRAY_SIZE(densities))], state);
	truth->base = 0;
	for (u32 i = 0; i < MODEL_SIZE; i++)
		truth->has[i] = kind && (kind & 1 || m->only.has[i]) && !m->except.has[i];
	if (!kind)
		return NULL;

	f = ftrace_filter_make(kind & 1, kind & 1 ? NULL : model_set(test, &m->only),
			       model_set(test, &m->except));
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f));
	return f;
}

static void delta_is_that_of_truth(struct kunit *test)
{
	struct models *m = models(test);
	u64 state = 5;

	for (u32 n = 0; n < 400; n++) {
		struct ftrace_siteset *added, *removed;
		struct ftrace_filter *from, *to;
		const u32 end = dice(&state, 4) ? MODEL_SIZE : dice(&state, MODEL_SIZE);
		u32 i;

		from = some_filter(test, m, &m->from, &state);
		to = some_filter(test, m, &m->to, &state);
		for (i = 0; i < MODEL_SIZE; i++) {
			KUNIT_ASSERT_EQ(test, ftrace_filter_has(from, i), m->from.has[i]);
			KUNIT_ASSERT_EQ(test, ftrace_filter_has(to, i), m->to.has[i]);
		}

		KUNIT_ASSERT_EQ(test, ftrace_filter_delta(from, to, end, &added, &removed), 0);
		for (i = 0; i < MODEL_SIZE; i++)
			m->delta.has[i] = i < end && m->to.has[i] && !m->from.has[i];
		model_check(test, &m->delta, added);
		for (i = 0; i < MODEL_SIZE; i++)
			m->delta.has[i] = i < end && m->from.has[i] && !m->to.has[i];
		model_check(test, &m->delta, removed);

		ftrace_siteset_put(added);
		ftrace_siteset_put(removed);
		ftrace_filter_put(from);
		ftrace_filter_put(to);
	}
}

/* Each site is in the part of its condition, if it is in the filter at all. */
static void parts_are_the_whole(struct kunit *test)
{
	struct ftrace_filter *f = ftrace_filter_make(false, ftrace_siteset_range(10, 40),
						     ftrace_siteset_range(20, 22)), *less;
	struct ftrace_siteset *sites = ftrace_siteset_range(15, 25);
	unsigned int pos, n;
	struct ftrace_cond *cond = ftrace_cond_parse("arg1>5", NULL, 0, &pos);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f) || IS_ERR_OR_NULL(sites) ||
			   IS_ERR_OR_NULL(cond));
	f->conds = ftrace_condset_with(NULL, sites, cond);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f->conds));
	KUNIT_EXPECT_EQ(test, ftrace_filter_parts(f), 2);
	KUNIT_EXPECT_NULL(test, ftrace_filter_cond(f, 0));
	KUNIT_EXPECT_PTR_EQ(test, ftrace_filter_cond(f, 1), cond);
	for (n = 0; n < 2; n++) {
		struct ftrace_filter *part = ftrace_filter_part(f, n);

		KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(part));
		KUNIT_EXPECT_NULL(test, part->conds);
		for (u32 i = 0; i < 50; i++)
			KUNIT_EXPECT_EQ(test, ftrace_filter_has(part, i), ftrace_filter_has(f, i) &&
					(n == 1) == ftrace_siteset_has(sites, i));
		ftrace_filter_put(part);
	}

	less = ftrace_filter_without(f, 17, 100);
	KUNIT_EXPECT_TRUE(test, ftrace_condset_of(less->conds, 16));
	KUNIT_EXPECT_FALSE(test, ftrace_condset_of(less->conds, 17));
	ftrace_filter_put(less);
	less = ftrace_filter_without(f, 15, 25);
	KUNIT_EXPECT_NULL(test, less->conds);
	KUNIT_EXPECT_EQ(test, ftrace_filter_parts(less), 1);
	ftrace_filter_put(less);

	ftrace_filter_put(f);
	ftrace_siteset_put(sites);
	ftrace_cond_put(cond);
}

static void delta_to_itself_is_empty(struct kunit *test)
{
	struct ftrace_siteset *added, *removed;

	KUNIT_EXPECT_EQ(test, ftrace_filter_delta(&ftrace_filter_all, &ftrace_filter_all, 1000,
						  &added, &removed), 0);
	KUNIT_EXPECT_NULL(test, added);
	KUNIT_EXPECT_NULL(test, removed);
}

static void purge_leaves_no_trace(struct kunit *test)
{
	struct models *m = models(test);
	u64 state = 6;

	for (u32 n = 0; n < 300; n++) {
		const u32 first = dice(&state, MODEL_SIZE);
		const u32 end = first + dice(&state, MODEL_SIZE - first + 1);
		struct ftrace_filter *f, *less;

		f = some_filter(test, m, &m->from, &state);
		less = ftrace_filter_without(f, first, end);
		KUNIT_EXPECT_EQ(test, !f, !less);
		for (u32 i = 0; f && i < MODEL_SIZE; i++) {
			const bool gone = i >= first && i < end;

			/* A number may be reused for another site: only "all" has it. */
			KUNIT_ASSERT_EQ(test, ftrace_filter_has(less, i),
					gone ? f->all : m->from.has[i]);
			KUNIT_ASSERT_FALSE(test, gone && ftrace_siteset_has(less->only, i));
			KUNIT_ASSERT_FALSE(test, gone && ftrace_siteset_has(less->except, i));
			/* The old filter is unchanged. */
			KUNIT_ASSERT_EQ(test, ftrace_filter_has(f, i), m->from.has[i]);
		}
		ftrace_filter_put(f);
		ftrace_filter_put(less);
	}
}

static void purge_of_strangers_changes_nothing(struct kunit *test)
{
	struct ftrace_filter *f, *same;

	f = ftrace_filter_make(false, ftrace_siteset_range(10, 20), NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(f));
	same = ftrace_filter_without(f, 20, 50);
	KUNIT_EXPECT_PTR_EQ(test, same, f);
	ftrace_filter_put(same);
	ftrace_filter_put(f);
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(all_and_nothing_are_two_things),
	KUNIT_CASE(all_is_never_freed),
	KUNIT_CASE(exceptions_win),
	KUNIT_CASE(all_drops_the_list),
	KUNIT_CASE(parts_are_the_whole),
	KUNIT_CASE(delta_is_that_of_truth),
	KUNIT_CASE(delta_to_itself_is_empty),
	KUNIT_CASE(purge_leaves_no_trace),
	KUNIT_CASE(purge_of_strangers_changes_nothing),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "ftrace_filter",
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);
