// SPDX-License-Identifier: GPL-2.0
/* The graph tracer's shadow stack: runs the cases of graph_cases.h in the kernel. */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "../graph/stack.h"

struct graph_case_ctx {
	struct kunit *test;
	struct rnd_state dice;
};

static void *gc_alloc(struct graph_case_ctx *ctx, size_t size)
{
	void *memory = kunit_kzalloc(ctx->test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(ctx->test, memory);
	return memory;
}

static u32 gc_rand(struct graph_case_ctx *ctx)
{
	return prandom_u32_state(&ctx->dice);
}

#define GC_TRUE(ctx, cond) KUNIT_EXPECT_TRUE((ctx)->test, !!(cond))

#include "graph_cases.h"

static void case_name(const struct graph_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(graph, graph_cases, case_name);

static void shadow_stack(struct kunit *test)
{
	const struct graph_case *c = test->param_value;
	struct graph_case_ctx ctx = { .test = test };

	prandom_seed_state(&ctx.dice, 42);
	c->run(&ctx);
}

static struct kunit_case graph_kunit_cases[] = {
	KUNIT_CASE_PARAM(shadow_stack, graph_gen_params),
	{ }
};

static struct kunit_suite graph_kunit_suite = {
	.name = "ftrace_graph",
	.test_cases = graph_kunit_cases,
};

kunit_test_suite(graph_kunit_suite);

MODULE_DESCRIPTION("Tests of the graph tracer's shadow stack");
MODULE_LICENSE("GPL");
