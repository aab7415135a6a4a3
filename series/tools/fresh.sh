#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs one of the README's commands as a stranger would: in a Debian root with
# nothing installed but make and git, in a fresh clone of what is committed.
# usage: fresh.sh SUITE [run|test]
#
# The root lies in build/fresh/SUITE and is made anew each time. Needs root, for
# chroot; mounts and processes live in namespaces of their own and go with them.
# If the command succeeds, what it took is written into series/config/fresh, and
# README.md's minutes of make run are set.
. "$(dirname "$0")/lib.sh"

suite=${1:?usage: fresh.sh SUITE [run|test]}
part=${2:-test}
root=$build/fresh/$suite

case $part in
run|test) ;;
*) die "no such command of the README: make $part" ;;
esac
[ "$(id -u)" = 0 ] || die "only root can make a Debian root and enter it"

# What mmdebstrap mounts goes with it when it is killed: the next rm must not meet the
# machine's own /sys and /dev.
make_root()
{
	rm -rf "$root" && mkdir -p "$build/fresh" &&
	unshare --mount mmdebstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" &&
	cp -L /etc/resolv.conf "$root/etc/resolv.conf" &&
	git clone -q "$top" "$root$top"
}

# As the first process of its namespace: what it leaves running ends with it.
enter()
{
	unshare --mount --pid --fork sh -ec '
		mount -t proc proc "$1/proc"
		mount -t sysfs sysfs "$1/sys"
		mount --rbind /dev "$1/dev"
		# PID 1 ignores signals that it has no handler for, so make is not PID 1.
		chroot "$1" env -i HOME=/root TERM="${TERM-dumb}" \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			bash -c '\''TIMEFORMAT="%0R %0U %0S"
			{ time make --no-print-directory -C "$0" "$1" 2>&3; } 3>&2 2>/took'\'' "$3" "$2" || exit
		' - "$root" "$1" "$top" </dev/null
}

# A line "RELEASE COMMAND" with seconds by the clock, of processors in user and in
# system mode, and the number of processors.
write_down()
{
	to=$top/series/config/fresh
	sed -i "/^$suite $part /d" "$to" &&
	echo "$suite $part $(cat "$root/took") $(nproc)" >>"$to" && tail -n 1 "$to" &&
	minutes=$(awk '$2 == "run" && $3 > most { most = $3 } END { print int((most + 59) / 60) }' "$to") &&
	sed -i "s/\(A first \`make run\` takes\) [0-9]*/\1 $minutes/" "$top/README.md"
}

step "making a bare root of $suite" "$log/fresh-$suite.log" make_root || exit 1
begin=$(date +%s)
say "make $part in it"
enter "$part"
status=$?
[ "$status" != 0 ] || write_down
say "make $part in a bare root of $suite: status $status after $(($(date +%s) - begin)) s"
exit $status
