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
 * Documentation/trace/ftrace/recording.rst has the steps and the reasons.
 *
 * Included by ring_buffer.c, whose private structures it uses.
 */
#include <asm/inline_clock.h>

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

/* How a writer fared. */
enum rb_fast {
	RB_FAST_NOT,		/* nothing was done: take the general path */
	RB_FAST_LOST,		/* the event is lost, as on the general path */
	RB_FAST_RESERVED,	/* to be filled and committed */
};

/* What a writer knows of its event. */
struct rb_fast_event {
	struct ring_buffer_per_cpu	*cpu_buffer;
	struct buffer_page		*page;
	unsigned long			commits;	/* ->commits before the writer began */
	unsigned long			index;		/* where on the page it is */
	u64				after;		/* time stamp of the event before */
	u64				ts;
	unsigned int			length;		/* with header */
	struct ring_buffer_event	*event;		/* when it has its place */
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

	/* One store */
	*event = (struct ring_buffer_event) {
		.type_len	= large ? 0 : data / RB_ALIGNMENT,
		.time_delta	= delta,
	};
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

/* Undo rb_fast_enter(). Interrupts may have left events for us to commit. */
static noinline void rb_fast_abandon(struct ring_buffer_per_cpu *cpu_buffer)
{
	rb_end_commit(cpu_buffer);
	cpu_buffer->current_context = 0;
}

/*
 * Begin to write. Preemption is off. @alone: no code of others runs before the
 * commit. Return: RB_FAST_RESERVED if rb_fast_find() may follow.
 */
static __always_inline enum rb_fast rb_fast_enter(struct trace_buffer *buffer, bool alone,
						  struct rb_fast_event *e)
{
	struct ring_buffer_per_cpu *cpu_buffer;

	if (unlikely(rb_fast_read(buffer->record_disabled.counter)))
		return RB_FAST_NOT;

	/* There is one: without it trace_rb_cpu_prepare() had kept this CPU from coming up. */
	cpu_buffer = buffer->buffers[raw_smp_processor_id()];
	if (unlikely(rb_fast_read(cpu_buffer->fast_busy)))
		return RB_FAST_NOT;

	cpu_buffer->current_context = alone ? RB_CTX_FAST : rb_fast_context(cpu_buffer);
	/* Before ->committing: who sees that counts after this. */
	e->commits = local_read(&cpu_buffer->commits);
	barrier();
	local_set(&cpu_buffer->committing, 1);
	barrier();
	e->cpu_buffer = cpu_buffer;

	/* An interrupt may have swapped the buffer before we set ->current_context. */
	if (IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP) &&
	    unlikely(rb_fast_read(cpu_buffer->buffer) != buffer)) {
		rb_fast_abandon(cpu_buffer);
		return RB_FAST_LOST;
	}
	return RB_FAST_RESERVED;
}

/* The time, with preemption off: what trace_clock_local() returns, without its layers. */
static __always_inline u64 rb_fast_time(struct trace_buffer *buffer)
{
	u64 (*clock)(void) = buffer->clock;

	return likely(clock == trace_clock_local) ? sched_clock_inline() : clock();
}

/* Let the general path try again until @info's event has its place, or is lost. */
static struct ring_buffer_event *rb_fast_place(struct ring_buffer_per_cpu *cpu_buffer,
					       struct rb_event_info *info,
					       struct ring_buffer_event *event)
{
	unsigned int loops = 0;

	while (unlikely(PTR_ERR(event) == -EAGAIN)) {
		if (RB_WARN_ON(cpu_buffer, ++loops >= 1000))
			return NULL;
		if (info->add_timestamp & (RB_ADD_STAMP_FORCE | RB_ADD_STAMP_EXTEND))
			info->length -= RB_LEN_TIME_EXTEND;
		info->add_timestamp = RB_ADD_STAMP_NONE;
		info->delta = 0;
		event = __rb_reserve_next(cpu_buffer, info);
	}
	return event;
}

/*
 * The fast path ends before the time is read: the page is empty or full, or an
 * interrupted writer has left the time of the event before uncertain.
 */
static noinline struct ring_buffer_event *rb_fast_untimed(struct ring_buffer_per_cpu *cpu_buffer,
							  struct buffer_page *page,
							  unsigned long write, u64 before,
							  u64 after, unsigned int length)
{
	struct rb_event_info info = {
		.before		= before,
		.after		= after,
		.length		= length,
		.tail_page	= page,
	};

	return rb_fast_place(cpu_buffer, &info,
			     rb_reserve_timed(cpu_buffer, &info, write & RB_WRITE_MASK));
}

