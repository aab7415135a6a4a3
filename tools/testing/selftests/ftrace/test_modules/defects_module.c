// SPDX-License-Identifier: GPL-2.0
/*
 * Defects that the classic function tracer has, and that only kernel code can
 * meet. The cases are in hook_defects.c, tramp_defects.c and graph_defects.c.
 *
 * Builds against any kernel of this version, with or without this tracer.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>

#include "defects.h"

unsigned long (*lookup)(const char *name);
static ulong lookup_at;
module_param_named(lookup, lookup_at, ulong, 0);

/* Start a thread and wait for @in. The caller has to use kthread_stop_put(). */
struct task_struct *start_task(int (*fn)(void *), const char *name, struct completion *in)
{
	struct task_struct *task = kthread_create(fn, NULL, "%s", name);

	if (!IS_ERR(task)) {
		get_task_struct(task);
		wake_up_process(task);
		wait_for_completion(in);
	}
	return task;
}

static int case_get(char *buf, const struct kernel_param *kp)
{
	const char *(*run)(void) = kp->arg;
	const char *why = run();

	return sysfs_emit(buf, "%s\n", why ?: "ok");
}

const struct kernel_param_ops case_ops = { .get = case_get };

static int __init defects_init(void)
{
	if (!lookup_at)
		return -EINVAL;
	lookup = (void *)lookup_at;
	return fail_alloc_init();
}
module_init(defects_init);

MODULE_DESCRIPTION("Cases of the function tracer for which it takes a module");
MODULE_LICENSE("GPL");
