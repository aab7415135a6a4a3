/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's clock without a call, for those who read it so often that saving
 * registers around the call costs as much as the clock.
 */
#ifndef _ASM_X86_INLINE_CLOCK_H
#define _ASM_X86_INLINE_CLOCK_H

#include <linux/jump_label.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>

#include <asm/timer.h>
#include <asm/tsc.h>

DECLARE_STATIC_KEY_FALSE(__use_tsc);

/* A CPU's parameters, twice, so that one copy is always complete: the number says which. */
struct cyc2ns {
	struct cyc2ns_data	data[2];
	seqcount_latch_t	seq;
};

DECLARE_PER_CPU_ALIGNED(struct cyc2ns, cyc2ns);

#ifdef CONFIG_PARAVIRT
/* A hypervisor's clock is in place of the native one. */
DECLARE_STATIC_KEY_FALSE(sched_clock_replaced);
#endif

/* True if the scheduler's clock is the time stamp counter. */
static __always_inline bool sched_clock_is_tsc(void)
{
#ifdef CONFIG_PARAVIRT
	if (static_branch_unlikely(&sched_clock_replaced))
		return false;
#endif
	return static_branch_likely(&__use_tsc);
}

/* @tsc * @mul >> @shift; @shift is less than 64. */
static __always_inline u64 cyc2ns_scale(u64 tsc, unsigned int mul, unsigned int shift)
{
#ifdef CONFIG_X86_64
	u64 high;

	/* For an __int128 the compiler would align the stack of each caller. */
	asm("mulq %[mul]" : "+a" (tsc), "=d" (high) : [mul] "rm" ((u64)mul) : "cc");
	asm("shrdq %%cl, %[high], %[low]"
	    : [low] "+r" (tsc) : [high] "r" (high), "c" (shift) : "cc");
	return tsc;
#else
	return mul_u64_u32_shr(tsc, mul, shift);
#endif
}

/* What sched_clock_noinstr() returns. Preemption is off. */
static __always_inline u64 sched_clock_inline(void)
{
	unsigned int number, which, mul, shift;
	u64 tsc, offset;

	if (!sched_clock_is_tsc())
		return sched_clock_noinstr();

	tsc = rdtsc();
	do {
		number = this_cpu_read(cyc2ns.seq.seqcount.sequence);
		which = number & 1;
		mul = this_cpu_read(cyc2ns.data[which].cyc2ns_mul);
		shift = this_cpu_read(cyc2ns.data[which].cyc2ns_shift);
		offset = this_cpu_read(cyc2ns.data[which].cyc2ns_offset);
	} while (unlikely(this_cpu_read(cyc2ns.seq.seqcount.sequence) != number));

	return cyc2ns_scale(tsc, mul, shift) + offset;
}

#endif
