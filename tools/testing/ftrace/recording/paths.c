// SPDX-License-Identifier: GPL-2.0
/*
 * Runs ring_buffer.c on a stream of events and other operations that a seed
 * decides, and prints what readers could see after each of them. Built from the
 * base's file, and from the one with the fast path: both have to print the
 * same. Interrupts, that write or read, come in at the points ("seams") that both
 * pass in the same order.
 *
 * usage: paths SEED ROUNDS [PAGES]	a stream
 *	  paths every			a task and an interrupt in it, and an NMI in that or
 *					a second interrupt, each at every seam, on pages
 *					that are empty to full
 *	  paths waits			a reader of all CPUs, and buffers that join them meanwhile
 *	  paths clocks			events of a buffer that has another clock
 *	  paths states			what events have of their context, in each
 *	  paths taken			events of all sizes, each of which the fast path must take
 *	  paths graph			a call and a return, and an interrupt in it
 *	  paths validate		time stamps that are right, and others
 *	  paths levels			a task, a softirq, an interrupt and an NMI, each in the
 *					one before, at every seam
 */
#include "ring_buffer.c"
#include "trace_fast.h"
#include <traceevent/kbuffer.h>

/* Where an interrupt comes in while an event is being written. */
enum where {
	AT_ENTER,	/* before ->current_context is set */
	AT_BEGIN,	/* before ->committing is set */
	AT_WRITE,	/* before the place is read: A in __rb_reserve_next() */
	AT_BEFORE,	/* before the first stamp is read */
	AT_AFTER,	/* before the second stamp is read */
	AT_CLOCK,
	AT_STAMP,	/* B */
	AT_PLACE,	/* C */
	AT_STAMPED,	/* D */
	AT_ENTRY,	/* before the page's entries are counted */
	AT_BYTES,
	AT_FILL,	/* before the caller writes the data */
	AT_COMMIT,	/* before the event is counted */
	AT_INDEX,	/* before the page's commit is set */
	AT_END,		/* before ->committing is dropped */
	AT_ENDED,	/* before ->commits is read again */
	NR_WHERE
};

static const char *const where_names[NR_WHERE] = {
	"enter", "begin", "write", "before", "after", "clock", "stamp", "place", "stamped",
	"entry", "bytes", "fill", "commit", "index", "end", "ended",
};

struct writer {
	struct writer		*outer;
	struct trace_buffer	*buffer;
	enum where		where;		/* the interrupt's */
	unsigned int		done;		/* bitmap of the seams that it passed */
	u64			seed;		/* of what the interrupt does */
	unsigned int		level;
	bool			ending;
};

/* What a task does; and what an interrupt does, too, on this CPU or another one. */
enum {
	PLAN_FUNCTION,
	PLAN_EVENT,
	PLAN_DISCARD,
	NR_TASK_PLAN,
	PLAN_READ = NR_TASK_PLAN,
	PLAN_SWAP,
	NR_PLAN,
	/* The fast path's times of these are not those of the general one. */
	PLAN_CALL = NR_PLAN,
	PLAN_RETURN,
};

/* A task, a softirq, an interrupt and an NMI: what preempt_count() says there. */
static const unsigned int contexts[] = { 0, SOFTIRQ_OFFSET, 0x10000, 0x100000 };
#define NR_LEVELS	ARRAY_SIZE(contexts)

/* What to do at some levels, or by a task and two interrupts in it, and where these come. */
struct plan {
	unsigned int	levels;		/* one in the other */
	unsigned int	context[NR_LEVELS];
	unsigned int	kind[NR_LEVELS];
	unsigned int	where[NR_LEVELS];	/* in each level, where the next one comes */
	bool		twice;		/* both come in the task */
	unsigned int	nr;		/* interrupts so far */
	u64		pause;		/* before the task's event */

	/* What must be found again. */
	unsigned long	written;
	bool		swapped;
	u64		last;		/* time stamp of the event that was read last */
};

static struct plan *plan;
static struct writer *writer;
static struct trace_buffer *live, *spare;
static u64 now = 1, ahead;	/* by which the clock is read wrong, once */
static u64 seed;
static unsigned long nr_hits[NR_WHERE], nr_lost, nr_events, nr_warned, nr_decoded;
static unsigned long serial;

unsigned int shim_preempt_count;
bool shim_rt, shim_irqs_off, shim_preempt_resched;
unsigned long shim_wakes;
struct task shim_task = { .pid = 42 };
bool trace_function_exports_enabled, trace_event_exports_enabled, tracepoint_printk_key;
bool trace_taskinfo_save;
unsigned long tracing_thresh, shim_task_var;
int fgraph_max_depth, fgraph_no_sleep_time, ftrace_graph_skip_irqs;
u64 shim_calltime;
struct ring_buffer_event *trace_buffered_event;
static struct trace_func_repeats repeats;

void warned(const char *file, int line, const char *what)
{
	nr_warned++;
	printf("warned: %s\n", what);
}

void *shim_pages(unsigned int order)
{
	void *p = aligned_alloc(PAGE_SIZE << order, PAGE_SIZE << order);

	return p ? memset(p, 0, PAGE_SIZE << order) : NULL;
}

static u32 draw_from(u64 *state, u32 limit)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((*state >> 33) % limit);
}

static u32 draw(u32 limit) { return draw_from(&seed, limit); }

