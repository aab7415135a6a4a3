// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatch: what runs between a trampoline and a callback.
 *
 * For most hooks, nothing: the trampoline calls the callback. An ops that asks
 * for protection gets a guard function with exactly the tests that it asked
 * for; a hook with a condition on arguments gets a function that tests it. Filters
 * are tested at each call for the mixed combo only.
 *
 * All of this runs in any context, NMI included, at the start of any kernel function.
 * So nothing called from here may be traced; nor may it have a kprobe: the breakpoint
 * handler is traced, and would call into this code again.
 */
#include <linux/kmsan-checks.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>

#include "../../trace.h"
#include "../sites/site.h"
#include "../sites/targets.h"
#include "combo.h"
#include "dispatch.h"

/**
 * ftrace_pids_enabled() - test whether an ops traces some tasks only
 * @ops: the ops
 *
 * Context: Any context.
 * Return: True if it does.
 */
bool ftrace_pids_enabled(struct ftrace_ops *ops)
{
	struct trace_array *tr = ops->private;

	if (!(ops->flags & FTRACE_OPS_FL_PID) || !tr)
		return false;
	return rcu_access_pointer(tr->function_pids) || rcu_access_pointer(tr->function_no_pids);
}

static __always_inline void guarded(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops, struct ftrace_regs *fregs,
				    unsigned long flags)
{
	int bit = 0;

	if ((flags & FTRACE_OPS_FL_PID) && !ftrace_pid_passes(ops->private))
		return;

	/* The callback may use its own group of recursion bits, so use another group. */
	if (flags & FTRACE_OPS_FL_RECURSION) {
		bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
		if (bit < 0)
			return;
	}

	if (!(flags & FTRACE_OPS_FL_RCU) || rcu_is_watching())
		ops->func(ip, parent_ip, ops, fregs);

	if (flags & FTRACE_OPS_FL_RECURSION)
		trace_clear_recursion(bit);
}

#define R	FTRACE_OPS_FL_RECURSION
#define W	FTRACE_OPS_FL_RCU
#define P	FTRACE_OPS_FL_PID

#define GUARD(name, flags)							\
static void name(unsigned long ip, unsigned long parent_ip,			\
		 struct ftrace_ops *ops, struct ftrace_regs *fregs)		\
{										\
	guarded(ip, parent_ip, ops, fregs, flags);				\
}										\
NOKPROBE_SYMBOL(name)

GUARD(ftrace_recursion_func,		R);
GUARD(ftrace_rcu_func,			W);
GUARD(ftrace_recursion_rcu_func,	R | W);
GUARD(ftrace_pid_func,			P);
GUARD(ftrace_pid_recursion_func,	P | R);
GUARD(ftrace_pid_rcu_func,		P | W);
GUARD(ftrace_pid_recursion_rcu_func,	P | R | W);

/* True if @func is the guard that tests nothing but the PID filter. */
bool ftrace_is_pid_guard(ftrace_func_t func)
{
	return func == ftrace_pid_func;
}

/**
 * ftrace_ops_call() - get the function that trampolines call for an ops
 * @ops: ops
 *
 * Context: Process context. ftrace_lock held: ftrace_update_pid_hooks() replaces hooks
 * that were made before PID filtering was switched on or off.
 * Return: The callback, or the guard that calls it. Its third argument must be
 * @ops.
 */
ftrace_func_t ftrace_ops_call(struct ftrace_ops *ops)
{
	unsigned long flags = ops->flags & (R | W);

	if ((ops->flags & P) && ftrace_pids_enabled(ops))
		flags |= P;

	switch (flags) {
	case R:
		return ftrace_recursion_func;
	case W:
		return ftrace_rcu_func;
	case R | W:
		return ftrace_recursion_rcu_func;
	case P:
		return ftrace_pid_func;
	case P | R:
		return ftrace_pid_recursion_func;
	case P | W:
		return ftrace_pid_rcu_func;
	case P | R | W:
		return ftrace_pid_recursion_rcu_func;
	default:
		return ops->func;
	}
}

/**
 * ftrace_if_hook() - call a hook's callback if its condition is true
 * @ip: address of the call
 * @parent_ip: where the function returns to
 * @op: the hook
 * @fregs: the registers, of which at least the arguments are saved
 *
 * Context: Any context.
 */
void ftrace_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		    struct ftrace_regs *fregs)
{
	const struct ftrace_hook *hook = (void *)op;

	if (ftrace_cond_passes(hook->cond, fregs))
		hook->then(ip, parent_ip, hook->ops, fregs);
}
NOKPROBE_SYMBOL(ftrace_if_hook);

static __always_inline bool wants(const struct ftrace_hook *hook, u32 nr)
{
	return ftrace_filter_has(rcu_dereference_raw_check(hook->filter), nr);
}

/*
 * Let the trampoline go to the target of a site's direct call, if there is one. A
 * target that is jumped to takes the function's place: it finds the stack as the
 * function would, so the function continues there. What an IPMODIFY hook has set is
 * lost, as if the site itself jumped.
 */
static __always_inline void go_direct(const struct ftrace_site_block *b, u32 i,
				      struct ftrace_regs *fregs)
{
	unsigned long target;

