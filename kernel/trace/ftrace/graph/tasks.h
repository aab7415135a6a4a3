/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shadow stacks of tasks.
 */
#ifndef _FTRACE_GRAPH_TASKS_H
#define _FTRACE_GRAPH_TASKS_H

#include <linux/ftrace.h>
#include "stack.h"

int fgraph_tasks_get(int slot);
void fgraph_tasks_put(void);

#endif /* _FTRACE_GRAPH_TASKS_H */
