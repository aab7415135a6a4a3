/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ring_buffer.c calls to record an event on the fast path, and to keep
 * writers off it. See ring_buffer_fast.c.
 *
 * Included by ring_buffer.c, whose private structures it uses.
 */
#ifndef _RING_BUFFER_FAST_H
#define _RING_BUFFER_FAST_H

#ifdef CONFIG_RING_BUFFER_FAST_PATH

static struct ring_buffer_event *rb_fast_reserve(struct trace_buffer *buffer,
						 unsigned long size);
static bool rb_fast_commit(struct ring_buffer_per_cpu *cpu_buffer);

/*
 * Make the next commit on the fast path call rb_fast_settle(), because:
 *
 * - a reader has begun to wait;
 * - a page was begun: readers may wait until the buffer is that full, and a writer that
 *   was interrupted by this one has more than its page to commit;
 * - @cpu_buffer, which has no writer, is added to a trace_buffer or swapped into one,
 *   where readers that wait for events of all CPUs have marked only the old buffers.
 */
static inline void rb_fast_look(struct ring_buffer_per_cpu *cpu_buffer)
{
	/* Writers read its cache line for each event. */
	if (!READ_ONCE(cpu_buffer->fast_wake))
		WRITE_ONCE(cpu_buffer->fast_wake, 1);
}

/*
 * A reader waits for events of @cpu, or of all CPUs, and has noted that in an
 * ->irq_work: make the next writer look there.
 */
static void rb_fast_watch(struct trace_buffer *buffer, int cpu)
{
	/* ->irq_work is written before ->fast_wake; pairs with rb_fast_settle(). */
	smp_mb();
	if (cpu != RING_BUFFER_ALL_CPUS)
		return rb_fast_look(buffer->buffers[cpu]);
	for_each_cpu(cpu, buffer->cpumask)
		rb_fast_look(buffer->buffers[cpu]);
}

/* Must be called when @cpu_buffer, which has no writer, gets new pages. */
static inline void rb_fast_set_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	cpu_buffer->fast_capacity = rb_page_capacity(cpu_buffer->tail_page);
}

/* Must be called when ->commits of @cpu_buffer, which has no writer, is set to 0. */
static inline void rb_fast_reset(struct ring_buffer_per_cpu *cpu_buffer)
{
	cpu_buffer->fast_commits = 0;
}

#else

static inline struct ring_buffer_event *rb_fast_reserve(struct trace_buffer *buffer,
							unsigned long size)
{
	return NULL;
}

static inline bool rb_fast_commit(struct ring_buffer_per_cpu *cpu_buffer)
{
	return false;
}

static inline void rb_fast_look(struct ring_buffer_per_cpu *cpu_buffer) { }
static inline void rb_fast_watch(struct trace_buffer *buffer, int cpu) { }
static inline void rb_fast_set_pages(struct ring_buffer_per_cpu *cpu_buffer) { }
static inline void rb_fast_reset(struct ring_buffer_per_cpu *cpu_buffer) { }

#endif
#endif
