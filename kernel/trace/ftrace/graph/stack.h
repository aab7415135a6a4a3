/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's shadow stack: the return addresses of its watched functions.
 *
 * Two stacks in one page. Frames grow up, one for each watched function that
 * has not returned; they have one size, so a frame is known by its number.
 * Data that callbacks keep from entry to return grows down from the end, in
 * chunks of a header and the words asked for. A frame stores where the data of
 * older frames begins; the words in use before that one are its own. If the first
 * client to reserve data needs one word only, it gets the one in the frame: most often,
 * no other client reserves any, and the frame has no chunks.
 *
 *	| words of slots | ends | frame 0 | frame 1 | ->   ...   <- | chunk | chunk |
 *
 * Only the task itself changes its stack, and interrupts and NMIs on top of the
 * task, which leave it as they found it. NMIs, and unwinders on other CPUs, can read
 * it at any time.
 * These readers rely on one rule:
 *
 *	A frame above the top, and one that is not complete, has no ->retp.
 *
 * So a frame is first counted, without ->retp (interrupts then push above it),
 * then filled in, then gets ->retp; and ->retp is cleared before the frame is
 * no longer counted.
 *
 * User space tests include this header, too: use no kernel state.
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
	u32			top;	/* frames in use */
	u32			data;	/* first word in use at the other end */
	struct ftrace_ret_stack	frames[];
};

#define FGRAPH_SHADOW_FRAMES						\
	((FGRAPH_SHADOW_SIZE - offsetof(struct fgraph_shadow, frames)) /	\
	 sizeof(struct ftrace_ret_stack))

static_assert(offsetof(struct fgraph_shadow, vars) == 0);
static_assert(FGRAPH_SHADOW_FRAMES > FTRACE_RETFUNC_DEPTH);

/* The header of a chunk: its slot, and its length in words without the header. */
#define FGRAPH_CHUNK(slot, words)	((unsigned long)(slot) | (unsigned long)(words) << 8)
#define FGRAPH_CHUNK_SLOT(head)		((int)((head) & 0xff))
#define FGRAPH_CHUNK_WORDS(head)	((u32)((head) >> 8))

/* A frame's ->data: the first word of data of older frames, and the owner of ->word. */
#define FGRAPH_OWNER_SHIFT		11
#define FGRAPH_OWNER(slot)		(((slot) + 1) << FGRAPH_OWNER_SHIFT)	/* 0: none */

static_assert(FGRAPH_SHADOW_WORDS < 1 << FGRAPH_OWNER_SHIFT);
static_assert(FGRAPH_OWNER(FTRACE_GRAPH_SLOTS - 1) <= U16_MAX);

static __always_inline struct fgraph_shadow *fgraph_shadow(struct task_struct *t)
{
	return (struct fgraph_shadow *)READ_ONCE(t->ret_stack);
}

/* Initialize @s, which is all zero. */
static inline void fgraph_shadow_init(struct fgraph_shadow *s)
{
	s->data = FGRAPH_SHADOW_WORDS;
}

static __always_inline unsigned long *fgraph_shadow_word(struct fgraph_shadow *s, u32 nr)
{
	return (unsigned long *)s + nr;
}

/* The first word of data of frames older than @f. */
static __always_inline u32 fgraph_shadow_older(const struct ftrace_ret_stack *f)
{
	return f->data & (BIT(FGRAPH_OWNER_SHIFT) - 1);
}

/* True if @slot owns ->word of @f. */
static __always_inline bool fgraph_shadow_owns(const struct ftrace_ret_stack *f, int slot)
{
	return f->data >> FGRAPH_OWNER_SHIFT == slot + 1;
}

static_assert(offsetof(struct ftrace_ret_stack, data) ==
	      offsetof(struct ftrace_ret_stack, epoch) + 6);

/* A frame's ->epoch, ->slots and ->data as one number, its mark. */
static __always_inline u64 *fgraph_mark(struct ftrace_ret_stack *f)
{
	return (u64 *)&f->epoch;
}

/*
 * The mark of frames whose return @slot alone wants, and which have no data but its word,
 * less the position of the data of older frames: see fgraph_shadow_mark().
 */
