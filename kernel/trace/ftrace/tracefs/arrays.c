// SPDX-License-Identifier: GPL-2.0
/*
 * The ops of trace arrays, and their names.
 */
#include <linux/init.h>

#include "tracefs.h"
#include "tracers.h"

/**
 * ftrace_init_trace_array() - initialize the lists of a trace array
 * @tr: the trace array, which nothing else uses yet; the top one may have been
 *	initialized before, for the command line
 *
 * Context: Any context.
 */
void ftrace_init_trace_array(struct trace_array *tr)
{
	if (tr->flags & TRACE_ARRAY_FL_MOD_INIT)
		return;

	tr->flags |= TRACE_ARRAY_FL_MOD_INIT;
	INIT_LIST_HEAD(&tr->func_probes);
	INIT_LIST_HEAD(&tr->mod_trace);
	INIT_LIST_HEAD(&tr->mod_notrace);
}

/**
 * ftrace_init_global_array_ops() - set up the ops of the top trace array
 * @tr: the top trace array
 *
 * Context: Boot.
 */
void __init ftrace_init_global_array_ops(struct trace_array *tr)
{
	tr->ops = &global_ops;
	global_ops.private = tr;
	ftrace_init_trace_array(tr);
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	init_array_fgraph_ops(tr, &global_ops);
#endif
}

/**
 * ftrace_init_array_ops() - set the callback of a trace array's ops
 * @tr: trace array
 * @func: the callback
 *
 * Context: Process context. The ops is not registered.
 */
void ftrace_init_array_ops(struct trace_array *tr, ftrace_func_t func)
{
	/* If a callback is still set, the previous tracer did not clean up. */
	if (tr->flags & TRACE_ARRAY_FL_GLOBAL)
		WARN_ON_ONCE(tr->ops->func != ftrace_stub);

	tr->ops->func = func;
	tr->ops->private = tr;
}

/**
 * ftrace_reset_array_ops() - clear the callback of a trace array's ops
 * @tr: trace array
 *
 * Context: Process context. The ops is not registered.
 */
void ftrace_reset_array_ops(struct trace_array *tr)
{
	tr->ops->func = ftrace_stub;
}

/**
 * ftrace_ops_of_array() - test for an ops of a trace array's tracer
 * @ops: the ops; it is not dereferenced
 * @tr: the trace array
 *
 * Context: Any context.
 * Return: True if @ops is that of the function or the graph tracer of @tr.
 */
bool ftrace_ops_of_array(const struct ftrace_ops *ops, const struct trace_array *tr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (tr->gops && ops == &tr->gops->ops)
		return true;
#endif
	return ops == tr->ops;
}

/**
 * ftrace_tracer_name() - get the name of a tracer
 * @tr: its trace array, or NULL
 * @ops: its ops
 *
 * Context: Process context. The name is valid as long as @ops and @tr are.
 * Return: The name.
 */
const char *ftrace_tracer_name(struct trace_array *tr, struct ftrace_ops *ops)
{
	if (ops->name)
		return ops->name;
	return tr && tr->name ? tr->name : "trace";
}
