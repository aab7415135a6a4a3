// SPDX-License-Identifier: GPL-2.0
/*
 * A tracepoint in a module of its own, which hits it while it is loaded.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "tp_torture.h"

DEFINE_TRACE(tp_torture_guest_tp, TP_PROTO(int magic), TP_ARGS(magic));

static struct task_struct *hitter;

static int hit(void *unused)
{
	while (!kthread_should_stop()) {
		trace_tp_torture_guest_tp(99);
		cond_resched();
	}
	return 0;
}

static int __init guest_init(void)
{
	hitter = kthread_run(hit, NULL, "tp_torture_guest");
	return PTR_ERR_OR_ZERO(hitter);
}

static void __exit guest_exit(void)
{
	kthread_stop(hitter);
}

module_init(guest_init);
module_exit(guest_exit);
MODULE_DESCRIPTION("Guest of the tracepoint torture test");
MODULE_LICENSE("GPL");
