// SPDX-License-Identifier: GPL-2.0
/*
 * Call the graph tracer's clients on entry and return of a function.
 *
 * On entry, the callbacks of the slots that a trampoline passes are called; on
 * return, those of the slots whose entry callback asked for it. Neither tests a
 * filter. Trampolines come here before any test against recursion, so kprobes are not
 * allowed here, see ../hooks/dispatch.c.
 *
 * Three clients are called directly, not by their callbacks, when they are alone at a
 * function: the graph tracer on the fast path, for which trace_fast.c includes this
 * file, fprobes, and the function profiler.
 */
#include <linux/ftrace/recursion.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/kprobes.h>
#include <linux/panic.h>

#include <asm/inline_clock.h>

#include "../../trace.h"
#include "../../fprobe_fast.h"
#include "../../trace_fast.h"
#include "../hooks/dispatch.h"
#include "slots.h"
#include "tasks.h"

static_assert(FTRACE_GRAPH_SLOTS <= 8 * sizeof_field(struct ftrace_ret_stack, slots));

/* Which clients are called. */
enum fgraph_clients {
	FGRAPH_ANY,		/* each of the slots, by its callback */
	FGRAPH_TRACER,		/* one: a graph tracer on the fast path */
	FGRAPH_TIMED,		/* one: such a tracer that records only returns */
	FGRAPH_FPROBES,		/* one: that of fprobes */
	FGRAPH_PROFILER,	/* one: that of the function profiler */
};

/* True if there is one client in @slots, which is not 0. */
static __always_inline bool fgraph_alone(unsigned long slots)
{
	return likely(!(slots & (slots - 1)));
}

/*
 * True if a client that is alone is a graph tracer on the fast path. Like the profiler, it
 * calls nothing traceable, so it does not set the bits against recursion; they are tested,
 * as the caller may be in another callback. Reuse of the slot waits for a task that is
 * preempted after the test.
 */
static __always_inline bool fgraph_is_tracer(const void *callback, const void *fast)
{
	return IS_ENABLED(CONFIG_RING_BUFFER_FAST_PATH) && likely(callback == fast) &&
	       likely(!trace_fast_recursion());
}