static void interrupt(struct writer *w);

/* Print, or add to a sum if there is a plan. */
static u64 shown;

static void show(const char *format, ...)
{
	char text[300];
	const char *c;
	va_list args;

	va_start(args, format);
	if (!plan) {
		vprintf(format, args);
	} else {
		vsnprintf(text, sizeof(text), format, args);
		for (c = text; *c; c++)
			shown = (shown ^ *c) * 0x100000001b3ull;
	}
	va_end(args);
}

static unsigned long nr_broken;

static void broken(const char *how)
{
	nr_broken++;
	fprintf(stderr, "%s", how);
	if (plan)
		fprintf(stderr, ": kinds %u %u %u %u, at %u %u %u", plan->kind[0], plan->kind[1],
			plan->kind[2], plan->kind[3], plan->where[0], plan->where[1],
			plan->where[2]);
	fprintf(stderr, "\n");
}

/*
 * True if the plan's second interrupt comes here. Not a reader that would look
 * while the task commits what the first interrupt wrote: the fast path does that
 * in two steps, the general one at once.
 */
static bool comes_second(struct writer *w, enum where where)
{
	if (!plan || !plan->twice || w->level || where != plan->where[1] || where < plan->where[0])
		return false;
	return plan->kind[2] != PLAN_READ || plan->kind[1] >= NR_TASK_PLAN || where <= AT_COMMIT;
}

/* The first time that @w passes this seam, its interrupt may come. */
static void pass(struct writer *w, enum where where)
{
	if (!w || w->done & BIT(where))
		return;
	w->done |= BIT(where);
	if (where != w->where && !comes_second(w, where))
		return;
	nr_hits[where]++;
	interrupt(w);
}

#ifndef BENCH
/* A reader of this buffer begins to wait after a writer has looked for readers. */
static struct trace_buffer *waiter;

void seam(enum seam_op op, const void *at)
{
	struct trace_buffer *buffer = waiter;
	struct ring_buffer_per_cpu *b;
	struct writer *w = writer;

	if (buffer && op == SEAM_READ && at == &buffer->buffers[0]->pages_touched) {
		waiter = NULL;
		ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, NULL, 0);
	}
	if (!w)
		return;
	b = w->buffer->buffers[0];
	if (op == SEAM_ONCE) {
		if (at == &b->record_disabled || (at == &b->commits && w->ending))
			pass(w, at == &b->commits ? AT_ENDED : AT_ENTER);
	} else if (op == SEAM_CLOCK) {
		pass(w, AT_CLOCK);
	} else if (at == &b->committing) {
		if (!(w->done & BIT(AT_BEGIN)) && op != SEAM_READ) {
			pass(w, AT_BEGIN);
		} else if (w->done & BIT(AT_INDEX) && op != SEAM_READ) {
			pass(w, AT_END);
			w->ending = true;
		}
	} else if (at == &b->tail_page->write) {
		if (op == SEAM_READ)
			pass(w, AT_WRITE);
		else if (op == SEAM_ADD_RETURN)
			pass(w, AT_PLACE);
	} else if (at == &b->before_stamp) {
		pass(w, op == SEAM_READ ? AT_BEFORE : AT_STAMP);
	} else if (at == &b->write_stamp) {
		pass(w, op == SEAM_READ ? AT_AFTER : AT_STAMPED);
	} else if (at == &b->tail_page->entries && op == SEAM_ADD) {
		pass(w, AT_ENTRY);
	} else if (at == &b->entries_bytes && op == SEAM_ADD) {
		pass(w, AT_BYTES);
	} else if (at == &b->entries && op == SEAM_ADD) {
		pass(w, AT_COMMIT);
	} else if (at == &b->commit_page->page->commit && op == SEAM_SET &&
		   w->done & BIT(AT_COMMIT)) {
		pass(w, AT_INDEX);
	}
}
#endif

u64 shim_clock(void)
{
#ifdef BENCH
	return sched_clock_inline();
#else
	const u64 more = ahead;

	ahead = 0;
	seam(SEAM_CLOCK, NULL);
	return now++ + more;
#endif
}

static void fill(void *data, u32 size, u64 nr)
{
	u8 *p = data;

	while (size--)
		*p++ = nr++;
}

static void write_event(struct trace_buffer *buffer, u32 size, bool discard)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, size);

	serial++;
	if (!event) {
		nr_lost++;
		return;
	}
	pass(writer, AT_FILL);
	fill(ring_buffer_event_data(event), size, serial);
	show("stamp %llu\n",
	     (unsigned long long)ring_buffer_event_time_stamp(buffer, event));
	if (discard)
		ring_buffer_discard_commit(buffer, event);
	else
		ring_buffer_unlock_commit(buffer);
}

