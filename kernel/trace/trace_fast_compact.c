// SPDX-License-Identifier: GPL-2.0
/*
 * Compact events of the function tracers: a function in 20 bytes of the ring buffer instead
 * of 28, a call and its return in one event of 28 bytes instead of two that take 72, or 80
 * with return values. A function that does not fit is recorded as without the option.
 *
 * Included by trace_fast.c.
 */

/* trace_fast_call() for a compact event. */
static __always_inline bool trace_compact_call(struct trace_array *tr, const bool bare,
					       unsigned long ip, unsigned long parent_ip)
{
	struct rb_fast_event e = { .alone = true };
	struct ftrace_compact_entry *entry;
	bool done;

	if (unlikely(!tr->function_enabled))
		return true;
	if (bare)
		parent_ip = ftrace_bare_parent();
	if (unlikely(trace_fast_not_function(false, parent_ip) || parent_ip < TRACE_COMPACT_BASE))
		return false;

	preempt_disable_notrace();
	e.buffer = tr->array_buffer.buffer;
	done = rb_fast_ready(&e);
	if (likely(done) && likely(rb_fast_begin(&e, sizeof(*entry)))) {
		entry = e.data;
		trace_fast_head(&entry->ent, trace_fast_state(TRACE_FN_COMPACT, TRACE_FAST_DEC));
		entry->ip = bare ? ftrace_bare_ip() : ip;
		entry->parent_ip = bare ? ftrace_bare_parent() : parent_ip;
		trace_fast_end(&e);
	}
	preempt_enable_notrace();
	return likely(done);
}

/**
 * trace_compact_function() - record a call of a function in few bytes
 * @ip: the function
 * @parent_ip: its caller
 * @op: the tracer's ops
 * @fregs: registers
 *
 * The function tracer's callback with the option func-compact, or function_trace_call()
 * where that is needed.
 *
 * Context: Any context.
 */
void trace_compact_function(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (!trace_compact_call(op->private, false, ip, parent_ip))
		function_trace_call(ip, parent_ip, op, fregs);
}

#ifdef FTRACE_BARE
static __ftrace_bare void trace_compact_function_bare(struct trace_array *tr)
{
	if (!trace_compact_call(tr, true, 0, 0))
		trace_fast_not_bare(function_trace_call, tr->ops, ftrace_bare_stack());
}
NOKPROBE_SYMBOL(trace_compact_function_bare);
ANNOTATE_NOENDBR_SYM(trace_compact_function_bare);
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * Record a call when it returns. @func and @calltime: as for trace_fast_return().
 * Return: False if nothing was done.
 */
static __always_inline bool trace_compact_return(struct fgraph_ops *gops,
						 const unsigned long *func, int depth,
						 const u64 *calltime)
{
	struct trace_array *tr = gops->private;
	struct rb_fast_event e = {
		.buffer = tr->array_buffer.buffer, .alone = true, .timed = true,
	};
	struct ftrace_graph_call_entry *entry;

	if (unlikely(!trace_compact_graph(tr) || !rb_fast_ready(&e)))
		return false;
	if (unlikely(!rb_fast_begin(&e, sizeof(*entry))))
		return true;

	entry = e.data;
	trace_fast_head(&entry->ent, trace_fast_state(TRACE_GRAPH_CALL, 0));
	entry->func = *func;
	entry->depth = depth;
	entry->duration = e.local - *calltime;
	trace_fast_end(&e);
	return true;
}
#endif
