/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of tracefs offer to each other, by source file.
 *
 * Drafts, walks, tracers, sessions and profiles have types, and so headers of
 * their own.
 */
#ifndef _FTRACE_TRACEFS_H
#define _FTRACE_TRACEFS_H

#include <linux/seq_file.h>
#include <linux/types.h>

struct dentry;
struct file;
struct ftrace_draft;
struct ftrace_func_command;
struct ftrace_ops;
struct ftrace_site_block;
struct ftrace_walk;
struct trace_array;

/* function_lists.c: files that list functions */
int ftrace_available_open(struct file *file,
			  int (*show)(struct seq_file *, struct ftrace_walk *),
			  u32 (*pick)(const struct ftrace_site_block *, u32, u32, const void *));
int ftrace_names_open(struct file *file,
		      u32 (*pick)(const struct ftrace_site_block *, u32, u32, const void *));
void ftrace_create_array_lists(struct trace_array *tr, struct dentry *parent);
void ftrace_create_site_files(struct dentry *parent);

/* arrays.c, probes.c: whose ops it is */
bool ftrace_ops_of_array(const struct ftrace_ops *ops, const struct trace_array *tr);
struct trace_array *ftrace_probe_array(const struct ftrace_ops *ops);

/* commands.c: function commands */
struct ftrace_func_command *ftrace_command_find(const char *name);

/* filter_read.c: what a filter file shows */
extern const struct seq_operations ftrace_filter_seq_ops;

/* filter_write.c: words written to a filter file */
int ftrace_session_word(struct ftrace_draft *draft);

/* pids.c: set_ftrace_pid and set_ftrace_notrace_pid */
void ftrace_create_pid_files(struct trace_array *tr, struct dentry *parent);

/* graph_sets.c, graph_filter.c: set_graph_function and set_graph_notrace */
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void ftrace_graph_early_filter(char *buf, int enable);
void ftrace_graph_filters_free(struct trace_array *tr);
void ftrace_create_graph_files(struct trace_array *tr, struct dentry *parent);
#else
static inline void ftrace_graph_filters_free(struct trace_array *tr)
{
}

static inline void ftrace_create_graph_files(struct trace_array *tr, struct dentry *parent)
{
}
#endif

/* profile.c: the function profiler's files */
#ifdef CONFIG_FUNCTION_PROFILER
void ftrace_create_profile_files(struct dentry *parent);
#else
static inline void ftrace_create_profile_files(struct dentry *parent)
{
}
#endif

/* functions_table.c: lists for tools */
#ifdef CONFIG_FTRACE_FUNCTIONS_TABLE
void ftrace_create_table_files(struct dentry *parent);
void ftrace_create_untraceable_file(struct dentry *parent);	/* untraceable.c */
#else
static inline void ftrace_create_table_files(struct dentry *parent)
{
}
#endif

#endif /* _FTRACE_TRACEFS_H */
