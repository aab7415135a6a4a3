/* SPDX-License-Identifier: GPL-2.0 */
/* What a recorded call is. */
#ifndef _FTRACE_VERIFY_H
#define _FTRACE_VERIFY_H

#include <linux/list.h>
#include <linux/types.h>

enum ftrace_verdict {
	FTRACE_CALL_NEW,	/* a call of __fentry__ that is no site yet */
	FTRACE_CALL_ARMED,	/* a site that is armed: it was found again */
	FTRACE_CALL_DONE,	/* a site that does not call __fentry__ any more */
	FTRACE_CALL_LATER,	/* cannot be a site now; stays in its slot */
	FTRACE_CALL_NONE,	/* not the call of a function in a known text; stays, too */
};

enum ftrace_verdict ftrace_verify(const struct list_head *texts, unsigned long call);

#endif /* _FTRACE_VERIFY_H */
