// SPDX-License-Identifier: GPL-2.0
/*
 * The fast path: record an event in one short run of instructions.
 *
 * Most events are recorded while nothing special is on: recording is on, no
 * other writer is at work on this CPU's buffer, the event fits on the page, the
 * page already has an event, and the time since the last one fits into the
 * event's header. Then an event is reserved, filled and committed here. In all
 * other cases the code in ring_buffer.c, the general path, does it: from the
 * beginning, or from the step where the fast path cannot go on. What readers
 * see is the same, byte for byte: tools/testing/ftrace/recording compares.
 *
 * At most one writer is on the fast path of a CPU's buffer, and it is the
 * outermost one. It sets ->current_context before it reads anything of the
 * buffer, so that interrupts and NMIs take the general path and the buffer is
 * not swapped; and ->committing, so that they leave the commit to it. Each of
 * them counts itself in ->commits. If that count has changed when the fast
 * writer is done, rb_end_commit() commits what they have left.
 *
 * Documentation/trace/ring-buffer-fast.rst has the steps and the reasons.
 *
 * Included by ring_buffer.c, whose private structures it uses.
 */
#include <linux/kprobes.h>
#include <asm/inline_clock.h>
#ifdef CONFIG_X86_TSC
#include <asm/trace_clock.h>
#include <asm/tsc.h>
#endif

static void check_buffer(struct ring_buffer_per_cpu *cpu_buffer,
			 struct rb_event_info *info, unsigned long tail);
static struct ring_buffer_event *__rb_reserve_next(struct ring_buffer_per_cpu *cpu_buffer,
						   struct rb_event_info *info);

/*
 * In ->current_context: a writer that runs no code of others between its
 * reservation and its commit. Above the bits of trace_recursive_lock(), for any
 * ->nest.
 */
#define RB_CTX_FAST		BIT(31)

/* Events with more data take the general path. Less than a page, as a test relies on it. */
#define RB_FAST_MAX		1024

/*
 * Read a variable that others change, once between two barriers. Unlike READ_ONCE()
 * it lets the compiler compare with memory, an instruction less.
 */
#define rb_fast_read(var)	data_race(var)

/* What a writer knows about its event. */
struct rb_fast_event {
	struct trace_buffer		*buffer;
	bool				alone;		/* no code of others until the commit */
	bool				timed;		/* the caller needs ->local */
	struct ring_buffer_per_cpu	*cpu_buffer;
	struct buffer_page		*page;
	struct buffer_data_page		*data_page;
	unsigned long			commits;	/* ->commits before the writer began */
	unsigned long			prev;		/* offset of the byte before it on ->page */
	u64				after;		/* time stamp of the event before */
	u64				ts;
	u64				local;		/* the time by the local clock */
	unsigned int			length;		/* with header */
	struct ring_buffer_event	*event;		/* once it is reserved; NULL: lost */
	void				*data;
};

/* The length of an event with @size bytes of data: 1 to RB_FAST_MAX. */
static __always_inline unsigned int rb_fast_length(unsigned int size)
{
	unsigned int length = ALIGN(size + RB_EVNT_HDR_SIZE, RB_ALIGNMENT);

	if (size > RB_MAX_SMALL_DATA)
		return length + sizeof_field(struct ring_buffer_event, array[0]);

	/* A discarded event of three words would leave no room for a time stamp. */
	return length == 3 * RB_ALIGNMENT ? 4 * RB_ALIGNMENT : length;
}

/* Write the header of an event with @size bytes of data. */
static __always_inline void rb_fast_header(struct ring_buffer_event *event,
					   unsigned int size, unsigned int length, u32 delta)
{
	const unsigned int data = length - RB_EVNT_HDR_SIZE;
	const bool large = size > RB_MAX_SMALL_DATA;
	const u32 type_len = large ? 0 : data / RB_ALIGNMENT;

	/* One store, which compilers do not make of ->type_len and ->time_delta */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	*(u32 *)event = delta << 5 | type_len;
#else
	*(u32 *)event = type_len << 27 | delta;
#endif
	if (large)
		event->array[0] = data;
}

/*
 * The bit that trace_recursive_lock() would set. A writer that runs code of
 * others before it commits takes this, so that events in that code are recorded
 * and lost as on the general path.
 */
