#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each allocation on the way to switched events fails once. Wants a kernel with
# fault injection.
# proves: kernel/tracepoint/funcs.c
. "$(dirname "$0")/../ftrace/parts.sh"
faults=/sys/kernel/debug/failslab
in_tracefs $faults /proc/self/fail-nth
change $faults/verbose 0
change $faults/ignore-gfp-wait N

result "an event" fail_nth events/sched/sched_switch/enable 1 0 events/enable
result "the events of a system" fail_nth events/timer/enable 1 0 events/enable
result "events by a glob" fail_nth set_event 'sched:*' '!sched:*' events/sched/enable
# From two probes to one and back: an array gets smaller.
mkdir instances/second
echo 1 >instances/second/events/sched/enable
result "a second probe" fail_nth events/sched/enable 1 0 events/enable
echo 1 >events/sched/enable
result "the second of two probes goes" \
	fail_nth instances/second/events/sched/enable 0 1 events/enable needs-nothing
echo 0 >events/enable
result "an instance goes with its events on" rmdir instances/second
finish
