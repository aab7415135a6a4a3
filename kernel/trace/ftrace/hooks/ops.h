/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registration of ops.
 */
#ifndef _FTRACE_OPS_H
#define _FTRACE_OPS_H

#include "hook.h"

struct ftrace_targets;

int ftrace_register_locked(struct ftrace_ops *ops);
int ftrace_register_targets(struct ftrace_ops *ops, const struct ftrace_targets *targets,
			    bool *reverted);
int ftrace_unregister_locked(struct ftrace_ops *ops);
void ftrace_ops_wait(struct ftrace_ops *ops);

/* pid_hooks.c */
int ftrace_update_pid_hooks(void);

#endif /* _FTRACE_OPS_H */
