/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dispatch: recursion, RCU and PID tests before a callback, and the mixed
 * dispatcher.
 */
#ifndef _FTRACE_DISPATCH_H
#define _FTRACE_DISPATCH_H

#include "../../trace.h"
#include "hook.h"

ftrace_func_t ftrace_ops_call(struct ftrace_ops *ops);
void ftrace_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		    struct ftrace_regs *fregs);
bool ftrace_is_pid_guard(ftrace_func_t func);
void ftrace_dispatch_mixed(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs);

/**
 * ftrace_pid_passes() - test whether the current task is to be traced
 * @tr: a trace array with a PID filter
 *
 * Context: Any context.
 * Return: True if it is.
 */
static __always_inline bool ftrace_pid_passes(const struct trace_array *tr)
{
	int pid = this_cpu_read(tr->array_buffer.data->ftrace_ignore_pid);

	/* FTRACE_PID_IGNORE is not the PID of any task. */
	return pid == current->pid || pid == FTRACE_PID_TRACE;
}

#endif /* _FTRACE_DISPATCH_H */
