// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines as pieces of executable memory. Many share a page. They are found
 * by address from any context.
 *
 * The architecture generates their code. Combos own them, and free them after the
 * grace periods of retire.c. Then lookups no longer find them, and their memory
 * is reused. ftrace_tramp_find() copies its results, so they stay valid.
 */
#include <linux/bitmap.h>
#include <linux/ftrace/text.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "tramp.h"

/* Trampolines are aligned to instruction fetch blocks. */
#define GRAIN		16
#define GRAINS		(PAGE_SIZE / GRAIN)

/* A page of trampolines. */
struct ftrace_tramp_page {
	struct hlist_node	hash;	/* [T, RCU read] by page number */
	struct list_head	list;	/* [T, RCU read] */
	struct list_head	room;	/* [T] pages likely to have room come first */
	struct hlist_head	tramps;	/* [T, RCU read] */
	struct rcu_head		rcu;
	void			*code;	/* [I] */
	unsigned int		used;	/* [T] number of grains */
	unsigned int		nr;	/* [T] number of trampolines */
	unsigned int		listed;	/* [T] how many are in kallsyms; read by anyone */
	unsigned long		map[BITS_TO_LONGS(GRAINS)];	/* [T] grains in use */
};

/*
 * T: guards all pages and their contents. See lock.h for its place in the lock
 * order.
 */
static DEFINE_MUTEX(tramp_mutex);
static DEFINE_HASHTABLE(tramp_pages, 8);
static LIST_HEAD(tramp_page_list);
static LIST_HEAD(tramp_page_room);
static unsigned int nr_pages;
static unsigned int nr_empty;

/* All pages ever made are in [lo, hi); most addresses that are looked up are not. */
static unsigned long pages_lo = ULONG_MAX;
static unsigned long pages_hi;

/* Pages */

static struct ftrace_tramp_page *page_make(void)
{
	struct ftrace_tramp_page *page = kzalloc_obj(*page);
	unsigned long start;

	if (!page)
		return NULL;
	page->code = arch_ftrace_page_alloc();
	if (!page->code) {
		kfree(page);
		return NULL;
	}

	start = (unsigned long)page->code;
	WRITE_ONCE(pages_lo, min(pages_lo, start));
	WRITE_ONCE(pages_hi, max(pages_hi, start + PAGE_SIZE));
	hash_add_rcu(tramp_pages, &page->hash, start >> PAGE_SHIFT);
	list_add_tail_rcu(&page->list, &tramp_page_list);
	list_add(&page->room, &tramp_page_room);
	nr_pages++;
	nr_empty++;
	return page;
}

static void page_drop(struct ftrace_tramp_page *page)
{
	hash_del_rcu(&page->hash);
	list_del_rcu(&page->list);
	list_del(&page->room);
	arch_ftrace_page_free(page->code);
	kfree_rcu(page, rcu);
	nr_pages--;
	nr_empty--;
}

/* Find @grains free grains in a row, in an existing page or in a new one. */
static struct ftrace_tramp_page *page_with_room(unsigned int grains, unsigned long *at)
{
	struct ftrace_tramp_page *page;

	list_for_each_entry(page, &tramp_page_room, room) {
		if (GRAINS - page->used < grains)
			continue;
		*at = bitmap_find_next_zero_area(page->map, GRAINS, 0, grains, 0);
		if (*at < GRAINS)
			return page;
	}
	*at = 0;
	return page_make();
}

static void page_take(struct ftrace_tramp_page *page, unsigned long at, unsigned int grains)
{
	bitmap_set(page->map, at, grains);
	page->used += grains;
	if (!page->nr++)
		nr_empty--;
}

/*
 * Free grains. Keep one empty page, so that registering and unregistering a hook does
 * not map and unmap a page each time.
 */
static void page_give(struct ftrace_tramp_page *page, unsigned long at, unsigned int grains)
{
	bitmap_clear(page->map, at, grains);
	page->used -= grains;
	list_move(&page->room, &tramp_page_room);
	if (--page->nr)
		return;
	nr_empty++;
	if (nr_empty > 1)
		page_drop(page);
}

static unsigned int grains_of(size_t size)
{
	return DIV_ROUND_UP(size, GRAIN);
}

/* Trampolines */

static void announce_symbol(const struct ftrace_tramp *tramp, const void *code)
{
	const u32 size = tramp->size;

	perf_event_text_poke((void *)tramp->ip, NULL, 0, code, size);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, tramp->ip, size, false,
			   FTRACE_TRAMPOLINE_SYM);
}

