// SPDX-License-Identifier: GPL-2.0
/*
 * The clients of the graph tracer, each in its slot.
 *
 * Each registered struct fgraph_ops has a slot, and a hook like any other: its
 * filter is compiled into trampolines. A trampoline makes one call for all of
 * its graph hooks and passes the bitmap of their slots. On entry, the callbacks
 * of these slots are called; on return, those of the slots whose entry callback
 * asked for it. Neither tests a filter.
 *
 * A slot is reused only after every reader of its bit in a trampoline is done.
 * Frames can be older than that, by days if their function sleeps. So a frame
 * stores the number of registrations so far, and a slot stores the number of
 * its own: a client is not called for a return whose entry belonged to an
 * earlier client of its slot.
 */
#include <linux/ftrace/recursion.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/irq_work.h>
#include <linux/panic.h>
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

enum fgraph_slot_state {
	FGRAPH_FREE,
	FGRAPH_LIVE,
	FGRAPH_LEAVING,		/* its hook is gone, but trampolines may still run */
};

/*
 * What the hot path reads of a client. Written before the hook is live; the
 * callbacks are written once more when the hook is gone.
 */
struct fgraph_slot {
	trace_func_graph_ent_t	enter;
	trace_func_graph_ret_t	leave;
	struct fgraph_ops	*gops;
	u32			epoch;	/* fgraph_epoch at registration */
	u32			state;	/* [L] except for LEAVING to FREE */
};

static int fgraph_enter_none(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			     struct ftrace_regs *fregs)
{
	return 0;
}

static void fgraph_leave_none(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			      struct ftrace_regs *fregs)
{
}

static struct fgraph_slot fgraph_slots[FTRACE_GRAPH_SLOTS] __read_mostly = {
	[0 ... FTRACE_GRAPH_SLOTS - 1] = {
		.enter	= fgraph_enter_none,
		.leave	= fgraph_leave_none,
	},
};

/* One for each slot; the hot path does not read them. */
static struct ftrace_retired fgraph_retired[FTRACE_GRAPH_SLOTS];

static u32 fgraph_epoch __read_mostly;	/* [L] registrations so far */

static bool fgraph_stopped __read_mostly;

DEFINE_STATIC_KEY_FALSE(kill_ftrace_graph);

static_assert(FTRACE_GRAPH_SLOTS <= 8 * sizeof_field(struct ftrace_ret_stack, slots));

/*
 * True if only one client is to be called. If that is the graph tracer, it is
 * called with the frame, without a struct in between.
 */
static __always_inline bool fgraph_alone(unsigned long slots)
{
	return IS_ENABLED(CONFIG_RING_BUFFER_FAST_PATH) && likely(!(slots & (slots - 1)));
}

/* Call the entry callbacks of @slots. Return: Bitmap of those that want the return. */
static noinline unsigned long fgraph_ask_each(unsigned long slots, struct fgraph_shadow *s,
					      struct ftrace_ret_stack *f,
					      struct ftrace_regs *fregs)
{
	struct ftrace_graph_ent trace = {
		.func	= f->func,
		.depth	= s->top - 1,
	};
	unsigned long wanted = 0;

	do {
		struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];
		trace_func_graph_ent_t enter = READ_ONCE(slot->enter);
		unsigned long rest = slots & (slots - 1);

		if (INDIRECT_CALL_1(enter, trace_fast_graph_entry, &trace, slot->gops, fregs))
			wanted |= slots ^ rest;
		slots = rest;
	} while (slots);

	return wanted;
}

/* Keep in @f which of @slots want the return. Return: True if one does. */
static __always_inline bool fgraph_ask(unsigned long slots, struct fgraph_shadow *s,
				       struct ftrace_ret_stack *f, struct ftrace_regs *fregs)
{
	struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];

	if (fgraph_alone(slots) && likely(READ_ONCE(slot->enter) == trace_fast_graph_entry)) {
		f->slots = slots;
		return trace_fast_graph_enter(slot->gops, s, f, fregs);
	}
	f->slots = fgraph_ask_each(slots, s, f, fregs);
	return f->slots;
}

/* Return: True if a client wants the return of the function. */
static __always_inline bool fgraph_enter(unsigned long ret, unsigned long func,
					 unsigned long *retp, unsigned long slots,
					 struct ftrace_regs *fregs)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_ret_stack *f;

	if (unlikely(!s))
		return false;

	/* Push before the callbacks: they may reserve data in the frame. */
	if (unlikely(fgraph_shadow_full(s))) {
		atomic_inc(&current->trace_overrun);
		return false;
	}
	f = __fgraph_shadow_push(s);

	/*
	 * Before the callbacks: they may ask for the return address. No client of
	 * @slots is younger than the epoch, as its bit came into the trampoline
	 * after that.
	 */
	f->ret = ret;
	f->func = func;
	f->epoch = READ_ONCE(fgraph_epoch);

	if (unlikely(!fgraph_ask(slots, s, f, fregs))) {
		fgraph_shadow_pop(s, f);
		return false;
	}
	fgraph_shadow_show(f, retp);
	return true;
}

/**
 * function_graph_enter_slots() - call clients on the entry of a function
 * @func: address of its call to the tracer
 * @retp: where its return address is on the stack
 * @slots: bitmap of the clients' slots; not 0
 * @fregs: registers at the call
 *
 * Replaces the return address by return_to_handler(), unless no client wants the
 * return, or the shadow stack is missing or full. Does nothing if
 * ftrace_graph_is_dead(), if current->tracing_graph_pause is not 0, or inside of
 * itself (ftrace_test_recursion_trylock()).
 *
 * Context: Any context.
 */
