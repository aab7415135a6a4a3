#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The harshest judge of changing text while it runs that needs no hardware:
# QEMU with a thread for each CPU. It translates code while other CPUs change
# it and goes on with what it has translated, so CPUs come late to breakpoints,
# and a kernel that does not know what to do there dies.
#
# usage: stress-mttcg.sh [KERNELDIR]		default: build/new
# BOOTS (20) machines with two CPUs, one after the other; in each, both function tracers,
# all events and some static keys are switched ROUNDS (20) times under hackbench.

top=$(cd "$(dirname "$0")/../.." && pwd)
kernel=${1:-$top/build/new}
boots=${BOOTS:-20} rounds=${ROUNDS:-20}
failed=0

echo "KTAP version 1"
sh "$top/series/tools/rootfs.sh" || exit 1

n=1
while [ "$n" -le "$boots" ]; do
	begin=$(date +%s)
	if why=$(python3 "$top/series/tools/machine.py" "$kernel" stress-mttcg --quiet \
		--name "stress-mttcg-$n" --accel tcg,thread=multi --smp 2 \
		--timeout 1800 --append "quiet rounds=$rounds" 2>&1); then
		echo "ok $n - boot $n, $rounds rounds"
	else
		failed=$((failed + 1))
		echo "not ok $n - boot $n, $rounds rounds"
		echo "$why" | sed 's/^/# /'
	fi
	echo "# $(($(date +%s) - begin)) s"
	n=$((n + 1))
done
echo "1..$boots"
[ "$failed" -eq 0 ] && [ "$boots" -gt 0 ]
