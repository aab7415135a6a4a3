/* SPDX-License-Identifier: GPL-2.0 */
/* Enough of the kernel for <linux/ftrace/graph.h> and graph/stack.h. */
#ifndef SHIM_LINUX_FTRACE_H
#define SHIM_LINUX_FTRACE_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define U16_MAX			UINT16_MAX
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define min3(a, b, c)		((a) < (b) ? ((a) < (c) ? (a) : (c)) : ((b) < (c) ? (b) : (c)))
#define likely(x)		(x)
#define unlikely(x)		(x)
#undef __always_inline
#define __always_inline		inline
#define __packed		__attribute__((packed))
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))

/* Here is where interrupts come. */
void interrupt(void);
#define barrier()		do { asm volatile("" ::: "memory"); interrupt(); } while (0)

/* What else the header mentions. */
#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name
#define static_branch_unlikely(key)	(*(key))
#define notrace
typedef struct { int counter; } atomic_t;
static inline void atomic_inc(atomic_t *v) { v->counter++; }
static inline void atomic_dec(atomic_t *v) { v->counter--; }
struct ftrace_ops { int unused; };
struct ftrace_regs;
struct task_struct { unsigned long *ret_stack; atomic_t tracing_graph_pause; };
extern struct task_struct *current;

#define CONFIG_FUNCTION_GRAPH_TRACER		1
#define CONFIG_FUNCTION_GRAPH_RETVAL		1
#define CONFIG_FUNCTION_PROFILER		1
#define CONFIG_HAVE_FUNCTION_GRAPH_FREGS	1

#include "../../../../../../include/linux/ftrace/graph.h"

#endif
