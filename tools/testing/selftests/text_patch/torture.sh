#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The text engine beside everything that stops, starts or surprises processors.
# Parameters as in parts.sh. By default no part takes long, or the machine away from
# who uses it: "suspend" and "kgdb" are to be asked for, "faults" wants a kernel with
# fault injection.
# proves: arch/x86/kernel/text_patch/batch.c arch/x86/kernel/text_patch/commit.c
# proves: arch/x86/kernel/text_patch/module.c arch/x86/kernel/text_patch/poke.c
# proves: arch/x86/kernel/text_patch/trap.c arch/x86/kernel/text_patch/write.c
set -u -o pipefail
: "${parts=torture,hotplug,nmi,perf,clients}" "${seconds=5}"
. "$(dirname "$0")/../ftrace/parts.sh"
stats=/sys/kernel/debug/x86/text_patch_stats
in_tracefs text_patch_method $stats
change /proc/sys/kernel/kptr_restrict 1

# Switch tracers until stop_toggling, twice at least; $tmp/toggles counts.
toggle()
{
	local n=0
	while [ ! -e "$tmp/enough" ] || [ "$n" -lt 2 ]; do
		echo function >current_tracer || break
		echo 1 >events/sched/enable || break
		echo nop >current_tracer || break
		echo 0 >events/sched/enable || break
		echo $((n += 1)) >"$tmp/toggles"
	done
	[ -e "$tmp/enough" ]
}

# Or it has ended too early, and stop_toggling says so.
toggled()
{
	[ "$(cat "$tmp/toggles")" -ge "$1" ] || ! kill -0 "$toggler" 2>/dev/null
}

start_toggling()
{
	rm -f "$tmp/enough"
	echo 0 >"$tmp/toggles"
	toggle &
	toggler=$!
}

# False unless all switching went well, and tracers are off now.
stop_toggling()
{
	: >"$tmp/enough"
	wait "$toggler" || return 1
	echo "switched $(cat "$tmp/toggles") times"
	[ "$(wc -l <enabled_functions)" = 0 ]
}

stat()
{
	awk -v what="$1" '$1 == what { print $2 }' $stats
}

# Without those that an emulator's late traps ask for.
syncs_of_walks()
{
	echo $(($(stat syncs) - $(stat settled)))
}

# An emulator may run an old translation after the flip, until the engine has seen a
# late trap and writes twice. Patch until it has, or for so long that none will come.
meet_late_trap()
{
	local n
	for n in 1 2 3; do
		[ "$(stat traps_late)" = 0 ] || return 0
		modprobe text_patch_torture seconds=1 patchers=2 || return 1
		rmmod text_patch_torture || return 1
	done
}

# The module's functions, with PATCHERS patching, while tracers are switched. With
# one, no tracer is: it flips two functions in one moment, which is so where one
# walk takes all that is queued. Breakpoints are met, or no sync is needed.
torture()
{
	modules text_patch_torture || return
	[ "$1" != 1 ] || meet_late_trap || return 1
	local traps=$(stat traps_live) syncs=$(syncs_of_walks) walks=$(stat chunks) status=0
	[ "$1" = 1 ] || start_toggling
	while modprobe text_patch_torture seconds="$seconds" patchers="$1" || status=1; do
		rmmod text_patch_torture 2>/dev/null
		[ "$1" != 1 ] && [ "$status" = 0 ] && ! toggled 2 || break
	done
	since | grep 'text_patch_torture: .*calls' | tail -n 1 | sed 's/.*torture: /figure: /'
	[ "$1" = 1 ] || stop_toggling || return 1
	[ "$status" = 0 ] || return 1
	since | grep 'text_patch_torture: .*calls' | tail -n 1 |
		grep -q ': [1-9][0-9]* calls, [1-9][0-9]* of them new, [1-9][0-9]* commits' || return 1
	if [ "$method" = breakpoint ]; then
		[ "$(stat traps_live)" -gt "$traps" ]
	else
		[ $(($(syncs_of_walks) - syncs)) -lt $(($(stat chunks) - walks)) ]
	fi
}

# Half of what the engine's own code allocates is not there.
faults()
{
	local early=$(stat early)
	local range=$(awk '$3 ~ /^text_(queue_(init|put|move|squeeze)|window_plan|commit|batch_(add|commit)|poke_bp|method_set)$/ { print "0x" $1 }' \
		/proc/kallsyms | sort | sed -n '1p;$p' | tr '\n' ' ')
	[ -e /sys/kernel/debug/failslab/require-start ] || skip "no fault injection by callers" || return
	set -- $range
	failing 50 "task-filter=N stacktrace-depth=32 require-start=$1 require-end=$2" torture 3 || return
	early=$(($(stat early) - early))
	echo "figure: $early commits for lack of memory"
	[ "$early" -gt 0 ]
}

