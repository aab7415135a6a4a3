// SPDX-License-Identifier: GPL-2.0
/*
 * What shadow stacks tell: unwinders, where a function really returns to;
 * callbacks, what they kept when it was entered.
 *
 * Unwinders come from any context and look at any task, running ones on other
 * CPUs included. They may get a wrong answer about a stack that changes under
 * them, which they live with anyway; they never leave the page.
 */
#include "graph.h"

#include <asm/sections.h>

/**
 * ftrace_graph_ret_addr - where a function really returns to
 * @task: whose stack is unwound
 * @idx: a cursor for one walk from the newest function to the oldest; 0 at its
 *	 start. NULL: none
 * @ret: the return address that was found on the stack
 * @retp: where it was found
 *
 * Context: Any.
 * Return: @ret where nothing stands in for it, or what does is not known (any
 * more); else the address that the function was called with.
 */
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx,
				    unsigned long ret, unsigned long *retp)
{
	unsigned long handler =
		(unsigned long)dereference_kernel_function_descriptor(return_to_handler);
	struct fgraph_shadow *s;
	unsigned long orig;
	int i;

	if (likely(ret != handler))
		return ret;

	s = fgraph_shadow(task);
	if (!s)
		return ret;

	/*
	 * The cursor is a frame's number from the bottom, and one more: frames
	 * may come and go on top between two calls, when it is the walker's
	 * own stack and the walker is watched.
	 */
	i = fgraph_shadow_find(s, idx && *idx > 0 ? *idx : UINT_MAX, retp, handler, &orig);
	if (i < 0)
		return ret;

	if (idx)
		*idx = i + 1;

	return orig;
}

/**
 * ftrace_graph_get_ret_stack - a function that was entered and has not returned
 * @task: current, or one that does not run
 * @skip: 0 for the newest, which in callbacks is the one they are called for
 *
 * Context: Any.
 * Return: NULL where there are not so many.
 */
struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip)
{
	struct fgraph_shadow *s = fgraph_shadow(task);
	unsigned int top;

	if (!s || skip < 0)
		return NULL;

	top = min_t(unsigned int, READ_ONCE(s->top), FGRAPH_SHADOW_FRAMES);
	return skip < top ? &s->frames[top - 1 - skip] : NULL;
}

/**
 * fgraph_reserve_data - keep something from a function's entry to its return
 * @idx: the caller's &fgraph_ops.idx
 * @size_bytes: how much; at most 32 longs
 *
 * Context: From &fgraph_ops.entryfunc, once. Its contents are undefined; it
 * goes with the function.
 * Return: Room aligned to a long, NULL where there is not enough.
 */
void *fgraph_reserve_data(int idx, int size_bytes)
{
	struct fgraph_shadow *s = fgraph_shadow(current);

	return s ? fgraph_shadow_reserve(s, idx, size_bytes) : NULL;
}

/**
 * fgraph_retrieve_data - what was kept when this function was entered
 * @idx: the caller's &fgraph_ops.idx
 * @size_bytes: gets how much there is: what was asked for, in whole longs
 *
 * Context: From &fgraph_ops.retfunc.
 * Return: What fgraph_reserve_data() gave, NULL where it gave nothing.
 */
void *fgraph_retrieve_data(int idx, int *size_bytes)
{
	struct fgraph_shadow *s = fgraph_shadow(current);

	return s ? fgraph_shadow_retrieve(s, idx, size_bytes) : NULL;
}
