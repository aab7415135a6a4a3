/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracers of a filter file, and tracers by name.
 */
#ifndef _FTRACE_TRACERS_H
#define _FTRACE_TRACERS_H

#include "../../trace.h"
#include "../hooks/hook.h"

struct dentry;

/* A tracer that a filter file may show or change. */
struct ftrace_tracer {
	const char		*name;
	struct ftrace_ops	*ops;
	struct trace_array	*tr;		/* a reference; NULL: no function commands */
	struct list_head	*mods[2];	/* [L] for modules not loaded yet: [except] */
	bool			own;		/* a write gives the tracer its own slot */
	bool			stays;		/* the ops is not freed while the file is open */
	struct ftrace_filter	*filter;	/* [L] in force when the file was opened */
	u64			order;
};

struct ftrace_tracers {
	unsigned int		nr;
	unsigned int		target;		/* index of the tracer to be changed */
	struct ftrace_tracer	tracer[];
};

/* arrays.c */
const char *ftrace_tracer_name(struct trace_array *tr, struct ftrace_ops *ops);

/* tracers.c */
struct ftrace_tracers *ftrace_tracers_get(struct trace_array *tr, struct ftrace_ops *ops);
void ftrace_tracers_put(struct ftrace_tracers *tracers);
bool ftrace_tracer_alive(const struct ftrace_tracer *tracer);
void ftrace_name_array(struct trace_array *tr);
void ftrace_unname_array(struct trace_array *tr);

/*
 * The slot in which words can wait for functions of a tracer. NULL: none, as the ops may
 * be freed without ftrace_slot_waiting_free().
 */
static inline struct ftrace_filter_slot *ftrace_tracer_slot(const struct ftrace_tracer *tracer)
{
	if (tracer->own)
		return &tracer->ops->own;
	return tracer->stays ? ftrace_ops_slot(tracer->ops) : NULL;
}

/* choose.c */
#ifdef CONFIG_FTRACE_TRACERS_BY_NAME
struct ftrace_tracers *ftrace_tracers_chosen(void);
void ftrace_create_tracers_file(struct dentry *parent);
#else
static inline struct ftrace_tracers *ftrace_tracers_chosen(void)
{
	return NULL;
}

static inline void ftrace_create_tracers_file(struct dentry *parent) { }
#endif

#endif /* _FTRACE_TRACERS_H */