/* What events record of the context, and what those for which preemption is disabled do. */
unsigned int tracing_gen_ctx_flags(unsigned long irqflags)
{
	const unsigned int pc = shim_preempt_count, softirqs = softirq_count();
	const unsigned long resched = current->info.flags;

	return (irqflags ? 0 : TRACE_FLAG_IRQS_OFF << 16) |
	       (resched & _TIF_NEED_RESCHED ? TRACE_FLAG_NEED_RESCHED << 16 : 0) |
	       (resched & _TIF_NEED_RESCHED_LAZY ? TRACE_FLAG_NEED_RESCHED_LAZY << 16 : 0) |
	       (shim_preempt_resched ? TRACE_FLAG_PREEMPT_RESCHED << 16 : 0) |
	       (pc & HARDIRQ_MASK ? TRACE_FLAG_HARDIRQ << 16 : 0) |
	       (pc & NMI_MASK ? TRACE_FLAG_NMI << 16 : 0) |
	       (softirqs & SOFTIRQ_OFFSET ? TRACE_FLAG_SOFTIRQ << 16 : 0) |
	       (softirqs >= 2 * SOFTIRQ_OFFSET ? TRACE_FLAG_BH_OFF << 16 : 0) |
	       min(pc & 0xff, 0xfu) | min(current->migration_disabled, 0xfu) << 4;
}

static unsigned int gen_ctx_dec(void)
{
	return tracing_gen_ctx_flags(shim_irqs_off ? 0 : 0x200) - 1;
}

/* What upstream's callback does in the end. */
void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			 struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct ftrace_entry *entry;
	unsigned int ctx;

	preempt_disable_notrace();
	ctx = gen_ctx_dec();
	event = ring_buffer_lock_reserve(buffer, sizeof(*entry));
	if (event) {
		entry = ring_buffer_event_data(event);
		tracing_generic_entry_update(&entry->ent, TRACE_FN, ctx);
		entry->ip = ip;
		entry->parent_ip = parent_ip;
		trace_taskinfo_save = true;
		ring_buffer_unlock_commit(buffer);
	}
	preempt_enable_notrace();
}

/* Likewise, with the number of repeats as an event of a type of its own. */
void function_no_repeats_trace_call(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_func_repeats *last = tr->last_func_repeats;

	if (!ring_buffer_record_is_set_on(buffer))
		return;
	if (last->ip == ip && last->parent_ip == parent_ip && last->count < U16_MAX) {
		last->ts_last_call = ring_buffer_time_stamp(buffer);
		last->count++;
		return;
	}
	if (last->count)
		ring_buffer_write(buffer, sizeof(*last), last);
	*last = (struct trace_func_repeats) { .ip = ip, .parent_ip = parent_ip };
	function_trace_call(ip, parent_ip, op, fregs);
}

static void write_function(struct trace_buffer *buffer)
{
	struct trace_array tr = { .function_enabled = 1, .array_buffer.buffer = buffer };
	struct ftrace_ops op = { .private = &tr };

	serial++;
	trace_fast_function(serial, ~serial, &op, NULL);
}

static void write_no_repeats(struct trace_buffer *buffer, unsigned long ip)
{
	struct trace_array tr = {
		.function_enabled	= 1,
		.array_buffer.buffer	= buffer,
		.last_func_repeats	= &repeats,
	};
	struct ftrace_ops op = { .private = &tr };

	trace_fast_no_repeats(ip, ~ip, &op, NULL);
}

/* What upstream's functions for calls do in the end. They are not compared. */
int __trace_graph_entry(struct trace_array *tr, struct ftrace_graph_ent *trace, unsigned int ctx)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct ftrace_graph_ent_entry *entry;

	event = ring_buffer_lock_reserve(buffer, sizeof(*entry));
	if (!event)
		return 0;
	entry = ring_buffer_event_data(event);
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_ENT, ctx);
	entry->graph_ent = *trace;
	ring_buffer_unlock_commit(buffer);
	return 1;
}

int trace_graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs)
{
	shim_calltime = trace_clock_local();
	return __trace_graph_entry(gops->private, trace, tracing_gen_ctx());
}

void trace_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs)
{
	struct trace_array *tr = gops->private;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	const u64 rettime = trace_clock_local();
	struct ring_buffer_event *event;
	struct ftrace_graph_ret_entry *entry;

	event = ring_buffer_lock_reserve(buffer, sizeof(*entry));
	if (!event)
		return;
	entry = ring_buffer_event_data(event);
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_RET, tracing_gen_ctx());
	entry->ret = *trace;
	entry->calltime = shim_calltime;
	entry->rettime = rettime;
	ring_buffer_unlock_commit(buffer);
}

static void write_graph(struct trace_buffer *buffer, bool is_return)
{
	__typeof__(*((struct trace_array *)0)->current_trace_flags) flags = {};
	struct trace_array tr = { .array_buffer.buffer = buffer, .current_trace_flags = &flags };
	struct fgraph_ops gops = { .private = &tr };
	struct ftrace_graph_ent call = { .func = ++serial, .depth = 5 };
	struct ftrace_graph_ret ret = { .func = serial, .depth = 5 };

	if (is_return)
		trace_fast_graph_return(&ret, &gops, NULL);
	else if (!trace_fast_graph_entry(&call, &gops, NULL))
		nr_lost++;
}

/* What upstream's functions for events do in the end. */
void *trace_event_reserve_general(struct trace_event_buffer *fbuffer,
				  struct trace_event_file *file, unsigned long len)
{
	const unsigned int ctx = gen_ctx_dec();

	fbuffer->buffer = file->tr->array_buffer.buffer;
	fbuffer->trace_file = file;
	fbuffer->event = ring_buffer_lock_reserve(fbuffer->buffer, len);
	if (!fbuffer->event)
		return NULL;
	fbuffer->entry = ring_buffer_event_data(fbuffer->event);
	tracing_generic_entry_update(fbuffer->entry, file->event_call->event.type, ctx);
	return fbuffer->entry;
}

