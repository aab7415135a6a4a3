// SPDX-License-Identifier: GPL-2.0
/*
 * A module that attaches a probe to a tracepoint found by name. Unless "tidy" is
 * set, it leaves the probe attached when it is unloaded. The tracepoint's module
 * may also be unloaded first. The kernel must report either and survive.
 *
 * A correct module would also register a module notifier, to detach before the
 * tracepoint's module is unloaded.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "../../../samples/tracepoints/tracepoint-place.h"

static char *point = "sched_switch";
module_param(point, charp, 0444);
MODULE_PARM_DESC(point, "name of the tracepoint: sched_switch or sample_lunch_tp");

static bool tidy;
module_param(tidy, bool, 0644);
MODULE_PARM_DESC(tidy, "take the probe off at the end");

static atomic_long_t calls;
static struct tracepoint *found;
static void *probe;

static void count_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	atomic_long_inc(data);
}

static void count_lunch(void *data, const char *dish, int guests)
{
	atomic_long_inc(data);
}

/*
 * The probe for a tracepoint known by its name. Registering by name does not
 * check types, and a kernel with kCFI crashes when a probe of another type is
 * called; so the types are checked here, at compile time.
 */
static void *probe_for(const char *name)
{
	check_trace_callback_type_sched_switch(count_switch);
	check_trace_callback_type_sample_lunch_tp(count_lunch);

	if (!strcmp(name, "sched_switch"))
		return count_switch;
	if (!strcmp(name, "sample_lunch_tp"))
		return count_lunch;
	return NULL;
}

static void find(struct tracepoint *tp, void *name)
{
	if (!strcmp(tp->name, name))
		found = tp;
}

static void find_in_module(struct tracepoint *tp, struct module *mod, void *name)
{
	find(tp, name);
}

static int __init careless_init(void)
{
	probe = probe_for(point);
	if (!probe)
		return -EINVAL;
	for_each_kernel_tracepoint(find, point);
	for_each_module_tracepoint(find_in_module, point);
	if (!found)
		return -ENOENT;
	return tracepoint_probe_register(found, probe, &calls);
}

static void __exit careless_exit(void)
{
	int err;

	if (tidy) {
		/* @found may point into a module that was unloaded. */
		err = tracepoint_probe_unregister(found, probe, &calls);
		tracepoint_synchronize_unregister();
		pr_info("tp_careless: tidy: %d\n", err);
	}
	pr_info("tp_careless: %ld calls\n", atomic_long_read(&calls));
}

module_init(careless_init);
module_exit(careless_exit);
MODULE_DESCRIPTION("A module that forgets its probes, to see what happens");
MODULE_LICENSE("GPL");
