#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Call sites that somebody else writes to, and hooks that are exchanged or leave
# when little can be done. parts=NAME,NAME: only these; the parts "faults" make the
# kernel warn, and "kill" ends the tracer for good.
# proves: kernel/trace/ftrace/hooks/commit.c kernel/trace/ftrace/hooks/direct.c
# proves: kernel/trace/ftrace/hooks/swap.c kernel/trace/ftrace/sites/fault.c
# proves: kernel/trace/ftrace/module.c
: "${parts=quiet}"
. "$(dirname "$0")/parts.sh"
in_tracefs
want_to_insert ftrace_states
quiet=breakpoint-on-hooked-site,hooks-change-under-breakpoint,\
breakpoint-on-site-that-is-off,direct-call-under-breakpoint,jump-under-breakpoint,\
exclusive-hook-refused-under-breakpoint,exclusive-hook-refused-on-other-bytes,\
exclusive-hook-refused-on-module-without-names,held-site-is-listed,\
filter-is-removed-without-memory,mixed-swap-calls-once,text-that-goes-still-runs
faults=faulty-site-is-reported,exclusive-hook-refused-on-faulty-site,fault-in-foreign-commit
parts=,$parts,
parts=${parts/,quiet,/,$quiet,}
parts=${parts/,faults,/,$faults,}
parts=${parts/,kill,/,filter-is-removed-after-kill,}
cases=/sys/module/ftrace_states/parameters

# The case of that name, or what stands before "ok".
case_of()
{
	complaint "$cases/$(echo "$1" | tr - _)"
}

module_without_names()
{
	echo 1 >$cases/names_fail || return 1
	insmod "$modules"/ftrace_victim.ko || return 1
	echo 0 >$cases/names_fail
	case_of exclusive-hook-refused-on-module-without-names
	rmmod ftrace_victim
}

held_site_is_listed()
{
	echo 1 >$cases/hold_other
	echo states_target_other >set_ftrace_filter
	for t in function nop function nop; do
		echo $t >current_tracer
	done
	grep '^states_target_other \[ftrace_states\] (0)       H' enabled_functions >"$tmp/held" ||
		echo "enabled_functions does not show it: $(grep states_ enabled_functions)"
	[ "$(since | grep -c 'states_target_other.*breakpoint')" = 1 ] ||
		echo "it is not said once"
	echo 0 >$cases/hold_other
	echo function >current_tracer
	grep -q '^states_target_other \[ftrace_states\] (1)  ' enabled_functions ||
		echo "it is not hooked when the breakpoint has gone"
	echo nop >current_tracer
	echo >set_ftrace_filter
	! grep states_ enabled_functions
}

# What the log and the lists have to say.
faulty_site_is_reported()
{
	grep -c . available_filter_functions >"$tmp/before"
	case_of faulty-site-is-reported
	since >"$tmp/log"
	[ "$(grep -c 'WARNING: ' "$tmp/log")" = 1 ] || echo "there is not one warning"
	grep -q 'unexpected bytes.*states_target_report' "$tmp/log" || echo "the function is not named"
	grep -q 'found.* 66 66 66 66 90' "$tmp/log" || echo "the bytes are not shown"
	grep -Eq 'expected.* (0f 1f 44 00 00|66 0f 1f 84 90)' "$tmp/log" ||
		echo "the bytes that should be there are not shown"
	! grep -w states_target_report available_filter_functions
	grep -c . available_filter_functions | cmp -s - "$tmp/before" || echo "lines have moved"
	grep -q '^states_target_report \[ftrace_states\] (0)       F' enabled_functions ||
		echo "enabled_functions does not show it"
	[ ! -e untraceable_functions ] ||
		grep -qx 'states_target_report \[ftrace_states\] overwritten' untraceable_functions ||
		echo "untraceable_functions does not have it"
}

mixed_swap()
{
	echo 1 >$cases/mixed_exchange || return 1
	grep -q '^states_target_mixed.*mixed:' enabled_functions || echo "it is not mixed"
	pid=$(cat $cases/mixed_pid)
	for i in 1 2 3; do
		echo w >$cases/mixed_exchange
		echo "$pid" >instances/states/set_ftrace_pid
		echo w >$cases/mixed_exchange
		echo >instances/states/set_ftrace_pid
	done
	complaint $cases/mixed_exchange
	rmdir instances/states
}

# A module's text runs on after the tracer has been told that it goes, and after what
# only its functions called was freed.
text_that_goes()
{
	insmod "$modules"/ftrace_late.ko lookup="$(symbol kallsyms_lookup_name)" || return 1
	echo '*:mod:ftrace_late' >set_ftrace_filter
	echo function >current_tracer
	grep -q '^late_called \[ftrace_late\] (1)' enabled_functions || echo "it is not hooked"
	rmmod ftrace_late
	since | grep -q 'late_called ran' || echo "it did not run"
	echo nop >current_tracer
	echo >set_ftrace_filter
}

[ -e $cases ] || insmod "$modules"/ftrace_states.ko lookup="$(symbol kallsyms_lookup_name)" || exit 1
for part in ${parts//,/ }; do
	has "$part"
	mark "$part"
	case $part in
	exclusive-hook-refused-on-module-without-names) why=$(module_without_names 2>&1) ;;
	held-site-is-listed) why=$(held_site_is_listed 2>&1) ;;
	faulty-site-is-reported) why=$(faulty_site_is_reported 2>&1) ;;
	mixed-swap-calls-once) why=$(mixed_swap 2>&1) ;;
	text-that-goes-still-runs) why=$(text_that_goes 2>&1) ;;
	*) why=$(case_of "$part") ;;
	esac
	verdict "$part" "$why"
done
finish
