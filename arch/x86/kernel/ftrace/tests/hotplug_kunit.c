// SPDX-License-Identifier: GPL-2.0
/*
 * Sites and CPUs that come up: no sync waits for such a CPU, and it runs sites.
 *
 * proves: arch/x86/kernel/ftrace/site.c
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "tests/tramp_targets.h"

static struct ftrace_patch patch;
static DECLARE_COMPLETION(ready);
static DECLARE_COMPLETION(go);

static int change_site(void *done)
{
	/* Starting a thread may wait for other things than the lock. */
	complete(&ready);
	wait_for_completion_interruptible(&go);
	patch.err = 0;
	arch_ftrace_patch(&patch, 1);
	complete(done);
	return 0;
}

/* Return: True if the site was changed while CPU hotplug was going on. */
static bool changes_during_hotplug(struct kunit *test, unsigned long from, unsigned long to)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;
	bool early;

	patch.from = from;
	patch.to = to;
	task = kthread_create(change_site, &done, "ftrace_hotplug");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&ready);

	cpus_write_lock();
	complete(&go);
	/* Until it is done, or waits for the lock. */
	while (!completion_done(&done) && !wait_task_inactive(task, TASK_UNINTERRUPTIBLE))
		cond_resched();
	early = completion_done(&done);
	cpus_write_unlock();

	wait_for_completion(&done);
	put_task_struct(task);
	KUNIT_EXPECT_EQ(test, patch.err, 0);
	return early;
}

static void sites_wait_for_a_cpu_that_comes_up(struct kunit *test)
{
	const unsigned long ip = ftrace_location((unsigned long)tramp_target);
	const unsigned long nop = ftrace_is_entry_site(ip) ? FTRACE_NOP_ENTRY : FTRACE_NOP;
	const unsigned long call = (unsigned long)ftrace_stub_direct_tramp;

	KUNIT_ASSERT_NE(test, ip, 0);
	patch.ip = ip;
	KUNIT_EXPECT_FALSE(test, changes_during_hotplug(test, nop, call));
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	KUNIT_EXPECT_FALSE(test, changes_during_hotplug(test, call, nop));
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
}

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(sites_wait_for_a_cpu_that_comes_up),
	{}
};

static struct kunit_suite hotplug_suite = {
	.name = "ftrace_hotplug",
	.test_cases = hotplug_cases,
};

kunit_test_suite(hotplug_suite);
