#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sites that have taken their function's first instruction: where they are, that
# they are traced like the others, and what kprobes make of them. Which there
# are say the kernel's parameter ftrace_entry=, off or sealed, and whether the CPU has IBT.
# proves: kernel/trace/ftrace/boot.c kernel/trace/ftrace/sites/address.c
# proves: arch/x86/kernel/ftrace/entry_sites.c arch/x86/kernel/ftrace/site.c
. "$(dirname "$0")/parts.sh"
in_tracefs kprobe_events
change /proc/sys/kernel/kptr_restrict 1
[ -n "$(symbol ftrace_is_entry_site)" ] || skip_all "no CONFIG_FTRACE_ENTRY_SITES"
take=all
no_ibt >"$tmp/why" || take=sealed
for word in $(cat /proc/cmdline); do
	case $word in
	ftrace_entry=*) take=${word#*=} ;;
	esac
done

# Only of the kernel: modules' sections begin anywhere.
grep -v '\[' available_filter_functions_addrs >"$tmp/sites"
sites=$(wc -l <"$tmp/sites")
cut -d' ' -f1 /proc/kallsyms | sort -u >"$tmp/symbols"
behind=$((sites - $(cut -d' ' -f1 "$tmp/sites" | sort - "$tmp/symbols" | uniq -d | wc -l)))

# Symbols are where functions begin; a site elsewhere is behind an ENDBR.
where()
{
	echo "figure: $behind of $sites behind an ENDBR"
	case $take in
	all) [ "$sites" -gt 20000 ] && [ "$behind" = 0 ] ;;
	sealed) [ "$behind" -gt $((sites / 4)) ] && [ "$behind" -lt $((sites * 3 / 4)) ] ;;
	off) [ "$behind" -gt $((sites * 3 / 4)) ] ;;
	*) return 1 ;;
	esac
}
result "sites are where they should be" where

# An indirect call leads to the first, direct ones to the others.
functions="anon_pipe_write vfs_write ksys_write"
traced()
{
	local f
	echo $functions >set_ftrace_filter
	echo function >current_tracer
	echo x | cat >/dev/null
	# Or what is written of it is traced, and read again.
	echo 0 >tracing_on
	cp trace "$tmp/trace"
	echo 1 >tracing_on
	echo nop >current_tracer
	echo >set_ftrace_filter
	for f in $functions; do
		grep -q "$f <-" "$tmp/trace" || { echo "$f is not traced"; return 1; }
	done
}
result "they are traced" traced

# hits EXPRESSION: a kprobe at it, and whether it was hit
hits()
{
	echo >trace
	echo "p:entry $1" >kprobe_events || return 1
	echo 1 >events/kprobes/entry/enable
	echo x >"$tmp/x"
	cat /sys/kernel/debug/kprobes/list
	echo 0 >events/kprobes/entry/enable
	grep -q 'entry: (vfs_write' trace
	set -- $?
	echo >kprobe_events
	return $1
}

# refused EXPRESSION: no kprobe can be at it
refused()
{
	! echo "p:entry $1" >kprobe_events || { echo >kprobe_events; echo "there is a kprobe at $1"; return 1; }
}

kprobes()
{
	hits vfs_write || return 1
	hits vfs_write+4 || return 1
	if [ "$take" = all ]; then
		# In the middle of the nop, and of what it is when the site is on.
		refused vfs_write+5 || return 1
		echo vfs_write >set_ftrace_filter
		echo function >current_tracer
		refused vfs_write+5 && hits vfs_write && hits vfs_write+4 || return 1
		echo nop >current_tracer
		echo >set_ftrace_filter
	fi
	hits vfs_write+9
}
result "kprobes are at the function's beginning, or behind the site" kprobes
finish
