#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes a Debian that has the packages of build/deb, for machine.py: build/debian, with
# the disk, on which systemd starts one job, the kernel and the initrd that it was given.
# usage: debian.sh new|classic
. "$(dirname "$0")/lib.sh"

suite=trixie
out=$build/debian
root=$out/root
impl=${1:?usage: debian.sh new|classic}
[ "$(id -u)" = 0 ] || die "only root can make a Debian root"

# As machine.rst says to install the packages: the kernel's makes an initrd then. What
# mmdebstrap mounts goes with it when it is killed, before the next rm.
make_root()
{
	rm -rf "$out" && mkdir -p "$out" &&
	unshare --mount mmdebstrap --variant=minbase "$suite" "$root" \
		--include=systemd-sysv,udev,dbus,kmod \
		--include=initramfs-tools,zstd,procps,gawk,linux-perf,bpftrace,trace-cmd,python3 \
		--customize-hook="copy-in $(echo "$build"/deb/*-ftrace-"$impl"_*.deb "$build"/deb/ftrace-figures_*.deb) /root" \
		--customize-hook='chroot "$1" sh -c "apt-get -y install /root/*.deb && rm /root/*.deb"' &&
	# The guest's own names and shell settings are for a root without Debian's.
	mkdir "$out/guest" && (cd "$out/guest" && add_guest_files) && rm -r "$out/guest/etc" &&
	cp -r "$out/guest/." "$root" || return 1
	cat >"$root/etc/systemd/system/job.service" <<-END
		[Unit]
		Description=the job that this machine is there for
		[Service]
		ExecStart=/init
		Environment=job=debian HOME=/root
		[Install]
		WantedBy=multi-user.target
	END
	chroot "$root" systemctl enable job.service
}

# A kernel's folder as machine.py knows it, whose modules are on the disk and in the initrd.
make_machine()
{
	cp "$root"/boot/vmlinuz-* "$out/bzImage" && cp "$root"/boot/config-* "$out/.config" &&
	cp "$root"/boot/initrd.img-* "$out/initrd.img" && : >"$out/modules.cpio" &&
	truncate -s 3G "$out/disk" && /sbin/mke2fs -q -t ext4 -d "$root" "$out/disk" &&
	rm -r "$root" "$out/guest"
}

step "installing packages of -ftrace-$impl in a root of $suite" "$log/debian.log" make_root &&
	step "making its disk" "$log/debian-disk.log" make_machine
