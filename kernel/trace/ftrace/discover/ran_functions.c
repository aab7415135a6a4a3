// SPDX-License-Identifier: GPL-2.0
/*
 * What ran: the functions that were called since somebody began to ask.
 *
 * A hook on all functions sets a bit of the function's site, and a worker takes
 * the functions whose bits are set out of the hook's filter. So each function pays
 * for a second or less, and nothing can be full: a bit is part of its block. It is
 * freed with the block, before the site's number is reused.
 *
 * There are two hooks, each with bits of its own. Starting over registers the idle
 * one, and then unregisters the other. So a call before the write never sets
 * a bit that is read after it, however long its task was preempted on the way; and
 * if the new hook cannot be registered, the old list stays.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "../../trace.h"
#include "../hooks/ops.h"
#include "../hooks/retire.h"
#include "../hooks/slot.h"
#include "../sites/site.h"
#include "../sites/siteset.h"
#include "../tracefs/tracefs.h"
#include "ftraced.h"

/* The delay of the worker: after a write, and after a call. */
#define FIRST_LOOK	(HZ / 10)
#define NEXT_LOOK	HZ

/* Serialises writes. Outside of ftrace_lock. */
static DEFINE_MUTEX(ran_mutex);

static bool ran_on;			/* [L, read by anyone] a hook is registered */
static bool hits;			/* the callback was called since the worker looked */

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(ran_work, look);

static void look_later(struct irq_work *work)
{
	queue_delayed_work(system_dfl_wq, &ran_work, NEXT_LOOK);
}

static struct irq_work ran_kick = IRQ_WORK_INIT(look_later);

static void ran_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs);

/* Without names: no file shows or changes their filters. */
static struct ftrace_ops ran_ops[] = { { .func = ran_call }, { .func = ran_call } };

/*
 * Called in any context. Protection against recursion would lose calls, and is not
 * needed: only functions that wake the worker get here again, once @hits is set.
 */
static void ran_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs)
{
	struct ftrace_site_block *b;
	u32 i;

	/* The block is not freed while preemption is off. */
	preempt_disable_notrace();
	b = ftrace_site_find_exact(ip, &i);
	if (b && !test_bit(i, ftrace_site_ran(b, ops - ran_ops))) {
		set_bit(i, ftrace_site_ran(b, ops - ran_ops));
		smp_mb__after_atomic();	/* before @hits is read; pairs with look() */
	}
	preempt_enable_notrace();

	/* If the worker cannot be woken here, the next call wakes it. */
	if (READ_ONCE(hits) || !cpu_online(raw_smp_processor_id()) || xchg(&hits, true))
		return;
	/* Not before @hits is set: it may have a kprobe, whose handler calls functions. */
	if (rcu_is_watching())
		irq_work_queue(&ran_kick);
	else
		WRITE_ONCE(hits, false);
}
NOKPROBE_SYMBOL(ran_call);

/* Leave the functions whose bits are set out of the hook's filter, in one plan. */
static int leave_out(void)
{
	struct ftrace_siteset_builder ran = {};
	struct ftrace_site_block *b;
	struct ftrace_filter *filter;
	struct ftrace_siteset *set;
	u32 i;
	int err;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for_each_set_bit(i, ftrace_site_ran(b, ftrace_ran_which), b->nr) {
			err = ftrace_siteset_add(&ran, ftrace_site_nr(b, i));
			if (err) {
				ftrace_siteset_drop(&ran);
				return err;
			}
		}
	}
	set = ftrace_siteset_build(&ran);
	if (IS_ERR(set))
		return PTR_ERR(set);
	filter = ftrace_filter_make(true, NULL, set);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	return ftrace_slot_set_locked(&ran_ops[ftrace_ran_which].own, filter);
}

/* For lack of memory the functions stay hooked: their next call wakes the worker again. */
static void look(struct work_struct *work)
{
	guard(mutex)(&ftrace_lock);
	/*
	 * Before the bits are read: a call that sets one later wakes the worker again. Pairs
	 * with ran_call().
	 */
	xchg(&hits, false);
	if (ran_on && !ftrace_dead())
		leave_out();
}

static void stop(struct ftrace_ops *ops)
{
	ftrace_unregister_locked(ops);
	ftrace_slot_replace(&ops->own, &ftrace_filter_all);
}

static int start_over(void)
{
	const u32 which = !ftrace_ran_which;
	struct ftrace_site_block *b;
	int err;

	guard(mutex)(&ftrace_lock);

	/* Functions recorded until here ran before the write. */
	err = ftrace_dead() ?: ftraced_flush();
	if (err)
		return err;
	list_for_each_entry(b, &ftrace_site_blocks, list)
		bitmap_zero(ftrace_site_ran(b, which), b->room);
	err = ftrace_register_locked(&ran_ops[which]);
	if (err)
		return err;
	if (ran_on)
		stop(&ran_ops[!which]);
	ftrace_ran_which = which;
	WRITE_ONCE(ran_on, true);
	return 0;
}

static void turn_off(void)
{
	guard(mutex)(&ftrace_lock);
	if (ran_on)
		stop(&ran_ops[ftrace_ran_which]);
	WRITE_ONCE(ran_on, false);
}

static ssize_t ran_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	unsigned int on;
	int err;

	err = kstrtouint_from_user(ubuf, cnt, 10, &on);
	if (err)
		return err;
	if (on > 1)
		return -EINVAL;

	guard(mutex)(&ran_mutex);
	if (on) {
		err = start_over();
		if (err)
			return err;
		WRITE_ONCE(hits, true);
		mod_delayed_work(system_dfl_wq, &ran_work, FIRST_LOOK);
	} else {
		turn_off();
	}
	/* Then no call in flight sets bits of the unregistered hook, and it can be reused. */
	ftrace_retire_wait();
	return cnt;
}

static u32 pick_ran(const struct ftrace_site_block *b, u32 i, u32 end, const void *what)
{
	return find_next_bit(ftrace_site_ran(b, ftrace_ran_which), end, i);
}

static int ran_open(struct inode *inode, struct file *file)
{
	return ftrace_names_open(file, pick_ran);
}

static ssize_t ran_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	static const char off[] = "# off: write 1 to list the functions that run from then on\n";

	if (READ_ONCE(ran_on))
		return seq_read(file, ubuf, cnt, ppos);
	return simple_read_from_buffer(ubuf, cnt, ppos, off, strlen(off));
}

static const struct file_operations ran_fops = {
	.open		= ran_open,
	.read		= ran_read,
	.write		= ran_write,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static int __init create_file(void)
{
	int err = tracing_init_dentry();

	if (!err)
		trace_create_file("ran_functions", TRACE_MODE_WRITE, NULL, NULL, &ran_fops);
	return err;
}
late_initcall(create_file);
