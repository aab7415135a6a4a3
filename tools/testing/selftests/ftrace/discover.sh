#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Call sites that are found when they are executed: those of a module without
# records and, with ftrace_discover on the command line or in a kernel without
# records, all. Parts as in parts.sh; boot, nmi and hotplug are only for the latter.
# suspend wants CONFIG_PM_DEBUG, hibernation a disk /dev/vda of 1 GB to swap to, and kill,
# which ends the tracer for good, a module of test_modules.
# proves: kernel/trace/ftrace/discover/ftraced.c kernel/trace/ftrace/discover/round.c
# proves: kernel/trace/ftrace/discover/ran_functions.c kernel/trace/ftrace/sites/discovered.c
# proves: arch/x86/kernel/ftrace/discover.c kernel/trace/ftrace/tracefs/waiting.c
set -u -o pipefail
: "${parts=module,clients,pause,waiting}" "${seconds=10}"
. "$(dirname "$0")/parts.sh"
in_tracefs ftraced_info kprobe_events dynamic_events
want_modules unrecorded
command -v hackbench >"$tmp/where" || skip_all "hackbench is not installed"

info()
{
	sed -n "s/^$1: //p" ftraced_info
}

# waits SECONDS COMMAND...: until the command holds
waits()
{
	local n=$1
	shift
	while ! "$@"; do
		[ "$n" -gt 0 ] || return 1
		n=$((n - 1))
		sleep 1
	done
}

listed()
{
	grep -qx "$1" available_filter_functions
}

# What runs without us is found after some seconds.
quiet()
{
	local before
	before=$(info wakeups)
	sleep 4
	[ "$(info wakeups)" = "$before" ]
}

# traced FUNCTION COMMAND...: the command's call of it is in the trace
traced()
{
	local function=$1
	shift
	echo "$function" >set_ftrace_filter || return 1
	echo function >current_tracer
	"$@" >/dev/null
	# Or what is written of it is traced, and read again.
	echo 0 >tracing_on
	cp trace "$tmp/trace"
	echo 1 >tracing_on
	echo nop >current_tracer
	echo >set_ftrace_filter
	echo >trace
	grep -q "$function <-" "$tmp/trace" || { echo "$function is not traced"; return 1; }
	if grep -v '^#' "$tmp/trace" | grep -vqF " $function <-"; then
		echo "others are traced, too"
		return 1
	fi
	[ "$(wc -l <enabled_functions)" = 0 ] || { echo "hooks are left behind"; return 1; }
}

# ---- the whole kernel ----

# finds_more THAN: a call that found no slot free is found when it is executed again
finds_more()
{
	local n
	find /etc -type f -exec cat {} + >/dev/null
	(cd /proc && cat cpuinfo interrupts meminfo modules mounts self/maps self/status stat vmstat) >/dev/null
	mkfifo "$tmp/pipe" && { cat /etc/passwd >"$tmp/pipe" & cat "$tmp/pipe" >/dev/null; wait; rm "$tmp/pipe"; }
	n=$(info discovered)
	[ "$n" -gt 3000 ] && [ "$n" -gt "$1" ]
}

grows()
{
	local ret=0
	[ "$(info recording)" = 1 ] || { cat ftraced_info; return 1; }
	waits 30 finds_more "$(info discovered)" || ret=1
	echo "figure: $(info discovered) functions found, $(info skipped) calls skipped, $(info rounds) rounds"
	return $ret
}

in_order()
{
	grep -v '\[' available_filter_functions_addrs | cut -d' ' -f1 >"$tmp/addrs"
	sort -c "$tmp/addrs" && [ "$(sort -u "$tmp/addrs" | wc -l)" = "$(wc -l <"$tmp/addrs")" ] &&
	[ "$(wc -l <"$tmp/addrs")" -gt 3000 ]
}

# read_and_listed FUNCTION: there may be no slot free for its first call, nor its next
read_and_listed()
{
	cat /etc/passwd >/dev/null
	listed "$1"
}

