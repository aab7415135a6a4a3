#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The table that came with the first tracepoints: hackbench on a kernel without
# tracepoints and dynamic ftrace, and on one that has both, turned off.
#
# usage: hackbench-table.sh WITHOUT WITH
#
# WITHOUT and WITH are build directories as series/tools/machine.py wants them. Once
# under -icount, where the seconds of the guest are instructions (10^9 in a second, and
# what all CPUs idled), and once without, where they are time as the machine that
# emulates has it to spare.
#
#	RUNS=5 LOOPS=100 MOST=800 STEP=50	how much of it
#	CPUS="2 4 8" MODES="icount time"	and where
cd "$(dirname "$0")/../.." || exit 1
without=${1:?usage: hackbench-table.sh WITHOUT WITH} with=${2:?usage: hackbench-table.sh WITHOUT WITH}
runs=${RUNS:-5} loops=${LOOPS:-100} most=${MOST:-800} step=${STEP:-50}
out=${BUILD:-build}/out/hackbench-table
mkdir -p "$out"

# run KERNEL CPUS MODE TO: one boot, all numbers of processes
run()
{
	flag=
	[ "$3" = icount ] && flag=--icount
	series/tools/machine.py "$1" hackbench-table --name "hackbench-$4" \
		--smp "$2" --mem 2048 --timeout 36000 --quiet $flag \
		--append "quiet nokaslr hb_runs=$runs hb_loops=$loops hb_most=$most hb_step=$step" ||
		return 1
	grep '^HB' "${BUILD:-build}/log/hackbench-$4.job" >"$out/$4"
}

# table CPUS MODE: the seed's own form
table()
{
	echo
	echo "* $1 CPUs, $2, mean of $runs runs"
	awk '
		FNR == NR { a[$2] += $4; na[$2]++; next }
		{ b[$2] += $4; nb[$2]++; if (!($2 in seen)) { seen[$2]; order[++n] = $2 } }
		END {
			print "Number of | without      | with         | diff     | diff    |"
			print "processes | tracepoints  | tracepoints  | [Sec]    | [%]     |"
			print "--------------------------------------------------------------"
			for (i = 1; i <= n; i++) {
				p = order[i]
				x = a[p] / na[p]; y = b[p] / nb[p]
				d = 100 * (y - x) / x; sum += d
				printf "%9d | %12.4f | %12.4f | %+8.4f | %+7.2f |\n", p, x, y, y - x, d
			}
			print "--------------------------------------------------------------"
			printf "mean difference %+.2f %%\n", sum / n
		}' "$out/without-$1-$2" "$out/with-$1-$2"
}

for cpus in ${CPUS:-2 4 8}; do
	for mode in ${MODES:-icount time}; do
		run "$without" "$cpus" "$mode" "without-$cpus-$mode" || exit 1
		run "$with" "$cpus" "$mode" "with-$cpus-$mode" || exit 1
		table "$cpus" "$mode"
	done
done
