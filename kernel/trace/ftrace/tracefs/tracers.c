// SPDX-License-Identifier: GPL-2.0
/*
 * The tracers whose filters a filter file shows and changes.
 *
 * A tracer has a filter that users can set: a trace array with the function or
 * graph tracer, the function profiler, the stack tracer, and any ops that has a
 * name. A file has the filter of one ops, which the profiler and others may share
 * with the top trace array, unless the opener's session chooses tracers by name.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../hooks/slot.h"
#include "profile_hits.h"
#include "tracers.h"

/* Take what an open tracer needs: name, reference, filter. On error nothing is taken. */
static int tracer_open(struct ftrace_tracer *tracer)
{
	tracer->name = kstrdup(ftrace_tracer_name(tracer->tr, tracer->ops), GFP_KERNEL);
	if (!tracer->name)
		return -ENOMEM;

	if (tracer->tr) {
		tracer->tr->ref++;
		tracer->mods[0] = &tracer->tr->mod_trace;
		tracer->mods[1] = &tracer->tr->mod_notrace;
	}
	if (IS_ENABLED(CONFIG_FUNCTION_PROFILER) && tracer->ops == ftrace_profile_ops()) {
		tracer->own = true;
		tracer->mods[0] = &ftrace_profile_mods[0];
		tracer->mods[1] = &ftrace_profile_mods[1];
	}
	tracer->stays = tracer->tr || !(tracer->ops->flags & FTRACE_OPS_FL_DYNAMIC);
	tracer->filter = ftrace_filter_get(ftrace_slot_filter(ftrace_ops_slot(tracer->ops)));
	return 0;
}

/**
 * ftrace_tracers_get() - open the tracers that a filter file shows
 * @tr: the trace array of the file, or NULL
 * @ops: the ops of the file
 *
 * Context: Process context. May sleep. trace_types_lock and ftrace_lock held.
 * Return: One tracer or several, with ->target the one that writes change, or
 * ERR_PTR(-ENOMEM).
 */
struct ftrace_tracers *ftrace_tracers_get(struct trace_array *tr, struct ftrace_ops *ops)
{
	struct ftrace_tracers *tracers = NULL;
	unsigned int i;

	if (ops == &global_ops)
		tracers = ftrace_tracers_chosen();
	if (IS_ERR(tracers))
		return tracers;
	if (!tracers) {
		tracers = kzalloc(struct_size(tracers, tracer, 1), GFP_KERNEL);
		if (!tracers)
			return ERR_PTR(-ENOMEM);
		tracers->nr = 1;
		tracers->tracer[0].ops = ops;
		tracers->tracer[0].tr = tr;
	}

	for (i = 0; i < tracers->nr; i++) {
		if (tracer_open(&tracers->tracer[i]))
			goto undo;
	}
	return tracers;

undo:
	while (i--) {
		struct ftrace_tracer *tracer = &tracers->tracer[i];

		/* trace_array_put() takes trace_types_lock, which is held. */
		if (tracer->tr)
			tracer->tr->ref--;
		ftrace_filter_put(tracer->filter);
		kfree(tracer->name);
	}
	kfree(tracers);
	return ERR_PTR(-ENOMEM);
}

/**
 * ftrace_tracers_put() - close the tracers of a filter file
 * @tracers: the tracers; their session is no longer in the list
 *
 * Context: Process context. May sleep. Takes trace_types_lock.
 */
void ftrace_tracers_put(struct ftrace_tracers *tracers)
{
	unsigned int i;

	for (i = 0; i < tracers->nr; i++) {
		struct ftrace_tracer *tracer = &tracers->tracer[i];

		if (tracer->tr)
			trace_array_put(tracer->tr);
		ftrace_filter_put(tracer->filter);
		kfree(tracer->name);
	}
	kfree(tracers);
}

/**
 * ftrace_tracer_alive() - test whether a tracer's ops can still be used
 * @tracer: an open tracer
 *
 * A reference keeps trace arrays alive, and the kernel's own static data stay. Any other
 * ops may have been freed, and another one may be at its address: the order number tells
 * them apart.
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if the ops can be used.
 */
bool ftrace_tracer_alive(const struct ftrace_tracer *tracer)
{
	struct ftrace_hook *hook;

	lockdep_assert_held(&ftrace_lock);

	if (tracer->stays)
		return true;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (hook->ops == tracer->ops && hook->order == tracer->order)
			return true;
	}
	return false;
}

static bool taken(const char *name)
{
	return !strcmp(name, "trace") || !strcmp(name, "trace_profile") || !strcmp(name, "stack");
}

/**
 * ftrace_name_array() - name the ops of a trace array
 * @tr: the trace array, whose files cannot be opened yet
 *
 * Context: Process context. May sleep.
 */
void ftrace_name_array(struct trace_array *tr)
{
	const char *name = tr->name ?: "trace";

	/* For lack of memory, keep the plain name, which is then used twice. */
	if (tr->name && taken(name))
		name = kasprintf(GFP_KERNEL, "instances/%s", tr->name) ?: name;

	tr->ops->name = name;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (tr->gops)
		tr->gops->ops.name = name;
#endif
}

/**
 * ftrace_unname_array() - remove the names of a trace array's ops
 * @tr: the trace array, about to be freed; its ops are not registered
 *
 * Context: Process context.
 */
void ftrace_unname_array(struct trace_array *tr)
{
	const char *name = tr->ops->name;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (tr->gops)
		tr->gops->ops.name = NULL;
#endif
	tr->ops->name = NULL;
	if (name != tr->name)
		kfree(name);
}
