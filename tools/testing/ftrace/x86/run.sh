#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trampolines of the function tracer on x86, without a kernel: the generated
# instructions as objdump reads them, and trampolines that are run.
#
# usage: run.sh

here=$(cd "$(dirname "$0")" && pwd)
src=$here/../../../../arch/x86/kernel/ftrace
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
. "$here/../results.sh"
cc="${CC:-gcc} -g -Wall -Wextra -Wno-sign-compare -Werror -I $src -I $here/shim"

# build NAME DEFINES...: with the instructions of a 64 bit trampoline
build()
{
	name=$1
	shift
	$cc -O2 -no-pie -fcf-protection=none -fno-omit-frame-pointer "$@" -o "$out/$name" \
		"$here/tramp.c" "$src/encode.c" "$here/harness.S"
}

# listing MACHINE FILE: instructions one a line, without addresses
listing()
{
	objdump -D -b binary -m "$1" --adjust-vma=0x10000 "$2" |
		sed -n 's/^ *[0-9a-f]*:\t[^\t]*\t//p' | sed 's/  */ /g; s/ *$//'
}

# compare NAME WANTED GOT
compare()
{
	if diff "$2" "$3" >"$out/diff" 2>&1; then
		echo "ok - $1"
	else
		sed 's/^/# /' "$out/diff"
		echo "not ok - $1"
		failed=1
	fi
}

for links in no yes; do
	define=-DCONFIG_X86_64
	[ $links = yes ] && define="$define -DCONFIG_FRAME_POINTER"
	echo "# frame links: $links"
	if build "tramp-$links" $define; then
		results 20 "$out/tramp-$links"
	else
		echo "not ok - builds with frame links: $links"
		failed=1
	fi
done

"$out/tramp-no" "$out/code64" && listing i386:x86-64 "$out/code64" >"$out/got64"
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
compare instructions_64_bit "$out/want64" "$out/got64"

# Where the machine can.
build_32()
{
	$cc -m32 -O1 -nostdlib -static -ffreestanding -fno-pic -no-pie -fcf-protection=none \
		-fno-stack-protector -fno-omit-frame-pointer -mno-sse -mregparm=3 "$@" -o "$out/tramp32" \
		"$here/tramp_32.c" "$src/encode.c" "$here/harness_32.S"
}

printf 'void _start(void) { __asm__("movl $1, %%eax; movl $42, %%ebx; int $0x80"); }\n' \
	>"$out/try32.c"
${CC:-gcc} -m32 -nostdlib -static -o "$out/try32" "$out/try32.c" 2>"$out/log" && "$out/try32"
if [ $? -ne 42 ]; then
	echo "ok - 32 bit # SKIP cannot be built or run here"
else
	for define in -UCONFIG_FRAME_POINTER -DCONFIG_FRAME_POINTER; do
		echo "# 32 bit, $define"
		if build_32 -UCONFIG_X86_64 $define; then
			results 10 "$out/tramp32"
		else
			echo "not ok - builds for 32 bit with $define"
			failed=1
		fi
	done
fi

cat >"$out/dump32.c" <<'END'
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
	ftrace_put_return(&code);
	return !f || fwrite(buf, code.at - buf, 1, f) != 1 || fclose(f);
}
END
$cc -o "$out/dump32" "$out/dump32.c" "$src/encode.c" && "$out/dump32" "$out/code32" &&
	listing i386 "$out/code32" >"$out/got32"
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
compare instructions_32_bit "$out/want32" "$out/got32"

exit $failed
