/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracers by name.
 */
#ifndef _FTRACE_TRACERS_H
#define _FTRACE_TRACERS_H

#include "../hooks/hook.h"

struct dentry;
struct trace_array;

/* A tracer that a filter file may show or change. */
struct ftrace_tracer {
	const char		*name;
	struct ftrace_ops	*ops;
	struct trace_array	*tr;		/* a reference; NULL: no function commands */
	struct list_head	*mods[2];	/* [L] for modules not loaded yet: [except] */
	bool			own;		/* a write gives the tracer its own slot */
	struct ftrace_filter	*filter;	/* [L] in force when the file was opened */
	u64			order;
};

struct ftrace_tracers {
	unsigned int		nr;
	unsigned int		target;		/* index of the tracer to be changed */
	struct ftrace_tracer	tracer[];
};

struct ftrace_tracers *ftrace_tracers_get(struct trace_array *tr, struct ftrace_ops *ops);
void ftrace_tracers_put(struct ftrace_tracers *tracers);
bool ftrace_tracer_alive(const struct ftrace_tracer *tracer);
bool ftrace_tracers_by_name(void);
const char *ftrace_tracer_name(struct trace_array *tr, struct ftrace_ops *ops);
void ftrace_name_array(struct trace_array *tr);
void ftrace_unname_array(struct trace_array *tr);
void ftrace_create_tracers_file(struct dentry *parent);

#endif /* _FTRACE_TRACERS_H */
