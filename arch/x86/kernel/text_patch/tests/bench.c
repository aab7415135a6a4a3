// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what the engine costs for each place.
 *
 *   insmod text_patch_bench.ko [limit=NANOSECONDS]
 *
 * The module turns a thousand of its own functions into calls and back, in one
 * transaction each, and then twenty-five thousand. The difference of the two
 * times, divided by the difference of the numbers, is the cost of one place
 * without the fixed cost of a commit. The clock counts nanoseconds on a real
 * machine, and instructions in an emulator that counts these (QEMU's -icount
 * shift=0).
 *
 * Loading fails with ERANGE if a place costs more than @limit in the commit.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <asm/text-transaction.h>

#define PLACES		25000
#define PLACE_SIZE	64
#include "places.h"

#define FEW	1000
#define ROUNDS	3

static uint limit;
module_param(limit, uint, 0444);
MODULE_PARM_DESC(limit, "most that a place may cost in the commit, 0: anything");

/**
 * struct cost - time of a transaction, in nanoseconds of the clock
 * @queue:	from its beginning until all changes are queued
 * @commit:	from then until all are live
 */
struct cost {
	u64 queue;
	u64 commit;
};

/* Turn @nr places, evenly spread, into calls or back. */
static int change(unsigned int nr, bool call, struct cost *cost)
{
	struct text_patch_tx tx = {};
	u64 begin, queued;
	unsigned int i;
	int err = 0;

	begin = ktime_get_ns();
	text_patch_begin(&tx);
	for (i = 0; i < nr && !err; i++)
		err = queue_place(i * (PLACES / nr), call);
	queued = ktime_get_ns();
	err = text_patch_commit(&tx) ?: err;
	cost->queue = queued - begin;
	cost->commit = ktime_get_ns() - queued;
	return err;
}

/* Count the functions that return 1. */
static unsigned int count_calls(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < PLACES; i++)
		n += place_call(i);
	return n;
}

/* The cheapest of ROUNDS rounds: the others were interrupted. */
static int cheapest(unsigned int nr, bool call, struct cost *best)
{
	struct cost cost;
	int round, err;

	best->queue = U64_MAX;
	best->commit = U64_MAX;
	for (round = 0; round < ROUNDS; round++) {
		err = change(nr, call, &cost);
		if (!err && count_calls() != (call ? nr : 0))
			err = -EIO;
		if (!err) {
			best->queue = min(best->queue, cost.queue);
			best->commit = min(best->commit, cost.commit);
			err = change(nr, !call, &cost);
		}
		if (err)
			return err;
	}
	return 0;
}

static u64 cost_of_one(u64 many, u64 few)
{
	return div_u64(many - few, PLACES - FEW);
}

static int __init bench_init(void)
{
	struct cost few, many;
	u64 commit;
	int err;

	/* The first changes allocate and fault in memory for later ones. */
	err = change(PLACES, true, &many) ?: change(PLACES, false, &many) ?:
	      cheapest(FEW, true, &few) ?: cheapest(PLACES, true, &many);
	if (err)
		return err;

	commit = cost_of_one(many.commit, few.commit);
	pr_info("text_patch_bench: %u places: queue %llu, commit %llu\n", FEW,
		few.queue, few.commit);
	pr_info("text_patch_bench: %u places: queue %llu, commit %llu\n", PLACES,
		many.queue, many.commit);
	pr_info("text_patch_bench: each place: queue %llu, commit %llu\n",
		cost_of_one(many.queue, few.queue), commit);
	return limit && commit > limit ? -ERANGE : 0;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
}
module_exit(bench_exit);

MODULE_DESCRIPTION("What changing kernel text costs for each place");
MODULE_LICENSE("GPL");
