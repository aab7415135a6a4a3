/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases for the shadow stack.
 *
 * Written once and run twice: by KUnit in the kernel, and in user space under
 * the address and undefined behaviour sanitisers, where in addition every
 * barrier() is an interrupt (tools/testing/ftrace/graph). A file that includes
 * this one defines
 *
 *   struct graph_case_ctx			the argument of a case
 *   GC_TRUE(ctx, cond)				expect @cond to be true
 *   gc_alloc(ctx, size)			zeroed memory, freed after the case
 *   gc_rand(ctx)				a random number
 */
#ifndef _FTRACE_GRAPH_CASES_H
#define _FTRACE_GRAPH_CASES_H

#define GC_HANDLER	0xdeadUL	/* stands for return_to_handler() */

/* Places of return addresses are never followed: any number will do. */
static unsigned long *gc_place(unsigned long nr)
{
	return (unsigned long *)(0x100000 - 8 * nr);
}

static struct fgraph_shadow *gc_shadow(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_alloc(ctx, FGRAPH_SHADOW_SIZE);

	fgraph_shadow_init(s);
	return s;
}

/* Push a frame; NULL: the page is full. */
static struct ftrace_ret_stack *gc_push(struct fgraph_shadow *s)
{
	struct ftrace_ret_stack *f;

	if (fgraph_shadow_full(s))
		return NULL;
	f = fgraph_shadow_count(s);
	f->data = s->data;
	return f;
}

/* Enter a function whose return a client waits for. */
static struct ftrace_ret_stack *gc_enter(struct fgraph_shadow *s, unsigned long place,
					 unsigned long ret)
{
	struct ftrace_ret_stack *f = gc_push(s);

	if (f) {
		f->ret = ret;
		f->func = ~ret;
		f->slots = 1;
		fgraph_shadow_show(f, gc_place(place));
	}

	return f;
}

/* The real return address of the function that returns through @place; 0: none. */
static unsigned long gc_find(struct fgraph_shadow *s, unsigned long place)
{
	unsigned long ret;

	return fgraph_shadow_find(s, UINT_MAX, gc_place(place), GC_HANDLER, &ret) < 0 ? 0 : ret;
}

static void *gc_retrieve(struct fgraph_shadow *s, int slot, int *bytes)
{
	struct ftrace_ret_stack *f = fgraph_shadow_top(s);

	return f ? fgraph_shadow_retrieve(s, f, slot, bytes) : NULL;
}

static bool gc_is_clean(struct fgraph_shadow *s)
{
	unsigned int i;

	if (s->top || s->data != FGRAPH_SHADOW_WORDS || fgraph_shadow_top(s))
		return false;

	for (i = 0; i < FGRAPH_SHADOW_FRAMES; i++)
		if (s->frames[i].retp)
			return false;

	return true;
}

static void gc_empty_has_nothing(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	int bytes = 42;

	GC_TRUE(ctx, gc_is_clean(s));
	GC_TRUE(ctx, !gc_find(s, 1));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, 8));
	GC_TRUE(ctx, !gc_retrieve(s, 0, &bytes));
	GC_TRUE(ctx, bytes == 42);
}

static void gc_page_fills_up_and_empties(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	unsigned int nr = 0;

	while (gc_enter(s, nr, 1000 + nr))
		nr++;

	GC_TRUE(ctx, nr == FGRAPH_SHADOW_FRAMES);
	GC_TRUE(ctx, s->top == nr);
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, FGRAPH_SHADOW_SIZE));

	while (nr--) {
		GC_TRUE(ctx, gc_find(s, nr) == 1000 + nr);
		GC_TRUE(ctx, fgraph_shadow_top(s)->ret == 1000 + nr);
		fgraph_shadow_pop(s, fgraph_shadow_top(s));
		GC_TRUE(ctx, !gc_find(s, nr));
	}

	GC_TRUE(ctx, gc_is_clean(s));
}

