#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# For how long places hold breakpoints when all functions are switched, and how
# many function-call interrupts that takes: limit=NS and interrupts=N, at most. The
# first is for a guest under QEMU's -icount, where a nanosecond is an instruction, so
# nobody runs this by default. Parts as in parts.sh: "idle", with nothing else to do,
# "graph", the same by function_graph, which wants one processor, and "hog", with a
# task of higher priority where the writer is.
# proves: arch/x86/kernel/text_patch/batch.c arch/x86/kernel/text_patch/method.c
set -u -o pipefail
: "${parts=idle,hog}" "${limit=1000000}" "${interrupts=150}"
. "$(dirname "$0")/../ftrace/parts.sh"

# What a walk of other commits took, at boot say, is none of ours.
longest=/sys/kernel/debug/x86/text_patch_walk_ns_max
in_tracefs $longest
walks=$tmp/walks

# switch WORD COMMAND...: by COMMAND, write WORD as the tracer; the time and the
# interrupts it took, in $ns and $irqs, and the longest walk as a line of $walks.
switch()
{
	local word=$1 begin end
	shift
	echo 0 >$longest
	read -r begin end irqs < <("$@" poke-file "$word" current_tracer) || return 1
	ns=$((end - begin))
	cat $longest >>"$walks"
}

# The longest walk of all, in $worst, and the one that is judged, in $judged. With
# several processors that is the median of all switches: under -icount they take
# turns, and one with something to do of its own keeps its turn, however short its
# answer to the writer would be.
judge()
{
	sort -n "$walks" >"$tmp/sorted"
	worst=$(tail -n 1 "$tmp/sorted")
	judged=$worst
	[ "$(nproc)" = 1 ] || judged=$(sed -n "$((($(wc -l <"$walks") + 1) / 2))p" "$tmp/sorted")
	[ "$judged" -gt 0 ] && [ "$judged" -le "$limit" ]
}

# TRACER: with nothing else to do, not too long, and not too many interrupts.
idle()
{
	local round most=0 word took=0 short=no
	: >"$walks"
	for round in 1 2 3 4; do
		for word in "$1" nop; do
			switch "$word" || return 1
			[ "$irqs" -le "$most" ] || most=$irqs
			[ "$round" = 1 ] || took=$((took + ns))
		done
	done
	judge && short=yes
	echo "figure: $judged of at most $limit ns (longest $worst), $most of at most $interrupts interrupts, $(nproc) processors, $(wc -l <available_filter_functions) functions, $((took / 6)) ns each time"
	[ $short = yes ] && [ "$most" -le "$interrupts" ]
}

# A task of real-time priority leaves 0.3 ms of every 2.3 to the writer.
hog()
{
	local round preempted=0 hog word short=no
	mkfifo "$tmp/hog"
	fifo-hog 0 2000 300 >"$tmp/hog" &
	hog=$!
	read -r word <"$tmp/hog" || return 1
	: >"$walks"
	for round in 1 2 3 4 5; do
		for word in function nop; do
			switch "$word" taskset -c 0 || break 2
			preempted=$((preempted + ns / 2300000))
		done
	done
	kill "$hog"
	judge && short=yes
	echo "figure: $judged of at most $limit ns (longest $worst), preempted $preempted times"
	[ $short = yes ] && [ "$preempted" -ge 10 ] && [ "$(wc -l <"$walks")" = 10 ]
}

has idle && result "breakpoints do not stay long" idle function
# An interrupt that function_graph traces takes over 100,000 instructions by itself,
# so this has the bound of a kernel without PREEMPT_RT.
has graph && limit=1000000 result "nor with function_graph, where interrupts take long" \
	idle function_graph
has hog && result "nor where a task of higher priority is" hog
cat /sys/kernel/debug/x86/text_patch_stats
finish
