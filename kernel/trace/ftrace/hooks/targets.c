// SPDX-License-Identifier: GPL-2.0
/*
 * Targets of direct calls, for sets of sites: what a plan stages, puts into force
 * and takes back.
 */
#include "plan.h"
#include "targets.h"

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
 * @addr: the target of each site, in ascending order of sites; NULL: @same
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
 * ftrace_targets_swap() - put staged targets into force, or those before
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
 * ftrace_targets_settle() - forget the targets that are not in force
 * @sites: the sites
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_targets_settle(struct ftrace_siteset *sites)
{
	settle_before(sites, FTRACE_NO_SITE);
}
