// SPDX-License-Identifier: GPL-2.0
/*
 * The same parts with every allocation failing in its turn: an operation that
 * fails says -ENOMEM, leaves its operands as they were and no memory behind
 * (the leak checker looks), and works when it is asked again.
 */

#include "model.h"
#include "filter.h"
#include "site.h"
#include "targets.h"

/*
 * Runs the statements that follow with the first allocation failing, then the
 * second, until none does. They have to continue if one failed, and else break.
 */
#define for_each_failure(n)						\
	for (long n = 1; shim_fail_in = n, shim_failed = false, n; n++)

static bool is_enomem(const void *p)
{
	return IS_ERR(p) && PTR_ERR(p) == -ENOMEM;
}

struct operands {
	struct model a, b;
	struct ftrace_siteset *x, *y;
};

static struct operands *operands(struct kunit *test, u32 sparse_a, u32 sparse_b)
{
	struct operands *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);
	u64 state = 9;

	model_fill(&o->a, 50, sparse_a, &state);
	model_fill(&o->b, 50, sparse_b, &state);
	o->x = model_set(test, &o->a);
	o->y = model_set(test, &o->b);
	return o;
}

static void end_operands(struct kunit *test, struct operands *o)
{
	model_check(test, &o->a, o->x);
	model_check(test, &o->b, o->y);
	ftrace_siteset_put(o->x);
	ftrace_siteset_put(o->y);
}

static void algebra_fails_whole(struct kunit *test)
{
	static struct ftrace_siteset *(* const ops[])(struct ftrace_siteset *,
						      struct ftrace_siteset *) = {
		ftrace_siteset_or, ftrace_siteset_and, ftrace_siteset_minus,
	};
	static const u32 sparse[][2] = { { 2, 3 }, { 100, 2 }, { 2, 100 }, { 50, 60 } };

	for (u32 k = 0; k < ARRAY_SIZE(sparse); k++) {
		struct operands *o = operands(test, sparse[k][0], sparse[k][1]);
		u32 failures = 0;

		for (u32 op = 0; op < ARRAY_SIZE(ops); op++) {
			for_each_failure(n) {
				struct ftrace_siteset *set = ops[op](o->x, o->y);

				KUNIT_EXPECT_EQ(test, shim_failed, is_enomem(set));
				if (shim_failed) {
					failures++;
					continue;
				}
				ftrace_siteset_put(set);
				break;
			}
			shim_fail_in = 0;
		}
		KUNIT_EXPECT_GT(test, failures, 0);
		end_operands(test, o);
	}
}

static void builder_keeps_what_it_had(struct kunit *test)
{
	struct ftrace_siteset_builder b = {};
	struct ftrace_siteset *set;
	u32 failures = 0;

	for (u32 i = 0; i < 1000; i++) {
		shim_fail_in = 1;
		shim_failed = false;
		if (ftrace_siteset_add(&b, i * 3)) {
			KUNIT_EXPECT_TRUE(test, shim_failed);
			KUNIT_EXPECT_EQ(test, b.n, i);
			failures++;
			KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&b, i * 3), 0);
		}
		shim_fail_in = 0;
	}
	KUNIT_EXPECT_GT(test, failures, 3);
	set = ftrace_siteset_build(&b);
	KUNIT_EXPECT_EQ(test, ftrace_siteset_count(set), 1000);
	ftrace_siteset_put(set);
}

static void build_fails_empty(struct kunit *test)
{
	/* In order; dense; many duplicates; few and far between. */
	static const u32 steps[] = { 1, 7, 0, 100003 };

	for (u32 k = 0; k < ARRAY_SIZE(steps); k++) {
		u32 failures = 0;

		for_each_failure(n) {
			struct ftrace_siteset_builder b = {};
			struct ftrace_siteset *set;

			shim_fail_in = 0;
			for (u32 i = 0; i < 1000; i++)
				ftrace_siteset_add(&b, i * steps[k] % (k == 3 ? ~0U : 1000) +
						       (k == 2 && i % 2) * 5000);
			shim_fail_in = n;
			set = ftrace_siteset_build(&b);
			KUNIT_EXPECT_EQ(test, shim_failed, is_enomem(set));
			KUNIT_EXPECT_NULL(test, b.nrs);
			if (shim_failed) {
				failures++;
				continue;
			}
			ftrace_siteset_put(set);
			break;
		}
		shim_fail_in = 0;
		KUNIT_EXPECT_GT(test, failures, 0);
	}
}