static void gc_number_of_frames_is_not_trusted(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	u32 top;

	for (top = FGRAPH_SHADOW_FRAMES + 1; top; top <<= 1) {
		s->top = top;
		GC_TRUE(ctx, !fgraph_shadow_top(s));
		GC_TRUE(ctx, !gc_find(s, 3));
	}
}

static void gc_incomplete_frame_is_unseen(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	struct ftrace_ret_stack *f;

	/* Leave stale contents in frame 1. */
	gc_enter(s, 1, 11);
	gc_enter(s, 7, 77);
	fgraph_shadow_pop(s, fgraph_shadow_top(s));

	f = gc_push(s);
	GC_TRUE(ctx, f == &s->frames[1]);
	GC_TRUE(ctx, !gc_find(s, 7));
	GC_TRUE(ctx, gc_find(s, 1) == 11);
	f->ret = 22;
	GC_TRUE(ctx, !gc_find(s, 2));
	fgraph_shadow_show(f, gc_place(2));
	GC_TRUE(ctx, gc_find(s, 2) == 22);
}

static void gc_unwanted_frame_leaves_nothing(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	struct ftrace_ret_stack *f = gc_push(s);

	GC_TRUE(ctx, fgraph_shadow_reserve(s, 3, 16));
	fgraph_shadow_pop(s, f);
	GC_TRUE(ctx, gc_is_clean(s));
}

static void gc_tail_calls_lead_to_the_first(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);

	gc_enter(s, 1, 11);
	gc_enter(s, 2, 22);
	gc_enter(s, 2, GC_HANDLER);
	gc_enter(s, 2, GC_HANDLER);
	gc_enter(s, 3, 33);

	GC_TRUE(ctx, gc_find(s, 3) == 33);
	GC_TRUE(ctx, gc_find(s, 2) == 22);
	GC_TRUE(ctx, gc_find(s, 1) == 11);
	GC_TRUE(ctx, !gc_find(s, 4));
}

static void gc_walk_resumes_where_it_was(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	unsigned long ret;
	int i;

	gc_enter(s, 1, 11);
	gc_enter(s, 2, 22);
	gc_enter(s, 3, 33);

	i = fgraph_shadow_find(s, UINT_MAX, gc_place(3), GC_HANDLER, &ret);
	GC_TRUE(ctx, i == 2);
	/* The walker is watched: frames are pushed and popped above. */
	gc_enter(s, 9, 99);
	i = fgraph_shadow_find(s, i + 1, gc_place(2), GC_HANDLER, &ret);
	GC_TRUE(ctx, i == 1 && ret == 22);
	fgraph_shadow_pop(s, fgraph_shadow_top(s));
	/* The same frame is found again. */
	i = fgraph_shadow_find(s, i + 1, gc_place(2), GC_HANDLER, &ret);
	GC_TRUE(ctx, i == 1 && ret == 22);
	i = fgraph_shadow_find(s, i + 1, gc_place(1), GC_HANDLER, &ret);
	GC_TRUE(ctx, i == 0 && ret == 11);
	GC_TRUE(ctx, fgraph_shadow_find(s, 1, gc_place(3), GC_HANDLER, &ret) == -1);
	GC_TRUE(ctx, fgraph_shadow_find(s, 3, NULL, GC_HANDLER, &ret) == -1);
}

