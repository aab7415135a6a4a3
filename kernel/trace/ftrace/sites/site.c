// SPDX-License-Identifier: GPL-2.0
/*
 * Call sites: the places where the compiler left room for a call.
 *
 * A table answers "which site is at this address?" and "which site has this
 * number?" in any context. It has all blocks by address and by number, and is
 * replaced as a whole when a block is published or withdrawn. A published block
 * never changes, except for its state words; only to a discovered block are sites
 * appended. In searches by address, the first block of a discovered text stands for
 * all of its blocks. Nothing here interprets the states or writes text.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/instrumentation.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <asm/ftrace.h>

#include "page_index.h"
#include "site.h"
#include "targets.h"

/* See lock.h for what it guards, and for the lock order. */
DEFINE_MUTEX(ftrace_lock);

LIST_HEAD(ftrace_site_blocks);
u64 ftrace_site_generation;
DECLARE_WAIT_QUEUE_HEAD(ftrace_site_changes);
u32 ftrace_ran_which;

unsigned long ftrace_update_tot_cnt;
unsigned long ftrace_number_of_pages;

/* Time taken to find the sites of the kernel and of modules, for dyn_ftrace_total_info. */
u64 ftrace_update_time;
u64 ftrace_total_mod_time;
unsigned long ftrace_number_of_groups;

static LIST_HEAD(watchers);

/* Larger blocks take whole pages: kmalloc() would round up to a power of two. */
#define SMALL_BLOCK	PAGE_SIZE

struct block_table {
	struct rcu_head			rcu;
	u32				nr;	/* number of blocks */
	u32				nr_ip;	/* number of those that are searched by address */
	/* nr_ip blocks in address order, then all nr blocks in the order of numbers */
	struct ftrace_site_block	*blocks[];
};

static struct block_table __rcu *block_table;

/*
 * Readers have preemption off. No lockdep check: some readers run in exception
 * handlers that emulate an instruction.
 */
static __always_inline const struct block_table *table(void)
{
	return rcu_dereference_raw(block_table);
}

/* The last block whose base is not above @ip; *which gets its index. */
static __always_inline struct ftrace_site_block *block_below(const struct block_table *t,
							     unsigned long ip, u32 *which)
{
	u32 low = 0, high;

	if (!t || !t->nr_ip || t->blocks[0]->base > ip)
		return NULL;
	for (high = t->nr_ip; high - low > 1; ) {
		const u32 mid = low + (high - low) / 2;

		if (t->blocks[mid]->base <= ip)
			low = mid;
		else
			high = mid;
	}
	*which = low;
	return t->blocks[low];
}

/* The block whose range has @nr; the number may be unused. */
static __always_inline struct ftrace_site_block *block_of(const struct block_table *t, u32 nr)
{
	struct ftrace_site_block *b;
	u32 low = 0, high;

	if (!t || !t->nr)
		return NULL;
	for (high = t->nr; high - low > 1; ) {
		const u32 mid = low + (high - low) / 2;

		if (t->blocks[t->nr_ip + mid]->first <= nr)
			low = mid;
		else
			high = mid;
	}
	b = t->blocks[t->nr_ip + low];
	return nr >= b->first && nr - b->first < ftrace_site_block_numbers(b) ? b : NULL;
}

/*
 * The block of @site, which was found in the index of a text. NULL: @site is, or the
 * block was published or withdrawn after @t was read.
 */
static __always_inline struct ftrace_site_block *indexed_site(const struct block_table *t,
							      const struct ftrace_index_site *site,
							      u32 *i)
{
	struct ftrace_site_block *b = site ? block_of(t, site->nr) : NULL;

	if (b)
		*i = site->nr - b->first;
	return b;
}

