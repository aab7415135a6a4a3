// SPDX-License-Identifier: GPL-2.0
/*
 * ftraced: when calls of __fentry__ are recorded, and the thread that makes sites
 * of them.
 *
 * A timer looks every second or two whether there is work, and only then wakes the
 * thread. So the recorder, which may run in an NMI, wakes nobody, and the thread
 * sleeps when all functions that run are discovered. The thread starts the timer again
 * when it is done, so it is woken at most once a second. When the last text whose
 * sites are discovered is freed, __fentry__ only returns, and neither timer nor thread
 * runs until another such text is added.
 *
 * The same timer notices ftrace_kill(), which may be called in any context.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cleanup.h>
#include <linux/freezer.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/sections.h>

#include "../../trace.h"
#include "../hooks/cover.h"
#include "../hooks/hook.h"
#include "../sites/discovered.h"
#include "../sites/names.h"
#include "discover.h"
#include "ftraced.h"
#include "recorder.h"
#include "records.h"

bool ftraced_discovers_all;

static bool begun;			/* [L] CPUs have slots */
static bool settled;			/* [L] each CPU has slots of its own */
static bool recording;			/* [L] __fentry__ records; read by the timer */
static bool enabled = true;		/* [L] ftraced_enabled; read by the timer */
static bool again;			/* [L] the last round lacked memory; read by the timer */
static unsigned long seen;		/* [L] slots filled before the last round; for the timer */
static unsigned long rounds;		/* [L] */

static bool work;			/* the timer has found work */
static unsigned long wakeups;		/* written by the thread */
static DECLARE_WAIT_QUEUE_HEAD(wait);

static void look(struct timer_list *timer);
static DEFINE_TIMER(timer, look);

static bool may_record(void)
{
	return READ_ONCE(enabled) && !ftrace_dead() && ftrace_discovered_any();
}

static bool is_work(void)
{
	if (ftrace_dead() || may_record() != READ_ONCE(recording))
		return true;
	return READ_ONCE(recording) && (!READ_ONCE(settled) || READ_ONCE(again) ||
					READ_ONCE(ftrace_cover_due) ||
					ftrace_recorder_stored() != READ_ONCE(seen));
}

/* Must be called after a text was added. */
static void look_later(void)
{
	if (ftrace_discovered_any() || READ_ONCE(recording))
		mod_timer(&timer, round_jiffies_up(jiffies + HZ));
}

static void look(struct timer_list *unused)
{
	if (is_work()) {
		WRITE_ONCE(work, true);
		wake_up(&wait);
	} else {
		look_later();
	}
}

static void set_recording(bool on)
{
	lockdep_assert_held(&ftrace_lock);

	if (!begun || on == recording)
		return;
	arch_ftrace_discover(on);
	WRITE_ONCE(recording, on);
}

static int make_round(void)
{
	int err;

	lockdep_assert_held(&ftrace_lock);

	/* Read the count before the slots: a slot that is counted later is work again. */
	WRITE_ONCE(seen, ftrace_recorder_stored());
	err = ftrace_round();
	WRITE_ONCE(again, err != 0);
	rounds++;
	return err;
}

/* Give each CPU its own slots. If memory is short, the next round tries again. */
static void settle(void)
{
	if (ftrace_recorder_settle())
		return;

	guard(mutex)(&ftrace_lock);
	if (recording && !ftrace_dead())
		make_round();
	ftrace_recorder_drop_boot();
	WRITE_ONCE(settled, true);
}

/* Return: False after ftrace_kill(). */
static bool do_work(void)
{
	bool unsettled;

	scoped_guard(mutex, &ftrace_lock) {
		set_recording(may_record());
		if (ftrace_dead())
			return false;
		if (recording)
			make_round();
		unsettled = recording && !settled;
	}
	if (unsettled)
		settle();
	return true;
}

static int ftraced(void *unused)
{
	set_freezable();

	/* At boot, arch_ftrace_discover() may have run before all CPU features were known. */
	scoped_guard(mutex, &ftrace_lock) {
		if (recording)
			arch_ftrace_discover(true);
	}

	do {
		look_later();
		wait_event_freezable(wait, READ_ONCE(work));
		WRITE_ONCE(work, false);
		WRITE_ONCE(wakeups, wakeups + 1);
	} while (do_work());
	return 0;
}

/*
 * Run the thread, once there is something to discover. A work item, as the loader of a
 * module cannot make a thread while it is being killed; it runs once at a time.
 */
static void run_thread(struct work_struct *unused)
{
	static struct task_struct *thread;
	struct task_struct *task;

	if (thread)
		return;
	task = kthread_run(ftraced, NULL, "ftraced");
	if (IS_ERR(task))
		pr_warn("no thread to find call sites: %ld\n", PTR_ERR(task));
	else
		thread = task;
}

static DECLARE_WORK(thread_work, run_thread);

static int __init run_boot_thread(void)
{
	if (READ_ONCE(begun))
		schedule_work(&thread_work);
	return 0;
}
core_initcall(run_boot_thread);

/*
 * Booting runs much of the kernel for the first time, and some of it very often,
 * before the timer first wakes the thread. So initcalls make rounds, too.
 */
static int __init make_boot_round(void)
{
	guard(mutex)(&ftrace_lock);
	if (recording && !ftrace_dead())
		make_round();
	return 0;
}
core_initcall_sync(make_boot_round);
subsys_initcall_sync(make_boot_round);
fs_initcall_sync(make_boot_round);
device_initcall_sync(make_boot_round);
late_initcall_sync(make_boot_round);

