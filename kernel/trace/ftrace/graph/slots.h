/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clients of the graph tracer.
 */
#ifndef _FTRACE_GRAPH_SLOTS_H
#define _FTRACE_GRAPH_SLOTS_H

#include <linux/ftrace.h>

enum fgraph_slot_state {
	FGRAPH_FREE,
	FGRAPH_LIVE,
	FGRAPH_LEAVING,		/* hook unregistered, but trampolines may still run */
};

/*
 * What the hot path reads of a client. Written before the hook is live; ->enter is
 * written again when what it depends on changes, and both callbacks when the hook is
 * unregistered. Returns of functions that were entered for an earlier client read the
 * slot, too: ->leave first, then ->mark or ->epoch, then ->gops.
 */
struct fgraph_slot {
	trace_func_graph_ent_t	enter;
	trace_func_graph_ret_t	leave;
	struct fgraph_ops	*gops;
	u64			mark;	/* of frames whose return it alone wants */
	u32			epoch;	/* fgraph_epoch at registration */
	u16			state;	/* [L] except for LEAVING to FREE */
	u16			nr;
} __aligned(64);

extern struct fgraph_slot fgraph_slots[];
extern u32 fgraph_epoch;

/*
 * The function profiler: its callbacks, once it has been registered, and what is called
 * instead where it is alone, with preemption off. enter() returns 1, or -EBUSY if the
 * callback has to be called.
 */
struct fgraph_profiler {
	trace_func_graph_ent_t	entryfunc;
	trace_func_graph_ret_t	retfunc;
	int			(*enter)(unsigned long func, u64 *entered);
	void			(*leave)(unsigned long func, u64 entered);
};

extern struct fgraph_profiler fgraph_profiler;

static __always_inline bool fgraph_is_profiler(const void *callback)
{
	/* It keeps a time of 64 bits in a word. */
	return IS_ENABLED(CONFIG_64BIT) && (callback == fgraph_profiler.entryfunc ||
					    callback == fgraph_profiler.retfunc);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* What return callbacks get about the function whose frame is @f, at @depth. */
static __always_inline struct ftrace_graph_ret
fgraph_return_of(const struct ftrace_ret_stack *f, int depth, struct ftrace_regs *fregs)
{
	return (struct ftrace_graph_ret) {
		.func		= f->func,
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
		.retval		= ftrace_regs_get_return_value(fregs),
#endif
		.overrun	= atomic_read(&current->trace_overrun),
		.depth		= depth,
	};
}

int fgraph_enter_pid_fast(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			  struct ftrace_regs *fregs);
int fgraph_enter_sets(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs);
int fgraph_enter_timed(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs);
void fgraph_update(void);	/* ftrace_lock held */
#else
static inline void fgraph_update(void)
{
}
#endif

#endif /* _FTRACE_GRAPH_SLOTS_H */
