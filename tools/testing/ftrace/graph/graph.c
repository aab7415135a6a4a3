// SPDX-License-Identifier: GPL-2.0
/*
 * The shadow stack in user space, under sanitisers, and interrupted: at every
 * barrier comes an interrupt that watches functions of its own, and may be
 * interrupted itself. It must find what it may find, and leave what it found.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stack.h"

struct graph_case_ctx {
	void *memory[16];
	unsigned int nr;
	unsigned int failed;
	u64 dice;
};

static void *gc_alloc(struct graph_case_ctx *ctx, size_t size)
{
	if (ctx->nr == ARRAY_SIZE(ctx->memory))
		abort();
	return ctx->memory[ctx->nr++] = calloc(1, size);
}

static u32 gc_rand(struct graph_case_ctx *ctx)
{
	ctx->dice = ctx->dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return ctx->dice >> 33;
}

#define GC_TRUE(ctx, cond)						\
do {									\
	if (!(cond) && !(ctx)->failed++)				\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
} while (0)

#include "graph_cases.h"

bool kill_ftrace_graph;
struct task_struct *current;

static struct graph_case_ctx *victim_ctx;
static struct fgraph_shadow *victim;	/* whose barriers are interrupts */
static unsigned int levels;		/* how deep they may nest */
static unsigned long interrupts;

/* What the interrupted one has complete: place nr returns to 500 + nr. */
static unsigned int known;

static void look(struct graph_case_ctx *ctx, struct fgraph_shadow *s)
{
	unsigned int i;

	for (i = 0; i < known; i++)
		GC_TRUE(ctx, gc_find(s, i) == 500 + i);
	GC_TRUE(ctx, !gc_find(s, known));
}

void interrupt(void)
{
	struct fgraph_shadow *s = victim, before;
	struct graph_case_ctx *ctx = victim_ctx;
	struct ftrace_ret_stack *f;
	unsigned long *p;
	u32 top, data;
	int got;

	if (!s || !levels)
		return;

	levels--;
	interrupts++;
	before = (struct fgraph_shadow){ .top = s->top, .data = s->data };
	look(ctx, s);

	f = gc_push(s);
	look(ctx, s);
	if (f) {
		top = s->top;
		data = s->data;
		p = fgraph_shadow_reserve(s, 2, 24);
		if (p)
			memset(p, 0xee, 24);
		f->ret = GC_HANDLER;	/* misleads whoever finds it */
		fgraph_shadow_show(f, gc_place(gc_rand(ctx) % 3 + 900));
		look(ctx, s);
		GC_TRUE(ctx, s->top == top && (p ? s->data < data : s->data == data));
		GC_TRUE(ctx, gc_retrieve(s, 2, &got) == p);
		fgraph_shadow_pop(s, f);
	}

	/* And a frame whose return nobody waits for. */
	f = gc_push(s);
	if (f)
		fgraph_shadow_pop(s, f);

	look(ctx, s);
	GC_TRUE(ctx, s->top == before.top && s->data == before.data);
	levels++;
}

/*
 * Kept data looks like places of return addresses, should anyone take it for
 * a frame: with the page full to the brim, frames are where data was.
 */
static void gc_interrupted_at_every_step(struct graph_case_ctx *ctx)
{
	static unsigned long *data[FGRAPH_SHADOW_FRAMES][4];
	struct fgraph_shadow *s = gc_shadow(ctx);
	unsigned int round, nr, i, w;

	for (round = 0; round < 200; round++) {
		struct ftrace_ret_stack *f;

		victim = s;
		victim_ctx = ctx;
		levels = round % 100 ? 1 : 2;

		for (nr = 0; (f = gc_push(victim)); nr++) {
			f->ret = 500 + nr;
			for (i = 0; i < 4; i++) {
				data[nr][i] = NULL;
				if (gc_rand(ctx) % 4)
					continue;
				data[nr][i] = fgraph_shadow_reserve(victim, i, 8 + 8 * i);
				for (w = 0; data[nr][i] && w <= i; w++)
					data[nr][i][w] = (unsigned long)gc_place(nr / 2);
			}
			/* Interrupts after the barrier in it see the frame, those before do not. */
			fgraph_shadow_show(f, gc_place(nr));
			known = nr + 1;
		}

		while (nr--) {
			for (i = 0; i < 4; i++) {
				int got;
				unsigned long *p = gc_retrieve(victim, i, &got);

				GC_TRUE(ctx, p == data[nr][i]);
				for (w = 0; p && w <= i; w++)
					GC_TRUE(ctx, p[w] == (unsigned long)gc_place(nr / 2));
			}
			known = nr;
			fgraph_shadow_pop(victim, fgraph_shadow_top(victim));
		}

		levels = 0;
		GC_TRUE(ctx, gc_is_clean(victim));
		victim = NULL;
	}

	GC_TRUE(ctx, interrupts > 1000);
}

static int run(const struct graph_case *c)
{
	struct graph_case_ctx ctx = { .dice = 42 };

	c->run(&ctx);
	while (ctx.nr--)
		free(ctx.memory[ctx.nr]);
	printf("%s - shadow stack: %s\n", ctx.failed ? "not ok" : "ok", c->name);

	return !!ctx.failed;
}

int main(void)
{
	static const struct graph_case here = GC(interrupted_at_every_step);
	unsigned int i;
	int failed = 0;

	for (i = 0; i < ARRAY_SIZE(graph_cases); i++)
		failed += run(&graph_cases[i]);
	failed += run(&here);

	return !!failed;
}
