/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry and return of functions: who watches, and the stacks of those watched.
 *
 * graph.c knows the slots, graph_tasks.c which tasks have a shadow stack,
 * graph_stack.c what is in it.
 */
#ifndef _FTRACE_GRAPH_H
#define _FTRACE_GRAPH_H

#include <linux/ftrace.h>
#include "graph_stack.h"
#include "lock.h"

static __always_inline struct fgraph_shadow *fgraph_shadow(struct task_struct *t)
{
	return (struct fgraph_shadow *)READ_ONCE(t->ret_stack);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* PID filtering was switched on or off. ftrace_lock held. */
void fgraph_update_pid(void);
#else
static inline void fgraph_update_pid(void) { }
#endif

/*
 * Every task gets a shadow stack, now and when it is forked, in which the word
 * of @slot is 0. Once for each who watches; ftrace_lock held, may sleep.
 * Return: 0, -ENOMEM. On error nothing changed.
 */
int fgraph_tasks_get(int slot);
/* New tasks need none if that was the last. ftrace_lock held. */
void fgraph_tasks_put(void);

#endif /* _FTRACE_GRAPH_H */