/* Call the entry callbacks of @slots. Return: Bitmap of those that want the return. */
static __always_inline unsigned long fgraph_ask_each(unsigned long slots, struct fgraph_shadow *s,
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

/* Call the callback of fprobes that need more than the one word. */
static noinline unsigned long fgraph_ask_again(unsigned long slots, struct fgraph_shadow *s,
					       struct ftrace_ret_stack *f,
					       struct ftrace_regs *fregs)
{
	f->data = s->data;
	return fgraph_ask_each(slots, s, f, fregs);
}
NOKPROBE_SYMBOL(fgraph_ask_again);

/*
 * Ask the clients of the function with frame @f. Return: 1 if one wants the return, else
 * 0; -EBUSY if the graph tracer or the profiler needs its callback, and nothing was done.
 */
static __always_inline int fgraph_ask(enum fgraph_clients who, unsigned long slots,
				      struct fgraph_slot *slot, struct fgraph_shadow *s,
				      struct ftrace_ret_stack *f, u32 depth,
				      struct ftrace_regs *fregs)
{
	enum fprobe_alone asked;

	if (who == FGRAPH_ANY) {
		/* No client of @slots is newer: their bits came into the trampoline after that. */
		f->epoch = READ_ONCE(fgraph_epoch);
		f->data = s->data;
		f->slots = fgraph_ask_each(slots, s, f, fregs);
		return !!f->slots;
	}

	*fgraph_mark(f) = fgraph_shadow_mark(s, slot->mark);
	if (who == FGRAPH_TRACER)
		return trace_fast_entry(slot->gops, f->func, depth, (u64 *)&f->word);
	if (who == FGRAPH_TIMED) {
		*(u64 *)&f->word = sched_clock_inline();
		return 1;
	}
	if (who == FGRAPH_PROFILER)
		return fgraph_profiler.enter(f->func, (u64 *)&f->word);

	asked = fprobe_enter_alone(f->func, &f->word);
	if (unlikely(asked == FPROBE_GENERAL))
		return !!fgraph_ask_again(f->slots, s, f, fregs);
	return asked == FPROBE_WANTED;
}

/*
 * Push the frame of the function at @func, whose return address is at @place, and call
 * the entry callbacks of @slots. Preemption is off. @slot: that of the only client.
 * Return: False if the graph tracer or the profiler needs its callback, and nothing was done.
 */
static __always_inline bool fgraph_enter(unsigned long func, unsigned long *place,
					 enum fgraph_clients who, unsigned long slots,
					 struct fgraph_slot *slot, struct ftrace_regs *fregs)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_ret_stack *f;
	int asked;
	u32 depth;

	if (unlikely(!s))
		return true;
	if ((who == FGRAPH_TRACER || who == FGRAPH_TIMED) &&
	    unlikely(s->vars[slot->nr] & TRACE_GRAPH_NOTRACE))
		return false;

	/* Push before the callbacks: they may reserve data in the frame. */
	depth = s->top;
	if (unlikely(fgraph_shadow_full(s))) {
		atomic_inc(&current->trace_overrun);
		return true;
	}
	f = fgraph_shadow_count(s);

	/* Before the callbacks: they may ask for the return address. */
	f->ret = *place;
	f->func = func;

	asked = fgraph_ask(who, slots, slot, s, f, depth, fregs);
	if (unlikely(asked <= 0)) {
		fgraph_shadow_pop(s, f);
		return !asked;
	}
	fgraph_shadow_show(f, arch_ftrace_graph_entered(fregs, place));
	*place = (unsigned long)return_to_handler;
	return true;
}

/* As fgraph_enter(), within ftrace_recursion_trylock(). */
static __always_inline void fgraph_enter_locked(unsigned long func, unsigned long *place,
						enum fgraph_clients who, unsigned long slots,
						struct fgraph_slot *slot, struct ftrace_regs *fregs)
{
	const int bit = ftrace_recursion_trylock(func, *place);

	if (unlikely(bit < 0))
		return;
	fgraph_enter(func, place, who, slots, slot, fregs);
	ftrace_test_recursion_unlock(bit);
}

/* Clients of any kind and number. */
static noinline void fgraph_enter_any(unsigned long func, unsigned long *place,
				      unsigned long slots, struct ftrace_regs *fregs)
{
	fgraph_enter_locked(func, place, FGRAPH_ANY, slots, NULL, fregs);
}
NOKPROBE_SYMBOL(fgraph_enter_any);

/*
 * What a graph tracer on the fast path, with the entry callback @enter, does about a
 * function. Preemption is off. FGRAPH_LOOK_UP: @enter is another one, or searches sets.
 */
static __always_inline enum fgraph_verdict fgraph_verdict(const void *enter, unsigned long func,
							  struct fgraph_slot *slot)
{
	const struct fgraph_shadow *s;

	if (likely(enter == trace_fast_graph_entry))
		return FGRAPH_RECORD;
	if (enter == fgraph_enter_timed)
		return FGRAPH_TIME;
	if (enter == fgraph_enter_pid_fast)
		return ftrace_pid_passes(slot->gops->ops.private) ?
			FGRAPH_RECORD : FGRAPH_PASS_OVER;
	if (enter != fgraph_enter_sets)
		return FGRAPH_LOOK_UP;

	s = fgraph_shadow(current);
	return s ? fgraph_judge(slot->gops->private, s->vars[slot->nr], func) : FGRAPH_PASS_OVER;
}

/* Let such a tracer record a function. Return: False if it cannot, and nothing was done. */
static __always_inline bool fgraph_enter_fast(const void *enter, unsigned long func,
					      unsigned long *place, struct fgraph_slot *slot,
					      struct ftrace_regs *fregs)
{
	enum fgraph_verdict verdict;
	bool done = true;

