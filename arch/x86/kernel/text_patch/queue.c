// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of changes that wait for their commit.
 *
 * Callers add changes in any order. Changes in ascending order, as from a walk
 * over a sorted table of sites, need no sorting. A place that is queued twice
 * keeps the old bytes of the first change and takes the new bytes of the last
 * one, so a key that flips there and back costs only its place in the queue.
 *
 * Records are found by address: by binary search while they are in order, else
 * through hash chains. The chains are built when the first record comes out of
 * order. They hold indices, which stay valid when the vector moves to grow.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "queue.h"

/* Places are rarely closer than 4 bytes, so the low bits are dropped. */
static u32 chain_of(s32 rel)
{
	return ((u32)rel >> 2 ^ (u32)rel >> 12) % TEXT_QUEUE_CHAINS;
}

static void link_record(struct text_queue *q, u32 i)
{
	u32 *chain = &q->chain[chain_of(q->vec[i].rel)];

	q->vec[i].next = *chain;
	*chain = i;
}

static void chain_records(struct text_queue *q)
{
	u32 i;

	memset(q->chain, 0xff, sizeof(q->chain));
	for (i = 0; i < q->nr; i++)
		link_record(q, i);
}

void text_queue_init(struct text_queue *q, unsigned long base,
		     struct text_patch *vec, u32 cap)
{
	q->base = base;
	q->vec = vec;
	q->cap = cap;
	text_queue_clear(q);
}

/* Remove all changes. */
void text_queue_clear(struct text_queue *q)
{
	q->nr = 0;
	q->sorted = true;
}

/* Move the changes to a bigger vector. The caller frees the old one. */
void text_queue_move(struct text_queue *q, struct text_patch *vec, u32 cap)
{
	memcpy(vec, q->vec, q->nr * sizeof(*vec));
	q->vec = vec;
	q->cap = cap;
}

/* Find the queued change of the instruction at @addr, or NULL. */
struct text_patch *text_queue_find(const struct text_queue *q,
				   unsigned long addr)
{
	u32 i;

	if (q->sorted)
		return (struct text_patch *)
			text_patch_search(q->vec, q->nr, q->base, addr);
	for (i = q->chain[chain_of(addr - q->base)]; i != TEXT_QUEUE_END;
	     i = q->vec[i].next)
		if (text_patch_addr(&q->vec[i], q->base) == addr)
			return &q->vec[i];
	return NULL;
}

/*
 * Add a record for @addr, which must not be in the queue yet and must be within 2 GiB
 * of the queue's base. The caller fills in the rest.
 *
 * Return: The record, NULL if the vector is full.
 */
struct text_patch *text_queue_put(struct text_queue *q, unsigned long addr)
{
	const u32 i = q->nr;
	struct text_patch *p = &q->vec[i];

	if (i == q->cap)
		return NULL;

	p->rel = (s32)(addr - q->base);
	p->expect = false;
	p->drop = false;
	p->whole = false;
	q->nr++;
	if (!q->sorted) {
		link_record(q, i);
	} else if (i && p[-1].rel >= p->rel) {
		q->sorted = false;
		chain_records(q);
	}
	return p;
}

/*
 * Find the first of the @nr changes at @vec, sorted by address, that is not below
 * @addr.
 *
 * Return: Its index, or @nr.
 */
u32 text_patch_from(const struct text_patch *vec, u32 nr, unsigned long base,
		    unsigned long addr)
{
	u32 first = 0;

	while (first < nr) {
		const u32 mid = first + (nr - first) / 2;

		if (text_patch_addr(vec + mid, base) < addr)
			first = mid + 1;
		else
			nr = mid;
	}
	return first;
}

/* Is any of the @nr changes at @vec, sorted by address, in [@start, @end)? */
bool text_patch_any_in(const struct text_patch *vec, u32 nr, unsigned long base,
		       unsigned long start, unsigned long end)
{
	const u32 i = text_patch_from(vec, nr, base, start);

	return i < nr && text_patch_addr(vec + i, base) < end;
}

