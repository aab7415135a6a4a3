// SPDX-License-Identifier: GPL-2.0
/*
 * Create the tracer's files.
 */
#include <linux/init.h>

#include "../../trace.h"
#include "tracefs.h"
#include "tracers.h"

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
	ftrace_create_graph_files(tr, d_tracer);
	if (!(tr->flags & TRACE_ARRAY_FL_GLOBAL))
		ftrace_create_array_lists(tr, d_tracer);
}

/**
 * ftrace_init_tracefs_toplevel() - create the files that exist once
 * @tr: the top trace array
 * @d_tracer: the directory; NULL: the top directory
 *
 * Context: Boot, process context. May sleep.
 */
void __init ftrace_init_tracefs_toplevel(struct trace_array *tr, struct dentry *d_tracer)
{
	WARN_ON_ONCE(!(tr->flags & TRACE_ARRAY_FL_GLOBAL));

	ftrace_create_site_files(d_tracer);
	ftrace_create_filter_files(tr, d_tracer);
	ftrace_create_tracers_file(d_tracer);
	ftrace_create_profile_files(d_tracer);
	ftrace_create_table_files(d_tracer);
}
