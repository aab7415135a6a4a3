// SPDX-License-Identifier: GPL-2.0
/* Compact events, which only the fast path records: a part of paths.c. */

/* The event that was just recorded; NULL if it does not take @length bytes. */
static const void *last_event(unsigned int length)
{
	struct ring_buffer_per_cpu *b = live->buffers[0];
	struct ring_buffer_event *event;

	event = __rb_page_index(b->commit_page, rb_page_commit(b->commit_page) - length);
	if (event->type_len * RB_ALIGNMENT + RB_EVNT_HDR_SIZE != length)
		return NULL;
	return &event->array[0];
}

static bool compact_is_head(const struct trace_entry *ent, unsigned short type)
{
	return ent->type == type && ent->pid == current->pid;
}

/* Functions in 20 bytes, unless their callers are nowhere near; calls in 28, if asked for. */
static void few_bytes(void)
{
	__typeof__(*((struct trace_array *)0)->current_trace_flags) flags = {};
	__typeof__(flags) asked = { .val = TRACE_GRAPH_COMPACT };
	struct trace_array tr = {
		.function_enabled = 1, .array_buffer.buffer = live, .current_trace_flags = &flags,
	};
	const unsigned long func = TRACE_COMPACT_BASE + 0x81234560, caller = func + 0x1000;
	struct fgraph_ops gops = { .private = &tr };
	struct ftrace_ops op = { .private = &tr };
	const struct ftrace_graph_call_entry *call;
	const struct ftrace_compact_entry *entry;
	const u64 calltime = now;

	if (!is_taken(trace_compact_function(func, caller, &op, NULL)))
		broken("a compact function takes the general path");
	entry = last_event(20);
	if (!entry || !compact_is_head(&entry->ent, TRACE_FN_COMPACT) ||
	    entry->ip != (u32)func || entry->parent_ip != (u32)caller)
		broken("a compact function is not what it should be");
	trace_compact_function(func, TRACE_COMPACT_BASE - 1, &op, NULL);
	if (!last_event(28) || *(u16 *)last_event(28) != TRACE_FN)
		broken("a caller that has another upper half is in a compact event");
	tr.function_enabled = 0;
	if (is_taken(trace_compact_function(func, caller, &op, NULL)))
		broken("a compact function is recorded while the tracer is off");

	if (trace_compact_return(&gops, &func, 3, &calltime))
		broken("a compact call is recorded that nobody has asked for");
	tr.current_trace_flags = &asked;
	now += 12345;
	if (!is_taken(trace_compact_return(&gops, &func, 3, &calltime)))
		broken("a compact call takes the general path");
	call = last_event(28);
	if (!call || !compact_is_head(&call->ent, TRACE_GRAPH_CALL) ||
	    call->func != (u32)func || call->depth != 3 || call->duration < 12345 ||
	    call->duration > now - calltime)
		broken("a compact call is not what it should be");
}