# Processors go and come while tracers are switched.
hotplug()
{
	local n=0 last=$((SECONDS + 2 * seconds))
	second_processor || return
	start_toggling
	while [ "$SECONDS" -lt "$last" ] || ! toggled 2; do
		switch_processors || return 1
		n=$((n + 1))
	done
	stop_toggling && echo "figure: $n rounds, $(cat "$tmp/toggles") switches"
}

back_traces()
{
	local last=$((SECONDS + 2 * seconds))
	n=0
	start_toggling
	while [ "$SECONDS" -lt "$last" ] || ! toggled 2; do
		echo l >/proc/sysrq-trigger
		n=$((n + 1))
	done
	stop_toggling
}

# Back traces of all processors by NMI while tracers are switched.
nmi()
{
	local n before=$(nmis)
	second_processor || return
	without_console back_traces || return 1
	before=$(($(nmis) - before))
	echo "figure: $before NMIs, $(cat "$tmp/toggles") switches"
	[ "$before" -gt $((n / 2)) ]
}

# A suspend as far as LEVEL, with tracers switched before, during and after.
suspend()
{
	local status=0
	[ -e /sys/power/pm_test ] || skip "no CONFIG_PM_DEBUG" || return
	change /sys/module/suspend/parameters/pm_test_delay 1
	change /sys/power/pm_test "$1"
	start_toggling
	until toggled 1; do sleep 0.1; done
	echo "$2" >/sys/power/state || status=1
	stop_toggling || status=1
	echo none >/sys/power/pm_test
	echo "figure: $(cat "$tmp/toggles") switches"
	return $status
}

# perf hears of a function's site what was there and what is there now: once for
# each time, and in this order. A nop is one of five bytes or half of one of nine.
perf_events()
{
	local site=$(symbol vfs_statfs)
	echo vfs_statfs >set_ftrace_filter
	# On one processor: the events of each lie in a buffer of their own.
	taskset -c 0 text-poke-events "$site" 'for t in function nop function nop; do
			echo $t >current_tracer || exit 1
		done' >"$tmp/events" || return 1
	echo >set_ftrace_filter
	cat "$tmp/events"
	awk 'function call(b) { return b ~ /^e8........$/ }
		NR == 1 && $1 ~ /^(0f1f440000|660f1f8490)$/ { nop = $1 }
		{ good += NR % 2 ? $1 == nop && call($2) : call($1) && $2 == nop }
		END { exit NR != 4 || good != 4 }' "$tmp/events"
}

# Places of a jump label and a static call that somebody else writes or owns.
clients()
{
	modules text_patch_clients || return
	modprobe text_patch_clients what="$1"
	local status=$?
	since | sed -n 's/.*text_patch_clients: //p' | tail -n 4
	rmmod text_patch_clients 2>/dev/null
	return $status
}

# The debugger's own tests: breakpoints on a function that is traced, single
# steps, all processors stopped; with the tracer off and on. The debugger gives
# way to whoever holds the text lock, and its tests take that for an error, so
# nothing is switched during them. Hardware breakpoints write no text; under
# emulation their tests pass by one boot and fail by the next, with
# nothing traced, so they are said and do not count.
kgdb()
{
	local tracer n=0 last
	[ -e /sys/module/kgdbts/parameters/kgdbts ] || skip "no CONFIG_KGDB_TESTS" || return
	for tracer in nop function nop; do
		echo "$tracer" >current_tracer
		# Each breakpoint needs a fork; the last one ends the test.
		echo V1I50F20 >/sys/module/kgdbts/parameters/kgdbts || return 1
		n=$((n + 1)) last=$((SECONDS + 120))
		while [ "$(dmesg | grep -c 'Unregistered I/O driver kgdbts')" -lt "$n" ]; do
			[ "$SECONDS" -lt "$last" ] || return 1
			/bin/true
		done
	done
	dmesg | grep 'kgdbts: ERROR.*hw_'
	if dmesg | grep 'kgdbts: ERROR' | grep -v hw_; then
		return 1
	fi
	# And text can be changed after it.
	start_toggling
	stop_toggling
}

for method in breakpoint stop_machine; do
	change text_patch_method "$method" || exit 1
	has torture && for patchers in 1 3; do
		result "torture by $method, $patchers patching" torture "$patchers"
	done
	has faults && result "torture by $method, half of all allocations failing" faults
	has hotplug && result "processors go and come, $method" hotplug
	has nmi && result "NMIs, $method" nmi
	has perf && result "perf's events, $method" perf_events
done
echo breakpoint >text_patch_method
if has suspend; then
	for level in freezer devices processors core; do
		result "suspend as far as $level" suspend "$level" mem
	done
	result "suspend to idle as far as platform" suspend platform freeze
fi
has clients && for what in breakpoint reused page; do
	result "places that others write: $what" clients "$what"
done
has kgdb && result "the debugger's own tests" kgdb
cat $stats
finish
