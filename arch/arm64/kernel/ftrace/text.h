/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write kernel text, and have all CPUs fetch it anew.
 */
#ifndef _ARM64_FTRACE_TEXT_H
#define _ARM64_FTRACE_TEXT_H

#include <linux/types.h>
#include <asm/fixmap.h>

/* text.c */
__le32 *ftrace_map_text(enum fixed_addresses slot, unsigned long addr);

/* tramp.c */
void ftrace_sync_tramps(void);

#endif /* _ARM64_FTRACE_TEXT_H */