/*
 * The fast path ends after the time was read: it is too long after the event
 * before, so a time stamp goes before the event. Do not read the time again:
 * readers would see that with the clock "counter".
 */
static noinline struct ring_buffer_event *rb_fast_extend(struct ring_buffer_per_cpu *cpu_buffer,
							 struct buffer_page *page,
							 unsigned long write, u64 after,
							 u64 ts, unsigned int length)
{
	struct rb_event_info info = {
		.ts		= ts,
		.delta		= ts - after,
		.before		= after,
		.after		= after,
		.length		= length + RB_LEN_TIME_EXTEND,
		.tail_page	= page,
		.add_timestamp	= RB_ADD_STAMP_EXTEND,
	};
	unsigned long end;

	rb_time_set(&cpu_buffer->before_stamp, ts);
	end = local_add_return(info.length, &page->write);
	return rb_fast_place(cpu_buffer, &info,
			     rb_reserve_at(cpu_buffer, &info, write & RB_WRITE_MASK, end));
}

/*
 * The fast path ends after the event has got room, up to @end: an interrupt has
 * written since we looked, so the room is not where we looked.
 */
static noinline struct ring_buffer_event *rb_fast_moved(struct ring_buffer_per_cpu *cpu_buffer,
							struct buffer_page *page,
							unsigned long write, u64 after,
							u64 ts, unsigned int length,
							unsigned long end)
{
	struct rb_event_info info = {
		.ts		= ts,
		.delta		= ts - after,
		.before		= after,
		.after		= after,
		.length		= length,
		.tail_page	= page,
	};

	return rb_fast_place(cpu_buffer, &info,
			     rb_reserve_at(cpu_buffer, &info, write & RB_WRITE_MASK, end));
}

/*
 * The general path has placed @event, or lost it. If a page was begun meanwhile,
 * rb_fast_new_page() has asked for rb_fast_settle() after the commit.
 */
static __always_inline enum rb_fast rb_fast_placed(struct rb_fast_event *e,
						   struct ring_buffer_event *event)
{
	struct ring_buffer_per_cpu *cpu_buffer = e->cpu_buffer;

	if (!event) {
		rb_fast_abandon(cpu_buffer);
		return RB_FAST_LOST;
	}
	e->event = event;
	e->data = rb_event_data(event);
	e->ts = cpu_buffer->event_stamp[0];

	e->commits = local_read(&cpu_buffer->commits);
	barrier();	/* the commit sees interrupts from now on */
	e->page = READ_ONCE(cpu_buffer->tail_page);
	e->index = rb_page_write(e->page) - e->length;
	return RB_FAST_RESERVED;
}

/* With the validation of time stamps built in, check ours as the general path does its own. */
static __always_inline void rb_fast_validate(const struct rb_fast_event *e)
{
	if (IS_ENABLED(CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS)) {
		const bool local = e->cpu_buffer->buffer->clock == trace_clock_local;
		struct rb_event_info info = {
			.ts		= e->ts,
			.delta		= e->ts - e->after,
			.before		= e->after,
			.after		= e->after,
			.length		= e->length,
			.tail_page	= e->page,
		};

		check_buffer(e->cpu_buffer, &info, e->index);
		RB_WARN_ON(e->cpu_buffer, local && e->ts > trace_clock_local());
	}
}

/* Write the event into the room that it has got, all but its data. */
static __always_inline void rb_fast_write(struct rb_fast_event *e, unsigned int size)
{
	rb_time_set(&e->cpu_buffer->write_stamp, e->ts);
	rb_fast_validate(e);
	e->event = __rb_page_index(e->page, e->index);
	e->data = &e->event->array[size > RB_MAX_SMALL_DATA];
	rb_fast_header(e->event, size, e->length, e->ts - e->after);
	local_inc(&e->page->entries);
	local_add(e->length, &e->cpu_buffer->entries_bytes);
}

/*
 * Find room for an event with @size bytes of data, after rb_fast_enter(). @alone:
 * nobody asks for its time stamp before the commit. @local: the clock is known to
 * be the local one. The marks A to D are those of __rb_reserve_next().
 */