	preempt_disable_notrace();
	verdict = fgraph_verdict(enter, func, slot);
	if (likely(verdict == FGRAPH_RECORD))
		done = fgraph_enter(func, place, FGRAPH_TRACER, 0, slot, fregs);
	else if (verdict == FGRAPH_TIME)
		done = fgraph_enter(func, place, FGRAPH_TIMED, 0, slot, fregs);
	preempt_enable_notrace();
	return likely(done) && verdict != FGRAPH_LOOK_UP;
}

/* The graph tracer alone, on the fast path if it can. */
static __always_inline void __fgraph_enter_tracer(const void *enter, unsigned long func,
						  unsigned long *place, struct fgraph_slot *slot,
						  struct ftrace_regs *fregs)
{
	if (unlikely(!fgraph_enter_fast(enter, func, place, slot, fregs)))
		fgraph_enter_any(func, place, BIT(slot->nr), fregs);
}

static noinline void fgraph_enter_tracer(unsigned long func, unsigned long *place,
					 struct fgraph_slot *slot, struct ftrace_regs *fregs)
{
	__fgraph_enter_tracer(trace_fast_graph_entry, func, place, slot, fregs);
}
NOKPROBE_SYMBOL(fgraph_enter_tracer);

/* As fgraph_enter_tracer(), with another entry callback. */
static noinline void fgraph_enter_other(const void *enter, unsigned long func,
					unsigned long *place, struct fgraph_slot *slot,
					struct ftrace_regs *fregs)
{
	__fgraph_enter_tracer(enter, func, place, slot, fregs);
}
NOKPROBE_SYMBOL(fgraph_enter_other);

/* As fgraph_enter_tracer(), with a search for functions that may be in a set. */
static noinline void fgraph_enter_by_sets(unsigned long func, unsigned long *place,
					  struct fgraph_slot *slot, struct ftrace_regs *fregs)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	enum fgraph_verdict verdict;
	bool done = true;
	u32 depth;

	if (unlikely(!s))
		return;

	preempt_disable_notrace();
	depth = s->top;
	verdict = fgraph_look_up(slot->gops->private, s->vars[slot->nr], func);
	if (verdict == FGRAPH_RECORD || verdict == FGRAPH_BEGIN)
		done = fgraph_enter(func, place, FGRAPH_TRACER, 0, slot, fregs);
	if (verdict == FGRAPH_BEGIN && s->top != depth)
		fgraph_begin(&s->vars[slot->nr], depth);
	preempt_enable_notrace();

	if (unlikely(!done || verdict == FGRAPH_LOOK_UP))
		fgraph_enter_any(func, place, BIT(slot->nr), fregs);
}
NOKPROBE_SYMBOL(fgraph_enter_by_sets);

/* The profiler alone. */
static noinline void fgraph_enter_profiler(unsigned long func, unsigned long *place,
					   struct fgraph_slot *slot, struct ftrace_regs *fregs)
{
	bool done;

	preempt_disable_notrace();
	done = fgraph_enter(func, place, FGRAPH_PROFILER, 0, slot, fregs);
	preempt_enable_notrace();
	if (unlikely(!done))
		fgraph_enter_any(func, place, BIT(slot->nr), fregs);
}
NOKPROBE_SYMBOL(fgraph_enter_profiler);

/* Fprobes alone. */
static noinline void fgraph_enter_fprobes(unsigned long func, unsigned long *place,
					  struct fgraph_slot *slot, struct ftrace_regs *fregs)
{
	fgraph_enter_locked(func, place, FGRAPH_FPROBES, 0, slot, fregs);
}
NOKPROBE_SYMBOL(fgraph_enter_fprobes);

/* True if no graph tracer is called now. */
static __always_inline bool fgraph_is_off(void)
{
	return unlikely(!arch_ftrace_graph_ready()) || ftrace_graph_is_dead() ||
	       unlikely(atomic_read(&current->tracing_graph_pause));
}

