#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Processors that RCU does not watch get no interrupt when text changes, and see what
# has changed nevertheless. For machines with nothing else to do, so nobody runs this by
# default; the clock's watchdog (tsc=nowatchdog) sends interrupts, too. Parts as in
# parts.sh: "idle", which with text_patch_quiet=0 on the kernel's command line wants the
# interrupts to be there; "user" and "calls", for which a processor of nohz_full= runs a
# program; and "injected", for which that processor is made idle now and then, by a module
# of test_modules.
# proves: arch/x86/kernel/text_patch/quiet.c arch/arm64/kernel/ftrace/text.c
set -u -o pipefail
: "${parts=idle,user,calls,injected}" "${rounds=25}"
. "$(dirname "$0")/../ftrace/parts.sh"
# Where there is none, "idle" counts interrupts only.
stats=/sys/kernel/debug/x86/text_patch_stats
in_tracefs
taskset -pc 0 $$ >/dev/null

stat()
{
	awk -v what="$1" '$1 == what { print $2 }' $stats
}

# How many function-call interrupts all processors but the first have had.
interrupts()
{
	awk -v last=$(($(nproc --all) + 1)) '/Function call interrupts/ {
		for (n = 3; n <= last; n++)
			sum += $n
		print sum }' /proc/interrupts
}

# switch_all [TRACER]: four switches a round: all functions, and one event
switch_all()
{
	local n tracer=${1-function}
	for ((n = 0; n < rounds; n++)); do
		echo "$tracer" >current_tracer && echo nop >current_tracer &&
			echo 1 >events/sched/sched_process_exec/enable &&
			echo 0 >events/sched/sched_process_exec/enable || return 1
	done
}

# Idle processors sleep through it, but for what they were awake for: grace periods wake
# threads, and the scheduler looks whether there is work for them.
idle()
{
	local cal spared syncs sum others=$(($(nproc --all) - 1))
	second_processor || return
	switch_all || return 1
	cal=$(interrupts)
	[ ! -e $stats ] || spared=$(stat spared) syncs=$(stat syncs)
	switch_all || return 1
	cal=$(($(interrupts) - cal))
	if [ ! -e $stats ]; then
		# One for each switch is the least.
		sum=$((4 * rounds * others))
		echo "figure: $cal interrupts, of at least $sum"
		[ "$cal" -lt $((sum / 2)) ]
		return
	fi
	spared=$(($(stat spared) - spared)) syncs=$(($(stat syncs) - syncs))
	sum=$((syncs * others))
	echo "figure: $cal interrupts, $spared spared, of $sum for $syncs syncs"
	[ "$syncs" -ge $((8 * rounds)) ] || return 1
	if grep -qw text_patch_quiet=0 /proc/cmdline; then
		# One interrupt may be for this and another CPU's request.
		[ "$cal" -ge $((sum * 9 / 10)) ] && [ "$spared" = 0 ]
	else
		[ "$cal" -lt $((sum / 2)) ] && [ "$spared" -ge $((sum * 9 / 10)) ]
	fi
}

# loop_on CPU [FILE]: have a program run there, in $loop
loop_on()
{
	local word
	[ -e "$tmp/loop" ] || mkfifo "$tmp/loop"
	user-loop "$@" >"$tmp/loop" &
	loop=$!
	read -r word <"$tmp/loop"
}

# CPU: its interrupts of each kind that other processors send
sent_to()
{
	awk -v at=$(($1 + 2)) '$1 ~ /^(CAL|TLB|RES|IWI):$/ { print $1, $at }' /proc/interrupts
}

# CPU: the one that runs user code without a tick is not disturbed.
user()
{
	local before status=0 tracer=function
	# The classic function tracer interrupts all processors, see ftrace_sync_ipi().
	[ -e ran_functions ] || tracer=nop
	loop_on "$1" || return 1
	switch_all "$tracer" || status=1
	before=$(sent_to "$1")
	switch_all "$tracer" || status=1
	paste -d' ' <(echo "$before") <(sent_to "$1") | awk -v n=$((4 * rounds)) '
		{ said = said " " $1 $4 - $2; sum += $4 - $2 }
		END { print "figure: interrupts in " n " switches:" said; exit NR != 4 || sum }' || status=1
	kill "$loop"
	return $status
}

calls_made()
{
	od -An -tu8 "$tmp/calls" | tr -d ' '
}

# Until N calls more have been made.
more_calls()
{
	local enough=$(($(calls_made) + $1))
	while [ "$(calls_made)" -lt "$enough" ]; do
		kill -0 "$loop" || return 1
	done
}

# CPU: calls that have been recorded there.
recorded()
{
	awk '/^(entries|overrun):/ { n += $2 } END { print n }' "per_cpu/cpu$1/stats"
}

# CPU: each call is recorded from the moment that the tracer is on, and none from the
# moment that it is off, but for the one that is under way.
calls()
{
	local n made seen total=0
	echo __x64_sys_getppid >set_ftrace_filter
	loop_on "$1" "$tmp/calls" || return 1
	for ((n = 0; n < 2 * rounds; n++)); do
		echo function >current_tracer || break
		made=$(calls_made)
		more_calls 20 || break
		made=$(($(calls_made) - made))
		seen=$(recorded "$1")
		echo "$seen recorded of $made"
		[ "$seen" -ge $((made - 1)) ] || break
		total=$((total + made))
		echo nop >current_tracer && more_calls 2 || break
		seen=$(recorded "$1")
		more_calls 20 || break
		[ "$(recorded "$1")" = "$seen" ] || break
	done
	kill "$loop"
	echo >set_ftrace_filter
	echo "figure: $total calls"
	[ "$n" = $((2 * rounds)) ]
}

# CPU: the same, while it is made to idle again and again, though it has work.
injected()
{
	local module=$home/test_modules/inject_idle.ko spared periods status
	[ -e "$module" ] || skip "test_modules was not built" || return
	[ -e $stats ] || skip "there is no $stats" || return
	insmod "$module" cpu="$1" || return 1
	spared=$(stat spared)
	rounds=10 calls "$1"
	status=$?
	spared=$(($(stat spared) - spared))
	periods=$(cat /sys/module/inject_idle/parameters/periods)
	rmmod inject_idle || return 1
	echo "figure: $periods idle periods, $spared spared"
	[ "$status" = 0 ] && [ "$periods" -ge 20 ] && [ "$spared" -ge 20 ]
}

has idle && result "idle processors sleep" idle
cpu=$(sed 's/.*[-,]//; s/^(null)$//' /sys/devices/system/cpu/nohz_full 2>/dev/null)
for part in user calls injected; do
	has $part || continue
	[ -n "$cpu" ] || { ktap_test_skip "$part: no nohz_full= on the kernel's command line"; continue; }
	case $part in
	user) result "a processor in user mode is not disturbed" user "$cpu" ;;
	calls) result "its calls are recorded from the first to the last" calls "$cpu" ;;
	injected) result "and where idle is injected" injected "$cpu" ;;
	esac
done
[ ! -e $stats ] || cat $stats
finish
