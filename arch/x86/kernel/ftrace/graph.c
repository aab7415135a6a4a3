// SPDX-License-Identifier: GPL-2.0
/* The graph tracer's hook: redirect return addresses. */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>

/*
 * @op is the bitmap of slots. Uses the return address that is on the stack, not
 * @parent_ip: an earlier hook may have changed it, as kretprobes do.
 */
void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long *slot = (void *)ftrace_regs_get_stack_pointer(fregs);
	int bit;

	/*
	 * A CPU that resumes from suspend runs for a while on a stack that is
	 * not at a kernel address. current cannot be used then.
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
	if (!function_graph_enter_slots(*slot, ip, 0, slot, (unsigned long)op, fregs))
		*slot = (unsigned long)return_to_handler;
	ftrace_test_recursion_unlock(bit);
}
