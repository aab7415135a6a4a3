/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that the tests of trampolines hook, and what a stack with their
 * call looks like.
 */
#ifndef _FTRACE_TRAMP_TARGETS_H
#define _FTRACE_TRAMP_TARGETS_H

#include <linux/kallsyms.h>
#include <linux/types.h>

long tramp_target(long a, long b);
long tramp_target_caller(long a, long b);

/* Is @ip in the function that begins at @func? */
static inline bool tramp_ip_is_in(unsigned long ip, void *func)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(ip, &size, &offset) &&
	       ip - offset == (unsigned long)func;
}

/* Test for the function, with its caller right behind it. */
static inline bool tramp_stack_is_good(const unsigned long *stack, unsigned int depth)
{
	unsigned int i;

	for (i = 0; i + 1 < depth; i++)
		if (tramp_ip_is_in(stack[i], tramp_target) &&
		    tramp_ip_is_in(stack[i + 1], tramp_target_caller))
			return true;
	return false;
}

#endif /* _FTRACE_TRAMP_TARGETS_H */
