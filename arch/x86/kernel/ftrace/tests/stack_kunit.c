// SPDX-License-Identifier: GPL-2.0
/*
 * The stack in trampolines: what an unwinder finds at each instruction, and
 * where callbacks find the function's return address.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <asm/asm.h>
#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#ifdef FTRACE_BARE
#include <asm/ftrace_bare.h>
#endif
#include <asm/processor-flags.h>

#include "../trace.h"
#include "../trace_fast.h"
#include "hooks/combo.h"
#include "tests/tramp_targets.h"

#define MANY	8

/* A hook, and what its callback saw. */
struct stack_hook {
	struct ftrace_ops	ops;
	unsigned int		calls;
	bool			found_return_address;
};

static struct stack_hook *hooks;

static void hook_func(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		      struct ftrace_regs *fregs)
{
	struct stack_hook *h = container_of(op, struct stack_hook, ops);

	h->calls++;
	h->found_return_address =
		*(unsigned long *)ftrace_regs_get_stack_pointer(fregs) == parent;
}

static ftrace_func_t callback = hook_func;

static void hooks_on(struct kunit *test, unsigned int nr, unsigned long flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct ftrace_ops *ops = &hooks[i].ops;

		ops->func = callback;
		ops->flags = flags;
		KUNIT_ASSERT_EQ(test, 0,
				ftrace_set_filter_ip(ops, (unsigned long)tramp_target, 0, 0));
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(ops));
	}
}

static void hooks_off(struct kunit *test, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&hooks[i].ops));
		ftrace_free_filter(&hooks[i].ops);
	}
}

static void find_return_address(struct kunit *test, unsigned int nr, unsigned long flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		hooks[i] = (struct stack_hook){ };
	hooks_on(test, nr, flags);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	hooks_off(test, nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, 1, hooks[i].calls);
		KUNIT_EXPECT_TRUE(test, hooks[i].found_return_address);
	}
}

