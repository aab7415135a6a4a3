// SPDX-License-Identifier: GPL-2.0
/*
 * The state that all hooks share.
 */
#include <linux/kprobes.h>

#include "../../trace.h"
#include "hook.h"

int ftrace_enabled = 1;
bool ftrace_disabled;

/* The ops of the top trace array: its filter is set_ftrace_filter's. */
struct ftrace_ops global_ops = {
	.func	= ftrace_stub,
	.flags	= FTRACE_OPS_FL_PID,
};

LIST_HEAD(ftrace_hooks);

/**
 * ftrace_ops_registered() - test whether an ops is registered
 * @ops: ops
 *
 * Context: Any context. The answer may be out of date unless the caller keeps
 * the owner from registering or unregistering @ops.
 * Return: True if it is.
 */
bool ftrace_ops_registered(struct ftrace_ops *ops)
{
	return READ_ONCE(ops->flags) & FTRACE_OPS_FL_ENABLED;
}

/**
 * ftrace_kill() - refuse new hooks until reboot
 *
 * Text stays as it is. An ops can still be unregistered, but that returns -ENODEV.
 *
 * Context: Any context.
 */
void ftrace_kill(void)
{
	WRITE_ONCE(ftrace_disabled, true);
	WRITE_ONCE(ftrace_enabled, 0);
	kprobe_ftrace_kill();
}

/**
 * ftrace_is_dead() - test whether the tracer was disabled for good
 *
 * Context: Any context.
 * Return: 1 after ftrace_kill() or a failed ftrace_init(), else 0.
 */
int ftrace_is_dead(void)
{
	return READ_ONCE(ftrace_disabled);
}
