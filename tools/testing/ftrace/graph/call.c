// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and returns of functions, and walks over their stack, on a machine that has
 * return addresses on the stack, as x86, or in a register (IN_REGISTER), as arm64: there a
 * function's frame record, which has its caller's frame pointer and its return
 * address, is somewhere below its stack pointer on entry.
 */
#include <stdio.h>

static unsigned int warned, strays, entries, returns;
static int tracer_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs);
static void tracer_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			  struct ftrace_regs *fregs);

static void trace_graph_thresh_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				      struct ftrace_regs *fregs);

static void panic(void)
{
}

#include "graph/filter.h"
#include "graph/filter.c"
#include "graph/call.c"
#include "graph/stack.c"

struct fgraph_slot fgraph_slots[FTRACE_GRAPH_SLOTS];

u32 fgraph_epoch;
unsigned int fgraph_max_depth;
bool kill_ftrace_graph;
static struct task_struct task;
struct task_struct *current = &task;
static unsigned long shadow[FGRAPH_SHADOW_WORDS];

#define HANDLER		((unsigned long)return_to_handler)
#define DEPTH		10

void return_to_handler(void)
{
}

int fgraph_enter_pid_fast(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			  struct ftrace_regs *fregs)
{
	return 0;
}

int fgraph_enter_sets(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs)
{
	return 0;
}

bool in_hardirq(void)
{
	return false;
}

void set_irq_bit(bool on)
{
}

void ftrace_graph_stop(void)
{
	kill_ftrace_graph = true;
}

void interrupt(void)
{
}

static int bad, failed;

static void expect(bool good, int line)
{
	if (!good && !bad++)
		printf("# %s:%d\n", __FILE__, line);
}

#define EXPECT(cond)	expect(cond, __LINE__)

static unsigned long from;	/* where the latest function will go on in the end */

static int tracer_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs)
{
	EXPECT(ftrace_graph_top_ret_addr(current) == from);
	entries++;
	return 1;
}

static void tracer_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			  struct ftrace_regs *fregs)
{
	EXPECT(fregs->ip == 0x1000 + trace->func || fregs->ip == HANDLER);
	returns++;
}

/* The graph tracer on the fast path, if @fast is set. */
static bool fast;
static unsigned int recorded;

int fast_entry(unsigned long func, u64 *time)
{
	if (!fast)
		return -EBUSY;
	recorded++;
	*time = func + 100;
	return 1;
}

bool fast_return(unsigned long func, u64 time)
{
	EXPECT(time == func + 100);
	returns++;
	return true;
}

/* The same tracer, when it records a call in one event, or only calls that take long. */
static unsigned int compact;		/* 0: it does not; else 1 + number of such events */

bool compact_return(unsigned long func, u64 time)
{
	if (!compact)
		return false;
	EXPECT(time == func + 300);
	compact++;
	return true;
}

static u64 now;
unsigned long tracing_thresh;

u64 sched_clock_inline(void)
{
	return now;
}

int fgraph_enter_timed(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs)
{
	entries++;
	return 0;
}

static void trace_graph_thresh_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				      struct ftrace_regs *fregs)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	const u64 *entered = fgraph_shadow_retrieve(s, fgraph_shadow_top(s), 0, NULL);

	EXPECT(entered && now - *entered >= tracing_thresh);
	returns++;
}

/* The function profiler, which needs only the time of entry if @plain is set. */
static bool plain;
static unsigned int alone;

static int profile_enter(unsigned long func, u64 *entered)
{
	if (!plain)
		return -EBUSY;
	alone++;
	*entered = func + 200;
	return 1;
}

static void profile_leave(unsigned long func, u64 entered)
{
	EXPECT(entered == func + 200);
	alone--;
}

static int profile_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs)
{
	EXPECT(fgraph_shadow_reserve(fgraph_shadow(current), 0, 3 * sizeof(u64)));
	entries++;
	return 1;
}

static void profile_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs)
{
	struct fgraph_shadow *s = fgraph_shadow(current);
	int bytes = 0;

	EXPECT(fgraph_shadow_retrieve(s, fgraph_shadow_top(s), 0, &bytes) &&
	       bytes == 3 * sizeof(u64));
	returns++;
}

struct fgraph_profiler fgraph_profiler = {
	profile_entry, profile_return, profile_enter, profile_leave
};

/* The machine: its stack, and what its functions do. */
static unsigned long stack[16 * DEPTH];
static unsigned long *sp, *fp;

/* Enter function @nr. Return: where it will return to. */
static unsigned long enter_function(unsigned int nr, unsigned long lr)
{
	struct ftrace_regs regs = { .sp = (unsigned long)sp, .fp = (unsigned long)fp, .lr = lr };

	ftrace_graph_hook(nr, lr, (struct ftrace_ops *)1, &regs);
#ifdef IN_REGISTER
	return regs.lr;
#else
	return *sp;
#endif
}

