/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ftrace_hooks

#if !defined(_TRACE_FTRACE_HOOKS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_FTRACE_HOOKS_H

#include <linux/tracepoint.h>

/**
 * ftrace_hooked - the functions that call a callback have changed
 * @callback:	what they call; of direct calls: where they go
 * @functions:	how many call it from now on; 0: none any more
 *
 * Comes after all text is written, and before the write to tracefs or the call of
 * register_ftrace_function() that asked for it returns: the callback sees each call
 * of its functions that begins after this event, and none of other functions, except
 * those that have begun before.
 */
TRACE_EVENT(ftrace_hooked,
	    TP_PROTO(void *callback, unsigned int functions),
	    TP_ARGS(callback, functions),
	    TP_STRUCT__entry(__field(void *, callback)
			     __field(unsigned int, functions)),
	    TP_fast_assign(__entry->callback = callback;
			   __entry->functions = functions;),
	    TP_printk("callback=%ps functions=%u", __entry->callback, __entry->functions)
);

#endif /* _TRACE_FTRACE_HOOKS_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
