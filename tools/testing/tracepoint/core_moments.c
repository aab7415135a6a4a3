// SPDX-License-Identifier: GPL-2.0
/*
 * Single changes and batches, moment by moment: what a hit calls then, and how
 * many transactions a batch takes.
 */
#include "core_test.h"

static void put_on(struct tracepoint *tp, int func)
{
	shim_check(!tracepoint_probe_register(tp, &funcs[func], NULL),
		   "it gets on");
}

static void take_off(struct tracepoint *tp, int func)
{
	shim_check(!tracepoint_probe_unregister(tp, &funcs[func], NULL),
		   "it gets off");
}

/* Begin with a call to the iterator and no grace period due. */
static void watch(struct tracepoint *tp)
{
	put_on(tp, 2);
	take_off(tp, 2);
	tracepoint_synchronize_unregister();
	note_moments_of(tp);
}

/* Stop noting moments, and run the pending work. */
static void unwatch(void)
{
	note_moments_of(NULL);
	wait_until_direct();
}

/*
 * P: published, T: text is live, G: a grace period ends; behind the colon, which
 * probes a hit calls then. The probes are a and b, and A is a with other data.
 */
static void single_changes(struct tracepoint *tp)
{
	struct tracepoint_batch b;

	watch(tp);
	put_on(tp, 0);
	expect("the first probe", "P: T:a");
	put_on(tp, 1);
	expect("a second one", "T:a P:ab");
	take_off(tp, 1);
	expect("the second goes", "P:a T:a");
	put_on(tp, 1);
	expect("a second one again", "T:a P:ab");
	take_off(tp, 0);
	expect("the first goes", "P:b");
	wait_until_direct();
	expect("the other one's call becomes direct", "G:b P:b T:b");
	tracepoint_batch_begin(&b);
	take_off(tp, 1);
	put_on(tp, 0);
	expect("nothing before the commit", "");
	tracepoint_batch_commit(&b);
	expect("one for another", "T:b P:a");
	wait_until_direct();
	expect("whose call becomes direct", "G:a P:a T:a");
	take_off(tp, 0);
	expect("the last goes", "P: T:");
	put_on(tp, 0);
	expect("the same comes back", "P: T:a");
	take_off(tp, 0);
	expect("and goes", "P: T:");
	put_on(tp, 1);
	expect("another comes, where the call has stayed", "T: P: T:b");
	wait_until_direct();
	expect("its call becomes direct", "G:b P:b T:b");
	take_off(tp, 1);
	tracepoint_synchronize_unregister();
	expect("it goes, and that is awaited", "P: T: G:");
	put_on(tp, 0);
	expect("another comes, and nobody has an old array", "T: P: T:a");
	tracepoint_probe_register(tp, &funcs[0], &funcs[1]);
	expect("the same function with other data", "T:a P:aA");
	take_off(tp, 0);
	expect("the first of one function goes", "P:A");
	wait_until_direct();
	expect("the other one's call becomes direct", "G:A P:A T:A");
	tracepoint_probe_unregister(tp, &funcs[0], &funcs[1]);
	expect("and the second", "P: T:");
	note_moments_of(NULL);
}

/* Add two probes and remove the first: the text could call the second directly. */
static void leave_the_second(struct tracepoint *tp)
{
	put_on(tp, 0);
	put_on(tp, 1);
	take_off(tp, 0);
	expect("the second stays", "P: T:a T:a P:ab P:b");
}

/* What happens before the grace period ends that a direct call waits for. */
static void direct_calls(struct tracepoint *tp)
{
	struct tracepoint_batch b;

	watch(tp);
	leave_the_second(tp);
	wait_until_direct();
	expect("its call becomes direct", "G:b P:b T:b");
	wait_until_direct();
	expect("once", "");
	take_off(tp, 1);
	unwatch();

	watch(tp);
	leave_the_second(tp);
	take_off(tp, 1);
	expect("it goes before", "P: T:");
	wait_until_direct();
	expect("and nothing is left to do", "G:");
	unwatch();

	watch(tp);
	leave_the_second(tp);
	put_on(tp, 0);
	expect("another comes before", "P:ba");
	wait_until_direct();
	expect("and the iterator stays", "G:ba");
	take_off(tp, 1);
	take_off(tp, 0);
	unwatch();

	watch(tp);
	leave_the_second(tp);
	tracepoint_batch_begin(&b);
	put_on(tp, 0);
	wait_until_direct();
	expect("a batch has its next array, and the iterator stays", "G:b");
	tracepoint_probe_register(tp, &funcs[0], &funcs[1]);
	tracepoint_batch_commit(&b);
	expect("which takes effect", "P:baA");
	take_off(tp, 1);
	take_off(tp, 0);
	tracepoint_probe_unregister(tp, &funcs[0], &funcs[1]);
	unwatch();

	watch(tp);
	leave_the_second(tp);
	shim_fail_in = 1;
	wait_until_direct();
	expect("there is no memory, and the iterator stays", "G:b");
	tracepoint_probe_register(tp, &funcs[1], &funcs[1]);
	tracepoint_probe_unregister(tp, &funcs[1], &funcs[1]);
	expect("until the next change", "P:bB P:b T:b");
	take_off(tp, 1);
	unwatch();
}