static void withdraw_symbol(const struct ftrace_tramp *tramp)
{
	void *code = (void *)tramp->ip;

	perf_event_text_poke(code, code, tramp->size, NULL, 0);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, tramp->ip, tramp->size, true,
			   FTRACE_TRAMPOLINE_SYM);
}

static bool place(struct ftrace_tramp *tramp, void *buf, const struct ftrace_tramp_spec *spec)
{
	const unsigned int grains = grains_of(tramp->size);
	struct ftrace_tramp_page *page;
	unsigned long at;

	guard(mutex)(&tramp_mutex);

	page = page_with_room(grains, &at);
	if (!page)
		return false;
	page_take(page, at, grains);
	tramp->page = page;
	tramp->ip = (unsigned long)page->code + at * GRAIN;
	if (arch_ftrace_tramp_build(buf, tramp->ip, spec) ||
	    arch_ftrace_page_write((void *)tramp->ip, buf, tramp->size)) {
		page_give(page, at, grains);
		return false;
	}
	hlist_add_head_rcu(&tramp->node, &page->tramps);
	WRITE_ONCE(page->listed, page->listed + 1);
	announce_symbol(tramp, buf);
	return true;
}

#ifdef FTRACE_BARE
bool (*ftrace_bare_calls)(struct ftrace_tramp_call *call, bool alone) __ro_after_init;
#endif

/* True if each callback of @spec can be called without registers. */
static bool can_be_bare(const struct ftrace_tramp_spec *spec)
{
	struct ftrace_tramp_call call;
	unsigned int i;

	for (i = 0; i < spec->nr; i++) {
		call = spec->calls[i];
		if (!ftrace_bare_call(&call, spec->nr == 1))
			return false;
	}
	return !spec->regs && !spec->direct;
}

/**
 * ftrace_tramp_make() - make a trampoline
 * @asked: what it does; ->bare is ignored, and decided here
 *
 * Context: Process context. May sleep. ftrace_lock held. Also at boot with
 * interrupts off.
 * Return: The trampoline; NULL if memory is short or the architecture cannot
 * build it.
 */
struct ftrace_tramp *ftrace_tramp_make(const struct ftrace_tramp_spec *asked)
{
	struct ftrace_tramp_spec spec = *asked;
	struct ftrace_tramp *tramp;
	size_t size;
	void *buf;

	spec.bare = can_be_bare(asked);
	size = arch_ftrace_tramp_size(&spec);
	if (!size || size > PAGE_SIZE)
		return NULL;
	tramp = kzalloc_obj(*tramp);
	buf = kmalloc(size, GFP_KERNEL);
	if (!tramp || !buf)
		goto out_free;

	tramp->size = size;
	tramp->regs = spec.regs;
	tramp->direct = spec.direct;
	tramp->bare = spec.bare;
	if (!place(tramp, buf, &spec))
		goto out_free;

	kfree(buf);
	return tramp;

out_free:
	kfree(buf);
	kfree(tramp);
	return NULL;
}

static void unlist(struct ftrace_tramp *tramp)
{
	struct ftrace_tramp_page *page = tramp->page;

	lockdep_assert_held(&tramp_mutex);

	if (tramp->unlisted)
		return;
	WRITE_ONCE(tramp->unlisted, true);
	WRITE_ONCE(page->listed, page->listed - 1);
}

/**
 * ftrace_tramp_unlist() - take a trampoline out of /proc/kallsyms
 * @tramp: the trampoline; no site calls it any more
 *
 * Programs read that file twice, as trace-cmd does to get its size first, and expect
 * the same content if no tracer is switched in between. Freeing it would not do: that
 * waits for grace periods.
 *
 * Context: Process context. May sleep. Takes tramp_mutex.
 */
void ftrace_tramp_unlist(struct ftrace_tramp *tramp)
{
	guard(mutex)(&tramp_mutex);
	unlist(tramp);
}

/**
 * ftrace_tramp_free() - free a trampoline
 * @tramp: the trampoline; no CPU or task is in it or about to enter it
 *
 * Lookups may still read @tramp and its page's struct, so both are freed after
 * an RCU grace period.
 *
 * Context: Process context. May sleep. Takes tramp_mutex, text_mutex.
 */
void ftrace_tramp_free(struct ftrace_tramp *tramp)
{
	struct ftrace_tramp_page *page = tramp->page;
	const unsigned long at = (tramp->ip - (unsigned long)page->code) / GRAIN;

	mutex_lock(&tramp_mutex);
	withdraw_symbol(tramp);
	unlist(tramp);
	hlist_del_rcu(&tramp->node);
	arch_ftrace_page_trap((void *)tramp->ip, tramp->size);
	page_give(page, at, grains_of(tramp->size));
	mutex_unlock(&tramp_mutex);
	kfree_rcu(tramp, rcu);
}

