/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PID filters.
 */
#ifndef _FTRACE_PIDS_H
#define _FTRACE_PIDS_H

struct dentry;
struct trace_array;

void ftrace_create_pid_files(struct trace_array *tr, struct dentry *parent);

#endif /* _FTRACE_PIDS_H */
