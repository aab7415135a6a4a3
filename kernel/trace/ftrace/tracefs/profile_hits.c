// SPDX-License-Identifier: GPL-2.0
/*
 * The function profiler's counting: how often each function was called and, with
 * the graph tracer, how long it took.
 *
 * Each CPU counts in a table of its own, with room for as many functions as
 * there are when the profiler is switched on. Records are taken, and times are added,
 * with interrupts off, by raw_local_irq_save(), so that irqsoff tracing is not involved.
 * An NMI that interrupts take() gets no record; if its function has none yet, the call is
 * not counted. Records are reused, not freed: readers of trace_stat keep pointers to them
 * in a tree.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/overflow.h>
#include <linux/rculist.h>

#include <asm/inline_clock.h>

#include "../../trace.h"
#include "../graph/slots.h"
#include "../hooks/hook.h"
#include "profile_hits.h"

DEFINE_PER_CPU(struct profile_table, ftrace_profile_tables);
bool ftrace_profiling;

/* ->mods of struct ftrace_tracer, for the profiler's own filter. */
struct list_head ftrace_profile_mods[2] = {
	LIST_HEAD_INIT(ftrace_profile_mods[0]),
	LIST_HEAD_INIT(ftrace_profile_mods[1]),
};

static __always_inline struct profile_record *find(struct profile_table *t, unsigned long ip)
{
	struct profile_record *r;

	hlist_for_each_entry_rcu_notrace(r, &t->buckets[hash_long(ip, t->bits)], node) {
		if (r->ip == ip)
			return r;
	}
	return NULL;
}

static __always_inline struct profile_record *fresh(struct profile_table *t)
{
	while (t->from && t->used == t->from->nr) {
		t->from = t->from->next;
		t->used = 0;
	}
	return t->from ? &t->from->records[t->used++] : NULL;
}

static noinline struct profile_record *take(struct profile_table *t, unsigned long ip)
{
	struct profile_record *r = NULL;
	unsigned long flags;

	raw_local_irq_save(flags);

	/* This is an NMI that interrupted take() on this CPU. */
	if (t->taking++)
		goto out;

	/* An NMI or interrupt may have taken a record for the same function before that. */
	barrier();
	r = find(t, ip) ?: fresh(t);
	if (r && !r->ip) {
		r->ip = ip;
		hlist_add_head_rcu(&r->node, &t->buckets[hash_long(ip, t->bits)]);
		/* Pairs with stat_start() and stat_next(), profile.c, on other CPUs. */
		smp_store_release((t->last ? &t->last->next : &t->first), r);
		t->last = r;
	}
	barrier();
out:
	t->taking--;
	raw_local_irq_restore(flags);
	return r;
}
NOKPROBE_SYMBOL(take);

static __always_inline bool takes_hits(const struct profile_table *t)
{
	/* Pairs with the release in profile_start(): the table is made. */
	return smp_load_acquire(&ftrace_profiling) && t->buckets;
}

/* Preemption is off. */
static __always_inline void count(unsigned long ip)
{
	struct profile_table *t = this_cpu_ptr(&ftrace_profile_tables);
	struct profile_record *r;

	if (unlikely(!takes_hits(t)))
		return;
	r = find(t, ip) ?: take(t, ip);
	/* Interrupts may count the same function. */
	if (likely(r))
		local_inc(&r->calls);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static bool with_callees = true;	/* trace option graph-time */

/* Trace option sleep-time of the graph tracer; written by trace_functions_graph.c. */
bool fprofile_no_sleep_time;

/*
 * What the profiler keeps of a call from entry to return. Where it is the only client,
 * and times include callees and sleep, it keeps only ->entered.
 */
struct profile_call {
	u64	entered;	/* sched_clock(), as trace_clock_local() */
	u64	slept;		/* ->ftrace_sleeptime of the task at entry */
	u64	callees;	/* their time so far, in ns */
};

/* The data of a call; NULL: there is none, or only ->entered. */
static struct profile_call *whole(void *data, int size)
{
	return size == sizeof(struct profile_call) ? data : NULL;
}

/**
 * ftrace_graph_graph_time_control() - choose whether times include callees
 * @enable: true to include callees, false to subtract their time
 *
 * Context: Any context.
 */
void ftrace_graph_graph_time_control(bool enable)
{
	WRITE_ONCE(with_callees, enable);
}

static int profile_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs)
{
	struct profile_call *call;

	count(trace->func);

	call = fgraph_reserve_data(gops->idx, sizeof(*call));
	if (!call)
		return 0;

	call->callees = 0;
	call->slept = current->ftrace_sleeptime;
	call->entered = sched_clock_inline();
	return 1;
}

