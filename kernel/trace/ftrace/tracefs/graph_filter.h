/* SPDX-License-Identifier: GPL-2.0 */
/*
 * set_graph_function and set_graph_notrace.
 */
#ifndef _FTRACE_GRAPH_FILTER_H
#define _FTRACE_GRAPH_FILTER_H

struct dentry;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void ftrace_graph_early_filter(char *buf, int enable);
void ftrace_create_graph_files(struct dentry *parent);
#else
static inline void ftrace_create_graph_files(struct dentry *parent)
{
}
#endif

#endif /* _FTRACE_GRAPH_FILTER_H */
