/* SPDX-License-Identifier: GPL-2.0 */
/* Enough of the kernel for <linux/ftrace/graph.h> and graph/. */
#ifndef _FTRACE_GRAPH_SHIM_H
#define _FTRACE_GRAPH_SHIM_H

#define IS_ENABLED(option)	shim_##option
#define shim_CONFIG_RING_BUFFER_FAST_PATH 1
#define shim_CONFIG_64BIT	1
#define shim_CONFIG_CPU_BIG_ENDIAN 0
#include "kernel.h"

#define OPTIMIZER_HIDE_VAR(v)	asm("" : "+r" (v))

/* Interrupts come at barriers. */
void interrupt(void);
#define barrier()		do { asm volatile("" ::: "memory"); interrupt(); } while (0)

/* What else the header mentions. */
#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name
#define static_branch_unlikely(key)	(*(key))
typedef struct { int counter; } atomic_t;
static inline void atomic_inc(atomic_t *v) { v->counter++; }
static inline void atomic_dec(atomic_t *v) { v->counter--; }
struct ftrace_ops { int unused; };
struct task_struct { unsigned long *ret_stack; atomic_t tracing_graph_pause, trace_overrun; };
extern struct task_struct *current;

#define CONFIG_FUNCTION_GRAPH_TRACER		1
#define CONFIG_FUNCTION_GRAPH_RETVAL		1
#define CONFIG_FUNCTION_PROFILER		1
#define CONFIG_HAVE_FUNCTION_GRAPH_FREGS	1

/* Of call.c. False or an error: the fast path is not taken. */
int fast_entry(unsigned long func, u64 *time);
bool fast_return(unsigned long func, u64 time);
u64 sched_clock_inline(void);

/* What the graph tracer's calls need of its surroundings. */
struct ftrace_regs {
	unsigned long sp, fp, lr, ip, value;
};

#define ftrace_regs_get_stack_pointer(r)	((r)->sp)
#define ftrace_regs_get_return_value(r)		((r)->value)
#define ftrace_regs_set_instruction_pointer(r, a) ((r)->ip = (a))
#define __ffs(x)			((unsigned long)__builtin_ctzl(x))
#define sizeof_field(type, member)	sizeof(((type *)NULL)->member)
#define WARN(c, ...)			(warned += !!(c))
#define printk_deferred_once(...)	(strays++)
#define INDIRECT_CALL_1(f, g, ...)	(f)(__VA_ARGS__)
#define NOKPROBE_SYMBOL(name)
#define arch_ftrace_graph_ready()	true
#define atomic_read(v)			((v)->counter)
#define preempt_disable_notrace()	((void)0)
#define preempt_enable_notrace()	((void)0)
#define ftrace_recursion_trylock(ip, parent) 0
#define ftrace_test_recursion_unlock(bit) ((void)(bit))
#define dereference_kernel_function_descriptor(f) (f)

/* In place of trace_fast.h, fprobe_fast.h and dispatch.h. */
#define _TRACE_FAST_H
#define _FPROBE_FAST_H
#define _FTRACE_DISPATCH_H
#define trace_fast_graph_entry		tracer_entry
#define trace_fast_graph_return		tracer_return
#define trace_fast_recursion()		false
#define trace_fast_entry(gops, func, depth, time) fast_entry(func, time)
#define trace_fast_return(gops, func, depth, time, regs) fast_return(*(func), *(time))
bool compact_return(unsigned long func, u64 time);
#define trace_compact_return(gops, func, depth, time) compact_return(*(func), *(time))
#define fprobe_is_entry(callback)	false
#define fprobe_is_return(callback)	false
#define fprobe_leave_alone(...)		((void)0)
#define ftrace_pid_passes(ops)		true
enum fprobe_alone { FPROBE_NOT_WANTED, FPROBE_WANTED, FPROBE_GENERAL };
#define fprobe_enter_alone(...)		FPROBE_GENERAL

#ifdef IN_REGISTER
#define arch_ftrace_graph_place(r)	(&(r)->lr)
#define arch_ftrace_graph_entered(r, p)	((unsigned long *)(r)->fp)
#define arch_ftrace_graph_returned(r)	((unsigned long *)(r)->fp)
#define arch_ftrace_graph_returns_to(r, a)	((r)->lr = (r)->ip = (a))
#endif
#include <linux/ftrace/graph.h>

/* In place of trace.h, for filter.h */
#define TRACE_GRAPH_FL			1
#define TRACE_GRAPH_NOTRACE		8
#define TRACE_IRQ_BIT			true
#define trace_recursion_set(bit)	set_irq_bit(bit)
#define trace_recursion_clear(bit)	set_irq_bit(!(bit))
#ifndef __rcu
#define __rcu
#endif
#ifndef rcu_dereference_raw
#define rcu_dereference_raw(p)		(p)
#endif
bool in_hardirq(void);
void set_irq_bit(bool on);
struct trace_array {
	struct fgraph_set __rcu *graph_sets[2];
	unsigned int graph_depth;
	unsigned long graph_thresh;
};

#endif /* _FTRACE_GRAPH_SHIM_H */
