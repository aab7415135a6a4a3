#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The parts of the tracer that need no kernel to boot, in user space: the same
# cases that KUnit runs, and the failure of every single allocation, under the
# address, leak and undefined behaviour sanitisers; then the order of layers.
#
#	CC	compiler; default: gcc
#	KSRC	a kernel's source, for lib/glob.c; default: where this file lies,
#		or build/base
#	QUICK	leave out the faults that are put in to be found

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
source=$top/kernel/trace/ftrace
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
: "${CC:=gcc}" "${KSRC:=$top}"
passed=0 failed=0 changed=

# Take over what a test program says, and count.
count()
{
	while IFS= read -r line; do
		printf '%s\n' "$line"
		case $line in
		"ok - "*" # SKIP"*) ;;
		"ok - "*) passed=$((passed + 1)) ;;
		"not ok - "*) failed=$((failed + 1)) ;;
		esac
	done < "$1"
}

# try NR NAME COMMAND...: the program's own lines, and one if it ends badly or if
# they are not NR.
try()
{
	nr=$1 name=$2
	shift 2
	"$@" > "$out/log" 2> "$out/err"
	status=$?
	if [ $status -ne 0 ] && { [ -s "$out/err" ] || ! grep -q '^not ok - ' "$out/log"; }; then
		head -n 30 "$out/err" | sed 's/^/# /' >> "$out/log"
		echo "not ok - $name (status $status)" >> "$out/log"
	fi
	got=$(grep -c -e '^ok - ' -e '^not ok - ' "$out/log")
	[ "$got" = "$nr" ] || echo "not ok - $name: $got of $nr results" >> "$out/log"
	count "$out/log"
}

# Every header of the kernel's is the one that stands for them all, but for
# those that the C library's own headers need.
mkdir -p "$out/shim/linux" "$out/shim/kunit" "$out/shim/asm"
for h in $(cat "$source"/*.[ch] "$source"/*/*.[ch] |
	   sed -n 's/^#include <\([a-z/0-9_]*\.h\)>.*/\1/p' | sort -u) linux/export.h; do
	case $h in linux/errno.h | linux/limits.h) continue ;; esac
	mkdir -p "$out/shim/$(dirname "$h")"
	echo '#include "shim.h"' > "$out/shim/$h"
done

glob=
for k in "$KSRC" "$top/build/base"; do
	[ -f "$k/lib/glob.c" ] && glob=$k/lib/glob.c && break
done

# build NAME ROOMS FILES...: compiles into $out/NAME with the rooms that lie in
# ROOMS, or says why not. What the good rooms' files became is kept for those
# who change another one.
build()
{
	name=$1
	rooms=$2
	shift 2
	objects=
	for c in "$here/shim.c" "$@"; do
		kept=$out/$(echo "$c" | tr / _)${BITS:-}.o
		o=$kept
		good=$source/${c#"$rooms"/}
		if [ -n "$changed" ]; then
			if [ "${c#"$rooms"/}" != "$c" ] && [ "$changed" = "${changed%.h}" ] &&
			   cmp -s "$c" "$good"; then
				o=$out/$(echo "$good" | tr / _).o
			elif [ "${c#"$rooms"/}" != "$c" ] || [ "$changed" != "${changed%.h}" ]; then
				o=$out/faulty_${c##*/}.o
				rm -f "$o"
			fi
		fi
		objects="$objects $o"
		[ -f "$o" ] && continue
		"$CC" -std=gnu11 -O1 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter \
			-Wno-missing-field-initializers \
			-fsanitize=address,undefined -fno-sanitize-recover=all ${BITS:+$BITS $asm} \
			-include "$here/shim.h" -I"$out/shim" -I"$here" -iquote "$rooms/sites" \
			-iquote "$rooms/tests" -c "$c" -o "$o" 2> "$out/cc" || break
	done
	# shellcheck disable=SC2086 # a list
	if "$CC" -fsanitize=address,undefined ${BITS:-} $objects -o "$out/$name" 2>> "$out/cc"; then
		return 0
	fi
	sed 's/^/# /' "$out/cc" | head -n 30
	return 1
}

# program NAME ROOMS: what it is made of
program()
{
	case $1 in
	values)
		build "$1" "$2" "$2/sites/siteset.c" "$2/sites/filter.c" "$2/sites/site.c" \
			"$source/tests/siteset_kunit.c" "$source/tests/filter_kunit.c" \
			"$source/tests/site_kunit.c" "$here/enomem.c" ;;
	patterns)
		build "$1" "$2" "$2/sites/match.c" "$glob" "$source/tests/match_kunit.c" ;;
	names)
		build "$1" "$2" "$2/sites/siteset.c" "$2/sites/match.c" "$2/sites/site.c" "$2/sites/names.c" "$glob" \
			"$here/names.c" ;;
	esac
}

# prove PROGRAM NR: its tests, which are NR, hold
prove()
{
	if program "$1" "$source"; then
		try "$2" "$1${BITS:+ $BITS}" "$out/$1"
	else
		echo "not ok - $1${BITS:+ $BITS}: compiles" > "$out/log"
		count "$out/log"
	fi
}

