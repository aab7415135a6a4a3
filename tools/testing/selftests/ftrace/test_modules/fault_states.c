// SPDX-License-Identifier: GPL-2.0
/*
 * Sites with unexpected bytes: they are given up, reported, and settled by the
 * task that plans a change, not by one that happens to commit it.
 */
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "states.h"

TARGET(states_target_report)

/* Make the tracer give up the site of @func, then restore its bytes. */
bool make_faulty(void *func)
{
	const unsigned long site = site_of(func);
	struct ftrace_ops *ops;
	u8 before[SITE_SIZE];

	memcpy(before, (void *)site, sizeof(before));
	write_text(site, other_nop, sizeof(other_nop));
	ops = hook(func);
	if (ops)
		unhook(ops);
	write_text(site, before, sizeof(before));
	return ops;
}

/* The script that runs this checks the kernel log and the lists of functions. */
static const char *faulty_site_is_reported(void)
{
	return make_faulty(states_target_report) ? NULL : "a hook cannot be registered";
}

CASE(faulty_site_is_reported);

static DEFINE_STATIC_KEY_FALSE(toggled);
static struct task_struct *planner_task;
static unsigned int nr_faults, nr_foreign, nr_toggles;

static int see_fault(struct kprobe *p, struct pt_regs *regs)
{
	nr_faults++;
	if (current != planner_task)
		nr_foreign++;
	return 0;
}

static struct kprobe fault_probe = {
	.symbol_name	= "ftrace_fault_site",
	.pre_handler	= see_fault,
};

static int toggle(void *unused)
{
	while (!kthread_should_stop()) {
		static_branch_enable(&toggled);
		static_branch_disable(&toggled);
		WRITE_ONCE(nr_toggles, nr_toggles + 1);
		/* Unregistering waits until each task has slept or reported this. */
		cond_resched_tasks_rcu_qs();
	}
	return static_branch_unlikely(&toggled);
}

/* Functions early in the kernel's text that rarely run, or can miss a hook. */
static char *const early_functions[] = {
	"do_one_initcall", "x86_init_noop", "profile_pc", "arch_show_interrupts",
	"show_opcodes", "show_cpuinfo", "check_tsc_unstable", "mark_tsc_unstable",
	"recalibrate_cpu_khz", "tsc_save_sched_clock_state",
};

/* With so many faults another task's commit is likely to meet one. */
#define ENOUGH_FAULTS	3

static const char *hook_all_with_fault(unsigned long site)
{
	static struct ftrace_ops all;
	u8 before[SITE_SIZE];
	int err;

	memcpy(before, (void *)site, sizeof(before));
	write_text(site, other_nop, sizeof(other_nop));
	memset(&all, 0, sizeof(all));
	all.func = count_call;
	all.flags = FTRACE_OPS_FL_RECURSION;
	err = register_ftrace_function(&all);
	if (!err)
		unregister_ftrace_function(&all);
	write_text(site, before, sizeof(before));
	return err ? "a hook cannot be registered" : NULL;
}

static const char *fault_in_foreign_commit(void)
{
	struct task_struct *task;
	const char *why = NULL;
	unsigned int i, before;

	if (register_kprobe(&fault_probe))
		return "there is no probe";
	task = kthread_run(toggle, NULL, "states_toggle");
	if (IS_ERR(task)) {
		unregister_kprobe(&fault_probe);
		return "there is no thread";
	}
	planner_task = current;
	nr_faults = 0;
	nr_foreign = 0;
	before = nr_toggles;
	for (i = 0; i < ARRAY_SIZE(early_functions) && !why && !nr_foreign &&
	     nr_faults < ENOUGH_FAULTS; i++) {
		const unsigned long func = lookup(early_functions[i]);
		const unsigned long site = func ? site_of((void *)func) : 0;

		if (site && is_nop(site))
			why = hook_all_with_fault(site);
	}
	kthread_stop(task);
	unregister_kprobe(&fault_probe);
	if (why)
		return why;
	if (nr_faults < ENOUGH_FAULTS && !nr_foreign)
		return "there were too few faults";
	if (nr_toggles == before)
		return "nobody else committed";
	return nr_foreign ? "a fault was settled by the task that happened to commit" : NULL;
}

CASE(fault_in_foreign_commit);
