/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry and return of functions.
 *
 * A struct fgraph_ops has a callback for the entry of a function and one for its
 * return, which is called if the first asks for it. The filter of its ->ops says
 * for which functions they are called, as for any other ops. Up to
 * FTRACE_GRAPH_SLOTS fgraph_ops can be registered, each called for its own functions
 * only.
 *
 * Included by <linux/ftrace.h>; include that header.
 */
#ifndef _LINUX_FTRACE_GRAPH_H
#define _LINUX_FTRACE_GRAPH_H

struct fgraph_ops;
struct ftrace_regs;

/**
 * struct ftrace_graph_ent - the entry of a function
 * @func: address of its call to the tracer
 * @depth: number of watched functions above it in the call chain
 *
 * Also an entry of the ring buffer, byte for byte, as are struct
 * fgraph_retaddr_ent and struct ftrace_graph_ret: their layout is user ABI, see
 * events/ftrace/funcgraph_{entry,retaddr_entry,exit}/format.
 */
struct ftrace_graph_ent {
	unsigned long		func;
	long			depth;		/* below 0 only in other implementations */
} __packed;

/**
 * typedef trace_func_graph_ent_t - callback on the entry of a function
 * @trace: the entry
 * @gops: what was registered
 * @fregs: registers at the function's site
 *
 * A function that the callback calls may be traced, too; what is called while that is
 * recorded is not (ftrace_test_recursion_trylock()).
 *
 * Context: Any context, NMI included. Preemption off.
 * Return: Nonzero if the callback for the return is to be called, too.
 */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace,
				      struct fgraph_ops *gops,
				      struct ftrace_regs *fregs);

/**
 * struct ftrace_graph_ret - the return of a function
 * @func: as in struct ftrace_graph_ent
 * @retval: its return value, with CONFIG_FUNCTION_GRAPH_RETVAL
 * @depth: as in struct ftrace_graph_ent
 * @overrun: number of this task's calls that found no room for a frame
 */
struct ftrace_graph_ret {
	unsigned long		func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	unsigned long		retval;
#endif
	s32			depth;
	u32			overrun;
} __packed;

/**
 * struct fgraph_retaddr_ent - the entry of a function, with its caller
 * @ent: the entry
 * @retaddr: where the function returns to
 */
struct fgraph_retaddr_ent {
	struct ftrace_graph_ent	ent;
	unsigned long		retaddr;
} __packed;

/**
 * typedef trace_func_graph_ret_t - callback on the return of a function
 * @trace: the return
 * @gops: what was registered
 * @fregs: registers at the return: the return value, the stack pointer, the frame
 *	   pointer and, as instruction pointer, the address that the function returns to
 *
 * A function that the callback calls may be traced, too; what is called while that is
 * recorded is not (ftrace_test_recursion_trylock()).
 *
 * Context: Any context, NMI included. Preemption off.
 */
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace,
				       struct fgraph_ops *gops,
				       struct ftrace_regs *fregs);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

#include <linux/jump_label.h>
#include <linux/sched.h>

#define FTRACE_GRAPH_SLOTS	16

/**
 * struct fgraph_ops - what a graph client registers
 * @entryfunc: called on entry
 * @retfunc: called on return, if @entryfunc asked for it; may be NULL
 * @ops: has the filter: for ftrace_set_filter() and the like
 * @private: the owner's; not used by the library
 * @idx: number of its slot, while registered; for fgraph_reserve_data() and
 *	fgraph_retrieve_data()
 *
 * The owner sets the callbacks; all other fields may be zero.
 */
struct fgraph_ops {
	trace_func_graph_ent_t	entryfunc;
	trace_func_graph_ret_t	retfunc;
	struct ftrace_ops	ops;
	void			*private;
	int			idx;
};

/*
 * The frame of a function that has not returned yet and whose return a client
 * waits for. Each task has an array of them, the newest last.
 */
struct ftrace_ret_stack {
	unsigned long		ret;		/* the real return address */
	unsigned long		func;
	unsigned long		*retp;		/* identifies it, see below; NULL: not valid */
	u32			epoch;		/* number of registrations at entry */
	u16			slots;		/* bitmap of slots that wait for the return */
	u16			data;		/* where data of older frames begins */
	unsigned long		word;		/* data of one client that needs only a word */
};

int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);

void *fgraph_reserve_data(int idx, int size_bytes);
void *fgraph_retrieve_data(int idx, int *size_bytes);
void *fgraph_retrieve_parent_data(int idx, int *size_bytes, int depth);

/**
 * fgraph_get_task_var() - get the word that a client has in each task
 * @gops: the client
 *
 * The word is 0 when @gops is registered, unless a callback of an earlier registration is
 * still in an interrupt and writes it afterwards.
 *
 * Context: The callbacks of @gops. Elsewhere the task may have no shadow stack.
 * Return: The word of the current task.
 */
static __always_inline unsigned long *fgraph_get_task_var(struct fgraph_ops *gops)
{
	return &current->ret_stack[gops->idx];
}

unsigned long ftrace_graph_top_ret_addr(struct task_struct *task);
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx,
				    unsigned long ret, unsigned long *retp);

/*
 * For the architecture, which supplies arch_ftrace_graph_ready() and, in assembly,
 * return_to_handler(): this calls ftrace_return_to_handler(), and continues at the
 * address given to arch_ftrace_graph_returns_to(). Trampolines call ftrace_graph_hook().
 *
 * On entry, a function's return address is at arch_ftrace_graph_place(). Its frame is
 * identified, in ->retp and for ftrace_graph_ret_addr(), by arch_ftrace_graph_entered()
 * on entry and by arch_ftrace_graph_returned() after the return. After the return,
 * arch_ftrace_graph_returns_to() tells callbacks, return_to_handler() and unwinders the
 * address that the function returns to, so that the frame may be dropped afterwards. An
 * architecture that identifies frames by something else than the place on the stack
 * defines all four in <asm/ftrace.h>.
 */
#ifndef arch_ftrace_graph_place
#define arch_ftrace_graph_place(fregs)	((unsigned long *)ftrace_regs_get_stack_pointer(fregs))
#define arch_ftrace_graph_entered(fregs, place)	((void)(fregs), (place))
#define arch_ftrace_graph_returned(fregs) \
	((unsigned long *)ftrace_regs_get_stack_pointer(fregs) - 1)
#endif

void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *slots, struct ftrace_regs *fregs);
void return_to_handler(void);
void ftrace_return_to_handler(struct ftrace_regs *fregs);

/* For fork, exit and CPU hotplug. */
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
void ftrace_graph_init_idle_task(struct task_struct *idle, int cpu);

void ftrace_graph_stop(void);

DECLARE_STATIC_KEY_FALSE(kill_ftrace_graph);

static inline bool ftrace_graph_is_dead(void)
{
	return static_branch_unlikely(&kill_ftrace_graph);
}

/* Between these two, no function of the current task is watched. They nest. */
static inline void pause_graph_tracing(void)
{
	atomic_inc(&current->tracing_graph_pause);
}

static inline void unpause_graph_tracing(void)
{
	atomic_dec(&current->tracing_graph_pause);
}

/* For functions that change the current task, and with it the shadow stack. */
#define __notrace_funcgraph		notrace

/* The deepest call that output can show. */
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
