// SPDX-License-Identifier: GPL-2.0
/* Sets of site numbers, compared with arrays of bool. */
#include "model.h"

static const u32 bases[] = { 0, 1, 63, 64, 100000, FTRACE_NO_SITE - MODEL_SIZE };
static const u32 densities[] = { 0, 1, 2, 7, 31, 32, 33, 64, 300 };

#define for_each_kind(base, sparse)						\
	for (const u32 *base = bases; base < bases + ARRAY_SIZE(bases); base++)	\
		for (const u32 *sparse = densities;				\
		     sparse < densities + ARRAY_SIZE(densities); sparse++)

/* Models take more room than a kernel stack should give. */
struct models {
	struct model a, b, result;
};

static struct models *models(struct kunit *test)
{
	struct models *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	return m;
}

/* A walk that skips up to @most members at a time meets them all. */
static void check_walk(struct kunit *test, const struct ftrace_siteset *set, u32 most)
{
	u32 want = set->first, nr, n;
	struct ftrace_siteset_walk walk;

	for (nr = ftrace_siteset_walk_start(&walk, set); nr != FTRACE_NO_SITE;
	     nr = ftrace_siteset_walk_next(&walk)) {
		KUNIT_EXPECT_EQ(test, nr, want);
		n = ftrace_siteset_walk_skip(&walk, nr, most);
		KUNIT_EXPECT_LE(test, n, most);
		for (want = ftrace_siteset_next(set, nr + 1); n--;
		     want = ftrace_siteset_next(set, nr + 1))
			KUNIT_EXPECT_EQ(test, want, ++nr);
	}
	KUNIT_EXPECT_EQ(test, want, FTRACE_NO_SITE);
}

static void members_are_found(struct kunit *test)
{
	struct models *m = models(test);
	u64 state = 1;

	for_each_kind(base, sparse) {
		struct ftrace_siteset *set;

		model_fill(&m->a, *base, *sparse, &state);
		set = model_set(test, &m->a);
		model_check(test, &m->a, set);
		for (u32 most = 0; set && most < 130; most += 3)
			check_walk(test, set, most);
		if (set && *base) {
			KUNIT_EXPECT_FALSE(test, ftrace_siteset_has(set, *base - 1));
			KUNIT_EXPECT_EQ(test, ftrace_siteset_next(set, 0), set->first);
		}
		KUNIT_EXPECT_FALSE(test, ftrace_siteset_has(set, FTRACE_NO_SITE));
		ftrace_siteset_put(set);
	}
}

static void empty_set_is_null(struct kunit *test)
{
	struct ftrace_siteset_builder b = {};
	struct ftrace_siteset *one = ftrace_siteset_range(7, 8);
	u32 nr;

	KUNIT_EXPECT_NULL(test, ftrace_siteset_from(NULL, 0));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_build(&b));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_range(7, 7));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_range(8, 7));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_minus(one, one));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_and(one, NULL));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_or(NULL, NULL));
	KUNIT_EXPECT_NULL(test, ftrace_siteset_without(one, 0, 100));
	KUNIT_EXPECT_EQ(test, ftrace_siteset_count(NULL), 0);
	KUNIT_EXPECT_FALSE(test, ftrace_siteset_has(NULL, 0));
	KUNIT_EXPECT_EQ(test, ftrace_siteset_next(NULL, 0), FTRACE_NO_SITE);
	ftrace_siteset_for_each(NULL, nr)
		KUNIT_FAIL(test, "%u is in the empty set", nr);
	ftrace_siteset_put(NULL);
	ftrace_siteset_put(one);
}

static void check_op(struct kunit *test, struct models *m, struct ftrace_siteset *set)
{
	struct ftrace_siteset *same = model_set(test, &m->result);

	model_check(test, &m->result, set);
	if (set && same) {
		KUNIT_EXPECT_EQ(test, set->first, same->first);
		KUNIT_EXPECT_EQ(test, set->last, same->last);
		KUNIT_EXPECT_EQ(test, set->dense, same->dense);
	}
	ftrace_siteset_put(same);
	ftrace_siteset_put(set);
}

static void algebra_is_that_of_truth(struct kunit *test)
{
	struct models *m = models(test);
	u64 state = 2;

	for_each_kind(base, sparse) {
		for (u32 k = 0; k < ARRAY_SIZE(densities); k++) {
			struct ftrace_siteset *a, *b;
			const u32 cut = dice(&state, MODEL_SIZE);
			const u32 until = dice(&state, MODEL_SIZE);
			u32 i;

			model_fill(&m->a, *base, *sparse, &state);
			model_fill(&m->b, *base, densities[k], &state);
			m->result.base = *base;
			a = model_set(test, &m->a);
			b = model_set(test, &m->b);

			for (i = 0; i < MODEL_SIZE; i++)
				m->result.has[i] = m->a.has[i] || m->b.has[i];
			check_op(test, m, ftrace_siteset_or(a, b));
			for (i = 0; i < MODEL_SIZE; i++)
				m->result.has[i] = m->a.has[i] && m->b.has[i];
			check_op(test, m, ftrace_siteset_and(a, b));
			for (i = 0; i < MODEL_SIZE; i++)
				m->result.has[i] = m->a.has[i] && !m->b.has[i];
			check_op(test, m, ftrace_siteset_minus(a, b));
			for (i = 0; i < MODEL_SIZE; i++)
				m->result.has[i] = m->a.has[i] && !(i >= cut && i < until);
			check_op(test, m, ftrace_siteset_without(a, *base + cut, *base + until));

			/* The operands are unchanged. */
			model_check(test, &m->a, a);
			model_check(test, &m->b, b);
			ftrace_siteset_put(a);
			ftrace_siteset_put(b);
		}
	}
}

