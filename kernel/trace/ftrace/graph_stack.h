/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's shadow stack: where its watched functions return to.
 *
 * Two stacks in one page. Frames grow up, one for each watched function that
 * has not returned, all of one size, so that a frame is known by its number.
 * Data that callbacks keep from entry to return grows down from the end, in
 * chunks of a header and the words asked for; a frame knows where the data
 * below it begins, and so what is its own.
 *
 *	| words of slots | sums | frame 0 | frame 1 | ->   ...   <- | chunk | chunk |
 *
 * Only the task itself changes it, and interrupts and NMIs on top of it, which
 * leave everything as they found it. Others look at it, at any time: NMIs, and
 * unwinders on other CPUs. What they rely on:
 *
 *	A frame above the top, and one that is not complete, has no ->retp.
 *
 * So a frame is first counted, with no ->retp (whoever interrupts builds above
 * it), then filled in, then gets ->retp; and loses it before it is uncounted.
 *
 * Pure.
 */
#ifndef _FTRACE_GRAPH_STACK_H
#define _FTRACE_GRAPH_STACK_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/stddef.h>
#include <linux/string.h>

#define FGRAPH_SHADOW_SIZE	4096
#define FGRAPH_SHADOW_WORDS	(FGRAPH_SHADOW_SIZE / sizeof(unsigned long))
#define FGRAPH_DATA_WORDS	32	/* at most, in one chunk */

struct fgraph_shadow {
	unsigned long		vars[FTRACE_GRAPH_SLOTS];	/* first: fgraph_get_task_var() */
	u64			slept;	/* nanoseconds, while that is to be left out */
	u32			top;	/* frames in use */
	u32			data;	/* first word in use at the other end */
	struct ftrace_ret_stack	frames[];
};

#define FGRAPH_SHADOW_FRAMES						\
	((FGRAPH_SHADOW_SIZE - offsetof(struct fgraph_shadow, frames)) /	\
	 sizeof(struct ftrace_ret_stack))

static_assert(offsetof(struct fgraph_shadow, vars) == 0);
static_assert(FGRAPH_SHADOW_FRAMES > FTRACE_RETFUNC_DEPTH);
static_assert(FGRAPH_SHADOW_WORDS <= U16_MAX);

/* The header of a chunk: who it belongs to, and its words without this one. */
#define FGRAPH_CHUNK(slot, words)	((unsigned long)(slot) | (unsigned long)(words) << 8)
#define FGRAPH_CHUNK_SLOT(head)		((int)((head) & 0xff))
#define FGRAPH_CHUNK_WORDS(head)	((u32)((head) >> 8))

/* @s: zeroes. */
static inline void fgraph_shadow_init(struct fgraph_shadow *s)
{
	s->data = FGRAPH_SHADOW_WORDS;
}

static __always_inline unsigned long *fgraph_shadow_word(struct fgraph_shadow *s, u32 nr)
{
	return (unsigned long *)s + nr;
}

/* The frame on top, or NULL. */
static __always_inline struct ftrace_ret_stack *fgraph_shadow_top(struct fgraph_shadow *s)
{
	/* One test for "none" and for what no number of frames can be. */
	if (unlikely(s->top - 1 >= FGRAPH_SHADOW_FRAMES))
		return NULL;

	return &s->frames[s->top - 1];
}

/*
 * Begins a frame: nobody sees it yet, but interrupts leave it alone.
 * fgraph_shadow_show() or fgraph_shadow_pop() comes next.
 * Return: the frame, NULL where the page is full.
 */
static __always_inline struct ftrace_ret_stack *fgraph_shadow_push(struct fgraph_shadow *s)
{
	struct ftrace_ret_stack *f = &s->frames[s->top];

	if (unlikely((void *)(f + 1) > (void *)fgraph_shadow_word(s, s->data)))
		return NULL;

	WRITE_ONCE(s->top, s->top + 1);
	barrier();	/* counted before it is filled in: see above */
	f->data = s->data;
	return f;
}

/* All of @f but this is in place. */
static __always_inline void fgraph_shadow_show(struct ftrace_ret_stack *f, unsigned long *retp)
{
	barrier();	/* filled in before it is seen; in fgraph_shadow_find() by NMI */
	WRITE_ONCE(f->retp, retp);
}

/*
 * The data of @f, which is on top, goes. Frames may be built where it was, so
 * nothing of it may be taken for their ->retp.
 */
static inline void fgraph_shadow_forget(struct fgraph_shadow *s, struct ftrace_ret_stack *f)
{
	u32 nr;

	for (nr = s->data; nr < f->data; nr++)
		WRITE_ONCE(*fgraph_shadow_word(s, nr), 0);

	barrier();	/* cleared before interrupts may build here */
	s->data = f->data;
}

