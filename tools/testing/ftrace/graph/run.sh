#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The graph tracer's shadow stack in user space, and its calls, with return addresses
# on the stack and in a register, under the address and undefined behaviour
# sanitisers; then the same with faults in it.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="kernel/trace/ftrace/graph/call.c kernel/trace/ftrace/graph/stack.c
	kernel/trace/ftrace/graph/stack.h kernel/trace/ftrace/graph/filter.h
	kernel/trace/ftrace/graph/filter.c"
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace/ftrace
real=linux/ftrace/graph.h
stand_ins "$here/shim.h" "$top/$source/graph"/*.[ch] "$top/include/$real"
# call.c has what it needs of these.
for h in trace trace_fast fprobe_fast; do
	: >"$out/$h.h"
done

graph()
{
	program graph $checked $shim -I"$tree/$source/graph" -I"$tree/$source/tests" \
		"$here/graph.c"
}

call()
{
	program call $checked $shim -I"$tree/$source" -iquote "$out/shim/linux" "$here/call.c"
}

call_in_register()
{
	program call_in_register -DIN_REGISTER $checked $shim -I"$tree/$source" \
		-iquote "$out/shim/linux" "$here/call.c"
}

sets()
{
	program sets $checked $shim -I"$tree/$source" -iquote "$out/shim/linux" "$here/sets.c"
}

prove 18 graph
prove 6 sets
prove 7 call
variant="in a register" prove 7 call_in_register

fault graph graph/stack.h 's/^	barrier();	\/\* filled in before.*/	WRITE_ONCE(f->retp, retp); barrier();/' \
	"seen too early"
fault graph graph/stack.h '/WRITE_ONCE(s->top, s->top + 1);/d' \
	"not counted"
fault graph graph/stack.h '/WRITE_ONCE(f->retp, NULL);/d' \
	"seen when gone"
fault graph graph/stack.h 's/^	WRITE_ONCE(f->retp, NULL);/	WRITE_ONCE(s->top, s->top - 1); barrier(); WRITE_ONCE(f->retp, NULL); s->top++;/' \
	"uncounted early"
fault graph graph/stack.h 's/^	if (unlikely(s->data != fgraph_shadow_older(f)))/	s->data = fgraph_shadow_older(f); if (0)/' \
	"data left behind"
fault graph graph/stack.h '/^	s->data = older;/d' \
	"data forgotten"
fault graph graph/stack.h 's/^	for (nr = s->data; nr < older; nr++)/	nr = s->data; s->data = older; barrier(); for (; nr < older; nr++)/' \
	"data cleared late"
fault graph graph/stack.h 's/^	WRITE_ONCE(s->data, s->data - (1 + words));/	*head = FGRAPH_CHUNK(slot, words); barrier(); &/
			 s/^	\*head = FGRAPH_CHUNK(slot, words);//' \
	"data taken late"
fault graph graph/stack.h 's/(void \*)(f + 1) > /(void *)f > /' \
	"one frame more"
fault graph graph/stack.h 's/^	if (fgraph_shadow_owns(f, slot) || .*/	if (0)/' \
	"data given twice"
fault graph graph/stack.h 's/ && likely(f->data == s->data)//' \
	"word given twice"
fault graph tests/graph_cases.h 's/^	f->data = s->data;/	f->data = s->data | (f->data \& FGRAPH_OWNER(15));/' \
	"word of the one before"
fault graph graph/stack.h 's/(void \*)head < (void \*)(f + 1)/0/' \
	"data into frames"
fault graph graph/stack.h 's/if (\*ret != handler)/if (1)/' \
	"jumps not seen"
fault graph graph/stack.h 's/return f == top || (f->retp && .*/return 1;/' \
	"caller not asked"
fault sets graph/filter.h 's/^	if (word & TRACE_GRAPH_FL)$/	if (0)/' "what is below"
fault sets graph/filter.h 's/^	if (word & TRACE_GRAPH_NOTRACE)$/	if (0)/' "what is left out"
fault sets graph/filter.c 's/low = mid + 1;/low = mid + 2;/' "the search in a set"
fault sets graph/filter.h 's/return set ?: rcu.*/return set;/' "the set of the top"
fault sets graph/filter.h 's/word >> FGRAPH_BEGUN_SHIFT == depth/(word >> FGRAPH_BEGUN_SHIFT \& 3) == (depth \& 3)/' \
	"a depth of two bits"
fault sets graph/filter.h 's/if (!ret && fgraph_begun_at/if (!ret || fgraph_begun_at/' "what was recorded"
fault sets graph/filter.h 's/return tr && tr->graph_depth ? .*/return fgraph_max_depth;/' "a depth of the instance"
fault sets graph/filter.h "s/return tr->graph_thresh ?: /return /" "a threshold of the instance"
fault call_in_register graph/call.c 's/arch_ftrace_graph_entered(fregs, place)/place/' \
	"a place for a frame"
fault call_in_register graph/call.c 's/= arch_ftrace_graph_returned(fregs);/= (unsigned long *)ftrace_regs_get_stack_pointer(fregs) - 1;/' \
	"a frame by the stack pointer"
fault call_in_register graph/call.c 's/= arch_ftrace_graph_place(fregs);/= (unsigned long *)ftrace_regs_get_stack_pointer(fregs);/' \
	"a return address on the stack"
fault call graph/call.c 's/^		fgraph_leave_any(s, f, fregs);$/		fgraph_shadow_pop(s, f);/' "who returns untold"
fault call graph/call.c 's/^	arch_ftrace_graph_returns_to(fregs, f->ret);/	ftrace_regs_set_instruction_pointer(fregs, f->ret);/' \
	"a dropped frame that unwinders need"
fault call graph/call.c 's/fgraph_begin(&s->vars\[slot->nr\], depth)/fgraph_begin(\&s->vars[slot->nr], depth + 1)/' \
	"begun one too deep"
fault call graph/call.c 's/verdict == FGRAPH_BEGIN && s->top != depth/verdict == FGRAPH_BEGIN/' \
	"begun with what is lost"
fault call graph/call.c 's/^	if (who == FGRAPH_PROFILER)$/	if (0)/' "a profiler that is asked as others"
fault call graph/call.c 's/if (fgraph_is_profiler(leave) .*/if (0)/' "a profiler that is told as others"
fault call graph/call.c 's/^	fgraph_profiler.leave(f->func, .*/	fgraph_profiler.leave(f->func, f->ret);/' \
	"a profiler that is told something else"
fault call graph/call.c 's/sched_clock_inline() - \*calltime < thresh/sched_clock_inline() - *calltime + 1 < thresh/' \
	"a call one shorter"
fault call graph/call.c 's/^	const u64 thresh = .*/	const u64 thresh = tracing_thresh;/' \
	"a threshold of the top"
fault call graph/call.c 's/^	       trace_compact_return(.*/	       false;/' "a call that is not recorded in one event"
fault sets graph/filter.h 's/^	return fgraph_set_has(set, ip) ? FGRAPH_BEGIN/	return FGRAPH_PASS_OVER ? FGRAPH_BEGIN/' \
	"a bit taken for a function"
fault sets graph/filter.h 's/if (verdict != FGRAPH_LOOK_UP || .*/if (verdict != FGRAPH_LOOK_UP)/' \
	"what is left out is begun with"
fault call graph/stack.c 's/^		\*idx = i + 1;/		*idx = i;/' "a frame passed over"

finish
