#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes the 32 bit guest's root file system, build/rootfs32.cpio: the same jobs
# as rootfs.sh's, on Debian's i386 packages. They are fetched into
# build/debian-i386; this machine's own packages and lists stay as they are.
. "$(dirname "$0")/lib.sh"

packages="bash coreutils diffutils findutils gawk grep kmod mount procps
	rt-tests sed util-linux busybox-static"
busybox_names="ip poweroff reboot which"

store=$build/debian-i386
root=$build/rootfs32

apt()
{
	apt-get -q -o APT::Architecture=i386 -o APT::Architectures=i386 \
		-o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
		-o Dir::State="$store" -o Dir::State::status="$store/status" \
		-o Dir::Cache="$store" -o Debug::NoLocking=true "$@"
}

# An empty status: apt finds all that the packages ask for. A list that is not to
# be had is not missed as long as the packages are.
fetch()
{
	mkdir -p "$store/lists/partial" "$store/archives/partial" && : >"$store/status" || return 1
	apt update
	apt install -y --download-only $packages
}

inputs()
{
	cat "$top/series/tools/rootfs32.sh"
	guest_files | xargs cat
	ls "$store/archives" 2>/dev/null
}

populate()
{
	rm -rf "$root" && mkdir -p "$root/usr" && cd "$root" || return 1
	for d in bin sbin lib; do
		mkdir "usr/$d" && ln -s "usr/$d" "$d" || return 1
	done
	for deb in "$store"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --no-same-owner --keep-directory-symlink || return 1
	done
	rm -rf usr/share usr/lib/python3* var && mkdir -p dev proc sys run tmp root mnt out var/tmp &&
	ln -s ../run var/run && ln -sf bash usr/bin/sh && ln -sf gawk usr/bin/awk &&
	ln -sf kmod usr/bin/lsmod || return 1
	for a in $busybox_names; do
		[ -e "usr/bin/$a" ] || ln -s busybox "usr/bin/$a" || return 1
	done
	add_guest_files
}

pack()
{
	populate && find . -print0 | sort -z |
		cpio --null -o -H newc -R 0:0 --quiet >"$build/rootfs32.cpio" &&
	ls -l "$build/rootfs32.cpio"
}

key=$(inputs | sha256sum)
[ "$(cat "$build/rootfs32.key" 2>/dev/null)" = "$key" ] && [ -f "$build/rootfs32.cpio" ] && exit 0
ls "$store"/archives/*.deb >/dev/null 2>&1 ||
	step "fetching the 32 bit guest's packages" "$log/rootfs32-fetch.log" fetch || exit 1
step "making the 32 bit guest's root file system" "$log/rootfs32.log" pack || exit 1
inputs | sha256sum >"$build/rootfs32.key"
