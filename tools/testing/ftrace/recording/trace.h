/* SPDX-License-Identifier: GPL-2.0 */
/* What the ring buffer and the fast path need of the kernel's trace.h. */
#ifndef _RECORDING_TRACE_H
#define _RECORDING_TRACE_H

#define CONFIG_FUNCTION_TRACER	1
#define CONFIG_EVENT_TRACING	1
#define CONFIG_FUNCTION_GRAPH_TRACER	1

enum { TRACE_FTRACE_START = 0, TRACE_CTX_NORMAL = 3, TRACE_LIST_START = 5 };
enum { TRACE_FN = 1, TRACE_GRAPH_ENT, TRACE_GRAPH_RET, TRACE_FN_COMPACT, TRACE_GRAPH_CALL };
enum {
	TRACE_FLAG_IRQS_OFF		= 0x01,
	TRACE_FLAG_NEED_RESCHED		= 0x02,
	TRACE_FLAG_NEED_RESCHED_LAZY	= 0x04,
	TRACE_FLAG_HARDIRQ		= 0x08,
	TRACE_FLAG_SOFTIRQ		= 0x10,
	TRACE_FLAG_PREEMPT_RESCHED	= 0x20,
	TRACE_FLAG_NMI			= 0x40,
	TRACE_FLAG_BH_OFF		= 0x80,
};

#define _TIF_NEED_RESCHED	1
#define _TIF_NEED_RESCHED_LAZY	2

struct task {
	unsigned int	trace_recursion, migration_disabled, softirq_disable_cnt;
	int		pid;
	atomic_t	trace_overrun;
	void		*mm;
	struct { unsigned long flags; } info;
};

extern struct task shim_task;
#define current			(&shim_task)

#define local_save_flags(f)		((f) = shim_irqs_off ? 0 : 0x200)
#define irqs_disabled_flags(f)		(!((f) & 0x200))
#define current_thread_info()		(&current->info)
#define test_preempt_need_resched()	shim_preempt_resched

/* What the kernel says of the context that it is in. */
extern bool shim_irqs_off, shim_preempt_resched;
unsigned int tracing_gen_ctx_flags(unsigned long irqflags);

#define DECLARE_STATIC_KEY_FALSE(key)	extern bool key
#define static_branch_unlikely(key)	unlikely(*(key))

struct ftrace_regs;
struct ftrace_ops { void *private; };
struct array_buffer { struct trace_buffer *buffer; };

struct trace_func_repeats {
	unsigned long	ip;
	unsigned long	parent_ip;
	unsigned long	count;
	u64		ts_last_call;
};

struct trace_array {
	int				function_enabled;
	struct array_buffer		array_buffer;
	struct trace_func_repeats	*last_func_repeats;
	const struct { u32 val; }	*current_trace_flags;
};

/* The graph tracer: its only client has one call on its stack. */
#define TRACE_GRAPH_PRINT_RETADDR	1
#define TRACE_GRAPH_COMPACT		2
#define TRACE_COMPACT_BASE		0xffffffff00000000ul

struct fgraph_ops {
	void	*private;
	int	idx;
};

#ifdef CONFIG_FTRACE_COMPACT_EVENTS
static inline bool trace_compact_graph(const struct trace_array *tr)
{
	return tr->current_trace_flags->val & TRACE_GRAPH_COMPACT;
}
#endif

struct ftrace_graph_ent {
	unsigned long	func;
	long		depth;
};

struct ftrace_graph_ret {
	unsigned long	func;
	int		depth;
	unsigned int	overrun;
};

extern unsigned long tracing_thresh, shim_task_var;
extern int fgraph_max_depth, fgraph_no_sleep_time, ftrace_graph_skip_irqs;
extern u64 shim_calltime;
#define fgraph_get_task_var(gops)	(&shim_task_var)
#define fgraph_reserve_data(idx, size)	(&shim_calltime)
#define fgraph_retrieve_data(idx, size)	((void)(size), &shim_calltime)
#define tracing_gen_ctx()		tracing_gen_ctx_flags(shim_irqs_off ? 0 : 0x200)
int trace_graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs);
int __trace_graph_entry(struct trace_array *tr, struct ftrace_graph_ent *trace, unsigned int ctx);
void trace_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs);

/* Events */
enum {
	EVENT_FILE_FL_SOFT_DISABLED	= 1,
	EVENT_FILE_FL_FILTERED		= 2,
	EVENT_FILE_FL_TRIGGER_COND	= 4,
	EVENT_FILE_FL_PID_FILTER	= 8,
};

struct trace_event_call { struct { int type; } event; };

struct trace_event_file {
	unsigned long		flags;
	struct trace_event_call	*event_call;
	struct trace_array	*tr;
};

struct trace_event_buffer {
	struct trace_event_file		*trace_file;
	struct trace_buffer		*buffer;
	struct ring_buffer_event	*event;
	unsigned int			trace_ctx;
	void				*entry, *regs;
};

extern struct ring_buffer_event *trace_buffered_event;
#define this_cpu_read(v)		(v)
#define ftrace_test_recursion_trylock(ip, parent)	0
#define ftrace_test_recursion_unlock(bit)		((void)(bit))
#define trace_get_context_bit()				TRACE_CTX_NORMAL
#define _THIS_IP_			0ul
#define _RET_IP_			0ul

struct trace_entry {
	unsigned short	type;
	unsigned char	flags;
	unsigned char	preempt_count;
	int		pid;
};

struct ftrace_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
};

struct ftrace_compact_entry {
	struct trace_entry	ent;
	unsigned int		ip;
	unsigned int		parent_ip;
};

struct ftrace_graph_call_entry {
	struct trace_entry	ent;
	unsigned int		func;
	unsigned int		depth;
	u64			duration;
};

struct ftrace_graph_ent_entry {
	struct trace_entry	ent;
	struct ftrace_graph_ent	graph_ent;
};

struct ftrace_graph_ret_entry {
	struct trace_entry	ent;
	struct ftrace_graph_ret	ret;
	u64			calltime;
	u64			rettime;
};

static inline void tracing_generic_entry_update(struct trace_entry *entry, unsigned short type,
						unsigned int ctx)
{
	*entry = (struct trace_entry) {
		.type		= type,
		.flags		= ctx >> 16,
		.preempt_count	= ctx,
		.pid		= current->pid,
	};
}

extern bool trace_taskinfo_save;
#endif