static __always_inline unsigned int rb_fast_context(struct ring_buffer_per_cpu *cpu_buffer)
{
	unsigned int bit = RB_CTX_NORMAL;

	if (unlikely(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
		bit -= interrupt_context_level();
	return 1U << (bit + cpu_buffer->nest);
}

/* End a write without an event. Interrupts may have left events for us to commit. */
static noinline __saves_registers void rb_fast_abandon(struct ring_buffer_per_cpu *cpu_buffer)
{
	rb_end_commit(cpu_buffer);
	cpu_buffer->current_context = 0;
}

/* Return: True if rb_fast_begin() may follow. Preemption is off. */
static __always_inline bool rb_fast_ready(struct rb_fast_event *e)
{
	if (unlikely(rb_fast_read(e->buffer->record_disabled.counter)))
		return false;

	/* Not NULL: else trace_rb_cpu_prepare() would have kept this CPU from coming online. */
	e->cpu_buffer = e->buffer->buffers[raw_smp_processor_id()];
	return likely(!rb_fast_read(e->cpu_buffer->fast_busy));
}

/*
 * Clocks other than the local one may call functions that are traced, such as those of
 * a clocksource. A writer that is alone has not set its bit against recursion, so it is
 * set meanwhile. Return: The argument of rb_fast_unguard().
 */
static __always_inline unsigned long rb_fast_guard(bool alone)
{
	const unsigned long was = current->trace_recursion;

	if (alone)
		current->trace_recursion = was | BIT(TRACE_FTRACE_START + trace_get_context_bit());
	barrier();	/* set before the clock is read */
	return was;
}

static __always_inline void rb_fast_unguard(unsigned long was)
{
	barrier();	/* the clock has been read */
	current->trace_recursion = was;
}

static noinline __saves_registers u64 rb_fast_other_clock(struct trace_buffer *buffer)
{
	return buffer->clock();
}

/* For a writer that is alone. trace_fast_repeats() calls it, too, before any bit is set. */
static noinline __saves_registers u64 rb_fast_guarded_clock(struct trace_buffer *buffer)
{
	const unsigned long was = rb_fast_guard(true);
	const u64 ts = buffer->clock();

	rb_fast_unguard(was);
	return ts;
}
NOKPROBE_SYMBOL(rb_fast_guarded_clock);

#ifdef CONFIG_X86_TSC
/* trace_clock_x86_tsc(), for a caller that has no registers to save */
static noinline notrace __saves_registers u64 rb_fast_tsc(struct trace_buffer *unused)
{
	return rdtsc_ordered();
}
NOKPROBE_SYMBOL(rb_fast_tsc);		/* as rb_fast_guarded_clock() */
#endif

/* Read the clock: what trace_clock_local() returns, without its layers, or another one. */
static __always_inline void rb_fast_time(struct rb_fast_event *e)
{
	if (likely(e->buffer->clock == trace_clock_local)) {
		e->ts = sched_clock_inline();
		e->local = e->ts;
		return;
	}
	if (e->timed)
		e->local = sched_clock_inline();
#ifdef CONFIG_X86_TSC
	/* Read again: for the local clock the compiler compares with memory. */
	if (READ_ONCE(e->buffer->clock) == trace_clock_x86_tsc) {
		e->ts = call_saves_registers(rb_fast_tsc, e->buffer);
		return;
	}
#endif
	e->ts = e->alone ? call_saves_registers(rb_fast_guarded_clock, e->buffer) :
		call_saves_registers(rb_fast_other_clock, e->buffer);
}

/*
 * Let the general path go on with ->fast_rest until the event is reserved. Return: The
 * event, or NULL if it is lost. The time is not read again, as readers would see that with
 * the clock "counter".
 *
 * If a page is begun meanwhile, rb_fast_look() asks for rb_fast_settle() after the commit.
 */
static noinline __saves_registers struct ring_buffer_event *
rb_fast_go_on(struct ring_buffer_per_cpu *cpu_buffer)
{
	struct rb_fast_rest *rest = &cpu_buffer->fast_rest;
	const unsigned long was = rb_fast_guard(rest->alone);
	struct rb_event_info *info = &rest->info;
	struct ring_buffer_event *event;
	unsigned int loops = 0;

	info->delta = 0;
	info->add_timestamp = RB_ADD_STAMP_NONE;
	if (rest->step == RB_FAST_UNTIMED) {
		event = rb_reserve_timed(cpu_buffer, info, rest->index);
	} else {
		info->delta = info->ts - info->after;
		if (rest->step == RB_FAST_LATE) {
			info->add_timestamp = RB_ADD_STAMP_EXTEND;
			info->length += RB_LEN_TIME_EXTEND;
			rb_time_set(&cpu_buffer->before_stamp, info->ts);
			rest->end = local_add_return(info->length, &info->tail_page->write);
		}
		event = rb_reserve_at(cpu_buffer, info, rest->index, rest->end);
	}
	while (unlikely(PTR_ERR(event) == -EAGAIN)) {
		if (info->add_timestamp & (RB_ADD_STAMP_FORCE | RB_ADD_STAMP_EXTEND))
			info->length -= RB_LEN_TIME_EXTEND;
		info->add_timestamp = RB_ADD_STAMP_NONE;
		info->delta = 0;
		event = RB_WARN_ON(cpu_buffer, ++loops >= 1000) ? NULL :
			__rb_reserve_next(cpu_buffer, info);
	}
	rb_fast_unguard(was);

	if (!event)
		rb_fast_abandon(cpu_buffer);
	return event;
}

/*
 * Call rb_fast_go_on() for @e at @step. @end: for RB_FAST_MOVED, the end of the room that
 * was reserved. Return: False if the event is lost.
 */
static __always_inline bool rb_fast_end(struct rb_fast_event *e, enum rb_fast_step step,
					u64 before, unsigned long end)
{
	struct ring_buffer_per_cpu *cpu_buffer = e->cpu_buffer;
	struct rb_fast_rest *rest = &cpu_buffer->fast_rest;

	/* Field by field: clearing the whole struct would cost the fast path registers. */
	rest->info.ts = e->ts;
	rest->info.before = before;
	rest->info.after = e->after;
	rest->info.length = e->length;
	rest->info.tail_page = e->page;
	rest->index = e->prev + 1;
	rest->end = end;
	rest->step = step;
	rest->alone = e->alone;
	e->event = (void *)call_saves_registers(rb_fast_go_on, cpu_buffer);
	if (!e->event)
		return false;

	e->data = rb_event_data(e->event);
	e->ts = cpu_buffer->event_stamp[0];
	if (e->timed)
		e->local = e->buffer->clock == trace_clock_local ? e->ts : sched_clock_inline();

	e->commits = local_read(&cpu_buffer->commits);
	barrier();	/* the commit sees interrupts from now on */
	e->page = READ_ONCE(cpu_buffer->tail_page);
	e->data_page = e->page->page;
	e->prev = rb_page_write(e->page) - e->length - 1;
	return true;
}

/* If time stamps are validated, check ours as the general path does its own. */
static __always_inline void rb_fast_validate(const struct rb_fast_event *e)
{
	if (IS_ENABLED(CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS)) {
		struct rb_event_info info = {
			.ts		= e->ts,
			.delta		= e->ts - e->after,
			.before		= e->after,
			.after		= e->after,
			.length		= e->length,
			.tail_page	= e->page,
		};

		check_buffer(e->cpu_buffer, &info, e->prev + 1);
		RB_WARN_ON(e->cpu_buffer,
			   e->buffer->clock == trace_clock_local && e->ts > trace_clock_local());
	}
}

/* Write the event, except its data, into the room that was reserved for it. */
static __always_inline void rb_fast_write(struct rb_fast_event *e, unsigned int size)
{
	const unsigned int header = offsetof(struct ring_buffer_event, array) +
		(size > RB_MAX_SMALL_DATA ? sizeof_field(struct ring_buffer_event, array[0]) : 0);

	rb_time_set(&e->cpu_buffer->write_stamp, e->ts);
	rb_fast_validate(e);
	e->data_page = e->page->page;
	e->data = (void *)e->data_page->data + e->prev + 1 + header;
	/* One address, not two */
	OPTIMIZER_HIDE_VAR(e->data);
	e->event = e->data - header;
	rb_fast_header(e->event, size, e->length, e->ts - e->after);
	local_inc(&e->page->entries);
	local_add(e->length, &e->cpu_buffer->entries_bytes);
}

/*
 * Reserve an event with @size bytes of data: 1 to RB_FAST_MAX. The marks A to D are
 * those of __rb_reserve_next(). Return: False if the event is lost.
 */
static __always_inline bool rb_fast_begin(struct rb_fast_event *e, unsigned int size)
{
	struct ring_buffer_per_cpu *cpu_buffer = e->cpu_buffer;
	unsigned long write, end;
	u64 before;

	cpu_buffer->current_context = e->alone ? RB_CTX_FAST : rb_fast_context(cpu_buffer);
	/* Read before ->committing is set: writers that see it set count after this. */
	e->commits = local_read(&cpu_buffer->commits);
	barrier();
	local_set(&cpu_buffer->committing, 1);
	barrier();

	/* An interrupt may have swapped the buffer before we set ->current_context. */
	if (IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP) &&
	    unlikely(rb_fast_read(cpu_buffer->buffer) != e->buffer)) {
		call_saves_registers(rb_fast_abandon, cpu_buffer);
		return false;
	}

	e->length = rb_fast_length(size);
	e->page = READ_ONCE(cpu_buffer->tail_page);
	write = local_read(&e->page->write);				/* A */
	barrier();
	rb_time_read(&cpu_buffer->before_stamp, &before);
	rb_time_read(&cpu_buffer->write_stamp, &e->after);
	barrier();

	/* One test for an empty page and for a full one, and one register for all that follows */
	e->prev = (write & RB_WRITE_MASK) - 1;
	OPTIMIZER_HIDE_VAR(e->prev);
	if (unlikely(before != e->after ||
		     e->prev >= cpu_buffer->fast_capacity - e->length))
		return rb_fast_end(e, RB_FAST_UNTIMED, before, 0);

	rb_fast_time(e);
	/* Code that runs before the commit may read it. */
	if (!e->alone)
		cpu_buffer->event_stamp[0] = e->ts;
	if (unlikely(test_time_stamp(e->ts - e->after)))
		return rb_fast_end(e, RB_FAST_LATE, e->after, 0);

	rb_time_set(&cpu_buffer->before_stamp, e->ts);			/* B */
	end = local_add_return(e->length, &e->page->write);		/* C */
	if (unlikely(end - e->length != write))
		return rb_fast_end(e, RB_FAST_MOVED, e->after, end);
	rb_fast_write(e, size);						/* D */
	return true;
}

/*
 * After the commit: also commit what interrupts left to us. They counted
 * themselves in ->commits, as they saw ->committing, which is 0 again. And wake
 * readers that wait for events, or for more of them.
 */
static noinline __saves_registers void rb_fast_settle(struct ring_buffer_per_cpu *cpu_buffer)
{
	local_inc(&cpu_buffer->committing);
	rb_end_commit(cpu_buffer);

	/* A reader that begins to wait while we look sets it again. */
	WRITE_ONCE(cpu_buffer->fast_wake, 0);
	smp_mb();	/* pairs with rb_fast_watch() */
	rb_wakeups(cpu_buffer->buffer, cpu_buffer);
}

/*
 * Commit the event that ends at @end of @page, and all before it. Return: False
 * if rb_fast_settle() has to follow.
 */
static __always_inline bool rb_fast_commit_at(struct ring_buffer_per_cpu *cpu_buffer,
					      struct buffer_data_page *page, unsigned long end,
					      unsigned long commits)
{
	local_inc(&cpu_buffer->entries);
	smp_wmb();	/* readers see the event before the commit that covers it */
	local_set(&page->commit, end);
	barrier();
	local_set(&cpu_buffer->committing, 0);
	barrier();
	return likely(rb_fast_read(*(unsigned long *)&cpu_buffer->commits) == commits &&
		      !rb_fast_read(cpu_buffer->fast_wake));
}

/* Reserve for ring_buffer_lock_reserve(). Return: NULL for the general path, -EBUSY if lost. */
static __always_inline struct ring_buffer_event *rb_fast_reserve(struct trace_buffer *buffer,
								 unsigned long size)
{
	struct rb_fast_event e = { .buffer = buffer };

	if (unlikely(size - 1 >= RB_FAST_MAX) || !rb_fast_ready(&e))
		return NULL;
	if (unlikely(!rb_fast_begin(&e, size)))
		return ERR_PTR(-EBUSY);
	e.cpu_buffer->fast_commits = e.commits;
	return e.event;
}

/*
 * Commit for ring_buffer_unlock_commit(). Return: False if the general path has
 * to, as the event was not reserved on the fast path or is not the last one.
 */
static __always_inline bool rb_fast_commit(struct ring_buffer_per_cpu *cpu_buffer)
{
	const unsigned long commits = local_read(&cpu_buffer->commits);
	struct buffer_page *page;

	/* The general path counts when it reserves, so this event was not reserved there. */
	if (unlikely(cpu_buffer->fast_commits != commits))
		return false;

	page = cpu_buffer->tail_page;
	if (!rb_fast_commit_at(cpu_buffer, page->page, rb_page_write(page), commits))
		call_saves_registers(rb_fast_settle, cpu_buffer);
	return true;
}
