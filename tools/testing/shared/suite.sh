# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034,SC2154,SC3043 # suites set and use these
#
# What the host suites of tracing and text patching share: they build programs
# from the kernel's sources, take over the results that these print, and plant
# faults in the sources that these have to find. They say so in KTAP, with the
# plan at the end; programs leave the numbers to them.
#
# A suite sets $units, the source files that it tests, sources this file, calls
# the functions below, and ends with finish. Its environment:
#
#	CC	compiler; default: gcc
#	KSRC	a kernel's source, for files used as they are; default: the tree
#		that this file lies in
#	OUT	scratch directory; default: one that is removed at the end
#	QUICK	plant no faults: only see that each would change its file
#	FAULT	plant only the faults whose name has this in it
#	MOST	seconds of a processor that a program with a fault may take; default: 10
#
# "run.sh --units" lists $units and does nothing else.

set -u
if [ "${1:-}" = --units ]; then
	printf '%s\n' $units
	exit
fi
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tools/testing/*}
shared=$top/tools/testing/shared
: "${CC:=gcc}" "${KSRC:=$top}" "${OUT:=}" "${QUICK:=}" "${FAULT:=}" "${MOST:=10}"
if [ -n "$OUT" ]; then
	mkdir -p "$OUT" && out=$(cd "$OUT" && pwd) || exit 1
	rm -rf "$out/good" "$out/faulty" "$out/shim" "$out/lean"
else
	out=$(mktemp -d) || exit 1
	trap 'rm -rf "$out"' EXIT
	trap 'exit 1' HUP INT TERM
fi
mkdir "$out/good"
: >"$out/results"
ccache=$(command -v ccache)	# planted faults are the same in each run
tree=$top	# or a copy with a fault in it, of
changed=	# this file,
lean=		# compiled with these flags, too
nr_faults=0	# and how many there were
nr_results=0
echo "KTAP version 1"

# say LINE: a result gets its number
say()
{
	case $1 in
	"ok - "* | "not ok - "*)
		nr_results=$((nr_results + 1))
		set -- "${1%%- *}$nr_results - ${1#*- }"
		;;
	esac
	printf '%s\n' "$1" | tee -a "$out/results"
}

# skip NAME WHY
skip()
{
	say "ok - $1 # SKIP $2"
}

# results NR NAME COMMAND...: takes over what the command says. It has to have NR
# results (where NR is "some": at least one), and to say so if it fails.
results()
{
	local want=$1 name=$2 ended got
	shift 2
	"$@" >"$out/said" 2>&1
	ended=$?
	awk -v nr=$nr_results '/^(not )?ok - / { sub(/- /, ++nr " - "); print; next }
		!/^# / { sub(/^/, "# ") } { print }' "$out/said" | tee -a "$out/results"
	got=$(grep -c -e '^ok - ' -e '^not ok - ' "$out/said")
	nr_results=$((nr_results + got))
	case $want:$got in
	some:0 | 0:*)	say "not ok - $name: no results" ;;
	some:* | "$got:$got") ;;
	*)		say "not ok - $name: $got of $want results" ;;
	esac
	[ $ended = 0 ] || grep -q '^not ok - ' "$out/said" ||
		say "not ok - $name: ends well (status $ended)"
}

# check NAME COMMAND...: one result; what the command says follows a failure
check()
{
	local name=$1
	shift
	if "$@" >"$out/said" 2>&1; then
		say "ok - $name"
	else
		say "not ok - $name"
		head -n 20 "$out/said" | sed 's/^/# /'
	fi
}

# can FLAG...: the compiler has them, and what it makes runs
can()
{
	printf '#include <errno.h>\nint main(void) { return errno; }\n' >"$out/can.c"
	"$CC" "$@" -o "$out/can" "$out/can.c" 2>"$out/said" && "$out/can"
}

# For programs under test. Variables that are not set are not zero by chance.
checked="-std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-sign-compare
	-Wno-unused-parameter -Wno-missing-field-initializers -Wno-maybe-uninitialized"
if can -fsanitize=address,undefined; then
	checked="$checked -fsanitize=address,undefined -fno-sanitize-recover=all"
else
	skip sanitizers "$CC has none"
fi
can -ftrivial-auto-var-init=pattern && checked="$checked -ftrivial-auto-var-init=pattern"

# For 32 bit, <asm/...> of 64 bit serves, too. A multilib gcc would link it, but
# excludes cross compilers.
bits32="-m32 -idirafter /usr/include/$("$CC" -print-multiarch)"

# kernel_file PATH: where a file of the kernel's is
kernel_file()
{
	local k
	for k in "$top" "$KSRC"; do
		[ -f "$k/$1" ] && echo "$k/$1" && return
	done
	return 1
}

# stand_ins FILE...: fills $out/shim, where the suite's shim.h stands for every
# header <...> that the files include. Not for those that the C library includes,
# too, nor for those in $real, which are this tree's own.
stand_ins()
{
	local h d
	for h in $(sed -n 's/^#[ \t]*include <\([a-z/0-9_-]*\.h\)>.*/\1/p' "$@" | sort -u); do
		case $h in
		linux/errno.h | linux/limits.h | sys/*) continue ;;
		*/*) mkdir -p "$out/shim/${h%/*}" ;;
		*) continue ;;
		esac
		echo "#include \"$here/shim.h\"" >"$out/shim/$h"
		case " ${real:-} " in *" $h "*) ;; *) continue ;; esac
		for d in include arch/x86/include; do
			[ -f "$top/$d/$h" ] && echo "#include \"$top/$d/$h\"" >"$out/shim/$h"
		done
	done
}
shim="-include $here/shim.h -I$out/shim -I$shared/shim"