/* @f is on top, and goes with its data. */
static __always_inline void fgraph_shadow_pop(struct fgraph_shadow *s,
					      struct ftrace_ret_stack *f)
{
	WRITE_ONCE(f->retp, NULL);
	if (unlikely(s->data != f->data))
		fgraph_shadow_forget(s, f);
	barrier();	/* nothing of it is used once interrupts may build here */
	WRITE_ONCE(s->top, s->top - 1);
}

/* Whoever was in functions left them all in another way. Not while they run. */
static inline void fgraph_shadow_reset(struct fgraph_shadow *s)
{
	struct ftrace_ret_stack *f;

	while ((f = fgraph_shadow_top(s)))
		fgraph_shadow_pop(s, f);

	/* What watchers kept was about these. */
	memset(s->vars, 0, sizeof(s->vars));
}

/*
 * The frame of the function that returns through @retp: that on top, but where
 * functions that it had called never returned, as they left their stack behind
 * in another way; these go. NULL: there is none.
 */
static inline struct ftrace_ret_stack *fgraph_shadow_return(struct fgraph_shadow *s,
							    unsigned long *retp)
{
	struct ftrace_ret_stack *f;
	u32 above = 0;

	for (f = fgraph_shadow_top(s); f && f->retp != retp; f--, above++)
		if (f == s->frames)
			return NULL;

	for (; f && above; above--)
		fgraph_shadow_pop(s, f + above);

	return f;
}

/*
 * The frame of the function whose return address stood at @retp. Any context,
 * any task's stack.
 *
 * A function that ends in a jump to another watched one leaves two frames for
 * one place: the newer one returns to @handler, and the older knows the way.
 *
 * @limit: frames below this number only; more than there are is fine.
 * Return: its number, or -1.
 */
static inline int fgraph_shadow_find(struct fgraph_shadow *s, unsigned int limit,
				     unsigned long *retp, unsigned long handler,
				     unsigned long *ret)
{
	int i = min3(limit, READ_ONCE(s->top), (unsigned int)FGRAPH_SHADOW_FRAMES);

	if (!retp)
		return -1;

	while (i--) {
		struct ftrace_ret_stack *f = &s->frames[i];

		if (READ_ONCE(f->retp) != retp)
			continue;

		*ret = READ_ONCE(f->ret);
		if (*ret != handler)
			return i;
	}

	return -1;
}

/* The chunk of @slot that belongs to @f, which is on top; NULL: none. */
static inline unsigned long *fgraph_shadow_chunk(struct fgraph_shadow *s,
						 struct ftrace_ret_stack *f, int slot)
{
	unsigned long *head;
	u32 nr;

	for (nr = s->data; nr < f->data; nr += 1 + FGRAPH_CHUNK_WORDS(*head)) {
		head = fgraph_shadow_word(s, nr);
		if (FGRAPH_CHUNK_SLOT(*head) == slot)
			return head;
	}

	return NULL;
}

/*
 * Room for @bytes of the frame on top.
 * Return: NULL where @bytes is too much, @slot has a chunk already, there is
 * no frame, or the page is full.
 */
static inline void *fgraph_shadow_reserve(struct fgraph_shadow *s, int slot, int bytes)
{
	struct ftrace_ret_stack *f = fgraph_shadow_top(s);
	unsigned long *head;
	u32 words;

	if (!f || bytes <= 0 || bytes > FGRAPH_DATA_WORDS * sizeof(unsigned long))
		return NULL;
	if (fgraph_shadow_chunk(s, f, slot))
		return NULL;

	words = DIV_ROUND_UP(bytes, sizeof(unsigned long));
	head = fgraph_shadow_word(s, s->data) - (1 + words);
	if ((void *)head < (void *)(f + 1))
		return NULL;

	/*
	 * Taken before it is written: whoever interrupts takes room below.
	 * And fgraph_shadow_chunk() of this frame is not called by them.
	 */
	WRITE_ONCE(s->data, s->data - (1 + words));
	barrier();
	*head = FGRAPH_CHUNK(slot, words);
	return head + 1;
}

/* What fgraph_shadow_reserve() gave out for the frame on top, or NULL. */
static inline void *fgraph_shadow_retrieve(struct fgraph_shadow *s, int slot, int *bytes)
{
	struct ftrace_ret_stack *f = fgraph_shadow_top(s);
	unsigned long *head = f ? fgraph_shadow_chunk(s, f, slot) : NULL;

	if (!head)
		return NULL;

	*bytes = FGRAPH_CHUNK_WORDS(*head) * sizeof(unsigned long);
	return head + 1;
}

#endif /* _FTRACE_GRAPH_STACK_H */
