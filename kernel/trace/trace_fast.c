// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers on the fast path: they reserve, fill and commit an entry of a fixed
 * size, calling nothing traceable, so there is no second writer in this
 * context. And events, whose data their callers write before they commit.
 * What cannot be recorded this way is left to the general functions.
 *
 * Included by ring_buffer.c, as the functions of ring_buffer_fast.c have to be inlined.
 */
#ifdef CONFIG_FTRACE_COMBO
#include <linux/ftrace/arch.h>
#include "ftrace/graph/slots.h"
#include "ftrace/graph/tasks.h"
#include "ftrace/hooks/dispatch.h"
#endif
#ifdef FTRACE_BARE
#include <linux/kprobes.h>
#include <linux/annotate.h>
#include <asm/ftrace_bare.h>
#else
/* No callback is bare. */
#define ftrace_bare_stack()	((unsigned long *)NULL)
#define ftrace_bare_ip()	0
#define ftrace_bare_parent()	0
#endif

/*
 * trace_fast_state() where the flags and counts have more than the common bits. @base:
 * the constant part.
 */
static noinline __saves_registers u32 trace_fast_other_state(u32 base)
{
	const unsigned int ctx = tracing_gen_ctx();

	return base + (ctx & 0xff0000) + (ctx << 24);
}

/*
 * The first 32 bits of an event: its type and, above these 16 bits, flags and
 * preempt_count of this CPU. @less: subtracted from the count, for callers that disabled
 * preemption. In an interrupt or softirq, and when a task is to be preempted, the general
 * function finds out which bits to set. With PREEMPT_RT, preempt_count() shows neither
 * softirqs nor that they are disabled, and every spinlock disables migration.
 */
static __always_inline u32 trace_fast_state(unsigned short type, unsigned int less)
{
	const bool rt = IS_ENABLED(CONFIG_PREEMPT_RT);
	const unsigned long count = trace_fast_count();
	const u32 base = type - (less << 24);
	unsigned long irqflags;
	u32 state;

	local_save_flags(irqflags);
	if (unlikely(count > 0xf || trace_fast_migration() > (rt ? 0xf : 0)) ||
	    trace_fast_resched() || (rt && softirq_count()))
		return call_saves_registers(trace_fast_other_state, base);

	/* One addition for all that is constant */
	state = (((rt ? trace_fast_migration() << 4 : 0) | (u32)count) << 24) + base;
	if (unlikely(irqs_disabled_flags(irqflags))) {
		state |= TRACE_FLAG_IRQS_OFF << 16;
		/* Keep the branch: without this, compilers make slower code of it. */
		OPTIMIZER_HIDE_VAR(state);
	}
	return state;
}

/* The end of a record where trace_fast_end() cannot do it. */
static noinline __saves_registers void trace_fast_settle(struct ring_buffer_per_cpu *cpu_buffer)
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
	if (rb_fast_commit_at(cpu_buffer, e->data_page, e->prev + 1 + e->length, e->commits))
		cpu_buffer->current_context = 0;
	else
		call_saves_registers(trace_fast_settle, cpu_buffer);
}

#ifdef CONFIG_FUNCTION_TRACER
/* True if the function tracer has to look closer, or has more to do than to record. */
static __always_inline bool trace_fast_not_function(const bool bare, unsigned long parent_ip)
{
	if (static_branch_unlikely(&trace_function_exports_enabled))
		return true;
	/* Read only here, so that it is compared in memory. */
	return trace_fast_recursion() ||
	       trace_fast_is_hooked(bare ? ftrace_bare_stack()[1] : parent_ip);
}

/*
 * True with *@done if the function repeats the last one, and was counted. True without if
 * the general callback has to record it: the number of repeats is an event of its own.
 * Otherwise the function was noted as the last one, and is to be recorded.
 */
static __always_inline bool trace_fast_repeats(struct trace_array *tr, struct rb_fast_event *e,
					       unsigned long ip, unsigned long parent_ip,
					       bool *done)
{
	struct trace_func_repeats *last = this_cpu_ptr(tr->last_func_repeats);

	*done = false;
	if (unlikely(rb_fast_read(e->buffer->record_disabled.counter)))
		return true;
	*done = last->ip == ip && last->parent_ip == parent_ip && last->count < U16_MAX;
	if (*done) {
		rb_fast_time(e);
		last->ts_last_call = e->ts;
		last->count++;
		return true;
	}
	if (unlikely(last->count))
		return true;
	last->ip = ip;
	last->parent_ip = parent_ip;
	return false;
}

/*
 * Record a function. Preemption is off. @bare: the callback is bare: the addresses are read
 * from the stack when they are needed. @noted: NULL if repeats are recorded, too; else set
 * to true once the function is noted as the last one. Return: False if nothing else was done.
 */
