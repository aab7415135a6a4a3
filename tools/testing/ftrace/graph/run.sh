#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The graph tracer's shadow stack in user space, under the address and undefined
# behaviour sanitisers; then the same with faults in it.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units=kernel/trace/ftrace/graph/stack.h
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace/ftrace
real=linux/ftrace/graph.h
stand_ins "$here/shim.h" "$top/$source/graph/stack.h" "$top/include/$real"

graph()
{
	program graph $checked $shim -I"$tree/$source/graph" -I"$tree/$source/tests" \
		"$here/graph.c"
}

prove 18 graph

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
fault graph graph/stack.h 's/^	f->data = s->data;/	f->data = s->data | (f->data \& FGRAPH_OWNER(15));/' \
	"word of the one before"
fault graph graph/stack.h 's/(void \*)head < (void \*)(f + 1)/0/' \
	"data into frames"
fault graph graph/stack.h 's/if (\*ret != handler)/if (1)/' \
	"jumps not seen"
fault graph graph/stack.h 's/return f == top || (f->retp && .*/return 1;/' \
	"caller not asked"

finish
