#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All tests of recordmcount, on the host; no kernel is built or booted.
#
#	BASE	an untouched kernel tree, for the tools to compare with (optional)
#	OBJS	a build directory, of whose objects some are made again for
#		comparison, with gcc's -mrecord-mcount (optional)
#	OUT	scratch directory; default: one that is removed at the end
#	CC	host compiler; default: gcc
#	QUICK	do without that comparison
#	RUNS	inputs for the fuzzer; default: 200000
#
# Prints a line a test, then the counts; status 1 if a test failed. What cannot
# be tested here is skipped with its reason. With arguments, only behaviour
# tests whose names contain one of them are run.

set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../../scripts/mcount" && pwd)
: "${CC:=gcc}" "${RUNS:=200000}" "${BASE:=}" "${OBJS:=}"
if [ -z "${OUT:-}" ]; then
	OUT=$(mktemp -d) || exit 1
	trap 'rm -rf "$OUT"' EXIT
	trap 'exit 1' HUP INT TERM
	keep=
else
	mkdir -p "$OUT" || exit 1
	OUT=$(cd "$OUT" && pwd)
	keep=1
fi
chmod 755 "$OUT"
export BASE OBJS OUT CC PYTHONDONTWRITEBYTECODE=1
parts="$source/elf_view.c $source/machine.c $source/sites.c $source/emit.c"
std="-std=gnu11 -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes"
san="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
log=$OUT/results
: > "$log"

say() { printf '%s\n' "$*" | tee -a "$log"; }

# check NAME COMMAND...: one test; what the command said follows a failure
check() {
	name=$1
	shift
	if "$@" > "$OUT/said" 2>&1; then
		say "ok - $name"
	else
		say "not ok - $name"
		head -n 20 "$OUT/said" | sed 's/^/# /' | tee -a "$log"
	fi
}

can_fuzz() {
	echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' > "$OUT/can.c"
	clang -fsanitize=fuzzer,address "$OUT/can.c" -o "$OUT/can" 2> /dev/null
}

seeds() {
	rm -rf "$OUT/seeds" && python3 "$here/corpus.py" "$OUT/seeds" || return 1
	for c in gcc aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc mips-linux-gnu-gcc \
		 powerpc64le-linux-gnu-gcc s390x-linux-gnu-gcc sparc64-linux-gnu-gcc; do
		command -v "$c" > /dev/null || continue
		"$c" -O2 -w -pg -c "$here/cases/kinds.c" -o "$OUT/seeds/$c.o" 2> /dev/null || :
	done
}

# results NR NAME COMMAND...: the program's own results; NR of them, or, where NR
# is "some", at least one. More is said if it ends badly.
results() {
	nr=$1 name=$2
	shift 2
	"$@" > "$OUT/said" 2>&1
	ended=$?
	sed '/^ok - /b;/^not ok - /b;/^# /b;s/^/# /' "$OUT/said" | tee -a "$log"
	got=$(grep -c -e '^ok - ' -e '^not ok - ' "$OUT/said")
	case $nr:$got in
	some:0)			say "not ok - ${name}_have_results" ;;
	some:* | "$got:$got")	;;
	*)			say "not ok - ${name}_have_${nr}_results_not_$got" ;;
	esac
	if [ $ended -ne 0 ] && ! grep -q '^not ok - ' "$OUT/said"; then
		say "not ok - ${name}_end_well_not_with_status_$ended"
	fi
}

# pytest's verdicts as result lines, and its reasons below them
behaviour() {
	(cd "$here" && $(command -v pytest-3 || echo python3 -m pytest) -p no:cacheprovider -v --tb=short --no-header -rs "$@" behaviour.py) > "$OUT/pytest" 2>&1
	ended=$?
	sed -nE 's/^behaviour\.py::test_(\S+) PASSED.*/ok - \1/p
		s/^behaviour\.py::test_(\S+) (FAILED|ERROR).*/not ok - \1/p
		s/^behaviour\.py::test_(\S+) SKIPPED \((.*)\).*/ok - \1 # SKIP \2/p' "$OUT/pytest"
	sed -n '/^=* \(FAILURES\|ERRORS\)/,$s/^/# /p' "$OUT/pytest" | head -n 60
	return $ended
}

fuzz() {
	seeds || return 1
	clang -std=gnu11 -g -O1 -I"$source" -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all "$here/fuzz_elf.c" $parts -o "$OUT/fuzz" || return 1
	(cd "$OUT" && ./fuzz -seed=1 -runs="$RUNS" -max_len=8192 -max_total_time=60 \
		-artifact_prefix="$OUT/" seeds)
}

check builds_without_a_warning $CC $std -O2 "$source"/*.c -o "$OUT/recordmcount"
check builds_under_sanitizers $CC $std $san "$source"/*.c -o "$OUT/recordmcount-san"
if [ ! -x "$OUT/recordmcount" ] || [ ! -x "$OUT/recordmcount-san" ]; then
	say "# nothing to test"
	echo "0 passed, 1 failed"
	exit 1
fi
export TOOL="$OUT/recordmcount" SAFE_TOOL="$OUT/recordmcount-san"

if [ $# -eq 0 ]; then
	check unit_tests_build $CC $std $san -Wno-missing-prototypes -I"$source" \
		-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=mmap,--wrap=fchmod,--wrap=rename \
		"$here/unit.c" "$source/file.c" $parts -o "$OUT/unit"
	case $($CC -dumpmachine) in
	x86_64*)	flags="-O2 -w -pg -mfentry -fno-pic -fno-asynchronous-unwind-tables" ;;
	*)		flags="-O2 -w -pg" ;;
	esac
	check object_for_unit_tests_builds $CC $flags -c "$here/cases/kinds.c" -o "$OUT/good.o"
	results 14 unit_tests "$OUT/unit" "$OUT/good.o" "$OUT/scratch.o"
	results 124 behaviour_tests behaviour
else
	results some behaviour_tests behaviour -k "$(echo "$*" | sed 's/ / or /g')"
fi

if [ $# -eq 0 ]; then
	if [ -n "$OBJS" ]; then
		rm -rf "$OUT/again"
		check sites_of_kernel_objects_equal_gcc sh -c \
			'python3 "$1/again.py" "$2" "$3" && python3 "$1/against_gcc.py" "$TOOL" "$3" "$4"' - \
			"$here" "$OBJS" "$OUT/again" "$OUT/against"
		sed 's/^/# /' "$OUT/said" | head -n 1
	elif [ -z "${QUICK:-}" ]; then
		say "ok - sites_of_kernel_objects_equal_gcc # SKIP OBJS is not set"
	fi
	if can_fuzz; then
		check fuzzer_finds_nothing fuzz
		grep '^Done' "$OUT/said" | sed 's/^/# /'
	else
		say "ok - fuzzer_finds_nothing # SKIP no clang with libFuzzer"
	fi
fi

skipped=$(grep -c '^ok .*# SKIP' "$log")
passed=$(($(grep -c '^ok ' "$log") - skipped))
failed=$(grep -c '^not ok ' "$log")
[ -n "$keep" ] && rm -rf "$OUT/t" "$OUT/again" "$OUT/against"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
