// SPDX-License-Identifier: GPL-2.0
/*
 * Filters that are removed when nothing else can be done: without memory, and
 * after ftrace_kill().
 */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "states.h"

TARGET(states_target_filter)

static struct task_struct *fail_task;
static bool failed;

static int fail_alloc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (READ_ONCE(fail_task) != current || !in_task())
		return 1;
	failed = true;
	return 0;
}

/* The caller gets NULL; the memory leaks, which is fine in a test. */
static int lose_alloc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, 0);
	return 0;
}

static struct kretprobe alloc_probes[] = {
	{ .kp.symbol_name = "__kmalloc_cache_noprof", },
	{ .kp.symbol_name = "__kmalloc_noprof", },
	{ .kp.symbol_name = "__kmalloc_node_track_caller_noprof", },
	{ .kp.symbol_name = "__kvmalloc_node_noprof", },
};

/* The original ftrace has no such list. */
static bool is_listed(const struct ftrace_ops *ops)
{
	return !hlist_unhashed(&ops->own.listed);
}

static const char *filter_is_removed_without_memory(void)
{
	struct ftrace_ops *ops = make_ops(states_target_filter, count_call, 0);
	const char *why = NULL;
	unsigned int i;
	int err;

	if (!ops || !is_listed(ops))
		return "there is no filter";
	for (i = 0; i < ARRAY_SIZE(alloc_probes); i++) {
		alloc_probes[i].entry_handler = fail_alloc;
		alloc_probes[i].handler = lose_alloc;
		alloc_probes[i].maxactive = 64;
		if (register_kretprobe(&alloc_probes[i]))
			return "there is no probe";
	}
	failed = false;
	WRITE_ONCE(fail_task, current);
	err = ftrace_set_filter_ip(ops, site_of(states_target_filter), 1, 0);
	WRITE_ONCE(fail_task, NULL);
	for (i = 0; i < ARRAY_SIZE(alloc_probes); i++)
		unregister_kretprobe(&alloc_probes[i]);
	if (err)
		why = "a filter cannot be removed without memory";
	else if (failed)
		why = "an allocation was made";
	else if (is_listed(ops))
		why = "a filter that was removed is still listed";
	ftrace_free_filter(ops);
	kfree(ops);
	return why;
}

CASE(filter_is_removed_without_memory);

/* To be run last: the tracer is dead afterwards. */
static const char *filter_is_removed_after_kill(void)
{
	struct ftrace_ops *ops = hook(states_target_filter);
	struct ftrace_ops *reset = make_ops(states_target_filter, count_call, 0);
	const char *why = NULL;

	if (!ops || !reset)
		return "a hook cannot be registered";
	kernel_function(void (*)(void), "ftrace_kill")();
	if (unregister_ftrace_function(ops) != -ENODEV)
		why = "it was not told that the tracer is dead";
	else if (ftrace_set_filter_ip(ops, site_of(states_target_filter), 1, 0))
		why = "a filter cannot be removed after ftrace_kill()";
	else if (is_listed(ops))
		why = "a filter that was removed is still listed";
	else if (ftrace_set_filter(reset, NULL, 0, 1))
		why = "a filter cannot be reset after ftrace_kill()";
	else if (is_listed(reset))
		why = "a filter that was reset is still listed";
	else if (ftrace_set_filter_ip(reset, site_of(states_target_filter), 0, 0) != -ENODEV)
		why = "a filter was set after ftrace_kill()";
	ftrace_free_filter(ops);
	ftrace_free_filter(reset);
	kfree(ops);
	kfree(reset);
	return why;
}

CASE(filter_is_removed_after_kill);