/* @preemptible: as uprobes do */
static void write_traced(struct trace_buffer *buffer, u32 size, bool preemptible)
{
	struct trace_array tr = { .array_buffer.buffer = buffer };
	struct trace_event_call call = { .event.type = 77 };
	struct trace_event_file file = { .event_call = &call, .tr = &tr };
	struct trace_event_buffer fbuffer;
	struct trace_entry *entry;

	serial++;
	/* As tracepoints and other probes do: the event does not show it. */
	if (!preemptible)
		preempt_disable_notrace();
	entry = trace_event_buffer_reserve(&fbuffer, &file, sizeof(*entry) + size);
	if (entry) {
		pass(writer, AT_FILL);
		fill(entry + 1, size, serial);
		if (!trace_fast_event_commit(&fbuffer)) {
			trace_taskinfo_save = true;
			ring_buffer_unlock_commit(buffer);
		}
	} else {
		nr_lost++;
	}
	if (!preemptible)
		preempt_enable_notrace();
}

static void write_block(struct trace_buffer *buffer, u32 size)
{
	static u8 data[PAGE_SIZE];

	fill(data, size, ++serial);
	if (ring_buffer_write(buffer, size, data))
		nr_lost++;
}

/* Set while an event is written as if inside another one: no swap may come then. */
static unsigned int nested;

static void write_nested(struct trace_buffer *buffer, u32 size)
{
	nested++;
	ring_buffer_nest_start(buffer);
	write_event(buffer, size, false);
	ring_buffer_nest_end(buffer);
	nested--;
}

static u32 a_size(u64 *state)
{
	switch (draw_from(state, 8)) {
	case 0:		return draw_from(state, 1500);
	case 1:		return 100 + draw_from(state, 40);
	case 2:		return draw_from(state, 13);
	default:	return 1 + draw_from(state, 64);
	}
}

static void consume(struct trace_buffer *buffer, u32 nr);

/* Write one event as the plan says. */
static void write_planned(struct writer *w)
{
	const unsigned int count = shim_preempt_count;
	const unsigned int kind = plan->kind[plan->nr];
	const bool last = plan->nr + 1 >= plan->levels || (plan->twice && plan->nr);

	w->where = last ? NR_WHERE : plan->where[plan->nr];
	writer = kind < NR_TASK_PLAN || kind >= NR_PLAN ? w : NULL;
	shim_preempt_count = contexts[plan->context[w->level]];
	plan->written += kind == PLAN_FUNCTION || kind == PLAN_EVENT || kind >= NR_PLAN;
	switch (kind) {
	case PLAN_FUNCTION:	write_function(w->buffer); break;
	case PLAN_EVENT:	write_traced(w->buffer, 16, false); break;
	case PLAN_DISCARD:	write_event(w->buffer, 16, true); break;
	case PLAN_READ:		consume(w->buffer, 2); break;
	case PLAN_SWAP:
		if (!ring_buffer_swap_cpu(live, spare, 0)) {
			plan->swapped = true;
			plan->last = 0;
		}
		break;
	case PLAN_CALL:
	case PLAN_RETURN:
		write_graph(w->buffer, kind == PLAN_RETURN);
		break;
	}
	shim_preempt_count = count;
	writer = w->outer;
}

/* Write one event at a level, with perhaps an interrupt in it. */
static void write_one(struct trace_buffer *buffer, unsigned int level, u64 *state)
{
	struct writer w = {
		.outer	= writer,
		.buffer	= buffer,
		.where	= draw_from(state, level < 3 ? NR_WHERE + 10 : 1) + (level < 3 ? 0 : NR_WHERE),
		.seed	= *state ^ 0x9e3779b97f4a7c15ull,
		.level	= level,
	};
	const unsigned int count = shim_preempt_count;
	const u32 kind = draw_from(state, 14);

	nr_events++;
	if (plan) {
		write_planned(&w);
		return;
	}
	writer = &w;
	/* Not added to outer levels' counts: upstream disables preemption twice for a function. */
	shim_preempt_count = contexts[level];
	if (kind < 4)
		write_event(buffer, a_size(state), false);
	else if (kind == 4)
		write_event(buffer, a_size(state), true);
	else if (kind == 5)
		write_block(buffer, a_size(state));
	else if (kind == 6)
		write_nested(buffer, a_size(state));
	else if (kind < 9)
		write_no_repeats(buffer, draw_from(state, 2));
	else if (kind < 12)
		write_traced(buffer, a_size(state), kind == 9 && !level);
	else
		write_function(buffer);
	shim_preempt_count = count;
	writer = w.outer;
}

static void pass_time(u64 *state)
{
	const u32 how = draw_from(state, 64);

	if (how == 0)
		now += 1u << 27;
	else if (how == 1)
		now += 1ull << (27 + draw_from(state, 20));
	else if (how == 2 && now > 100)
		now -= draw_from(state, 50);
	else if (how < 40)
		now += draw_from(state, 5000);
}

/*
 * Is @noted the time of an event that is read at @ts? If an interrupt took its room, it
 * may be read at the time of the interrupt's event, before its own.
 */
