/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's clock without a call, for those who read it so often that saving
 * registers around the call costs as much as the clock.
 */
#ifndef _ASM_X86_INLINE_CLOCK_H
#define _ASM_X86_INLINE_CLOCK_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>

#include <asm/timer.h>

/* A CPU's parameters, twice, so that one copy is always complete: @seq says which. */
struct cyc2ns {
	struct cyc2ns_data	data[2];
	u64			scale;		/* of data[0], see cyc2ns_scale() */
	seqcount_latch_t	seq;
};

DECLARE_PER_CPU_ALIGNED(struct cyc2ns, cyc2ns);

/* On if the clock is the TSC and its parameters suit sched_clock_inline(). */
DECLARE_STATIC_KEY_FALSE(sched_clock_inlined);

/*
 * For a function that is rarely called, with one word as argument and as result: it saves
 * all registers, so its caller need not save any. A compiler that sees a call in the
 * caller would save some all the same, so the call is hidden in an asm statement.
 */
#ifdef CONFIG_X86_64
#define __saves_registers	__attribute__((no_caller_saved_registers))
#define call_saves_registers(func, arg) ({					\
	unsigned long __ret;							\
										\
	asm volatile("call %c[callee]" : "=a" (__ret), ASM_CALL_CONSTRAINT		\
		     : [callee] "i" (func), "D" (arg) : "memory");			\
	__ret;									\
})
#else
#define __saves_registers
#define call_saves_registers(func, arg)	((func)(arg))
#endif

/* As sched_clock_noinstr(). */
__saves_registers u64 sched_clock_called(void);

/*
 * The upper 64 bits of the product of this and 4 * cycles are cycles * @mul >> @shift,
 * exactly, if both factors fit: fewer than 2^62 cycles, each shorter than 4 ns.
 */
static __always_inline u64 cyc2ns_scale(u32 mul, u32 shift)
{
	return (u64)mul << (62 - shift);
}

/* Return what sched_clock_noinstr() returns. The caller has disabled preemption. */
static __always_inline u64 sched_clock_inline(void)
{
#ifdef CONFIG_X86_64
	unsigned int number;
	u64 ns, low;
	bool changed;

	if (static_branch_likely(&sched_clock_inlined)) {
		/* With an odd number data[0] is being written. */
		asm volatile("movl " __percpu_arg([seq]) ", %[number]\n\t"
			     "andl $-2, %[number]\n\t"
			     "rdtsc\n\t"
			     "shlq $34, %%rdx\n\t"
			     "leaq (%%rdx,%%rax,4), %%rax\n\t"
			     "mulq " __percpu_arg([scale]) "\n\t"
			     "addq " __percpu_arg([offset]) ", %%rdx\n\t"
			     "cmpl " __percpu_arg([seq]) ", %[number]"
			     : "=&a" (low), "=&d" (ns), [number] "=&r" (number), "=@ccne" (changed)
			     : [seq] "m" (__my_cpu_var(cyc2ns.seq.seqcount.sequence)),
			       [scale] "m" (__my_cpu_var(cyc2ns.scale)),
			       [offset] "m" (__my_cpu_var(cyc2ns.data[0].cyc2ns_offset)));
		if (likely(!changed))
			return ns;
	}
	asm volatile("call sched_clock_called" : "=a" (ns), ASM_CALL_CONSTRAINT);
	return ns;
#else
	return sched_clock_called();
#endif
}

#endif
