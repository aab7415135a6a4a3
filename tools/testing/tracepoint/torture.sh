#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the torture modules on this machine: as root, in a kernel that has
# CONFIG_TRACEPOINT_TORTURE_TEST=m. Exits 1 if there was a fault, or if there
# were no hits, no changes, no rounds of the guest module, or nothing of one kind:
# in timers' interrupts, in NMIs where there are any, asleep, or freed by callbacks.
#
# usage: torture.sh [SECONDS]
seconds=${1:-20}

modprobe tp_torture || exit 1
end=$(($(date +%s) + seconds))
rounds=0
while [ "$(date +%s)" -lt "$end" ]; do
	if ! modprobe tp_torture_guest || ! sleep 0.1 || ! rmmod tp_torture_guest; then
		echo "the guest does not come and go"
		rmmod tp_torture
		exit 1
	fi
	# An NMI for each other processor.
	[ ! -w /proc/sysrq-trigger ] || echo l >/proc/sysrq-trigger
	rounds=$((rounds + 1))
done
rmmod tp_torture || exit 1

said=$(dmesg | grep -o 'tp_torture: [0-9]* hits.*' | tail -n 1)
echo "$said, $rounds rounds of the guest"
if ! printf '%s\n' "$said" | grep -q '[^0-9]0 faults$'; then
	dmesg | grep 'tp_torture: FAULT' | head
	exit 1
fi
some='[1-9][0-9]*' nmis='[0-9]*'
case $(uname -m):$(nproc) in
*86*:1) ;;
*86*) [ ! -w /proc/sysrq-trigger ] || nmis=$some ;;
esac
printf '%s\n' "$said" | grep -q ": $some hits, $some changes, $some by timers, $nmis by NMIs, $some slept, $some freed," &&
	[ "$rounds" -gt 0 ]
