#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trampolines of the function tracer on x86, without a kernel: the generated
# instructions as objdump reads them, and trampolines that are run.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units="arch/x86/kernel/ftrace/encode.c arch/x86/kernel/ftrace/frame.h
	arch/x86/kernel/ftrace/frame_macros.S"
. "$(dirname "$0")/../../shared/suite.sh"
source=$top/arch/x86/kernel/ftrace
stand_ins "$source/encode.c" "$source"/[ef]*.h "$here/tramp_32.c"
grep '^#define TEXT_COVER' "$top/arch/x86/include/asm/text-transaction.h" >"$out/covers.h"
flags="-g -Wall -Wextra -Wno-sign-compare -Werror $shim -I$source"

tramp()
{
	program tramp $flags -O2 -no-pie -fcf-protection=none -fno-omit-frame-pointer \
		-D_GNU_SOURCE -DCONFIG_X86_64 -include "$out/covers.h" $links \
		"$here/tramp.c" "$source/encode.c" "$here/harness.S"
}

tramp_32()
{
	program tramp_32 $flags $bits32 -O1 -nostdlib -static -ffreestanding -fno-pic -no-pie \
		-fcf-protection=none -fno-stack-protector -fno-omit-frame-pointer -mno-sse \
		-mregparm=3 -UCONFIG_X86_64 $links \
		"$here/tramp_32.c" "$source/encode.c" "$here/harness_32.S"
}

dump_32()
{
	program dump_32 $flags "$out/dump_32.c" "$source/encode.c"
}

# same_instructions WANTED CODE MACHINE: as objdump reads them, without addresses
same_instructions()
{
	objdump -D -b binary -m "$3" --adjust-vma=0x10000 "$2" |
		sed -n 's/^ *[0-9a-f]*:\t[^\t]*\t//p' | sed 's/  */ /g; s/ *$//' >"$out/got"
	diff "$1" "$out/got"
}

printf 'void _start(void) { __asm__("movl $1, %%eax; movl $42, %%ebx; int $0x80"); }\n' \
	>"$out/try.c"
$CC -m32 -nostdlib -static -o "$out/try" "$out/try.c" 2>"$out/said" && "$out/try"
runs_32=$?

for variant in "without frame links" "with frame links"; do
	links=-UCONFIG_FRAME_POINTER
	[ "$variant" = "with frame links" ] && links=-DCONFIG_FRAME_POINTER
	prove 26 tramp
	if [ $runs_32 = 42 ]; then
		prove 10 tramp_32
	else
		skip "tramp_32, $variant" "cannot be built or run here"
	fi
done

cat >"$out/want64" <<END
mov %rdi,0xa8(%rsp)
mov %rsi,0xb0(%rsp)
mov \$0x1,%edx
mov %rsp,%rcx
call 0x20000
mov 0xa8(%rsp),%rdi
mov 0xb0(%rsp),%rsi
mov \$0xffffffff81234502,%rdx
mov %rsp,%rcx
call 0x20000
mov 0xa8(%rsp),%rdi
mov 0xb0(%rsp),%rsi
movabs \$0xffff888012345603,%rdx
mov %rsp,%rcx
call 0x20000
mov 0xa8(%rsp),%rdi
mov 0xb0(%rsp),%rsi
mov \$0x87654304,%edx
mov %rsp,%rcx
call 0x20000
jmp 0x30000
ret
int3
int3
int3
int3
END
links=
tramp && "$out/tramp" "$out/code64"
check instructions_64_bit same_instructions "$out/want64" "$out/code64" i386:x86-64

cat >"$out/dump_32.c" <<'END'
#include <stdio.h>
#include <linux/types.h>
#include "encode.h"
int main(int argc, char **argv)
{
	static u8 buf[512];
	struct ftrace_code code = { .at = buf, .end = buf + sizeof(buf), .ip = 0x10000 };
	FILE *f = fopen(argv[argc - 1], "wb");
	int i;

	ftrace_put_keep(&code);
	for (i = 0; i < 2; i++) {
		ftrace_put_args(&code, i == 0, 0xc1234567);
		ftrace_put_call(&code, 0x20000);
	}
	ftrace_put_return(&code, 0);
	return !f || fwrite(buf, code.at - buf, 1, f) != 1 || fclose(f);
}
END
cat >"$out/want32" <<END
mov %eax,0x44(%esp)
mov %edx,0x48(%esp)
mov \$0xc1234567,%ecx
push %esp
call 0x20000
pop %ecx
mov 0x44(%esp),%eax
mov 0x48(%esp),%edx
mov \$0xc1234567,%ecx
push %esp
call 0x20000
pop %ecx
ret
int3
int3
int3
int3
END
dump_32 && "$out/dump_32" "$out/code32"
check instructions_32_bit same_instructions "$out/want32" "$out/code32" i386

finish