functions()
{
	waits 20 read_and_listed vfs_read && waits 20 read_and_listed vfs_open &&
	traced vfs_read cat /etc/passwd && traced vfs_open cat /etc/passwd
}

# Line 10 of the list is what the number 10 stands for.
by_line()
{
	local name
	name=$(sed -n 10p available_filter_functions)
	echo 10 >set_ftrace_filter || return 1
	[ "$(cat set_ftrace_filter)" = "$name" ] || { cat set_ftrace_filter; return 1; }
	echo >set_ftrace_filter
}

# all_in LINES FILE: they are there, in this order
all_in()
{
	diff "$2" "$1" >"$tmp/diff"
	! grep '^>' "$tmp/diff"
}

by_pattern()
{
	echo 'vfs_*' >set_ftrace_filter || return 1
	grep '^vfs_' available_filter_functions >"$tmp/want"
	# The pattern waits for others, too, which may be found meanwhile.
	grep -v ':wait$' set_ftrace_filter >"$tmp/got"
	grep '^vfs_' available_filter_functions >"$tmp/after"
	echo >set_ftrace_filter
	[ -s "$tmp/want" ] && all_in "$tmp/want" "$tmp/got" && all_in "$tmp/got" "$tmp/after"
}

# All functions includes those that are found later: they are hooked at once.
later()
{
	local before hooked sites
	echo function >current_tracer
	before=$(info discovered)
	mkdir "$tmp/later" && chmod 700 "$tmp/later" && mv "$tmp/later" "$tmp/late" && rmdir "$tmp/late"
	ln -s x "$tmp/link" && readlink "$tmp/link" && rm "$tmp/link"
	sleep 3
	sites=$(wc -l <available_filter_functions)
	hooked=$(wc -l <enabled_functions)
	echo nop >current_tracer
	echo >trace
	echo "$hooked of $sites are hooked, $before were known before, $(info discovered) now"
	[ "$(info discovered)" -gt "$before" ] && [ "$hooked" -ge $((sites - 5)) ]
}

has_run()
{
	grep -qx "$1" ran_functions
}

made_and_listed()
{
	mkdir "$tmp/ran.d" && rmdir "$tmp/ran.d" && listed vfs_mkdir
}

# Functions that are found: once is enough, and what ran before or was only hooked
# does not count.
ran()
{
	local all ran
	waits 20 made_and_listed || return 1
	all=$(wc -l <available_filter_functions)
	echo 1 >ran_functions || return 1
	echo function >current_tracer
	echo nop >current_tracer
	! has_run vfs_mkdir || { echo "vfs_mkdir has not run"; return 1; }
	cat /etc/passwd >/dev/null && has_run vfs_read || { echo "vfs_read has run"; return 1; }
	ran=$(wc -l <ran_functions)
	echo "figure: $ran of $all functions have run"
	[ "$ran" -gt 100 ] && [ "$ran" -lt $((all * 3 / 4)) ] || return 1
	mkdir "$tmp/ran.d" && has_run vfs_mkdir || { echo "vfs_mkdir has run"; return 1; }
	rmdir "$tmp/ran.d"
	echo 1 >ran_functions
	! has_run vfs_mkdir || { echo "vfs_mkdir ran before"; return 1; }
	echo 0 >ran_functions
	echo >trace
	[ "$(wc -l <enabled_functions)" = 0 ]
}

# What was not found at the write is listed when it is found; not what was recorded before.
ran_unfound()
{
	local seen
	modprobe unrecorded && calls 7 && echo 1 >ran_functions || return 1
	seen=$(grep '_\(odd\|even\|seven\) \[unrecorded\]' ran_functions)
	[ -z "$seen" ] || { echo "ran before: $seen"; return 1; }
	waits 10 both_listed || return 1
	has_run 'unrecorded_odd \[unrecorded\]' && has_run 'unrecorded_even \[unrecorded\]' ||
		{ echo "not listed when it was found"; return 1; }
	echo 0 >ran_functions
	rmmod unrecorded
}