void function_graph_enter_slots(unsigned long func, unsigned long *retp,
				unsigned long slots, struct ftrace_regs *fregs)
{
	int bit;

	if (ftrace_graph_is_dead())
		return;
	if (unlikely(atomic_read(&current->tracing_graph_pause)))
		return;

	bit = fgraph_recursion_trylock(func, *retp);
	if (unlikely(bit < 0))
		return;
	if (likely(fgraph_enter(*retp, func, retp, slots, fregs)))
		*retp = (unsigned long)return_to_handler;
	ftrace_test_recursion_unlock(bit);
}

/*
 * The returning function is not the one on top of the shadow stack. If it has a
 * frame below, drop those above and go on. If not, its return address is lost.
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

/* Call the return callbacks of clients that asked for it and are still registered. */
static noinline void fgraph_tell_each(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
				      struct ftrace_regs *fregs)
{
	struct ftrace_graph_ret trace = {
		.func		= f->func,
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
		.retval		= ftrace_regs_get_return_value(fregs),
#endif
		.overrun	= atomic_read(&current->trace_overrun),
		.depth		= s->top - 1,
	};
	unsigned long slots = f->slots;

	do {
		struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];
		trace_func_graph_ret_t leave = READ_ONCE(slot->leave);

		slots &= slots - 1;
		if ((s32)(f->epoch - READ_ONCE(slot->epoch)) >= 0)
			INDIRECT_CALL_1(leave, trace_fast_graph_return, &trace, slot->gops, fregs);
	} while (slots);
}

static __always_inline void fgraph_tell(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					struct ftrace_regs *fregs)
{
	const unsigned long slots = f->slots;
	struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];

	if (!fgraph_alone(slots) || unlikely(READ_ONCE(slot->leave) != trace_fast_graph_return))
		fgraph_tell_each(s, f, fregs);
	else if (likely((s32)(f->epoch - READ_ONCE(slot->epoch)) >= 0))
		trace_fast_graph_leave(slot->gops, s, f, fregs);
}

/**
 * ftrace_return_to_handler() - call clients on the return of a function
 * @fregs: the function's registers: return value, frame pointer, and the stack
 *	   pointer, which points to where the return address was
 *
 * Like entries, returns of functions that a callback calls are ignored.
 *
 * Context: Any context, called by return_to_handler(); preemption and interrupts
 * as the function left them.
 * Return: The address to go on at: the function's return address, or panic() if
 * that is lost.
 */
unsigned long ftrace_return_to_handler(struct ftrace_regs *fregs)
{
	unsigned long *retp = (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_ret_stack *f;
	unsigned long ret;
	int bit;

	f = likely(s) ? fgraph_shadow_top(s) : NULL;
	if (unlikely(!f || f->retp != retp)) {
		f = fgraph_stray(s, retp);
		if (!f)
			return (unsigned long)panic;
	}

	ret = f->ret;
	/* Callbacks take this for the address that the function returns to. */
	ftrace_regs_set_instruction_pointer(fregs, ret);

	bit = fgraph_recursion_trylock(f->func, ret);
	if (unlikely(bit < 0))
		goto out;

	/* The callbacks may use the frame's data, and unwinders its return address. */
	fgraph_tell(s, f, fregs);
	ftrace_test_recursion_unlock(bit);
out:
	fgraph_shadow_pop(s, f);

	return ret;
}

/* Entry callback of a trace array that has a PID filter. */
static int fgraph_enter_pid(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			    struct ftrace_regs *fregs)
{
	if (!ftrace_pid_passes(&gops->ops))
		return 0;

	return gops->entryfunc(trace, gops, fregs);
}

/*
 * Set the entry callback of @slot. ftrace_graph_stop() can run at any point:
 * the barrier pairs with the one there, and orders our write of ->enter before
 * our read of fgraph_stopped. So one of the two sees what the other wrote, and
 * the last write is fgraph_enter_none().
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

/* Set the entry callbacks after PID filtering was switched on or off. */
void fgraph_update_pid(void)
{
	struct fgraph_slot *slot;

	lockdep_assert_held(&ftrace_lock);

	for (slot = fgraph_slots; slot < fgraph_slots + FTRACE_GRAPH_SLOTS; slot++)
		if (slot->state == FGRAPH_LIVE)
			fgraph_slot_open(slot);
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

/* Called before the hook exists, so the slot is complete before its bit is used. */
static void fgraph_slot_take(struct fgraph_slot *slot, struct fgraph_ops *gops)
{
	WRITE_ONCE(fgraph_epoch, fgraph_epoch + 1);
	WRITE_ONCE(slot->epoch, fgraph_epoch);
	WRITE_ONCE(slot->gops, gops);
	WRITE_ONCE(slot->leave, gops->retfunc ?: fgraph_leave_none);
	slot->state = FGRAPH_LIVE;
	fgraph_slot_open(slot);
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
 * Return: 0 on success, -EINVAL without ->entryfunc, -ENODEV if the tracer is
 * disabled, -EBUSY if @gops is registered, -ENOSPC if 16 others are, -ENOMEM,
 * or an error of register_ftrace_function(). On error nothing changed.
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

	mutex_lock(&ftrace_lock);

	slot = fgraph_slot_of(gops);
	if (WARN_ON_ONCE(!slot)) {
		mutex_unlock(&ftrace_lock);
		return;
	}

	ftrace_unregister_locked(&gops->ops);
	fgraph_slot_close(slot);
	slot->state = FGRAPH_LEAVING;
	ftrace_retire(&fgraph_retired[slot - fgraph_slots], fgraph_slot_free);
	fgraph_tasks_put();

	mutex_unlock(&ftrace_lock);

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
