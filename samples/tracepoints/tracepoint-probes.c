// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: functions that are called where somebody else put a tracepoint.
 *
 * Two of them are on sample_lunch. The one with the higher priority is called
 * first, although it was registered second.
 */
#include <linux/atomic.h>
#include <linux/module.h>

#include "tracepoint-place.h"

/* The data that is registered with a probe: its first argument. */
struct counter {
	const char *name;
	atomic_t calls;
};

static struct counter waiter = { .name = "waiter" };
static struct counter critic = { .name = "critic" };

static void count_lunch(void *data, const char *dish, int guests)
{
	struct counter *c = data;

	/* A probe runs in whatever context hits the tracepoint: it must not sleep. */
	if (atomic_inc_return(&c->calls) <= 3)
		pr_info("%s: %s for %d\n", c->name, dish, guests);
}

static int __init probes_init(void)
{
	int err;

	err = register_trace_sample_lunch_tp(count_lunch, &waiter);
	if (err)
		return err;
	err = register_trace_prio_sample_lunch_tp(count_lunch, &critic,
						  TRACEPOINT_DEFAULT_PRIO + 1);
	if (err) {
		unregister_trace_sample_lunch_tp(count_lunch, &waiter);
		tracepoint_synchronize_unregister();
	}
	return err;
}

static void __exit probes_exit(void)
{
	unregister_trace_sample_lunch_tp(count_lunch, &critic);
	unregister_trace_sample_lunch_tp(count_lunch, &waiter);
	/* After this no CPU runs our probes any more. */
	tracepoint_synchronize_unregister();
	pr_info("%s: %d calls, %s: %d calls\n",
		waiter.name, atomic_read(&waiter.calls),
		critic.name, atomic_read(&critic.calls));
}

module_init(probes_init);
module_exit(probes_exit);
MODULE_DESCRIPTION("Sample: probes on another module's tracepoint");
MODULE_LICENSE("GPL");
