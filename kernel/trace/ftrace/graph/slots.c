// SPDX-License-Identifier: GPL-2.0
/*
 * The clients of the graph tracer, each in its slot.
 *
 * Each registered struct fgraph_ops has a slot, and a hook like any other: its
 * filter is compiled into trampolines. A trampoline makes one call for all of
 * its graph hooks and passes the bitmap of their slots to call.c.
 *
 * A slot is reused only after every reader of its bit in a trampoline is done.
 * Frames can be older than that, by days if their function sleeps. So a frame
 * stores the number of registrations so far, and a slot stores the number of
 * its own: a client is not called for a return whose entry belonged to an
 * earlier client of its slot.
 */
#include <linux/irq_work.h>
#include <linux/workqueue.h>

#include "../../trace.h"
#include "../../trace_fast.h"
#include "../hooks/dispatch.h"
#include "../hooks/ops.h"
#include "../hooks/retire.h"
#include "../hooks/slot.h"
#include "../sites/lock.h"
#include "slots.h"
#include "tasks.h"

static int fgraph_enter_none(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			     struct ftrace_regs *fregs)
{
	return 0;
}

static void fgraph_leave_none(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			      struct ftrace_regs *fregs)
{
}

struct fgraph_slot fgraph_slots[FTRACE_GRAPH_SLOTS] __read_mostly = {
	[0 ... FTRACE_GRAPH_SLOTS - 1] = {
		.enter	= fgraph_enter_none,
		.leave	= fgraph_leave_none,
	},
};

struct fgraph_profiler fgraph_profiler __read_mostly;

/* One for each slot; the hot path does not read them. */
static struct ftrace_retired fgraph_retired[FTRACE_GRAPH_SLOTS];

u32 fgraph_epoch __read_mostly;	/* [L] registrations so far */

static bool fgraph_stopped __read_mostly;

DEFINE_STATIC_KEY_FALSE(kill_ftrace_graph);

/* Entry callback of a trace array that has a PID filter. */
static int fgraph_enter_pid(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			    struct ftrace_regs *fregs)
{
	if (!ftrace_pid_passes(gops->ops.private))
		return 0;

	return gops->entryfunc(trace, gops, fregs);
}

/* The same for a graph tracer on the fast path; call.c knows it when it is alone. */
int fgraph_enter_pid_fast(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			  struct ftrace_regs *fregs)
{
	return fgraph_enter_pid(trace, gops, fregs);
}

/* For a graph tracer that has sets of functions; call.c searches them if it is alone. */
int fgraph_enter_sets(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs)
{
	return trace_graph_entry(trace, gops, fregs);
}

/* For a graph tracer that records only returns; call.c takes the time if it is alone. */
int fgraph_enter_timed(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs)
{
	return trace_graph_entry(trace, gops, fregs);
}

static trace_func_graph_ent_t fgraph_enter_of(struct fgraph_ops *gops)
{
	const enum trace_fast_graph road = trace_fast_graph_road(gops);

	if ((gops->ops.flags & FTRACE_OPS_FL_PID) && ftrace_pids_enabled(&gops->ops))
		return road == TRACE_FAST_GRAPH_PLAIN ? fgraph_enter_pid_fast : fgraph_enter_pid;

	switch (road) {
	case TRACE_FAST_GRAPH_SETS:
		return fgraph_enter_sets;
	case TRACE_FAST_GRAPH_TIMED:
		return fgraph_enter_timed;
	case TRACE_FAST_GRAPH_BARRED:
		return trace_graph_entry;
	default:
		return gops->entryfunc;
	}
}

/*
 * Set the entry callback of @slot. ftrace_graph_stop() can run at any point:
 * the barrier pairs with the one there, and orders our write of ->enter before
 * our read of fgraph_stopped. So one of the two sees what the other wrote, and
 * the last write is fgraph_enter_none().
 */
static void fgraph_slot_open(struct fgraph_slot *slot)
{
	WRITE_ONCE(slot->enter, fgraph_enter_of(slot->gops));
	smp_mb();	/* pairs with ftrace_graph_stop() */
	if (READ_ONCE(fgraph_stopped))
		WRITE_ONCE(slot->enter, fgraph_enter_none);
}

/* Set the entry callbacks again: what they depend on has changed. */
void fgraph_update(void)
{
	struct fgraph_slot *slot;

	lockdep_assert_held(&ftrace_lock);

	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++)
		if (slot->state == FGRAPH_LIVE)
			fgraph_slot_open(slot);
}

