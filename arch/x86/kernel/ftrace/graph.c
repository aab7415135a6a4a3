// SPDX-License-Identifier: GPL-2.0
/*
 * The graph tracer's grip on return addresses.
 */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>

/**
 * ftrace_graph_hook - a function with graph hooks is entered
 * @ip:		its site
 * @parent_ip:	its return address, if nobody has changed it since
 * @op:		not one: the bitmap of the slots of the hooks
 * @fregs:	its registers
 *
 * Hooks before this one may have changed the return address (kretprobes do),
 * so what counts is the one in its slot.
 *
 * Context: a trampoline; any.
 */
void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long *slot = (void *)ftrace_regs_get_stack_pointer(fregs);
	int bit;

	/*
	 * Resuming from suspend, a CPU runs for a while on a stack that is not
	 * where the kernel's addresses are. Nothing that hangs on current can
	 * be used then.
	 */
	if (unlikely((long)__builtin_frame_address(0) >= 0))
		return;
	if (ftrace_graph_is_dead())
		return;
	if (unlikely(atomic_read(&current->tracing_graph_pause)))
		return;

	bit = ftrace_test_recursion_trylock(ip, *slot);
	if (bit < 0)
		return;
	if (!function_graph_enter_slots(*slot, ip, 0, slot, (unsigned long)op))
		*slot = (unsigned long)return_to_handler;
	ftrace_test_recursion_unlock(bit);
}