/* Merge two sorted lists that begin at @a and @b. Return: Index of the first record. */
static u32 merge(struct text_patch *vec, u32 a, u32 b)
{
	u32 head, *tail = &head;

	while (a != TEXT_QUEUE_END && b != TEXT_QUEUE_END) {
		u32 *first = vec[a].rel < vec[b].rel ? &a : &b;

		*tail = *first;
		tail = &vec[*first].next;
		*first = *tail;
	}
	*tail = a != TEXT_QUEUE_END ? a : b;
	return head;
}

/*
 * Link the records in address order: take runs that are in order, and merge the last
 * two lists of 2^k runs each as soon as there are two.
 *
 * Return: Index of the first one.
 */
static u32 link_in_order(struct text_queue *q)
{
	struct text_patch *vec = q->vec;
	u32 lists[32], runs = 0, i = 0, k, list;

	while (i < q->nr) {
		for (list = i; i + 1 < q->nr && vec[i].rel < vec[i + 1].rel; i++)
			vec[i].next = i + 1;
		vec[i++].next = TEXT_QUEUE_END;
		for (k = 0; runs >> k & 1; k++)
			list = merge(vec, lists[k], list);
		lists[k] = list;
		runs++;
	}
	list = TEXT_QUEUE_END;
	for (k = 0; runs >> k; k++)
		if (runs >> k & 1)
			list = merge(vec, lists[k], list);
	return list;
}

/* Sort into address order. Records are large, so each swap puts one into its place. */
void text_queue_sort(struct text_queue *q)
{
	struct text_patch *vec = q->vec;
	u32 list, next, i;

	if (q->sorted)
		return;

	for (list = link_in_order(q), i = 0; list != TEXT_QUEUE_END; list = next, i++) {
		next = vec[list].next;
		vec[list].next = i;
	}
	for (i = 0; i < q->nr; i++) {
		while (vec[i].next != i) {
			const u32 to = vec[i].next;

			swap(vec[i], vec[to]);
		}
	}
	q->sorted = true;
}

/* Remove the records that are marked @drop from a sorted queue. */
void text_queue_squeeze(struct text_queue *q)
{
	u32 from, to = 0;

	for (from = 0; from < q->nr; from++) {
		if (q->vec[from].drop)
			continue;
		if (to != from)
			q->vec[to] = q->vec[from];
		to++;
	}
	q->nr = to;
}

/**
 * text_window_plan() - choose the changes of one window
 * @q:		the queue, sorted
 * @first:	index of the first change
 * @end:	one past the index of the last change that may be in the window
 * @w:		the window, to be filled in
 * @pages:	gets the addresses of the window's pages, up to
 *		TEXT_WINDOW_PAGES
 *
 * Takes changes from @first on as long as they and their pages fit, and sets @at, the
 * offset in the window, in the record of each.
 *
 * Return: Index of the first change that is left for the next window.
 */
u32 text_window_plan(const struct text_queue *q, u32 first, u32 end,
		     struct text_window *w, unsigned long *pages)
{
	const unsigned long base = q->base;
	struct text_patch *p = q->vec + first;
	const struct text_patch *stop = p + min(end - first, TEXT_WINDOW_PLACES);
	/* The last page (1: none yet), and its offset in the window. */
	unsigned long page = 1;
	u32 used = 0, at = 0;

	for (; p < stop; p++) {
		const unsigned long head = text_patch_addr(p, base);
		bool fresh, crosses;

		if (likely(head - page <= PAGE_SIZE - p->len)) {
			p->at = at + (head - page);
			continue;
		}
		fresh = (head & PAGE_MASK) != page;
		crosses = (head & ~PAGE_MASK) > PAGE_SIZE - p->len;
		if (used + fresh + crosses > TEXT_WINDOW_PAGES)
			break;
		page = head & PAGE_MASK;
		if (fresh)
			pages[used++] = page;
		p->at = (used - 1) * PAGE_SIZE + (head - page);
		if (crosses) {
			page += PAGE_SIZE;
			pages[used++] = page;
		}
		at = (used - 1) * PAGE_SIZE;
	}

	w->first = first;
	w->nr = p - q->vec - first;
	w->pages = used;
	return first + w->nr;
}
