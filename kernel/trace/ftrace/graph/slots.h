/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry and return of functions.
 *
 * graph.c has the clients and their slots, graph_tasks.c gives shadow stacks to
 * tasks, graph_stack.c reads what is in them.
 */
#ifndef _FTRACE_GRAPH_H
#define _FTRACE_GRAPH_H

#include <linux/ftrace.h>
#include "stack.h"
#include "../sites/lock.h"

static __always_inline struct fgraph_shadow *fgraph_shadow(struct task_struct *t)
{
	return (struct fgraph_shadow *)READ_ONCE(t->ret_stack);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void fgraph_update_pid(void);	/* ftrace_lock held */
#else
static inline void fgraph_update_pid(void) { }
#endif

int fgraph_tasks_get(int slot);
void fgraph_tasks_put(void);

#endif /* _FTRACE_GRAPH_H */
