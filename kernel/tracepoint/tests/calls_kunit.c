// SPDX-License-Identifier: GPL-2.0
/*
 * What a tracepoint's text calls, with probes in the kernel image. The direct
 * call of such a probe may stay in the text while the tracepoint is off.
 */
#include <kunit/test.h>
#include <linux/srcu.h>
#include <linux/static_call.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "../internal.h"

DECLARE_TRACE(kunit_call, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(kunit_call_tp, TP_PROTO(int value), TP_ARGS(value));

/* Sums of the values passed to each probe; registered as the probes' data. */
struct heard {
	int by_first;
	int by_second;
};

static void first_probe(void *data, int value)
{
	((struct heard *)data)->by_first += value;
}

static void second_probe(void *data, int value)
{
	((struct heard *)data)->by_second += value;
}

static void expect_heard(struct kunit *test, const struct heard *heard,
			 int by_first, int by_second)
{
	KUNIT_EXPECT_EQ(test, heard->by_first, by_first);
	KUNIT_EXPECT_EQ(test, heard->by_second, by_second);
}

#ifdef CONFIG_HAVE_STATIC_CALL
static void expect_call(struct kunit *test, void *target)
{
	KUNIT_EXPECT_PTR_EQ(test, (void *)static_call_query(tp_func_kunit_call_tp),
			    target);
}
#else
static void expect_call(struct kunit *test, void *target)
{
}
#endif

static void *iterator(void)
{
	return __tracepoint_kunit_call_tp.iterator;
}

/* Turn the tracepoint on and off, which leaves the call of first_probe() in it. */
static void leave_call(struct kunit *test, struct heard *heard)
{
	KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(first_probe, heard), 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(first_probe, heard), 0);
}

static void one_probe_is_called_directly_and_stays_so(struct kunit *test)
{
	struct heard heard = { };
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(first_probe, &heard), 0);
		expect_call(test, first_probe);
		trace_kunit_call_tp(1);
		KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(first_probe, &heard), 0);
		expect_call(test, first_probe);
		/* The call stays in the text, but the key is off. */
		trace_kunit_call_tp(100);
	}
	expect_heard(test, &heard, 2, 0);
}

static void kept_call_hears_nothing_of_another_probe(struct kunit *test)
{
	struct heard heard = { };

	leave_call(test, &heard);
	KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(second_probe, &heard), 0);
	trace_kunit_call_tp(1);
	flush_work(&tp_direct_work);
	expect_call(test, second_probe);
	trace_kunit_call_tp(1);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(second_probe, &heard), 0);
	expect_heard(test, &heard, 0, 2);
}

static void no_registration_waits_for_a_reader(struct kunit *test)
{
	struct srcu_ctr __percpu *reader;
	struct heard heard = { };

	reader = srcu_read_lock_fast(&tracepoint_srcu);
	leave_call(test, &heard);
	KUNIT_EXPECT_EQ(test, register_trace_kunit_call_tp(second_probe, &heard), 0);
	expect_call(test, iterator());
	trace_kunit_call_tp(1);
	srcu_read_unlock_fast(&tracepoint_srcu, reader);

	flush_work(&tp_direct_work);
	expect_call(test, second_probe);
	trace_kunit_call_tp(1);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(second_probe, &heard), 0);
	expect_heard(test, &heard, 0, 2);
}

static void kept_call_takes_the_data_of_today(struct kunit *test)
{
	struct heard old = { }, new = { };

	leave_call(test, &old);
	KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(first_probe, &new), 0);
	expect_call(test, first_probe);
	trace_kunit_call_tp(1);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(first_probe, &new), 0);
	expect_heard(test, &old, 0, 0);
	expect_heard(test, &new, 1, 0);
}

static void two_probes_after_a_kept_call_are_both_called(struct kunit *test)
{
	struct heard heard = { };

	leave_call(test, &heard);
	KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(second_probe, &heard), 0);
	KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(first_probe, &heard), 0);
	expect_call(test, iterator());
	trace_kunit_call_tp(1);
	expect_heard(test, &heard, 1, 1);

	/* From two probes to one: direct again, and to the one that is left. */
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(second_probe, &heard), 0);
	trace_kunit_call_tp(1);
	flush_work(&tp_direct_work);
	expect_call(test, first_probe);
	trace_kunit_call_tp(1);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(first_probe, &heard), 0);
	expect_heard(test, &heard, 3, 1);
}

static void call_kept_in_a_batch_is_not_written_again(struct kunit *test)
{
	struct tracepoint_batch batch;
	struct heard heard = { };

	KUNIT_ASSERT_EQ(test, register_trace_kunit_call_tp(first_probe, &heard), 0);
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(first_probe, &heard), 0);
	KUNIT_EXPECT_EQ(test, register_trace_kunit_call_tp(first_probe, &heard), 0);
	tracepoint_batch_commit(&batch);
	expect_call(test, first_probe);
	trace_kunit_call_tp(1);
	KUNIT_EXPECT_EQ(test, unregister_trace_kunit_call_tp(first_probe, &heard), 0);
	expect_heard(test, &heard, 1, 0);
}

/* The probes' data is on a case's stack: no hit may use it after the case. */
static void wait_for_hits(struct kunit *test)
{
	tracepoint_synchronize_unregister();
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(one_probe_is_called_directly_and_stays_so),
	KUNIT_CASE(kept_call_hears_nothing_of_another_probe),
	KUNIT_CASE(no_registration_waits_for_a_reader),
	KUNIT_CASE(kept_call_takes_the_data_of_today),
	KUNIT_CASE(two_probes_after_a_kept_call_are_both_called),
	KUNIT_CASE(call_kept_in_a_batch_is_not_written_again),
	{ }
};

static struct kunit_suite calls_suite = {
	.name = "tracepoint_calls",
	.exit = wait_for_hits,
	.test_cases = calls_cases,
};

kunit_test_suite(calls_suite);
