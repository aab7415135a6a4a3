/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_GENERIC_INLINE_CLOCK_H
#define _ASM_GENERIC_INLINE_CLOCK_H

#include <linux/sched/clock.h>

/* Of a function that seldom is called: where it can, its caller has no registers to save. */
#define __saves_registers
#define call_saves_registers(func, arg)	((func)(arg))

/* What sched_clock_noinstr() returns, without a call where an architecture can. */
static __always_inline u64 sched_clock_inline(void)
{
	return sched_clock_noinstr();
}

#endif
