// SPDX-License-Identifier: GPL-2.0
/*
 * A module that puts a probe on a tracepoint by its name and, unless it is told
 * to be tidy, forgets it there when it goes; or whose probe's tracepoint goes
 * first. The kernel has to say so and to survive it.
 *
 * It does not listen to modules that come and go, which is the other thing that
 * a careful one does.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static char *point = "sched_switch";
module_param(point, charp, 0444);
MODULE_PARM_DESC(point, "name of the tracepoint");

static bool tidy;
module_param(tidy, bool, 0644);
MODULE_PARM_DESC(tidy, "take the probe off at the end");

static atomic_long_t calls;
static struct tracepoint *found;

/* Looks at no argument, so it fits everywhere. */
static void count_call(void *data)
{
	atomic_long_inc(data);
}

static struct tracepoint *find(const char *name)
{
	struct tracepoint_iter iter;
	struct tracepoint *tp;

	tracepoint_iter_start(&iter);
	while ((tp = tracepoint_iter_next(&iter)))
		if (!strcmp(tp->name, name))
			break;
	tracepoint_iter_stop(&iter);
	return tp;
}

static int __init careless_init(void)
{
	found = find(point);
	if (!found)
		return -ENOENT;
	return tracepoint_probe_register(found, count_call, &calls);
}

static void __exit careless_exit(void)
{
	int err;

	if (tidy) {
		/* @found may lie in a module that is gone. */
		err = tracepoint_probe_unregister(found, count_call, &calls);
		tracepoint_synchronize_unregister();
		pr_info("tp_careless: tidy: %d\n", err);
	}
	pr_info("tp_careless: %ld calls\n", atomic_long_read(&calls));
}

module_init(careless_init);
module_exit(careless_exit);
MODULE_DESCRIPTION("A module that forgets its probes, to see what happens");
MODULE_LICENSE("GPL");
