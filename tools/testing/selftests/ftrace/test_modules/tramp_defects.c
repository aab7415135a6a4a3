// SPDX-License-Identifier: GPL-2.0
/*
 * A trampoline is known to unwinders for as long as a task is in it.
 */
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/stacktrace.h>

#include "defects.h"

TARGET(defect_target_tramp)

static DECLARE_COMPLETION(tramp_entered);
static bool text_is_nop, caller_known;

static noinline int defect_tramp_caller(void)
{
	defect_target_tramp();
	/* Prevents a tail call. */
	barrier();
	return 0;
}

static bool caller_is_in_stack(void)
{
	unsigned long stack[32];
	char name[KSYM_NAME_LEN];
	unsigned int i, nr = stack_trace_save(stack, ARRAY_SIZE(stack), 0);

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)stack[i]);
		if (strstarts(name, "defect_tramp_caller"))
			return true;
	}
	return false;
}

/* Return once the site is a nop again, while unregistering waits for this task. */
static void stay_in_tramp(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			  struct ftrace_regs *fregs)
{
	const unsigned long late = jiffies + 20 * HZ;

	caller_known = caller_is_in_stack();
	complete(&tramp_entered);
	while (!is_nop(ip) && time_before(jiffies, late))
		cpu_relax();
	text_is_nop = is_nop(ip);
	caller_known = caller_known && caller_is_in_stack();
}

static int call_tramp(void *unused)
{
	defect_tramp_caller();
	return 0;
}

static const char *tramp_stack(void)
{
	static struct ftrace_ops ops = { .func = stay_in_tramp };
	struct task_struct *task;

	ops.flags = 0;
	if (ftrace_set_filter_ip(&ops, site_of(defect_target_tramp), 0, 0) ||
	    register_ftrace_function(&ops))
		return "a hook cannot be registered";
	reinit_completion(&tramp_entered);
	task = start_task(call_tramp, "defect_tramp", &tramp_entered);
	if (IS_ERR(task)) {
		unregister_ftrace_function(&ops);
		return "there is no thread";
	}
	unregister_ftrace_function(&ops);
	kthread_stop_put(task);
	ftrace_free_filter(&ops);

	if (!text_is_nop)
		return "the hook did not leave the text";
	return caller_known ? NULL : "from a trampoline that is being left, the stack is lost";
}

CASE(tramp_stack);