static inline u64 fgraph_mark_of(u32 epoch, int slot)
{
	struct ftrace_ret_stack f = {
		.epoch = epoch, .slots = BIT(slot), .data = FGRAPH_OWNER(slot),
	};

	return *fgraph_mark(&f);
}

/* The mark of such a frame on top of @s. */
static __always_inline u64 fgraph_shadow_mark(const struct fgraph_shadow *s, u64 mark)
{
	const unsigned int shift = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 0 : 48;

	return mark | (u64)s->data << shift;
}

/* The frame on top, or NULL. */
static __always_inline struct ftrace_ret_stack *fgraph_shadow_top(struct fgraph_shadow *s)
{
	/* One test for no frame and for a number out of range. */
	if (unlikely(s->top - 1 >= FGRAPH_SHADOW_FRAMES))
		return NULL;

	return &s->frames[s->top - 1];
}

/* The frame that is @depth below the one on top, or NULL. */
static __always_inline struct ftrace_ret_stack *fgraph_shadow_below(struct fgraph_shadow *s,
								    unsigned int depth)
{
	unsigned int top = min_t(unsigned int, READ_ONCE(s->top), FGRAPH_SHADOW_FRAMES);

	return depth < top ? &s->frames[top - 1 - depth] : NULL;
}

/* True if there is no room for one more frame. */
static __always_inline bool fgraph_shadow_full(struct fgraph_shadow *s)
{
	struct ftrace_ret_stack *f = &s->frames[s->top];

	return (void *)(f + 1) > (void *)fgraph_shadow_word(s, s->data);
}

/*
 * Push a frame, for which there is room: readers still ignore it, but interrupts
 * leave it alone. The caller sets ->data next, and must call fgraph_shadow_show() or
 * fgraph_shadow_pop().
 */
static __always_inline struct ftrace_ret_stack *fgraph_shadow_count(struct fgraph_shadow *s)
{
	struct ftrace_ret_stack *f = &s->frames[s->top];

	/* Else the compiler computes the address again for each field. */
	OPTIMIZER_HIDE_VAR(f);
	WRITE_ONCE(s->top, s->top + 1);
	barrier();	/* counted before it is filled in: interrupts push above it */
	return f;
}

/* Make @f visible to readers. Its other fields are filled in. */
static __always_inline void fgraph_shadow_show(struct ftrace_ret_stack *f, unsigned long *retp)
{
	barrier();	/* filled in before fgraph_shadow_find() in an NMI can see it */
	WRITE_ONCE(f->retp, retp);
}

/*
 * Drop the data of @f, the frame on top. Clear the data: frames may be pushed
 * there later, and stale data must not look like their ->retp.
 */
static inline void fgraph_shadow_forget(struct fgraph_shadow *s, struct ftrace_ret_stack *f)
{
	const u32 older = fgraph_shadow_older(f);
	u32 nr;

	for (nr = s->data; nr < older; nr++)
		WRITE_ONCE(*fgraph_shadow_word(s, nr), 0);

	barrier();	/* cleared before interrupts can push frames here */
	s->data = older;
}

/* Pop @f, the frame on top with number @nr, which has no chunks. */
static __always_inline void __fgraph_shadow_pop(struct fgraph_shadow *s,
						struct ftrace_ret_stack *f, u32 nr)
{
	WRITE_ONCE(f->retp, NULL);
	barrier();	/* done with the frame before interrupts can push here */
	WRITE_ONCE(s->top, nr);
}

/* Pop @f, the frame on top, and its data. */
static __always_inline void fgraph_shadow_pop(struct fgraph_shadow *s,
					      struct ftrace_ret_stack *f)
{
	WRITE_ONCE(f->retp, NULL);
	if (unlikely(s->data != fgraph_shadow_older(f)))
		fgraph_shadow_forget(s, f);
	__fgraph_shadow_pop(s, f, s->top - 1);
}

/* Drop all frames, whose functions will never return. The task does not run. */
static inline void fgraph_shadow_reset(struct fgraph_shadow *s)
{
	struct ftrace_ret_stack *f;

	while ((f = fgraph_shadow_top(s)))
		fgraph_shadow_pop(s, f);

	/* The clients' words describe the dropped functions. */
	memset(s->vars, 0, sizeof(s->vars));
}

