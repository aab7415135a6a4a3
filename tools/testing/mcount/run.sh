#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All tests of recordmcount, on the host; no kernel is built or booted.
#
# usage: run.sh [WORD...]	see ../shared/suite.sh for its environment, and
#
#	BASE	an untouched kernel tree, for the tools to compare with (optional)
#	OBJS	a build directory, of whose objects some are made again for
#		comparison, with gcc's -mrecord-mcount (optional)
#	RUNS	inputs for the fuzzer; default: 200000, 20000 if QUICK
#
# What cannot be tested here is skipped with its reason. With arguments, only
# behaviour tests are run whose names, or whose file's name, contain one of them.
# QUICK leaves out the comparison with gcc.

units="scripts/mcount/elf_layout.h scripts/mcount/elf_put.c scripts/mcount/elf_view.c
	scripts/mcount/emit.c scripts/mcount/file.c scripts/mcount/machine.c
	scripts/mcount/main.c scripts/mcount/sites.c"
. "$(dirname "$0")/../shared/suite.sh"
source=$top/scripts/mcount
: "${RUNS:=$([ -n "$QUICK" ] && echo 20000 || echo 200000)}" "${BASE:=}" "${OBJS:=}"
chmod 755 "$out"
OUT=$out
export BASE OBJS OUT CC PYTHONDONTWRITEBYTECODE=1
parts="$source/elf_view.c $source/elf_put.c $source/machine.c $source/sites.c
	$source/emit.c"
all="$source/main.c $source/file.c $parts"
std="-std=gnu11 -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes"

can_fuzz()
{
	echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >"$out/can.c"
	clang -fsanitize=fuzzer,address "$out/can.c" -o "$out/can" 2>/dev/null
}

seeds()
{
	rm -rf "$out/seeds" && python3 "$here/corpus.py" "$out/seeds" || return 1
	for c in gcc aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc mips-linux-gnu-gcc \
		 powerpc64le-linux-gnu-gcc s390x-linux-gnu-gcc sparc64-linux-gnu-gcc; do
		command -v "$c" >/dev/null || continue
		"$c" -O2 -w -pg -c "$here/cases/kinds.c" -o "$out/seeds/$c.o" 2>/dev/null || :
	done
}

# pytest's verdicts as result lines, and its reasons below them
behaviour()
{
	local status
	rm -f "$out/pytest.xml"
	(cd "$here" && $(command -v pytest-3 || echo python3 -m pytest) -p no:cacheprovider -q \
		--tb=short --no-header --junitxml="$out/pytest.xml" "$@" \
		test_sites.py test_symbols.py test_command.py test_edges.py) >"$out/pytest" 2>&1
	status=$?
	python3 "$here/results.py" "$out/pytest.xml"
	return $status
}

fuzz()
{
	seeds || return 1
	clang -std=gnu11 -g -O1 -I"$source" -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all "$here/fuzz_elf.c" $parts -o "$out/fuzz" || return 1
	(cd "$out" && ./fuzz -seed=1 -runs="$RUNS" -max_len=8192 -max_total_time=60 \
		-artifact_prefix="$out/" seeds)
}

check builds_without_a_warning program recordmcount $std -O2 $all
check builds_under_sanitizers program recordmcount-san $checked $std $all
if [ ! -x "$out/recordmcount" ] || [ ! -x "$out/recordmcount-san" ]; then
	finish
fi
export TOOL="$out/recordmcount" SAFE_TOOL="$out/recordmcount-san"

if [ $# -gt 0 ]; then
	results some behaviour_tests behaviour -k "$(echo "$*" | sed 's/ / or /g')"
	finish
fi

check unit_tests_build program unit $checked $std -Wno-missing-prototypes -I"$source" \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=mmap,--wrap=fchmod,--wrap=rename \
	"$here/unit.c" "$source/file.c" $parts
case $($CC -dumpmachine) in
x86_64*)	flags="-O2 -w -pg -mfentry -fno-pic -fno-asynchronous-unwind-tables" ;;
*)		flags="-O2 -w -pg" ;;
esac
check object_for_unit_tests_builds $CC $flags -c "$here/cases/kinds.c" -o "$out/good.o"
results 14 unit_tests "$out/unit" "$out/good.o" "$out/scratch.o"
results 157 behaviour_tests behaviour

if [ -n "$OBJS" ]; then
	rm -rf "$out/again"
	check sites_of_kernel_objects_equal_gcc sh -c \
		'python3 "$1/again.py" "$2" "$3" && python3 "$1/against_gcc.py" "$TOOL" "$3" "$4"' - \
		"$here" "$OBJS" "$out/again" "$out/against"
	sed 's/^/# /' "$out/said" | head -n 1
elif [ -z "$QUICK" ]; then
	skip sites_of_kernel_objects_equal_gcc "OBJS is not set"
fi
if can_fuzz; then
	check fuzzer_finds_nothing fuzz
	grep '^Done' "$out/said" | sed 's/^/# /'
else
	skip fuzzer_finds_nothing "no clang with libFuzzer"
fi

rm -rf "$out/t" "$out/again" "$out/against"
finish