renamed_and_listed()
{
	>"$tmp/a" && mv "$tmp/a" "$tmp/b" && rm "$tmp/b" && listed vfs_rename
}

# A site that has a hook keeps it, and is in the list when it runs.
hooked_ran()
{
	local stays
	waits 20 renamed_and_listed && echo vfs_rename >set_ftrace_filter || return 1
	echo function >current_tracer
	echo 1 >ran_functions
	! has_run vfs_rename && renamed_and_listed && has_run vfs_rename &&
		grep -q 'vfs_rename <-' trace
	stays=$?
	echo nop >current_tracer
	echo 0 >ran_functions
	echo >set_ftrace_filter
	echo >trace
	[ $stays = 0 ] && [ "$(wc -l <enabled_functions)" = 0 ]
}

# Most functions begin with an ENDBR, if any does; with a hook it comes back.
covered()
{
	local before off
	grep -q ' __ibt_endbr_seal$' /proc/kallsyms || return 0
	before=$(info covered)
	off=$(($(info discovered) - $(info armed)))
	echo "figure: $before of $off that are off are covered"
	[ "$before" -gt $((off / 2)) ] || return 1
	echo function >current_tracer
	[ "$(info covered)" -lt $((before / 10)) ] || { cat ftraced_info; return 1; }
	echo nop >current_tracer
	echo >trace
	waits 10 eval '[ "$(info covered)" -ge "$before" ]' || { cat ftraced_info; return 1; }
}

faults()
{
	local said
	said=$(dmesg | grep -E 'unexpected bytes|ftrace: .*error|no memory') || return 0
	echo "$said"
	return 1
}

boot()
{
	result "boot: functions are found" grows
	result "boot: the list is in address order" in_order
	result "boot: a found function is traced" functions
	result "boot: a line number stands for its line" by_line
	result "boot: a pattern has what is found" by_pattern
	result "boot: all functions are those that come later, too" later
	result "boot: what ran is listed, once it was found" ran
	result "boot: a hook survives that" hooked_ran
	result "boot: ftraced sleeps when nothing is new" waits 10 quiet
	result "boot: the first instructions of functions that are off are covered" covered
	result "boot: no fault" faults
}

# ---- a module without records ----

calls()
{
	echo "${1:-100}" >/sys/module/unrecorded/parameters/run
}

# A call for which no slot is free is only found when it is executed again.
both_listed()
{
	calls 20
	listed 'unrecorded_odd \[unrecorded\]' && listed 'unrecorded_even \[unrecorded\]'
}

seven_listed()
{
	calls 7
	listed 'unrecorded_seven \[unrecorded\]'
}

found()
{
	waits 10 both_listed
}

load_and_find()
{
	modprobe unrecorded || return 1
	listed 'unrecorded_odd \[unrecorded\]' && { echo "found before it has run"; return 1; }
	calls
	found || { cat ftraced_info; return 1; }
	! listed 'unrecorded_seven \[unrecorded\]'
}

trace_module()
{
	traced unrecorded_odd calls && traced unrecorded_even calls
}

one_more()
{
	waits 10 seven_listed && traced unrecorded_seven calls 7
}

unload()
{
	echo unrecorded_odd >set_ftrace_filter
	echo function >current_tracer
	calls
	rmmod unrecorded || return 1
	echo nop >current_tracer
	echo >set_ftrace_filter
	if grep '\[unrecorded\]' available_filter_functions enabled_functions; then
		return 1
	fi
}

