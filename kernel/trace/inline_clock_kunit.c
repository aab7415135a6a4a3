// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's clock, read without a call.
 *
 * proves: arch/x86/include/asm/inline_clock.h
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <asm/inline_clock.h>

/* On each CPU, a reading lies between two readings by a call. */
static void reads_what_a_call_reads(struct kunit *test)
{
	unsigned int cpu, i, bad = 0;
	u64 before, now, after;

	for_each_online_cpu(cpu) {
		KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
		for (i = 0; i < 1000; i++) {
			preempt_disable();
			before = sched_clock_noinstr();
			now = sched_clock_inline();
			after = sched_clock_noinstr();
			preempt_enable();
			bad += now < before || now > after;
		}
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	KUNIT_EXPECT_EQ(test, bad, 0);
}

#ifdef CONFIG_X86_64
/* One multiplication gives the same bits as another one and a shift. */
static void scales_exactly(struct kunit *test)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 100000; i++) {
		const u64 cycles = get_random_u64() >> get_random_u32_inclusive(2, 40);
		const u32 shift = get_random_u32_inclusive(1, 31);
		const u32 mul = get_random_u32_below(shift < 30 ? 4 << shift : U32_MAX);

		bad += mul_u64_u64_shr(4 * cycles, cyc2ns_scale(mul, shift), 64) !=
		       mul_u64_u32_shr(cycles, mul, shift);
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
}
#endif

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(reads_what_a_call_reads),
#ifdef CONFIG_X86_64
	KUNIT_CASE(scales_exactly),
#endif
	{}
};

static struct kunit_suite clock_suite = {
	.name = "inline_clock",
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
