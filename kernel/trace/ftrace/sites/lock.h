/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ftrace_lock, which guards the core, and the order of the locks around it.
 *
 * Outer to inner:
 *
 *	file lock			one for each open filter file
 *	  profile_mutex			the profiler
 *	  ran_mutex			writes to ran_functions
 *	    event_mutex
 *	      trace_types_lock
 *	        ftrace_probe_mutex	function commands
 *	          pid_mutex		set_ftrace_pid and set_ftrace_notrace_pid
 *	            direct_mutex	exclusive hooks: DIRECT and IPMODIFY
 *	              ftrace_lock
 *	                trampoline_mutex	BPF's, taken in ops_func(), not on all architectures
 *	                tracepoints_mutex	the first and the last graph tracer
 *	                cpu_hotplug_lock (read)
 *	                  tramp_mutex	pages of trampolines
 *	                    text_mutex	taken by the text engine
 *	                      init_mm's mmap_lock (read)	taken by the text engine
 *
 * Documentation/trace/ftrace/locking.rst repeats this order and lists the locks
 * that each call takes: change both together.
 *
 * No client callback is called under ftrace_lock, except print() of a function command
 * and ops_func(FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF).
 *
 * Marks of fields: [L] written under ftrace_lock, and read under it unless the mark
 * says otherwise; [I] immutable.
 */
#ifndef _FTRACE_LOCK_H
#define _FTRACE_LOCK_H

#include <linux/mutex.h>

/*
 * Guards the list of site blocks, every site's state word, the combo table, the
 * list of hooks and every filter in force. Readers of sites, combos and filters
 * need only have preemption off.
 */
extern struct mutex ftrace_lock;

#endif /* _FTRACE_LOCK_H */
