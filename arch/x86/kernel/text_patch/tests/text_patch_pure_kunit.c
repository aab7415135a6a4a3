// SPDX-License-Identifier: GPL-2.0
/*
 * The pure parts of the text engine, in the kernel: the cases that also run in
 * user space.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "../text_patch.h"

struct text_case_ctx {
	struct kunit *test;
	struct rnd_state dice;
};

static void *tc_alloc(struct text_case_ctx *ctx, size_t size)
{
	void *memory = kunit_kzalloc(ctx->test, size ?: 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(ctx->test, memory);
	return memory;
}

static u32 tc_rand(struct text_case_ctx *ctx)
{
	return prandom_u32_state(&ctx->dice);
}

#define TC_TRUE(ctx, cond) KUNIT_EXPECT_TRUE((ctx)->test, !!(cond))

#include "cases.h"

static void case_name(const struct text_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(text, text_cases, case_name);

static void pure(struct kunit *test)
{
	const struct text_case *c = test->param_value;
	struct text_case_ctx ctx = { .test = test };

	prandom_seed_state(&ctx.dice, 42);
	c->run(&ctx);
}

static struct kunit_case pure_tests[] = {
	KUNIT_CASE_PARAM(pure, text_gen_params),
	{}
};

static struct kunit_suite pure_suite = {
	.name = "x86_text_patch_pure",
	.test_cases = pure_tests,
};

kunit_test_suite(pure_suite);