/**
 * ftrace_graph_hook() - call clients on the entry of a function
 * @ip: address of its call to the tracer
 * @parent_ip: where it returns to, before any hook changed that
 * @op: not an ops but the bitmap of the clients' slots; not 0
 * @fregs: registers at the call
 *
 * A trampoline calls it once for all graph hooks of a function. Replaces the
 * return address by return_to_handler(), unless no client wants the return, or
 * the shadow stack is missing or full. Does nothing if ftrace_graph_is_dead(), if
 * current->tracing_graph_pause is not 0, where the architecture cannot use current,
 * or where ftrace_test_recursion_trylock() fails.
 *
 * Context: Any context.
 */
void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	/* Not @parent_ip: an earlier hook may have changed it, as kretprobes do. */
	unsigned long *place = arch_ftrace_graph_place(fregs);
	const unsigned long slots = (unsigned long)op;
	struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];
	const void *enter;

	if (fgraph_is_off())
		return;

	enter = READ_ONCE(slot->enter);
	if (fgraph_alone(slots)) {
		if (fgraph_is_tracer(enter, trace_fast_graph_entry))
			return fgraph_enter_tracer(ip, place, slot, fregs);
		if (fprobe_is_entry(enter))
			return fgraph_enter_fprobes(ip, place, slot, fregs);
		if (fgraph_is_tracer(enter, fgraph_enter_sets))
			return fgraph_enter_by_sets(ip, place, slot, fregs);
		if (fgraph_is_tracer(enter, fgraph_enter_pid_fast) ||
		    fgraph_is_tracer(enter, fgraph_enter_timed))
			return fgraph_enter_other(enter, ip, place, slot, fregs);
		if (fgraph_is_profiler(enter) && !trace_fast_recursion())
			return fgraph_enter_profiler(ip, place, slot, fregs);
	}
	fgraph_enter_any(ip, place, slots, fregs);
}
NOKPROBE_SYMBOL(ftrace_graph_hook);

#ifdef FTRACE_BARE
/* As ftrace_graph_hook(), for a graph tracer that is alone in a bare trampoline. */
static __ftrace_bare void fgraph_hook_bare(struct fgraph_slot *slot)
{
	const void *enter = READ_ONCE(slot->enter);

	if (fgraph_is_off())
		return;
	if (!trace_fast_recursion() &&
	    likely(fgraph_enter_fast(enter, ftrace_bare_ip(), &ftrace_bare_stack()[1], slot, NULL)))
		return;
	trace_fast_not_bare(ftrace_graph_hook, (void *)BIT(slot->nr), ftrace_bare_stack());
}
NOKPROBE_SYMBOL(fgraph_hook_bare);
ANNOTATE_NOENDBR_SYM(fgraph_hook_bare);

/* Let a hook call fgraph_hook_bare() if its only client can: others read registers. */
static bool fgraph_bare_call(struct ftrace_tramp_call *call)
{
	const unsigned long slots = (unsigned long)call->arg;
	struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];

	if (call->func != ftrace_graph_hook || !fgraph_alone(slots) ||
	    slot->gops->entryfunc != trace_fast_graph_entry)
		return false;
	call->func = fgraph_hook_bare;
	call->arg = slot;
	return true;
}
#endif

/* Call the return callbacks of clients that asked for it and are still registered. */
static __always_inline void fgraph_tell_each(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					     struct ftrace_regs *fregs)
{
	struct ftrace_graph_ret trace = fgraph_return_of(f, s->top - 1, fregs);
	unsigned long slots = f->slots;

	do {
		struct fgraph_slot *slot = &fgraph_slots[__ffs(slots)];
		/* Pairs with fgraph_slot_take(): before ->epoch and ->gops. */
		trace_func_graph_ret_t leave = smp_load_acquire(&slot->leave);

		slots &= slots - 1;
		if ((s32)(f->epoch - READ_ONCE(slot->epoch)) >= 0)
			INDIRECT_CALL_1(leave, trace_fast_graph_return, &trace, slot->gops, fregs);
	} while (slots);
}

