// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers on the fast path: they reserve, fill and commit an entry of a fixed
 * size without a call of anything that could be traced, or interrupted by a
 * writer in the same context. And events, whose data others write in between.
 * What cannot be recorded so is left to the general functions.
 *
 * Included by ring_buffer.c, as the functions of ring_buffer_fast.c have to be inlined.
 */
#ifdef CONFIG_FTRACE_COMBO
#include "ftrace/graph/slots.h"
#include "ftrace/graph/tasks.h"
#endif

/* The end of a record where trace_fast_end() cannot do it. */
static noinline void trace_fast_settle(struct ring_buffer_per_cpu *cpu_buffer)
{
	/* Waking readers calls functions that may be traced: do not record them. */
	const int bit = ftrace_test_recursion_trylock(_THIS_IP_, _RET_IP_);

	rb_fast_settle(cpu_buffer);
	cpu_buffer->current_context = 0;
	if (bit >= 0)
		ftrace_test_recursion_unlock(bit);
}

/* Commit an entry that was reserved "alone". */
static __always_inline void trace_fast_end(const struct rb_fast_event *e)
{
	struct ring_buffer_per_cpu *cpu_buffer = e->cpu_buffer;

	__this_cpu_write(trace_taskinfo_save, true);
	if (rb_fast_commit_at(cpu_buffer, e->page, e->index + e->length, e->commits))
		cpu_buffer->current_context = 0;
	else
		trace_fast_settle(cpu_buffer);
}

/*
 * Clocks other than the local one may call functions that are traced, such as those of
 * a clocksource. Callbacks that do not set their recursion bit set it while they use
 * such a clock. Preemption is off. Return: for trace_fast_unguard().
 */
