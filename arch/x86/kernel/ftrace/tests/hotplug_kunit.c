// SPDX-License-Identifier: GPL-2.0
/*
 * Sites, and CPUs that come up: no sync waits for such a CPU, and it runs sites.
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
#include <asm/text-patching.h>

#include "tests/tramp_targets.h"
#include "../entry.h"

static struct ftrace_patch patch;
static DECLARE_COMPLETION(ready);
static DECLARE_COMPLETION(go);

struct change {
	void (*make)(void);
	struct completion done;
};

static int change_text(void *data)
{
	struct change *change = data;

	/* Starting a thread may wait for other things than the lock. */
	complete(&ready);
	wait_for_completion_interruptible(&go);
	change->make();
	complete(&change->done);
	return 0;
}

/* Return: True if the text was changed while CPU hotplug was going on. */
static bool changes_during_hotplug(struct kunit *test, void (*make)(void))
{
	struct change change = { .make = make };
	struct task_struct *task;
	bool early;

	init_completion(&change.done);
	task = kthread_create(change_text, &change, "ftrace_hotplug");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&ready);

	cpus_write_lock();
	complete(&go);
	/* Wait until the change is done, or waits for the lock. */
	while (!completion_done(&change.done) &&
	       !wait_task_inactive(task, TASK_UNINTERRUPTIBLE))
		cond_resched();
	early = completion_done(&change.done);
	cpus_write_unlock();

	wait_for_completion(&change.done);
	put_task_struct(task);
	return early;
}

static void change_site(void)
{
	patch.err = 0;
	arch_ftrace_patch(&patch, 1);
}

static void sites_wait_for_a_cpu_that_comes_up(struct kunit *test)
{
	const unsigned long ip = ftrace_location((unsigned long)tramp_target);
	const unsigned long nop = ftrace_is_entry_site(ip) ? FTRACE_NOP_ENTRY : FTRACE_NOP;
	const unsigned long call = (unsigned long)ftrace_stub_direct_tramp;

	KUNIT_ASSERT_NE(test, ip, 0);
	patch.ip = ip;
	patch.from = nop;
	patch.to = call;
	KUNIT_EXPECT_FALSE(test, changes_during_hotplug(test, change_site));
	KUNIT_EXPECT_EQ(test, patch.err, 0);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	patch.from = call;
	patch.to = nop;
	KUNIT_EXPECT_FALSE(test, changes_during_hotplug(test, change_site));
	KUNIT_EXPECT_EQ(test, patch.err, 0);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
}

static void retarget_site(void)
{
	patch.err = arch_ftrace_site_retarget(patch.ip, patch.from, patch.to);
}

static void a_site_under_a_breakpoint_waits_too(struct kunit *test)
{
	patch.ip = ftrace_location((unsigned long)tramp_target);
	KUNIT_ASSERT_NE(test, patch.ip, 0);
	patch.from = (unsigned long)ftrace_stub_direct_tramp;
	patch.to = MCOUNT_ADDR;
	KUNIT_EXPECT_FALSE(test, changes_during_hotplug(test, retarget_site));
	/* The site is off: it has no call to retarget. */
	KUNIT_EXPECT_EQ(test, patch.err, -EINVAL);
}

#ifdef CONFIG_FTRACE_DISCOVER
static void discover_as_before(void)
{
	arch_ftrace_discover(ftrace_record_switch[0] == JMP32_INSN_OPCODE);
}

static void discovery_waits_for_a_cpu_that_comes_up(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, changes_during_hotplug(test, discover_as_before));
}
#endif

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(sites_wait_for_a_cpu_that_comes_up),
	KUNIT_CASE(a_site_under_a_breakpoint_waits_too),
#ifdef CONFIG_FTRACE_DISCOVER
	KUNIT_CASE(discovery_waits_for_a_cpu_that_comes_up),
#endif
	{}
};

static struct kunit_suite hotplug_suite = {
	.name = "ftrace_hotplug",
	.test_cases = hotplug_cases,
};

kunit_test_suite(hotplug_suite);
