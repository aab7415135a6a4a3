/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters in force. A filter slot (struct ftrace_filter_home) holds the filter
 * of one ops, or of several that share it.
 */
#ifndef _FTRACE_SLOT_H
#define _FTRACE_SLOT_H

#include "hook.h"

struct module;

struct ftrace_filter_home *ftrace_ops_home(struct ftrace_ops *ops);

struct ftrace_filter *ftrace_home_filter(struct ftrace_filter_home *home);
struct ftrace_filter *ftrace_home_filter_get(struct ftrace_filter_home *home);

int ftrace_home_set(struct ftrace_filter_home *home, struct ftrace_filter *filter);
int ftrace_home_set_locked(struct ftrace_filter_home *home, struct ftrace_filter *filter);
int ftrace_home_set_always(struct ftrace_filter_home *home, struct ftrace_filter *filter);
void ftrace_home_replace(struct ftrace_filter_home *home, struct ftrace_filter *filter);

void ftrace_homes_purge(u32 first, u32 end);
void ftrace_homes_forget(struct module *mod);

int ftrace_ops_rehome_locked(struct ftrace_ops *ops, struct ftrace_filter_home *home);

#endif /* _FTRACE_SLOT_H */
