// SPDX-License-Identifier: GPL-2.0
/*
 * Create the tracer's files, and drop site numbers when text is freed.
 */
#include <linux/init.h>
#include <linux/list.h>

#include "doors.h"

static void text_gone(struct ftrace_site_watcher *watcher, u32 first, u32 end)
{
	ftrace_sessions_gone(first, end);
	ftrace_probes_gone(first, end);
	ftrace_graph_sets_gone(first, end);
}

static struct ftrace_site_watcher watcher = { .gone = text_gone };

/**
 * ftrace_doors_watch() - watch for text that is freed
 *
 * Call it before the first file can be opened, and before the first set of
 * sites is made from the command line. Further calls do nothing.
 *
 * Context: Boot, process context. May sleep. Takes ftrace_lock.
 */
void ftrace_doors_watch(void)
{
	static bool watching;

	guard(mutex)(&ftrace_lock);

	if (!watching)
		ftrace_site_watch(&watcher);
	watching = true;
}

/**
 * ftrace_init_trace_array() - initialize the lists of a trace array
 * @tr: the trace array, which nothing else uses yet
 *
 * Context: Any context.
 */
void ftrace_init_trace_array(struct trace_array *tr)
{
	INIT_LIST_HEAD(&tr->func_probes);
	INIT_LIST_HEAD(&tr->mod_trace);
	INIT_LIST_HEAD(&tr->mod_notrace);
}

/**
 * ftrace_init_tracefs() - create the files that each trace array has
 * @tr: the trace array
 * @d_tracer: its directory
 *
 * Context: Process context. May sleep.
 */
void ftrace_init_tracefs(struct trace_array *tr, struct dentry *d_tracer)
{
	ftrace_create_pid_files(tr, d_tracer);
}

/**
 * ftrace_init_tracefs_toplevel() - create the files that exist once
 * @tr: the top trace array
 * @d_tracer: the directory; NULL: the top directory
 *
 * Context: Boot, process context. May sleep. Takes ftrace_lock.
 */
void __init ftrace_init_tracefs_toplevel(struct trace_array *tr, struct dentry *d_tracer)
{
	WARN_ON_ONCE(!(tr->flags & TRACE_ARRAY_FL_GLOBAL));

	ftrace_doors_watch();
	ftrace_create_site_files(d_tracer);
	ftrace_create_filter_files(tr, d_tracer);
	ftrace_create_tracers_file(d_tracer);
	ftrace_create_graph_files(d_tracer);
	ftrace_create_profile_files(d_tracer);
}
