#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Modules with tracepoints and modules with probes, in every order of coming and
# going, the samples among them.
# proves: kernel/tracepoint/iter.c kernel/tracepoint/module.c
. "$(dirname "$0")/../ftrace/parts.sh"
in_tracefs
want_modules tracepoint-place tracepoint-probes tracepoint-batch tp_careless trace-events-sample

# What is said is said after now().
now()
{
	mark "modules.sh: begin $((n += 1))"
	begin=$marked
}

said()
{
	since "$begin" | grep "$1" || { since "$begin" | tail -n 8; return 1; }
}

# wait_for PATTERN: until the kernel says it, some ten seconds at most
wait_for()
{
	for _ in $(seq 30); do
		said "$1" && return 0
		sleep 0.3
	done
	return 1
}

# again PATTERN MODULE: load and unload it until the kernel says that, some times at most
again()
{
	for _ in $(seq 20); do
		said "$1" && return 0
		modprobe "$2" && sleep 0.5 && rmmod "$2" || return 1
	done
	return 1
}

# The critic, who came second, is called before the waiter.
in_order()
{
	since "$begin" | grep -o '\(critic\|waiter\): [a-z]* for.*' |
		awk '$1 == "critic:" { dish = $2; next }
			dish { good = dish == $2; exit }
			END { exit !good }'
}

now
result "a module with tracepoints loads" modprobe tracepoint-place
result "probes of another module attach" modprobe tracepoint-probes
result "both are called" wait_for 'waiter: [a-z]* for'
result "the one of higher priority first" in_order
result "a batch attaches beside them" modprobe tracepoint-batch
result "the iterator meets the module's tracepoints" said 'tracepoints, [2-9] of them samples'
result "tracepoints in use hold their module" eval '! rmmod tracepoint-place'
result "probes detach" rmmod tracepoint-probes
result "the batch detaches" rmmod tracepoint-batch
result "a tracepoint with a condition was hit" again ' lunches, [1-9][0-9]* seconds' tracepoint-batch
result "the module goes" rmmod tracepoint-place

now
result "no probe gets on a tracepoint of another type" \
	eval '! modprobe tp_careless point=sched_wakeup'
result "a careless module loads" modprobe tp_careless point=sched_switch
sleep 0.2
result "it goes and leaves its probe" rmmod tp_careless
result "which is reported" said 'probe count_switch.* of tracepoint sched_switch is left by its module'
result "and was called before" said 'tp_careless: [1-9][0-9]* calls'
# Whoever hits the tracepoint now must not call what is no more.
sleep 0.2

now
modprobe tracepoint-place
result "a probe sits on a module's tracepoint" modprobe tp_careless point=sample_lunch_tp tidy=1
sleep 0.5
result "the module goes under it" rmmod tracepoint-place
result "which is reported" said 'tracepoint sample_lunch_tp goes with its module, but has a probe: count_lunch'
result "the module of the probe goes after" rmmod tp_careless
result "and is not blamed for it" said 'tp_careless: tidy: 0'

now
modprobe tracepoint-place
modprobe tp_careless point=sample_lunch_tp tidy=1
rmmod tracepoint-place
result "the same module comes back" modprobe tracepoint-place
result "the late probe goes" rmmod tp_careless
result "the module goes again" rmmod tracepoint-place

# Events of a module: the file goes with the module, on or not.
now
modprobe trace-events-sample
result "events of a module can be turned on" eval 'echo 1 >events/sample-trace/enable'
# One comes each second.
result "and are heard" timeout 240 grep -q -m 1 foo_bar trace_pipe
result "the module goes with its events on" rmmod trace-events-sample
result "and its events with it" [ ! -d events/sample-trace ]
result "other events still work" eval 'echo 1 >events/sched/enable && echo 0 >events/sched/enable'

finish
