/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel that real.c gives the text engine: threads are CPUs, signals are
 * traps and NMIs, a memory file that is mapped twice is the kernel's text.
 *
 * Barriers and accesses are as strong as the kernel's are on x86, no stronger, or
 * they could hide that the engine lacks a barrier.
 */
#ifndef _TEXT_PATCH_REAL_H
#define _TEXT_PATCH_REAL_H

/* IS_ENABLED(): what is defined as 1 is on. */
#define CONFIG_X86_64		1
#define IS_ENABLED(option)	SHIM_OPTION(option)
#define SHIM_OPTION(value)	SHIM_PICK(SHIM_ON_##value)
#define SHIM_ON_1		0,
#define SHIM_PICK(word)		SHIM_TAKE(word 1, 0, 0)
#define SHIM_TAKE(a, b, ...)	b

#define CONFIG_X86_TEXT_PATCH	1
#define CONFIG_PERF_EVENTS	1
#include "shim.h"

/* The verdicts of the program, in the order of real.c's list. */
enum verdict { VERDICT_WHOLE, VERDICT_MOMENT, VERDICT_RESOLVED, VERDICT_COMMITS, VERDICT_MET,
	       VERDICT_STEPS, VERDICT_LOST, VERDICT_FAULTS, NR_VERDICTS };

/* Prints which verdict is wrong, and why, and ends the program. For any context. */
__printf(2, 3) __attribute__((noreturn))
void real_fail(enum verdict verdict, const char *fmt, ...);

/* Barriers */
#define barrier()		__asm__ volatile ("" : : : "memory")
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		barrier()
#define smp_wmb()		barrier()
#undef smp_store_release
#undef smp_load_acquire
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)

/* Per-CPU variables are in a section of which each CPU has a copy. */
#define REAL_CPUS		64
#define REAL_PERCPU		4096

extern __thread unsigned int real_cpu;
extern unsigned int real_nr_cpus;
extern u8 real_percpu[REAL_CPUS][REAL_PERCPU];
extern u8 __start_percpu[], __stop_percpu[];

#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	__attribute__((section("percpu"))) type name
#define per_cpu_ptr(p, cpu) \
	((__typeof__(p))(real_percpu[cpu] + ((u8 *)(p) - __start_percpu)))
#define per_cpu(var, cpu)		(*per_cpu_ptr(&(var), cpu))
#define this_cpu_read(var)		READ_ONCE(per_cpu(var, real_cpu))
#define this_cpu_write(var, v)		WRITE_ONCE(per_cpu(var, real_cpu), v)
/* One instruction each, as an NMI could come in between two. */
#define this_cpu_inc(var) \
	__asm__ volatile ("add%z0 $1, %0" : "+m" (per_cpu(var, real_cpu)) : : "memory", "cc")
#define this_cpu_dec(var) \
	__asm__ volatile ("sub%z0 $1, %0" : "+m" (per_cpu(var, real_cpu)) : : "memory", "cc")
#define for_each_possible_cpu(cpu)	for (cpu = 0; cpu < (int)real_nr_cpus; cpu++)

/* A thread that waits yields: there may be fewer real CPUs than threads. */
void real_relax(void);
#define cpu_relax()		real_relax()

/* Each thread is a task; only one changes text. */
#define current			((struct task_struct *)&real_cpu)
extern struct mutex text_mutex;

#define preempt_disable()	((void)0)
#define preempt_enable()	((void)0)
#define user_mode(regs)		false
u64 local_clock(void);

/* Text: all from _stext to _etext is mapped, and no other text can be read. */
extern u8 *real_text, *real_text_end;
#define _stext			real_text
#define _etext			real_text_end
#define copy_from_kernel_nofault(to, from, len)	((void)(to), -EFAULT)

typedef struct {
	unsigned long addr;
} pte_t;

#define pte_none(pte)		(!(pte).addr)
#define lass_stac()		barrier()
#define lass_clac()		barrier()

#define get_unaligned(p) \
	(((const struct { __typeof__(*(p)) v; } __packed *)(p))->v)
#define put_unaligned(val, p) \
	(((struct { __typeof__(*(p)) v; } __packed *)(p))->v = (val))

/* An unknown hypervisor, for which the engine checks for late traps, or none. */
bool real_is_guest(void);
#define boot_cpu_has(feature)	real_is_guest()
#define hypervisor_is_type(type) true

void real_panics(void);
#define panic(fmt, ...) \
	(real_panics(), real_fail(VERDICT_COMMITS, "panic: " fmt, ##__VA_ARGS__))
#define WARN_ONCE(c, fmt, ...) \
	((c) ? real_fail(VERDICT_COMMITS, "warning: %s", fmt) : (void)0)

void perf_event_text_poke(const void *addr, const void *old, size_t old_len,
			  const void *new, size_t new_len);

#define __GFP_RETRY_MAYFAIL	0
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define EXPORT_SYMBOL_NS_GPL(name, ns)
#define EXPORT_SYMBOL_FOR_MODULES(name, modules)

/* stop_machine(): stopped CPUs are threads that do nothing else. */
typedef struct {
	int n;
} atomic_t;

#define atomic_set(a, v)		WRITE_ONCE((a)->n, v)
#define atomic_read(a)			READ_ONCE((a)->n)
#define atomic_inc_return(a)		__atomic_add_fetch(&(a)->n, 1, __ATOMIC_SEQ_CST)
#define atomic_inc_return_release(a)	__atomic_add_fetch(&(a)->n, 1, __ATOMIC_RELEASE)
#define atomic_read_acquire(a)		smp_load_acquire(&(a)->n)
bool real_hotplug(void);
extern unsigned int real_hotplug_locks;
#define cpus_read_trylock()		(!real_hotplug() && ++real_hotplug_locks)
#define cpus_read_unlock()		((void)real_hotplug_locks--)
#define num_online_cpus()		real_nr_cpus
int real_stop_machine(int (*fn)(void *data), void *data);
#define stop_machine_cpuslocked(fn, data, mask)	real_stop_machine(fn, data)
void real_sync_core(void);
#define sync_core()			real_sync_core()

#endif /* _TEXT_PATCH_REAL_H */
