#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The rooms of the tracer stand in one row. A file includes headers from its
# left only; what does not is named here, with the reason, or is a fault. A
# file that has no place yet is a fault, too.
#
# usage: check-layers.sh [TREE]

set -u
top=${1:-$(cd "$(dirname "$0")/../../.." && pwd)}
rooms=$top/kernel/trace/ftrace
ok=0 bad=0

# Left to right.
headers="sites/siteset sites/match sites/filter sites/lock
	 sites/site sites/fault sites/names hooks/tramp hooks/combo
	 hooks/plan sites/edit hooks/direct graph/stack graph/slots
	 hooks/ops tracefs/doors tracefs/session"

# The rightmost header that a .c file may include, where it is not its own.
limit()
{
	case $1 in
	sites/text) echo hooks/combo ;;
	hooks/commit) echo hooks/plan ;;
	# Reads the list of hooks and ftrace_enabled, which are those of ops.
	hooks/plan | hooks/dispatch | hooks/direct) echo hooks/ops ;;
	graph/stack | graph/tasks) echo graph/slots ;;
	graph/slots) echo hooks/ops ;;
	# Nobody includes these: the loader and the boot code call them, and
	# they call anyone.
	module | boot) echo tracefs/doors ;;
	tracefs/filter_*) echo tracefs/session ;;
	tracefs/*) echo tracefs/doors ;;
	*) case " "$(echo $headers)" " in *" $1 "*) echo "$1" ;; esac ;;
	esac
}

# Who may know the tracing core outside of this folder.
may_know_trace_h()
{
	case $1 in
	hooks/dispatch.c | graph/slots.c | graph/tasks.c) return 0 ;;
	tracefs/doors.h | tracefs/profile.c) return 0 ;;
	esac
	return 1
}

# Values know no locks, no hooks and no modules.
is_value()
{
	case $1 in sites/siteset.? | sites/match.? | sites/filter.?) return 0 ;; esac
	return 1
}

place()
{
	n=0
	for h in $headers; do
		n=$((n + 1))
		[ "$h" = "$1" ] && echo $n && return
	done
	echo 0
}

fault()
{
	echo "not ok - layers: $*"
	bad=$((bad + 1))
	fine=
}

for path in "$rooms"/*.[ch] "$rooms"/[!t]*/*.[ch] "$rooms"/tracefs/*.[ch]; do
	file=${path#"$rooms"/}
	name=${file%.*}
	fine=1
	case $file in
	*.h) own=$(place "$name") ;;
	*) own=$(place "$(limit "$name")") ;;
	esac
	[ "$own" = 0 ] && fault "$file has no place"

	for inc in $(sed -n 's/^#[ \t]*include "\(.*\)"/\1/p' "$path"); do
		case $inc in
		../../*)
			may_know_trace_h "$file" || fault "$file includes $inc"
			continue
			;;
		../*) inc=${inc#../} ;;
		*/*) ;;
		*) inc=${file%/*}/$inc ;;
		esac
		at=$(place "${inc%.h}")
		if [ "$at" = 0 ]; then
			fault "$file includes $inc, which has no place"
		elif [ "$file" = "${file%.c}" ] && [ "$at" -ge "$own" ]; then
			fault "$file includes $inc from its right"
		elif [ "$at" -gt "$own" ]; then
			fault "$file includes $inc from its right"
		fi
	done

	if is_value "$file"; then
		for inc in linux/ftrace linux/module linux/mutex linux/spinlock; do
			grep -q "^#include <$inc" "$path" && fault "$file includes <$inc...>"
		done
	fi
	[ -n "$fine" ] && ok=$((ok + 1))
done

# What an architecture supplies knows what it is asked for, and nothing else.
for path in "$top"/arch/*/kernel/ftrace/*.[chS]; do
	[ -f "$path" ] || continue
	fine=1
	grep -q '^#[ \t]*include ".*trace/' "$path" && fault "${path#"$top"/} includes the core"
	[ -n "$fine" ] && ok=$((ok + 1))
done

[ $ok -eq 0 ] && fault "no files in $rooms"
[ $bad -eq 0 ] && echo "ok - layers: every file stands in its row" && echo "# $ok files"
[ $bad -eq 0 ]
