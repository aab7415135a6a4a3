// SPDX-License-Identifier: GPL-2.0
/*
 * Targets of direct calls, for sets of sites: as owners give them; and what a plan
 * stages, puts into force and takes back.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../sites/discovered.h"
#include "../sites/targets.h"
#include "target_sets.h"

struct pair {
	unsigned long	addr;
	u32		nr;
};

static int by_nr(const void *a, const void *b)
{
	const u32 x = ((const struct pair *)a)->nr, y = ((const struct pair *)b)->nr;

	return x < y ? -1 : x > y;
}

/* Find the sites of @entries, and sort the pairs by site number. */
static int find_pairs(const struct hlist_head *entries, struct pair *pairs)
{
	struct ftrace_func_entry *entry;
	struct ftrace_site_block *b;
	u32 k = 0, i;

	hlist_for_each_entry(entry, entries, hlist) {
		int err = ftrace_jmp_get(entry->direct) ? ftrace_site_get(entry->ip, &b, &i) :
							  -EINVAL;

		if (err)
			return err;
		pairs[k++] = (struct pair){ entry->direct, ftrace_site_nr(b, i) };
	}

	sort(pairs, k, sizeof(*pairs), by_nr, NULL);
	for (i = 1; i < k; i++)
		if (pairs[i].nr == pairs[i - 1].nr)
			return -EINVAL;
	return 0;
}

/**
 * ftrace_targets_make() - sort functions and their targets by sites
 * @targets: filled in, for ftrace_targets_drop(); empty on error
 * @entries: list of struct ftrace_func_entry; not read if @n is 0
 * @n: number of entries
 *
 * Context: Process context. May sleep. ftrace_lock held, also as long as @targets is
 * used: it keeps the site numbers valid.
 * Return: 0 on success; -EINVAL if there is no entry, or one has a target that is 0, an
 * address that is no call site's, or one twice; -ENOMEM if memory is short.
 */
int ftrace_targets_make(struct ftrace_targets *targets, const struct hlist_head *entries, u32 n)
{
	struct pair *pairs;
	u32 *nrs, k;
	int err;

	lockdep_assert_held(&ftrace_lock);

	*targets = (struct ftrace_targets){};
	if (!n)
		return -EINVAL;

	pairs = kvmalloc_array(n, sizeof(*pairs), GFP_KERNEL);
	nrs = kvmalloc_array(n, sizeof(*nrs), GFP_KERNEL);
	targets->addr = kvmalloc_array(n, sizeof(*targets->addr), GFP_KERNEL);
	err = pairs && nrs && targets->addr ? find_pairs(entries, pairs) : -ENOMEM;
	for (k = 0; !err && k < n; k++) {
		nrs[k] = pairs[k].nr;
		targets->addr[k] = pairs[k].addr;
	}
	if (!err) {
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
 * ftrace_targets_keep() - remove all sites that are not in a set
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

static void settle_before(struct ftrace_siteset *sites, u32 end)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(sites, nr) {
		if (nr >= end)
			break;
		if (ftrace_site_walk(&walk, nr))
			ftrace_target_settle(walk.block, nr - walk.block->first);
	}
}

/**
 * ftrace_targets_stage() - prepare other targets for sites
 * @sites: the sites
 * @addr: the target of each site, in ascending order of sites; NULL: all get @same
 * @same: the target of all sites, if @addr is NULL
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_targets_stage(struct ftrace_siteset *sites, const unsigned long *addr,
			 unsigned long same)
{
	struct ftrace_site_walk walk = {};
	u32 nr, k = 0;

	ftrace_siteset_for_each(sites, nr) {
		const unsigned long target = addr ? addr[k++] : same;

		if (!ftrace_site_walk(&walk, nr))
			continue;
		if (ftrace_target_stage(walk.block, nr - walk.block->first, target)) {
			settle_before(sites, nr);
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * ftrace_targets_swap() - put staged targets into force
 * @sites: the sites
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_targets_swap(struct ftrace_siteset *sites)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(sites, nr)
		if (ftrace_site_walk(&walk, nr))
			ftrace_target_swap(walk.block, nr - walk.block->first);
}

/**
 * ftrace_targets_revert() - undo ftrace_targets_swap()
 * @sites: the sites
 * @had: those of @sites that had a direct call before; NULL: none
 *
 * A site that had no direct call keeps the new target: the owner of its last target may
 * have freed it, and tasks may still be on their way to look up the site's target.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_targets_revert(struct ftrace_siteset *sites, const struct ftrace_siteset *had)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(sites, nr) {
		if (!ftrace_site_walk(&walk, nr))
			continue;
		if (ftrace_siteset_has(had, nr))
			ftrace_target_swap(walk.block, nr - walk.block->first);
		else
			ftrace_target_settle(walk.block, nr - walk.block->first);
	}
}

/**
 * ftrace_targets_settle() - forget the targets that are not in force
 * @sites: the sites
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_targets_settle(struct ftrace_siteset *sites)
{
	settle_before(sites, FTRACE_NO_SITE);
}
