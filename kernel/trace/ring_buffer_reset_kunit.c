// SPDX-License-Identifier: GPL-2.0
/*
 * Resetting a ring buffer: all that was written before is dropped. While another
 * CPU writes, the reset waits for the writer.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debug_locks.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/ring_buffer.h>

#define BUFFER_BYTES	(4 * PAGE_SIZE)
/* How long a writer stays inside; a reset that does not wait returns earlier. */
#define INSIDE_NS	(20 * NSEC_PER_MSEC)

struct writer {
	struct trace_buffer *buffer;
	bool reserve_first;		/* else the writer only has preemption off */
	bool inside, left, refused;
	struct completion done;
};

static struct trace_buffer *make_buffer(struct kunit *test)
{
	struct trace_buffer *buffer = ring_buffer_alloc(BUFFER_BYTES, RB_FL_OVERWRITE);

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	return buffer;
}

static void stay(void)
{
	const u64 until = ktime_get_ns() + INSIDE_NS;

	while (ktime_get_ns() < until)
		cpu_relax();
}

/* Write until the reset has disabled recording, but not for ever. */
static bool write_until_refused(struct trace_buffer *buffer)
{
	const u64 until = ktime_get_ns() + 10ULL * NSEC_PER_SEC;

	while (ktime_get_ns() < until) {
		if (!ring_buffer_lock_reserve(buffer, sizeof(u64)))
			return true;
		ring_buffer_unlock_commit(buffer);
		cpu_relax();
	}
	return false;
}

static int write_slowly(void *data)
{
	struct ring_buffer_event *event = NULL;
	struct writer *w = data;

	preempt_disable();
	if (w->reserve_first)
		event = ring_buffer_lock_reserve(w->buffer, sizeof(u64));
	WRITE_ONCE(w->inside, true);
	if (!w->reserve_first)
		w->refused = write_until_refused(w->buffer);
	stay();
	if (event)
		ring_buffer_unlock_commit(w->buffer);
	WRITE_ONCE(w->left, true);
	preempt_enable();
	complete(&w->done);
	return 0;
}

/* Reset while writer @w is inside on another CPU. */
static void reset_under(struct kunit *test, struct writer *w)
{
	struct task_struct *task;
	int cpu;

	w->buffer = make_buffer(test);
	init_completion(&w->done);

	/* The writer runs on another CPU; this task must not migrate there. */
	migrate_disable();
	cpus_read_lock();
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	task = cpu < nr_cpu_ids ? kthread_create_on_cpu(write_slowly, w, cpu, "reset/%u") : NULL;
	cpus_read_unlock();
	if (IS_ERR_OR_NULL(task)) {
		migrate_enable();
		ring_buffer_free(w->buffer);
		kunit_skip(test, "no other CPU");
	}

	wake_up_process(task);
	while (!READ_ONCE(w->inside))
		cond_resched();
	ring_buffer_reset_online_cpus(w->buffer);
	KUNIT_EXPECT_TRUE_MSG(test, READ_ONCE(w->left), "the reset has not waited");
	migrate_enable();

	wait_for_completion(&w->done);
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty(w->buffer));
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(w->buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_overruns(w->buffer), 0);
	/* An inconsistent buffer switches itself off. */
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(w->buffer));
}

static void write_one(struct kunit *test, struct trace_buffer *buffer)
{
	u64 word = 1;

	KUNIT_EXPECT_EQ(test, ring_buffer_write(buffer, sizeof(word), &word), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1);
}

static void reset_waits_for_a_reserved_event(struct kunit *test)
{
	struct writer w = { .reserve_first = true };

	reset_under(test, &w);
	write_one(test, w.buffer);
	ring_buffer_free(w.buffer);
}

static void reset_waits_for_who_may_have_seen_recording_on(struct kunit *test)
{
	struct writer w = { };

	reset_under(test, &w);
	KUNIT_EXPECT_TRUE(test, w.refused);
	write_one(test, w.buffer);
	ring_buffer_free(w.buffer);
}

/* Nobody writes: each CPU's part is empty and takes events again. */
static void reset_empties_each_cpu(struct kunit *test)
{
	struct trace_buffer *buffer = make_buffer(test);
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct writer w = { .buffer = buffer, .reserve_first = true };
		struct task_struct *task;

		init_completion(&w.done);
		task = kthread_create_on_cpu(write_slowly, &w, cpu, "reset/%u");
		if (IS_ERR(task)) {
			KUNIT_FAIL(test, "no thread on CPU %d", cpu);
			break;
		}
		wake_up_process(task);
		wait_for_completion(&w.done);
		KUNIT_EXPECT_FALSE(test, ring_buffer_empty_cpu(buffer, cpu));
	}
	cpus_read_unlock();

	ring_buffer_reset_online_cpus(buffer);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_TRUE_MSG(test, ring_buffer_empty_cpu(buffer, cpu), "CPU %d", cpu);
	write_one(test, buffer);
	ring_buffer_free(buffer);
}

