#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tracepoints beside processors that come and go: seconds=N, for the part that is
# repeated.
# proves: kernel/tracepoint/apply.c
: "${seconds=20}"
. "$(dirname "$0")/../ftrace/parts.sh"
in_tracefs
cpu=/sys/devices/system/cpu/cpu1/online
want $cpu
keep $cpu

# Everything that the way of a processor into the kernel passes: the tracepoint
# of MSR writes, other events, and all functions.
toggle()
{
	local n=0 v f
	while [ ! -e "$tmp/enough" ]; do
		for v in 1 0; do
			for f in events/msr/enable events/sched/enable; do
				[ ! -e $f ] || echo $v >$f || return 1
			done
		done
		if [ $((n % 4)) = 0 ]; then
			echo function >current_tracer || return 1
			echo nop >current_tracer || return 1
		fi
		echo $((n += 1)) >"$tmp/toggles"
	done
}

switch()
{
	local rounds=0 last=$((SECONDS + seconds)) toggles
	echo 0 >"$tmp/toggles"
	toggle &
	# Three of each at least, so that slow machines prove something.
	while [ "$SECONDS" -lt "$last" ] || [ "$rounds" -lt 3 ] || [ "$(cat "$tmp/toggles")" -lt 3 ]; do
		kill -0 $! && echo 0 >$cpu && echo 1 >$cpu || break
		rounds=$((rounds + 1))
	done
	: >"$tmp/enough"
	wait $! || { echo "a switch failed"; return 1; }
	toggles=$(cat "$tmp/toggles")
	echo "figure: $rounds rounds, $toggles switches"
	[ "$(cat $cpu)" = 1 ] && [ "$rounds" -ge 3 ] && [ "$toggles" -ge 3 ]
}
result "MSR events, others and the tracer switch while a processor comes and goes" switch

counter()
{
	local run=/sys/module/tp_hotplug_perf/parameters/run said
	local module=$home/test_modules/tp_hotplug_perf.ko
	[ -e "$module" ] || skip "test_modules was not built" || return
	insmod "$module" point=signal_generate event="$(cat events/signal/signal_generate/id)" || return 1
	echo 1 >$run
	said=$(complaint $run)
	rmmod tp_hotplug_perf
	echo "$said"
	[ -z "$said" ]
}
result "a counter is enabled while a processor comes up and tracepoints wait" counter
finish
