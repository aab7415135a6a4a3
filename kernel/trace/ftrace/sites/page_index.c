// SPDX-License-Identifier: GPL-2.0
/*
 * Discovered sites by address.
 *
 * Lookups only read, in any context: an array of a page is complete when it is
 * published, and never changes after that.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/instrumentation.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <asm/ftrace.h>

#include "page_index.h"

/**
 * ftrace_index_make() - make an index without sites
 * @start: the first address of the text
 * @end: one past its last address
 *
 * Context: Process context or early boot. May sleep.
 * Return: The index, NULL if memory is short.
 */
struct ftrace_page_index *ftrace_index_make(unsigned long start, unsigned long end)
{
	const u32 nr = DIV_ROUND_UP(end - start, PAGE_SIZE);
	struct ftrace_page_index *index;

	index = kvzalloc(struct_size(index, pages, nr), GFP_KERNEL);
	if (!index)
		return NULL;
	index->start = start;
	index->nr = nr;
	return index;
}

/**
 * ftrace_index_free() - free an index
 * @index: the index; it has no readers any more
 *
 * Context: Preemptible task context, or an interrupt other than an NMI.
 */
void ftrace_index_free(struct ftrace_page_index *index)
{
	u32 i;

	for (i = 0; i < index->nr; i++)
		kfree(rcu_dereference_protected(index->pages[i], true));
	kvfree(index);
}

static struct ftrace_index_page *page_now(const struct ftrace_page_index *index, u32 which)
{
	return rcu_dereference_protected(index->pages[which], lockdep_is_held(&ftrace_lock));
}

/* A new page with the sites of @old and @nr others, both ascending. NULL: no memory. */
static struct ftrace_index_page *merge(const struct ftrace_index_page *old,
				       const struct ftrace_index_site *sites, u32 nr)
{
	const u32 nr_old = old ? old->nr : 0;
	struct ftrace_index_page *page;
	u32 i = 0, j = 0;

	page = kmalloc(struct_size(page, sites, nr_old + nr), GFP_KERNEL);
	if (!page)
		return NULL;
	page->nr = nr_old + nr;
	while (i < nr_old || j < nr) {
		if (j == nr || (i < nr_old && old->sites[i].offset < sites[j].offset)) {
			page->sites[i + j] = old->sites[i];
			i++;
		} else {
			page->sites[i + j] = sites[j];
			j++;
		}
	}
	return page;
}

/* How many of the @nr sites are in the same page as the first one. */
static u32 same_page(const struct ftrace_index_site *sites, u32 nr)
{
	u32 i = 1;

	while (i < nr && sites[i].offset / PAGE_SIZE == sites[0].offset / PAGE_SIZE)
		i++;
	return i;
}

/**
 * ftrace_index_prepare() - allocate all memory for adding sites
 * @change: filled in; to be published or dropped
 * @index: the index
 * @sites: the sites, ascending by offset, none of them in the index
 * @nr: number of sites
 *
 * Context: Process context. May sleep. ftrace_lock held until the change is
 * published or dropped.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_index_prepare(struct ftrace_index_change *change, struct ftrace_page_index *index,
			 const struct ftrace_index_site *sites, u32 nr)
{
	u32 i, n;

	lockdep_assert_held(&ftrace_lock);

	*change = (struct ftrace_index_change){ .index = index };
	if (!nr)
		return 0;
	change->pages = kvmalloc_array(nr, sizeof(*change->pages), GFP_KERNEL);
	change->which = kvmalloc_array(nr, sizeof(*change->which), GFP_KERNEL);
	if (!change->pages || !change->which)
		goto fail;

	for (i = 0; i < nr; i += n) {
		const u32 which = sites[i].offset / PAGE_SIZE;
		struct ftrace_index_page *page;

		n = same_page(sites + i, nr - i);
		if (WARN_ON_ONCE(which >= index->nr))
			continue;
		page = merge(page_now(index, which), sites + i, n);
		if (!page)
			goto fail;
		change->pages[change->nr] = page;
		change->which[change->nr++] = which;
	}
	return 0;
fail:
	ftrace_index_drop(change);
	return -ENOMEM;
}

/**
 * ftrace_index_publish() - make added sites visible to lookups
 * @change: the change; empty afterwards
 *
 * Cannot fail. ftrace_site_block_grow() has made their numbers valid before.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_index_publish(struct ftrace_index_change *change)
{
	u32 i;

	for (i = 0; i < change->nr; i++) {
		struct ftrace_index_page *old = page_now(change->index, change->which[i]);

		rcu_assign_pointer(change->index->pages[change->which[i]], change->pages[i]);
		if (old)
			kfree_rcu(old, rcu);
	}
	change->nr = 0;
	ftrace_index_drop(change);
}

/**
 * ftrace_index_drop() - free a change without publishing it
 * @change: the change; empty afterwards
 *
 * Context: Process context.
 */
void ftrace_index_drop(struct ftrace_index_change *change)
{
	while (change->nr)
		kfree(change->pages[--change->nr]);
	kvfree(change->pages);
	kvfree(change->which);
	*change = (struct ftrace_index_change){};
}

/* The first site of @page that is not below @offset; page->nr: none. */
static __always_inline u32 site_from(const struct ftrace_index_page *page, u32 offset)
{
	u32 low = 0, high = page->nr;

	while (low < high) {
		const u32 mid = low + (high - low) / 2;

		if (page->sites[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * ftrace_index_from() - find the first site at or after an offset
 * @index: the index
 * @offset: from the start of the text
 *
 * To walk over a text's sites in address order, call it again with one more than the
 * offset that it has found.
 *
 * Context: Any context. Preemption off, or ftrace_lock held, as long as the
 * result is used.
 * Return: The site, NULL if there is none.
 */
const struct ftrace_index_site *ftrace_index_from(const struct ftrace_page_index *index, u32 offset)
{
	u32 which, i;

	for (which = offset / PAGE_SIZE; which < index->nr; which++) {
		const struct ftrace_index_page *page = rcu_dereference_raw(index->pages[which]);

		if (!page)
			continue;
		i = site_from(page, offset);
		if (i < page->nr)
			return &page->sites[i];
	}
	return NULL;
}

/**
 * ftrace_index_at() - find the site that covers an address
 * @index: the index
 * @ip: the address of any of the site's bytes, in the index's text
 *
 * Context: As ftrace_index_from(), noinstr code included.
 * Return: The site, NULL if there is none.
 */
noinstr const struct ftrace_index_site *ftrace_index_at(const struct ftrace_page_index *index,
							unsigned long ip)
{
	const u32 offset = ip - index->start;
	const u32 first = offset < MCOUNT_INSN_SIZE ? 0 : offset - (MCOUNT_INSN_SIZE - 1);
	const struct ftrace_index_site *site;
	u32 which, i;

	/* The site may begin in the page before, but not in a page after @offset's. */
	for (which = first / PAGE_SIZE; which <= offset / PAGE_SIZE && which < index->nr; which++) {
		const struct ftrace_index_page *page = rcu_dereference_raw(index->pages[which]);

		if (!page)
			continue;
		i = site_from(page, first);
		site = &page->sites[i];
		if (i < page->nr && site->offset <= offset)
			return site;
	}
	return NULL;
}
