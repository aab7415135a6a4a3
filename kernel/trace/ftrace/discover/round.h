/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One round: make sites of the calls that were recorded, and nops of the sites.
 */
#ifndef _FTRACE_ROUND_H
#define _FTRACE_ROUND_H

#include <linux/types.h>

/* Under ftrace_lock. */
extern u32 ftrace_round_ignored;	/* slots that the last round has left as they are */

int ftrace_round(void);

#endif /* _FTRACE_ROUND_H */