static void gc_return_finds_its_frame(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	struct ftrace_ret_stack *f;

	GC_TRUE(ctx, !fgraph_shadow_return(s, gc_place(1)));

	gc_enter(s, 1, 11);
	gc_enter(s, 2, 22);
	gc_enter(s, 2, GC_HANDLER);
	GC_TRUE(ctx, fgraph_shadow_reserve(s, 1, 8));
	gc_enter(s, 3, 33);
	GC_TRUE(ctx, fgraph_shadow_reserve(s, 1, 8));
	gc_enter(s, 4, 44);

	/* No frame's place: nothing is popped. */
	GC_TRUE(ctx, !fgraph_shadow_return(s, gc_place(5)));
	GC_TRUE(ctx, s->top == 5);

	/* The newest function returns. */
	f = fgraph_shadow_return(s, gc_place(4));
	GC_TRUE(ctx, f && f->ret == 44 && s->top == 5);
	fgraph_shadow_pop(s, f);

	/* 3 never returned; of the two frames at 2, the newer one returns first. */
	f = fgraph_shadow_return(s, gc_place(2));
	GC_TRUE(ctx, f && f->ret == GC_HANDLER && s->top == 3);
	GC_TRUE(ctx, !gc_find(s, 3) && gc_find(s, 2) == 22);
	fgraph_shadow_pop(s, f);
	f = fgraph_shadow_return(s, gc_place(2));
	GC_TRUE(ctx, f && f->ret == 22 && s->top == 2);

	f = fgraph_shadow_return(s, gc_place(1));
	GC_TRUE(ctx, f && f->ret == 11 && s->top == 1);
	fgraph_shadow_pop(s, f);
	GC_TRUE(ctx, gc_is_clean(s));
}

static void gc_reset_leaves_nothing(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	unsigned int nr;

	for (nr = 0; gc_enter(s, nr, nr + 1); nr++)
		fgraph_shadow_reserve(s, nr % 16, 1 + gc_rand(ctx) % 256);
	gc_push(s);
	s->vars[7] = 7;

	fgraph_shadow_reset(s);
	GC_TRUE(ctx, gc_is_clean(s));
	GC_TRUE(ctx, !s->vars[7]);
}

static void gc_data_is_kept_in_every_size(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	const int most = FGRAPH_DATA_WORDS * sizeof(unsigned long);
	int bytes, got, i;

	for (bytes = 1; bytes <= most; bytes++) {
		struct ftrace_ret_stack *f = gc_enter(s, 1, 11);
		unsigned char *p = fgraph_shadow_reserve(s, 15, bytes);

		GC_TRUE(ctx, p && !((unsigned long)p % sizeof(unsigned long)));
		if (!p)
			return;

		memset(p, bytes, bytes);
		GC_TRUE(ctx, gc_retrieve(s, 15, &got) == p);
		GC_TRUE(ctx, got >= bytes && got < bytes + (int)sizeof(unsigned long));
		for (i = 0; i < bytes; i++)
			GC_TRUE(ctx, p[i] == (unsigned char)bytes);
		fgraph_shadow_pop(s, f);
	}

	GC_TRUE(ctx, gc_is_clean(s));
}

static void gc_data_in_odd_sizes_is_refused(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);

	gc_enter(s, 1, 11);
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, 0));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, -1));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, INT_MIN));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, INT_MAX));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 0, FGRAPH_DATA_WORDS * sizeof(long) + 1));
	GC_TRUE(ctx, s->data == FGRAPH_SHADOW_WORDS);
}

static void gc_data_is_given_once(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	void *p;

	gc_enter(s, 1, 11);
	p = fgraph_shadow_reserve(s, 4, 8);
	GC_TRUE(ctx, p && !fgraph_shadow_reserve(s, 4, 8));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 4, 24));
	GC_TRUE(ctx, fgraph_shadow_reserve(s, 5, 8));
	GC_TRUE(ctx, !fgraph_shadow_reserve(s, 5, 8));
}

static void gc_one_word_is_in_the_frame(struct graph_case_ctx *ctx)
{
	const int bytes = sizeof(unsigned long);
	struct fgraph_shadow *s = gc_shadow(ctx);
	struct ftrace_ret_stack *f;
	int i, got;

	for (i = 0; i < 2; i++) {
		f = gc_enter(s, 1, 11);
		GC_TRUE(ctx, !gc_retrieve(s, 15, &got));
		GC_TRUE(ctx, fgraph_shadow_reserve(s, 15, bytes) == &f->word);
		GC_TRUE(ctx, s->data == FGRAPH_SHADOW_WORDS);
		GC_TRUE(ctx, gc_retrieve(s, 15, &got) == &f->word && got == bytes);
		GC_TRUE(ctx, !gc_retrieve(s, 0, &got));
		fgraph_shadow_pop(s, f);
	}

	/* Only the first reservation may get the word: a later one does not. */
	f = gc_enter(s, 1, 11);
	GC_TRUE(ctx, fgraph_shadow_reserve(s, 0, bytes + 1));
	GC_TRUE(ctx, fgraph_shadow_reserve(s, 1, bytes) != &f->word);
	fgraph_shadow_pop(s, f);
	GC_TRUE(ctx, gc_is_clean(s));
}

