/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one lock of the tracer, and where it stands among its neighbours.
 *
 * Outer to inner:
 *
 *	file lock (one for each open filter file)
 *	  event_mutex
 *	    trace_types_lock
 *	      ftrace_probe_mutex	function commands
 *	        direct_mutex		exclusive hooks: DIRECT and IPMODIFY
 *	          ftrace_lock
 *	            cpu_hotplug_lock (read)
 *	              text_mutex	taken by the text engine
 *
 * No callback of a client is called under ftrace_lock, with one exception:
 * ops_func(FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF).
 */
#ifndef _FTRACE_LOCK_H
#define _FTRACE_LOCK_H

#include <linux/mutex.h>

/*
 * Guards: the list of site blocks, every site's state word, the combo table,
 * the list of attachments, every filter that is in force, ftrace_enabled as
 * committed. Readers of sites, combos and filters need only a section with
 * preemption off.
 */
extern struct mutex ftrace_lock;

#endif /* _FTRACE_LOCK_H */
