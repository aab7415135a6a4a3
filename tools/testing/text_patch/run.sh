#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the x86 text engine that need no kernel to boot: its pure parts under
# the address and undefined behaviour sanitisers, the model of its protocol,
# and, where a linked kernel is at hand, the calls of the commit path.
#
# usage: run.sh [VMLINUX...]
#
# Without arguments the kernel is vmlinux of this tree or of build/new, and the
# one in OBJS, if that is set.
#
# The kernel's header asm/nops.h is looked for where this file lies in a kernel
# tree, then in KSRC, then in build/base.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
arch=$top/arch/x86
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
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
	done <"$1"
}

# try NR NAME COMMAND...: the program's own lines, or one that says why there are
# none, or not NR.
try()
{
	nr=$1 name=$2
	shift 2
	"$@" >"$out/log" 2>&1
	status=$?
	if [ $status -ne 0 ] && ! grep -q '^not ok - ' "$out/log"; then
		sed 's/^/# /' "$out/log" | head -n 20
		echo "not ok - $name (status $status)" >"$out/log"
	fi
	got=$(grep -c -e '^ok - ' -e '^not ok - ' "$out/log")
	[ "$got" = "$nr" ] || echo "not ok - $name: $got of $nr results" >>"$out/log"
	count "$out/log"
}

nops=
for k in "$top" "$KSRC" "$top/build/base"; do
	[ -f "$k/arch/x86/include/asm/nops.h" ] && nops=$k/arch/x86/include && break
done

for bits in 64 32; do
	name="pure parts, $bits bit nops"
	if [ -z "$nops" ]; then
		echo "ok - $name # SKIP no kernel source: set KSRC"
		continue
	fi
	define=-DCONFIG_64BIT
	[ $bits = 32 ] && define=-UCONFIG_64BIT
	if ! ${CC:-gcc} -O1 -g -Wall -Wextra -Wno-sign-compare "$define" \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-I"$here/shim" -I"$arch/kernel/text_patch" -idirafter "$arch/include" \
		-idirafter "$nops" "$here/pure.c" -o "$out/pure" 2>"$out/cc"; then
		sed 's/^/# /' "$out/cc" | head -n 20
		echo "not ok - $name: compiles" >"$out/log"
		count "$out/log"
		continue
	fi
	try 16 "$name" "$out/pure"
done

if ${CC:-gcc} -O2 -Wall -Wextra "$here/model.c" -o "$out/model"; then
	try 43 model "$out/model"
else
	echo "not ok - model: compiles" >"$out/log"
	count "$out/log"
fi

if [ $# -eq 0 ]; then
	for v in "$top/vmlinux" "$top/build/new/vmlinux"; do
		[ -f "$v" ] && set -- "$v" && break
	done
	[ -n "$OBJS" ] && [ -f "$OBJS/vmlinux" ] && set -- "$@" "$OBJS/vmlinux"
fi
[ $# -eq 0 ] && echo "ok - commit path calls nothing that can be patched # SKIP no vmlinux"
for v; do
	try 1 "commit path of $v" "$here/check-calls.py" "$v"
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