/* Index of the last site at or below @offset. There always is one: the first has offset 0. */
static __always_inline u32 site_below(const struct ftrace_site_block *b, u32 offset)
{
	u32 low = 0, high;

	for (high = b->nr; high - low > 1; ) {
		const u32 mid = low + (high - low) / 2;

		if (b->sites[mid].offset <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static __always_inline struct ftrace_site_block *find(unsigned long ip, u32 *i)
{
	const struct block_table *t = table();
	struct ftrace_site_block *b;
	u32 which;

	b = block_below(t, ip, &which);
	if (!b || ip >= b->end)
		return NULL;
	if (ftrace_discovered_text(b))
		return indexed_site(t, ftrace_index_at(b->text->index, ip), i);
	*i = site_below(b, ip - b->base);
	return b;
}

/**
 * ftrace_site_find_exact() - find the site that starts at an address
 * @ip: the address of the site's first byte
 * @i: set to the index of the site in its block
 *
 * Called at the entry of traced functions, so it is noinstr, which excludes kprobes.
 *
 * Context: Any context. Preemption off, or ftrace_lock held, as long as the
 * result is used.
 * Return: The site's block, or NULL.
 */
noinstr struct ftrace_site_block *ftrace_site_find_exact(unsigned long ip, u32 *i)
{
	struct ftrace_site_block *b = find(ip, i);

	return b && ip == ftrace_site_ip(b, *i) ? b : NULL;
}

/*
 * The first site that ends after @ip, in @b or, for a discovered text, in any of
 * its blocks. NULL: there is none.
 */
static __always_inline struct ftrace_site_block *
first_after(const struct block_table *t, struct ftrace_site_block *b, unsigned long ip, u32 *i)
{
	if (ip >= b->end)
		return NULL;
	if (ftrace_discovered_text(b)) {
		const unsigned long before = MCOUNT_INSN_SIZE - 1;
		const u32 offset = ip > b->base + before ? ip - before - b->base : 0;

		return indexed_site(t, ftrace_index_from(b->text->index, offset), i);
	}

	*i = 0;
	if (ip > b->base) {
		*i = site_below(b, ip - b->base);
		/* ++*i stays inside the block: the last site extends to b->end. */
		if (ip - ftrace_site_ip(b, *i) >= MCOUNT_INSN_SIZE)
			++*i;
	}
	return b;
}

/**
 * ftrace_site_find_range() - find the first site that overlaps a range
 * @start: the first address of the range
 * @end: the last address of the range
 * @i: set to the index of the site in its block
 *
 * Context: As ftrace_site_find_exact().
 * Return: The site's block, or NULL.
 */
struct ftrace_site_block *ftrace_site_find_range(unsigned long start, unsigned long end, u32 *i)
{
	const struct block_table *t = table();
	struct ftrace_site_block *b;
	u32 which = 0;

	if (start > end || !t)
		return NULL;

	block_below(t, start, &which);
	for (; which < t->nr_ip && t->blocks[which]->base <= end; which++) {
		b = first_after(t, t->blocks[which], start, i);
		if (b)
			return ftrace_site_ip(b, *i) <= end ? b : NULL;
	}
	return NULL;
}

/**
 * ftrace_discovered_at() - find the discovered text that contains an address
 * @ip: the address
 *
 * Context: As ftrace_site_find_exact().
 * Return: The text; NULL if no discovered text has the address.
 */
struct ftrace_discovered *ftrace_discovered_at(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 which;

	b = block_below(table(), ip, &which);
	return b && ip < b->end ? ftrace_discovered_text(b) : NULL;
}

/**
 * ftrace_site_from() - find the first site of a block at or after an address
 * @lead: the block; of a discovered text, the first one
 * @ip: the address
 * @i: set to the index of the site in its block
 *
 * Context: Process context. ftrace_lock held.
 * Return: The site's block, which may be another one of a discovered text; NULL if
 * there is no such site.
 */
struct ftrace_site_block *ftrace_site_from(struct ftrace_site_block *lead, unsigned long ip,
					   u32 *i)
{
	const struct block_table *t = table();
	struct ftrace_site_block *b;

	lockdep_assert_held(&ftrace_lock);

	if (ip >= lead->end)
		return NULL;
	if (ftrace_discovered_text(lead))
		return indexed_site(t, ftrace_index_from(lead->text->index,
							 ip > lead->base ? ip - lead->base : 0), i);
	b = first_after(t, lead, ip, i);
	/* A site that covers @ip begins before it. */
	if (b && ftrace_site_ip(b, *i) < ip && ++*i == b->nr)
		return NULL;
	return b;
}

/**
 * ftrace_site_by_nr() - find a site by its number
 * @nr: the number
 * @i: set to the index of the site in its block
 *
 * Context: As ftrace_site_find_exact().
 * Return: The site's block, or NULL: numbers have gaps.
 */
struct ftrace_site_block *ftrace_site_by_nr(u32 nr, u32 *i)
{
	struct ftrace_site_block *b = block_of(table(), nr);

	/* Pairs with the release in ftrace_site_block_grow(): sites below ->nr are filled in. */
	if (!b || nr - b->first >= smp_load_acquire(&b->nr))
		return NULL;
	*i = nr - b->first;
	return b;
}

/**
 * ftrace_site_end() - get the end of the range of site numbers
 *
 * Context: Process context. ftrace_lock held.
 * Return: One more than the largest number of all blocks, 0 if there is no block.
 */
u32 ftrace_site_end(void)
{
	const struct block_table *t = table();
	const struct ftrace_site_block *b;

	lockdep_assert_held(&ftrace_lock);
	if (!t || !t->nr)
		return 0;
	b = t->blocks[t->nr_ip + t->nr - 1];
	return b->first + ftrace_site_block_numbers(b);
}

static size_t block_size(u32 nr)
{
	return struct_size_t(struct ftrace_site_block, sites, nr) +
	       2 * BITS_TO_LONGS(nr) * sizeof(long);
}

static struct ftrace_site_block *alloc_block(u32 nr)
{
	const size_t size = block_size(nr);
	void *b;

	if (size <= SMALL_BLOCK)
		return kzalloc(size, GFP_KERNEL);
	b = alloc_pages_exact(size, GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN);
	if (!b)
		return vzalloc(size);
	kmemleak_alloc(b, size, 1, GFP_KERNEL);
	return b;
}

/* @nr: number of sites that @b was allocated for, not b->nr. */
static void free_block(struct ftrace_site_block *b, u32 nr)
{
	const size_t size = block_size(nr);

	if (size <= SMALL_BLOCK) {
		kfree(b);
	} else if (is_vmalloc_addr(b)) {
		vfree(b);
	} else {
		kmemleak_free(b);
		free_pages_exact(b, size);
	}
}

static void free_block_rcu(struct rcu_head *rcu)
{
	struct ftrace_site_block *b = container_of(rcu, struct ftrace_site_block, rcu);

	ftrace_targets_free(b);
	ftrace_site_block_discard(b);
}

static int by_address(const void *a, const void *b)
{
	const unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static bool is_sorted(const unsigned long *ips, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (ips[i] < ips[i - 1])
			return false;
	}
	return true;
}

/* Number of sorted @ips below @limit. */
static size_t count_below(const unsigned long *ips, size_t n, unsigned long limit)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (ips[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * ftrace_site_block_make() - make a block of the sites in a run of text
 * @mod: its module; NULL: the kernel
 * @init: true if the text is freed after initialisation
 * @ips: recorded addresses, in this text or elsewhere; sorted in place unless they
 *	are sorted
 * @n: number of addresses in @ips
 * @start: the first address of the text
 * @end: one past its last address
 * @state: initial state word of each site
 *
 * Ignores zeros, duplicates and addresses outside of [@start, @end).
 *
 * Context: Process context or early boot. May sleep.
 * Return: An unpublished block; NULL if no recorded address is in the text,
 * ERR_PTR(-ENOMEM) if memory is short.
 */
struct ftrace_site_block *ftrace_site_block_make(struct module *mod, bool init,
						 unsigned long *ips, size_t n,
						 unsigned long start, unsigned long end,
						 u32 state)
{
	struct ftrace_site_block *b;
	size_t first, last, i;

	/* Usually sorted at build time. */
	if (!is_sorted(ips, n))
		sort(ips, n, sizeof(*ips), by_address, NULL);

	/* A zero stands for a function that does not exist; skip it even if @start is 0. */
	first = count_below(ips, n, max(start, 1UL));
	last = count_below(ips, n, end);
	if (last <= first)
		return NULL;

	b = alloc_block(last - first);
	if (!b)
		return ERR_PTR(-ENOMEM);
	b->mod = mod;
	b->init = init;
	b->room = last - first;
	b->base = ftrace_call_adjust(ips[first]);

	for (i = first; i < last; i++) {
		const unsigned long ip = ftrace_call_adjust(ips[i]);

		if (b->nr && ip == b->end)
			continue;
		b->sites[b->nr].offset = ip - b->base;
		b->sites[b->nr].state = state;
		b->nr++;
		b->end = ip;
	}
	b->end += MCOUNT_INSN_SIZE;
	return b;
}

/**
 * ftrace_site_block_make_discovered() - make a block for sites that will be discovered
 * @text: their text; owned by its first block
 * @room: the largest number of sites in it
 *
 * Context: Process context or early boot. May sleep.
 * Return: An unpublished block without sites, NULL if memory is short.
 */
struct ftrace_site_block *ftrace_site_block_make_discovered(struct ftrace_discovered *text,
							    u32 room)
{
	struct ftrace_site_block *b = alloc_block(room);

	if (!b)
		return NULL;
	b->mod = text->mod;
	b->base = text->start;
	b->end = text->end;
	b->init = text->init;
	b->text = text;
	b->leads = !text->head;
	b->room = room;
	return b;
}

/**
 * ftrace_site_block_discard() - free a block that no reader can see
 * @b: the block; if it is the first one of a text, the text is freed, too
 *
 * Context: Preemptible task context, or an interrupt other than an NMI.
 */
void ftrace_site_block_discard(struct ftrace_site_block *b)
{
	if (IS_ENABLED(CONFIG_FTRACE_DISCOVER) && b->leads) {
		ftrace_index_free(b->text->index);
		kfree(b->text);
	}
	free_block(b, b->room);
}

static void free_table_rcu(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct block_table, rcu));
}

static struct block_table *alloc_table(u32 nr_ip, u32 nr, gfp_t gfp)
{
	struct block_table *t;

	t = kvzalloc(struct_size(t, blocks, (size_t)nr_ip + nr), gfp);
	if (t) {
		t->nr = nr;
		t->nr_ip = nr_ip;
	}
	return t;
}

/**
 * ftrace_sites_changed() - note that sites were added, removed or made ready
 *
 * Context: Process context or early boot. ftrace_lock held.
 */
void ftrace_sites_changed(void)
{
	lockdep_assert_held(&ftrace_lock);

	ftrace_site_generation++;
	wake_up_all(&ftrace_site_changes);
}

static void replace_table(struct block_table *new)
{
	struct block_table *old;

	old = rcu_replace_pointer(block_table, new, lockdep_is_held(&ftrace_lock));
	ftrace_sites_changed();

	/*
	 * Not kfree_rcu(), which is not initialised yet at boot. Readers have
	 * preemption off, so an RCU grace period waits for them.
	 */
	if (old)
		call_rcu(&old->rcu, free_table_rcu);
}

static void count_block(const struct ftrace_site_block *b, int sign)
{
	ftrace_update_tot_cnt += sign * (long)b->nr;
	ftrace_number_of_pages += sign * (long)DIV_ROUND_UP(block_size(b->room), PAGE_SIZE);
	ftrace_number_of_groups += sign;
}

/* The first number of the lowest gap between the blocks' numbers that has room for @nr. */
static u32 give_numbers(const struct block_table *t, u32 nr)
{
	u32 first = 0;

	for (u32 i = 0; t && i < t->nr; i++) {
		const struct ftrace_site_block *b = t->blocks[t->nr_ip + i];

		if (b->first - first >= nr)
			break;
		first = b->first + ftrace_site_block_numbers(b);
	}
	return first;
}

/**
 * ftrace_site_block_publish() - assign numbers to a block and make it visible
 * @b: the block
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_site_block_publish(struct ftrace_site_block *b)
{
	const struct block_table *old = table();
	const u32 nr = old ? old->nr : 0, nr_ip = old ? old->nr_ip : 0;
	const bool leads = ftrace_site_block_leads(b);
	struct block_table *new;
	u32 i, at = 0;

	lockdep_assert_held(&ftrace_lock);
	new = alloc_table(nr_ip + leads, nr + 1, GFP_KERNEL);
	if (!new)
		return -ENOMEM;

	b->first = give_numbers(old, ftrace_site_block_numbers(b));
	for (i = 0; i < nr_ip; i++) {
		if (old->blocks[i]->base < b->base)
			at = i + 1;
		new->blocks[i + (leads && i >= at)] = old->blocks[i];
	}
	if (leads)
		new->blocks[at] = b;

	for (i = 0, at = 0; i < nr; i++) {
		if (old->blocks[nr_ip + i]->first < b->first)
			at = i + 1;
		new->blocks[new->nr_ip + i + (i >= at)] = old->blocks[nr_ip + i];
	}
	new->blocks[new->nr_ip + at] = b;

	/* Keep the blocks of a text next to each other. */
	list_add_tail(&b->list, leads ? &ftrace_site_blocks : b->text->last->list.next);
	count_block(b, 1);
	replace_table(new);
	return 0;
}

/**
 * ftrace_site_block_withdraw() - make a block invisible and free it
 * @b: a published block; its numbers have been removed from every filter in
 *	force
 *
 * Calls the watchers first. On return lookups no longer find the block; it is freed
 * after an RCU grace period. Cannot fail. Of the blocks of a text, the first must be
 * withdrawn last.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_site_block_withdraw(struct ftrace_site_block *b)
{
	const struct block_table *old = table();
	struct ftrace_site_watcher *w, *next;
	struct block_table *new = NULL;
	u32 i, at = 0;

	lockdep_assert_held(&ftrace_lock);
	list_for_each_entry_safe(w, next, &watchers, list)
		w->gone(w, b->first, b->first + ftrace_site_block_numbers(b));

	if (old->nr > 1) {
		new = alloc_table(old->nr_ip - ftrace_site_block_leads(b), old->nr - 1,
				  GFP_KERNEL | __GFP_NOFAIL);
		for (i = 0; i < old->nr_ip + old->nr; i++) {
			if (old->blocks[i] != b)
				new->blocks[at++] = old->blocks[i];
		}
	}

	list_del(&b->list);
	count_block(b, -1);
	replace_table(new);
	call_rcu(&b->rcu, free_block_rcu);
}

/**
 * ftrace_site_block_grow() - count sites that were appended to a discovered block
 * @b: a published discovered block; the sites after its last one are filled in
 * @nr: their number
 *
 * The caller adds them to the text's index afterwards.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_site_block_grow(struct ftrace_site_block *b, u32 nr)
{
	lockdep_assert_held(&ftrace_lock);

	/* Pairs with the acquire in ftrace_site_by_nr(). */
	smp_store_release(&b->nr, b->nr + nr);
	ftrace_update_tot_cnt += nr;
	ftrace_sites_changed();
}

/**
 * ftrace_site_watch() - register callbacks for sites that are added or withdrawn
 * @w: the watcher, zeroed except for its callbacks; no effect if it is registered already
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_site_watch(struct ftrace_site_watcher *w)
{
	lockdep_assert_held(&ftrace_lock);
	if (!w->list.next)
		list_add_tail(&w->list, &watchers);
}

/**
 * ftrace_sites_added() - call the watchers after sites were added to a text
 * @first: number of the first site
 * @end: one past the number of the last site
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_sites_added(u32 first, u32 end)
{
	struct ftrace_site_watcher *w;

	lockdep_assert_held(&ftrace_lock);
	list_for_each_entry(w, &watchers, list) {
		if (w->added)
			w->added(w, first, end);
	}
}