/* A word and the header of its event: more than a page has room for. */
#define PAGE_EVENTS	(PAGE_SIZE / (2 * sizeof(u32)))
#define OLD		1000000		/* no later event has such a number */

static void write_many(struct kunit *test, struct trace_buffer *buffer, u32 first, u32 nr)
{
	u32 word;

	for (word = first; word < first + nr; word++)
		KUNIT_ASSERT_EQ(test, ring_buffer_write(buffer, sizeof(word), &word), 0);
}

/* Read until the buffer is empty: the words count up from @first, and none is lost. */
static u32 read_all(struct kunit *test, struct trace_buffer *buffer, int cpu, u32 first)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u32 nr = 0;

	while ((event = ring_buffer_consume(buffer, cpu, NULL, &lost))) {
		KUNIT_ASSERT_EQ(test, *(u32 *)ring_buffer_event_data(event), first + nr);
		KUNIT_ASSERT_EQ(test, lost, 0);
		nr++;
	}
	return nr;
}

/* What was written, read and resized before a reset is not seen after it. */
static void reset_leaves_nothing_of_what_was(struct kunit *test)
{
	const struct before {
		u32 written;
		bool read;
		unsigned int resize_to;
	} before[] = {
		{ 0 },
		{ 1 },
		{ .written = 1, .read = true },
		{ .written = 2 * PAGE_EVENTS },
		{ .written = 2 * PAGE_EVENTS, .read = true },
		{ .written = 10 * PAGE_EVENTS },
		{ .written = 1, .resize_to = 8 * PAGE_SIZE },
		{ .written = 1, .resize_to = 2 * PAGE_SIZE },
		{ .written = 2 * PAGE_EVENTS, .resize_to = 2 * PAGE_SIZE },
	};
	struct trace_buffer *buffer = make_buffer(test);
	const struct before *b;
	int cpu;

	migrate_disable();
	cpu = raw_smp_processor_id();
	for (b = before; b < before + ARRAY_SIZE(before); b++) {
		ring_buffer_reset_online_cpus(buffer);
		write_many(test, buffer, OLD, b->written);
		if (b->read)
			KUNIT_EXPECT_EQ(test, read_all(test, buffer, cpu, OLD), b->written);
		if (b->resize_to)
			KUNIT_EXPECT_GE(test, ring_buffer_resize(buffer, b->resize_to, cpu), 0);

		ring_buffer_reset_online_cpus(buffer);
		KUNIT_EXPECT_EQ(test, ring_buffer_nr_dirty_pages(buffer, cpu), 0);
		KUNIT_EXPECT_EQ(test, read_all(test, buffer, cpu, 0), 0);

		/* Two pages, so that their order is seen. */
		write_many(test, buffer, 0, PAGE_EVENTS);
		KUNIT_EXPECT_EQ_MSG(test, read_all(test, buffer, cpu, 0), PAGE_EVENTS,
				    "after %zd", b - before);
	}
	migrate_enable();
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(buffer));
	ring_buffer_free(buffer);
}

/* Both take the CPU hotplug lock and the buffer's mutex. */
static void reset_takes_locks_in_the_order_of_a_resize(struct kunit *test)
{
	struct trace_buffer *buffer = make_buffer(test);
	int was = debug_locks, ret;

	ret = ring_buffer_resize(buffer, 2 * BUFFER_BYTES, RING_BUFFER_ALL_CPUS);
	KUNIT_EXPECT_GE(test, ret, 0);
	ring_buffer_reset_online_cpus(buffer);
	KUNIT_EXPECT_EQ_MSG(test, debug_locks, was, "lockdep has found a deadlock");
	ring_buffer_free(buffer);
}

static struct kunit_case reset_cases[] = {
	KUNIT_CASE(reset_waits_for_a_reserved_event),
	KUNIT_CASE(reset_waits_for_who_may_have_seen_recording_on),
	KUNIT_CASE(reset_empties_each_cpu),
	KUNIT_CASE(reset_leaves_nothing_of_what_was),
	KUNIT_CASE(reset_takes_locks_in_the_order_of_a_resize),
	{}
};

static struct kunit_suite reset_suite = {
	.name = "ring_buffer_reset",
	.test_cases = reset_cases,
};

kunit_test_suite(reset_suite);
