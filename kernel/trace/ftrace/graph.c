// SPDX-License-Identifier: GPL-2.0
/*
 * Who watches functions enter and return.
 *
 * Each struct fgraph_ops has a slot, and a hook of its own like any other:
 * its filter is compiled into trampolines. A trampoline makes one call for all
 * those of its hooks that belong here, and hands over the bitmap of their
 * slots. These are asked on entry, and of them those who wanted it are told of
 * the return: nobody else, and no filter is tested for it.
 *
 * A slot is given again only after everyone who could have read its bit in a
 * trampoline is done. Frames can be older than that, by days if their function
 * sleeps: they carry the number of registrations so far, and a slot knows the
 * number of its own, so that nobody is told of a return whose entry was
 * another's.
 */
#include "graph.h"

#include <linux/irq_work.h>
#include <linux/panic.h>
#include <linux/workqueue.h>

#include "../trace.h"
#include "ops.h"
#include "tramp.h"

enum fgraph_slot_state {
	FGRAPH_FREE,
	FGRAPH_LIVE,
	FGRAPH_LEAVING,		/* its hook is gone, trampolines may still be run */
};

/*
 * What the hot path reads of a watcher. Written before the hook is live, and
 * the callbacks once more when it is gone.
 */
struct fgraph_slot {
	trace_func_graph_ent_t	enter;
	trace_func_graph_ret_t	leave;
	struct fgraph_ops	*gops;
	u32			epoch;	/* of registration */
	u32			state;	/* [L] but for the end of LEAVING */
};

static int fgraph_enter_none(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 0;
}

static void fgraph_leave_none(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
}

static struct fgraph_slot fgraph_slots[FTRACE_GRAPH_SLOTS] __read_mostly = {
	[0 ... FTRACE_GRAPH_SLOTS - 1] = {
		.enter	= fgraph_enter_none,
		.leave	= fgraph_leave_none,
	},
};

static u32 fgraph_epoch __read_mostly;	/* [L] registrations so far */

static bool fgraph_stopped __read_mostly;

DEFINE_STATIC_KEY_FALSE(kill_ftrace_graph);

static_assert(FTRACE_GRAPH_SLOTS <= 8 * sizeof_field(struct ftrace_ret_stack, slots));

/* Asks @slots; the bitmap of those who want to be told of the return. */
static __always_inline unsigned long fgraph_ask(unsigned long slots,
						struct ftrace_graph_ent *trace)
{
	unsigned long wanted = 0;

	do {
		struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];
		trace_func_graph_ent_t enter = READ_ONCE(slot->enter);
		unsigned long rest = slots & (slots - 1);

		if (enter(trace, slot->gops))
			wanted |= slots ^ rest;
		slots = rest;
	} while (slots);

	return wanted;
}

/**
 * function_graph_enter_slots - a watched function is entered
 * @ret: where it returns to
 * @func: the address of its call to the tracer
 * @frame_pointer: of no use: @retp tells as much
 * @retp: where @ret stands
 * @slots: who is to be asked, a bit each; at least one
 *
 * Context: Any; preemption off, and recursion guarded against.
 * Return: 0: put return_to_handler() into *@retp. -EBUSY: leave it, as nobody
 * waits for the return, or there is no room for one more.
 */
int function_graph_enter_slots(unsigned long ret, unsigned long func,
			       unsigned long frame_pointer, unsigned long *retp,
			       unsigned long slots)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_graph_ent trace;
	struct ftrace_ret_stack *f;
	unsigned long wanted;

	if (unlikely(!s))
		return -EBUSY;

	/* Before they are asked, as they may keep data in it. */
	f = fgraph_shadow_push(s);
	if (unlikely(!f)) {
		atomic_inc(&current->trace_overrun);
		return -EBUSY;
	}

	trace.func = func;
	trace.depth = s->top - 1;
	wanted = fgraph_ask(slots, &trace);
	if (!wanted) {
		fgraph_shadow_pop(s, f);
		return -EBUSY;
	}

	f->ret = ret;
	f->func = func;
#ifdef CONFIG_FUNCTION_PROFILER
	f->subtime = 0;
#endif
	f->epoch = READ_ONCE(fgraph_epoch);
	f->slots = wanted;
	/* Last, so that the time they took to be asked is not the function's. */
	f->calltime = trace_clock_local() - s->slept;
	fgraph_shadow_show(f, retp);

	return 0;
}