/* Called instead of profile_entry(), see struct fgraph_profiler. */
static int profile_enter(unsigned long func, u64 *entered)
{
	if (unlikely(READ_ONCE(fprofile_no_sleep_time) || !READ_ONCE(with_callees)))
		return -EBUSY;

	count(func);
	*entered = sched_clock_inline();
	return 1;
}
NOKPROBE_SYMBOL(profile_enter);

/* The square of 4.3 seconds, in ns^2, overflows 64 bits: one call that sleeps is enough. */
static __always_inline void add_square(struct profile_record *r, u64 time)
{
	u64 square;

	if (check_mul_overflow(time, time, &square) ||
	    check_add_overflow(r->time_squared, square, &r->time_squared))
		r->time_squared = U64_MAX;
}

/* Add @time to the function's sums. Interrupts are off, and the tables in use. */
static __always_inline void add_time(struct profile_table *t, unsigned long func, u64 time)
{
	/* The call was counted on entry; if on another CPU, there may be no record here. */
	struct profile_record *r = find(t, func);

	if (r) {
		r->time += time;
		add_square(r, time);
	}
}

/* Called instead of profile_return(). */
static void profile_leave(unsigned long func, u64 entered)
{
	const u64 time = sched_clock_inline() - entered;
	struct profile_table *t;
	unsigned long flags;

	raw_local_irq_save(flags);
	t = this_cpu_ptr(&ftrace_profile_tables);
	if (takes_hits(t))
		add_time(t, func, time);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(profile_leave);

/* Subtract the time of callees from @time, and add @time to the caller's ->callees. */
static u64 own_time(const struct profile_call *call, int idx, u64 time)
{
	int size = 0;
	void *data = fgraph_retrieve_parent_data(idx, &size, 1);
	struct profile_call *caller = whole(data, size);

	if (caller)
		caller->callees += time;

	return !call ? time : call->callees < time ? time - call->callees : 0;
}

static void profile_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs)
{
	const u64 now = sched_clock_inline();
	const struct profile_call *call;
	struct profile_table *t;
	unsigned long flags;
	u64 time, slept;
	u64 *entered;
	int size = 0;

	entered = fgraph_retrieve_data(gops->idx, &size);
	if (!entered)
		return;
	call = whole(entered, size);

	time = now - *entered;
	slept = call ? current->ftrace_sleeptime - call->slept : 0;
	/* Clocks of two CPUs may differ a little. */
	if (READ_ONCE(fprofile_no_sleep_time))
		time -= min(time, slept);

	raw_local_irq_save(flags);
	t = this_cpu_ptr(&ftrace_profile_tables);
	if (takes_hits(t)) {
		if (!READ_ONCE(with_callees))
			time = own_time(call, gops->idx, time);
		add_time(t, trace->func, time);
	}
	raw_local_irq_restore(flags);
}

static struct fgraph_ops profile_gops = {
	.entryfunc	= profile_entry,
	.retfunc	= profile_return,
	.ops.name	= "trace_profile",
	.ops.slot	= &global_ops.own,
};

struct ftrace_ops *ftrace_profile_ops(void)
{
	return &profile_gops.ops;
}

int ftrace_profile_register(void)
{
	fgraph_profiler = (struct fgraph_profiler) {
		.entryfunc = profile_entry, .retfunc = profile_return,
		.enter = profile_enter, .leave = profile_leave,
	};
	return register_ftrace_graph(&profile_gops);
}

void ftrace_profile_unregister(void)
{
	unregister_ftrace_graph(&profile_gops);
}

#else

static void profile_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	count(ip);
}

static struct ftrace_ops profile_ops = {
	.func	= profile_call,
	.flags	= FTRACE_OPS_FL_RECURSION,
	.name	= "trace_profile",
	.slot	= &global_ops.own,
};

struct ftrace_ops *ftrace_profile_ops(void)
{
	return &profile_ops;
}

int ftrace_profile_register(void)
{
	return register_ftrace_function(&profile_ops);
}

void ftrace_profile_unregister(void)
{
	unregister_ftrace_function(&profile_ops);
}

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */
