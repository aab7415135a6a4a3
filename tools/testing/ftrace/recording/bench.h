/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an event takes by the clock. The end of paths.c, where nothing comes in between.
 */
#ifndef _RECORDING_BENCH_H
#define _RECORDING_BENCH_H

#include "beside.h"

static struct trace_array tr = { .function_enabled = 1 };

static void run_function(unsigned long nr)
{
	struct ftrace_ops op = { .private = &tr };

	while (nr--)
		trace_fast_function(nr, nr, &op, NULL);
}

/* A call and its return, without what the graph tracer itself takes. */
static void run_call(unsigned long nr)
{
	static __typeof__(*((struct trace_array *)0)->current_trace_flags) flags;
	struct fgraph_ops gops = { .private = &tr };

	tr.current_trace_flags = &flags;
	while (nr--) {
		struct ftrace_graph_ent call = { .func = nr, .depth = 5 };
		struct ftrace_graph_ret ret = { .func = nr, .depth = 5 };

		trace_fast_graph_entry(&call, &gops, NULL);
		trace_fast_graph_return(&ret, &gops, NULL);
	}
}

static void run_event(unsigned long nr)
{
	struct trace_event_call call = { .event.type = 77 };
	struct trace_event_file file = { .event_call = &call, .tr = &tr };
	struct trace_event_buffer fbuffer;

	while (nr--) {
		u64 *entry = trace_event_buffer_reserve(&fbuffer, &file, 24);

		entry[1] = nr;
		entry[2] = nr;
		if (!trace_fast_event_commit(&fbuffer))
			ring_buffer_unlock_commit(fbuffer.buffer);
	}
}

static void run_clock(unsigned long nr)
{
	while (nr--)
		asm volatile("" : : "r" (sched_clock_inline()));
}

/* What the others have for a clock, where they do not trust the counter. */
static void run_gettime(unsigned long nr)
{
	while (nr--)
		beside_now();
}

/* usage: paths function|call|event|clock|gettime NR: the cost of one */
int main(int argc, char **argv)
{
	void (*run)(unsigned long nr) = run_clock;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "function"))
		run = run_function;
	else if (!strcmp(argv[1], "call"))
		run = run_call;
	else if (!strcmp(argv[1], "event"))
		run = run_event;
	else if (!strcmp(argv[1], "gettime"))
		run = run_gettime;
	tr.array_buffer.buffer = ring_buffer_alloc(1 << 20, RB_FL_OVERWRITE);
	beside(run, strtoul(argv[2], NULL, 0));
	ring_buffer_free(tr.array_buffer.buffer);
	return 0;
}

#endif