static void gc_data_belongs_to_one_slot_of_one_frame(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	void *outer[FTRACE_GRAPH_SLOTS], *inner[FTRACE_GRAPH_SLOTS];
	int got, i;

	gc_enter(s, 1, 11);
	for (i = 0; i < FTRACE_GRAPH_SLOTS; i++) {
		outer[i] = fgraph_shadow_reserve(s, i, 4 * i + 1);
		GC_TRUE(ctx, outer[i]);
	}

	gc_enter(s, 2, 22);
	for (i = 0; i < FTRACE_GRAPH_SLOTS; i++)
		GC_TRUE(ctx, !gc_retrieve(s, i, &got));
	for (i = FTRACE_GRAPH_SLOTS - 1; i >= 0; i -= 2) {
		inner[i] = fgraph_shadow_reserve(s, i, 4 * i + 1);
		GC_TRUE(ctx, inner[i] && inner[i] < outer[FTRACE_GRAPH_SLOTS - 1]);
		GC_TRUE(ctx, gc_retrieve(s, i, &got) == inner[i]);
	}
	fgraph_shadow_pop(s, fgraph_shadow_top(s));

	for (i = 0; i < FTRACE_GRAPH_SLOTS; i++)
		GC_TRUE(ctx, gc_retrieve(s, i, &got) == outer[i]);
}

static void gc_data_of_callers_is_found(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	struct ftrace_ret_stack *first, *second, *third;
	void *p1, *p2, *p3;
	int got = 42;

	first = gc_enter(s, 1, 11);
	p1 = fgraph_shadow_reserve(s, 3, 8);
	second = gc_enter(s, 2, 22);
	p2 = fgraph_shadow_reserve(s, 4, 24);
	third = gc_push(s);
	p3 = fgraph_shadow_reserve(s, 3, 16);

	/* The callback of the third one, whose frame is not complete. */
	GC_TRUE(ctx, fgraph_shadow_below(s, 0) == third && fgraph_shadow_below(s, 1) == second);
	GC_TRUE(ctx, fgraph_shadow_below(s, 2) == first && !fgraph_shadow_below(s, 3));
	GC_TRUE(ctx, fgraph_shadow_retrieve(s, third, 3, NULL) == p3);
	GC_TRUE(ctx, !fgraph_shadow_retrieve(s, second, 3, &got) && got == 42);
	GC_TRUE(ctx, fgraph_shadow_retrieve(s, second, 4, &got) == p2 && got == 24);
	GC_TRUE(ctx, fgraph_shadow_retrieve(s, first, 3, &got) == p1 && got == 8);
	GC_TRUE(ctx, !fgraph_shadow_retrieve(s, first, 4, &got));

	/* An interrupt there: the third frame's data is unknown, as is the end of the second's. */
	gc_enter(s, 9, 99);
	GC_TRUE(ctx, !fgraph_shadow_retrieve(s, third, 3, &got));
	GC_TRUE(ctx, !fgraph_shadow_retrieve(s, second, 4, &got));
	GC_TRUE(ctx, fgraph_shadow_retrieve(s, first, 3, &got) == p1);
	fgraph_shadow_pop(s, fgraph_shadow_top(s));

	fgraph_shadow_show(third, gc_place(3));
	gc_enter(s, 4, 44);
	GC_TRUE(ctx, fgraph_shadow_retrieve(s, third, 3, &got) == p3 && got == 16);
	GC_TRUE(ctx, fgraph_shadow_retrieve(s, second, 4, &got) == p2);
}