static void filter_takes_its_sets_also_when_it_fails(struct kunit *test)
{
	struct ftrace_siteset *only = ftrace_siteset_range(1, 5);
	struct ftrace_siteset *except = ftrace_siteset_range(3, 9);

	shim_fail_in = 1;
	KUNIT_EXPECT_TRUE(test, is_enomem(ftrace_filter_make(false, only, except)));
	shim_fail_in = 1;
	except = ftrace_siteset_range(3, 9);
	KUNIT_EXPECT_TRUE(test, is_enomem(except));
}

static void delta_fails_whole(struct kunit *test)
{
	struct operands *o = operands(test, 3, 5);
	struct ftrace_filter *filters[] = {
		NULL, &ftrace_filter_all,
		ftrace_filter_make(false, ftrace_siteset_get(o->x), NULL),
		ftrace_filter_make(true, NULL, ftrace_siteset_get(o->y)),
		ftrace_filter_make(false, ftrace_siteset_get(o->x), ftrace_siteset_get(o->y)),
	};
	u32 failures = 0;

	for (u32 i = 0; i < ARRAY_SIZE(filters); i++) {
		for (u32 k = 0; k < ARRAY_SIZE(filters); k++) {
			for_each_failure(n) {
				struct ftrace_siteset *added = (void *)1, *removed = (void *)1;
				int err;

				err = ftrace_filter_delta(filters[i], filters[k], 700, &added,
							  &removed);
				KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
				if (shim_failed) {
					KUNIT_EXPECT_NULL(test, added);
					KUNIT_EXPECT_NULL(test, removed);
					failures++;
					continue;
				}
				ftrace_siteset_put(added);
				ftrace_siteset_put(removed);
				break;
			}
			shim_fail_in = 0;
		}
	}
	KUNIT_EXPECT_GT(test, failures, 20);
	for (u32 i = 0; i < ARRAY_SIZE(filters); i++)
		ftrace_filter_put(filters[i]);
	end_operands(test, o);
}

static void purge_never_fails(struct kunit *test)
{
	struct operands *o = operands(test, 2, 90);
	struct ftrace_filter *f, *less;

	f = ftrace_filter_make(false, ftrace_siteset_get(o->x), ftrace_siteset_get(o->y));
	for (long n = 1; n < 5; n++) {
		shim_fail_in = n;
		less = ftrace_filter_without(f, 100, 300);
		KUNIT_EXPECT_FALSE(test, IS_ERR_OR_NULL(less));
		KUNIT_EXPECT_FALSE(test, less == f);
		ftrace_filter_put(less);
	}
	shim_fail_in = 0;
	ftrace_filter_put(f);
	end_operands(test, o);
}

/* A reader that got the filter before the last reference was put still reads it. */
static void filter_outlives_its_readers(struct kunit *test)
{
	struct ftrace_filter *f = ftrace_filter_make(false, ftrace_siteset_range(1, 90), NULL);

	ftrace_filter_put(f);
	KUNIT_EXPECT_TRUE(test, ftrace_filter_has(f, 80));
	rcu_barrier();
}

static void block_fails_whole(struct kunit *test)
{
	const u32 sizes[] = { 3, 3000 };

	guard(mutex)(&ftrace_lock);
	for (u32 k = 0; k < ARRAY_SIZE(sizes); k++) {
		unsigned long *ips = kunit_kzalloc(test, sizes[k] * sizeof(*ips), GFP_KERNEL);
		u32 failures = 0, i;

		for (i = 0; i < sizes[k]; i++)
			ips[i] = 0x1000 + 16 * i;
		for_each_failure(n) {
			const u64 generation = ftrace_site_generation;
			struct ftrace_site_block *b;
			int err;

			b = ftrace_site_block_make(NULL, false, ips, sizes[k], 0x1000, 0x100000, 0);
			if (IS_ERR(b)) {
				KUNIT_EXPECT_TRUE(test, shim_failed && is_enomem(b));
				failures++;
				continue;
			}
			err = ftrace_site_block_publish(b);
			KUNIT_EXPECT_TRUE(test, err == 0 || (err == -ENOMEM && shim_failed));
			if (err) {
				failures++;
				KUNIT_EXPECT_NULL(test, ftrace_site_find(0x1000, &i));
				KUNIT_EXPECT_EQ(test, ftrace_site_generation, generation);
				ftrace_site_block_discard(b);
				continue;
			}
			/* Text is removed whether there is memory or not. */
			shim_fail_in = 1;
			ftrace_site_block_withdraw(b);
			if (!shim_failed)
				break;
		}
		shim_fail_in = 0;
		KUNIT_EXPECT_GT(test, failures, 0);
	}
}

