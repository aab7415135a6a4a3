/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of discovery offer to each other, by source file.
 *
 * Recording has headers of its own, recorder.h and records.h; ftraced.h is what the
 * tracer calls.
 */
#ifndef _FTRACE_DISCOVER_H
#define _FTRACE_DISCOVER_H

#include <linux/list.h>
#include <linux/types.h>

/* verify.c: whether a recorded call becomes a site */
bool ftrace_call_is_new(const struct list_head *texts, unsigned long call);

/* round.c: make sites of the calls that were recorded, and nops of the sites */
extern u32 ftrace_round_ignored;	/* [L] slots that the last round has left as they are */

int ftrace_round(void);

#endif /* _FTRACE_DISCOVER_H */