# program NAME [FLAG...] FILE...: makes $out/NAME of these. Of a copy with a fault,
# only files that are changed, or include what is, are compiled again.
program()
{
	local prog=$1 flags='' objects='' word o to
	shift
	for word; do
		case $word in
		*.[cS]) ;;
		*) flags="$flags $word" ;;
		esac
	done
	[ -n "$changed" ] && flags="$flags -w"
	for word; do
		case $word in
		*.[cS]) ;;
		*) continue ;;
		esac
		o=${word#"$tree"} && o=$prog$(printf %s "${o#"$top"}" | tr / _).o
		if [ -n "$changed" ] && ! grep -qsxF "$top/$changed" "$out/good/$o.d"; then
			objects="$objects $out/good/$o"
			continue
		fi
		to=$out/good/$o
		[ -n "$changed" ] && to=$tree/$o
		objects="$objects $to"
		# shellcheck disable=SC2086 # lists
		$ccache "$CC" $flags $lean -MMD -MF "$out/deps" -c "$word" -o "$to" \
			>"$out/said" 2>&1 || return
		[ -n "$changed" ] || sed 's/\\$//' "$out/deps" | tr ' ' '\n' |
			sed -e :a -e 's#/[^/.][^/]*/\.\./#/#' -e ta >"$to.d"
	done
	# shellcheck disable=SC2086 # lists
	"$CC" $flags $objects -o "$out/$prog" >"$out/said" 2>&1
}

# prove NR PROGRAM [ARGUMENT...]: the function PROGRAM makes that program, whose
# results hold. $variant says how, if there are several.
prove()
{
	local nr=$1 prog=$2 title="$2${variant:+, $variant}"
	shift 2
	if "$prog"; then
		results "$nr" "$title" "$out/$prog" "$@"
	else
		say "not ok - $title builds"
		head -n 30 "$out/said" | sed 's/^/# /'
	fi
}

# planted NAME FILE SED: whether this fault is to be put in; the file with it is
# $out/planted. A sed that changes nothing is one that the code has moved away from.
planted()
{
	case $1 in *"$FAULT"*) nr_faults=$((nr_faults + 1)) ;; *) return 1 ;; esac
	sed "$3" "$2" >"$out/planted"
	if cmp -s "$2" "$out/planted"; then
		say "not ok - fault: $1 is found"
		echo "# nothing is changed"
		return 1
	fi
	[ -z "$QUICK" ]
}

# passes PROGRAM: soon, as a fault may also be an endless loop
passes()
{
	local most=$MOST
	[ -z "$lean" ] || [ "$most" -lt 3 ] || most=3
	sh -c 'ulimit -t "$1"; timeout 300 "$0"; exit $?' "$out/$1" "$most" >/dev/null 2>&1
}

# good_in_time PROGRAM: sets $lean if it passes when the file to be changed is compiled
# without sanitizers and optimization, which takes a fraction of the time. Fails if it
# passes in neither way, as then the clock alone would find each fault. Asked once for
# each program and file, before the file is changed.
good_in_time()
{
	local answer
	answer=$(sed -n "s#^$1 $changed ##p" "$out/lean" 2>/dev/null)
	if [ -z "$answer" ]; then
		lean="-O0 -g0 -fno-sanitize=all"
		if "$1" && passes "$1"; then
			answer=lean
		else
			lean= answer=slow
			"$1" && passes "$1" && answer=full
		fi
		echo "$1 $changed $answer" >>"$out/lean"
	fi
	lean=
	[ "$answer" != lean ] || lean="-O0 -g0 -fno-sanitize=all"
	[ "$answer" != slow ]
}

# fault PROGRAM FILE SED NAME: a test that cannot fail shows nothing, so the
# program of a tree in which sed has changed the file, in the folder $source,
# must not pass.
fault()
{
	planted "$4" "$top/$source/$2" "$3" || return 0
	rm -rf "$out/faulty"
	mkdir -p "$out/faulty/$(dirname "$source")"
	cp -r "$top/$source" "$out/faulty/$source"
	local why=
	tree=$out/faulty changed=$source/$2
	good_in_time "$1" || why="$1 does not pass without it in $MOST seconds"
	cp "$out/planted" "$tree/$changed"
	if [ -n "$why" ]; then
		:
	elif [ -z "$lean" ] || ! "$1" || passes "$1"; then
		# Sanitizers may find what the tests do not.
		lean=
		if ! "$1"; then
			why="does not compile: $(head -n 3 "$out/said" | tr '\n' ' ')"
		elif passes "$1"; then
			why="$1 passes"
		fi
	fi
	tree=$top changed='' lean=
	say "${why:+not }ok - fault: $4 is found"
	[ -z "$why" ] || say "# $why"
}

# Counts, and ends the suite.
finish()
{
	missing=
	for unit in $units; do
		cat "$out"/good/*.d 2>/dev/null | grep -qxF "$top/$unit" || missing="$missing $unit"
	done
	if [ -z "$units" ]; then
		:	# it compiles nothing
	elif [ -n "$missing" ] && grep -q '^ok .* # SKIP ' "$out/results"; then
		skip "units: all are compiled" "without$missing"
	elif [ -n "$missing" ]; then
		say "not ok - units: all are compiled"
		echo "# without$missing"
	else
		say "ok - units: all are compiled"
	fi
	[ -z "$FAULT" ] || [ $nr_faults != 0 ] || say "not ok - there is a fault $FAULT"
	skipped=$(grep -c '^ok .* # SKIP ' "$out/results")
	passed=$(($(grep -c '^ok ' "$out/results") - skipped))
	failed=$(grep -c '^not ok ' "$out/results")
	echo "1..$nr_results"
	echo "# $passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}