static void withdrawal_needs_no_luck(struct kunit *test)
{
	unsigned long a[] = { 0x1000 }, b[] = { 0x2000 };
	struct ftrace_site_block *x, *y;
	u32 i;

	guard(mutex)(&ftrace_lock);
	x = ftrace_site_block_make(NULL, false, a, 1, 0x1000, 0x2000, 0);
	y = ftrace_site_block_make(NULL, false, b, 1, 0x2000, 0x3000, 0);
	KUNIT_EXPECT_EQ(test, ftrace_site_block_publish(x), 0);
	KUNIT_EXPECT_EQ(test, ftrace_site_block_publish(y), 0);
	shim_fail_in = 1;
	ftrace_site_block_withdraw(x);
	KUNIT_EXPECT_NULL(test, ftrace_site_find(0x1000, &i));
	KUNIT_EXPECT_PTR_EQ(test, ftrace_site_find(0x2000, &i), y);
	ftrace_site_block_withdraw(y);
	shim_fail_in = 0;
	KUNIT_EXPECT_EQ(test, ftrace_site_end(), 0);
}

/* Readers that found a block before it was withdrawn still use it. */
static void block_outlives_its_readers(struct kunit *test)
{
	unsigned long ips[] = { 0x1000, 0x1010 };
	struct ftrace_site_block *b, *found;
	u32 i;

	guard(mutex)(&ftrace_lock);
	b = ftrace_site_block_make(NULL, false, ips, 2, 0x1000, 0x2000, 0);
	KUNIT_EXPECT_EQ(test, ftrace_site_block_publish(b), 0);
	found = ftrace_site_find(0x1012, &i);
	ftrace_site_block_withdraw(b);
	KUNIT_EXPECT_EQ(test, ftrace_site_ip(found, i), 0x1010UL);
	rcu_barrier();
}

static void target_fails_whole(struct kunit *test)
{
	unsigned long ips[] = { 0x1000, 0x1010 };
	struct ftrace_site_block *b;
	u32 failures = 0;

	guard(mutex)(&ftrace_lock);
	b = ftrace_site_block_make(NULL, false, ips, 2, 0x1000, 0x2000, 0);
	KUNIT_EXPECT_EQ(test, ftrace_site_block_publish(b), 0);
	for_each_failure(n) {
		const int err = ftrace_target_stage(b, 1, 77);

		KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
		KUNIT_EXPECT_EQ(test, ftrace_target(b, 1), 0);
		KUNIT_EXPECT_EQ(test, ftrace_target_other(b, 1), err ? 0 : 77);
		if (!err)
			break;
		failures++;
	}
	shim_fail_in = 0;
	KUNIT_EXPECT_EQ(test, failures, 2);

	/* Readers still use targets of a block that was withdrawn. */
	ftrace_target_swap(b, 1);
	ftrace_site_block_withdraw(b);
	KUNIT_EXPECT_EQ(test, ftrace_target(b, 1), 77);
	rcu_barrier();
}

static struct kunit_case enomem_cases[] = {
	KUNIT_CASE(algebra_fails_whole),
	KUNIT_CASE(builder_keeps_what_it_had),
	KUNIT_CASE(build_fails_empty),
	KUNIT_CASE(filter_takes_its_sets_also_when_it_fails),
	KUNIT_CASE(delta_fails_whole),
	KUNIT_CASE(purge_never_fails),
	KUNIT_CASE(filter_outlives_its_readers),
	KUNIT_CASE(block_fails_whole),
	KUNIT_CASE(withdrawal_needs_no_luck),
	KUNIT_CASE(block_outlives_its_readers),
	KUNIT_CASE(target_fails_whole),
	{}
};

static struct kunit_suite enomem_suite = {
	.name = "ftrace_enomem",
	.test_cases = enomem_cases,
};

kunit_test_suite(enomem_suite);
