/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unexpected bytes: one site is lost, and named once.
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

/* Where faults are found first: the compiler's calls become nops. */
void ftrace_make_nops(struct ftrace_site_block *b);

#endif /* _FTRACE_FAULT_H */
