#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The torture modules of tracepoints, for seconds=N. It fails if there was a fault, or
# if there were no hits, no changes, no rounds of the guest module, or nothing of one
# kind: in timers' interrupts, in NMIs where there are any, asleep, or freed by callbacks.
# proves: kernel/tracepoint/apply.c kernel/tracepoint/core.c
: "${seconds=20}"
. "$(dirname "$0")/../ftrace/parts.sh"
want /proc
want_modules tp_torture tp_torture_guest

torture()
{
	local last=$((SECONDS + seconds)) rounds=0 said some='[1-9][0-9]*' nmis='[0-9]*'
	modprobe tp_torture || return 1
	while [ "$SECONDS" -lt "$last" ] || [ "$rounds" = 0 ]; do
		modprobe tp_torture_guest && sleep 0.1 && rmmod tp_torture_guest || {
			rmmod tp_torture
			return 1
		}
		# An NMI for each other processor.
		[ ! -w /proc/sysrq-trigger ] || echo l >/proc/sysrq-trigger
		rounds=$((rounds + 1))
	done
	rmmod tp_torture || return 1
	said=$(since | grep -o 'tp_torture: [0-9]* hits.*' | tail -n 1)
	echo "figure: $said, $rounds rounds of the guest"
	since | grep 'tp_torture: FAULT' | head
	case $(uname -m):$(nproc) in
	*86*:1) ;;
	*86*) [ ! -w /proc/sysrq-trigger ] || nmis=$some ;;
	esac
	echo "$said" | grep -q ": $some hits, $some changes, $some by timers, $nmis by NMIs, $some slept, $some freed,.*[^0-9]0 faults$"
}
result "every probe is called as it has to be" torture
finish
