#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes the guest's root file system, build/rootfs.cpio, from the programs of
# this machine's own Debian packages with the libraries that they ask for.
# Needs no network and no root: an initramfs names root as owner by itself.
. "$(dirname "$0")/lib.sh"

# The real tools; what else a shell script calls is busybox's.
programs="bash dash trace-cmd perf hackbench cyclictest ip ping kmod chrt taskset
	mount umount ps pgrep pkill kill grep sed gawk find xargs cmp diff file
	unshare setsid dmesg getconf getopt more sysctl
	cat chgrp chmod chown cp cut date dd df dirname basename echo env expr
	false fold head id ln ls mkdir mkfifo mknod mktemp mv nice nl nproc od paste
	printf pwd readlink realpath rm rmdir seq sha256sum sleep sort split
	stat stty sync tac tail tee test timeout touch tr true truncate tty
	uname uniq wc whoami yes lscpu readelf"
kmod_names="depmod insmod lsmod modinfo modprobe rmmod"

root=$build/rootfs
one_at_a_time rootfs

# What it is made of besides: the guest's files and the versions of all programs.
inputs()
{
	guest_files | xargs cat
	for p in $programs; do
		stat -L -c '%n %s %Y' "$(command -v "$p")" 2>/dev/null
	done
}

# add FILE: put FILE, and what its name links to, at its place.
add()
{
	mkdir -p "$root$(dirname "$(realpath "$1")")" "$root$(dirname "$1")"
	[ -e "$root$1" ] || cp -L "$1" "$root$1"
}

populate()
{
	mkdir -p dev proc sys run tmp etc root mnt out var/tmp usr/local/bin &&
	ln -s ../run var/run || return 1

	for p in $programs; do
		path=$(PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v "$p") || {
			echo "Error: this machine has no $p"
			return 1
		}
		case $path in
		/*) ;;
		*) path=/usr/bin/$p ;;		# a builtin of this shell
		esac
		add "$path" || return 1
		ldd "$path" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
			add "$lib" || exit 1
		done || return 1
	done
	for n in $kmod_names; do
		ln -s ../bin/kmod "usr/sbin/$n" || return 1
	done
	ln -s dash usr/bin/sh && ln -s gawk usr/bin/awk || return 1

	add /usr/bin/busybox || return 1
	for a in $(busybox --list); do
		[ -e "usr/bin/$a" ] || [ -e "usr/sbin/$a" ] || ln -s busybox "usr/bin/$a" || return 1
	done

	for plugins in /usr/lib/*/traceevent/plugins; do
		[ -d "$plugins" ] && mkdir -p ".$(dirname "$plugins")" &&
			cp -r "$plugins" ".$plugins"
	done
	add_guest_files || return 1
	for c in $(guest_files | grep '\.c$' | grep -v test_modules); do
		gcc -O2 -D_GNU_SOURCE= -static -o "usr/local/bin/$(basename "$c" .c)" "$c" || return 1
	done
}

make_root_fs "making the guest's root file system"
