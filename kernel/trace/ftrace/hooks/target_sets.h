/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets of direct calls, for sets of sites.
 */
#ifndef _FTRACE_TARGET_SETS_H
#define _FTRACE_TARGET_SETS_H

#include "../sites/siteset.h"

/* Sites with a target for each. */
struct ftrace_targets {
	struct ftrace_siteset	*sites;
	unsigned long		*addr;	/* of each site, in ascending order of sites */
};

struct ftrace_hash;

struct hlist_head;

/* direct_hash.c */
int ftrace_targets_of(struct ftrace_targets *targets, const struct ftrace_hash *hash);

/* target_sets.c */
int ftrace_targets_make(struct ftrace_targets *targets, const struct hlist_head *entries, u32 n);
int ftrace_targets_keep(struct ftrace_targets *targets, struct ftrace_siteset *set);
void ftrace_targets_drop(struct ftrace_targets *targets);

int ftrace_targets_stage(struct ftrace_siteset *sites, const unsigned long *addr,
			 unsigned long same);
void ftrace_targets_swap(struct ftrace_siteset *sites);
void ftrace_targets_revert(struct ftrace_siteset *sites, const struct ftrace_siteset *had);
void ftrace_targets_settle(struct ftrace_siteset *sites);

#endif /* _FTRACE_TARGET_SETS_H */