static bool is_its_time(u64 noted, u64 ts)
{
	return noted == ts || (plan->where[0] >= AT_BEFORE && plan->where[0] <= AT_STAMP &&
			       noted > ts && noted < ts + 100);
}

/* What holds of each event that a plan wrote: it is whole, and not older than the last. */
static void judge(const void *data, unsigned int length, u64 ts)
{
	const struct trace_entry *entry = data;
	const struct ftrace_entry *function = data;
	const struct ftrace_graph_ent_entry *call = data;
	const struct ftrace_graph_ret_entry *ret = data;
	const u8 *p = data;
	bool whole = true;
	unsigned int i;

	if (length == sizeof(*function) && entry->type == TRACE_FN)
		whole = function->parent_ip == ~function->ip;
	else if (length == sizeof(*entry) + 16 && entry->type == 77)
		for (i = 1; i < 16; i++)
			whole &= p[sizeof(*entry) + i] == (u8)(p[sizeof(*entry)] + i);
	else if (length == sizeof(*call) && entry->type == TRACE_GRAPH_ENT)
		whole = call->graph_ent.depth == 5 && is_its_time(shim_calltime, ts);
	else if (length == sizeof(*ret) && entry->type == TRACE_GRAPH_RET)
		whole = ret->ret.depth == 5 && ret->calltime == shim_calltime &&
			is_its_time(ret->rettime, ts);
	if (!whole)
		broken("an event is torn");
	if (ts < plan->last)
		broken("time goes back");
	plan->last = ts;
}

static void print_event(const char *how, struct ring_buffer_event *event, u64 ts, unsigned long lost)
{
	const u8 *data = event ? ring_buffer_event_data(event) : NULL;
	unsigned int length = event ? ring_buffer_event_length(event) : 0, i;
	u32 sum = 0;

	for (i = 0; i < length; i++)
		sum = sum * 31 + data[i];
	if (plan && event)
		judge(data, length, ts);
	show("%s %u %x %llu lost %lu\n", how, length, sum, (unsigned long long)ts, lost);
}

static void consume(struct trace_buffer *buffer, u32 nr)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	while (nr--) {
		lost = ts = 0;
		event = ring_buffer_consume(buffer, 0, &ts, &lost);
		print_event("read", event, ts, lost);
		if (!event)
			break;
	}
}

/* An interrupt in @w: events of a higher level, a reader on another CPU, time. */
static void interrupt(struct writer *w)
{
	u64 state = w->seed;
	struct writer *was = writer;
	u32 nr = 1 + draw_from(&state, 3), what = draw_from(&state, 12);

	if (draw_from(&state, 400) == 0)
		nr = 150;	/* more than fit on a page, or in the buffer */
	/*
	 * No reader before the writer begins: it may warn and disable the buffer,
	 * which is tested at this point and just before, not in the same order.
	 */
	if (plan) {
		if (++plan->nr < plan->levels &&
		    (w->where != AT_ENTER || plan->kind[plan->nr] != PLAN_READ))
			write_one(w->buffer, w->level + 1, &state);
		return;
	}
	pass_time(&state);
	if (what == 0 && w->where != AT_ENTER) {
		writer = NULL;
		consume(w->buffer, nr);
		writer = was;
		return;
	}
	/* Fails once the writer has begun. */
	if (what == 1 && !nested)
		ring_buffer_swap_cpu(live, spare, 0);
	while (nr--)
		write_one(w->buffer, w->level + 1 + draw_from(&state, 3 - w->level), &state);
	pass_time(&state);
}

/*
 * What trace-cmd and others read of a page with libtraceevent: @nr events, the first
 * one at @ts.
 */
static void decode_page(void *page, unsigned long nr, u64 ts)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					     KBUFFER_ENDIAN_SAME_AS_HOST);
	unsigned long long at = 0;
	unsigned long found = 0;

	if (kbuffer_load_subbuffer(kbuf, page))
		broken("libtraceevent does not take a page");
	while (kbuffer_read_event(kbuf, &at)) {
		if (!found++ && at != ts)
			broken("libtraceevent reads another time stamp");
		nr_decoded++;
		kbuffer_next_event(kbuf, NULL);
	}
	if (found != nr)
		broken("libtraceevent reads another number of events");
	kbuffer_free(kbuf);
}

/* Return: False if there was nothing to read. */
static bool read_page(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *b = buffer->buffers[0];
	struct buffer_data_read_page *page = NULL;
	unsigned long was_read;
	const u8 *p;
	u64 ts = 0;
	int ret;
	u32 sum = 0, i;

	if (ring_buffer_alloc_read_page(buffer, 0, &page))
		return false;
	ring_buffer_peek(buffer, 0, &ts, NULL);
	was_read = b->read;
	ret = ring_buffer_read_page(buffer, page, 2000 + draw(PAGE_SIZE), 0, draw(2));
	p = ring_buffer_read_page_data(page);
	if (ret >= 0)
		decode_page((void *)p, b->read - was_read, ts);
	for (i = 0; ret >= 0 && i < BUF_PAGE_HDR_SIZE + (local_read(&page->data->commit) & 0xfffff); i++)
		sum = sum * 31 + p[i];
	show("page %d %x\n", ret, sum);
	ring_buffer_free_read_page(buffer, 0, page);
	return ret >= 0;
}