/*
 * Call the return callbacks for the function whose frame is on top of @s, and pop that.
 * @who: FGRAPH_FPROBES, which keep one word, or FGRAPH_ANY.
 */
static __always_inline void fgraph_leave(enum fgraph_clients who, struct fgraph_shadow *s,
					 struct ftrace_ret_stack *f, struct ftrace_regs *fregs)
{
	const int bit = ftrace_recursion_trylock(f->func, f->ret);

	/* The callbacks may use the frame's data, and unwinders its return address. */
	if (likely(bit >= 0)) {
		if (who == FGRAPH_FPROBES)
			fprobe_leave_alone(f->word, f->func, f->ret, fregs);
		else
			fgraph_tell_each(s, f, fregs);
		ftrace_test_recursion_unlock(bit);
	}
	fgraph_shadow_pop(s, f);
}

/* For clients of any kind and number. */
static noinline void fgraph_leave_any(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
				      struct ftrace_regs *fregs)
{
	fgraph_leave(FGRAPH_ANY, s, f, fregs);
}
NOKPROBE_SYMBOL(fgraph_leave_any);

/* For fprobes alone. */
static noinline void fgraph_leave_fprobes(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					  struct ftrace_regs *fregs)
{
	fgraph_leave(FGRAPH_FPROBES, s, f, fregs);
}
NOKPROBE_SYMBOL(fgraph_leave_fprobes);

/* For the graph tracer alone, on the fast path if it can. */
static noinline void fgraph_leave_tracer(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					 struct ftrace_regs *fregs, struct fgraph_ops *gops,
					 u32 depth)
{
	bool done;

	preempt_disable_notrace();
	done = trace_fast_return(gops, &f->func, depth, (const u64 *)&f->word, fregs);
	if (likely(done))
		__fgraph_shadow_pop(s, f, depth);
	preempt_enable_notrace();

	if (unlikely(!done))
		fgraph_leave_any(s, f, fregs);
}
NOKPROBE_SYMBOL(fgraph_leave_tracer);

/* As fgraph_leave_tracer(), for a function that the tracer may have begun with. */
static noinline void fgraph_leave_begun(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					struct ftrace_regs *fregs, struct fgraph_slot *slot,
					u32 depth)
{
	if (fgraph_begun_at(s->vars[slot->nr], depth))
		s->vars[slot->nr] = 0;
	fgraph_leave_tracer(s, f, fregs, slot->gops, depth);
}
NOKPROBE_SYMBOL(fgraph_leave_begun);

/* For a graph tracer that records calls on return, if they took long or in one event. */
static noinline void fgraph_leave_timed(struct fgraph_shadow *s, struct ftrace_ret_stack *f,
					struct ftrace_regs *fregs, struct fgraph_slot *slot,
					u32 depth)
{
	const u64 thresh = fgraph_thresh_of(slot->gops->private);
	const u64 *calltime = (const u64 *)&f->word;
	bool done;

	preempt_disable_notrace();
	done = (thresh && sched_clock_inline() - *calltime < thresh) ||
	       trace_compact_return(slot->gops, &f->func, depth, calltime);
	if (likely(done))
		__fgraph_shadow_pop(s, f, depth);
	preempt_enable_notrace();

	if (unlikely(!done))
		fgraph_leave_any(s, f, fregs);
}
NOKPROBE_SYMBOL(fgraph_leave_timed);

