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

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
source=$top/kernel/trace/ftrace
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
: "${CC:=gcc}" "${KSRC:=$top}"
passed=0 failed=0

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

# try NAME COMMAND...: the program's own lines, and one if it ends badly.
try()
{
	name=$1
	shift
	"$@" > "$out/log" 2> "$out/err"
	status=$?
	if [ $status -ne 0 ] && { [ -s "$out/err" ] || ! grep -q '^not ok - ' "$out/log"; }; then
		head -n 30 "$out/err" | sed 's/^/# /' >> "$out/log"
		echo "not ok - $name (status $status)" >> "$out/log"
	fi
	count "$out/log"
}

# Every header of the kernel's is the one that stands for them all, but for
# those that the C library's own headers need.
mkdir -p "$out/shim/linux" "$out/shim/kunit" "$out/shim/asm"
for h in $(cat "$source"/*.[ch] "$source"/tests/*_kunit.c "$source"/tests/model.h |
	   sed -n 's/^#include <\([a-z/0-9_]*\.h\)>.*/\1/p' | sort -u) linux/export.h; do
	case $h in linux/errno.h | linux/limits.h) continue ;; esac
	mkdir -p "$out/shim/$(dirname "$h")"
	echo '#include "shim.h"' > "$out/shim/$h"
done

glob=
for k in "$KSRC" "$top/build/base"; do
	[ -f "$k/lib/glob.c" ] && glob=$k/lib/glob.c && break
done

# build NAME CASES...: compiles into $out/NAME, or says why not.
build()
{
	name=$1
	shift
	if "$CC" -std=gnu11 -O1 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter \
		-Wno-missing-field-initializers \
		-fsanitize=address,undefined -fno-sanitize-recover=all ${BITS:-} \
		-include "$here/shim.h" -I"$out/shim" -I"$here" -iquote "$source" -iquote "$source/tests" \
		"$here/shim.c" "$@" -o "$out/$name" 2> "$out/cc"; then
		return 0
	fi
	sed 's/^/# /' "$out/cc" | head -n 30
	return 1
}

values="$source/siteset.c $source/filter.c $source/site.c"
cases="$source/tests/siteset_kunit.c $source/tests/filter_kunit.c $source/tests/site_kunit.c"

for BITS in "" -m32; do
	what="values${BITS:+ $BITS}"
	printf '#include <errno.h>\nint main(void) { return errno; }\n' > "$out/probe.c"
	if [ -n "$BITS" ] && ! "$CC" $BITS -fsanitize=address,undefined "$out/probe.c" \
		-o "$out/probe" 2> "$out/cc"; then
		echo "ok - $what # SKIP no libraries for it"
		continue
	fi
	# shellcheck disable=SC2086 # lists of files
	if build values $values $cases "$here/enomem.c"; then
		try "$what" "$out/values"
	else
		echo "not ok - $what: compiles" > "$out/log"
		count "$out/log"
	fi
done
BITS=

if [ -z "$glob" ]; then
	echo "ok - patterns # SKIP no kernel source: set KSRC"
elif build patterns "$source/match.c" "$glob" "$source/tests/match_kunit.c"; then
	try patterns "$out/patterns"
else
	echo "not ok - patterns: compiles" > "$out/log"
	count "$out/log"
fi

try layers "$top/tools/testing/ftrace/check-layers.sh" "$top"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