static __always_inline unsigned long trace_fast_guard(void)
{
	const unsigned long was = current->trace_recursion;
	int context = TRACE_CTX_NORMAL;

	if (unlikely(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
		context = trace_get_context_bit();
	current->trace_recursion = was | BIT(TRACE_FTRACE_START + context);
	barrier();	/* set before the clock is read */
	return was;
}

static __always_inline void trace_fast_unguard(unsigned long was)
{
	barrier();	/* the clock has been read */
	current->trace_recursion = was;
}

#ifdef CONFIG_FUNCTION_TRACER
/* Fill in what was reserved for a function, and commit it. Preemption was disabled for it. */
static __always_inline void trace_fast_fill_function(const struct rb_fast_event *e,
						     unsigned long ip, unsigned long parent_ip)
{
	struct ftrace_entry *entry = e->data;

	trace_fast_head(&entry->ent, TRACE_FN, trace_fast_state(TRACE_FAST_DEC));
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	trace_fast_end(e);
}

/* True if the function tracer has to look closer, or has more to do than to record. */
static __always_inline bool trace_fast_not_function(unsigned long parent_ip)
{
	if (static_branch_unlikely(&trace_function_exports_enabled))
		return true;
	return trace_fast_recursion() || trace_fast_is_hooked(parent_ip);
}

/* Preemption is off. @local: the clock is the local one. Return: False if nothing was done. */
static __always_inline bool trace_fast_record_function(struct trace_buffer *buffer,
						       unsigned long ip,
						       unsigned long parent_ip,
						       const bool local)
{
	struct rb_fast_event e __uninitialized;
	const enum rb_fast reserved = rb_fast_begin(buffer, true, local,
						    sizeof(struct ftrace_entry), &e);

	if (likely(reserved == RB_FAST_RESERVED))
		trace_fast_fill_function(&e, ip, parent_ip);
	return likely(reserved != RB_FAST_NOT);
}

/* The same with a clock that need not be the local one. */
static __always_inline bool trace_fast_function_clock(struct trace_buffer *buffer,
						      unsigned long ip,
						      unsigned long parent_ip)
{
	const unsigned long was = trace_fast_guard();
	const bool done = trace_fast_record_function(buffer, ip, parent_ip, false);

	trace_fast_unguard(was);
	return done;
}

/**
 * trace_fast_function() - record a call of a function
 * @ip: the function
 * @parent_ip: its caller
 * @op: the tracer's ops
 * @fregs: registers
 *
 * The function tracer's callback without options, or function_trace_call() where
 * that is needed.
 *
 * With the local clock nothing called here is traced, so the bits against recursion
 * need not be set. They are tested, as the caller may be in another callback.
 *
 * Context: Any context.
 */
void trace_fast_function(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	struct trace_buffer *buffer;
	bool done;

	if (unlikely(!tr->function_enabled))
		return;
	if (unlikely(trace_fast_not_function(parent_ip)))
		goto general;

	preempt_disable_notrace();
	/* A snapshot swaps it, and waits for those with preemption disabled. */
	buffer = tr->array_buffer.buffer;
	if (likely(buffer->clock == trace_clock_local))
		done = trace_fast_record_function(buffer, ip, parent_ip, true);
	else
		done = trace_fast_function_clock(buffer, ip, parent_ip);
	preempt_enable_notrace();
	if (likely(done))
		return;
general:
	function_trace_call(ip, parent_ip, op, fregs);
}

/* What trace_fast_no_repeats() has to do. */
enum trace_fast_repeats {
	TRACE_FAST_DONE,
	TRACE_FAST_GENERAL,	/* nothing was done */
	TRACE_FAST_FUNCTION,	/* record the function, the last one is noted */
};

/* Preemption is off. @local: the clock is the local one. */
static __always_inline enum trace_fast_repeats
trace_fast_record_repeats(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			  const bool local)
{
	struct trace_func_repeats *last = this_cpu_ptr(tr->last_func_repeats);
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	if (unlikely(atomic_read(&buffer->record_disabled)))
		return TRACE_FAST_GENERAL;
	if (last->ip == ip && last->parent_ip == parent_ip && last->count < U16_MAX) {
		last->ts_last_call = local ? sched_clock_inline() : buffer->clock();
		last->count++;
		return TRACE_FAST_DONE;
	}

	/* The number of repeats is another event, and comes first. */
	if (unlikely(last->count))
		return TRACE_FAST_GENERAL;
	last->ip = ip;
	last->parent_ip = parent_ip;
	return likely(trace_fast_record_function(buffer, ip, parent_ip, local)) ?
	       TRACE_FAST_DONE : TRACE_FAST_FUNCTION;
}

/* The same with a clock that need not be the local one. */
static noinline enum trace_fast_repeats
trace_fast_repeats_clock(struct trace_array *tr, unsigned long ip, unsigned long parent_ip)
{
	const unsigned long was = trace_fast_guard();
	const enum trace_fast_repeats left =
		trace_fast_record_repeats(tr, ip, parent_ip, false);

	trace_fast_unguard(was);
	return left;
}

/**
 * trace_fast_no_repeats() - record a call of a function unless it repeats the last
 * @ip: the function
 * @parent_ip: its caller
 * @op: the tracer's ops
 * @fregs: registers
 *
 * As trace_fast_function(), for function_no_repeats_trace_call().
 *
 * Context: Any context.
 */
void trace_fast_no_repeats(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	enum trace_fast_repeats left;

	if (unlikely(!tr->function_enabled))
		return;
	if (unlikely(trace_fast_not_function(parent_ip)))
		goto general;

	preempt_disable_notrace();
	if (likely(tr->array_buffer.buffer->clock == trace_clock_local))
		left = trace_fast_record_repeats(tr, ip, parent_ip, true);
	else
		left = trace_fast_repeats_clock(tr, ip, parent_ip);
	preempt_enable_notrace();
	if (likely(left == TRACE_FAST_DONE))
		return;
	if (left == TRACE_FAST_FUNCTION)
		return function_trace_call(ip, parent_ip, op, fregs);
general:
	function_no_repeats_trace_call(ip, parent_ip, op, fregs);
}
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* True if the graph tracer has filters or options that only its general callbacks know. */
static __always_inline bool trace_fast_not_graph(const struct trace_array *tr)
{
	unsigned long words = tracing_thresh;

#ifdef CONFIG_DYNAMIC_FTRACE
	/* Filters are freed when preemption was on everywhere, or change with ftrace_lock held. */
	if (unlikely(!ftrace_hash_empty(rcu_dereference_raw(ftrace_graph_hash)) ||
		     !ftrace_hash_empty(rcu_dereference_raw(ftrace_graph_notrace_hash))))
		return true;
#endif
	/* One test for all of them */
	words |= (unsigned int)(fgraph_max_depth | fgraph_no_sleep_time | ftrace_graph_skip_irqs) |
		 (tr->current_trace_flags->val & TRACE_GRAPH_PRINT_RETADDR);
	return words;
}

/*
 * Record the entry of @func, and its time in @calltime. @local: the clock is the
 * local one, so the event's time is also that of the call.
 */
static __always_inline enum rb_fast trace_fast_record_entry(struct trace_array *tr,
							    unsigned long func, long depth,
							    u64 *calltime, const bool local)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;
	struct rb_fast_event e __uninitialized;
	enum rb_fast reserved;

	if (!local)
		*calltime = sched_clock_inline();

	reserved = rb_fast_begin(buffer, true, local, sizeof(*entry), &e);
	if (unlikely(reserved != RB_FAST_RESERVED))
		return reserved;
	if (local)
		*calltime = e.ts;

	entry = e.data;
	trace_fast_head(&entry->ent, TRACE_GRAPH_ENT, trace_fast_state(0));
	entry->graph_ent.func = func;
	entry->graph_ent.depth = depth;
	trace_fast_end(&e);
	return RB_FAST_RESERVED;
}

/* The same with a clock that need not be the local one. */
static noinline enum rb_fast trace_fast_entry_clock(struct trace_array *tr, unsigned long func,
						    long depth, u64 *calltime)
{
	const unsigned long was = trace_fast_guard();
	const enum rb_fast recorded = trace_fast_record_entry(tr, func, depth, calltime, false);

	trace_fast_unguard(was);
	return recorded;
}

/* Return: 1 if it is recorded, 0 if it is lost, -EBUSY if nothing was done. */
static __always_inline int trace_fast_entry(struct fgraph_ops *gops, unsigned long func,
					    long depth, u64 *calltime)
{
	struct trace_array *tr = gops->private;
	enum rb_fast recorded;

	if (likely(tr->array_buffer.buffer->clock == trace_clock_local))
		recorded = trace_fast_record_entry(tr, func, depth, calltime, true);
	else
		recorded = trace_fast_entry_clock(tr, func, depth, calltime);
	if (unlikely(recorded == RB_FAST_NOT))
		return -EBUSY;
	return likely(recorded == RB_FAST_RESERVED);
}

/*
 * Record the return of *@func, which was entered at *@calltime; pointers, as both are
 * read when they are needed. @local: as above. Return: False if the general path has
 * to, and nothing was done.
 */
static __always_inline bool trace_fast_record_return(struct fgraph_ops *gops,
						     const unsigned long *func,
						     int depth, const u64 *calltime,
						     struct ftrace_regs *fregs, const bool local)
{
	struct trace_array *tr = gops->private;
	struct ftrace_graph_ret_entry *entry;
	struct rb_fast_event e __uninitialized;
	const u64 rettime = local ? 0 : sched_clock_inline();

	switch (rb_fast_begin(tr->array_buffer.buffer, true, local, sizeof(*entry), &e)) {
	case RB_FAST_NOT:
		return false;
	case RB_FAST_LOST:
		return true;
	case RB_FAST_RESERVED:
		break;
	}

	entry = e.data;
	trace_fast_head(&entry->ent, TRACE_GRAPH_RET, trace_fast_state(0));
	entry->ret.func = *func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	entry->ret.retval = ftrace_regs_get_return_value(fregs);
#endif
	entry->ret.overrun = atomic_read(&current->trace_overrun);
	entry->ret.depth = depth;
	entry->calltime = *calltime;
	entry->rettime = local ? e.ts : rettime;
	trace_fast_end(&e);
	return true;
}

static noinline bool trace_fast_return_clock(struct fgraph_ops *gops, const unsigned long *func,
					     int depth, const u64 *calltime,
					     struct ftrace_regs *fregs)
{
	const unsigned long was = trace_fast_guard();
	const bool done = trace_fast_record_return(gops, func, depth, calltime, fregs, false);

	trace_fast_unguard(was);
	return done;
}

static __always_inline bool trace_fast_return(struct fgraph_ops *gops, const unsigned long *func,
					      int depth, const u64 *calltime,
					      struct ftrace_regs *fregs)
{
	struct trace_array *tr = gops->private;

	if (unlikely(tr->array_buffer.buffer->clock != trace_clock_local))
		return trace_fast_return_clock(gops, func, depth, calltime, fregs);
	return trace_fast_record_return(gops, func, depth, calltime, fregs, true);
}

#ifdef CONFIG_FTRACE_COMBO
/**
 * trace_fast_graph_barred() - test whether entries go the general way for now
 * @gops: a client
 *
 * Context: Any context.
 * Return: True if @gops is a graph tracer's, and has filters or options on.
 */
bool trace_fast_graph_barred(const struct fgraph_ops *gops)
{
	return gops->entryfunc == trace_fast_graph_entry && trace_fast_not_graph(gops->private);
}
#endif

/**
 * trace_fast_graph_entry() - record the entry of a function
 * @trace: the function and its depth
 * @gops: the tracer's
 * @fregs: registers
 *
 * The graph tracer's entry callback, or trace_graph_entry() where that is needed.
 *
 * With the local clock, the event's time is also that of the call.
 *
 * Context: Any context, preemption off.
 * Return: 1 if the return is to be recorded, too, else 0.
 */
int trace_fast_graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs)
{
	u64 *calltime;
	int recorded;

	if (unlikely(*fgraph_get_task_var(gops) || trace_fast_not_graph(gops->private)))
		return trace_graph_entry(trace, gops, fregs);

	calltime = fgraph_reserve_data(gops->idx, sizeof(*calltime));
	if (unlikely(!calltime))
		return 0;
	recorded = trace_fast_entry(gops, trace->func, trace->depth, calltime);
	if (likely(recorded >= 0))
		return recorded;

	/* What this calls may be traced; the caller has taken the lock against recursion. */
	*calltime = trace_clock_local();
	return __trace_graph_entry(gops->private, trace, tracing_gen_ctx());
}

