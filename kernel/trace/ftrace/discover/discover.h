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

/* verify.c: what a recorded call is */
enum ftrace_verdict {
	FTRACE_CALL_NEW,	/* a call of __fentry__ that is no site yet */
	FTRACE_CALL_ARMED,	/* a site that is armed: it was recorded again */
	FTRACE_CALL_DONE,	/* a site that does not call __fentry__ any more */
	FTRACE_CALL_LATER,	/* cannot be a site now; stays in its slot */
	FTRACE_CALL_NONE,	/* not the call of a function in a known text; stays, too */
};

enum ftrace_verdict ftrace_verify(const struct list_head *texts, unsigned long call);

/* round.c: make sites of the calls that were recorded, and nops of the sites */
extern u32 ftrace_round_ignored;	/* [L] slots that the last round has left as they are */

int ftrace_round(void);

#endif /* _FTRACE_DISCOVER_H */
