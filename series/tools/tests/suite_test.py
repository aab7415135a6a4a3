# SPDX-License-Identifier: GPL-2.0
"""tools/testing/shared/suite.sh on a suite of one program: what it must not let pass."""
import os
import re
import subprocess
import tempfile

import pytest

import tree
from files import text, write

SHARED = "tools/testing/shared/suite.sh"
FILES = {
    "kernel/unit.h": "#define FACTOR 2\nint twice(int n);\n",
    "kernel/unit.c": '#include "unit.h"\nint twice(int n) { return FACTOR * n; }\n',
    "kernel/other.c": "int other;\n",
    "tools/testing/small/small.c": """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "unit.h"
int main(void)
{
	int bad = twice(2) != 4;

	while (getenv("BUSY") && clock() < 2 * CLOCKS_PER_SEC)
		;
	if (getenv("LEAK") && !malloc(8))
		return 1;
	printf("%s - twice\\n", bad ? "not ok" : "ok");
	return bad || getenv("END");
}
""",
    "tools/testing/small/run.sh": """units="kernel/unit.c ${UNIT:-}"
. "$(dirname "$0")/../shared/suite.sh"
source=kernel
small() { program small $checked -I"$tree/kernel" "$here/small.c" "$tree/kernel/unit.c"; }
prove "${NR:-1}" small
fault small unit.c 's/FACTOR/3/' "in the source"
fault small unit.h 's/2/3/' "in the header"
[ -z "${PLANT:-}" ] || fault small unit.c "$PLANT" "planted"
finish
"""}

GOOD = ["twice", "fault: in the source is found", "fault: in the header is found", "units: all are compiled"]


def ktap(names):
    return ["KTAP version 1", *(f"ok {nr} - {name}" for nr, name in enumerate(names, 1)), f"1..{len(names)}"]


def run(*words, **env):
    """Its status and lines, without reasons."""
    with tempfile.TemporaryDirectory() as top:
        for path, content in {**FILES, SHARED: text(os.path.join(tree.TOP, SHARED))}.items():
            write(os.path.join(top, path), content)
        p = subprocess.run(["sh", os.path.join(top, "tools/testing/small/run.sh"), *words], capture_output=True,
                           text=True, check=False, env={**os.environ, "OUT": "", "QUICK": "", **env})
        return p.returncode, [line for line in p.stdout.splitlines() if not line.startswith("# ")]


def test_results_are_taken_over_and_faults_are_found():
    status, lines = run()
    assert (status, lines) == (0, ktap(GOOD))
    with tempfile.NamedTemporaryFile("w", suffix=".tap") as said:
        said.write("\n".join(lines) + "\n")
        said.flush()
        read = subprocess.run(["prove", "--exec", "cat", said.name], capture_output=True, text=True, check=True).stdout
    assert "Tests=4" in read and "Result: PASS" in read


def test_without_faults_it_is_quick():
    assert run(QUICK="1") == (0, ktap([GOOD[0], GOOD[3]]))


def test_one_fault_can_be_chosen():
    assert run(FAULT="header") == (0, ktap([GOOD[0], *GOOD[2:]]))


@pytest.mark.parametrize("env, line", [
    ({"NR": "2"}, "not ok - small: 1 of 2 results"),
    ({"NR": "0"}, "not ok - small: no results"),
    ({"LEAK": "1"}, "not ok - small: ends well (status 1)"),
    ({"END": "1"}, "not ok - small: ends well (status 1)"),
    ({"CC": "false"}, "not ok - small builds"),
    ({"UNIT": "kernel/other.c"}, "not ok - units: all are compiled"),
    ({"FAULT": "that is not there"}, "not ok - there is a fault that is not there"),
    ({"PLANT": "s/absent//"}, "not ok - fault: planted is found"),
    ({"PLANT": "s/absent//", "QUICK": "1"}, "not ok - fault: planted is found"),
    ({"PLANT": "s/n;/n + 0;/"}, "not ok - fault: planted is found"),
    ({"PLANT": "s/return/retrun/"}, "not ok - fault: planted is found"),
    ({"BUSY": "1", "MOST": "1"}, "not ok - fault: in the source is found"),
], ids=["too few results", "no results", "a leak", "a bad end", "no compiler", "a unit that is not built",
        "no such fault", "a fault that changes nothing", "the same when none is planted", "a fault that is not found",
        "a fault that is no C", "a program that takes longer than its faults may"])
def test_what_must_not_pass(env, line):
    status, lines = run(**env)
    assert status == 1 and line in [re.sub("^not ok [0-9]+ ", "not ok ", said) for said in lines]
    assert lines[-1] == f"1..{len(lines) - 2}"


def test_the_units_are_listed():
    assert run("--units", UNIT="kernel/other.c") == (0, ["kernel/unit.c", "kernel/other.c"])
