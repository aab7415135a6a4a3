#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Modules with tracepoints and modules with probes, in every order of coming and
# going, the samples among them. As root, in a kernel that has
# CONFIG_SAMPLE_TRACEPOINTS=m and CONFIG_TRACEPOINT_TORTURE_TEST=m.
#
# Says "ok - what" or "not ok - what" and exits 1 if something is wrong.
bad=0
mark=0

# The kernel's words since the last call of since().
since()
{
	dmesg | tail -n +$((mark + 1))
}

now()
{
	mark=$(dmesg | wc -l)
}

# check NAME COMMAND...: one result, by the command's status
check()
{
	name=$1
	shift
	if "$@" >/dev/null 2>&1; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		since | tail -n 8 | sed 's/^/# /'
		bad=1
	fi
}

said()
{
	since | grep -q "$1"
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
	since | grep -o '\(critic\|waiter\): [a-z]* for.*' |
		awk '$1 == "critic:" { dish = $2; next }
			dish { good = dish == $2; exit }
			END { exit !good }'
}

now
check "a module with tracepoints loads" modprobe tracepoint-place
check "probes of another module attach" modprobe tracepoint-probes
check "both are called" wait_for 'waiter: [a-z]* for'
check "the one of higher priority first" in_order
check "a batch attaches beside them" modprobe tracepoint-batch
check "the iterator meets the module's tracepoints" said 'tracepoints, [2-9] of them samples'
check "tracepoints in use hold their module" sh -c '! rmmod tracepoint-place'
check "probes detach" rmmod tracepoint-probes
check "the batch detaches" rmmod tracepoint-batch
check "a tracepoint with a condition was hit" again ' lunches, [1-9][0-9]* seconds' tracepoint-batch
check "the module goes" rmmod tracepoint-place

now
check "no probe gets on a tracepoint of another type" \
	sh -c '! modprobe tp_careless point=sched_wakeup'
check "a careless module loads" modprobe tp_careless point=sched_switch
sleep 0.2
check "it goes and leaves its probe" rmmod tp_careless
check "which is reported" said 'probe count_switch.* of tracepoint sched_switch is left by its module'
check "and was called before" said 'tp_careless: [1-9][0-9]* calls'
# Whoever hits the tracepoint now must not call what is no more.
sleep 0.2

now
modprobe tracepoint-place
check "a probe sits on a module's tracepoint" modprobe tp_careless point=sample_lunch_tp tidy=1
sleep 0.5
check "the module goes under it" rmmod tracepoint-place
check "which is reported" said 'tracepoint sample_lunch_tp goes with its module, but has a probe: count_lunch'
check "the module of the probe goes after" rmmod tp_careless
check "and is not blamed for it" said 'tp_careless: tidy: 0'

now
modprobe tracepoint-place
modprobe tp_careless point=sample_lunch_tp tidy=1
rmmod tracepoint-place
check "the same module comes back" modprobe tracepoint-place
check "the late probe goes" rmmod tp_careless
check "the module goes again" rmmod tracepoint-place

# Events of a module: the file goes with the module, on or not.
now
cd /sys/kernel/tracing || exit 1
modprobe trace-events-sample
check "events of a module can be turned on" sh -c 'echo 1 >events/sample-trace/enable'
# One comes each second.
check "and are heard" timeout 60 sh -c 'grep -q -m 1 foo_bar trace_pipe'
check "the module goes with its events on" rmmod trace-events-sample
check "and its events with it" [ ! -d events/sample-trace ]
check "other events still work" sh -c 'echo 1 >events/sched/enable && echo 0 >events/sched/enable'

exit $bad
