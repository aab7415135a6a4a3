#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the torture modules on this machine: as root, in a kernel that has
# CONFIG_TRACEPOINT_TORTURE_TEST=m. Exits 1 if there was a fault.
#
# usage: torture.sh [SECONDS]
seconds=${1:-20}

modprobe tp_torture || exit 1
end=$(($(date +%s) + seconds))
rounds=0
while [ "$(date +%s)" -lt "$end" ]; do
	modprobe tp_torture_guest && sleep 0.1 && rmmod tp_torture_guest || break
	rounds=$((rounds + 1))
done
rmmod tp_torture || exit 1

said=$(dmesg | grep -o 'tp_torture: [0-9]* hits.*' | tail -n 1)
echo "$said, $rounds rounds of the guest"
case $said in
*", 0 faults") exit 0 ;;
esac
dmesg | grep 'tp_torture: FAULT' | head
exit 1
