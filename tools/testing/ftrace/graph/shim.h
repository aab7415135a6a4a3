/* SPDX-License-Identifier: GPL-2.0 */
/* Enough of the kernel for <linux/ftrace/graph.h> and graph/. */
#ifndef _FTRACE_GRAPH_SHIM_H
#define _FTRACE_GRAPH_SHIM_H

#include "kernel.h"

#define min3(a, b, c)		min(a, min(b, c))
#define OPTIMIZER_HIDE_VAR(v)	asm("" : "+r" (v))

/* Here is where interrupts come. */
void interrupt(void);
#define barrier()		do { asm volatile("" ::: "memory"); interrupt(); } while (0)

/* What else the header mentions. */
#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name
#define static_branch_unlikely(key)	(*(key))
typedef struct { int counter; } atomic_t;
static inline void atomic_inc(atomic_t *v) { v->counter++; }
static inline void atomic_dec(atomic_t *v) { v->counter--; }
struct ftrace_ops { int unused; };
struct ftrace_regs;
struct task_struct { unsigned long *ret_stack; atomic_t tracing_graph_pause, trace_overrun; };
extern struct task_struct *current;

#define CONFIG_FUNCTION_GRAPH_TRACER		1
#define CONFIG_FUNCTION_GRAPH_RETVAL		1
#define CONFIG_FUNCTION_PROFILER		1
#define CONFIG_HAVE_FUNCTION_GRAPH_FREGS	1

#ifdef IN_REGISTER
#define arch_ftrace_graph_place(r)	(&(r)->lr)
#define arch_ftrace_graph_entered(r, p)	((unsigned long *)(r)->fp)
#define arch_ftrace_graph_returned(r)	((unsigned long *)(r)->fp)
#endif
#include <linux/ftrace/graph.h>

#endif /* _FTRACE_GRAPH_SHIM_H */
