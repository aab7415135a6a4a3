#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hooks that come, change and go under the torture module's eyes, alone and
# beside what else changes text or stops processors. Parameters as in parts.sh.
# To be asked for are the parts "mixed", which wants ftrace_combo_cap=4 on the kernel's
# command line, and "enomem", which wants fault injection.
# proves: kernel/trace/ftrace/hooks/change.c kernel/trace/ftrace/hooks/dispatch.c
# proves: kernel/trace/ftrace/hooks/hook.c kernel/trace/ftrace/hooks/ops.c
# proves: kernel/trace/ftrace/hooks/retire.c kernel/trace/ftrace/hooks/set_filter.c
# proves: kernel/trace/ftrace/hooks/slot.c kernel/trace/ftrace/hooks/tramp.c
# proves: arch/x86/kernel/ftrace/entry_32.S arch/x86/kernel/ftrace/entry_64.S
# proves: arch/x86/kernel/ftrace/site.c arch/x86/kernel/ftrace/tramp.c
# proves: arch/arm64/kernel/ftrace/site.c arch/arm64/kernel/ftrace/tramp.c
set -u -o pipefail
: "${parts=lies,alone,debugger,modules,hotplug,nmi,tracers}" "${seconds=5}" "${seed=0}"
. "$(dirname "$0")/parts.sh"
in_tracefs
want_modules hook_torture

# What the module said when it was loaded last.
said()
{
	since | awk '/hook_torture: (FAULT|seed)/ { if (over) said = over = ""
			said = said $0 "\n"; over = /: seed/ }
		END { printf "%s", said }' | sed 's/.*hook_torture: //'
}

# Hooks that are forgotten show here.
nothing_hooked()
{
	[ "$(wc -l <enabled_functions)" = 0 ] || { head -n 5 enabled_functions; return 1; }
}

# The module judges.
torture()
{
	if ! modprobe hook_torture seconds="$seconds" seed="$seed" "$@"; then
		said
		return 1
	fi
	said | sed -n 's/^seed/figure: seed/p'
	rmmod hook_torture || return 1
	said | grep -q ': [1-9][0-9]* calls, [1-9][0-9]* callbacks,'
}

alone()
{
	[ "$*" != debugger=1 ] || no_ibt || return
	torture "$@" && nothing_hooked
}

# A model that is told what is not true has to find fault, and say EIO.
lie()
{
	local kind=$1 what=$2
	shift 2
	[ "$*" != debugger=1 ] || no_ibt || return
	if modprobe hook_torture seconds=60 seed="$seed" lie="$kind" "$@" 2>"$tmp/error"; then
		echo "no fault found"
		rmmod hook_torture
		return 1
	fi
	cat "$tmp/error"
	said
	said | grep -q "^FAULT: $what" && grep -qi 'i/o error\|input/output error' "$tmp/error" &&
		nothing_hooked
}

# Three times at least, so that slow machines prove something.
repeat()
{
	local n=0
	while [ ! -e "$tmp/enough" ] || [ "$n" -lt 3 ]; do
		"$@" || return 1
		echo $((n += 1)) >"$tmp/rounds"
	done
}

# beside COMMAND: the module's work while COMMAND is repeated.
beside()
{
	local status=0 repeating
	rm -f "$tmp/enough"
	echo 0 >"$tmp/rounds"
	repeat "$@" &
	repeating=$!
	while torture >"$tmp/torture" || status=1; do
		[ "$status" = 0 ] && [ "$(cat "$tmp/rounds")" -lt 3 ] &&
			kill -0 "$repeating" 2>/dev/null || break
	done
	: >"$tmp/enough"
	wait "$repeating" || status=1
	sed "s/^figure: .*/&, beside $(cat "$tmp/rounds") rounds/" "$tmp/torture"
	nothing_hooked && return $status
}

# Sites come and go, with hooks that are on all; one brings a direct call on a
# function that the torture hooks, too.
load_modules()
{
	local m
	for m in trace-events-sample ftrace-direct hook-one; do
		modprobe "$m" || return 1
	done
	for m in hook-one ftrace-direct trace-events-sample; do
		rmmod "$m" || return 1
	done
}

beside_modules()
{
	modules trace-events-sample ftrace-direct hook-one && beside load_modules
}

beside_hotplug()
{
	second_processor && beside switch_processors
}

back_traces()
{
	echo l >/proc/sysrq-trigger
	sleep 0.2
}

nmi()
{
	local before=$(nmis) status
	second_processor || return
	without_console beside back_traces >"$tmp/nmi"
	status=$?
	before=$(($(nmis) - before))
	sed "s/^figure: .*/&, $before NMIs/" "$tmp/nmi"
	[ $status = 0 ] && [ $before -gt 0 ]
}

switch_tracers()
{
	local t
	for t in function nop; do
		echo "$t" >current_tracer || return 1
	done
}

look_for_mixed()
{
	! grep -q 'mixed:' enabled_functions || echo seen >>"$tmp/mixed"
	sleep 0.1
}

# Where ftrace_combo_cap= leaves few trampolines, the rest is judged, too.
mixed()
{
	: >"$tmp/mixed"
	beside look_for_mixed && grep -q seen "$tmp/mixed"
}

# Every fourth allocation of those who change hooks fails.
enomem()
{
	failing 25 task-filter=Y alone enomem=1 && said | grep -q ', [1-9][0-9]* refused'
}

if has lies; then
	result "a change that the model does not know is a fault" lie 1 ".*called"
	result "another order is a fault" lie 2 "order of callbacks"
	result "a callback of an unregistered hook is a fault" lie 3 ".*unregistered"
	result "another return address is a fault" lie 4 "return address"
	result "another answer of a function is a fault" lie 5 "arguments or answer"
	result "a hook that is missed for want of a breakpoint is a fault" lie 6 "not called" debugger=1
fi
has alone && result "every callback is as it has to be" alone
has debugger && result "and while a debugger sets and clears breakpoints" alone debugger=1
has mixed && result "every callback is as it has to be without a trampoline" mixed
has modules && result "and while modules come and go" beside_modules
has hotplug && result "and while processors come and go" beside_hotplug
has nmi && result "and while NMIs look at all processors" nmi
has tracers && result "and while tracers come and go" beside switch_tracers
has enomem && result "and while allocations fail" enomem
finish