static void ranges_have_their_numbers(struct kunit *test)
{
	struct models *m = models(test);
	u64 state = 3;

	for (u32 k = 0; k < ARRAY_SIZE(bases); k++) {
		for (u32 n = 0; n < 200; n++) {
			const u32 first = dice(&state, MODEL_SIZE);
			const u32 end = first + dice(&state, MODEL_SIZE - first + 1);

			m->result.base = bases[k];
			for (u32 i = 0; i < MODEL_SIZE; i++)
				m->result.has[i] = i >= first && i < end;
			check_op(test, m, ftrace_siteset_range(bases[k] + first, bases[k] + end));
		}
	}
}

static void builder_takes_any_order(struct kunit *test)
{
	struct models *m = models(test);
	u64 state = 4;

	for_each_kind(base, sparse) {
		struct ftrace_siteset_builder b = {};

		model_fill(&m->result, *base, 0, &state);
		for (u32 n = *sparse * 3; n; n--) {
			const u32 i = dice(&state, MODEL_SIZE);

			m->result.has[i] = true;
			KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&b, *base + i), 0);
			/* Add some numbers several times. */
			while (!dice(&state, 2))
				KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&b, *base + i), 0);
		}
		check_op(test, m, ftrace_siteset_build(&b));
		KUNIT_EXPECT_EQ(test, b.n, 0);
		KUNIT_EXPECT_NULL(test, b.nrs);
	}
}

/* Duplicates do not count: two numbers make a list. */
static void doubles_do_not_make_it_dense(struct kunit *test)
{
	struct ftrace_siteset_builder b = {};
	struct ftrace_siteset *set;

	for (u32 i = 0; i < 5000; i++)
		KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&b, i % 2 ? 10 : 5000), 0);
	set = ftrace_siteset_build(&b);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(set));
	KUNIT_EXPECT_EQ(test, set->count, 2);
	KUNIT_EXPECT_FALSE(test, set->dense);
	KUNIT_EXPECT_TRUE(test, ftrace_siteset_has(set, 10));
	KUNIT_EXPECT_TRUE(test, ftrace_siteset_has(set, 5000));
	ftrace_siteset_put(set);
}

static void smaller_form_is_taken(struct kunit *test)
{
	u32 far_apart[] = { 3, 100000 };
	struct ftrace_siteset *set = ftrace_siteset_from(far_apart, 2);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(set));
	KUNIT_EXPECT_FALSE(test, set->dense);
	ftrace_siteset_put(set);

	set = ftrace_siteset_range(3, 100000);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(set));
	KUNIT_EXPECT_TRUE(test, set->dense);
	ftrace_siteset_put(set);
}

static void results_share_their_operands(struct kunit *test)
{
	struct ftrace_siteset *all = ftrace_siteset_range(100, 2000);
	struct ftrace_siteset *some = ftrace_siteset_range(200, 300);
	struct ftrace_siteset *others = ftrace_siteset_range(5000, 6000);
	struct ftrace_siteset *set;

#define EXPECT_SHARED(expr, with)				\
do {								\
	set = (expr);						\
	KUNIT_EXPECT_PTR_EQ(test, set, with);			\
	ftrace_siteset_put(set);				\
} while (0)
	EXPECT_SHARED(ftrace_siteset_or(all, some), all);
	EXPECT_SHARED(ftrace_siteset_or(some, all), all);
	EXPECT_SHARED(ftrace_siteset_or(some, NULL), some);
	EXPECT_SHARED(ftrace_siteset_or(NULL, some), some);
	EXPECT_SHARED(ftrace_siteset_or(some, some), some);
	EXPECT_SHARED(ftrace_siteset_and(all, some), some);
	EXPECT_SHARED(ftrace_siteset_and(some, all), some);
	EXPECT_SHARED(ftrace_siteset_and(all, all), all);
	EXPECT_SHARED(ftrace_siteset_minus(all, others), all);
	EXPECT_SHARED(ftrace_siteset_minus(all, NULL), all);
	EXPECT_SHARED(ftrace_siteset_without(all, 0, 100), all);
	EXPECT_SHARED(ftrace_siteset_without(all, 2000, 3000), all);
#undef EXPECT_SHARED

	ftrace_siteset_put(all);
	ftrace_siteset_put(some);
	ftrace_siteset_put(others);
}

static struct kunit_case siteset_cases[] = {
	KUNIT_CASE(empty_set_is_null),
	KUNIT_CASE(members_are_found),
	KUNIT_CASE(algebra_is_that_of_truth),
	KUNIT_CASE(ranges_have_their_numbers),
	KUNIT_CASE(builder_takes_any_order),
	KUNIT_CASE(doubles_do_not_make_it_dense),
	KUNIT_CASE(smaller_form_is_taken),
	KUNIT_CASE(results_share_their_operands),
	{}
};

static struct kunit_suite siteset_suite = {
	.name = "ftrace_siteset",
	.test_cases = siteset_cases,
};

kunit_test_suite(siteset_suite);