# Unloaded before ftraced has looked at what was recorded, or after; and loaded
# again in the same range, where nothing has run.
again_and_again()
{
	local i rounds
	for i in 1 2 3 4 5 6; do
		modprobe unrecorded && calls 20 || { echo "load $i"; return 1; }
		[ $((i % 2)) = 0 ] && sleep 1.2
		rmmod unrecorded && modprobe unrecorded || { echo "another load after $i"; return 1; }
		# A round that begins from now on sees all that was recorded.
		rounds=$(info rounds)
		waits 20 eval '[ "$(info pending)" = 0 ] || [ "$(info rounds)" -gt $((rounds + 1)) ]' ||
			{ echo "no round after load $i"; cat ftraced_info; return 1; }
		sleep 1.2
		if grep '_\(odd\|even\) \[unrecorded\]' available_filter_functions; then
			echo "found before it has run"
			return 1
		fi
		rmmod unrecorded && ! grep '\[unrecorded\]' available_filter_functions || return 1
	done
}

# Without a text whose sites are found, nothing is recorded and nobody looks.
ended()
{
	local wakeups
	# Of the kernel itself there always is one.
	[ "$(info discovered)" = 0 ] || return 0
	waits 5 eval '[ "$(info recording)" = 0 ]' || { echo "still recording"; return 1; }
	wakeups=$(info wakeups)
	load_and_find && [ "$(info recording)" = 1 ] && [ "$(info wakeups)" != "$wakeups" ] &&
	rmmod unrecorded && waits 5 eval '[ "$(info recording)" = 0 ]'
}

# Beside a load that is traced on and off, on all processors.
under_load()
{
	local i load
	rm -f "$tmp/enough"
	while [ ! -e "$tmp/enough" ]; do
		hackbench -p -g 1 -f 4 -l 20 >/dev/null
	done &
	load=$!
	for i in 1 2 3 4 5 6; do
		modprobe unrecorded && calls 2000 || { i=0; break; }
		echo function >current_tracer
		calls 2000
		[ $((i % 2)) = 0 ] || sleep 1.1
		echo nop >current_tracer
		[ $((i % 3)) = 0 ] || echo 1 >ran_functions
		rmmod unrecorded || { i=0; break; }
	done
	: >"$tmp/enough"
	wait $load
	echo 0 >ran_functions
	echo >trace
	[ "$i" = 6 ] && [ "$(wc -l <enabled_functions)" = 0 ] && ! lsmod | grep unrecorded
}

# ---- clients that have an address: a function that has not run is made found ----

# The sample's unrecorded_seven() has not run.
by_kprobe()
{
	modprobe unrecorded && calls && found || return 1
	listed 'unrecorded_seven \[unrecorded\]' && return 1
	echo 'p:seven unrecorded_seven' >kprobe_events || return 1
	# It is disabled while the function is found: its text must be left alone.
	listed 'unrecorded_seven \[unrecorded\]' && echo "figure: found when the probe was defined"
	echo 1 >events/kprobes/seven/enable || return 1
	listed 'unrecorded_seven \[unrecorded\]' || { echo "not made found"; return 1; }
	calls 7
	echo 0 >events/kprobes/seven/enable
	calls 7
	[ "$(grep -c 'seven: (unrecorded_seven' trace)" = 1 ] || { cat trace | tail; return 1; }
	grep -q 'FTRACE' /sys/kernel/debug/kprobes/list ||
		echo "figure: $(cat /sys/kernel/debug/kprobes/list)"
	echo >kprobe_events
	echo >trace
	calls 7
	rmmod unrecorded
}

# Defined, but not enabled, while its function is found because it runs.
by_disabled_kprobe()
{
	modprobe unrecorded || return 1
	echo 'p:seven unrecorded_seven' >kprobe_events || return 1
	waits 10 seven_listed || return 1
	echo 1 >events/kprobes/seven/enable && calls 7 &&
	echo 0 >events/kprobes/seven/enable && calls 7 || return 1
	[ "$(grep -c 'seven: (unrecorded_seven' trace)" = 1 ] || return 1
	echo >kprobe_events
	echo >trace
	rmmod unrecorded
}

