/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put changes of hooks' filters into force.
 */
#ifndef _FTRACE_CHANGE_H
#define _FTRACE_CHANGE_H

#include "plan.h"

void ftrace_hook_set_filter(struct ftrace_hook *hook, struct ftrace_filter *filter);
int ftrace_changes_commit(const struct ftrace_change *changes, unsigned int nr,
			  struct ftrace_plan *plan);
int ftrace_changes_apply(const struct ftrace_change *changes, unsigned int nr);
void ftrace_hook_evict(struct ftrace_hook *hook);

#endif /* _FTRACE_CHANGE_H */
