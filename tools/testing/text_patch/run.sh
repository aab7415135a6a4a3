#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the x86 text engine that need no kernel to boot: its pure parts under
# the address and undefined behaviour sanitisers, the model of its protocol,
# and, where a linked kernel is at hand, the calls of the commit path.
#
# usage: run.sh [VMLINUX...]	see ../shared/suite.sh for its environment
#
# Without arguments the kernel is $VMLINUX, or else the one of this tree.

units="arch/x86/kernel/text_patch/insn.h arch/x86/kernel/text_patch/queue.c"
. "$(dirname "$0")/../shared/suite.sh"
arch=$top/arch/x86
engine=$arch/kernel/text_patch
nops=$(kernel_file arch/x86/include/asm/nops.h)
real="asm/text-patching.h asm/text-transaction.h"
stand_ins "$engine/insn.h" "$engine"/queue.[ch] "$arch/include/asm/text-patching.h" \
	"$arch/include/asm/text-transaction.h" ${nops:+"$nops"}
rm -f "$out/shim/asm/nops.h"

pure()
{
	program pure $checked $define $shim -I"$engine" -idirafter "${nops%/asm/nops.h}" \
		"$here/pure.c"
}

model()
{
	program model $checked -O2 "$here/model.c" "$here/protocols.c"
}

for variant in "64 bit nops" "32 bit nops"; do
	define="-DCONFIG_64BIT -DIS_ENABLED(option)=1"	# CONFIG_X86_64
	[ "$variant" = "64 bit nops" ] || define=-UCONFIG_64BIT
	if [ -n "$nops" ]; then
		prove 25 pure
	else
		skip "pure, $variant" "no kernel source: set KSRC"
	fi
done

variant=
prove 46 model

if [ $# -eq 0 ]; then
	for v in "${VMLINUX:-}" "$top/vmlinux"; do
		[ -f "$v" ] && set -- "$v" && break
	done
fi
[ $# -eq 0 ] && skip "the commit path calls nothing that can be patched" "no vmlinux"
for v; do
	results 1 "commit path of $v" "$here/check-calls.py" "$v"
done

finish