by_fprobe()
{
	modprobe unrecorded || return 1
	echo 'f:seven unrecorded_seven' >dynamic_events || return 1
	echo 1 >events/fprobes/seven/enable || return 1
	calls 7
	echo 0 >events/fprobes/seven/enable
	calls 7
	[ "$(grep -c 'seven: (unrecorded_seven' trace)" = 1 ] || { tail trace; return 1; }
	echo >dynamic_events
	echo >trace
	rmmod unrecorded
}

graph()
{
	modprobe unrecorded && calls && found || return 1
	echo unrecorded_odd >set_graph_function || return 1
	echo function_graph >current_tracer
	calls 4
	echo 0 >tracing_on
	cp trace "$tmp/trace"
	echo 1 >tracing_on
	echo nop >current_tracer
	echo >set_graph_function
	echo >trace
	rmmod unrecorded
	grep -q 'unrecorded_odd' "$tmp/trace"
}

clients()
{
	result "clients: a kprobe finds its function" by_kprobe
	result "clients: a kprobe that is disabled meanwhile" by_disabled_kprobe
	result "clients: an fprobe finds its function" by_fprobe
	result "clients: the graph tracer follows a found function" graph
	result "clients: no fault" faults
}

module()
{
	result "module: its functions are found when they have run" load_and_find
	result "module: they are traced" trace_module
	result "module: one that runs later is found later" one_more
	result "module: it is unloaded with a hook" unload
	result "module: it is loaded and unloaded again and again" again_and_again
	result "module: it comes and goes under load" under_load
	result "module: what ran is listed when it is found, and not before" ran_unfound
	result "module: discovery ends with the last one" ended
	result "module: no fault" faults
}

# ---- pause ----

refused()
{
	local word
	for word in 2 -1 x '' 1x; do
		if echo "$word" >ftraced_enabled; then
			echo "takes '$word'"
			return 1
		fi 2>/dev/null
	done
	[ "$(cat ftraced_enabled)" = 1 ]
}

# With $1 0, nothing is found; with 1 again, what runs then is.
paused()
{
	modprobe unrecorded || return 1
	"$1" 0
	waits 3 eval '[ "$(info recording)" = 0 ]' || { echo "still recording"; return 1; }
	calls
	sleep 3
	! listed 'unrecorded_odd \[unrecorded\]' || { echo "found all the same"; return 1; }
	"$1" 1
	waits 3 eval '[ "$(info recording)" = 1 ]' || { echo "not recording again"; return 1; }
	calls
	found || return 1
	rmmod unrecorded
}

by_file()
{
	echo "$1" >ftraced_enabled
}

pause()
{
	result "pause: only 0 and 1 are taken" refused
	result "pause: by ftraced_enabled" paused by_file
	result "pause: no fault" faults
}

# ---- beside what interrupts, stops and starts processors ----

# Calls become nops and nops calls, in the kernel and in a module, with a tracer and
# without.
find_again()
{
	echo 1 >ran_functions && modprobe unrecorded && calls 20 &&
	echo function >current_tracer && calls 20 && waits 5 both_listed &&
	echo nop >current_tracer && rmmod unrecorded
}

# beside COMMAND...: find functions again and again while the command is repeated
beside()
{
	local last=$((SECONDS + seconds)) n=0 beside rounds status=0
	rounds=$(info rounds)
	rm -f "$tmp/enough"
	while [ ! -e "$tmp/enough" ]; do
		"$@" || exit 1
	done &
	beside=$!
	while [ $SECONDS -lt $last ] || [ $n -lt 3 ]; do
		find_again || { status=1; break; }
		n=$((n + 1))
	done
	: >"$tmp/enough"
	wait $beside || { echo "$* failed"; status=1; }
	echo nop >current_tracer
	echo 0 >ran_functions
	echo >trace
	rmmod unrecorded 2>/dev/null
	rounds=$(($(info rounds) - rounds))
	echo "figure: functions were found again $n times, in $rounds rounds"
	[ $status = 0 ] && [ $rounds -ge $n ] && [ "$(wc -l <enabled_functions)" = 0 ]
}