# fault PROGRAM FILE SED WHAT: a test that cannot fail shows nothing, so each of
# these faults has to be found.
fault()
{
	[ -z "${QUICK:-}" ] || return
	rm -rf "$out/rooms"
	cp -r "$source" "$out/rooms"
	sed "$3" "$source/$2" > "$out/rooms/$2"
	changed=$2
	if cmp -s "$source/$2" "$out/rooms/$2"; then
		echo "not ok - fault: $4: nothing is changed"
	elif ! program "$1" "$out/rooms"; then
		echo "not ok - fault: $4: does not compile"
	elif timeout 60 "$out/$1" > /dev/null 2>&1; then
		echo "not ok - fault: $4"
	else
		echo "ok - fault: $4"
	fi > "$out/log"
	changed=
	count "$out/log"
}

prove values 38
printf '#include <errno.h>\nint main(void) { return errno; }\n' > "$out/probe.c"
BITS=-m32
# <asm/...> of 64 bit serves both; a multilib gcc would link it, but excludes cross compilers.
asm="-idirafter /usr/include/$("$CC" -print-multiarch)"
if "$CC" $BITS $asm -fsanitize=address,undefined "$out/probe.c" -o "$out/probe" 2> "$out/cc"; then
	prove values 38
else
	echo "ok - values $BITS # SKIP no libraries for it"
fi
BITS=

fault values sites/siteset.c 's/if (last >= s->end - 1)/if (last > s->end)/' "the end of a range"
fault values sites/siteset.c 's/return set->nr\[high\]/return set->nr[low]/' "next of a list"
fault values sites/siteset.c 's/end = min(end, a->last + 1)/end = a->last/' "the end of what is cut out"
fault values sites/siteset.c 's/set->count = shape->count;//' "doubles are counted"
fault values sites/siteset.h 's/if (set->nr\[mid\] <= nr)/if (set->nr[mid] < nr)/' "search in a list"
fault values sites/filter.c 's/call_rcu(&f->rcu, free_filter)/free_filter(\&f->rcu)/' "a reader's filter"
fault values sites/filter.c 's/only == f->only \&\& except == f->except/only == f->only/' "exceptions stay"
fault values sites/filter.c 's/ftrace_siteset_put(new);/;/' "a set that is left behind"
fault values sites/site.c 's/>= MCOUNT_INSN_SIZE)/> MCOUNT_INSN_SIZE)/' "the byte after a site"
fault values sites/site.c 's/b->first - first >= nr/b->first - first > nr/' "a gap that just fits"
fault values sites/site.c 's/call_rcu(&b->rcu, free_block_rcu)/free_block(b, b->room)/' "a reader's block"
fault values sites/site.c 's/max(start, 1UL)/max(0UL, 1UL)/' "text before the start"

if [ -z "$glob" ]; then
	echo "ok - patterns, names # SKIP no kernel source: set KSRC"
else
	prove patterns 6
	fault patterns sites/match.c 's/&& !name\[m->len\]//' "a name that goes on"
	fault patterns sites/match.c "s/ || c == '\\[' / /" "brackets"
	prove names 9
	fault names sites/names.c 's/\[i\]) < value)/[i]) <= value)/; s/&k->symtab\[symbol\[i\]\]) < /\&k->symtab[symbol[i]]) > /' "the nearest symbol"
	fault names sites/names.c 's/if (k != b->names->from)/if (0)/' "a table that moved"
	fault names sites/names.c 's/if (strcmp(name, buf))/if (0)/' "names of one hash"
	fault names sites/names.c 's/> MAX_OFFSET)/> 1000)/' "weak functions that lost"
	fault names sites/names.c 's/index -= b->nr;//' "lines of modules"
fi

try 1 layers "$top/tools/testing/ftrace/check-layers.sh" "$top"
# plant WHAT FILE TEXT: the check must refuse a tree in which FILE ends with TEXT
plant()
{
	rm -rf "$out/tree"
	mkdir -p "$out/tree/kernel/trace" "$out/tree/Documentation/trace/ftrace"
	cp -r "$source" "$out/tree/kernel/trace/ftrace"
	cp "$top/Documentation/trace/ftrace/design.rst" "$out/tree/Documentation/trace/ftrace"
	if ! "$top/tools/testing/ftrace/check-layers.sh" "$out/tree" > "$out/log" 2>&1; then
		echo "not ok - fault: $1: refused without it"
	else
		printf '%s\n' "$3" >> "$out/tree/$2"
		if "$top/tools/testing/ftrace/check-layers.sh" "$out/tree" > "$out/log" 2>&1; then
			echo "not ok - fault: $1"
		else
			echo "ok - fault: $1"
		fi
	fi > "$out/log2"
	count "$out/log2"
}

core=kernel/trace/ftrace
plant "a header from the right" $core/sites/filter.h '#include "../hooks/ops.h"'
plant "a call to the right" $core/sites/fault.c 'void f(void)
{
	ftrace_combo_sweep();
}'
plant "a ring of calls" $core/hooks/plan.c 'void f(struct ftrace_plan *plan)
{
	ftrace_plan_commit(plan);
}'
plant "another order" Documentation/trace/ftrace/design.rst '    sites -> graph'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