/**
 * trace_fast_graph_return() - record the return of a function
 * @trace: the function, its depth and return value
 * @gops: the tracer's
 * @fregs: registers
 *
 * The graph tracer's return callback, or trace_graph_return() where that is needed.
 *
 * Context: Any context, preemption off.
 */
void trace_fast_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			     struct ftrace_regs *fregs)
{
	const u64 *calltime;
	int size;

	if (unlikely(*fgraph_get_task_var(gops) || fgraph_no_sleep_time))
		goto general;

	calltime = fgraph_retrieve_data(gops->idx, &size);
	if (unlikely(!calltime) ||
	    likely(trace_fast_return(gops, &trace->func, trace->depth, calltime, fregs)))
		return;
general:
	trace_graph_return(trace, gops, fregs);
}

#ifdef CONFIG_FTRACE_COMBO
#include "ftrace/graph/call.c"
#endif
#endif

#ifdef CONFIG_EVENT_TRACING
/*
 * True if the event comes from where preemption is enabled, as those of uprobes do. What
 * is recorded then, by one less than 0, is for tracing_gen_ctx_dec() to decide.
 */
static __always_inline bool trace_fast_preemptible(void)
{
	return TRACE_FAST_DEC && !preempt_count();
}

/**
 * trace_event_buffer_reserve() - reserve an event
 * @fbuffer: filled in for trace_event_buffer_commit()
 * @trace_file: the event, of one trace array
 * @len: length of the event
 *
 * Context: Any context. Disables preemption, unless it returns NULL.
 * Return: Where the event's data goes. NULL if it is not to be recorded or there
 * is no room.
 */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
				 struct trace_event_file *trace_file, unsigned long len)
{
	const u32 state = trace_fast_state(TRACE_FAST_DEC);
	struct rb_fast_event e __uninitialized;
	struct trace_buffer *buffer;
	enum rb_fast reserved;

