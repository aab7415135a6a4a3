/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadow stacks of tasks.
 */
#ifndef _FTRACE_GRAPH_TASKS_H
#define _FTRACE_GRAPH_TASKS_H

#include <linux/ftrace.h>
#include "stack.h"

static __always_inline struct fgraph_shadow *fgraph_shadow(struct task_struct *t)
{
	return (struct fgraph_shadow *)READ_ONCE(t->ret_stack);
}

int fgraph_tasks_get(int slot);
void fgraph_tasks_put(void);

#endif /* _FTRACE_GRAPH_TASKS_H */