	/* Pairs with rcu_assign_pointer() in ftrace_hook_set_filter(): its sites have targets. */
	smp_rmb();
	target = ftrace_target(b, i);
	if (ftrace_is_jmp(target))
		ftrace_regs_set_instruction_pointer(fregs, ftrace_jmp_get(target));
	else if (target)
		arch_ftrace_set_direct_caller(fregs, target);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/**
 * ftrace_direct_hook() - set the target of a trampoline's direct call
 * @ip: address of the call
 * @parent_ip: where the function returns to
 * @op: not used
 * @fregs: the registers, with a place for the target
 *
 * Always sets an address for the trampoline to go to: the target; or code that does
 * nothing, if there is no target or if the function continues there. If the direct call
 * was removed from the site meanwhile, its last target is still valid, because owners
 * wait for a grace period before they free the code there.
 *
 * Context: Any context.
 */
void ftrace_direct_hook(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_site_block *b;
	u32 i;

	arch_ftrace_set_direct_caller(fregs, (unsigned long)ftrace_stub_direct_tramp);

	/* Keeps the block from being freed. NULL: it was withdrawn meanwhile. */
	preempt_disable_notrace();
	b = ftrace_site_find_exact(ip, &i);
	if (b)
		go_direct(b, i, fregs);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ftrace_direct_hook);
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* The bit of a graph hook's slot; 0 if the hook's condition is false. */
static __always_inline unsigned long slot_if(const struct ftrace_hook *hook,
					     const struct ftrace_regs *fregs)
{
	if (hook->cond && !ftrace_cond_passes(hook->cond, fregs))
		return 0;
	return BIT(hook->graph_slot);
}

void ftrace_graph_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			  struct ftrace_regs *fregs)
{
	const struct ftrace_combo *combo = (void *)op;
	struct ftrace_ops *graph = NULL;
	unsigned long slots = 0;

	for (struct ftrace_hook *const *hook = combo->hooks; *hook; hook++) {
		if (!((*hook)->need & FTRACE_NEED_GRAPH))
			continue;
		graph = (*hook)->ops;
		slots |= slot_if(*hook, fregs);
	}
	if (slots)
		graph->func(ip, parent_ip, (struct ftrace_ops *)slots, fregs);
}
NOKPROBE_SYMBOL(ftrace_graph_if_hook);

/*
 * Call the graph tracer once, for @first and all graph hooks after @first that
 * want this site.
 */
static __always_inline void mixed_graph(unsigned long ip, unsigned long parent_ip,
					struct ftrace_hook *first,
					struct ftrace_regs *fregs, u32 nr)
{
	struct ftrace_hook *hook = first;
	unsigned long slots = slot_if(first, fregs);

	list_for_each_entry_continue_rcu(hook, &ftrace_hooks, list) {
		if (!(hook->need & FTRACE_NEED_GRAPH))
			continue;
		if (wants(hook, nr))
			slots |= slot_if(hook, fregs);
		else
			smp_rmb();	/* pairs as in ftrace_dispatch_mixed() */
	}

	if (slots) {
		/* The graph tracer's epoch is that of these hooks, or a later one. */
		smp_rmb();	/* pairs as in ftrace_dispatch_mixed() */
		first->ops->func(ip, parent_ip, (struct ftrace_ops *)slots, fregs);
	}
}
#else
static void mixed_graph(unsigned long ip, unsigned long parent_ip, struct ftrace_hook *first,
			struct ftrace_regs *fregs, u32 nr)
{
}
#endif

/**
 * ftrace_dispatch_mixed() - call the hooks whose filters have this function
 * @ip: address of the call
 * @parent_ip: where the function returns to
 * @op: not used
 * @fregs: the registers, all that a callback can ask for
 *
 * For functions whose hooks have no trampoline of their own, or none in reach, and
 * for functions whose site could not be moved to another combo because of a foreign
 * breakpoint. While a site moves to or from the mixed combo, either the old or the
 * new filters apply.
 *
 * Context: Any context.
 */
void ftrace_dispatch_mixed(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	const struct ftrace_ops *last = NULL;
	struct ftrace_site_block *b;
	struct ftrace_hook *hook;
	bool graph = false, direct = false;
	u32 i, nr;

	kmsan_unpoison_memory(fregs, ftrace_regs_size());

	/* Hooks and filters are not freed while preemption is off. */
	preempt_disable_notrace();
	b = ftrace_site_find_exact(ip, &i);
	if (!b)		/* withdrawn meanwhile, see module.c */
		goto out;
	nr = ftrace_site_nr(b, i);

	list_for_each_entry_lockless(hook, &ftrace_hooks, list) {
		/* This hook replaces the previous one, which was called: see swap.c. */
		if (hook->ops == last)
			continue;
		if (!wants(hook, nr)) {
			/*
			 * Pairs with rcu_assign_pointer() in
			 * ftrace_hook_set_filter(): if this hook has lost its
			 * filter, the hook further on in the list that
			 * replaces it already has its own.
			 */
			smp_rmb();
			continue;
		}
		last = hook->ops;

		if (hook->need & FTRACE_NEED_DIRECT) {
			direct = true;	/* after all others, as in a combo */
		} else if (!(hook->need & FTRACE_NEED_GRAPH)) {
			hook->call(ip, parent_ip, ftrace_hook_arg(hook), fregs);
		} else if (!graph) {
			mixed_graph(ip, parent_ip, hook, fregs, nr);
			graph = true;
		}
	}
	if (direct)
		go_direct(b, i, fregs);
out:
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ftrace_dispatch_mixed);
