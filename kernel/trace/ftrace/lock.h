/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one lock of the core, and where it stands among its neighbours.
 *
 * Outer to inner:
 *
 *	file lock			one for each open filter file
 *	  profile_mutex			the profiler
 *	    event_mutex
 *	      trace_types_lock
 *	        ftrace_probe_mutex	function commands
 *	          pid_mutex		set_ftrace_pid and its opposite
 *	            direct_mutex	exclusive hooks: DIRECT and IPMODIFY
 *	              ftrace_lock
 *	                cpu_hotplug_lock (read)
 *	                  tramp_mutex	pages of trampolines
 *	                    text_mutex	taken by the text engine
 *
 * Documentation/trace/ftrace/locking.rst says the same, with what each call
 * takes; a change to one is a change to both.
 *
 * No callback of a client is called under ftrace_lock, with one exception:
 * ops_func(FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF).
 */
#ifndef _FTRACE_LOCK_H
#define _FTRACE_LOCK_H

#include <linux/mutex.h>

/*
 * Guards: the list of site blocks, every site's state word, the combo table,
 * the list of hooks, every filter that is in force, ftrace_enabled as
 * committed. Readers of sites, combos and filters need only a section with
 * preemption off.
 */
extern struct mutex ftrace_lock;

#endif /* _FTRACE_LOCK_H */
