// SPDX-License-Identifier: GPL-2.0
/*
 * Defining tracepoints, and hitting them ten times a second.
 *
 * Load this first, then tracepoint-probes or tracepoint-batch.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "tracepoint-place.h"

/* Each is defined in exactly one file; the exports are for other modules. */
DEFINE_TRACE(sample_lunch_tp,
	     TP_PROTO(const char *dish, int guests),
	     TP_ARGS(dish, guests));
DEFINE_TRACE(sample_seconds_tp,
	     TP_PROTO(const char *dish, int left),
	     TP_ARGS(dish, left));
EXPORT_TRACEPOINT_SYMBOL_GPL(sample_lunch_tp);
EXPORT_TRACEPOINT_SYMBOL_GPL(sample_seconds_tp);

static struct task_struct *cook;

static int cooking(void *unused)
{
	static const char * const menu[] = { "soup", "dumplings", "plums" };
	int day;

	for (day = 0; !kthread_should_stop(); day++) {
		const char *dish = menu[day % ARRAY_SIZE(menu)];

		trace_sample_lunch_tp(dish, day % 5);

		/* Do work that only probes need only when there is a probe. */
		if (trace_sample_seconds_tp_enabled()) {
			int left = day % 5 < 3 ? 3 - day % 5 : 0;

			trace_sample_seconds_tp(dish, left);
		}
		schedule_timeout_interruptible(HZ / 10);
	}
	return 0;
}

static int __init place_init(void)
{
	cook = kthread_run(cooking, NULL, "sample_cook");
	return PTR_ERR_OR_ZERO(cook);
}

static void __exit place_exit(void)
{
	kthread_stop(cook);
}

module_init(place_init);
module_exit(place_exit);
MODULE_DESCRIPTION("Sample: a module with tracepoints");
MODULE_LICENSE("GPL");
