// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit costs with 0, 1, 2, 4 and 8 probes.
 *
 * Builds against any kernel of this version, with or without this tracer. Under an
 * emulator that counts an instruction as a nanosecond the figures are instructions.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#define HITS 100000

DECLARE_TRACE(tp_bench, TP_PROTO(int a, void *b), TP_ARGS(a, b));
DEFINE_TRACE(tp_bench_tp, TP_PROTO(int a, void *b), TP_ARGS(a, b));

static notrace noinline void nothing(void *data, int a, void *b)
{
	barrier();
}

static notrace noinline void pass(int a, void *b)
{
	barrier();
}

static notrace noinline void pass_and_hit(int a, void *b)
{
	barrier();
	trace_tp_bench_tp(a, b);
}

static u64 run(void (*func)(int a, void *b))
{
	unsigned long flags;
	u64 begin, end;
	int i;

	local_irq_save(flags);
	begin = ktime_get_ns();
	for (i = 0; i < HITS; i++)
		func(i, NULL);
	end = ktime_get_ns();
	local_irq_restore(flags);
	return end - begin;
}

/* The time that the tracepoint adds to a call, in hundredths of a nanosecond. */
static u64 cost(void)
{
	run(pass_and_hit);
	return (run(pass_and_hit) - run(pass)) * 100 / HITS;
}

static int __init bench_init(void)
{
	static const int wanted[] = { 0, 1, 2, 4, 8 };
	unsigned int i;
	long nr = 0;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		u64 c;

		for (; nr < wanted[i]; nr++)
			register_trace_tp_bench_tp(nothing, (void *)nr);
		c = cost();
		pr_info("tp_bench: %d probes: %llu.%02llu ns a hit\n",
			wanted[i], c / 100, c % 100);
	}
	while (nr) {
		nr--;
		unregister_trace_tp_bench_tp(nothing, (void *)nr);
	}
	tracepoint_synchronize_unregister();
	return -EAGAIN;		/* done: need not stay loaded */
}

module_init(bench_init);
MODULE_DESCRIPTION("Cost of a tracepoint");
MODULE_LICENSE("GPL");