/*
 * Who returns is not who was entered last. Whatever has become of that one, if
 * the function's own frame is there all is well; if not, there is nowhere to go.
 */
static noinline struct ftrace_ret_stack *fgraph_stray(struct fgraph_shadow *s,
						      unsigned long *retp)
{
	struct ftrace_ret_stack *f = s && retp ? fgraph_shadow_return(s, retp) : NULL;

	if (f) {
		printk_deferred_once(KERN_WARNING
				     "ftrace: %ps returned, but not what it had called\n",
				     (void *)f->func);
		return f;
	}

	ftrace_graph_stop();
	WARN(1, "ftrace: a function returned that was not entered");

	return NULL;
}

/* Tells those who wanted it and are still there. */
static __always_inline void fgraph_tell(struct ftrace_ret_stack *f,
					struct ftrace_graph_ret *trace)
{
	unsigned long slots = f->slots;

	do {
		struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];
		trace_func_graph_ret_t leave = READ_ONCE(slot->leave);

		slots &= slots - 1;
		if ((s32)(f->epoch - READ_ONCE(slot->epoch)) >= 0)
			leave(trace, slot->gops);
	} while (slots);
}

/**
 * ftrace_return_to_handler - a watched function returns
 * @fregs: its registers, of which those count that hold the return value, and
 *	   the stack pointer: where its return address was
 *
 * Context: From return_to_handler(); any, with preemption and interrupts as
 * the function left them.
 * Return: Where it goes on: to its caller, or to panic() if that was lost.
 */
unsigned long ftrace_return_to_handler(struct ftrace_regs *fregs)
{
	unsigned long *retp = (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_graph_ret trace;
	struct ftrace_ret_stack *f;
	unsigned long ret;

	f = likely(s) ? fgraph_shadow_top(s) : NULL;
	if (unlikely(!f || f->retp != retp)) {
		f = fgraph_stray(s, retp);
		if (!f)
			return (unsigned long)panic;
	}

	trace.rettime = trace_clock_local();
	trace.calltime = f->calltime + s->slept;
	trace.func = f->func;
	trace.depth = s->top - 1;
	trace.overrun = atomic_read(&current->trace_overrun);
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	trace.retval = ftrace_regs_get_return_value(fregs);
#endif
	/* The frame is kept until then: for its data, and for unwinders. */
	fgraph_tell(f, &trace);

	ret = f->ret;
	fgraph_shadow_pop(s, f);

	return ret;
}

/* In front of the callback of a trace array that has a PID filter. */
static int fgraph_enter_pid(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct trace_array *tr = gops->ops.private;

	if (!ftrace_trace_task(tr))
		return 0;

	return gops->entryfunc(trace, gops);
}

/*
 * Puts the callback for entries into @slot. ftrace_graph_stop() may come at
 * any point: the barrier pairs with the one there. One of the two sees what
 * the other wrote, and what stays is fgraph_enter_none().
 */
static void fgraph_slot_open(struct fgraph_slot *slot)
{
	struct fgraph_ops *gops = slot->gops;

	if ((gops->ops.flags & FTRACE_OPS_FL_PID) && ftrace_pids_enabled(&gops->ops))
		WRITE_ONCE(slot->enter, fgraph_enter_pid);
	else
		WRITE_ONCE(slot->enter, gops->entryfunc);

	smp_mb();	/* pairs with ftrace_graph_stop() */
	if (READ_ONCE(fgraph_stopped))
		WRITE_ONCE(slot->enter, fgraph_enter_none);
}

void fgraph_update_pid(void)
{
	struct fgraph_slot *slot;

	lockdep_assert_held(&ftrace_lock);

	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++)
		if (slot->state == FGRAPH_LIVE)
			fgraph_slot_open(slot);
}

/* The slot that @gops has, or NULL. */
static struct fgraph_slot *fgraph_slot_of(struct fgraph_ops *gops)
{
	struct fgraph_slot *slot;

	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++)
		if (slot->state == FGRAPH_LIVE && slot->gops == gops)
			return slot;

	return NULL;
}

/*
 * A slot that nobody has, NULL where there is none. *@leaving: there will be
 * one, in a grace period.
 */
