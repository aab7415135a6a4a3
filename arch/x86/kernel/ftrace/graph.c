// SPDX-License-Identifier: GPL-2.0
/* The graph tracer's hook: redirect return addresses. */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/ptrace.h>
#include <asm/asm.h>

/*
 * @op is the bitmap of slots. Uses the return address that is on the stack, not
 * @parent_ip: an earlier hook may have changed it, as kretprobes do.
 */
void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long *retp = (void *)ftrace_regs_get_stack_pointer(fregs);

	/*
	 * A CPU that resumes from suspend runs for a while on a stack that is
	 * not at a kernel address. current cannot be used then.
	 */
	if (unlikely((long)current_stack_pointer >= 0))
		return;

	function_graph_enter_slots(ip, retp, (unsigned long)op, fregs);
}
