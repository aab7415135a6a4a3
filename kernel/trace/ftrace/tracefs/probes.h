/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function probes.
 */
#ifndef _FTRACE_PROBES_H
#define _FTRACE_PROBES_H

#include <linux/mutex.h>
#include "../sites/siteset.h"

struct ftrace_func_probe;
struct seq_file;
struct trace_array;

extern struct mutex ftrace_probe_mutex;

struct ftrace_func_probe *ftrace_probe_nth(struct trace_array *tr, unsigned int n);
const struct ftrace_siteset *ftrace_probe_sites(struct ftrace_func_probe *probe);
int ftrace_probe_find(const char *glob, struct ftrace_siteset_builder *found);
void ftrace_probe_print(struct ftrace_func_probe *probe, struct seq_file *m, unsigned long ip);

#endif /* _FTRACE_PROBES_H */
