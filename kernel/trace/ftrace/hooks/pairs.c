// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of functions and their direct calls' targets, as owners make them.
 *
 * trace.h declares the table, which other implementations search; here it is only
 * collected and then sorted by site. So it has one bucket.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../../trace.h"
#include "../sites/site.h"
#include "targets.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/**
 * alloc_ftrace_hash() - make an empty table of functions and targets
 * @size_bits: ignored
 *
 * Context: Process context. May sleep.
 * Return: the table, NULL if memory is short.
 */
struct ftrace_hash *alloc_ftrace_hash(int size_bits)
{
	struct ftrace_hash *hash = kzalloc_obj(*hash);

	if (!hash)
		return NULL;
	hash->buckets = kzalloc_obj(*hash->buckets);
	if (!hash->buckets) {
		kfree(hash);
		return NULL;
	}
	return hash;
}

/**
 * free_ftrace_hash() - free a table and the entries in it
 * @hash: table, may be NULL
 *
 * Context: Process context.
 */
void free_ftrace_hash(struct ftrace_hash *hash)
{
	struct ftrace_func_entry *entry;
	struct hlist_node *next;

	if (!hash)
		return;
	hlist_for_each_entry_safe(entry, next, hash->buckets, hlist)
		kfree(entry);
	kfree(hash->buckets);
	kfree(hash);
}

/**
 * add_ftrace_hash_entry() - add an entry to a table
 * @hash: table
 * @entry: entry with ->ip, address of a call site, and ->direct, its target. Must
 *	be removed before free_ftrace_hash() unless it was allocated by itself
 *
 * Context: Any context. The caller serializes access to @hash.
 */
void add_ftrace_hash_entry(struct ftrace_hash *hash, struct ftrace_func_entry *entry)
{
	hlist_add_head(&entry->hlist, hash->buckets);
	hash->count++;
}

/**
 * add_ftrace_hash_entry_direct() - allocate an entry and add it to a table
 * @hash: table
 * @ip: address of a call site
 * @direct: its target
 *
 * Context: Process context. May sleep. The caller serializes access to @hash.
 * Return: the entry, NULL if memory is short.
 */
struct ftrace_func_entry *add_ftrace_hash_entry_direct(struct ftrace_hash *hash,
						       unsigned long ip, unsigned long direct)
{
	struct ftrace_func_entry *entry = kmalloc_obj(*entry);

	if (!entry)
		return NULL;
	entry->ip = ip;
	entry->direct = direct;
	add_ftrace_hash_entry(hash, entry);
	return entry;
}

/**
 * ftrace_hash_remove() - take all entries out of a table, without freeing them
 * @hash: table, may be NULL
 *
 * Context: Any context. The caller serializes access to @hash.
 */
void ftrace_hash_remove(struct ftrace_hash *hash)
{
	struct ftrace_func_entry *entry;
	struct hlist_node *next;

	if (!hash)
		return;
	hlist_for_each_entry_safe(entry, next, hash->buckets, hlist)
		hlist_del_init(&entry->hlist);
	hash->count = 0;
}

/**
 * ftrace_hash_count() - get the number of entries in a table
 * @hash: table, may be NULL
 *
 * Context: Any context. The caller serializes access to @hash.
 * Return: the number.
 */
unsigned long ftrace_hash_count(struct ftrace_hash *hash)
{
	return hash ? hash->count : 0;
}

struct pair {
	unsigned long	addr;
	u32		nr;
};

static int by_nr(const void *a, const void *b)
{
	const u32 x = ((const struct pair *)a)->nr, y = ((const struct pair *)b)->nr;

	return x < y ? -1 : x > y;
}

/* Find the sites of the entries, and sort them. */
static int find_pairs(const struct ftrace_hash *hash, struct pair *pairs)
{
	struct ftrace_func_entry *entry;
	struct ftrace_site_block *b;
	u32 k = 0, i;

	hlist_for_each_entry(entry, hash->buckets, hlist) {
		b = ftrace_site_find_exact(entry->ip, &i);
		if (!b || !ftrace_jmp_get(entry->direct))
			return -EINVAL;
		pairs[k++] = (struct pair){ entry->direct, ftrace_site_nr(b, i) };
	}

	sort(pairs, k, sizeof(*pairs), by_nr, NULL);
	for (i = 1; i < k; i++)
		if (pairs[i].nr == pairs[i - 1].nr)
			return -EINVAL;
	return 0;
}

/**
 * ftrace_targets_make() - sort a table by sites
 * @targets: filled in, for ftrace_targets_drop(); empty on error
 * @hash: table
 *
 * Context: Process context. May sleep. ftrace_lock held; as long as it is held the
 * numbers of sites stay valid.
 * Return: 0 on success; -EINVAL if @hash is empty, or has a target that is 0, an
 * address that is no call site's, or one twice; -ENOMEM if memory is short.
 */
int ftrace_targets_make(struct ftrace_targets *targets, const struct ftrace_hash *hash)
{
	struct pair *pairs;
	u32 *nrs, k, n;
	int err;

	lockdep_assert_held(&ftrace_lock);

	*targets = (struct ftrace_targets){};
	if (!hash || !hash->count)
		return -EINVAL;

	n = hash->count;
	pairs = kvmalloc_array(n, sizeof(*pairs), GFP_KERNEL);
	nrs = kvmalloc_array(n, sizeof(*nrs), GFP_KERNEL);
	targets->addr = kvmalloc_array(n, sizeof(*targets->addr), GFP_KERNEL);
	err = pairs && nrs && targets->addr ? find_pairs(hash, pairs) : -ENOMEM;
	if (!err) {
		for (k = 0; k < n; k++) {
			nrs[k] = pairs[k].nr;
			targets->addr[k] = pairs[k].addr;
		}
		targets->sites = ftrace_siteset_from(nrs, n);
		err = PTR_ERR_OR_ZERO(targets->sites);
	}
	if (err) {
		kvfree(targets->addr);
		*targets = (struct ftrace_targets){};
	}
	kvfree(nrs);
	kvfree(pairs);
	return err;
}

/**
 * ftrace_targets_keep() - leave only the sites of a set
 * @targets: sites and their targets
 * @set: the set
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_targets_keep(struct ftrace_targets *targets, struct ftrace_siteset *set)
{
	struct ftrace_siteset *both = ftrace_siteset_and(targets->sites, set);
	u32 nr, k = 0, kept = 0;

	if (IS_ERR(both))
		return PTR_ERR(both);
	ftrace_siteset_for_each(targets->sites, nr) {
		if (ftrace_siteset_has(both, nr))
			targets->addr[kept++] = targets->addr[k];
		k++;
	}
	ftrace_siteset_put(targets->sites);
	targets->sites = both;
	return 0;
}

/**
 * ftrace_targets_drop() - free what ftrace_targets_make() made
 * @targets: sites and their targets; empty afterwards
 *
 * Context: Process context.
 */
void ftrace_targets_drop(struct ftrace_targets *targets)
{
	ftrace_siteset_put(targets->sites);
	kvfree(targets->addr);
	*targets = (struct ftrace_targets){};
}

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */
