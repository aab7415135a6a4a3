#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The folders of kernel/trace/ftrace/ are its layers, in the order that
# design.rst gives: a file includes and calls only its own folder and those to
# its left. And nowhere do files call each other in a ring, here, in the text
# engine or in the tracepoints.
#
# usage: check-layers.sh [TREE]

set -u
top=${1:-$(cd "$(dirname "$0")/../../.." && pwd)}
src=$top/kernel/trace/ftrace
ok=0 bad=0

fault()
{
	echo "not ok - layers: $*"
	bad=$((bad + 1))
	fine=
}

# "sites -> hooks -> ...", the one text that says the order
order=$(sed -n 's/^    \(sites -> .*\)$/\1/p' "$top/Documentation/trace/ftrace/design.rst" |
	sed 's/ -> / /g')
[ "$(printf '%s' "$order" | grep -c '')" = 1 ] || fault "design.rst has no one order"

# place FOLDER: its position in the order; 0: none
place()
{
	n=0
	for f in $order; do
		n=$((n + 1))
		[ "$f" = "$1" ] && echo $n && return
	done
	echo 0
}

# folder FILE: the layer of a path below $src; files beside the folders may call all
folder()
{
	case $1 in
	*/*) echo "${1%%/*}" ;;
	*) echo "$1" ;;
	esac
}

# What a file defines and calls: "def NAME" and "call NAME" in the order of lines.
# Only functions that begin in the first column, as all of ours do.
calls()
{
	awk '
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		while (1) {
			if (comment) {
				if (!match(line, /\*\//)) { line = ""; break }
				line = substr(line, RSTART + 2)
				comment = 0
			}
			if (!match(line, /\/\*/)) break
			rest = substr(line, RSTART + 2)
			line = substr(line, 1, RSTART - 1)
			if (match(rest, /\*\//)) line = line " " substr(rest, RSTART + 2)
			else comment = 1
		}
	}
	/^#/ { next }
	!body && line ~ /^[A-Za-z_]/ {
		head = line ~ /^[A-Za-z_0-9]+\(/ ? last " " line : line
		name = ""
		if (match(head, /[A-Za-z_0-9]+\(/)) name = substr(head, RSTART, RLENGTH - 1)
		local = head ~ /(^|[ \t])static[ \t]/
		last = line
	}
	!body && line ~ /^\{/ { body = 1; if (name != "") print local ? "own" : "def", name; next }
	body && line ~ /^\}/ { body = 0; name = ""; next }
	body {
		while (match(line, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) {
			call = substr(line, RSTART, RLENGTH - 1)
			sub(/[ \t]+$/, "", call)
			print "call", call
			line = substr(line, RSTART + RLENGTH)
		}
	}
	' "$1"
}

# graph DIR: a line "FILE CALLEE" for each pair of files of which one calls the
# other. A header belongs to the source file of its name.
graph()
{
	find "$1" -name tests -prune -o -name '*.[ch]' -print | sort | while read -r path; do
		file=${path#"$1"/}
		calls "$path" | sed "s#^#${file%.*} #"
	done | awk '
	{ n++; file[n] = $1; what[n] = $2; name[n] = $3 }
	$2 == "def" { owner[$3] = $1 }
	$2 == "own" { own[$1, $3] = 1 }
	END {
		for (i = 1; i <= n; i++) {
			to = owner[name[i]]
			if (what[i] != "call" || to == "" || to == file[i]) continue
			if ((file[i], name[i]) in own || seen[file[i], to]++) continue
			print file[i], to
		}
	}'
}

# ring: those lines of a graph that are in a ring
ring()
{
	awk '
	{ n++; from[n] = $1; to[n] = $2 }
	END {
		do {
			split("", out); split("", into)
			for (i = 1; i <= n; i++) if (!gone[i]) { out[from[i]]++; into[to[i]]++ }
			again = 0
			for (i = 1; i <= n; i++)
				if (!gone[i] && (!out[to[i]] || !into[from[i]])) { gone[i] = 1; again = 1 }
		} while (again)
		for (i = 1; i <= n; i++) if (!gone[i]) print from[i], to[i]
	}'
}

for path in "$src"/*.[ch] "$src"/*/*.[ch]; do
	file=${path#"$src"/}
	layer=$(folder "$file")
	[ "$layer" = tests ] && continue
	fine=1
	own=$(place "$layer")
	[ "$own" = 0 ] && fault "$file has no place"

	for inc in $(sed -n 's/^#[ \t]*include "\(.*\)"/\1/p' "$path"); do
		case $layer:$inc in
		*.c:../* | *:../../*)
			[ "$layer" = sites ] && fault "$file includes $inc, the tracing core"
			continue
			;;
		*.c:*) to=$(folder "$inc") ;;
		*:../*) to=$(folder "${inc#../}") ;;
		*) to=$layer ;;
		esac
		at=$(place "$to")
		if [ "$at" = 0 ]; then
			fault "$file includes $inc, which has no place"
		elif [ "$at" -gt "$own" ]; then
			fault "$file includes $inc from its right"
		fi
	done

	# Values know no locks, no hooks and no modules.
	case $file in
	sites/siteset.? | sites/match.? | sites/filter.?)
		for inc in linux/ftrace linux/module linux/mutex linux/spinlock; do
			grep -q "^#include <$inc" "$path" && fault "$file includes <$inc...>"
		done
		;;
	esac
	[ -n "$fine" ] && ok=$((ok + 1))
done

pairs=$(mktemp) || exit 1
trap 'rm -f "$pairs"' EXIT
graph "$src" > "$pairs"
while read -r from to; do
	case $from in */*) ;; *) from=$from.c ;; esac
	case $to in */*) ;; *) to=$to.c ;; esac
	[ "$(place "$(folder "$to")")" -gt "$(place "$(folder "$from")")" ] &&
		fault "$from calls $to to its right"
done < "$pairs"
[ -s "$pairs" ] || fault "no file of $src calls another"

for dir in kernel/trace/ftrace arch/x86/kernel/text_patch kernel/tracepoint; do
	[ -d "$top/$dir" ] || continue
	graph "$top/$dir" | ring > "$pairs"
	while read -r from to; do
		fault "$dir: $from calls $to in a ring"
	done < "$pairs"
done

# What an architecture supplies knows what it is asked for, and nothing else.
for path in "$top"/arch/*/kernel/ftrace/*.[chS]; do
	[ -f "$path" ] || continue
	fine=1
	grep -q '^#[ \t]*include ".*trace/' "$path" && fault "${path#"$top"/} includes the core"
	[ -n "$fine" ] && ok=$((ok + 1))
done

[ $ok -eq 0 ] && fault "no files in $src"
[ $bad -eq 0 ] && echo "ok - layers: every file stands in its row" && echo "# $ok files"
[ $bad -eq 0 ]