	if (unlikely(trace_file->flags & TRACE_FAST_NOT_EVENT || len - 1 >= RB_FAST_MAX ||
		     trace_fast_preemptible()))
		return trace_event_reserve_general(fbuffer, trace_file, len);

	preempt_disable_notrace();
	buffer = trace_file->tr->array_buffer.buffer;
	reserved = rb_fast_begin(buffer, false, false, len, &e);
	if (unlikely(reserved != RB_FAST_RESERVED)) {
		preempt_enable_notrace();
		if (reserved == RB_FAST_LOST)
			return NULL;
		return trace_event_reserve_general(fbuffer, trace_file, len);
	}

	e.cpu_buffer->fast_commits = e.commits;
	fbuffer->buffer = buffer;
	fbuffer->event = e.event;
	fbuffer->trace_file = trace_file;
	fbuffer->entry = e.data;
	fbuffer->trace_ctx = trace_fast_ctx(state);
	fbuffer->regs = NULL;
	trace_fast_head(e.data, trace_file->event_call->event.type, state);
	return e.data;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/* True if stacks are recorded after each event. */
static __always_inline bool trace_fast_stacks(const struct trace_array *tr)
{
#ifdef CONFIG_STACKTRACE
	return tr->trace_flags & (TRACE_ITER(STACKTRACE) | TRACE_ITER(USERSTACKTRACE));
#else
	return false;
#endif
}

/* True if there is more to do with an event of @file than to record it. */
static __always_inline bool trace_fast_not_only(const struct trace_event_file *file)
{
	if (static_branch_unlikely(&tracepoint_printk_key) ||
	    static_branch_unlikely(&trace_event_exports_enabled))
		return true;
	return file->flags & TRACE_FAST_NOT_EVENT || trace_fast_stacks(file->tr);
}

/**
 * trace_fast_event_commit() - commit an event for trace_event_buffer_commit()
 * @fbuffer: what trace_event_buffer_reserve() filled in
 *
 * Context: Any context. Enables preemption, unless it returns false.
 * Return: False if there is more to do, and nothing was done.
 */
bool trace_fast_event_commit(struct trace_event_buffer *fbuffer)
{
	struct ring_buffer_per_cpu *cpu_buffer = fbuffer->buffer->buffers[raw_smp_processor_id()];

	if (unlikely(trace_fast_not_only(fbuffer->trace_file)))
		return false;
	/* An event in the per-CPU buffer for filters is not in the ring buffer. */
	if (unlikely(this_cpu_read(trace_buffered_event) == fbuffer->event ||
		     !rb_fast_commit(cpu_buffer)))
		return false;

	__this_cpu_write(trace_taskinfo_save, true);
	cpu_buffer->current_context = 0;
	preempt_enable_notrace();
	return true;
}

/* Copy an event's data, but for its struct trace_entry; no function that may be traced. */
static __always_inline void trace_fast_copy(void *to, const void *from, unsigned int size)
{
	unsigned int at;

	for (at = sizeof(struct trace_entry); at + sizeof(u64) <= size; at += sizeof(u64))
		*(u64 *)(to + at) = *(const u64 *)(from + at);
	if (at < size)
		*(u32 *)(to + at) = *(const u32 *)(from + at);
}

/* Begin with an event of @size bytes. Preemption is off if it has got its room. */
static __always_inline enum rb_fast trace_fast_event_begin(struct trace_event_file *file,
							   unsigned int size,
							   struct rb_fast_event *e)
{
	const u32 state = trace_fast_state(TRACE_FAST_DEC);
	enum rb_fast reserved;