/**
 * fgraph_entries_changed() - set the entry callbacks by the graph tracer's options
 *
 * Must be called when an option that trace_fast_graph_road() reads has changed, except
 * for sets of functions, whose files call fgraph_update().
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void fgraph_entries_changed(void)
{
	guard(mutex)(&ftrace_lock);
	fgraph_update();
}

/**
 * fgraph_retrieve_parent_data() - get the data reserved when a caller was entered
 * @idx: the caller's &fgraph_ops.idx
 * @size_bytes: set to the size of the data in bytes, rounded up to whole longs
 * @depth: 0: this function; 1: the watched function that called it; and so on
 *
 * Context: &fgraph_ops.entryfunc and &fgraph_ops.retfunc.
 * Return: What fgraph_reserve_data() returned; NULL if there is none, there are
 * only @depth frames or fewer, or that function was entered before the client
 * was registered.
 */
void *fgraph_retrieve_parent_data(int idx, int *size_bytes, int depth)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_ret_stack *f = s ? fgraph_shadow_below(s, depth) : NULL;

	/* An earlier client of the slot may have left data. */
	if (!f || (s32)(f->epoch - READ_ONCE(fgraph_slots[idx].epoch)) < 0)
		return NULL;

	return fgraph_shadow_retrieve(s, f, idx, size_bytes);
}

/* The slot of @gops, or NULL. */
static struct fgraph_slot *fgraph_slot_of(struct fgraph_ops *gops)
{
	struct fgraph_slot *slot;

	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++)
		if (slot->state == FGRAPH_LIVE && slot->gops == gops)
			return slot;

	return NULL;
}

/*
 * Find a free slot. Return: The slot, or NULL; then *@leaving says whether one
 * will be free after a grace period.
 */
static struct fgraph_slot *fgraph_slot_find(bool *leaving)
{
	struct fgraph_slot *slot;

	*leaving = false;
	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++) {
		/* Pairs with fgraph_slot_free(): all readers of the slot are done. */
		switch (smp_load_acquire(&slot->state)) {
		case FGRAPH_FREE:
			return slot;
		case FGRAPH_LEAVING:
			*leaving = true;
			break;
		}
	}

	return NULL;
}

/*
 * Called by ftrace_retire() after its grace periods: no entry or return in
 * progress uses the slot, and in older frames its bit is ignored.
 */
static void fgraph_slot_free(struct ftrace_retired *retired)
{
	struct fgraph_slot *slot = &fgraph_slots[retired - fgraph_retired];

	/* Pairs with fgraph_slot_find(). */
	smp_store_release(&slot->state, FGRAPH_FREE);
}

/*
 * Called before the hook exists, so the slot is complete before its bit is used. But
 * functions that were entered for its previous client may return meanwhile.
 */
static void fgraph_slot_take(struct fgraph_slot *slot, struct fgraph_ops *gops)
{
	WRITE_ONCE(fgraph_epoch, fgraph_epoch + 1);
	WRITE_ONCE(slot->epoch, fgraph_epoch);
	slot->nr = slot - fgraph_slots;
	slot->mark = fgraph_mark_of(fgraph_epoch, slot->nr);
	WRITE_ONCE(slot->gops, gops);
	/* Pairs with readers of ->leave: they ignore a frame of another mark or epoch. */
	smp_store_release(&slot->leave, gops->retfunc ?: fgraph_leave_none);
	slot->state = FGRAPH_LIVE;
	/* Other graph tracers follow some options of this one. */
	fgraph_update();
}

/* No new calls of the callbacks; calls in flight may finish. */
static void fgraph_slot_close(struct fgraph_slot *slot)
{
	WRITE_ONCE(slot->enter, fgraph_enter_none);
	WRITE_ONCE(slot->leave, fgraph_leave_none);
}

static int fgraph_register(struct fgraph_ops *gops, struct fgraph_slot *slot)
{
	ftrace_func_t func = gops->ops.func;
	unsigned long flags = gops->ops.flags;
	int nr = slot - fgraph_slots;
	int idx = gops->idx;
	int ret;

	ret = fgraph_tasks_get(nr);
	if (ret)
		return ret;

	gops->idx = nr;
	gops->ops.func = ftrace_graph_hook;
	gops->ops.flags |= FTRACE_OPS_FL_GRAPH;
	fgraph_slot_take(slot, gops);

	ret = ftrace_register_locked(&gops->ops);
	if (ret) {
		/* No text has used its bit, so the slot is free at once. */
		fgraph_slot_close(slot);
		slot->state = FGRAPH_FREE;
		fgraph_tasks_put();
		gops->idx = idx;
		gops->ops.func = func;
		gops->ops.flags = flags;
	}

	return ret;
}

