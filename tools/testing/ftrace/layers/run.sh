#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The order of layers, and that check-layers.py refuses trees that break it.
#
# usage: run.sh		see ../../shared/suite.sh for its environment

units=
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace/ftrace
design=Documentation/trace/ftrace/design.rst

results 1 layers "$here/../check-layers.py" "$top"

# misplaced NAME FILE TEXT: a tree in which the file ends with that is refused
misplaced()
{
	planted "$1" || return 0
	rm -rf "$out/faulty"
	mkdir -p "$out/faulty/kernel/trace" "$out/faulty/${design%/*}"
	cp -r "$top/$source" "$out/faulty/$source"
	cp "$top/$design" "$out/faulty/$design"
	why=
	"$here/../check-layers.py" "$out/faulty" >/dev/null 2>&1 || why="refused without it"
	printf '%s\n' "$3" >>"$out/faulty/$2"
	"$here/../check-layers.py" "$out/faulty" >/dev/null 2>&1 && why="not refused"
	say "${why:+not }ok - fault: $1 is found"
	[ -z "$why" ] || say "# $why"
}

misplaced "a header from the right" $source/sites/filter.h '#include "../hooks/ops.h"'
misplaced "a call to the right" $source/sites/fault.c 'void f(void)
{
	ftrace_combo_sweep();
}'
misplaced "a ring of calls" $source/hooks/plan.c 'void f(struct ftrace_plan *plan)
{
	ftrace_plan_commit(plan);
}'
misplaced "another order" $design '    sites -> graph'

finish