static u32 page_sum(struct buffer_page *page)
{
	const u64 *p = (const u64 *)page->page;
	u64 sum = 0;
	unsigned long i;

	for (i = 0; i < (PAGE_SIZE << page->order) / sizeof(*p); i++)
		sum = (sum ^ p[i]) * 0x100000001b3ull;
	return (sum ^ sum >> 32) + (u32)rb_page_write(page) + ((u32)rb_page_entries(page) << 16);
}

/* All that a reader can find out, and what the next writer goes by. */
static void print_state(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *b = buffer->buffers[0];
	struct buffer_page *page = b->tail_page;
	u32 sum = page_sum(b->reader_page);
	unsigned long i;
	u64 before, after;

	for (i = 0; i < b->nr_pages; i++) {
		rb_inc_page(&page);
		sum = sum * 31 + page_sum(page);
	}
	rb_time_read(&b->before_stamp, &before);
	rb_time_read(&b->write_stamp, &after);
	show("%x %d%d e %ld o %ld c %ld d %ld b %ld t %ld l %ld r %lu %ld s %llu %llu n %u %ld w %lu\n",
	       sum, b->tail_page == b->commit_page, b->commit_page == b->reader_page,
	       local_read(&b->entries), local_read(&b->overrun), local_read(&b->commit_overrun),
	       local_read(&b->dropped_events), local_read(&b->entries_bytes),
	       local_read(&b->pages_touched), local_read(&b->pages_lost), b->read, b->lost_events,
	       (unsigned long long)before, (unsigned long long)after,
	       b->current_context, local_read(&b->committing), shim_wakes);
}

/* A warning disables the buffer. Whether to warn is up to upstream's code: go on. */
static void enable(void)
{
	static unsigned long seen;

	if (seen == nr_warned)
		return;
	seen = nr_warned;
	atomic_set(&live->record_disabled, 0);
	atomic_set(&spare->record_disabled, 0);
	ring_buffer_reset_cpu(live, 0);
	ring_buffer_reset_cpu(spare, 0);
}

static bool nothing(void *data) { return false; }

static void another(struct trace_buffer *buffer)
{
	switch (draw(15)) {
	case 0:		ring_buffer_resize(buffer, PAGE_SIZE * (1 + draw(8)), 0); break;
	case 1:		ring_buffer_reset_cpu(buffer, 0); break;
	case 2:		ring_buffer_record_off(buffer); break;
	case 3:		ring_buffer_record_on(buffer); break;
	case 4:		ring_buffer_record_disable_cpu(buffer, 0); break;
	case 5:
		while (atomic_read(&buffer->buffers[0]->record_disabled))
			ring_buffer_record_enable_cpu(buffer, 0);
		break;
	case 6:		read_page(buffer); break;
	case 7:		ring_buffer_change_overwrite(buffer, draw(2)); break;
	case 8:		ring_buffer_swap_cpu(live, spare, 0); break;
	case 9:		ring_buffer_subbuf_order_set(buffer, draw(3)); break;
	case 10:	ring_buffer_wait(buffer, 0, 0, nothing, NULL); break;
	case 11:	ring_buffer_wait(buffer, 0, 1 + draw(100), nothing, NULL); break;
	case 12:	ring_buffer_wait(buffer, RING_BUFFER_ALL_CPUS, 0, nothing, NULL); break;
	case 13:	ring_buffer_poll_wait(buffer, 0, NULL, NULL, draw(2) * 50); break;
	case 14:
		now += 1ull << draw(60);
		break;
	}
}

#ifndef BENCH
/* Events that were recorded, and those that were lost and counted. */
static unsigned long counted(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *b = buffer->buffers[0];

	return local_read(&b->entries) + local_read(&b->commit_overrun) +
	       local_read(&b->dropped_events);
}

/* A task's event, with what comes in, on a page that has @room left; 0: on an empty page. */
static void one_plan(unsigned int room)
{
	static u8 data[PAGE_SIZE];
	const unsigned long warned = nr_warned;
	unsigned long found, lost;
	u64 state = 1;

	plan->nr = 0;
	plan->written = 0;
	plan->swapped = false;
	plan->last = 0;
	now = 1;
	ring_buffer_reset_cpu(live, 0);
	ring_buffer_reset_cpu(spare, 0);
	now += 100;
	if (room)
		plan->written += !ring_buffer_write(live, rb_subbuf_capacity(live) - 8 - room, data);
	now += 100 + plan->pause;
	write_one(live, 0, &state);
	print_state(live);
	print_state(spare);
	now += 100;
	write_function(live);
	plan->written++;
	consume(live, 20);
	print_state(live);
	/*
	 * A writer that has begun when the buffers are swapped loses its event, and nobody
	 * counts it. A warning disables the buffer.
	 */
	found = counted(live) + counted(spare);
	lost = plan->swapped ? plan->levels : 0;
	if (nr_warned == warned && (found > plan->written || found + lost < plan->written))
		broken("events are missing");
	enable();
}