/* What a batch delays, and what makes it take effect early. */
static void batched_changes(struct tracepoint *tp)
{
	struct tracepoint_batch outer, inner;

	watch(tp);
	tracepoint_batch_begin(&outer);
	put_on(tp, 0);
	tracepoint_batch_begin(&inner);
	put_on(tp, 1);
	tracepoint_batch_commit(&inner);
	expect("an inner batch joins the outer one", "");
	tracepoint_batch_commit(&outer);
	expect("which takes effect", "P: T:ab");

	tracepoint_batch_begin(&outer);
	take_off(tp, 0);
	take_off(tp, 1);
	expect("a batch is open", "");
	tracepoint_synchronize_unregister();
	expect("who waits lets it take effect before", "P: T: G:");
	tracepoint_batch_commit(&outer);
	expect("and nothing is left of it", "");
	tracepoint_synchronize_unregister();
	expect("who waits waits", "G:");

	tracepoint_batch_begin(&outer);
	put_on(tp, 0);
	tracepoint_batch_leave(&outer);
	expect("a batch is left behind", "");
	tracepoint_flush();
	expect("and flushed", "P: T:a");
	take_off(tp, 0);
	note_moments_of(NULL);
}

/* No batch may keep a pointer to a tracepoint whose module is unloaded. */
static void orphans_in_batches(struct tracepoint *tp)
{
	const unsigned int warned = shim_warnings;
	struct tracepoint_batch b;

	watch(tp);
	tracepoint_batch_begin(&b);
	put_on(tp, 0);
	tracepoint_orphan(tp);
	expect("a batch's probe comes and goes", "P: T:a P: T:");
	shim_check(!tp->pending && shim_warnings == warned + 1,
		   "no batch knows the tracepoint any more");
	tracepoint_batch_commit(&b);
	expect("the commit does not touch it", "");
	take_off(tp, 0);

	put_on(tp, 0);
	expect("a probe", "P: T:a");
	tracepoint_batch_begin(&b);
	tracepoint_orphan(tp);
	expect("it goes in spite of the batch", "P: T:");
	shim_check(!tp->pending && shim_warnings == warned + 2,
		   "no batch knows the tracepoint any more");
	tracepoint_batch_commit(&b);
	expect("the commit does not touch it", "");
	take_off(tp, 0);
	note_moments_of(NULL);
}

/* Alone, and within a transaction of the caller, which must make no difference. */
static void moment_by_moment(void (*changes)(struct tracepoint *tp))
{
	struct text_patch_tx outer;

	others_commit = false;
	changes(&points[1]);
	caller_begins(&outer);
	changes(&points[1]);
	caller_commits();
	others_commit = true;
}

void moments_of_single_changes(void)
{
	moment_by_moment(single_changes);
}

/* Of a tracepoint in the kernel and of one in a module. */
void moments_of_direct_calls(void)
{
	others_commit = false;
	direct_calls(&points[1]);
	direct_calls(&points[IN_MODULE]);
	others_commit = true;
}

/* All calls that become direct later share one transaction, modules included. */
void direct_calls_take(void)
{
	unsigned int before;
	int tp;

	others_commit = false;
	reg_refuses = false;
	for (tp = 0; tp < HANDMADE; tp++) {
		put_on(&points[tp], 0);
		put_on(&points[tp], 1);
		take_off(&points[tp], 0);
	}
	before = nr_transactions;
	wait_until_direct();
	shim_check(nr_transactions == before + 1, "direct calls: one transaction");
	for (tp = 0; tp < HANDMADE; tp++) {
		shim_check(calls[tp].live == &funcs[1], "each is direct");
		take_off(&points[tp], 1);
	}
	tracepoint_synchronize_unregister();
	others_commit = true;
}

void moments_of_batches(void)
{
	moment_by_moment(batched_changes);
}

void moments_of_orphans_in_batches(void)
{
	moment_by_moment(orphans_in_batches);
}

/* How many transactions, each of two syncs, a batch takes. */
static unsigned int transactions_of(int adds_second, int adds_first)
{
	struct tracepoint_batch b;
	unsigned int before;

	/* Begin with calls that lead to funcs[1] or the iterator. */
	for (before = 0; before < HANDMADE; before++) {
		tracepoint_probe_register(&points[before], &funcs[1], NULL);
		tracepoint_probe_unregister(&points[before], &funcs[1], NULL);
	}
	tracepoint_probe_register(&points[1], &funcs[0], NULL);
	tracepoint_probe_register(&points[2], &funcs[0], NULL);
	before = nr_transactions - nr_foreign;
	tracepoint_batch_begin(&b);
	if (adds_second) {
		tracepoint_probe_register(&points[1], &funcs[1], NULL);
		tracepoint_probe_register(&points[2], &funcs[1], NULL);
	}
	if (adds_first) {
		tracepoint_probe_register(&points[0], &funcs[1], NULL);
		tracepoint_probe_register(&points[3], &funcs[1], NULL);
	}
	tracepoint_batch_commit(&b);
	before = nr_transactions - nr_foreign - before;
	tracepoint_batch_begin(&b);
	if (adds_second) {
		tracepoint_probe_unregister(&points[1], &funcs[1], NULL);
		tracepoint_probe_unregister(&points[2], &funcs[1], NULL);
	}
	if (adds_first) {
		tracepoint_probe_unregister(&points[0], &funcs[1], NULL);
		tracepoint_probe_unregister(&points[3], &funcs[1], NULL);
	}
	tracepoint_probe_unregister(&points[1], &funcs[0], NULL);
	tracepoint_probe_unregister(&points[2], &funcs[0], NULL);
	tracepoint_batch_commit(&b);
	tracepoint_synchronize_unregister();
	return before;
}

void batches_take(void)
{
	int i;

	reg_refuses = false;
	for (i = 0; i < 20; i++) {
		shim_check(transactions_of(0, 1) <= 1, "first probes: one transaction");
		shim_check(transactions_of(1, 0) <= 1, "second probes: one");
		shim_check(transactions_of(1, 1) <= 2, "both: two");
		shim_check(transactions_of(0, 0) == 0, "nothing: none");
	}
	shim_check(nr_foreign > 10, "others committed, too");
}
