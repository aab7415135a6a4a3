// SPDX-License-Identifier: GPL-2.0
/*
 * Access to shadow stacks: unwinders get a function's real return address,
 * callbacks reserve data on entry and get it on return.
 *
 * Unwinders call from any context, for any task, running ones on other CPUs
 * included. They may get a wrong answer about a stack that changes meanwhile,
 * which unwinders expect of any stack; they never read outside of the page.
 */
#include <linux/ftrace.h>
#include <asm/sections.h>

#include "stack.h"

/**
 * ftrace_graph_ret_addr() - get the real return address of a function
 * @task: the task whose stack is unwound
 * @idx: cursor of a walk from the newest function to the oldest, 0 at its
 *	 start; NULL: search all frames
 * @ret: the return address that was found on the stack
 * @retp: what identifies the function's frame: the place on the stack that held @ret, or
 *	  as arch_ftrace_graph_entered() says
 *
 * Context: Any context.
 * Return: The real return address if @ret is return_to_handler() and its frame
 * is found, else @ret.
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
	 * The cursor is a frame's number from the bottom, plus one: frames on top
	 * may change between two calls, if the walker walks its own stack and
	 * calls watched functions.
	 */
	i = fgraph_shadow_find(s, idx && *idx > 0 ? *idx : UINT_MAX, retp, handler, &orig);
	if (i < 0)
		return ret;

	if (idx)
		*idx = i + 1;

	return orig;
}

/**
 * ftrace_graph_top_ret_addr() - get the return address of the newest function
 * @task: current, or a task that does not run
 *
 * In an entry callback, this is the return address of its own function.
 *
 * Context: Any context.
 * Return: The real return address, 0 if no function of @task is watched.
 */
unsigned long ftrace_graph_top_ret_addr(struct task_struct *task)
{
	const unsigned long handler =
		(unsigned long)dereference_kernel_function_descriptor(return_to_handler);
	struct fgraph_shadow *s = fgraph_shadow(task);
	struct ftrace_ret_stack *f;
	unsigned int depth = 0;

	/* After a tail call, only the older frame has the real return address. */
	while (s && (f = fgraph_shadow_below(s, depth++)))
		if (READ_ONCE(f->ret) != handler)
			return READ_ONCE(f->ret);

	return 0;
}

/**
 * fgraph_reserve_data() - reserve data from a function's entry to its return
 * @idx: the caller's &fgraph_ops.idx
 * @size_bytes: size in bytes, at most 32 longs
 *
 * The contents are undefined. The data is dropped when the function returns.
 *
 * Context: &fgraph_ops.entryfunc, once.
 * Return: The data, aligned to a long, or NULL if there is not enough room.
 */
void *fgraph_reserve_data(int idx, int size_bytes)
{
	struct fgraph_shadow *s = fgraph_shadow(current);

	return s ? fgraph_shadow_reserve(s, idx, size_bytes) : NULL;
}

/**
 * fgraph_retrieve_data() - get the data reserved when this function was entered
 * @idx: the caller's &fgraph_ops.idx
 * @size_bytes: set to the size of the data in bytes, rounded up to whole longs
 *
 * Context: &fgraph_ops.retfunc.
 * Return: What fgraph_reserve_data() returned; NULL if there is none.
 */
void *fgraph_retrieve_data(int idx, int *size_bytes)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	struct ftrace_ret_stack *f = s ? fgraph_shadow_top(s) : NULL;

	return f ? fgraph_shadow_retrieve(s, f, idx, size_bytes) : NULL;
}
