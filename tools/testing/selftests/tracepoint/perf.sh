#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many events by perf, of all kinds, and all ways to enable one.
# proves: kernel/tracepoint/syscalls.c
. "$(dirname "$0")/../ftrace/parts.sh"
in_tracefs kprobe_events events/syscalls

# says PROGRAM...: its lines "ok - NAME" and "not ok - NAME" are results
says()
{
	local line failed=
	mark "$*"
	"$@" >"$tmp/said" 2>&1 || failed=$?
	while read -r line; do
		case $line in
		"ok - "*) ktap_test_pass "${line#ok - }" ;;
		"not ok - "*) verdict "${line#not ok - }" "$(cat "$tmp/said")" ;;
		esac
	done <"$tmp/said"
	[ -z "$failed" ] || grep -q '^not ok - ' "$tmp/said" ||
		verdict "$*" "status $failed: $(cat "$tmp/said")"
}

recorded()
{
	command -v perf hackbench || skip "perf or hackbench is not installed" || return
	perf record -q -a -e 'sched:*' -o "$tmp/data" -- hackbench -p -g 1 -l 20 &&
		perf script -i "$tmp/data" 2>/dev/null | grep -q 'sched:sched_switch'
}

says perf_many sched 3
says perf_live
result "perf record has events of the scheduler" recorded
if modules trace-events-sample >/dev/null; then
	modprobe trace-events-sample
	# They come once a second.
	says perf_many sample-trace 2 0
	rmmod trace-events-sample || verdict "the module of events goes" "it does not"
else
	ktap_test_skip "events of sample-trace by perf"
fi
echo 'p:mine schedule' >>kprobe_events
says perf_many kprobes 2 1
echo '-:mine' >>kprobe_events || verdict "the kprobe goes" "it does not"
says perf_many syscalls 2
finish
