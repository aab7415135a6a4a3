#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Time, sites and memory over all objects of a kernel build, next to stock's.
#
#	BASE=tree OBJS=build compare-speed.sh
#
# Both tools get copies of the same objects, with any table hidden from them.
# Twice each: one process an object, as a build does it, and all objects on few
# command lines. Processor time, not elapsed time, because builds share machines;
# the best of ROUNDS (3) runs counts.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${BASE:?}" "${OBJS:?}" "${CC:=gcc}" "${ROUNDS:=3}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

$CC -O2 "$here"/../../../scripts/mcount/*.c -o "$work/ours"
$CC -O2 -w "$BASE/scripts/recordmcount.c" -o "$work/stock"

# a small parent: a child's peak counts from before its exec
cat > "$work/peak.c" << 'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	struct rusage use;
	int i;

	for (i = 2; i < argc; i++) {
		if (!vfork()) {
			freopen("/dev/null", "w", stderr);
			execl(argv[1], argv[1], argv[i], (char *)0);
			_exit(1);
		}
		wait(NULL);
	}
	getrusage(RUSAGE_CHILDREN, &use);
	printf("%ld\n", use.ru_maxrss);
	return 0;
}
END
$CC -O2 -w -static "$work/peak.c" -o "$work/peak"

mkdir "$work/clean"
n=0
find "$OBJS" -name '*.o' ! -name vmlinux.o ! -name '.*' | sort | while read -r o; do
	n=$((n + 1))
	cp "$o" "$work/clean/$n.o"
done
python3 - "$here" "$work/clean" << 'END'
import os, sys
sys.path.insert(0, sys.argv[1])
from table import hide
kept = 0
for f in os.listdir(sys.argv[2]):
    p = os.path.join(sys.argv[2], f)
    with open(p, "rb") as o:
        data = o.read()
    # a kernel build gives the tool objects of C code; leave the few others out
    if data[:4] != b"\x7fELF" or data[16] != 1:
        os.unlink(p)
        continue
    if b"__mcount_loc" in data:
        with open(p, "wb") as o:
            o.write(hide(data))
    kept += 1
print("%d objects" % kept)
sys.exit(not kept)
END

# spend NAME HOW: milliseconds of processor time of one round
spend() {
	rm -rf "$work/o"
	cp -r "$work/clean" "$work/o"
	(cd "$work/o" && python3 - "$work/$1" "$2" << 'END'
import os, resource, subprocess, sys
tool, how = sys.argv[1:]
files = sorted(os.listdir("."))
step = 1 if how == "single" else 500
null = open(os.devnull, "w")
for i in range(0, len(files), step):
    subprocess.call([tool] + files[i:i + step], stdout=null, stderr=null)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%d" % (1000 * (use.ru_utime + use.ru_stime)))
END
	)
}

# The tools take turns, so that a busy machine is equally unkind to both
for how in single many; do
	for _ in $(seq "$ROUNDS"); do
		for tool in stock ours; do
			spend $tool $how >> "$work/$tool.$how"
		done
	done
	for tool in stock ours; do
		echo "$tool, $how: $(sort -n "$work/$tool.$how" | head -n 1) ms of processor time"
	done
done
for tool in stock ours; do
	rm -rf "$work/o"
	cp -r "$work/clean" "$work/o"
	echo "$tool, largest peak of one process: $(find "$work/o" -name '*.o' | xargs "$work/peak" "$work/$tool" | sort -n | tail -n 1) kB"
done
python3 - "$here" "$work/o" << 'END'
import os, sys
sys.path.insert(0, sys.argv[1])
from table import load
counts = [len(load(os.path.join(sys.argv[2], f)).table() or []) for f in os.listdir(sys.argv[2])]
print("%d sites in %d objects" % (sum(counts), sum(1 for c in counts if c)))
END