static __always_inline enum rb_fast rb_fast_find(struct rb_fast_event *e, bool alone,
						 bool local, unsigned int size)
{
	struct ring_buffer_per_cpu *cpu_buffer = e->cpu_buffer;
	unsigned long write, end;
	u64 before;

	e->length = rb_fast_length(size);
	e->page = READ_ONCE(cpu_buffer->tail_page);
	write = local_read(&e->page->write);				/* A */
	barrier();
	rb_time_read(&cpu_buffer->before_stamp, &before);
	rb_time_read(&cpu_buffer->write_stamp, &e->after);
	barrier();

	/* One test for an empty page and for a full one. */
	e->index = write & RB_WRITE_MASK;
	if (unlikely(e->index - 1 >= cpu_buffer->fast_capacity - e->length ||
		     before != e->after))
		return rb_fast_placed(e, rb_fast_untimed(cpu_buffer, e->page, write,
							 before, e->after, e->length));

	e->ts = local ? sched_clock_inline() : rb_fast_time(cpu_buffer->buffer);
	if (!alone)
		cpu_buffer->event_stamp[0] = e->ts;
	if (unlikely(test_time_stamp(e->ts - e->after)))
		return rb_fast_placed(e, rb_fast_extend(cpu_buffer, e->page, write,
							e->after, e->ts, e->length));

	rb_time_set(&cpu_buffer->before_stamp, e->ts);			/* B */
	end = local_add_return(e->length, &e->page->write);		/* C */
	if (unlikely(end - e->length != write))
		return rb_fast_placed(e, rb_fast_moved(cpu_buffer, e->page, write,
						       e->after, e->ts, e->length, end));
	rb_fast_write(e, size);						/* D */
	return RB_FAST_RESERVED;
}

/*
 * Reserve an event with @size bytes of data: 1 to RB_FAST_MAX. Preemption is off.
 * @alone, @local: see rb_fast_enter() and rb_fast_find().
 */
static __always_inline enum rb_fast rb_fast_begin(struct trace_buffer *buffer, bool alone,
						  bool local, unsigned int size,
						  struct rb_fast_event *e)
{
	const enum rb_fast entered = rb_fast_enter(buffer, alone, e);

	return likely(entered == RB_FAST_RESERVED) ? rb_fast_find(e, alone, local, size) : entered;
}

/*
 * After the commit: also commit what interrupts left to us. They counted
 * themselves in ->commits, as they saw ->committing, which is 0 again. And wake
 * readers that wait for events, or for more of them.
 */
static noinline void rb_fast_settle(struct ring_buffer_per_cpu *cpu_buffer)
{
	local_inc(&cpu_buffer->committing);
	rb_end_commit(cpu_buffer);

	/* A reader that begins to wait while we look sets it again. */
	WRITE_ONCE(cpu_buffer->fast_wake, 0);
	smp_mb();	/* pairs with rb_fast_watch() */
	rb_wakeups(cpu_buffer->buffer, cpu_buffer);
}

/*
 * Commit the event that ends at @end of @page, and all before it. Return: false
 * if rb_fast_settle() has to follow.
 */
static __always_inline bool rb_fast_commit_at(struct ring_buffer_per_cpu *cpu_buffer,
					      struct buffer_page *page, unsigned long end,
					      unsigned long commits)
{
	local_inc(&cpu_buffer->entries);
	smp_wmb();	/* readers see the event before the commit that covers it */
	local_set(&page->page->commit, end);
	barrier();
	local_set(&cpu_buffer->committing, 0);
	barrier();
	return likely(local_read(&cpu_buffer->commits) == commits &&
		      !rb_fast_read(cpu_buffer->fast_wake));
}

/* Reserve for ring_buffer_lock_reserve(). Return: NULL for the general path, -EBUSY if lost. */
static __always_inline struct ring_buffer_event *rb_fast_reserve(struct trace_buffer *buffer,
								 unsigned long size)
{
	struct rb_fast_event e __uninitialized;

	if (unlikely(size - 1 >= RB_FAST_MAX))
		return NULL;

	switch (rb_fast_begin(buffer, false, false, size, &e)) {
	case RB_FAST_NOT:
		return NULL;
	case RB_FAST_LOST:
		return ERR_PTR(-EBUSY);
	case RB_FAST_RESERVED:
		break;
	}
	e.cpu_buffer->fast_commits = e.commits;
	return e.event;
}

/*
 * Commit for ring_buffer_unlock_commit(). Return: false if the general path has
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
	if (!rb_fast_commit_at(cpu_buffer, page, rb_page_write(page), commits))
		rb_fast_settle(cpu_buffer);
	return true;
}
