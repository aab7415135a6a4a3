/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of changes: filled in any order, committed in address order.
 *
 * Pure: the caller serialises (text_mutex) and gives it its memory. The
 * user-space tests compile it as it is.
 */
#ifndef _X86_TEXT_PATCH_QUEUE_H
#define _X86_TEXT_PATCH_QUEUE_H

#include <linux/types.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

struct text_patch_tx;

/* Pages that are mapped at once for writing. */
#define TEXT_WINDOW_PAGES	64

/**
 * struct text_patch - one instruction to be changed
 * @rel:	where: distance from the queue's base
 * @next:	next record of the same hash chain, TEXT_QUEUE_END: none
 * @len:	bytes to change, at most TEXT_PATCH_MAX
 * @slot:	page of the window that holds the first byte (see text_window)
 * @expect:	@old was given by the caller and must be what is found
 * @drop:	leave this one out
 * @own:	added to @tx by its owner: left out where @tx is refused or
 *		cancelled
 * @whole:	@old is one instruction that can be emulated, said by the caller or
 *		found when it was verified
 * @old:	bytes before the change
 * @new:	bytes after the change
 * @act:	what a CPU that meets the breakpoint does after the change: @new,
 *		or an instruction of the same effect if that cannot be emulated
 * @tx:		transaction that queued it; NULL for the plain calls
 */
struct text_patch {
	s32 rel;
	u32 next;
	u8 len;
	u8 slot;
	bool expect;
	bool drop;
	bool own;
	bool whole;
	u8 old[TEXT_PATCH_MAX];
	u8 new[TEXT_PATCH_MAX];
	u8 act[TEXT_PATCH_MAX];
	struct text_patch_tx *tx;
};

#define TEXT_QUEUE_END		(~0U)
#define TEXT_QUEUE_CHAINS	1024

/**
 * struct text_queue - changes that wait for their commit
 * @vec:	the changes
 * @nr:		how many there are
 * @cap:	how many fit
 * @sorted:	they are in ascending order, no place twice
 * @base:	address that @rel counts from
 * @chain:	first record of each hash chain, over @rel; void while @sorted
 */
struct text_queue {
	struct text_patch *vec;
	u32 nr;
	u32 cap;
	bool sorted;
	unsigned long base;
	u32 chain[TEXT_QUEUE_CHAINS];
};

/**
 * struct text_window - changes whose pages are mapped together
 * @first:	index of the first change
 * @nr:		number of changes
 * @pages:	number of pages
 *
 * The k-th page of the window lies at its k-th slot, whatever its address: the
 * pages need not be neighbours. Only the two pages of a change that crosses a
 * page boundary are, because the sort order puts the second page next.
 */
struct text_window {
	u32 first;
	u32 nr;
	u32 pages;
};

void text_queue_init(struct text_queue *q, unsigned long base,
		     struct text_patch *vec, u32 cap);
void text_queue_clear(struct text_queue *q);
void text_queue_move(struct text_queue *q, struct text_patch *vec, u32 cap);
struct text_patch *text_queue_find(const struct text_queue *q,
				   unsigned long addr);
struct text_patch *text_queue_put(struct text_queue *q, unsigned long addr);
void text_queue_sort(struct text_queue *q);
void text_queue_squeeze(struct text_queue *q);
u32 text_window_plan(const struct text_queue *q, u32 first, u32 end,
		     struct text_window *w, unsigned long *pages);

static __always_inline
unsigned long text_patch_addr(const struct text_patch *p, unsigned long base)
{
	return base + (long)p->rel;
}

/*
 * The change at exactly @addr among the @nr sorted ones at @vec, or NULL.
 * log2(@nr) + 1 steps; inline because the breakpoint handler uses it.
 */
static __always_inline
const struct text_patch *text_patch_search(const struct text_patch *vec, u32 nr,
					   unsigned long base,
					   unsigned long addr)
{
	const s32 key = (s32)(addr - base);

	if (addr != base + (long)key)
		return NULL;

	while (nr) {
		const u32 half = nr / 2;
		const struct text_patch *mid = vec + half;

		if (mid->rel == key)
			return mid;
		if (mid->rel < key) {
			vec = mid + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return NULL;
}

/*
 * A new record behind all others, for a place that comes after theirs; the
 * caller fills in the rest. NULL: it does not come after, or there is no room.
 */
static __always_inline
struct text_patch *text_queue_append(struct text_queue *q, unsigned long addr)
{
	const s32 rel = (s32)(addr - q->base);
	struct text_patch *p = q->vec + q->nr;

	if (unlikely(!q->sorted || q->nr == q->cap ||
		     addr != q->base + (long)rel))
		return NULL;
	if (unlikely(q->nr && p[-1].rel >= rel))
		return NULL;

	p->rel = rel;
	p->expect = false;
	p->drop = false;
	p->own = false;
	p->whole = false;
	q->nr++;
	return p;
}

#endif /* _X86_TEXT_PATCH_QUEUE_H */
