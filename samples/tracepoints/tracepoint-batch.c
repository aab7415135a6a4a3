// SPDX-License-Identifier: GPL-2.0
/*
 * A batch: probes on many tracepoints, on and off in one step.
 *
 * It also walks all tracepoints, which is how to find one by name. That needs no
 * header, but a probe registered that way is not type-checked: it must take its
 * data first and then all arguments of the tracepoint, even those that it does
 * not use. With kCFI a call through another type is fatal.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/string.h>

#include "tracepoint-place.h"

static atomic_t lunches, seconds;

static void on_lunch(void *data, const char *dish, int guests)
{
	atomic_inc(&lunches);
}

static void on_seconds(void *data, const char *dish, int left)
{
	atomic_add(left, &seconds);
}

static unsigned int all, samples;

static void count(struct tracepoint *tp, void *unused)
{
	all++;
	samples += strstarts(tp->name, "sample_");
}

static void count_in_module(struct tracepoint *tp, struct module *mod, void *unused)
{
	count(tp, unused);
}

/* Count all tracepoints, the kernel's own and then those of modules. */
static void count_tracepoints(void)
{
	for_each_kernel_tracepoint(count, NULL);
	for_each_module_tracepoint(count_in_module, NULL);
	pr_info("%u tracepoints, %u of them samples\n", all, samples);
}

static int __init batch_init(void)
{
	struct tracepoint_batch batch;
	int err;

	count_tracepoints();

	tracepoint_batch_begin(&batch);
	err = register_trace_sample_lunch_tp(on_lunch, NULL);
	if (!err) {
		err = register_trace_sample_seconds_tp(on_seconds, NULL);
		if (err)
			unregister_trace_sample_lunch_tp(on_lunch, NULL);
	}
	/* From here on both probes are on; after an error, neither is. */
	tracepoint_batch_commit(&batch);
	/* One may have been on: other tasks can make a batch take effect early. */
	if (err)
		tracepoint_synchronize_unregister();
	return err;
}

static void __exit batch_exit(void)
{
	struct tracepoint_batch batch;

	tracepoint_batch_begin(&batch);
	unregister_trace_sample_seconds_tp(on_seconds, NULL);
	unregister_trace_sample_lunch_tp(on_lunch, NULL);
	tracepoint_batch_commit(&batch);
	tracepoint_synchronize_unregister();
	pr_info("%d lunches, %d seconds\n", atomic_read(&lunches),
		atomic_read(&seconds));
}

module_init(batch_init);
module_exit(batch_exit);
MODULE_DESCRIPTION("Sample: many probes on and off in one step");
MODULE_LICENSE("GPL");