/* For the profiler alone. */
static noinline void fgraph_leave_profiler(struct fgraph_shadow *s,
					   struct ftrace_ret_stack *f, u32 depth)
{
	preempt_disable_notrace();
	fgraph_profiler.leave(f->func, *(const u64 *)&f->word);
	__fgraph_shadow_pop(s, f, depth);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(fgraph_leave_profiler);

#ifndef arch_ftrace_graph_returns_to
static __always_inline void arch_ftrace_graph_returns_to(struct ftrace_regs *fregs,
							 unsigned long ret)
{
	WRITE_ONCE(*arch_ftrace_graph_returned(fregs), ret);
	ftrace_regs_set_instruction_pointer(fregs, ret);
}
#endif

/*
 * The returning function is not the one on top of the shadow stack. If it has a
 * frame below, drop those above and go on. If not, its return address is lost.
 */
static noinline void fgraph_stray(struct fgraph_shadow *s, unsigned long *retp,
				  struct ftrace_regs *fregs)
{
	struct ftrace_ret_stack *f = s && retp ? fgraph_shadow_return(s, retp) : NULL;

	if (!f) {
		ftrace_graph_stop();
		WARN(1, "ftrace: a function returned that was not entered");
		arch_ftrace_graph_returns_to(fregs, (unsigned long)panic);
		return;
	}
	printk_deferred_once(KERN_WARNING
			     "ftrace: %ps returned, but not what it had called\n",
			     (void *)f->func);
	arch_ftrace_graph_returns_to(fregs, f->ret);
	fgraph_leave_any(s, f, fregs);
}
NOKPROBE_SYMBOL(fgraph_stray);

/**
 * ftrace_return_to_handler() - call clients on the return of a function
 * @fregs: the function's registers: return value, frame pointer, and the stack
 *	   pointer after the return
 *
 * Calls no client where ftrace_test_recursion_trylock() fails. In @fregs,
 * arch_ftrace_graph_returns_to() sets where to go on: the function's return address, or
 * panic() if that is lost.
 *
 * Context: Any context, called by return_to_handler(); preemption and interrupts
 * as the function left them.
 */
void ftrace_return_to_handler(struct ftrace_regs *fregs)
{
	unsigned long *retp = arch_ftrace_graph_returned(fregs);
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_ret_stack *f;
	struct fgraph_slot *slot;
	const void *leave;
	u32 depth;

	if (unlikely(!s || s->top - 1 >= FGRAPH_SHADOW_FRAMES)) {
		fgraph_stray(s, retp, fregs);
		return;
	}

	depth = s->top - 1;
	f = &s->frames[depth];
	OPTIMIZER_HIDE_VAR(f);	/* as in fgraph_shadow_count() */
	if (unlikely(f->retp != retp)) {
		fgraph_stray(s, retp, fregs);
		return;
	}

	arch_ftrace_graph_returns_to(fregs, f->ret);

	/* One test: the client is alone, keeps only the word, and is the one that was entered. */
	slot = &fgraph_slots[__ffs(f->slots)];
	/* Pairs with fgraph_slot_take(): before ->mark and ->gops. */
	leave = smp_load_acquire(&slot->leave);
	if (unlikely(*fgraph_mark(f) != fgraph_shadow_mark(s, slot->mark)))
		fgraph_leave_any(s, f, fregs);
	else if (fgraph_is_tracer(leave, trace_fast_graph_return) && likely(!s->vars[slot->nr]))
		fgraph_leave_tracer(s, f, fregs, slot->gops, depth);
	else if (fgraph_is_tracer(leave, trace_fast_graph_return) &&
		 !(s->vars[slot->nr] & TRACE_GRAPH_NOTRACE))
		fgraph_leave_begun(s, f, fregs, slot, depth);
	else if (fgraph_is_tracer(leave, trace_graph_thresh_return) && !s->vars[slot->nr])
		fgraph_leave_timed(s, f, fregs, slot, depth);
	else if (fprobe_is_return(leave))
		fgraph_leave_fprobes(s, f, fregs);
	else if (fgraph_is_profiler(leave) && !trace_fast_recursion())
		fgraph_leave_profiler(s, f, depth);
	else
		fgraph_leave_any(s, f, fregs);
}
NOKPROBE_SYMBOL(ftrace_return_to_handler);