static __always_inline bool trace_fast_record_function(struct trace_array *tr, const bool bare,
						       unsigned long ip, unsigned long parent_ip,
						       bool *noted)
{
	/* A snapshot swaps the buffer, and waits for CPUs with preemption disabled. */
	struct rb_fast_event e = { .buffer = tr->array_buffer.buffer, .alone = true };
	struct ftrace_entry *entry;
	bool done;

	if (noted) {
		if (trace_fast_repeats(tr, &e, bare ? ftrace_bare_ip() : ip,
				       bare ? ftrace_bare_parent() : parent_ip, &done))
			return done;
		*noted = true;
	}
	if (unlikely(!rb_fast_ready(&e)))
		return false;
	if (unlikely(!rb_fast_begin(&e, sizeof(*entry))))
		return true;

	entry = e.data;
	trace_fast_head(&entry->ent, trace_fast_state(TRACE_FN, TRACE_FAST_DEC));
	entry->ip = bare ? ftrace_bare_ip() : ip;
	entry->parent_ip = bare ? ftrace_bare_parent() : parent_ip;
	trace_fast_end(&e);
	return true;
}

/*
 * The function tracer's callback. With the local clock nothing called here is traced, so
 * the bits against recursion need not be set. They are tested, as the caller may be in
 * another callback. Arguments and return: as trace_fast_record_function().
 */
