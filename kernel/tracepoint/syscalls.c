// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints that every system call passes: sys_enter and sys_exit.
 *
 * They lie on the slow path of system calls, which a task takes only if it has
 * a work flag set. While at least one of the two has a probe, all tasks have the
 * flag SYSCALL_TRACEPOINT. New tasks inherit it from their parents.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/thread_info.h>

#include "internal.h"

/* How many of the two tracepoints are on. Guarded by tracepoints_mutex. */
static unsigned int tp_syscalls_on;

static void tp_flag_all_tasks(bool on)
{
	struct task_struct *p, *t;

	read_lock(&tasklist_lock);
	for_each_process_thread(p, t) {
		if (on)
			set_task_syscall_work(t, SYSCALL_TRACEPOINT);
		else
			clear_task_syscall_work(t, SYSCALL_TRACEPOINT);
	}
	read_unlock(&tasklist_lock);
}

/**
 * syscall_regfunc() - flag all tasks before sys_enter or sys_exit gets a probe
 *
 * Context: Process context. Called under tracepoints_mutex. Takes
 *	    tasklist_lock.
 * Return: 0.
 */
int syscall_regfunc(void)
{
	lockdep_assert_held(&tracepoints_mutex);

	if (tp_syscalls_on++ == 0)
		tp_flag_all_tasks(true);
	return 0;
}

/**
 * syscall_unregfunc() - unflag all tasks once neither tracepoint has a probe
 *
 * Context: Process context. Called under tracepoints_mutex. Takes
 *	    tasklist_lock.
 */
void syscall_unregfunc(void)
{
	lockdep_assert_held(&tracepoints_mutex);

	if (--tp_syscalls_on == 0)
		tp_flag_all_tasks(false);
}
