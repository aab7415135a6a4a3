// SPDX-License-Identifier: GPL-2.0
/*
 * Patch functions while every CPU calls them.
 *
 *   insmod text_patch_torture.ko seconds=10 patchers=3
 *
 * The module has an array of small functions. A caller on each CPU calls all of
 * them again and again. Each of n patchers owns every n-th function, and turns
 * random ones into calls and back, up to a hundred in a transaction. A function
 * returns 0 or 1, depending on its current instruction. So:
 *
 *   - a call that returns anything else, or does not return, ran a mix of bytes;
 *   - after its commit a patcher must get the new results;
 *   - a caller that has seen one function of a walk new must not see another
 *     function of that walk old afterwards. This is checked with one patcher, on
 *     a pair of functions that always changes together. It needs walks that take
 *     the whole queue, so nobody else, such as a tracer, may change many places
 *     meanwhile. On an emulator it holds from the first late trap on
 *     (translates_text() in commit.c): patch for a second with two patchers
 *     first, which check no pair.
 *
 * Loading succeeds if every call returned 0 or 1 as it should, and logs how
 * many there were. Otherwise it fails with EIO, or with ETIMEDOUT if next to
 * nothing was patched.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/text-transaction.h>

#define PLACES	300
#include "places.h"

#define MAX_PATCHERS	8

/* Fewer commits than this prove nothing. */
#define ENOUGH		5

/* The pair that changes together: the first place and the last. */
#define PAIR_FIRST	0
#define PAIR_LAST	(PLACES - 1)

static uint seconds = 5;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "how long to go on");

static uint patchers = 3;
module_param(patchers, uint, 0444);
MODULE_PARM_DESC(patchers, "how many patch at the same time, at most 8");

static atomic_long_t calls, news, commits;
static atomic_long_t strange, stale, torn, refused;

/*
 * call_pair() calls the first place before the last. If both changed from old
 * to new in one moment in between, a new first place implies a new last place.
 * @pair_turn tells one change of the pair from the next.
 */
static unsigned int pair_turn = 1;

/* Number of changes of the pair that were certainly in one walk. */
static unsigned int pairs;

static void call_pair(void)
{
	/* Pairs with the release in patch_pair(). */
	const unsigned int turn = smp_load_acquire(&pair_turn);
	const int first = place_call(PAIR_FIRST);
	const int last = place_call(PAIR_LAST);

	/* Even: both places become new together, or are new. Is it still the same turn? */
	smp_rmb();
	if (!(turn & 1) && READ_ONCE(pair_turn) == turn && first && !last)
		atomic_long_inc(&torn);
}

static int caller(void *unused)
{
	unsigned long n = 0, ones = 0;
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 1; i < PLACES - 1; i++) {
			const int got = place_call(i);

			if (got != 0 && got != 1)
				atomic_long_inc(&strange);
			ones += got == 1;
			n++;
		}
		call_pair();
		cond_resched();
	}
	atomic_long_add(n, &calls);
	atomic_long_add(ones, &news);
	return 0;
}

/* Turn place @i into a call, or back. */
static void change_place(unsigned int i, bool call)
{
	if (queue_place(i, call))
		atomic_long_inc(&refused);
}

/* Change up to @most places of patcher @who, then check all of its places. */
static void patch_some(unsigned long *is_call, unsigned int who,
		       unsigned int most, struct rnd_state *dice)
{
	struct text_patch_tx tx = {};
	unsigned int n, i;

	text_patch_begin(&tx);
	for (n = 0; n < most; n++) {
		i = 1 + prandom_u32_state(dice) % (PLACES - 2);
		i -= i % patchers;
		i += who;
		if (i < 1 || i >= PLACES - 1)
			continue;
		change_place(i, !test_bit(i, is_call));
		__change_bit(i, is_call);
	}
	if (text_patch_commit(&tx))
		atomic_long_inc(&refused);
	atomic_long_inc(&commits);

	for (i = 1; i < PLACES - 1; i++)
		if (i % patchers == who &&
		    place_call(i) != test_bit(i, is_call))
			atomic_long_inc(&stale);
}

