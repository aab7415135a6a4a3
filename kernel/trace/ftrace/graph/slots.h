/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clients of the graph tracer.
 */
#ifndef _FTRACE_GRAPH_SLOTS_H
#define _FTRACE_GRAPH_SLOTS_H

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void fgraph_update_pid(void);	/* ftrace_lock held */
#else
static inline void fgraph_update_pid(void)
{
}
#endif

#endif /* _FTRACE_GRAPH_SLOTS_H */