	if (unlikely(trace_fast_not_only(file) || trace_fast_preemptible()))
		return RB_FAST_NOT;

	preempt_disable_notrace();
	reserved = rb_fast_begin(file->tr->array_buffer.buffer, true, false, size, e);
	if (likely(reserved == RB_FAST_RESERVED))
		trace_fast_head(e->data, file->event_call->event.type, state);
	else
		preempt_enable_notrace();
	return reserved;
}

static __always_inline void trace_fast_event_end(const struct rb_fast_event *e)
{
	trace_fast_end(e);
	preempt_enable_notrace();
}

/**
 * trace_fast_event() - record an event whose data is known
 * @file: the event, of one trace array
 * @data: the event; its struct trace_entry is not read
 * @size: of @data in bytes, a multiple of 4
 *
 * Context: Any context.
 * Return: False if it cannot be recorded on the fast path, and nothing was done.
 */
bool trace_fast_event(struct trace_event_file *file, const void *data, unsigned int size)
{
	struct rb_fast_event e __uninitialized;
	const enum rb_fast reserved = trace_fast_event_begin(file, size, &e);

	if (likely(reserved == RB_FAST_RESERVED)) {
		trace_fast_copy(e.data, data, size);
		trace_fast_event_end(&e);
	}
	return reserved != RB_FAST_NOT;
}

/* An event whose data is the first @nr of two words. */
static __always_inline bool trace_fast_words(struct trace_event_file *file, unsigned int nr,
					     unsigned long first, unsigned long second)
{
	const unsigned int size = sizeof(struct trace_entry) + nr * sizeof(first);
	struct rb_fast_event e __uninitialized;
	const enum rb_fast reserved = trace_fast_event_begin(file, size, &e);
	unsigned long *words;

	if (likely(reserved == RB_FAST_RESERVED)) {
		words = e.data + sizeof(struct trace_entry);
		words[0] = first;
		if (nr == 2)
			words[1] = second;
		trace_fast_event_end(&e);
	}
	return reserved != RB_FAST_NOT;
}

/**
 * trace_fast_event_word() - record an event of one word
 * @file: the event, of one trace array
 * @word: what follows its struct trace_entry
 *
 * Context: Any context.
 * Return: as trace_fast_event().
 */
bool trace_fast_event_word(struct trace_event_file *file, unsigned long word)
{
	return trace_fast_words(file, 1, word, 0);
}

/**
 * trace_fast_event_words() - record an event of two words
 * @file: the event, of one trace array
 * @word: what follows its struct trace_entry
 * @second: what follows that
 *
 * Context: Any context.
 * Return: as trace_fast_event().
 */
bool trace_fast_event_words(struct trace_event_file *file, unsigned long word,
			    unsigned long second)
{
	return trace_fast_words(file, 2, word, second);
}
#endif
