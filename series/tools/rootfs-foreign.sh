#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes the root file system of a guest that is of another architecture than this
# machine: the same jobs as rootfs.sh's, on Debian's packages for it, i386 or arm64. They
# are fetched into build/debian-ARCH; this machine's own packages and lists stay as they
# are.
# usage: rootfs-foreign.sh i386|arm64
#
# The result is build/rootfs-ARCH.cpio.
. "$(dirname "$0")/lib.sh"

packages="bash coreutils diffutils findutils gawk grep kmod mount procps
	rt-tests sed util-linux busybox-static"
busybox_names="ip poweroff reboot which"

arch=${1-} root=$build/rootfs-$arch
case $arch in
i386) ;;
arm64) packages="$packages dash trace-cmd libbpf1" ;;
*) die "usage: rootfs-foreign.sh i386|arm64" ;;
esac
store=$build/debian-$arch
one_at_a_time "rootfs-$arch"

apt()
{
	apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
		-o Dir::State="$store" -o Dir::State::status="$store/status" \
		-o Dir::Cache="$store" -o Debug::NoLocking=true "$@"
}

# An empty status: apt finds all that the packages ask for. A list that is not to
# be had is not missed as long as the packages are.
fetch()
{
	rm -rf "$store" && mkdir -p "$store/lists/partial" "$store/archives/partial" &&
	: >"$store/status" || return 1
	apt update
	apt install -y --download-only $packages && echo "$packages" >"$store/wanted"
}

inputs()
{
	guest_files | xargs cat
	ls "$store/archives" 2>/dev/null
}

populate()
{
	for deb in "$store"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --no-same-owner --keep-directory-symlink || return 1
	done
	rm -rf usr/share usr/lib/python3* usr/lib/*/perl* usr/lib/*/gconv var &&
	mkdir -p dev proc sys run tmp root mnt out var/tmp &&
	ln -s ../run var/run && ln -sf bash usr/bin/sh && ln -sf gawk usr/bin/awk &&
	ln -sf kmod usr/bin/lsmod || return 1
	for a in $busybox_names; do
		[ -e "usr/bin/$a" ] || ln -s busybox "usr/bin/$a" || return 1
	done
	add_guest_files
}

[ "$(cat "$store/wanted" 2>/dev/null)" = "$packages" ] ||
	step "fetching the $arch guest's packages" "$log/rootfs-$arch-fetch.log" fetch || exit 1
make_root_fs "making the $arch guest's root file system"