back_traces()
{
	echo l >/proc/sysrq-trigger
}

nmi_storm()
{
	local before=$(nmis)
	second_processor || return
	without_console beside back_traces || return 1
	before=$(($(nmis) - before))
	echo "$before NMIs"
	[ $before -gt "$seconds" ]
}

beside_hotplug()
{
	second_processor && beside switch_processors
}

# both NAME COMMAND...: by both methods of writing text
both()
{
	local method name=$1
	shift
	for method in breakpoint stop_machine; do
		change text_patch_method $method || return 1
		result "$name, $method" "$@"
	done
	echo breakpoint >text_patch_method
	result "$name: no fault" faults
}

# ---- suspend and hibernation ----

# asleep COMMAND...: what was recorded before is found after it, and so is what runs
# then.
asleep()
{
	modprobe unrecorded && calls 20 && "$@" || return
	found && trace_module && one_more && rmmod unrecorded
}

suspend_to()
{
	[ -e /sys/power/pm_test ] || skip "no CONFIG_PM_DEBUG" || return
	change /sys/module/suspend/parameters/pm_test_delay 1
	change /sys/power/pm_test "$1" || return 1
	echo mem >/sys/power/state
}

# An image of all memory is written, and read back over what is there.
write_and_restore()
{
	mkswap /dev/vda && swapon /dev/vda && echo 1 >/sys/power/pm_debug_messages &&
	echo test_resume >/sys/power/disk && echo disk >/sys/power/state &&
	dmesg | grep 'Hibernation image restored' && swapoff /dev/vda
}

# ---- the end ----

thread_gone()
{
	! pgrep -x ftraced && [ "$(info recording)" = 0 ]
}

# After ftrace_kill(), the thread ends, and nothing is found any more.
killed()
{
	local before
	[ -e "$home/test_modules/ftrace_states.ko" ] || skip "test_modules was not built" || return
	pgrep -x ftraced && insmod "$home/test_modules/ftrace_states.ko" lookup="$(symbol kallsyms_lookup_name)" ||
		return 1
	complaint /sys/module/ftrace_states/parameters/filter_is_removed_after_kill >"$tmp/why"
	[ ! -s "$tmp/why" ] || { cat "$tmp/why"; return 1; }
	waits 60 thread_gone || { cat ftraced_info; return 1; }
	before=$(info recorded)
	modprobe unrecorded && calls 20 && sleep 2 && rmmod unrecorded &&
	[ "$(info recorded)" = "$before" ] && ! echo 1 >ftraced_enabled
}

# ---- words of filters that wait for functions ----

# shows FILE LINE...: that is all there is in it
shows()
{
	local file=$1
	shift
	[ "$(cat "$file")" = "$(printf '%s\n' "$@")" ] && return
	echo "$file has:"
	cat "$file"
	return 1
}

# The sample as it is loaded: none of its functions has run.
fresh()
{
	modprobe unrecorded || return 1
	! grep '\[unrecorded\]' available_filter_functions
}

# What function tracer $1 writes while the sample's functions are called, and found.
run_found()
{
	echo "$1" >current_tracer
	calls 7 && found && waits 10 seven_listed || return 1
	echo >trace
	calls 7
	echo 0 >tracing_on
	cp trace "$tmp/trace"
	echo 1 >tracing_on
	echo nop >current_tracer
	echo >trace
}

# in_trace FUNCTION...: these of the sample are in the trace, and no other
in_trace()
{
	local name
	for name in odd even seven; do
		case " $* " in
		*" $name "*) grep -q "unrecorded_$name" "$tmp/trace" || { echo "no $name"; return 1; } ;;
		*) ! grep "unrecorded_$name" "$tmp/trace" || return 1 ;;
		esac
	done
}

