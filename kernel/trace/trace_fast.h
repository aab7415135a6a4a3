/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracers on the fast path of the ring buffer. See ring_buffer_fast.c.
 */
#ifndef _TRACE_FAST_H
#define _TRACE_FAST_H

#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <linux/trace_recursion.h>

struct trace_array;

/* True if a task is to be preempted, which preempt_count() may not show yet. */
static __always_inline bool trace_fast_resched(void)
{
	/* Others set it at any time; READ_ONCE() would not test it in memory. */
	return unlikely(data_race(current_thread_info()->flags) &
			(_TIF_NEED_RESCHED | _TIF_NEED_RESCHED_LAZY));
}

static __always_inline unsigned int trace_fast_migration(void)
{
#ifdef CONFIG_SMP
	return current->migration_disabled;
#else
	return 0;
#endif
}

/* preempt_count(), or a larger number than it can be if a task is to be preempted. */
static __always_inline unsigned long trace_fast_count(void)
{
#ifdef CONFIG_X86
	/* One word has both. */
	return raw_cpu_read(__preempt_count) - PREEMPT_ENABLED;
#else
	return test_preempt_need_resched() ? ULONG_MAX : preempt_count();
#endif
}

/* Convert @state of trace_fast_state() to what tracing_gen_ctx() returns. */
static __always_inline unsigned int trace_fast_ctx(u32 state)
{
	return (state & 0xff0000) | state >> 24;
}

/* Fill in @entry as tracing_generic_entry_update() does. */
static __always_inline void trace_fast_head(struct trace_entry *entry, u32 state)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	/* One store, which compilers do not make of three */
	static_assert(offsetof(struct trace_entry, pid) == sizeof(state));
	memcpy(entry, &state, sizeof(state));
#else
	entry->type = state;
	entry->flags = state >> 16;
	entry->preempt_count = state >> 24;
#endif
	entry->pid = current->pid;
}

/* For callbacks that have disabled preemption */
#define TRACE_FAST_DEC	IS_ENABLED(CONFIG_PREEMPTION)

/* True if ftrace_test_recursion_trylock() would not find all of its bits clear. */
static __always_inline bool trace_fast_recursion(void)
{
	if (IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING))
		return true;
	return current->trace_recursion & (BIT(TRACE_LIST_START) - BIT(TRACE_FTRACE_START));
}

/* True if @parent_ip is return_to_handler(): the caller is on the shadow stack. */
static __always_inline bool trace_fast_is_hooked(unsigned long parent_ip)
{
#if defined(CONFIG_FUNCTION_GRAPH_TRACER) && defined(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS)
	return parent_ip == (unsigned long)&return_to_handler;
#else
	return false;
#endif
}

DECLARE_STATIC_KEY_FALSE(trace_function_exports_enabled);
DECLARE_STATIC_KEY_FALSE(trace_event_exports_enabled);
DECLARE_STATIC_KEY_FALSE(tracepoint_printk_key);
extern int ftrace_graph_skip_irqs;

/* An event's flags that say that there is more to do than to record it. */
#define TRACE_FAST_NOT_EVENT	(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_FILTERED |	\
				 EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PID_FILTER)

/* Called by the fast path if it cannot record, and in its place if it is not built. */
void function_trace_call(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs);
void function_no_repeats_trace_call(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs);
void *trace_event_reserve_general(struct trace_event_buffer *fbuffer,
				  struct trace_event_file *trace_file, unsigned long len);

/*
 * For the general part of a function that records a stack. The function jumps there,
 * leaving no frame of its own, so that recorded stacks begin as before. Where compilers
 * may not make such jumps, the part is inlined.
 */
#if defined(CONFIG_FRAME_POINTER) || defined(CONFIG_KCSAN)
#define trace_fast_rest	__always_inline
#else
#define trace_fast_rest	noinline
#endif

enum trace_fast_graph {
	TRACE_FAST_GRAPH_OTHER,		/* no graph tracer on the fast path */
	TRACE_FAST_GRAPH_PLAIN,
	TRACE_FAST_GRAPH_SETS,		/* of functions to begin with, or to leave out */
	TRACE_FAST_GRAPH_TIMED,		/* records returns of calls that took long */
	TRACE_FAST_GRAPH_BARRED,	/* options that only the general callbacks know */
};

#ifdef CONFIG_RING_BUFFER_FAST_PATH
struct ftrace_tramp_call;
bool trace_fast_bare_call(struct ftrace_tramp_call *call, bool alone);
void trace_fast_function(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs);
void trace_fast_no_repeats(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs);
int trace_fast_graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs);
void trace_fast_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			     struct ftrace_regs *fregs);
enum trace_fast_graph trace_fast_graph_road(const struct fgraph_ops *gops);
bool trace_fast_event_commit(struct trace_event_buffer *fbuffer);
bool trace_fast_event(struct trace_event_file *file, const void *data, unsigned int size);
bool trace_fast_event_words(struct trace_event_file *file, unsigned int nr,
			    unsigned long word, unsigned long second);
#else
#define trace_fast_function		function_trace_call
#define trace_fast_no_repeats		function_no_repeats_trace_call
#define trace_fast_graph_entry		trace_graph_entry
#define trace_fast_graph_return		trace_graph_return
#define trace_event_reserve_general	trace_event_buffer_reserve

static inline enum trace_fast_graph trace_fast_graph_road(const struct fgraph_ops *gops)
{
	return TRACE_FAST_GRAPH_OTHER;
}

static inline int trace_fast_entry(struct fgraph_ops *gops, unsigned long func, long depth,
				   u64 *calltime)
{
	return -EBUSY;
}

static inline bool trace_fast_return(struct fgraph_ops *gops, const unsigned long *func,
				     int depth, const u64 *calltime, struct ftrace_regs *fregs)
{
	return false;
}

static inline bool trace_fast_event_commit(struct trace_event_buffer *fbuffer)
{
	return false;
}

static inline bool trace_fast_event(struct trace_event_file *file, const void *data,
				    unsigned int size)
{
	return false;
}

static inline bool trace_fast_event_words(struct trace_event_file *file, unsigned int nr,
					  unsigned long word, unsigned long second)
{
	return false;
}
#endif

#ifndef CONFIG_FTRACE_COMPACT_EVENTS
static inline bool trace_compact_graph(const struct trace_array *tr)
{
	return false;
}

static inline bool trace_compact_return(struct fgraph_ops *gops, const unsigned long *func,
					int depth, const u64 *calltime)
{
	return false;
}
#endif

#if defined(CONFIG_FTRACE_COMBO) && defined(CONFIG_FUNCTION_GRAPH_TRACER)
void fgraph_entries_changed(void);
#else
static inline void fgraph_entries_changed(void) { }
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
int graph_thresh_changed(void);
#else
static inline int graph_thresh_changed(void) { return 0; }
#endif
#endif