/*
 * The two changes are in one walk only if both are in the queue when it is
 * committed. Another task that commits, such as the function tracer's, may have
 * committed the first one alone. If the first one is not live after both are
 * queued, then neither has been committed.
 */
static void patch_pair(bool call)
{
	struct text_patch_tx tx = {};

	if (!(pair_turn & 1))
		/* Odd: call_pair() ignores it. Pairs with the acquire there. */
		smp_store_release(&pair_turn, pair_turn + 1);
	text_patch_begin(&tx);
	change_place(PAIR_FIRST, call);
	change_place(PAIR_LAST, call);
	if (call && !place_call(PAIR_FIRST)) {
		/* Pairs with the acquire in call_pair(). */
		smp_store_release(&pair_turn, pair_turn + 1);
		pairs++;
	}
	if (text_patch_commit(&tx))
		atomic_long_inc(&refused);
}

static int patcher(void *data)
{
	const unsigned int who = (unsigned long)data;
	unsigned long *is_call = bitmap_zalloc(PLACES, GFP_KERNEL);
	struct rnd_state dice;
	bool pair = false;

	prandom_seed_state(&dice, 1 + who);
	while (is_call && !kthread_should_stop()) {
		patch_some(is_call, who, 1 + prandom_u32_state(&dice) % 100,
			   &dice);
		/* With several patchers, most pairs would not be committed in one walk. */
		if (patchers == 1) {
			pair = !pair;
			patch_pair(pair);
		}
		cond_resched();
	}
	bitmap_free(is_call);
	return 0;
}

static struct task_struct *start(int (*what)(void *), unsigned long arg,
				 int cpu, const char *name)
{
	struct task_struct *t = kthread_create(what, (void *)arg, "%s/%lu",
					       name, arg);

	if (IS_ERR(t))
		return NULL;
	if (cpu >= 0)
		kthread_bind(t, cpu);
	wake_up_process(t);
	return t;
}

/*
 * Wait for @seconds; for up to sixty times as long if the machine is too busy
 * with the calls to make ENOUGH commits.
 */
static void wait_for_work(void)
{
	const unsigned long end = jiffies + 60UL * seconds * HZ;

	msleep(seconds * MSEC_PER_SEC);
	while (atomic_long_read(&commits) < ENOUGH && time_before(jiffies, end))
		msleep(100);
}

static int __init torture_init(void)
{
	struct task_struct *patching[MAX_PATCHERS] = {};
	struct task_struct **calling;
	unsigned long i;
	int cpu;

	patchers = clamp(patchers, 1U, (uint)MAX_PATCHERS);
	calling = kcalloc(nr_cpu_ids, sizeof(*calling), GFP_KERNEL);
	if (!calling)
		return -ENOMEM;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		calling[cpu] = start(caller, cpu, cpu, "text_call");
	cpus_read_unlock();
	for (i = 0; i < patchers; i++)
		patching[i] = start(patcher, i, -1, "text_patch");

	wait_for_work();

	for (i = 0; i < patchers; i++)
		if (patching[i])
			kthread_stop(patching[i]);
	for_each_possible_cpu(cpu)
		if (calling[cpu])
			kthread_stop(calling[cpu]);
	kfree(calling);

	pr_info("text_patch_torture: %ld calls, %ld of them new, %ld commits, %u pairs; strange %ld, stale %ld, torn %ld, refused %ld\n",
		atomic_long_read(&calls), atomic_long_read(&news),
		atomic_long_read(&commits), pairs, atomic_long_read(&strange),
		atomic_long_read(&stale), atomic_long_read(&torn),
		atomic_long_read(&refused));
	if (atomic_long_read(&strange) || atomic_long_read(&stale) ||
	    atomic_long_read(&torn) || atomic_long_read(&refused))
		return -EIO;
	if (atomic_long_read(&commits) < ENOUGH || (patchers == 1 && !pairs))
		return -ETIMEDOUT;
	return 0;
}
module_init(torture_init);

static void __exit torture_exit(void)
{
}
module_exit(torture_exit);

MODULE_DESCRIPTION("Patches its own functions while every CPU calls them");
MODULE_LICENSE("GPL");
