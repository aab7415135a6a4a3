// SPDX-License-Identifier: GPL-2.0
/*
 * Inject idle periods on a processor that has work, as drivers do that keep one cool: a
 * thread idles there in place of the idle task, then lets others run for a while.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/time64.h>

static unsigned int cpu = 1;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "processor");

static unsigned int idle_us = 2000;
module_param(idle_us, uint, 0444);
MODULE_PARM_DESC(idle_us, "length of a period, in microseconds");

static unsigned int work_us = 2000;
module_param(work_us, uint, 0444);
MODULE_PARM_DESC(work_us, "least time between two periods, in microseconds");

static unsigned long periods;
module_param(periods, ulong, 0444);
MODULE_PARM_DESC(periods, "how many have ended");

static struct task_struct *thread;

static int inject(void *unused)
{
	while (!kthread_should_stop()) {
		play_idle_precise(idle_us * NSEC_PER_USEC, U64_MAX);
		periods++;
		usleep_range(work_us, 2 * work_us);
	}
	return 0;
}

static int __init inject_idle_init(void)
{
	struct task_struct *made;
	int err = 0;

	if (!idle_us || !work_us)
		return -EINVAL;
	made = kthread_create(inject, NULL, "inject_idle");
	if (IS_ERR(made))
		return PTR_ERR(made);

	cpus_read_lock();
	if (cpu < nr_cpu_ids && cpu_online(cpu)) {
		kthread_bind(made, cpu);
		sched_set_fifo(made);
		wake_up_process(made);
		thread = made;
	} else {
		err = -EINVAL;
	}
	cpus_read_unlock();

	if (err)
		kthread_stop(made);
	return err;
}

static void __exit inject_idle_exit(void)
{
	kthread_stop(thread);
}

module_init(inject_idle_init);
module_exit(inject_idle_exit);
MODULE_DESCRIPTION("Idle periods on a processor that has work");
MODULE_LICENSE("GPL");
