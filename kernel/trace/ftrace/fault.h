/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that somebody else writes to. Under a breakpoint a site is held, and
 * comes back; with other bytes it is lost.
 */
#ifndef _FTRACE_FAULT_H
#define _FTRACE_FAULT_H

#include "site.h"

/*
 * Marks the site FTRACE_SITE_FAULT and says which it is, what should be there
 * and what is. It is never patched again.
 * @err: -EINVAL other bytes; -EFAULT they cannot be read (@found is not looked at)
 * Context: ftrace_lock held, or nobody else knows the block.
 */
void ftrace_fault_site(struct ftrace_site_block *b, u32 i, int err, const u8 *expected,
		       const u8 *found);

/* How many since boot. */
extern unsigned int ftrace_faults;

/*
 * Marks the site FTRACE_SITE_HELD, and says so if it was not; and the opposite.
 * Context: ftrace_lock held.
 */
void ftrace_hold_site(struct ftrace_site_block *b, u32 i);
void ftrace_release_site(struct ftrace_site_block *b, u32 i);

/* How many are held now. Under ftrace_lock. */
extern u32 ftrace_held_sites;

/* Where faults are found first: the compiler's calls become nops. */
void ftrace_make_nops(struct ftrace_site_block *b);

#endif /* _FTRACE_FAULT_H */
