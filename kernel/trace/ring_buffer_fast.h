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
 * A reader waits for events of @cpu, or of all CPUs, and has said so in an
 * ->irq_work: have the next writer look there.
 */
static void rb_fast_watch(struct trace_buffer *buffer, int cpu)
{
	int one;

	/* The request before the hint to it; pairs with rb_fast_settle(). */
	smp_mb();
	for_each_cpu(one, buffer->cpumask)
		if (cpu == RING_BUFFER_ALL_CPUS || cpu == one)
			WRITE_ONCE(buffer->buffers[one]->fast_wake, 1);
}

/*
 * A page was begun: have the next writer look for readers that wait until the
 * buffer is so full. Not this writer, as it may discard its event. A writer on
 * the fast path that this has interrupted commits more than one page.
 */
static inline void rb_fast_new_page(struct ring_buffer_per_cpu *cpu_buffer)
{
	WRITE_ONCE(cpu_buffer->fast_wake, 1);
}

/* The general path writes absolute time stamps. */
static inline void rb_fast_set_abs(struct trace_buffer *buffer, bool abs)
{
	WRITE_ONCE(buffer->fast_abs, abs);
}

/* The pages of @cpu_buffer, which has no writer, are new. */
static inline void rb_fast_set_pages(struct ring_buffer_per_cpu *cpu_buffer)
{
	cpu_buffer->fast_capacity = rb_page_capacity(cpu_buffer->tail_page);
}

/* ->commits of @cpu_buffer, which has no writer, is 0 again. */
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

static inline void rb_fast_watch(struct trace_buffer *buffer, int cpu) { }
static inline void rb_fast_new_page(struct ring_buffer_per_cpu *cpu_buffer) { }
static inline void rb_fast_set_abs(struct trace_buffer *buffer, bool abs) { }
static inline void rb_fast_set_pages(struct ring_buffer_per_cpu *cpu_buffer) { }
static inline void rb_fast_reset(struct ring_buffer_per_cpu *cpu_buffer) { }

#endif
#endif
