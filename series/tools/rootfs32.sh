#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes the 32 bit guest's root file system, build/rootfs32.cpio: one program,
# built on the kernel's own small C library.
. "$(dirname "$0")/lib.sh"

root=$build/rootfs32

pack()
{
	rm -rf "$root" && mkdir -p "$root" && cd "$root" &&
	mkdir -p dev proc sys out lib tmp &&
	gcc -m32 -march=i686 -Os -Wall -static -nostdlib -fno-asynchronous-unwind-tables \
		-fno-ident -fno-stack-protector -fno-pic -no-pie \
		-I"$build/base/tools/include/nolibc" \
		-idirafter "/usr/include/$(gcc -print-multiarch)" \
		-include nolibc.h -o init "$top/series/guest32/init.c" &&
	find . -print0 | sort -z | cpio --null -o -H newc -R 0:0 --quiet >"$build/rootfs32.cpio"
}

step "making the 32 bit guest's root file system" "$log/rootfs32.log" pack