# Filters are empty, and no function has a hook.
clean()
{
	local file
	rmmod unrecorded || return 1
	for file in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace; do
		echo >$file || return 1
		[ "$(cut -c1-4 $file)" = "####" ] || { cat $file; return 1; }
	done
	[ "$(wc -l <enabled_functions)" = 0 ] || { echo "hooks are left behind"; return 1; }
}

name_waits()
{
	fresh && echo unrecorded_odd >set_ftrace_filter || return 1
	shows set_ftrace_filter unrecorded_odd:wait || return 1
	# Until it is found, nothing is traced.
	echo function >current_tracer
	cat /etc/passwd >/dev/null
	! grep -v '^#' trace || return 1
	run_found function && in_trace odd || return 1
	shows set_ftrace_filter 'unrecorded_odd [unrecorded]' && clean
}

# At once: with the round that finds it, and not with a later write.
hooked_at_once()
{
	fresh && echo unrecorded_seven >set_ftrace_filter || return 1
	echo function >current_tracer
	waits 10 seven_listed || return 1
	grep -q '^unrecorded_seven ' enabled_functions || { cat enabled_functions; return 1; }
	echo nop >current_tracer
	echo >trace
	clean
}

pattern_waits()
{
	fresh && echo 'unrecorded_*' >set_ftrace_filter && calls && found || return 1
	echo '!unrecorded_seven' >>set_ftrace_filter || return 1
	grep -qx 'unrecorded_odd \[unrecorded\]' set_ftrace_filter &&
	grep -qxF 'unrecorded_*:wait' set_ftrace_filter &&
	grep -qx '!unrecorded_seven:wait' set_ftrace_filter || { cat set_ftrace_filter; return 1; }
	run_found function && in_trace odd even || return 1
	# It stays, for the next time that the module is loaded.
	rmmod unrecorded && shows set_ftrace_filter 'unrecorded_*:wait' && fresh || return 1
	run_found function && in_trace odd even seven && clean
}

notrace_waits()
{
	fresh && echo 'unrecorded_*' >set_ftrace_filter &&
	echo unrecorded_even >set_ftrace_notrace || return 1
	shows set_ftrace_notrace unrecorded_even:wait || return 1
	run_found function && in_trace odd seven || return 1
	shows set_ftrace_notrace 'unrecorded_even [unrecorded]' && clean
}

graph_waits()
{
	fresh && echo unrecorded_odd >set_graph_function || return 1
	shows set_graph_function unrecorded_odd:wait || return 1
	run_found function_graph && in_trace odd || return 1
	shows set_graph_function 'unrecorded_odd [unrecorded]' && clean
}

graph_notrace_waits()
{
	fresh && echo 'unrecorded_*' >set_ftrace_filter &&
	echo 'unrecorded_e*' >set_graph_notrace || return 1
	shows set_graph_notrace 'unrecorded_e*:wait' || return 1
	run_found function_graph && in_trace odd seven || return 1
	shows set_graph_notrace 'unrecorded_even [unrecorded]' 'unrecorded_e*:wait' && clean
}

# What was read can be written.
written_back()
{
	local file
	fresh || return 1
	for file in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace; do
		printf '%s\n' unrecorded_seven 'unrecorded_o*' '!unrecorded_odd' >$file || return 1
		cp $file "$tmp/words"
		shows $file unrecorded_seven:wait 'unrecorded_o*:wait' '!unrecorded_odd:wait' || return 1
		echo >$file
		cat "$tmp/words" >$file && cmp "$tmp/words" $file || return 1
		# The last pattern takes along what is left out of it, the last word the filter.
		echo '!unrecorded_o*' >>$file && shows $file unrecorded_seven:wait || return 1
		echo '!unrecorded_seven:wait' >>$file || return 1
		[ "$(cut -c1-4 $file)" = "####" ] || { cat $file; return 1; }
	done
	clean
}