/* Lookups */

static __always_inline const struct ftrace_tramp *tramp_at(unsigned long ip)
{
	const struct ftrace_tramp_page *page;
	const struct ftrace_tramp *tramp;

	hash_for_each_possible_rcu_notrace(tramp_pages, page, hash, ip >> PAGE_SHIFT) {
		if (ip - (unsigned long)page->code >= PAGE_SIZE)
			continue;
		hlist_for_each_entry_rcu_notrace(tramp, &page->tramps, node)
			if (ip - tramp->ip < tramp->size)
				return tramp;
	}
	return NULL;
}

/**
 * ftrace_tramp_find() - find the trampoline that contains an address
 * @ip: the address
 * @start: set to the trampoline's start address
 * @size: set to its size in bytes
 * @spec: gets what it does, without its calls
 *
 * Finds retired trampolines until they are freed.
 *
 * Context: Any context, including NMI and oops.
 * Return: True if a trampoline contains @ip.
 */
bool ftrace_tramp_find(unsigned long ip, unsigned long *start, u32 *size,
		       struct ftrace_tramp_spec *spec)
{
	const struct ftrace_tramp *tramp;

	if (ip < READ_ONCE(pages_lo) || ip >= READ_ONCE(pages_hi))
		return false;

	preempt_disable_notrace();
	tramp = tramp_at(ip);
	if (tramp) {
		*start = tramp->ip;
		*size = tramp->size;
		*spec = (struct ftrace_tramp_spec){
			.regs = tramp->regs, .direct = tramp->direct, .bare = tramp->bare,
		};
	}
	preempt_enable_notrace();
	return tramp;
}

/**
 * is_ftrace_trampoline() - test whether an address is in a trampoline
 * @addr: the address
 *
 * Context: Any context, including NMI and oops.
 * Return: True if it is.
 */
bool is_ftrace_trampoline(unsigned long addr)
{
	struct ftrace_tramp_spec spec;
	unsigned long start;
	u32 size;

	return ftrace_tramp_find(addr, &start, &size, &spec);
}

/**
 * ftrace_tramp_nth() - get a trampoline for kallsyms by its position
 * @n: position, from 0
 * @ip: set to its start address
 * @size: set to its size in bytes
 *
 * While trampolines are made and freed, a walk may miss some or see them twice.
 *
 * Context: Any context.
 * Return: 0 on success, -ERANGE if there are not more than @n.
 */
int ftrace_tramp_nth(unsigned int n, unsigned long *ip, u32 *size)
{
	const struct ftrace_tramp_page *page;
	const struct ftrace_tramp *tramp;
	int err = -ERANGE;

	rcu_read_lock();
	list_for_each_entry_rcu(page, &tramp_page_list, list) {
		const unsigned int nr = READ_ONCE(page->listed);

		if (n >= nr) {
			n -= nr;
			continue;
		}
		hlist_for_each_entry_rcu(tramp, &page->tramps, node) {
			if (READ_ONCE(tramp->unlisted) || n--)
				continue;
			*ip = tramp->ip;
			*size = tramp->size;
			err = 0;
			goto out;
		}
		/* One was unlisted meanwhile: take the first of the next page. */
		n = 0;
	}
out:
	rcu_read_unlock();
	return err;
}

#if IS_ENABLED(CONFIG_FTRACE_TRAMP_KUNIT_TEST)
unsigned long ftrace_tramp_pages(void)
{
	return READ_ONCE(nr_pages);
}
#endif

/**
 * ftrace_tramp_settle() - finish the trampolines that were made early at boot
 *
 * Everything that their code depends on is decided by now. Trampolines made later need
 * no finishing.
 *
 * Context: Process context. May sleep. Takes tramp_mutex.
 */
void ftrace_tramp_settle(void)
{
	struct ftrace_tramp_page *page;
	struct ftrace_tramp *tramp;

	guard(mutex)(&tramp_mutex);
	list_for_each_entry(page, &tramp_page_list, list) {
		hlist_for_each_entry(tramp, &page->tramps, node)
			arch_ftrace_tramp_settle(tramp->ip, tramp->size);
	}
}

/**
 * ftrace_tramp_seal() - make the pages of trampolines made at boot read-only
 *
 * Called once at the end of boot, but not with rodata=off.
 *
 * Context: Process context. May sleep. Takes tramp_mutex.
 */
void ftrace_tramp_seal(void)
{
	struct ftrace_tramp_page *page;

	guard(mutex)(&tramp_mutex);
	list_for_each_entry(page, &tramp_page_list, list)
		arch_ftrace_page_seal(page->code);
}