/*
 * Find the frame of the function that returns through @retp. It is on top,
 * unless functions that it called never returned, as their stack was left in
 * another way; their frames are popped. Return: The frame, or NULL.
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
 * Find the frame of the function whose return address is at @retp, on the stack
 * of any task and in any context.
 *
 * A function that ends in a jump to another watched one leaves two frames with
 * the same ->retp: the newer one returns to @handler, the older one has the real
 * return address.
 *
 * @limit: look at frames below this number only; may exceed the number of frames.
 * @ret: where the real return address goes.
 * Return: The frame's number, or -1.
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

/*
 * True if @f is on top, or its data and the end of that can be relied on. An
 * interrupt may have come while @f or the frame above it was not complete: then
 * a chunk of @f, or the end of its data, may not be written yet. The frame on top
 * is the caller's own.
 */
static inline bool fgraph_shadow_settled(struct fgraph_shadow *s, struct ftrace_ret_stack *f)
{
	struct ftrace_ret_stack *top = fgraph_shadow_top(s);

	return f == top || (f->retp && (f + 1 == top || f[1].retp));
}

/*
 * The chunk of @slot in the data of @f, which is settled; NULL: none. If @f is not
 * on top, the frame above it says where its data ends.
 */
static inline unsigned long *fgraph_shadow_chunk(struct fgraph_shadow *s,
						 struct ftrace_ret_stack *f, int slot)
{
	const u32 end = fgraph_shadow_older(f);
	unsigned long *head;
	u32 nr;

	nr = f == fgraph_shadow_top(s) ? s->data : fgraph_shadow_older(f + 1);
	for (; nr < end; nr += 1 + FGRAPH_CHUNK_WORDS(*head)) {
		head = fgraph_shadow_word(s, nr);
		if (FGRAPH_CHUNK_SLOT(*head) == slot)
			return head;
	}

	return NULL;
}

/*
 * Reserve @words for @slot in @f, the frame on top.
 * Return: The data, or NULL if @slot has data already, or the page is full.
 */
static inline void *fgraph_shadow_take(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
				       int slot, u32 words)
{
	unsigned long *head = fgraph_shadow_word(s, s->data) - (1 + words);

	if (fgraph_shadow_owns(f, slot) || fgraph_shadow_chunk(s, f, slot))
		return NULL;
	if (unlikely((void *)head < (void *)(f + 1)))
		return NULL;

	/*
	 * Reserved before it is written: interrupts reserve room below, and see
	 * no chunk of this frame, which has no ->retp yet.
	 */
	WRITE_ONCE(s->data, s->data - (1 + words));
	barrier();
	*head = FGRAPH_CHUNK(slot, words);
	return head + 1;
}

/*
 * Reserve @bytes for @slot in the frame on top.
 * Return: The data, or NULL if @bytes is out of range, @slot has data already,
 * there is no frame, or the page is full.
 */
static inline void *fgraph_shadow_reserve(struct fgraph_shadow *s, int slot, int bytes)
{
	struct ftrace_ret_stack *f = fgraph_shadow_top(s);

	if (!f || bytes <= 0 || bytes > FGRAPH_DATA_WORDS * sizeof(unsigned long))
		return NULL;

	/* One test: neither chunks nor an owner */
	if (likely(bytes <= sizeof(f->word)) && likely(f->data == s->data)) {
		f->data |= FGRAPH_OWNER(slot);
		return &f->word;
	}
	return fgraph_shadow_take(s, f, slot, DIV_ROUND_UP(bytes, sizeof(unsigned long)));
}

/* What fgraph_shadow_reserve() returned for @f when that was on top, or NULL. */
static inline void *fgraph_shadow_retrieve(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					   int slot, int *bytes)
{
	unsigned long *data = &f->word;
	u32 words = 1;

	if (unlikely(!fgraph_shadow_settled(s, f)))
		return NULL;

	if (!fgraph_shadow_owns(f, slot)) {
		unsigned long *head = fgraph_shadow_chunk(s, f, slot);

		if (!head)
			return NULL;
		words = FGRAPH_CHUNK_WORDS(*head);
		data = head + 1;
	}

	if (bytes)
		*bytes = words * sizeof(unsigned long);
	return data;
}

#endif /* _FTRACE_GRAPH_STACK_H */