/* Give CPUs slots, and let __fentry__ record. Texts must have been added before. */
static int begin(bool boot)
{
	int err;

	lockdep_assert_held(&ftrace_lock);

	if (!begun) {
		err = ftrace_recorder_start(boot);
		if (err)
			return err;
		settled = !boot;
		WRITE_ONCE(begun, true);
	}
	set_recording(may_record());
	return 0;
}

static int __init add_kernel_text(const char *start, const char *end, bool init)
{
	struct ftrace_discovered *text;
	int err;

	text = ftrace_discovered_add(NULL, init, (unsigned long)start, (unsigned long)end);
	if (!text)
		return -ENOMEM;
	err = ftrace_names_check_block(text->head);
	text->ready = !err;
	return err;
}

/**
 * ftraced_boot() - begin to discover the kernel
 *
 * Context: Boot, one CPU, interrupts off. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short.
 */
int __init ftraced_boot(void)
{
	lockdep_assert_held(&ftrace_lock);

	return add_kernel_text(_stext, _etext, false) ?:
	       add_kernel_text(_sinittext, _einittext, true) ?:
	       begin(true);
}

#ifdef CONFIG_MODULES

static int add_module_text(struct module *mod, enum mod_mem_type type)
{
	const unsigned long start = (unsigned long)mod->mem[type].base;
	const unsigned long end = start + mod->mem[type].size;

	if (start == end)
		return 0;
	return ftrace_discovered_add(mod, type == MOD_INIT_TEXT, start, end) ? 0 : -ENOMEM;
}

/**
 * ftraced_add_module() - begin to discover a module
 * @mod: a module in MODULE_STATE_UNFORMED, whose calls are all as compiled
 *
 * If memory is short, the module still loads, but not all of it is discovered.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftraced_add_module(struct module *mod)
{
	int err;

	scoped_guard(mutex, &ftrace_lock) {
		if (ftrace_dead())
			return;
		err = add_module_text(mod, MOD_TEXT) ?: add_module_text(mod, MOD_INIT_TEXT) ?:
		      begin(false);
	}
	if (err)
		pr_warn("%s: not all call sites will be discovered, error %d\n", mod->name, err);
	else
		schedule_work(&thread_work);
	look_later();
}

#endif

/**
 * ftraced_forget() - forget what was recorded in a text that is about to be freed
 * @start: its first address
 * @end: one past its last address
 *
 * Context: Process context. ftrace_lock held.
 */
void ftraced_forget(unsigned long start, unsigned long end)
{
	lockdep_assert_held(&ftrace_lock);
	ftrace_records_purge(&ftrace_recorder_tables, start, end);
}

/**
 * ftraced_flush() - empty the slots
 *
 * Makes a round, unless discovery is paused. What cannot become a site now is
 * recorded again when it runs again.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short, with slots that are not empty.
 */
int ftraced_flush(void)
{
	int err = begun && may_record() ? make_round() : 0;

	if (!err)
		ftraced_forget(0, ULONG_MAX);
	return err;
}

/* ---- files ---- */

static ssize_t enabled_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	const char *text = READ_ONCE(enabled) ? "1\n" : "0\n";

	return simple_read_from_buffer(ubuf, cnt, ppos, text, 2);
}

static ssize_t enabled_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	unsigned int on;
	int err;

	err = kstrtouint_from_user(ubuf, cnt, 10, &on);
	if (err)
		return err;
	if (on > 1)
		return -EINVAL;

	guard(mutex)(&ftrace_lock);
	err = ftrace_dead();
	if (err)
		return err;
	WRITE_ONCE(enabled, on);
	set_recording(may_record());
	return cnt;
}

static const struct file_operations enabled_fops = {
	.open		= tracing_open_generic,
	.read		= enabled_read,
	.write		= enabled_write,
	.llseek		= generic_file_llseek,
};

static u32 count_armed(void)
{
	const struct ftrace_site_block *b;
	u32 n = 0;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (u32 i = 0; ftrace_discovered_text(b) && i < b->nr; i++)
			n += !!(b->sites[i].state & FTRACE_SITE_ARMED);
	}
	return n;
}

static int info_show(struct seq_file *m, void *v)
{
	guard(mutex)(&ftrace_lock);
	seq_printf(m, "recording: %d\n", recording);
	seq_printf(m, "recorded: %lu\n", ftrace_recorder_stored());
	seq_printf(m, "discovered: %u\n", ftrace_discovered_count());
	seq_printf(m, "armed: %u\n", count_armed());
	seq_printf(m, "covered: %u\n", ftrace_covered_sites);
	seq_printf(m, "pending: %lu\n", ftrace_recorder_stored() - seen);
	seq_printf(m, "skipped: %lu\n", ftrace_recorder_skipped());
	seq_printf(m, "ignored: %u\n", ftrace_round_ignored);
	seq_printf(m, "rounds: %lu\n", rounds);
	seq_printf(m, "wakeups: %lu\n", READ_ONCE(wakeups));
	return 0;
}

static int info_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	return err ?: single_open(file, info_show, NULL);
}

static const struct file_operations info_fops = {
	.open		= info_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init create_files(void)
{
	int err = tracing_init_dentry();

	if (err)
		return err;
	trace_create_file("ftraced_enabled", TRACE_MODE_WRITE, NULL, NULL,
			  &enabled_fops);
	trace_create_file("ftraced_info", TRACE_MODE_READ, NULL, NULL, &info_fops);
	return 0;
}
late_initcall(create_files);
