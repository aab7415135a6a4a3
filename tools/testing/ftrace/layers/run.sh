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

# faulty NAME FILE SCRIPT: a tree in which sed has changed the file so is refused
faulty()
{
	planted "$1" "$top/$2" "$3" || return 0
	rm -rf "$out/faulty"
	mkdir -p "$out/faulty/$source" "$out/faulty/${design%/*}"
	cp "$top/${source%/*}"/*fast*.[ch] "$out/faulty/${source%/*}"
	cp -r "$top/$source" "$out/faulty/${source%/*}"
	cp "$top/$design" "$out/faulty/$design"
	why=
	"$here/../check-layers.py" "$out/faulty" >/dev/null 2>&1 || why="refused without it"
	cp "$out/planted" "$out/faulty/$2"
	"$here/../check-layers.py" "$out/faulty" >/dev/null 2>&1 && why="not refused"
	say "${why:+not }ok - fault: $1 is found"
	[ -z "$why" ] || say "# $why"
}

# misplaced NAME FILE LINE: the same, with the line at the file's end
misplaced()
{
	faulty "$1" "$2" "\$a\\
$3"
}

# calling NAME FILE CALL: the same, with a function that makes the call
calling()
{
	misplaced "$1" "$2" "void f(void)\\
{\\
	$3;\\
}"
}

misplaced "a header from the right" $source/sites/filter.h '#include "../hooks/ops.h"'
calling "a call to the right" $source/sites/fault.c "ftrace_combo_sweep()"
calling "a ring of calls" $source/hooks/plan.c "ftrace_plan_commit(NULL)"
calling "a ring by what a header has inline" $source/hooks/target_sets.c "ftrace_site_nop(NULL)"
misplaced "a ring by a source that is included" $source/hooks/hook.c '#include "slot.c"'
calling "a ring by way of the recorders" $source/../trace_fast.c "fgraph_update()"
faulty "a ring that is untied" $source/../trace_fast.c '/graph\/call\.c/d'
faulty "another order" $design 's/^    sites -> .*/    sites -> graph/'

finish
