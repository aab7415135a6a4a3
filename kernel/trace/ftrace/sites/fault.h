/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sites whose text was changed by somebody else. A site under a breakpoint
 * is held until the breakpoint is removed; a site with other bytes is never patched
 * again.
 */
#ifndef _FTRACE_FAULT_H
#define _FTRACE_FAULT_H

#include "site.h"

void ftrace_fault_site(struct ftrace_site_block *b, u32 i, int err, const u8 *expected,
		       const u8 *found);

/* Number of faulty sites since boot. */
extern unsigned int ftrace_faults;

void ftrace_hold_site(struct ftrace_site_block *b, u32 i);
void ftrace_release_site(struct ftrace_site_block *b, u32 i);

/* Number of held sites. Under ftrace_lock. */
extern u32 ftrace_held_sites;

void ftrace_make_nops(struct ftrace_site_block *b);

#endif /* _FTRACE_FAULT_H */
