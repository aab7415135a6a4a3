// SPDX-License-Identifier: GPL-2.0
/*
 * Labels in a module's init text, switched while that text is about to go.
 *
 *   insmod text_patch_init_text.ko		# this, which owns the key
 *   insmod text_patch_init_label.ko		# thousands of labels in init text
 *
 * The second module's init function has a task switch the key inside of a
 * bracket, and returns when the task is at it. So the module becomes live, and
 * the engine makes what is queued for its init text live, while the task is
 * still queueing. A change that is queued after that stays queued for as long
 * as the bracket is open, and the text is freed meanwhile.
 *
 * This module is told after the engine, and looks: when the task has queued
 * everything, and with the bracket still open, all labels have to be live, or
 * none if the task took the module for a live one already. What is found is
 * said in the kernel log, and by the parameters.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/text-transaction.h>

#include "init_text.h"

struct static_key_false text_patch_init_key = STATIC_KEY_FALSE_INIT;
EXPORT_SYMBOL_GPL(text_patch_init_key);

static uint labels;
module_param(labels, uint, 0444);
MODULE_PARM_DESC(labels, "labels of the last module that was loaded");

static uint live;
module_param(live, uint, 0444);
MODULE_PARM_DESC(live, "how many of them were live when its init text went");

static const struct module *racing;
static unsigned int (*count_taken)(void);
static DECLARE_COMPLETION(queued);
static DECLARE_COMPLETION(looked);
static DECLARE_COMPLETION(committed);

static int switch_key(void *unused)
{
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	static_branch_enable(&text_patch_init_key);
	complete(&queued);
	wait_for_completion(&looked);
	if (text_patch_commit(&tx))
		pr_err("text_patch_init_text: error %d at %pS\n", tx.first.err,
		       tx.first.addr);
	complete(&committed);
	return 0;
}

/**
 * text_patch_init_race - have the key switched while a module becomes live
 * @mod:	the module, whose init function calls this and then returns
 * @nr:		how many labels its init text has
 * @taken:	says how many of them are taken
 *
 * Return: 0 or an error of kthread_create().
 */
int text_patch_init_race(const struct module *mod, unsigned int nr,
			 unsigned int (*taken)(void))
{
	struct task_struct *task;
	unsigned int cpu;

	static_branch_disable(&text_patch_init_key);
	reinit_completion(&queued);
	reinit_completion(&looked);
	reinit_completion(&committed);
	labels = nr;
	live = 0;
	count_taken = taken;
	racing = mod;

	task = kthread_create(switch_key, NULL, "text_patch_init");
	if (IS_ERR(task)) {
		racing = NULL;
		return PTR_ERR(task);
	}
	/* On another CPU, where there is one: or it is done before we go on. */
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu < nr_cpu_ids)
		kthread_bind(task, cpu);
	wake_up_process(task);
	/* It is negative while the labels are being changed. */
	while (!atomic_read(&text_patch_init_key.key.enabled))
		cond_resched();
	migrate_enable();
	return 0;
}
EXPORT_SYMBOL_GPL(text_patch_init_race);

static int module_event(struct notifier_block *nb, unsigned long what,
			void *data)
{
	if (what != MODULE_STATE_LIVE || data != racing)
		return NOTIFY_OK;

	wait_for_completion(&queued);
	live = count_taken();
	complete(&looked);
	wait_for_completion(&committed);
	racing = NULL;
	pr_info("text_patch_init_text: %u of %u labels live when their text goes\n",
		live, labels);
	return NOTIFY_OK;
}

/* After the engine. */
static struct notifier_block watch = {
	.notifier_call = module_event,
	.priority = INT_MIN,
};

static int __init init_text_init(void)
{
	return register_module_notifier(&watch);
}
module_init(init_text_init);

static void __exit init_text_exit(void)
{
	unregister_module_notifier(&watch);
}
module_exit(init_text_exit);

MODULE_IMPORT_NS(TEXT_PATCH);
MODULE_DESCRIPTION("Switches labels of another module's init text");
MODULE_LICENSE("GPL");
