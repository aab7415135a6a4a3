/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that users of <linux/ftrace.h> get from it, although they do not
 * belong to the function tracer.
 */
#ifndef _LINUX_FTRACE_MISC_H
#define _LINUX_FTRACE_MISC_H

#include <linux/linkage.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct ctl_table;

/* Addresses in the callers of this function; 0 where the compiler cannot tell. */
#ifndef ftrace_return_address0
#define ftrace_return_address0	__builtin_return_address(0)
#endif

#ifndef ftrace_return_address
#ifdef CONFIG_FRAME_POINTER
#define ftrace_return_address(n)	__builtin_return_address(n)
#else
#define ftrace_return_address(n)	0UL
#endif
#endif

#define ftrace_caller_addr(n)	((unsigned long)ftrace_return_address(n))

#define CALLER_ADDR0	((unsigned long)ftrace_return_address0)
#define CALLER_ADDR1	ftrace_caller_addr(1)
#define CALLER_ADDR2	ftrace_caller_addr(2)

/* The first caller that is not itself part of a lock. */
static __always_inline unsigned long get_lock_parent_ip(void)
{
	if (!in_lock_functions(CALLER_ADDR0))
		return CALLER_ADDR0;
	if (!in_lock_functions(CALLER_ADDR1))
		return CALLER_ADDR1;
	return CALLER_ADDR2;
}

/* Empty macros, as CALLER_ADDR1 generates code on some architectures. */
#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
void trace_preempt_on(unsigned long a0, unsigned long a1);
void trace_preempt_off(unsigned long a0, unsigned long a1);
#else
#define trace_preempt_on(a0, a1)	do { } while (0)
#define trace_preempt_off(a0, a1)	do { } while (0)
#endif

#ifdef CONFIG_TRACING
void trace_init(void);
void early_trace_init(void);

enum ftrace_dump_mode;

int ftrace_dump_on_oops_enabled(void);
void disable_trace_on_warning(void);
#else
static inline void trace_init(void) { }
static inline void early_trace_init(void) { }
static inline void disable_trace_on_warning(void) { }
#endif

#ifdef CONFIG_TRACER_SNAPSHOT
void ftrace_boot_snapshot(void);
#else
static inline void ftrace_boot_snapshot(void) { }
#endif

#ifdef CONFIG_STACK_TRACER
/* Not 0: no stack tracing on this CPU. Change it with preemption or interrupts off. */
DECLARE_PER_CPU(int, disable_stack_tracer);

int stack_trace_sysctl(const struct ctl_table *table, int write, void *buffer,
		       size_t *lenp, loff_t *ppos);
#endif

#ifdef CONFIG_FTRACE_SYSCALLS
unsigned long arch_syscall_addr(int nr);
#endif

#endif /* _LINUX_FTRACE_MISC_H */
