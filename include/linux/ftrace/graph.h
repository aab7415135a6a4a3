/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry and return of functions.
 *
 * A struct fgraph_ops is told when a function that it wants is entered, and,
 * if it says so there, also when that function returns. What it wants is in
 * the filter of its ->ops, which is like any other hook's; up to
 * FTRACE_GRAPH_SLOTS of them can be registered, and none of them is told about
 * a function that only another one wants.
 *
 * Part of <linux/ftrace.h>; include that.
 */
#ifndef _LINUX_FTRACE_GRAPH_H
#define _LINUX_FTRACE_GRAPH_H

struct fgraph_ops;

/*
 * What the two callbacks are given is also what the ring buffer keeps, byte for
 * byte: the layout is user ABI, see events/ftrace/funcgraph_{entry,exit}/format.
 */
struct ftrace_graph_ent {
	unsigned long		func;	/* the address of its call to the tracer */
	int			depth;	/* functions already entered and watched, from 0 */
} __packed;

/*
 * On entry: preemption is off, and functions called from here are not traced.
 * Return: not 0 to be told of the return, too.
 */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace,
				      struct fgraph_ops *gops);

struct ftrace_graph_ret {
	unsigned long		func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	unsigned long		retval;
#endif
	int			depth;
	unsigned int		overrun;	/* functions of this task that found no room */
	unsigned long long	calltime, rettime;	/* of trace_clock_local() */
} __packed;

/* On return: as the function left things, preemption included. */
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace,
				       struct fgraph_ops *gops);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

#include <linux/jump_label.h>
#include <linux/sched.h>

#define FTRACE_GRAPH_SLOTS	16

/* One who watches functions. Static with only the callbacks set is fine. */
struct fgraph_ops {
	trace_func_graph_ent_t	entryfunc;
	trace_func_graph_ret_t	retfunc;
	struct ftrace_ops	ops;		/* the filter, and the hook */
	void			*private;	/* the owner's */
	int			idx;		/* its slot, while registered */
};

/*
 * A function that was entered and has not returned yet, as long as someone
 * waits for its return. Of each task; the newest is the last.
 */
struct ftrace_ret_stack {
	unsigned long		ret;		/* where it returns to */
	unsigned long		func;
	unsigned long		*retp;		/* where that stood; NULL: no frame */
	unsigned long long	calltime;	/* less what the task had slept by then */
#ifdef CONFIG_FUNCTION_PROFILER
	unsigned long long	subtime;	/* the profiler's: time in functions it called */
#endif
#ifdef HAVE_FUNCTION_GRAPH_FP_TEST
	unsigned long		fp;
#endif
	u32			epoch;		/* how many had registered when it was entered */
	u16			slots;		/* who waits for the return, one bit each */
	u16			data;		/* first word of data that is not its own */
};

int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);

/* Room for data that goes from the entry to the return of one call. */
void *fgraph_reserve_data(int idx, int size_bytes);
void *fgraph_retrieve_data(int idx, int *size_bytes);

/*
 * One word for each task and each fgraph_ops; 0 when @gops is registered.
 * For the callbacks: a task has it once one of its functions was entered.
 */
static __always_inline unsigned long *fgraph_get_task_var(struct fgraph_ops *gops)
{
	return &current->ret_stack[gops->idx];
}

struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip);
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx,
				    unsigned long ret, unsigned long *retp);

/*
 * For the architecture. A trampoline calls ftrace_graph_hook() once for all
 * fgraph_ops of a function; @slots is the bitmap of them, as a pointer.
 * It replaces *@retp by return_to_handler() where function_graph_enter_slots()
 * gives 0. return_to_handler() goes on where ftrace_return_to_handler() says.
 */
void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *slots, struct ftrace_regs *fregs);
int function_graph_enter_slots(unsigned long ret, unsigned long func,
			       unsigned long frame_pointer, unsigned long *retp,
			       unsigned long slots);
void return_to_handler(void);
#ifdef CONFIG_HAVE_FUNCTION_GRAPH_FREGS
unsigned long ftrace_return_to_handler(struct ftrace_regs *fregs);
#else
unsigned long ftrace_return_to_handler(unsigned long frame_pointer);
#endif

/* Tasks come and go. */
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
void ftrace_graph_init_idle_task(struct task_struct *idle, int cpu);

/* No function is watched any more, for ever. Any context. */
void ftrace_graph_stop(void);

DECLARE_STATIC_KEY_FALSE(kill_ftrace_graph);

static inline bool ftrace_graph_is_dead(void)
{
	return static_branch_unlikely(&kill_ftrace_graph);
}

/* No function of this task is watched in between; they nest. */
static inline void pause_graph_tracing(void)
{
	atomic_inc(&current->tracing_graph_pause);
}

static inline void unpause_graph_tracing(void)
{
	atomic_dec(&current->tracing_graph_pause);
}

/* For functions that other tracers may see, but that change the task under this one. */
#define __notrace_funcgraph		notrace

/* How deep output can nest. */
#define FTRACE_RETFUNC_DEPTH		50

#else /* !CONFIG_FUNCTION_GRAPH_TRACER */

#define __notrace_funcgraph

/* Macros: without the tracer, there may be no fgraph_ops to name. */
#define register_ftrace_graph(gops)	({ -1; })
#define unregister_ftrace_graph(gops)	do { } while (0)

static inline void ftrace_graph_init_task(struct task_struct *t) { }
static inline void ftrace_graph_exit_task(struct task_struct *t) { }
static inline void ftrace_graph_init_idle_task(struct task_struct *idle, int cpu) { }
static inline void pause_graph_tracing(void) { }
static inline void unpause_graph_tracing(void) { }

static inline unsigned long
ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
		      unsigned long *retp)
{
	return ret;
}

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */
#endif /* _LINUX_FTRACE_GRAPH_H */
