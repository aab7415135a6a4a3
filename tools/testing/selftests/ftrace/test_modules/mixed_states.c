// SPDX-License-Identifier: GPL-2.0
/*
 * A hook with a filter of tasks is exchanged while its function is called, which
 * has too many hooks for a combo.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace.h>

#include "states.h"

TARGET(states_target_mixed)

/* More hooks than fit a combo: the function gets the mixed combo. */
#define MANY	140

static struct trace_array *mixed_tr;
static struct ftrace_ops *many[MANY];
static unsigned int many_calls[MANY];
static struct task_struct *mixed_caller;
static bool wait_for_exchange;
static unsigned int nr_exchanged;

/* The first hook called with wait_for_exchange set spins until it is exchanged. */
static void count_mixed(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			struct ftrace_regs *fregs)
{
	const struct ftrace_hook *before = READ_ONCE(op->hook);
	const unsigned long late = jiffies + 2 * HZ;
	unsigned int i;

	if (current != mixed_caller)
		return;
	for (i = 0; many[i] != op; i++)
		;
	many_calls[i]++;
	if (!xchg(&wait_for_exchange, false))
		return;
	while (READ_ONCE(op->hook) == before && time_before(jiffies, late))
		cpu_relax();
	nr_exchanged += READ_ONCE(op->hook) != before;
}

static int call_mixed(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned int i;

		memset(many_calls, 0, sizeof(many_calls));
		states_target_mixed();
		for (i = 0; i < MANY; i++)
			nr_calls += many_calls[i] > 1;
		schedule_timeout_uninterruptible(1);
	}
	return 0;
}

static const char *mixed_begin(void)
{
	unsigned int i;

	mixed_tr = trace_array_get_by_name("states", NULL);
	if (!mixed_tr)
		return "there is no instance";
	for (i = 0; i < MANY; i++) {
		/* The last one to be unregistered waits for all of them. */
		many[i] = make_ops(states_target_mixed, count_mixed, FTRACE_OPS_FL_PID |
				   (i < MANY - 1 ? FTRACE_OPS_FL_KEPT : 0));
		if (!many[i])
			return "a filter cannot be set";
		many[i]->private = mixed_tr;
		if (register_ftrace_function(many[i]))
			return "a hook cannot be registered";
	}
	nr_calls = 0;
	mixed_caller = kthread_create(call_mixed, NULL, "states_mixed");
	if (IS_ERR(mixed_caller))
		return "there is no thread";
	wake_up_process(mixed_caller);
	return NULL;
}

static const char *mixed_end(void)
{
	unsigned int i;

	kthread_stop(mixed_caller);
	for (i = 0; i < MANY; i++)
		unregister_ftrace_function(many[i]);
	for (i = 0; i < MANY; i++) {
		ftrace_free_filter(many[i]);
		kfree(many[i]);
	}
	trace_array_put(mixed_tr);
	if (!nr_exchanged)
		return "no hook was exchanged while its function was called";
	return nr_calls ? "a hook was called twice in one call of its function" : NULL;
}

/* Write "1" to begin, "w" to let the next hook wait; reading ends the case. */
static int mixed_set(const char *text, const struct kernel_param *kp)
{
	const char *why;

	if (*text == 'w') {
		WRITE_ONCE(wait_for_exchange, true);
		while (READ_ONCE(wait_for_exchange))
			schedule_timeout_uninterruptible(1);
		return 0;
	}
	why = mixed_begin();
	if (why)
		pr_err("ftrace_states: %s\n", why);
	return why ? -EINVAL : 0;
}

static int mixed_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", mixed_end() ?: "ok");
}

static int mixed_pid_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", mixed_caller->pid);
}

static const struct kernel_param_ops mixed_ops = { .set = mixed_set, .get = mixed_get };
static const struct kernel_param_ops mixed_pid_ops = { .get = mixed_pid_get };
module_param_cb(mixed_exchange, &mixed_ops, NULL, 0600);
module_param_cb(mixed_pid, &mixed_pid_ops, NULL, 0400);