/* Print a sum for each plan and place of the first interrupt. */
static void every(void)
{
	static const unsigned int rooms[] = { 0, 3000, 8, 28, 56, 60 };
	unsigned int room, kinds;
	struct plan p = { .levels = 3, .context = { 0, 2, 3 } };

	for (kinds = 0; kinds < 2 * ARRAY_SIZE(rooms) * NR_TASK_PLAN * NR_PLAN * NR_PLAN; kinds++) {
		unsigned int rest = kinds;

		p.twice = rest % 2, rest /= 2;
		p.kind[2] = rest % NR_PLAN, rest /= NR_PLAN;
		p.kind[1] = rest % NR_PLAN, rest /= NR_PLAN;
		p.kind[0] = rest % NR_TASK_PLAN;
		room = rooms[rest / NR_TASK_PLAN];
		for (p.where[0] = 0; p.where[0] < NR_WHERE; p.where[0]++) {
			shown = 0xcbf29ce484222325ull;
			plan = &p;
			for (p.where[1] = 0; p.where[1] < NR_WHERE; p.where[1]++)
				one_plan(room);
			plan = NULL;
			printf("room %u, %u %u%s%u, %s: %llx\n", room, p.kind[0], p.kind[1],
			       p.twice ? "; " : " ", p.kind[2], where_names[p.where[0]],
			       (unsigned long long)shown);
		}
	}
}

/* All four levels, each in the one before. Print a sum for what they write, and where. */
static void levels(void)
{
	static const unsigned int rooms[] = { 0, 60 };
	unsigned int which;

	for (which = 0; which < ARRAY_SIZE(rooms) << NR_LEVELS; which++) {
		struct plan p = { .levels = 4, .context = { 0, 1, 2, 3 } };
		unsigned int i, places;

		for (i = 0; i < NR_LEVELS; i++)
			p.kind[i] = which >> i & 1 ? PLAN_EVENT : PLAN_FUNCTION;
		plan = &p;
		shown = 0xcbf29ce484222325ull;
		for (places = 0; places < NR_WHERE * NR_WHERE * NR_WHERE; places++) {
			p.where[0] = places % NR_WHERE;
			p.where[1] = places / NR_WHERE % NR_WHERE;
			p.where[2] = places / NR_WHERE / NR_WHERE;
			one_plan(rooms[which >> NR_LEVELS]);
		}
		plan = NULL;
		printf("levels %u: %llx\n", which, (unsigned long long)shown);
	}
}

/* A reader of all CPUs waits: a CPU gets another buffer, or it waits again while it is woken. */
static void waits(void)
{
	struct ring_buffer_per_cpu *old = NULL;
	unsigned int how, i;

	for (how = 0; how < 4; how++) {
		ring_buffer_wait(live, RING_BUFFER_ALL_CPUS, 0, nothing, NULL);
		if (how == 1)
			ring_buffer_swap_cpu(live, spare, 0);
		if (how == 2) {	/* as trace_rb_cpu_prepare() does */
			old = live->buffers[0];
			live->buffers[0] = rb_allocate_cpu_buffer(live, old->nr_pages, 0);
		}
		if (how == 3)
			waiter = live;
		for (i = 0; i < 3; i++) {
			write_function(live);
			printf("%u: woken %lu times\n", how, shim_wakes);
		}
		consume(live, 3);
	}
	rb_free_cpu_buffer(live->buffers[0]);
	live->buffers[0] = old;
}

static u64 other_clock(void)
{
	return shim_clock() + 1000;
}

static void clocks(void)
{
	unsigned int i;

	ring_buffer_set_clock(live, other_clock);
	for (i = 0; i < 3; i++) {
		write_event(live, 8, false);
		write_function(live);
		write_no_repeats(live, i);
		write_event(spare, 8, false);
	}
	consume(live, 9);
	consume(spare, 3);
}

/* Whether the event that this writes is on the fast path: only the general one counts. */
#define is_taken(write) ({						\
	struct ring_buffer_per_cpu *b = live->buffers[0];		\
	long entries, commits;						\
									\
	ring_buffer_reset_cpu(live, 0);					\
	write_function(live);						\
	entries = local_read(&b->entries);				\
	commits = local_read(&b->commits);				\
	write;								\
	local_read(&b->entries) == entries + 1 && local_read(&b->commits) == commits; })

/* A task's events behind another one on a page take the fast path, up to 1 KB. */
static void taken(void)
{
	u32 size;

	if (!is_taken(write_function(live)))
		broken("a function takes the general path");
	if (!is_taken(write_graph(live, false)) || !is_taken(write_graph(live, true)))
		broken("a call or return takes the general path");
	if (!is_taken(write_no_repeats(live, 7)))
		broken("a function that is no repeat takes the general path");
	for (size = 1; size <= 1024; size++)
		if (!is_taken(write_event(live, size, false)))
			broken("an event takes the general path");
	for (size = 1; size <= 1024 - sizeof(struct trace_entry); size++)
		if (!is_taken(write_traced(live, size, false)))
			broken("a tracepoint's event takes the general path");
}

/* A call and a return have the time of their event, wherever that finds its place. */
static void graph(void)
{
	static const unsigned int rooms[] = { 0, 3000, 8, 28, 56, 60 };
	struct plan p = { .levels = 2, .context = { 0, 2 }, .kind = { 0, PLAN_FUNCTION } };
	unsigned int i;

	plan = &p;
	for (i = 0; i < 4 * ARRAY_SIZE(rooms) * NR_WHERE; i++) {
		p.kind[0] = i % 2 ? PLAN_CALL : PLAN_RETURN;
		p.pause = i / 2 % 2 << 30;
		p.where[0] = i / 4 % NR_WHERE;
		one_plan(rooms[i / 4 / NR_WHERE]);
	}
	plan = NULL;
}

