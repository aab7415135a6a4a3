/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Protection of callbacks against recursion, in few instructions.
 */
#ifndef _LINUX_FTRACE_RECURSION_H
#define _LINUX_FTRACE_RECURSION_H

#include <linux/bits.h>
#include <linux/hardirq.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>

/**
 * ftrace_recursion_trylock() - take the lock of ftrace_test_recursion_trylock()
 * @ip: the function
 * @parent_ip: its caller
 *
 * Takes fewer instructions if the task is in no interrupt and no callback.
 *
 * Context: Any context. Disables preemption, unless it returns a negative number.
 * Return: The bit for ftrace_test_recursion_unlock(); negative on recursion.
 */
static __always_inline int ftrace_recursion_trylock(unsigned long ip, unsigned long parent_ip)
{
	const int bit = TRACE_CTX_NORMAL + TRACE_FTRACE_START;
	const unsigned long val = READ_ONCE(current->trace_recursion);

	if (IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING) || unlikely(val & BIT(bit)) ||
	    unlikely(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
		return ftrace_test_recursion_trylock(ip, parent_ip);

	current->trace_recursion = val | BIT(bit);
	barrier();	/* interrupts see the bit before anything is called */
	preempt_disable_notrace();
	return bit;
}

#endif /* _LINUX_FTRACE_RECURSION_H */