static void gc_data_and_frames_never_meet(struct graph_case_ctx *ctx)
{
	struct fgraph_shadow *s = gc_shadow(ctx);
	unsigned int nr;
	int size;

	/* Frames until none fits, then data of falling size until none fits. */
	for (nr = 0; gc_enter(s, nr, nr + 1); nr++)
		fgraph_shadow_reserve(s, 0, 1 + gc_rand(ctx) % 64);

	for (size = 256; size > 0; size -= 8)
		fgraph_shadow_reserve(s, 1 + size % 15, size);

	GC_TRUE(ctx, nr < FGRAPH_SHADOW_FRAMES);
	GC_TRUE(ctx, (void *)&s->frames[s->top] <= (void *)fgraph_shadow_word(s, s->data));
	while (nr--)
		GC_TRUE(ctx, gc_find(s, nr) == nr + 1);
}

/* Random calls, compared with a plain list. */
static void gc_agrees_with_a_list(struct graph_case_ctx *ctx)
{
	struct model {
		unsigned long place, ret;
		void *data[FTRACE_GRAPH_SLOTS];
		unsigned long mark[FTRACE_GRAPH_SLOTS];
	} *list = gc_alloc(ctx, FGRAPH_SHADOW_FRAMES * sizeof(*list));
	struct fgraph_shadow *s = gc_shadow(ctx);
	unsigned int round, nr = 0;

	for (round = 0; round < 20000; round++) {
		u32 dice = gc_rand(ctx);
		int slot = dice / 16 % FTRACE_GRAPH_SLOTS, got;
		unsigned long *p;

		switch (dice % 8) {
		case 0 ... 2:
			if (!gc_enter(s, nr, dice | 1))
				break;
			list[nr] = (struct model){ .place = nr, .ret = dice | 1 };
			nr++;
			break;
		case 3 ... 4:
			if (!nr)
				break;
			fgraph_shadow_pop(s, fgraph_shadow_top(s));
			nr--;
			break;
		case 5:
			p = fgraph_shadow_reserve(s, slot, 8 + dice % 64);
			if (!p)
				break;
			GC_TRUE(ctx, nr && !list[nr - 1].data[slot]);
			list[nr - 1].data[slot] = p;
			list[nr - 1].mark[slot] = *p = dice;
			break;
		case 6:
			p = gc_retrieve(s, slot, &got);
			GC_TRUE(ctx, p == (nr ? list[nr - 1].data[slot] : NULL));
			if (p)
				GC_TRUE(ctx, *p == list[nr - 1].mark[slot]);
			break;
		case 7:
			if (nr) {
				struct model *m = &list[dice / 8 % nr];

				GC_TRUE(ctx, gc_find(s, m->place) == m->ret);
			}
			GC_TRUE(ctx, !gc_find(s, nr));
			break;
		}

		GC_TRUE(ctx, s->top == nr);
	}

	while (nr--)
		fgraph_shadow_pop(s, fgraph_shadow_top(s));
	GC_TRUE(ctx, gc_is_clean(s));
}

struct graph_case {
	const char *name;
	void (*run)(struct graph_case_ctx *ctx);
};

#define GC(name_) { .name = #name_, .run = gc_##name_ }

static const struct graph_case graph_cases[] = {
	GC(empty_has_nothing),
	GC(page_fills_up_and_empties),
	GC(number_of_frames_is_not_trusted),
	GC(incomplete_frame_is_unseen),
	GC(unwanted_frame_leaves_nothing),
	GC(tail_calls_lead_to_the_first),
	GC(walk_resumes_where_it_was),
	GC(return_finds_its_frame),
	GC(reset_leaves_nothing),
	GC(data_is_kept_in_every_size),
	GC(data_in_odd_sizes_is_refused),
	GC(data_is_given_once),
	GC(one_word_is_in_the_frame),
	GC(data_belongs_to_one_slot_of_one_frame),
	GC(data_of_callers_is_found),
	GC(data_and_frames_never_meet),
	GC(agrees_with_a_list),
};

#endif /* _FTRACE_GRAPH_CASES_H */
