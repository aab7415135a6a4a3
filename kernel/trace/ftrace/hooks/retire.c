// SPDX-License-Identifier: GPL-2.0
/*
 * Retiring: what text led to is freed when no CPU or task can use it any more.
 *
 * A trampoline is retired when no site calls it any more. CPUs may still be in
 * it then, and so may tasks that were preempted in it or in a function that it called.
 * A tasks grace period ends when every task has slept voluntarily or run in user mode,
 * neither of which it does in a trampoline. It leaves out idle tasks; but it includes
 * an RCU grace period, which waits for these, because they have preemption off.
 *
 * That holds where RCU is watching. With ARCH_WANTS_NO_INSTR nothing else is traced,
 * and the rude flavour does nothing. Otherwise, the rude flavour makes every CPU
 * schedule. A few functions that a CPU runs on its way offline, when RCU does not
 * watch it any more, are traced all the same: Documentation/trace/ftrace/locking.rst
 * names them.
 *
 * One grace period serves everything retired before it starts, including what
 * trampolines point to.
 */
#include <linux/init.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "retire.h"

/* Delay before retired objects are freed, so that many share the grace periods. */
#define RETIRE_DELAY	(HZ / 20)

/* Guards the list of retired objects. No lock is taken under it. */
static DEFINE_SPINLOCK(retire_lock);
static LIST_HEAD(retired);
/* Read-held while a batch waits and is freed. */
static DECLARE_RWSEM(retire_sem);

static void retire_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(retire_work, retire_work_fn);
static bool retire_works;	/* workqueues are up */

/*
 * Before the scheduler runs, it is not possible to wait for grace periods, and not
 * necessary: there is only one task.
 */
static void wait_for_readers(void)
{
	if (!rcu_scheduler_active)
		return;
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

/* Free everything retired until now, after a tasks grace period. */
static void retire_batch(void)
{
	struct ftrace_retired *r, *next;
	LIST_HEAD(batch);

	down_read(&retire_sem);
	spin_lock(&retire_lock);
	list_splice_init(&retired, &batch);
	spin_unlock(&retire_lock);

	if (!list_empty(&batch)) {
		wait_for_readers();
		list_for_each_entry_safe(r, next, &batch, list)
			r->free(r);
	}
	up_read(&retire_sem);
}

static void retire_work_fn(struct work_struct *work)
{
	retire_batch();
}

/* Start the worker in RETIRE_DELAY, unless it is queued already. */
static void retire_later(void)
{
	if (READ_ONCE(retire_works))
		queue_delayed_work(system_dfl_wq, &retire_work, RETIRE_DELAY);
}

static int __init retire_init(void)
{
	WRITE_ONCE(retire_works, true);
	retire_later();		/* for what was retired before, if anything */
	return 0;
}
core_initcall(retire_init);

/**
 * ftrace_retire() - free an object after a tasks grace period
 * @r: embedded in the object, which text does not lead to any more
 * @free: frees the object; called after the grace period
 *
 * The callback runs in process context, possibly with locks of a caller of
 * ftrace_retire_wait() held. So it may take only the mutexes that
 * ftrace_tramp_free() takes, and should only free memory.
 *
 * Context: Process context. Does not wait for a grace period.
 */
void ftrace_retire(struct ftrace_retired *r, void (*free)(struct ftrace_retired *r))
{
	r->free = free;
	spin_lock(&retire_lock);
	list_add_tail(&r->list, &retired);
	spin_unlock(&retire_lock);
	retire_later();
}

/**
 * ftrace_retire_wait() - wait until everything retired before is freed
 *
 * Frees it in this task, not in the worker. The worker may be waiting for a batch
 * of its own; but that batch's grace period began earlier, so waiting for both takes
 * hardly longer than for one.
 *
 * Context: Process context. May sleep. ftrace_lock, tramp_mutex and text_mutex
 * not held. Not from a callback of ftrace_retire().
 */
void ftrace_retire_wait(void)
{
	retire_batch();
	/* Wait for batches that others took before us. */
	down_write(&retire_sem);
	up_write(&retire_sem);
}

/**
 * ftrace_readers_wait() - wait until no task is on its way to what text called before
 *
 * For direct calls, whose targets the tracer does not free: if neither a combo nor a
 * hook was retired, ftrace_retire_wait() alone would not wait. Frees everything retired
 * before, too, and so may wait for two tasks grace periods.
 *
 * Context: As for ftrace_retire_wait().
 */
void ftrace_readers_wait(void)
{
	ftrace_retire_wait();
	wait_for_readers();
}
