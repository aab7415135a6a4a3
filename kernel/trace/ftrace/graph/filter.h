/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a graph tracer begins with, and what it leaves out: set_graph_function and
 * set_graph_notrace of each trace array.
 *
 * These are not filters of hooks: a function that is in no set is traced if one of
 * the set has called it. So each call is looked at. Most are in no set, and one bit
 * says so; the others are searched for.
 *
 * The tracer's word of a task, fgraph_get_task_var(), says what the task is in: the
 * flag TRACE_GRAPH_FL with the depth of the function that the tracer has begun with,
 * or TRACE_GRAPH_NOTRACE.
 *
 * Included by trace.h, after the declarations that this needs.
 */
#ifndef _FTRACE_GRAPH_FILTER_H
#define _FTRACE_GRAPH_FILTER_H

struct fgraph_set {
	u32		nr;		/* functions */
	u32		mask;		/* bits of @maybe less 1; they are a power of 2 */
	unsigned long	*maybe;		/* a bit by address; functions may share it */
	unsigned long	ip[];		/* ascending */
};

/* The sets of the top trace array, and of all arrays without sets of their own. */
extern struct fgraph_set __rcu *fgraph_top_sets[2];

#define FGRAPH_BEGUN_SHIFT	8	/* of the depth in a task's word */

/* The bit of a function in ->maybe. Most functions begin at a multiple of 16 bytes. */
static __always_inline u32 fgraph_set_bit(const struct fgraph_set *set, unsigned long ip)
{
	return (ip >> 4) & set->mask;
}

/* False if the function with its call at @ip is not in @set. */
static __always_inline bool fgraph_set_maybe(const struct fgraph_set *set, unsigned long ip)
{
	const u32 bit = fgraph_set_bit(set, ip);

	return set->maybe[bit / BITS_PER_LONG] >> bit % BITS_PER_LONG & 1;
}

bool fgraph_set_has(const struct fgraph_set *set, unsigned long ip);

/* The set of @tr; NULL: none. Preemption is off, or ftrace_lock held, while it is used. */
static __always_inline const struct fgraph_set *fgraph_set_of(const struct trace_array *tr,
							      bool except)
{
	const struct fgraph_set *set = tr ? rcu_dereference_raw(tr->graph_sets[except]) : NULL;

	return set ?: rcu_dereference_raw(fgraph_top_sets[except]);
}

enum fgraph_verdict {
	FGRAPH_RECORD,
	FGRAPH_BEGIN,			/* record, and what it calls, too */
	FGRAPH_TIME,			/* record the return, if it takes long */
	FGRAPH_PASS_OVER,
	FGRAPH_LOOK_UP,			/* may be in a set */
};

/* What a graph tracer of @tr, whose word of this task is @word, does about a function. */
static __always_inline enum fgraph_verdict
fgraph_judge(const struct trace_array *tr, unsigned long word, unsigned long ip)
{
	const struct fgraph_set *set = fgraph_set_of(tr, true);

	if (word & TRACE_GRAPH_NOTRACE)
		return FGRAPH_PASS_OVER;
	if (set && unlikely(fgraph_set_maybe(set, ip)))
		return FGRAPH_LOOK_UP;
	if (word & TRACE_GRAPH_FL)
		return FGRAPH_RECORD;
	set = fgraph_set_of(tr, false);
	if (!set)
		return FGRAPH_RECORD;
	return unlikely(fgraph_set_maybe(set, ip)) ? FGRAPH_LOOK_UP : FGRAPH_PASS_OVER;
}

/*
 * As fgraph_judge(), with a search: FGRAPH_LOOK_UP then means that the function is left
 * out, with what it calls.
 */
static inline enum fgraph_verdict
fgraph_look_up(const struct trace_array *tr, unsigned long word, unsigned long ip)
{
	const enum fgraph_verdict verdict = fgraph_judge(tr, word, ip);
	const struct fgraph_set *set = fgraph_set_of(tr, true);

	if (verdict != FGRAPH_LOOK_UP || (set && fgraph_set_has(set, ip)))
		return verdict;
	if (word & TRACE_GRAPH_FL)
		return FGRAPH_RECORD;
	set = fgraph_set_of(tr, false);
	if (!set)
		return FGRAPH_RECORD;
	return fgraph_set_has(set, ip) ? FGRAPH_BEGIN : FGRAPH_PASS_OVER;
}

/*
 * Note in a task's word that the tracer begins with the function at @depth. Its frame
 * has been pushed: an interrupt before that would return at the same depth, and end it.
 */
static inline void fgraph_begin(unsigned long *word, int depth)
{
	*word |= TRACE_GRAPH_FL | (unsigned long)depth << FGRAPH_BEGUN_SHIFT;
	/* An interrupt handler of the set is traced also if others are not. */
	if (in_hardirq())
		trace_recursion_set(TRACE_IRQ_BIT);
	else
		trace_recursion_clear(TRACE_IRQ_BIT);
}

extern unsigned int fgraph_max_depth;

/* How deep a graph tracer of @tr records: less than that; 0: any depth. */
static __always_inline unsigned int fgraph_depth_of(const struct trace_array *tr)
{
	return tr && tr->graph_depth ? tr->graph_depth : fgraph_max_depth;
}

extern unsigned long tracing_thresh;

/* The shortest time of a call that a graph tracer of @tr records, in ns. */
static __always_inline unsigned long fgraph_thresh_of(const struct trace_array *tr)
{
	return tr->graph_thresh ?: tracing_thresh;
}

/* What trace.h declares for the graph tracer. Preemption is off. */

static inline int ftrace_graph_addr(struct fgraph_ops *gops, struct ftrace_graph_ent *trace)
{
	const struct fgraph_set *set = fgraph_set_of(gops->private, false);

	if (!set)
		return 1;
	if (!fgraph_set_has(set, trace->func))
		return 0;

	fgraph_begin(fgraph_get_task_var(gops), trace->depth);
	return 1;
}

/* True if the function that @word says was begun with is the one at @depth. */
static __always_inline bool fgraph_begun_at(unsigned long word, int depth)
{
	return (word & TRACE_GRAPH_FL) && word >> FGRAPH_BEGUN_SHIFT == depth;
}

/* If a function is not recorded after all (@ret is 0), undo fgraph_begin(). */
static inline int ftrace_graph_entered(struct fgraph_ops *gops, struct ftrace_graph_ent *trace,
				       int ret)
{
	unsigned long *word = fgraph_get_task_var(gops);

	if (!ret && fgraph_begun_at(*word, trace->depth))
		*word &= TRACE_GRAPH_NOTRACE;
	return ret;
}

static inline void ftrace_graph_addr_finish(struct fgraph_ops *gops,
					    struct ftrace_graph_ret *trace)
{
	unsigned long *word = fgraph_get_task_var(gops);

	if (fgraph_begun_at(*word, trace->depth))
		*word &= TRACE_GRAPH_NOTRACE;
}

static inline int ftrace_graph_notrace_addr(struct fgraph_ops *gops, unsigned long ip)
{
	const struct fgraph_set *set = fgraph_set_of(gops->private, true);

	return set && fgraph_set_has(set, ip);
}

#endif /* _FTRACE_GRAPH_FILTER_H */