static __always_inline bool trace_fast_call(struct trace_array *tr, const bool bare,
					    unsigned long ip, unsigned long parent_ip,
					    bool *noted)
{
	bool done;

	if (unlikely(!tr->function_enabled))
		return true;
	if (unlikely(trace_fast_not_function(bare, parent_ip)))
		return false;

	preempt_disable_notrace();
	done = trace_fast_record_function(tr, bare, ip, parent_ip, noted);
	preempt_enable_notrace();
	return likely(done);
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
 * Context: Any context.
 */
void trace_fast_function(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (!trace_fast_call(op->private, false, ip, parent_ip, NULL))
		function_trace_call(ip, parent_ip, op, fregs);
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
	bool noted = false;

	if (trace_fast_call(op->private, false, ip, parent_ip, &noted))
		return;
	if (noted)
		function_trace_call(ip, parent_ip, op, fregs);
	else
		function_no_repeats_trace_call(ip, parent_ip, op, fregs);
}

#ifdef FTRACE_BARE
/* Call the callback that a bare one stands in for. */
static noinline void trace_fast_not_bare(ftrace_func_t callback, void *arg, unsigned long *stack)
{
	struct __arch_ftrace_regs regs = {
		.regs = { .ip = stack[0], .sp = (unsigned long)&stack[1] },
	};

	callback(stack[0] - MCOUNT_INSN_SIZE, stack[1], arg, (struct ftrace_regs *)&regs);
}
NOKPROBE_SYMBOL(trace_fast_not_bare);

static __ftrace_bare void trace_fast_function_bare(struct trace_array *tr)
{
	if (!trace_fast_call(tr, true, 0, 0, NULL))
		trace_fast_not_bare(trace_fast_function, tr->ops, ftrace_bare_stack());
}
NOKPROBE_SYMBOL(trace_fast_function_bare);
ANNOTATE_NOENDBR_SYM(trace_fast_function_bare);

/* As trace_fast_function_bare(), for tasks that pass a PID filter. */
static __ftrace_bare void trace_fast_function_pids_bare(struct trace_array *tr)
{
	if (ftrace_pid_passes(tr) && !trace_fast_call(tr, true, 0, 0, NULL))
		trace_fast_not_bare(trace_fast_function, tr->ops, ftrace_bare_stack());
}
NOKPROBE_SYMBOL(trace_fast_function_pids_bare);
ANNOTATE_NOENDBR_SYM(trace_fast_function_pids_bare);

static __ftrace_bare void trace_fast_no_repeats_bare(struct trace_array *tr)
{
	bool noted = false;

	if (!trace_fast_call(tr, true, 0, 0, &noted))
		trace_fast_not_bare(noted ? function_trace_call : trace_fast_no_repeats,
				    tr->ops, ftrace_bare_stack());
}
NOKPROBE_SYMBOL(trace_fast_no_repeats_bare);
ANNOTATE_NOENDBR_SYM(trace_fast_no_repeats_bare);
#endif
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * True if the graph tracer has functions to begin with, or to leave out. Preemption is off,
 * or ftrace_lock held, so that such filters are not freed meanwhile.
 */
static __always_inline bool trace_fast_has_sets(const struct trace_array *tr)
{
#ifdef CONFIG_FTRACE_COMBO
	return fgraph_set_of(tr, false) || fgraph_set_of(tr, true);
#elif defined(CONFIG_DYNAMIC_FTRACE)
	return !ftrace_hash_empty(rcu_dereference_raw(ftrace_graph_hash)) ||
	       !ftrace_hash_empty(rcu_dereference_raw(ftrace_graph_notrace_hash));
#else
	return false;
#endif
}

/* True if the graph tracer records only returns, and perhaps only of calls that took long. */
static __always_inline bool trace_fast_is_timed(const struct fgraph_ops *gops)
{
#ifdef CONFIG_FTRACE_COMBO
	/* Not the option itself, which is set only after ->retfunc. */
	return fgraph_thresh_of(gops->private) || gops->retfunc == trace_graph_thresh_return;
#else
	return tracing_thresh || trace_compact_graph(gops->private);
#endif
}

/* True if the graph tracer has options that only its general callbacks know. */
static __always_inline bool trace_fast_not_graph(const struct trace_array *tr)
{
	/* One test for all of them */
	unsigned long words = fgraph_max_depth | fgraph_no_sleep_time | ftrace_graph_skip_irqs;

#ifdef CONFIG_FTRACE_COMBO
	words |= tr->graph_depth;
#endif
	return words | (tr->current_trace_flags->val & TRACE_GRAPH_PRINT_RETADDR);
}

/*
 * Record the entry of @func, and its time by the local clock in @calltime. Return: 1 if
 * it is recorded, 0 if it is lost, -EBUSY if nothing was done.
 */
static __always_inline int trace_fast_entry(struct fgraph_ops *gops, unsigned long func,
					    long depth, u64 *calltime)
{
	struct trace_array *tr = gops->private;
	struct rb_fast_event e = {
		.buffer = tr->array_buffer.buffer, .alone = true, .timed = true,
	};
	struct ftrace_graph_ent_entry *entry;

	if (unlikely(!rb_fast_ready(&e)))
		return -EBUSY;
	if (unlikely(!rb_fast_begin(&e, sizeof(*entry))))
		return 0;

	*calltime = e.local;
	entry = e.data;
	trace_fast_head(&entry->ent, trace_fast_state(TRACE_GRAPH_ENT, 0));
	entry->graph_ent.func = func;
	entry->graph_ent.depth = depth;
	trace_fast_end(&e);
	return 1;
}

/*
 * Record the return of *@func, which was entered at *@calltime; pointers, as both are
 * read when they are needed. Return: False if nothing was done.
 */
static __always_inline bool trace_fast_return(struct fgraph_ops *gops, const unsigned long *func,
					      int depth, const u64 *calltime,
					      struct ftrace_regs *fregs)
{
	struct trace_array *tr = gops->private;
	struct rb_fast_event e = {
		.buffer = tr->array_buffer.buffer, .alone = true, .timed = true,
	};
	struct ftrace_graph_ret_entry *entry;

	if (unlikely(!rb_fast_ready(&e)))
		return false;
	if (unlikely(!rb_fast_begin(&e, sizeof(*entry))))
		return true;

	entry = e.data;
	trace_fast_head(&entry->ent, trace_fast_state(TRACE_GRAPH_RET, 0));
	entry->ret.func = *func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	entry->ret.retval = ftrace_regs_get_return_value(fregs);
#endif
	entry->ret.overrun = atomic_read(&current->trace_overrun);
	entry->ret.depth = depth;
	entry->calltime = *calltime;
	entry->rettime = e.local;
	trace_fast_end(&e);
	return true;
}

#ifdef CONFIG_FTRACE_COMBO
/**
 * trace_fast_graph_road() - choose how a client's function entries are recorded
 * @gops: a client
 *
 * Context: Process context. ftrace_lock held.
 * Return: What the options of a graph tracer on the fast path ask for;
 * TRACE_FAST_GRAPH_OTHER for other clients.
 */
enum trace_fast_graph trace_fast_graph_road(const struct fgraph_ops *gops)
{
	const struct trace_array *tr = gops->private;

	if (gops->entryfunc != trace_fast_graph_entry)
		return TRACE_FAST_GRAPH_OTHER;
	if (trace_fast_not_graph(tr))
		return TRACE_FAST_GRAPH_BARRED;
	if (!trace_fast_is_timed(gops))
		return trace_fast_has_sets(tr) ? TRACE_FAST_GRAPH_SETS : TRACE_FAST_GRAPH_PLAIN;
	return trace_fast_has_sets(tr) ? TRACE_FAST_GRAPH_BARRED : TRACE_FAST_GRAPH_TIMED;
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

	if (unlikely(*fgraph_get_task_var(gops) || trace_fast_not_graph(gops->private) ||
		     trace_fast_is_timed(gops) || trace_fast_has_sets(gops->private)))
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
#endif

#ifdef CONFIG_FTRACE_COMPACT_EVENTS
#include "trace_fast_compact.c"
#endif

#if defined(CONFIG_FTRACE_COMBO) && defined(CONFIG_FUNCTION_GRAPH_TRACER)
#include "ftrace/graph/call.c"
#endif

#ifdef FTRACE_BARE
#ifndef CONFIG_FUNCTION_GRAPH_TRACER
static bool fgraph_bare_call(struct ftrace_tramp_call *call)
{
	return false;
}
#endif

/* ftrace_bare_call() */
bool trace_fast_bare_call(struct ftrace_tramp_call *call, bool alone)
{
	static const struct {
		void *callback, *bare;
	} known[] = {
		{ trace_fast_function, trace_fast_function_bare },
		{ trace_fast_no_repeats, trace_fast_no_repeats_bare },
#ifdef CONFIG_FTRACE_COMPACT_EVENTS
		{ trace_compact_function, trace_compact_function_bare },
#endif
	};
	const struct ftrace_ops *ops = call->arg;
	unsigned int i;

	if (ftrace_is_pid_guard(call->func)) {
		if (ops->func != trace_fast_function)
			return false;
		call->func = trace_fast_function_pids_bare;
		call->arg = ops->private;
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (call->func == known[i].callback) {
			call->func = known[i].bare;
			call->arg = ops->private;
			return true;
		}
	}
	/* Alone, as it changes the caller's address, which others see. */
	return alone && fgraph_bare_call(call);
}
#endif

#ifdef CONFIG_EVENT_TRACING
/*
 * True if the caller has not disabled preemption, as with uprobes. A count of 0
 * cannot be decremented: tracing_gen_ctx_dec() knows what to record.
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
	const u32 state = trace_fast_state(trace_file->event_call->event.type, TRACE_FAST_DEC);
	struct rb_fast_event e = { };

	if (unlikely(trace_file->flags & TRACE_FAST_NOT_EVENT || len - 1 >= RB_FAST_MAX ||
		     trace_fast_preemptible()))
		goto general;

	preempt_disable_notrace();
	e.buffer = trace_file->tr->array_buffer.buffer;
	if (unlikely(!rb_fast_ready(&e))) {
		preempt_enable_notrace();
		goto general;
	}
	if (unlikely(!rb_fast_begin(&e, len))) {
		preempt_enable_notrace();
		return NULL;
	}

	e.cpu_buffer->fast_commits = e.commits;
	fbuffer->buffer = e.buffer;
	fbuffer->event = e.event;
	fbuffer->trace_file = trace_file;
	fbuffer->entry = e.data;
	fbuffer->trace_ctx = trace_fast_ctx(state);
	fbuffer->regs = NULL;
	trace_fast_head(e.data, state);
	return e.data;
general:
	return trace_event_reserve_general(fbuffer, trace_file, len);
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

/* Copy an event's data, except its struct trace_entry, without calling traceable code. */
static __always_inline void trace_fast_copy(void *to, const void *from, unsigned int size)
{
	unsigned int at;

	for (at = sizeof(struct trace_entry); at + sizeof(u64) <= size; at += sizeof(u64))
		*(u64 *)(to + at) = *(const u64 *)(from + at);
	if (at < size)
		*(u32 *)(to + at) = *(const u32 *)(from + at);
}

/* Record an event of @size bytes. Return: False if nothing was done. */
static __always_inline bool trace_fast_known(struct trace_event_file *file, const void *data,
					     unsigned int size)
{
	const u32 state = trace_fast_state(file->event_call->event.type, TRACE_FAST_DEC);
	struct rb_fast_event e = { .alone = true };
	bool done;

	if (unlikely(trace_fast_not_only(file) || trace_fast_preemptible()))
		return false;

	preempt_disable_notrace();
	e.buffer = file->tr->array_buffer.buffer;
	done = rb_fast_ready(&e);
	if (likely(done) && likely(rb_fast_begin(&e, size))) {
		trace_fast_head(e.data, state);
		trace_fast_copy(e.data, data, size);
		trace_fast_end(&e);
	}
	preempt_enable_notrace();
	return done;
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
	return trace_fast_known(file, data, size);
}

/**
 * trace_fast_event_words() - record an event of one word or two
 * @file: the event, of one trace array
 * @nr: how many words: 1 or 2
 * @word: the word after its struct trace_entry
 * @second: the word after that
 *
 * Context: Any context.
 * Return: As trace_fast_event().
 */
bool trace_fast_event_words(struct trace_event_file *file, unsigned int nr,
			    unsigned long word, unsigned long second)
{
	const struct {
		struct trace_entry	ent;
		unsigned long		words[2];
	} data = { .words = { word, second } };

	/* Each with a length that the compiler knows */
	if (nr == 1)
		return trace_fast_known(file, &data, sizeof(data) - sizeof(second));
	return trace_fast_known(file, &data, sizeof(data));
}
#endif
