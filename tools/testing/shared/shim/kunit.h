/* SPDX-License-Identifier: GPL-2.0 */
/* KUnit, as far as the suites go: a failed assertion ends its case. */
#ifndef _SHIM_KUNIT_H
#define _SHIM_KUNIT_H

#include <setjmp.h>
#include "kernel.h"

struct kunit {
	bool failed;
	jmp_buf end;
	void *memory[1024];
	unsigned int nr_memory;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

extern struct kunit_suite *shim_suites;
void shim_say(struct kunit *test, const char *file, int line, const char *fmt, ...) __printf(4, 5);
void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp);

#define KUNIT_CASE(fn) { .run = fn, .name = #fn }
#define kunit_test_suite(suite)						\
static void __attribute__((constructor)) add_##suite(void)		\
{									\
	(suite).next = shim_suites;					\
	shim_suites = &(suite);						\
}

#define KUNIT_FAIL(test, ...)	shim_say(test, __FILE__, __LINE__, __VA_ARGS__)
#define SHIM_EXPECT(test, cond) \
	((cond) ? true : (KUNIT_FAIL(test, "%s", #cond), false))
#define SHIM_ASSERT(test, cond) \
	do { if (!SHIM_EXPECT(test, cond)) longjmp((test)->end, 1); } while (0)

#define KUNIT_EXPECT_TRUE(test, c)	SHIM_EXPECT(test, c)
#define KUNIT_EXPECT_FALSE(test, c)	SHIM_EXPECT(test, !(c))
#define KUNIT_EXPECT_EQ(test, a, b)	SHIM_EXPECT(test, (a) == (b))
#define KUNIT_EXPECT_NE(test, a, b)	SHIM_EXPECT(test, (a) != (b))
#define KUNIT_EXPECT_LE(test, a, b)	SHIM_EXPECT(test, (a) <= (b))
#define KUNIT_EXPECT_GE(test, a, b)	SHIM_EXPECT(test, (a) >= (b))
#define KUNIT_EXPECT_GT(test, a, b)	SHIM_EXPECT(test, (a) > (b))
#define KUNIT_EXPECT_PTR_EQ(test, a, b)	SHIM_EXPECT(test, (void *)(a) == (void *)(b))
#define KUNIT_EXPECT_NULL(test, p)	SHIM_EXPECT(test, !(p))
#define KUNIT_EXPECT_NOT_NULL(test, p)	SHIM_EXPECT(test, p)
#define KUNIT_EXPECT_STREQ(test, a, b)	SHIM_EXPECT(test, !strcmp(a, b))
#define KUNIT_ASSERT_FALSE(test, c)	SHIM_ASSERT(test, !(c))
#define KUNIT_ASSERT_EQ(test, a, b)	SHIM_ASSERT(test, (a) == (b))
#define KUNIT_ASSERT_NOT_NULL(test, p)	SHIM_ASSERT(test, p)
#define SHIM_MSG(test, cond, fmt, ...) \
	do { if (!(cond)) KUNIT_FAIL(test, "%s: " fmt, #cond, __VA_ARGS__); } while (0)
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...)	SHIM_MSG(test, (a) == (b), __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(test, c, ...)	SHIM_MSG(test, c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(test, c, ...)	SHIM_MSG(test, !(c), __VA_ARGS__)

#endif /* _SHIM_KUNIT_H */
