// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of functions and their direct calls' targets, as owners make them.
 *
 * trace.h declares the table for the classic implementation, which searches it. Here it
 * is only filled, and sorted by sites when it is used. So one bucket is enough.
 */
#include <linux/ftrace.h>
#include <linux/slab.h>

#include "../../trace.h"
#include "target_sets.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/**
 * alloc_ftrace_hash() - make an empty table of functions and targets
 * @size_bits: ignored
 *
 * Context: Process context. May sleep.
 * Return: The table, NULL if memory is short.
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
 *	be removed before free_ftrace_hash(), unless kfree() may free it
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
 * Return: The entry, NULL if memory is short.
 */
struct ftrace_func_entry *add_ftrace_hash_entry_direct(struct ftrace_hash *hash,
						       unsigned long ip, unsigned long direct)
{
	struct ftrace_func_entry *entry = kmalloc_obj(*entry);

	if (entry) {
		*entry = (struct ftrace_func_entry){ .ip = ip, .direct = direct };
		add_ftrace_hash_entry(hash, entry);
	}
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
 * Return: The number.
 */
unsigned long ftrace_hash_count(struct ftrace_hash *hash)
{
	return hash ? hash->count : 0;
}

/**
 * ftrace_targets_of() - sort a table by sites
 * @targets: filled in, for ftrace_targets_drop(); empty on error
 * @hash: table, may be NULL
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As ftrace_targets_make().
 */
int ftrace_targets_of(struct ftrace_targets *targets, const struct ftrace_hash *hash)
{
	return ftrace_targets_make(targets, hash ? hash->buckets : NULL,
				   hash ? hash->count : 0);
}

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */
