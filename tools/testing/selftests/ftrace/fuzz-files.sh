#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Write random words to the files of the function tracer, in sessions=N sessions from
# seed=N on, beside each of the tracers in parts. Not run by default, as it changes all
# filters and commands again and again.
# proves: kernel/trace/ftrace/tracefs/commands.c kernel/trace/ftrace/tracefs/draft.c
# proves: kernel/trace/ftrace/tracefs/filter_read.c
# proves: kernel/trace/ftrace/tracefs/filter_session.c
# proves: kernel/trace/ftrace/tracefs/filter_write.c kernel/trace/ftrace/tracefs/probes.c
# proves: kernel/trace/ftrace/tracefs/words.c
: "${parts=nop,function,function_graph}" "${sessions=100}" "${seed=1}"
. "$(dirname "$0")/parts.sh"
in_tracefs ran_functions
keep tracing_on
[ "$seed" != 0 ] || seed=$RANDOM

# fuzz TRACER
fuzz()
{
	echo schedule >set_ftrace_filter
	echo schedule >instances/fuzz/set_ftrace_filter
	echo "$1" >current_tracer || return
	echo "$1" >instances/fuzz/current_tracer || return
	fuzz-files "$PWD" "$seed" "$sessions" || return
	echo nop >current_tracer
	echo nop >instances/fuzz/current_tracer
}

mkdir instances/fuzz || exit
echo 0 >tracing_on
echo 0 >instances/fuzz/tracing_on
for tracer in nop function function_graph; do
	has $tracer || continue
	result "random words are taken one by one, or refused, beside $tracer" fuzz $tracer
	seed=$((seed + 1))
done
rmdir instances/fuzz || verdict "the instance can be removed" "it is in use"
finish
