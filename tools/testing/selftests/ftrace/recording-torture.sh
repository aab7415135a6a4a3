#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record functions, calls and events on all processors for some time (seconds=N; 20),
# while all that keeps writers off the fast path, or works on the same pages, comes and
# goes. Then look whether each event of another recording can be read, in order. Other
# parts are for a kernel with CONFIG_RING_BUFFER_STARTUP_TEST, and with its benchmark as
# a module.
# proves: kernel/trace/ring_buffer_fast.c kernel/trace/trace_fast.c
# proves: kernel/trace/ftrace/graph/call.c arch/x86/include/asm/inline_clock.h
: "${parts=torture,order}" "${seconds=20}"
. "$(dirname "$0")/parts.sh"
in_tracefs snapshot options/func-no-repeats
want /sys/devices/system/cpu/cpu1/online
command -v hackbench >"$tmp/where" || skip_all "hackbench is not installed"
keep events/enable tracing_on trace_clock buffer_size_kb max_graph_depth \
	options/overwrite options/func-no-repeats
G=instances/graph

# actor FUNCTION: again and again until there is $tmp/enough. Some of it is refused while
# another actor is at work; what never works has failed.
actor()
{
	local rounds=0
	until [ -e "$tmp/enough" ] && [ "$rounds" -gt 0 ]; do
		"$1" && rounds=$((rounds + 1))
		[ ! -e "$tmp/enough" ] || [ "$SECONDS" -lt "$late" ] || break
	done >"$tmp/$1.said" 2>&1
	echo "$1 $rounds" >>"$tmp/rounds"
}

load()
{
	hackbench -p -g 2 -f 4 -l 20 >/dev/null
}

recording()
{
	for f in tracing_on $G/tracing_on; do
		echo 0 >$f && echo 1 >$f || return 1
	done
}

sizes()
{
	for kb in 8 300; do
		echo $kb >buffer_size_kb && echo $kb >$G/buffer_size_kb || return 1
	done
}

# Of a single CPU only where buffers of CPUs can be swapped.
of_cpu=/dev/null
! echo 1 2>/dev/null >per_cpu/cpu0/snapshot || of_cpu=per_cpu/cpu0/snapshot
echo 0 >snapshot

snapshots()
{
	echo 1 >snapshot && echo 1 >snapshot && echo 1 >$of_cpu && echo 0 >snapshot
}

clocks()
{
	for clock in mono counter $(grep -ow x86-tsc trace_clock) local; do
		echo $clock >trace_clock && echo $clock >$G/trace_clock || return 1
	done
}

options()
{
	for value in 1 0; do
		for option in func-no-repeats overwrite; do
			echo $value >options/$option || return 1
		done
		echo $value >$G/options/sleep-time || return 1
	done
	echo 1 >options/overwrite
}

filters()
{
	echo $$ >set_ftrace_pid && echo 'prev_pid > 1' >events/sched/sched_switch/filter &&
	echo schedule >$G/set_ftrace_filter && echo 2 >max_graph_depth || return 1
	echo 0 >max_graph_depth && echo >set_ftrace_pid && echo 0 >events/sched/sched_switch/filter &&
	echo >$G/set_ftrace_filter
}

tracers()
{
	echo nop >current_tracer && echo nop >$G/current_tracer && echo 0 >events/enable &&
	echo 1 >events/enable && echo function_graph >$G/current_tracer &&
	echo function >current_tracer
}

readers()
{
	timeout 1 cat trace_pipe >/dev/null
	timeout 1 cat $G/per_cpu/cpu0/trace_pipe_raw >/dev/null
	head -n 2000 $G/trace >/dev/null && head -n 2000 per_cpu/cpu1/trace >/dev/null
}

storms()
{
	echo l >/proc/sysrq-trigger
	switch_processors
}

torture()
{
	local name idle

	late=$((SECONDS + seconds + 300))
	mkdir $G && echo 1 >events/enable && echo function >current_tracer &&
	echo function_graph >$G/current_tracer || return 1
	rm -f "$tmp/enough" "$tmp/rounds"
	for name in load recording sizes snapshots clocks options filters tracers readers storms; do
		actor $name &
	done
	sleep "$seconds"
	: >"$tmp/enough"
	wait
	echo 0 >tracing_on
	rmdir $G || return 1
	cat "$tmp/rounds"
	idle=$(awk '$2 == 0 { print $1 }' "$tmp/rounds")
	[ "$(wc -l <"$tmp/rounds")" = 10 ] && [ -z "$idle" ] && return
	for name in $idle; do
		echo "$name never worked:"
		tail -n 3 "$tmp/$name.said"
	done
	return 1
}

# stat CPU NAME
stat()
{
	sed -n "s/^$2: //p" "per_cpu/cpu$1/stats"
}

# All events of a processor can be read, and their times never go back.
order()
{
	local cpu entries shown

	echo >set_ftrace_pid && echo 0 >events/sched/sched_switch/filter && echo 0 >max_graph_depth &&
	echo local >trace_clock && echo 0 >snapshot && echo 2000 >buffer_size_kb &&
	echo function >current_tracer && echo 1 >events/enable && echo >trace || return 1
	echo 1 >tracing_on
	for cpu in 0 1; do
		taskset $((1 << cpu)) hackbench -p -g 1 -f 1 -l 1 >/dev/null
	done
	echo 0 >tracing_on
	for cpu in 0 1; do
		entries=$(stat $cpu entries)
		shown=$(grep -vc '^#' per_cpu/cpu$cpu/trace)
		echo "processor $cpu: $entries entries, $(stat $cpu overrun) overwritten"
		[ "$entries" -gt 0 ] && [ "$entries" = "$shown" ] || return 1
		awk '!/^#/ && match($0, / [0-9]+\.[0-9]+: /) {
			t = substr($0, RSTART, RLENGTH) + 0
			if (t < last) { print "time goes back:", before; print; exit 1 }
			last = t; before = $0
		}' per_cpu/cpu$cpu/trace || return 1
	done
}

# The kernel's own test at boot, where it is built in.
startup()
{
	dmesg | grep 'ring buffer\|Ring buffer'
	dmesg | grep -q 'Ring buffer PASSED!'
}

# The kernel's own benchmark, where it is built: it says how long an event takes.
benchmark()
{
	modprobe ring_buffer_benchmark || return 1
	timeout 120 grep -m 1 'ERROR\|ns per entry' trace_pipe >"$tmp/benchmark" || return 1
	rmmod ring_buffer_benchmark && grep 'ns per entry' "$tmp/benchmark"
}

has startup && result "the kernel's test of the ring buffer passes at boot" startup
has benchmark && result "the kernel's benchmark of the ring buffer runs" benchmark
has torture && result "all that records goes on while everything changes" without_console torture
has order && result "each event can be read, in the order of time" order
finish
