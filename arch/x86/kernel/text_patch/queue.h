/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of changes: filled in any order, committed in address order.
 *
 * Pure: the caller serialises (text_mutex) and provides the memory. The
 * user-space tests compile this file as it is.
 */
#ifndef _X86_TEXT_PATCH_QUEUE_H
#define _X86_TEXT_PATCH_QUEUE_H

#include <linux/kconfig.h>
#include <linux/types.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

struct text_patch_tx;

/*
 * Number of pages that are mapped at once for writing, and of places that are
 * written through them. Interrupts are off meanwhile.
 */
#define TEXT_WINDOW_PAGES	64
#define TEXT_WINDOW_PLACES	256

/**
 * struct text_patch - one instruction to be changed
 * @rel:	address, relative to the queue's base
 * @next:	while the queue is not sorted: index of the next record in the same
 *		hash chain, or TEXT_QUEUE_END
 * @at:		when it is sorted: offset in its window, see &struct text_window
 * @len:	number of bytes to change, at most TEXT_PATCH_MAX
 * @expect:	the caller gave @old, and the place must hold it
 * @drop:	leave this change out
 * @whole:	@old is one instruction that can be emulated: the caller
 *		guarantees it or verification found it
 * @old:	bytes before the change
 * @new:	bytes after the change
 * @act:	instruction that a CPU at the breakpoint emulates after the
 *		flip: @new, or an instruction with the same effect if @new
 *		cannot be emulated
 * @tx:		outermost transaction of the task that queued the change, or
 *		NULL
 */
struct text_patch {
	s32 rel;
	union {
		u32 next;
		u32 at;
	};
	u8 len;
	bool expect;
	bool drop;
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
 * @nr:		number of changes
 * @cap:	number of changes that fit into @vec
 * @sorted:	changes are in ascending order of address, without duplicates
 * @base:	address that &text_patch.rel is relative to
 * @chain:	index of the first record of each hash chain, by
 *		&text_patch.rel; invalid while @sorted
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
 * The k-th page of a window is mapped at its k-th slot, whatever its address,
 * so pages in adjacent slots need not be adjacent in text. The two pages of a
 * change that crosses a page boundary always are, because in address order the
 * second page comes next.
 */
struct text_window {
	u32 first;
	u32 nr;
	u32 pages;
};

/*
 * The base for a kernel whose text is at @text. On 64 bit all changes are within 2 GiB of
 * the kernel's text. On 32 bit a module may be farther from it, but no address is from the
 * middle of the address space.
 */
static inline unsigned long text_queue_base(unsigned long text)
{
	return IS_ENABLED(CONFIG_64BIT) ? text : 0x80000000UL;
}

void text_queue_init(struct text_queue *q, unsigned long base,
		     struct text_patch *vec, u32 cap);
void text_queue_clear(struct text_queue *q);
void text_queue_move(struct text_queue *q, struct text_patch *vec, u32 cap);
struct text_patch *text_queue_find(const struct text_queue *q,
				   unsigned long addr);
struct text_patch *text_queue_put(struct text_queue *q, unsigned long addr);
u32 text_patch_from(const struct text_patch *vec, u32 nr, unsigned long base,
		    unsigned long addr);
bool text_patch_any_in(const struct text_patch *vec, u32 nr, unsigned long base,
		       unsigned long start, unsigned long end);
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
 * Find the change at exactly @addr among the @nr changes at @vec, sorted by
 * address. Takes at most log2(@nr) + 1 steps. Inline because the breakpoint
 * handler uses it.
 *
 * Return: The change, or NULL.
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

#endif /* _X86_TEXT_PATCH_QUEUE_H */