# wrong WORD COLUMN REASON: no file takes it, and error_log points at the column.
wrong()
{
	local file
	for file in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace; do
		echo >error_log
		if echo "$1" >$file; then
			echo "$file takes '$1'"
			return 1
		fi 2>/dev/null
		grep -q "$3" error_log && grep -qx " \{$((10 + $2))\}^" error_log ||
			{ cat error_log; return 1; }
		[ "$(cut -c1-4 $file)" = "####" ] || { cat $file; return 1; }
	done
}

# The first write ends behind the name, and its module may follow.
in_pieces()
{
	{ printf unrecorded_seven; printf ' [nowhere]\n'; } >set_ftrace_filter &&
	shows set_ftrace_filter unrecorded_seven:mod:nowhere &&
	{ printf unrecorded_seven; printf '\n'; } >set_ftrace_filter &&
	shows set_ftrace_filter unrecorded_seven:wait && echo >set_ftrace_filter
}

refuses()
{
	fresh && in_pieces && wrong unrecorded_nine 1 'No such function' &&
	wrong '!unrecorded_nine' 2 'No such function' &&
	wrong 'unrecorded_z*' 1 'No function matches' &&
	wrong 'unrecorded_nine:wait' 1 'No such function' && clean
}

# Files that are read and written while functions are found and go.
others()
{
	local i load
	rm -f "$tmp/enough"
	while [ ! -e "$tmp/enough" ]; do
		cat set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace
		echo unrecorded_odd >set_graph_function
		echo '!unrecorded_o*' >>set_ftrace_filter
	done >/dev/null 2>&1 &
	load=$!
	echo function >current_tracer
	for i in 1 2 3 4 5 6; do
		modprobe unrecorded || { i=0; break; }
		echo 'unrecorded_*' >>set_ftrace_filter
		echo unrecorded_even >set_ftrace_notrace
		calls 2000
		[ $((i % 2)) = 0 ] || sleep 1.2
		calls 2000
		rmmod unrecorded || { i=0; break; }
	done
	: >"$tmp/enough"
	wait $load
	echo nop >current_tracer
	echo >trace
	[ "$i" = 6 ] && modprobe unrecorded && clean
}

# A function of the kernel that nothing here has called. Elsewhere it is found at boot.
kernel_function()
{
	echo vfs_link >set_ftrace_filter || return 1
	if listed vfs_link; then
		shows set_ftrace_filter vfs_link && echo >set_ftrace_filter
		return
	fi
	shows set_ftrace_filter vfs_link:wait || return 1
	>"$tmp/one"
	ln "$tmp/one" "$tmp/two"
	waits 10 listed vfs_link && shows set_ftrace_filter vfs_link || return 1
	echo "figure: vfs_link was not found before"
	rm "$tmp/one" "$tmp/two"
	echo >set_ftrace_filter
}

waiting()
{
	result "waiting: a name" name_waits
	result "waiting: its function is hooked at once" hooked_at_once
	result "waiting: a pattern" pattern_waits
	result "waiting: set_ftrace_notrace" notrace_waits
	result "waiting: set_graph_function" graph_waits
	result "waiting: set_graph_notrace" graph_notrace_waits
	result "waiting: what is read can be written" written_back
	result "waiting: what is no function is refused" refuses
	result "waiting: files are read and written meanwhile" others
	result "waiting: a function of the kernel" kernel_function
	result "waiting: no fault" faults
}

has boot && boot
has module && module
has clients && clients
has pause && pause
has nmi && both "nmi: beside back traces" nmi_storm
has hotplug && both "hotplug: beside processors that are switched off and on" beside_hotplug
has waiting && waiting
if has suspend; then
	for level in freezer devices processors core; do
		result "suspend: functions are found after it, as far as $level" asleep suspend_to $level
	done
	result "suspend: no fault" faults
fi
if has hibernation; then
	result "hibernation: functions are found from an image of memory on" asleep write_and_restore
	result "hibernation: no fault" faults
fi
has kill && result "ftrace_kill(): the thread ends, and nothing is recorded" killed
finish
