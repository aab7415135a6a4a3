/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that graph tracers begin with, or leave out, of each trace array.
 */
#ifndef _FTRACE_GRAPH_SETS_H
#define _FTRACE_GRAPH_SETS_H

#include "draft.h"

struct trace_array;

/* One of the two filters of a trace array. */
struct graph_filter {
	struct list_head	list;		/* [L] */
	struct trace_array	*tr;		/* NULL: the top one */
	bool			except;		/* of set_graph_notrace */
	struct ftrace_waiting	waiting;	/* words for functions that are to be discovered */
};

/* ftrace_lock held */
struct graph_filter *graph_filter_of(struct trace_array *tr, bool except);
bool graph_filter_is_set(const struct graph_filter *f);
bool graph_filter_follows(const struct graph_filter *f);
struct ftrace_siteset *graph_filter_sites(const struct graph_filter *f);
int graph_filter_apply(struct graph_filter *f, const struct ftrace_edit *edit,
		       const struct list_head *log);

#endif /* _FTRACE_GRAPH_SETS_H */