static void callbacks_find_the_return_address(struct kunit *test)
{
	find_return_address(test, 1, 0);
	find_return_address(test, 1, FTRACE_OPS_FL_SAVE_REGS);
	find_return_address(test, MANY, 0);
	find_return_address(test, MANY, FTRACE_OPS_FL_SAVE_REGS);

	/* Without room for a combo, the site gets the mixed combo. */
	ftrace_combo_cap = 0;
	find_return_address(test, MANY, FTRACE_OPS_FL_SAVE_REGS);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* What a graph hook saw: the stack pointer on entry, and that and the stack on return. */
static struct {
	unsigned long	entry, leave, stack[4];
	unsigned int	depth;
} graph_saw;

static int graph_enter(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs)
{
	graph_saw.entry = ftrace_regs_get_stack_pointer(fregs);
	return 1;
}

static void graph_leave(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_partial_regs(fregs, NULL);

	graph_saw.leave = ftrace_regs_get_stack_pointer(fregs);
	graph_saw.depth = stack_trace_save_regs(regs, graph_saw.stack,
						ARRAY_SIZE(graph_saw.stack), 0);
}

static void stack_on_return_is_the_callers(struct kunit *test)
{
	struct fgraph_ops *gops = kunit_kzalloc(test, sizeof(*gops), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gops);
	memset(&graph_saw, 0, sizeof(graph_saw));
	gops->entryfunc = graph_enter;
	gops->retfunc = graph_leave;
	KUNIT_ASSERT_EQ(test, 0,
			ftrace_set_filter_ip(&gops->ops, (unsigned long)tramp_target, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(gops));
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	unregister_ftrace_graph(gops);
	ftrace_free_filter(&gops->ops);

	KUNIT_EXPECT_EQ(test, graph_saw.entry + sizeof(long), graph_saw.leave);
	KUNIT_ASSERT_GE(test, graph_saw.depth, 2);
	KUNIT_EXPECT_TRUE(test, tramp_ip_is_in(graph_saw.stack[0], tramp_target_caller));
	KUNIT_EXPECT_FALSE(test, tramp_ip_is_in(graph_saw.stack[1], tramp_target_caller));
}
#endif

/*
 * Make the call with the trap flag set: every instruction traps, and each trap
 * unwinds the stack from there.
 */
static struct task_struct *stepper;
static unsigned int steps, bad_steps;
static unsigned long bad_ip;

static bool step_is_ours(unsigned long ip)
{
	return is_ftrace_trampoline(ip) || tramp_ip_is_in(ip, (void *)arch_ftrace_mixed());
}

static void look_around(struct pt_regs *regs)
{
	unsigned long stack[8];
	unsigned int depth;

	steps++;
	depth = stack_trace_save_regs(regs, stack, ARRAY_SIZE(stack), 0);
	if (tramp_stack_is_good(stack, depth))
		return;
	if (!bad_steps++)
		bad_ip = regs->ip;
}

static int step_event(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct die_args *args = data;
	unsigned long *dr6 = (void *)args->err;

	if (what != DIE_DEBUG || current != stepper || !(*dr6 & DR_STEP))
		return NOTIFY_DONE;

	if (step_is_ours(args->regs->ip))
		look_around(args->regs);
	*dr6 &= ~DR_STEP;
	return NOTIFY_STOP;
}

static struct notifier_block step_watch = {
	.notifier_call = step_event,
	.priority = INT_MAX,
};

static noinline long call_stepping(long a, long b)
{
	long r;

	/* The flag is the CPU's: a task that preempts this one would inherit it. */
	preempt_disable();
	stepper = current;
	asm volatile("pushf\n\t" __ASM_SIZE(or) " %0, (%%" _ASM_SP ")\n\tpopf" : :
		     "i" (X86_EFLAGS_TF) : "memory", "cc");
	r = tramp_target_caller(a, b);
	asm volatile("pushf\n\t" __ASM_SIZE(and) " %0, (%%" _ASM_SP ")\n\tpopf" : :
		     "i" (~X86_EFLAGS_TF) : "memory", "cc");
	stepper = NULL;
	preempt_enable();
	return r;
}

/* Call this before a case registers anything: skipping ends the case at once. */
static void need_orc(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "without ORC, frames are incomplete in between");
}

static void step_with(struct kunit *test, unsigned int nr, unsigned long flags,
		      unsigned int least)
{
	need_orc(test);
	hooks_on(test, nr, flags);
	if (!ftrace_combo_cap)
		KUNIT_EXPECT_GT(test, ftrace_combo_mixed_sites(), 0);
	steps = 0;
	bad_steps = 0;
	KUNIT_ASSERT_EQ(test, 0, register_die_notifier(&step_watch));
	KUNIT_EXPECT_EQ(test, 35, call_stepping(42, 7));
	unregister_die_notifier(&step_watch);
	hooks_off(test, nr);

	KUNIT_EXPECT_GE(test, steps, least);
	KUNIT_EXPECT_EQ_MSG(test, 0, bad_steps, "first at %pS", (void *)bad_ip);
}

static void stack_at_each_instruction(struct kunit *test)
{
	step_with(test, 1, 0, 30);
}

static void stack_at_each_instruction_with_regs(struct kunit *test)
{
	step_with(test, 1, FTRACE_OPS_FL_SAVE_REGS, 40);
}

static void stack_at_each_instruction_of_many(struct kunit *test)
{
	step_with(test, MANY, 0, 30 + 5 * (MANY - 1));
}

#ifdef FTRACE_BARE
/* With the callback of a function tracer, whose trace array is off. */
static void stack_at_each_instruction_of_bare(struct kunit *test)
{
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	const unsigned int least = 2 * (FTRACE_BARE_SAVED + MANY) + 1;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (i = 0; i < MANY; i++)
		hooks[i].ops.private = tr;
	callback = trace_fast_function;
	step_with(test, MANY, 0, least);
	/*
	 * Other trampolines take more steps to save and restore registers. Where call
	 * depth is tracked, a step accounts for each call, and one for the site's.
	 */
	KUNIT_EXPECT_LE(test, steps,
			least + 7 + (boot_cpu_has(X86_FEATURE_CALL_DEPTH) ? MANY + 1 : 0));
}
#endif

/* The last call is the one that looks up the direct call's target. */
static void stack_at_each_instruction_before_a_direct_call(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	const unsigned long target = (unsigned long)ftrace_stub_direct_tramp;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	need_orc(test);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(ops, (unsigned long)tramp_target, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(ops, target));
	step_with(test, 1, 0, 50);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(ops, target, true));
}

static void stack_at_each_instruction_of_mixed(struct kunit *test)
{
	ftrace_combo_cap = 0;
	step_with(test, 1, FTRACE_OPS_FL_SAVE_REGS, 40);
}

static void stack_at_each_instruction_of_mixed_before_a_direct_call(struct kunit *test)
{
	ftrace_combo_cap = 0;
	stack_at_each_instruction_before_a_direct_call(test);
}

static unsigned int cap_before;

static void restore_cap(void *unused)
{
	ftrace_combo_cap = cap_before;
}

static int stack_init(struct kunit *test)
{
	hooks = kunit_kcalloc(test, MANY, sizeof(*hooks), GFP_KERNEL);
	if (!hooks)
		return -ENOMEM;
	callback = hook_func;
	cap_before = ftrace_combo_cap;
	return kunit_add_action_or_reset(test, restore_cap, NULL);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(callbacks_find_the_return_address),
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	KUNIT_CASE(stack_on_return_is_the_callers),
#endif
	KUNIT_CASE(stack_at_each_instruction),
	KUNIT_CASE(stack_at_each_instruction_with_regs),
	KUNIT_CASE(stack_at_each_instruction_of_many),
#ifdef FTRACE_BARE
	KUNIT_CASE(stack_at_each_instruction_of_bare),
#endif
	KUNIT_CASE(stack_at_each_instruction_before_a_direct_call),
	KUNIT_CASE(stack_at_each_instruction_of_mixed),
	KUNIT_CASE(stack_at_each_instruction_of_mixed_before_a_direct_call),
	{}
};

static struct kunit_suite stack_suite = {
	.name = "ftrace_stack",
	.init = stack_init,
	.test_cases = stack_cases,
};

kunit_test_suite(stack_suite);
