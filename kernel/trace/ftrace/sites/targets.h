/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets: the address that a site's direct call goes to, for each site that has
 * ever had one.
 *
 * A site has at most one direct call, of whichever ops. So its target is kept here,
 * with the block. The target is meaningless while no direct call's filter has the
 * site; it is not cleared, because a trampoline may still read it.
 *
 * A new target is staged first, which may fail for lack of memory, then swapped in,
 * and settled at the end. Between swapping and settling the old target is kept, and
 * swapping again restores it.
 */
#ifndef _FTRACE_TARGETS_H
#define _FTRACE_TARGETS_H

#include "site.h"

/* Any context. Preemption off, or ftrace_lock held. 0: the site never had a direct call. */
unsigned long ftrace_target(const struct ftrace_site_block *b, u32 i);

unsigned long ftrace_target_other(const struct ftrace_site_block *b, u32 i);
int ftrace_target_stage(struct ftrace_site_block *b, u32 i, unsigned long target);
void ftrace_target_swap(struct ftrace_site_block *b, u32 i);
void ftrace_target_settle(struct ftrace_site_block *b, u32 i);

void ftrace_targets_free(struct ftrace_site_block *b);

#endif /* _FTRACE_TARGETS_H */
