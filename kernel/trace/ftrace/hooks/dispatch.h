/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dispatch: recursion, RCU and PID tests before a callback, and the mixed
 * dispatcher.
 */
#ifndef _FTRACE_DISPATCH_H
#define _FTRACE_DISPATCH_H

#include "hook.h"

ftrace_func_t ftrace_ops_call(struct ftrace_ops *ops);
void ftrace_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		    struct ftrace_regs *fregs);
bool ftrace_pid_passes(struct ftrace_ops *ops);
void ftrace_dispatch_mixed(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs);

#endif /* _FTRACE_DISPATCH_H */