static struct fgraph_slot *fgraph_slot_find(bool *leaving)
{
	struct fgraph_slot *slot;

	*leaving = false;
	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++) {
		/* Pairs with fgraph_slot_free(). */
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
 * Nobody has the slot's bit in hand any more, on entry or on return, and in
 * older frames it does not count. Called when ftrace_retire() says so.
 */
static void fgraph_slot_free(void *arg)
{
	struct fgraph_slot *slot = arg;

	/* Pairs with fgraph_slot_find(). */
	smp_store_release(&slot->state, FGRAPH_FREE);
}

/* All of it is in place before the hook that brings its bit here is. */
static void fgraph_slot_take(struct fgraph_slot *slot, struct fgraph_ops *gops)
{
	WRITE_ONCE(fgraph_epoch, fgraph_epoch + 1);
	WRITE_ONCE(slot->epoch, fgraph_epoch);
	WRITE_ONCE(slot->gops, gops);
	WRITE_ONCE(slot->leave, gops->retfunc ?: fgraph_leave_none);
	slot->state = FGRAPH_LIVE;
	fgraph_slot_open(slot);
}

/* Not asked and not told any more, but by who is just about to. */
static void fgraph_slot_close(struct fgraph_slot *slot)
{
	WRITE_ONCE(slot->enter, fgraph_enter_none);
	WRITE_ONCE(slot->leave, fgraph_leave_none);
}

static int fgraph_register(struct fgraph_ops *gops, struct fgraph_slot *slot)
{
	int nr = slot - fgraph_slots;
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
		/* No text has ever had its bit. */
		fgraph_slot_close(slot);
		slot->state = FGRAPH_FREE;
		fgraph_tasks_put();
	}

	return ret;
}

/**
 * register_ftrace_graph - watch functions enter and return
 * @gops: with callbacks; &fgraph_ops.ops has the filter, which may be set
 *	  before and after. Without a ->retfunc nobody is told of returns
 *
 * The first one makes room for each task, 4 KiB, which stays until it ends.
 *
 * Context: Process, may sleep. Takes ftrace_lock. Waits for a grace period
 * where slots are to be had only of those who have just left.
 * Return: 0; -EINVAL no ->entryfunc; -ENODEV the tracer is dead; -EBUSY @gops
 * is registered; -ENOSPC sixteen others are; -ENOMEM; what
 * register_ftrace_function() returns. On error nothing changed.
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
 * unregister_ftrace_graph - watch no more
 * @gops: registered
 *
 * Functions that it watched and that have not returned yet do so unseen.
 *
 * Context: Process, may sleep. Takes ftrace_lock. For an @gops outside of the
 * kernel's own data that is not a trace array's: waits until neither callback
 * runs any more, so that it can be freed. For others they may still be at work.
 */
void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	struct fgraph_slot *slot;

	mutex_lock(&ftrace_lock);

	slot = fgraph_slot_of(gops);
	if (WARN_ON_ONCE(!slot)) {
		mutex_unlock(&ftrace_lock);
		return;
	}

	ftrace_unregister_locked(&gops->ops);
	fgraph_slot_close(slot);
	slot->state = FGRAPH_LEAVING;
	ftrace_retire(fgraph_slot_free, slot);
	fgraph_tasks_put();

	mutex_unlock(&ftrace_lock);

	ftrace_ops_wait(&gops->ops);
}

/**
 * fgraph_init_ops - the graph tracer of a trace array
 * @dst_ops: &fgraph_ops.ops of its, never registered
 * @src_ops: the array's function hook, whose filter and PIDs it shall share
 *
 * Context: Any.
 */
void fgraph_init_ops(struct ftrace_ops *dst_ops, struct ftrace_ops *src_ops)
{
	/* It goes with its array, and ftrace_destroy_filter_files() waits then. */
	dst_ops->flags = FTRACE_OPS_FL_PID | FTRACE_OPS_FL_GRAPH | FTRACE_OPS_FL_KEPT;
	dst_ops->private = src_ops->private;
	dst_ops->home = ftrace_ops_home(src_ops);
}

/* The key can only be switched where one may sleep. */
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
 * ftrace_graph_stop - watch no function any more, for ever
 *
 * Takes effect at once; ftrace_graph_is_dead() tells so a little later.
 * Functions that are under way return as they should.
 *
 * Context: Any, NMI and callbacks included.
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