/* Call function @nr, to return to 0x1000 + @nr. */
static unsigned long call(unsigned int nr)
{
	from = 0x1000 + nr;
#ifndef IN_REGISTER
	*--sp = from;
#endif
	return enter_function(nr, from);
}

/* The called function makes its frame, as large as it needs. */
static void make_frame(unsigned long lr, unsigned int room)
{
#ifdef IN_REGISTER
	sp -= 2 + room;
	sp[1] = lr;
#else
	*--sp = 0;
#endif
	*sp = (unsigned long)fp;
	fp = sp;
#ifndef IN_REGISTER
	sp -= room;
#endif
}

/* The function removes its frame and returns. Return: where it goes on in the end. */
static unsigned long ret(unsigned int room)
{
	struct ftrace_regs regs = { };
	unsigned long *slot = &fp[1];
	unsigned long to = *slot;

#ifdef IN_REGISTER
	sp = fp + 2 + room;
#else
	sp = fp + 2;
#endif
	fp = (unsigned long *)*fp;
	regs.sp = (unsigned long)sp;
	regs.fp = (unsigned long)fp;
	while (to == HANDLER) {
		ftrace_return_to_handler(&regs);
#ifdef IN_REGISTER
		to = regs.lr;
#else
		to = *slot;
#endif
		/* The frame is dropped. An interrupt's unwinder does not need it any more. */
		EXPECT(ftrace_graph_ret_addr(current, NULL, to,
					     arch_ftrace_graph_returned(&regs)) != HANDLER);
	}
	return to;
}

/*
 * What an unwinder finds: the return addresses of all functions, the newest first.
 * It may ask for the same address again.
 */
static unsigned int walk(unsigned long *found)
{
	unsigned long *f = fp;
	unsigned int n = 0;
	int idx = 0;

	while (f != &stack[ARRAY_SIZE(stack) - 1] && n < DEPTH) {
#ifdef IN_REGISTER
		unsigned long *retp = (unsigned long *)*f;
#else
		unsigned long *retp = f + 1;
#endif
		found[n] = ftrace_graph_ret_addr(current, &idx, f[1], retp);
		EXPECT(ftrace_graph_ret_addr(current, &idx, f[1], retp) == found[n]);
		n++;
		f = (unsigned long *)*f;
	}
	return n;
}

static void begin(void)
{
	memset(shadow, 0, sizeof(shadow));
	fgraph_shadow_init((struct fgraph_shadow *)shadow);
	task.ret_stack = shadow;
	fp = &stack[ARRAY_SIZE(stack) - 1];
	sp = fp;
	fgraph_slots[0] = (struct fgraph_slot) {
		.enter = tracer_entry, .leave = tracer_return, .mark = fgraph_mark_of(0, 0),
	};
	fast = false;
	recorded = 0;
	alone = 0;
	entries = 0;
	returns = 0;
	warned = 0;
	strays = 0;
	kill_ftrace_graph = false;
	bad = 0;
}

static void good(const char *name)
{
	EXPECT(!fgraph_shadow_top((struct fgraph_shadow *)shadow) && !warned);
	printf("%s - calls: %s\n", bad ? "not ok" : "ok", name);
	failed |= bad;
}

/* Frames of all sizes, empty ones included. */
static void functions_return_where_they_came_from(void)
{
	unsigned long found[DEPTH];
	unsigned int n;

	begin();
	for (n = 0; n < DEPTH; n++) {
		unsigned long lr = call(n);

		EXPECT(lr == HANDLER);
		make_frame(lr, n);
		EXPECT(walk(found) == n + 1);
		for (unsigned int k = 0; k <= n; k++)
			EXPECT(found[k] == 0x1000 + n - k);
	}
	while (n--)
		EXPECT(ret(n) == 0x1000 + n);
	EXPECT(entries == DEPTH && returns == DEPTH && !strays);
	good("functions return where they came from");
}

/* One function ends in a jump to another one, which returns for both. */
static void a_jump_returns_for_both(void)
{
	unsigned long found[DEPTH];

	begin();
	make_frame(call(1), 3);
	make_frame(enter_function(3, call(2)), 1);
	EXPECT(walk(found) == 2 && found[0] == 0x1002 && found[1] == 0x1001);
	EXPECT(ret(1) == 0x1002 && returns == 2);
	EXPECT(ret(3) == 0x1001 && returns == 3 && !strays);
	good("a jump returns for both");
}

/* The stack is unwound beyond two functions: they never return. */
static void frames_of_who_never_returns_are_dropped(void)
{
	unsigned long *old_sp, *old_fp;

	begin();
	make_frame(call(1), 2);
	old_sp = sp;
	old_fp = fp;
	make_frame(call(2), 0);
	make_frame(call(3), 4);
	sp = old_sp;
	fp = old_fp;
	EXPECT(ret(2) == 0x1001);
	EXPECT(strays == 1 && returns == 1 && !kill_ftrace_graph);
	good("frames of who never returns are dropped");
}

