#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trampolines of the function tracer on arm64, without a kernel: they are made and run
# in user space, by an emulator if this machine is another one.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="arch/arm64/kernel/ftrace/encode.c arch/arm64/kernel/ftrace/entry.S"
. "$(dirname "$0")/../../shared/suite.sh"
[ "$(uname -m)" = aarch64 ] || CC=aarch64-linux-gnu-gcc
source=$top/arch/arm64/kernel/ftrace
run=
[ "$(uname -m)" = aarch64 ] || run=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
if ! command -v "$CC" >/dev/null || { [ "$(uname -m)" != aarch64 ] && [ -z "$run" ]; }; then
	skip tramp "there is no compiler for arm64, or no qemu-aarch64"
	finish
fi
real=linux/ftrace/arch.h
stand_ins "$source"/*.[chS] "$here/tramp.c"
: >"$out/shim/linux/errno.h"

tramp()
{
	program tramp.arm64 -g -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter -Werror $shim \
		-I"$source" -O2 -march=armv8-a -nostdlib -static -ffreestanding -fno-pic -no-pie \
		-fno-stack-protector -fno-omit-frame-pointer -mgeneral-regs-only -DCONFIG_FUNCTION_GRAPH_TRACER \
		"$here/tramp.c" "$source/encode.c" "$source/entry.S" "$here/harness.S" || return 1
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$run" "$out/tramp.arm64" >"$out/tramp" &&
	chmod 755 "$out/tramp"
}

prove 16 tramp

finish