/**
 * register_ftrace_graph() - call back on entry and return of functions
 * @gops: with callbacks; ->retfunc may be NULL. The filter of &fgraph_ops.ops
 *	  can be set before and after
 *
 * The first registration allocates 4 KiB for each task, until the task is freed.
 *
 * Context: Process context. May sleep. Takes ftrace_lock. Waits for a grace
 * period if the only slots left are those of clients that were just unregistered.
 * Return: 0 on success, -EINVAL without ->entryfunc, -ENODEV if ftrace is disabled
 * or after ftrace_graph_stop(), -EBUSY if @gops is registered, -ENOSPC if 16 others
 * are, -ENOMEM, or an error of register_ftrace_function(). On error nothing changed.
 */
int register_ftrace_graph(struct fgraph_ops *gops)
{
	struct fgraph_slot *slot;
	bool leaving;
	int ret;

	if (WARN_ON_ONCE(!gops->entryfunc))
		return -EINVAL;

	for (;;) {
		mutex_lock(&ftrace_lock);
		slot = fgraph_slot_find(&leaving);
		if (slot || !leaving || ftrace_disabled)
			break;

		mutex_unlock(&ftrace_lock);
		ftrace_retire_wait();
	}

	if (ftrace_disabled || READ_ONCE(fgraph_stopped))
		ret = -ENODEV;
	else if (WARN_ON_ONCE(fgraph_slot_of(gops)))
		ret = -EBUSY;
	else if (!slot)
		ret = -ENOSPC;
	else
		ret = fgraph_register(gops, slot);

	mutex_unlock(&ftrace_lock);

	return ret;
}

/**
 * unregister_ftrace_graph() - stop calling back on entry and return
 * @gops: a registered fgraph_ops
 *
 * @gops is not called for functions that return after this. If it is neither in
 * static data of the kernel nor of a trace array, no callback of it runs when
 * this returns, and it can be freed. Otherwise callbacks may still run.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	struct fgraph_slot *slot;

	scoped_guard(mutex, &ftrace_lock) {
		slot = fgraph_slot_of(gops);
		if (WARN_ON_ONCE(!slot))
			return;

		ftrace_unregister_locked(&gops->ops);
		fgraph_slot_close(slot);
		slot->state = FGRAPH_LEAVING;
		fgraph_update();
		ftrace_retire(&fgraph_retired[slot->nr], fgraph_slot_free);
		fgraph_tasks_put();
	}
	ftrace_ops_wait(&gops->ops);
}

/**
 * fgraph_init_ops() - set up the graph ops of a trace array
 * @dst_ops: &fgraph_ops.ops of the graph tracer, never registered
 * @src_ops: the array's function ops, whose filter and PIDs @dst_ops shares
 *
 * Context: Any context.
 */
void fgraph_init_ops(struct ftrace_ops *dst_ops, struct ftrace_ops *src_ops)
{
	/* KEPT: freed with the trace array, after ftrace_destroy_filter_files() waits. */
	dst_ops->flags = FTRACE_OPS_FL_PID | FTRACE_OPS_FL_GRAPH | FTRACE_OPS_FL_KEPT;
	dst_ops->private = src_ops->private;
	dst_ops->slot = ftrace_ops_slot(src_ops);
}

/* Switching the static key may sleep. */
static void fgraph_stop_work(struct work_struct *work)
{
	static_branch_enable(&kill_ftrace_graph);
}

static DECLARE_WORK(fgraph_stop_worker, fgraph_stop_work);

static void fgraph_stop_irq(struct irq_work *work)
{
	schedule_work(&fgraph_stop_worker);
}

static DEFINE_IRQ_WORK(fgraph_stop_kick, fgraph_stop_irq);

/**
 * ftrace_graph_stop() - stop all graph tracing for good
 *
 * No entry callback is called any more; ftrace_graph_is_dead() becomes true a
 * little later. Functions that have been entered return properly.
 *
 * Context: Any context, NMI and callbacks included.
 */
void ftrace_graph_stop(void)
{
	struct fgraph_slot *slot;

	WRITE_ONCE(fgraph_stopped, true);
	smp_mb();	/* pairs with fgraph_slot_open() */
	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++)
		WRITE_ONCE(slot->enter, fgraph_enter_none);

	irq_work_queue(&fgraph_stop_kick);
}