#ifdef CONFIG_FTRACE_COMPACT_EVENTS
#include "compact.c"
#endif

/* The validation of time stamps says nothing unless they are wrong. */
static void validate(void)
{
	struct ring_buffer_per_cpu *b = live->buffers[0];
	u64 stamp;

	write_function(live);
	write_function(live);
	ring_buffer_set_clock(live, other_clock);
	write_function(live);
	write_function(live);
	if (nr_warned)
		broken("right time stamps are not valid");

	ring_buffer_set_clock(live, trace_clock_local);
	ring_buffer_reset_cpu(live, 0);
	write_function(live);
	ahead = 1000;
	write_function(live);
	if (nr_warned != 1)
		broken("a time stamp of the future is valid");

	enable();
	write_function(live);
	rb_time_read(&b->write_stamp, &stamp);
	rb_time_set(&b->before_stamp, stamp - 1);
	rb_time_set(&b->write_stamp, stamp - 1);
	write_function(live);
	if (nr_warned != 2)
		broken("a time stamp that is not the page's is valid");
}

/* One state, by the fast path and by the general one. */
static void compare_state(void)
{
#ifdef CONFIG_RING_BUFFER_FAST_PATH
	const unsigned int general = tracing_gen_ctx_flags(shim_irqs_off ? 0 : 0x200);
	unsigned int less;

	for (less = 0; less <= min(shim_preempt_count & 0xff, 1u); less++)
		if (trace_fast_ctx(trace_fast_state(77, less)) != general - less ||
		    (u16)trace_fast_state(77, less) != 77)
			broken("an event has another state");
#endif
}

/* With preemption, bottom halves and migration disabled up to more times than are recorded. */
static void states(void)
{
	static const unsigned int counts[] = { 0, 1, 2, 14, 15, 16, 17, 255 };
	static const unsigned int above[] = {
		0, SOFTIRQ_OFFSET, 2 * SOFTIRQ_OFFSET, 3 * SOFTIRQ_OFFSET, 0x10000, 0x100000, 0x110100,
	};
	unsigned int i, nr;

	for (i = 0; i < 8 * 7 * 8 * 4 * 16; i++) {
		shim_preempt_count = counts[i % 8] | above[i / 8 % 7];
		nr = i / 56;
		shim_task.migration_disabled = counts[nr % 8];
		shim_task.softirq_disable_cnt = above[nr / 8 % 4];
		shim_task.info.flags = nr / 32 % 4;
		nr /= 128;
		shim_irqs_off = nr % 2;
		shim_preempt_resched = nr / 2;
		for (nr = 0; nr < 2; nr++) {
			shim_rt = nr;
			compare_state();
		}
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "every", every }, { "waits", waits }, { "clocks", clocks }, { "taken", taken },
	{ "states", states }, { "graph", graph }, { "validate", validate }, { "levels", levels },
#ifdef CONFIG_FTRACE_COMPACT_EVENTS
	{ "compact", few_bytes },
#endif
};

int main(int argc, char **argv)
{
	unsigned long rounds, i, pages;

	if (argc == 2) {
		live = ring_buffer_alloc(3 * PAGE_SIZE, RB_FL_OVERWRITE);
		spare = ring_buffer_alloc(3 * PAGE_SIZE, RB_FL_OVERWRITE);
		for (i = 0; i < ARRAY_SIZE(parts); i++)
			if (!strcmp(argv[1], parts[i].name))
				parts[i].run();
		fprintf(stderr, "%lu events, %lu lost, %lu warnings, %lu broken\n", nr_events, nr_lost,
			nr_warned, nr_broken);
		ring_buffer_free(live);
		ring_buffer_free(spare);
		return nr_broken > 0;
	}
	if (argc < 3)
		return 2;
	seed = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15ull + 1;
	rounds = strtoul(argv[2], NULL, 0);
	pages = argc > 3 ? strtoul(argv[3], NULL, 0) : 3;
	live = ring_buffer_alloc(pages * PAGE_SIZE, RB_FL_OVERWRITE);
	spare = ring_buffer_alloc(pages * PAGE_SIZE, RB_FL_OVERWRITE);
	for (i = 0; i < rounds; i++) {
		struct trace_buffer *buffer = draw(8) ? live : spare;
		const u32 what = draw(40);

		if (what < 34)
			write_one(buffer, draw(12) ? 0 : draw(3), &seed);
		else if (what < 37)
			consume(buffer, 1 + draw(20));
		else if (what == 37)
			another(buffer);
		pass_time(&seed);
		print_state(buffer);
		enable();
	}
	while (read_page(live) || read_page(spare))
		;
	fprintf(stderr, "%lu events, %lu lost, interrupts at", nr_events, nr_lost);
	for (i = 0; i < NR_WHERE; i++)
		fprintf(stderr, " %s %lu", where_names[i], nr_hits[i]);
	fprintf(stderr, "; %lu decoded by libtraceevent, %lu warnings, %lu broken\n", nr_decoded,
		nr_warned, nr_broken);
	ring_buffer_free(live);
	ring_buffer_free(spare);
	return nr_broken > 0;
}
#endif

#ifdef BENCH
#include "bench.h"
#endif
