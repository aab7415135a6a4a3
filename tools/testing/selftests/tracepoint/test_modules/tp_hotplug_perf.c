// SPDX-License-Identifier: GPL-2.0
/*
 * A perf counter that is enabled while a processor comes up, and changes of
 * tracepoints that are pending at that time.
 *
 * The hard lockup detector enables its counter from a hotplug callback. There
 * the hotplug lock is held for writing, by another task, so a callback that makes
 * pending changes of tracepoints live would wait for that lock for ever. The counter
 * here is a software event, which every machine has.
 *
 * Writing anything to the parameter "run" takes CPU 1 down and up. Reading it then
 * gives "ok" or what went wrong. After "hangs" the module cannot be removed, and no
 * CPU can be hotplugged.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#define TEST_CPU	1
#define TIMEOUT	(20 * HZ)

static char *point = "signal_generate";
module_param(point, charp, 0444);
MODULE_PARM_DESC(point, "tracepoint of the event, which nobody else uses");

static int event;
module_param(event, int, 0444);
MODULE_PARM_DESC(event, "number of the event, from its file id");

static const char *verdict = "not run";
static struct tracepoint *found;
static struct perf_event *counter, *traced;
static DECLARE_COMPLETION(came_up);
static int up_result, nr_enabled;

static struct perf_event *make(u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.size = sizeof(attr),
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
}

/* Runs on the CPU that comes up, while the task that brings it up waits. */
static int enable_counter(unsigned int cpu)
{
	perf_event_enable(counter);
	nr_enabled++;
	return 0;
}

static int down_and_up(void *unused)
{
	up_result = remove_cpu(TEST_CPU) ?: add_cpu(TEST_CPU);
	complete(&came_up);
	return 0;
}

static bool is_on(void)
{
	return static_key_enabled(&found->key);
}

static const char *run_with_counters(void)
{
	struct task_struct *task;

	task = kthread_run(down_and_up, NULL, "tp_hotplug");
	if (IS_ERR(task))
		return "no task";
	if (!wait_for_completion_timeout(&came_up, TIMEOUT)) {
		/* down_and_up() is on a stack for good. */
		__module_get(THIS_MODULE);
		return "hangs: the processor does not come up";
	}
	if (up_result || !nr_enabled)
		return "the processor did not go down and up";
	if (is_on())
		return "what was pending is live without having been enabled";
	perf_event_enable(traced);
	if (!is_on())
		return "an event of a tracepoint is not live when enabled";
	return "ok";
}

static const char *run(void)
{
	const char *said;
	int state;

	if (is_on())
		return "somebody else uses the tracepoint";
	counter = make(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	if (IS_ERR(counter))
		return "no software counter";
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "test:tp_hotplug",
					  enable_counter, NULL);
	if (state < 0) {
		perf_event_release_kernel(counter);
		return "no hotplug state";
	}
	/* Its probe is registered, but pending until somebody enables the event. */
	traced = make(PERF_TYPE_TRACEPOINT, event);
	said = IS_ERR(traced) ? "no event" : run_with_counters();
	if (strstarts(said, "hangs"))
		return said;
	if (!IS_ERR(traced))
		perf_event_release_kernel(traced);
	cpuhp_remove_state_nocalls(state);
	perf_event_release_kernel(counter);
	return said;
}

static int run_set(const char *unused, const struct kernel_param *kp)
{
	verdict = run();
	return 0;
}

static int run_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", verdict);
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
	.get = run_get,
};
module_param_cb(run, &run_ops, NULL, 0600);

static void find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, point))
		found = tp;
}

static int __init tp_hotplug_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return found ? 0 : -ENOENT;
}

static void __exit tp_hotplug_exit(void)
{
}

module_init(tp_hotplug_init);
module_exit(tp_hotplug_exit);
MODULE_DESCRIPTION("Test: perf counters enabled while a processor comes up");
MODULE_LICENSE("GPL");
