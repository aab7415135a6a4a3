// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints that each system call passes: sys_enter and sys_exit.
 *
 * They lie on the slow path of system calls, which tasks take only if they have
 * a work flag. While one of the two has a probe, all tasks carry the flag. New
 * tasks get it from their parents.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/thread_info.h>

#include "internal.h"

/* How many of the two are on; guarded by tracepoints_mutex. */
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
 * syscall_regfunc - sys_enter or sys_exit gets its first probe
 *
 * Context: Process. Called under tracepoints_mutex; takes tasklist_lock.
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
 * syscall_unregfunc - sys_enter or sys_exit has lost its last probe
 *
 * Context: Process. Called under tracepoints_mutex; takes tasklist_lock.
 */
void syscall_unregfunc(void)
{
	lockdep_assert_held(&tracepoints_mutex);

	if (--tp_syscalls_on == 0)
		tp_flag_all_tasks(false);
}