/* Call function @nr. Return: whether its return is waited for; then it has its frame. */
static bool is_watched(unsigned int nr)
{
	const unsigned long lr = call(nr);

	if (lr != HANDLER) {
		make_frame(lr, 0);
		ret(0);
		return false;
	}
	make_frame(lr, 0);
	return true;
}

static void what_a_function_of_a_set_calls_is_recorded(void)
{
	struct {
		struct fgraph_set set;
		unsigned long ip[1];
	} only = { { .nr = 1, .maybe = (unsigned long []) { 1 } }, { 5 } };
	struct trace_array tr = { .graph_sets = { &only.set } };
	struct fgraph_ops gops = { .private = &tr };
	unsigned long *word = &((struct fgraph_shadow *)shadow)->vars[0];

	begin();
	fgraph_slots[0].enter = fgraph_enter_sets;
	fgraph_slots[0].gops = &gops;

	/* It is lost, as is what the general callback does. */
	EXPECT(!is_watched(5) && !*word);

	fast = true;
	EXPECT(!is_watched(4) && !*word);
	EXPECT(is_watched(5) && fgraph_begun_at(*word, 0));
	EXPECT(is_watched(6) && is_watched(5) && fgraph_begun_at(*word, 0));
	EXPECT(ret(0) == 0x1005 && ret(0) == 0x1006 && fgraph_begun_at(*word, 0));
	EXPECT(ret(0) == 0x1005 && !*word);
	EXPECT(!is_watched(6) && recorded == 3 && returns == 3);
	good("what a function of a set calls is recorded");
}

static void the_profiler_keeps_a_word_when_it_is_alone(void)
{
	begin();
	fgraph_slots[0].enter = profile_entry;
	fgraph_slots[0].leave = profile_return;
	plain = true;
	EXPECT(is_watched(1) && is_watched(2) && alone == 2);
	plain = false;
	EXPECT(is_watched(3) && entries == 1);
	plain = true;
	EXPECT(is_watched(4) && alone == 3);
	EXPECT(ret(0) == 0x1004 && alone == 2 && ret(0) == 0x1003 && returns == 1);
	plain = false;
	EXPECT(ret(0) == 0x1002 && ret(0) == 0x1001 && !alone && returns == 1);
	good("the profiler keeps a word when it is alone");
}

/* The only client is a graph tracer that records returns. Return: Its trace array. */
static struct trace_array *begin_timed(void)
{
	static struct trace_array tr;
	static struct fgraph_ops gops = { .private = &tr };

	begin();
	tr = (struct trace_array){ };
	fgraph_slots[0].enter = fgraph_enter_timed;
	fgraph_slots[0].leave = trace_graph_thresh_return;
	fgraph_slots[0].gops = &gops;
	return &tr;
}

static void a_short_call_is_not_told_of(void)
{
	struct trace_array *tr = begin_timed();

	tracing_thresh = 10;
	EXPECT(is_watched(1) && is_watched(2));
	now += 9;
	EXPECT(ret(0) == 0x1002 && !returns);
	now++;
	EXPECT(ret(0) == 0x1001 && returns == 1);
	/* The instance's threshold comes first. */
	tr->graph_thresh = 50;
	EXPECT(is_watched(3));
	now += 49;
	EXPECT(ret(0) == 0x1003 && returns == 1 && !entries);
	tracing_thresh = 0;
	good("a short call is not told of");
}

static void a_call_is_recorded_in_one_event(void)
{
	begin_timed();
	compact = 1;
	now = 301;
	EXPECT(is_watched(1));
	now = 302;
	EXPECT(is_watched(2));
	EXPECT(ret(0) == 0x1002 && compact == 2 && ret(0) == 0x1001 && compact == 3 && !returns);
	/* With a threshold, only if the call takes long. */
	tracing_thresh = 10;
	now = 303;
	EXPECT(is_watched(3));
	now += 9;
	EXPECT(ret(0) == 0x1003 && compact == 3);
	now = 304;
	EXPECT(is_watched(4));
	now += 10;
	EXPECT(ret(0) == 0x1004 && compact == 4 && !returns && !entries);
	tracing_thresh = 0;
	/* That is off when the call returns: the return has its own event. */
	now = 305;
	EXPECT(is_watched(5));
	compact = 0;
	EXPECT(ret(0) == 0x1005 && returns == 1);
	good("a call is recorded in one event");
}

int main(void)
{
	functions_return_where_they_came_from();
	frames_of_who_never_returns_are_dropped();
	a_jump_returns_for_both();
	what_a_function_of_a_set_calls_is_recorded();
	the_profiler_keeps_a_word_when_it_is_alone();
	a_short_call_is_not_told_of();
	a_call_is_recorded_in_one_event();
	return !!failed;
}
