# SPDX-License-Identifier: GPL-2.0
"""The run of parts: some small ones, in two processes and in one."""
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import plugin
from files import text, write

PARTS = """
import os
import pytest
from plugin import needed


def count(tally):
    with open(os.environ["COUNT"], "a") as f:
        f.write("x")
    tally.result(os.environ.get("GOOD"), "first: is there", ["for no reason"])


def test_first(tally):
    from plugin import once
    tally.adopt(once("first", count)[1])


@pytest.mark.parametrize("nr", [pytest.param(nr, id=f"that needs {nr}") for nr in "123"])
def test_needs(tally, nr):
    needed("first", count)
    tally.result(True, f"needs: {nr}")


@pytest.mark.of("halves")
@pytest.mark.parametrize("nr", [pytest.param(nr, id=f"half {nr}") for nr in "12"])
def test_half(tally, nr):
    tally.result(True, f"half: {nr}")
    tally.note("words of it")
    tally.skip(f"other half: {nr}", "no tool")


def test_bad(tally):
    tally.result(True, "bad: a")
    tally.result(False, "bad: b", ["why \\x1b not"])


def test_broken(tally):
    tally.result(True, "broken: a")
    1 // 0


def test_killed(tally):
    os.kill(os.getpid(), 9)


@pytest.mark.kinds("test-long")
def test_for_long(tally):
    tally.result(True, "long: a")


@pytest.mark.brief("test")
def test_short(tally, brief):
    tally.result(brief, "short: in brief")
"""

LIST = """part halves
half: 1
half: 2
other half: 1 # SKIP no tool
other half: 2 # SKIP no tool

part bad
bad: a
bad: b

part short, quick
short: in brief

part first
first: is there

""" + "\n".join(f"part that needs {nr}\nneeds: {nr}\n" for nr in "123") + """
part long
"""

DRIVER = """
import sys
import plugin, test, tree
where, processes, *words = sys.argv[1:]
plugin.PARTS, plugin.LIST, tree.BUILD, test.BUILD = where + "/parts", where + "/list", where, where
test.processes = lambda: ["-n", processes] if int(processes) > 1 else []
more = [w for w in words if w.startswith("-")]


class Night:
    def ended(self, part, results):
        print("ended:", part, len(results))

    def said(self):
        return "said"


everything = plugin.Collected("test").items
sys.exit(test.run("test", everything, [w for w in words if w not in more], more, Night()))
"""


@pytest.fixture(name="run", params=["2", "1"], ids=["two", "one"])
def a_run(where, request):
    """run(word...): (status, lines) of a run of such parts, in two processes or one."""
    write(f"{where}/parts/small_test.py", PARTS)
    write(f"{where}/list", LIST)

    def run(*words, **env):
        p = subprocess.run([sys.executable, "-c", DRIVER, where, request.param, *words],
                           cwd=os.path.dirname(plugin.__file__), capture_output=True, text=True, check=False,
                           env={**os.environ, "COUNT": f"{where}/count", **env})
        return p.returncode, re.sub(r"(?m)^\[ *\d+s\] (.*): \d+ s$", r"\1 ends", p.stdout).splitlines()
    return run


def test_results_of_a_part_stay_together_and_are_counted(run, where):
    status, lines = run("half 1", "half 2", "short")
    assert (status, lines[-1]) == (0, "5 passed, 0 failed, 2 skipped")
    for nr in "12":
        at = lines.index(f"half {nr} ends")
        assert lines[at + 1:at + 4] == [f"ok - half: {nr}", "# words of it", f"ok - other half: {nr} # SKIP no tool"]
    cases = {(c.get("classname"), c.get("name")): [x.tag for x in c] for c in
             ElementTree.parse(f"{where}/junit.xml").getroot().iter("testcase")}
    assert cases["halves", "half: 1"] == [] and cases["halves", "other half: 2"] == ["skipped"]


def test_a_list_is_compared_when_all_of_its_parts_ran(run, where):
    judged = "ok - all results of halves are there, and no others"
    whole, half = run("halves", "bad")[1], run("half 1", "bad")[1]
    assert judged in whole and judged not in half
    assert sorted(line for line in whole if line.startswith("ended:")) == ["ended: bad 2", "ended: halves 4"]
    assert [line for line in half if line.startswith("ended:")] == ["ended: bad 2"]
    write(f"{where}/list", LIST.replace("half: 1\n", "half: 3\n"))
    status, lines = run("halves")
    assert status == 1 and "not " + judged in lines
    assert run("half 1")[0] == 0


def test_a_bad_result_and_a_broken_part_fail(run, where):
    status, lines = run("bad", "broken")
    assert status == 1 and {"not ok - bad: b", "# why \x1b not", "ok - broken: a", "not ok - broken: ran to its end"} <= {*lines}
    assert any("ZeroDivisionError" in line for line in lines)
    failed = ElementTree.parse(f"{where}/junit.xml").getroot().findall(".//failure")
    assert any("not" in case.text for case in failed)


@pytest.mark.parametrize("run", ["2"], indirect=True)
def test_a_process_that_is_killed_fails_its_part_alone(run):
    status, lines = run("killed", "halves")
    assert status == 1 and "not ok - killed: ran to its end" in lines and "ok - half: 2" in lines


def test_what_parts_need_is_made_once(run, where):
    status, lines = run("first", "that needs 1", "that needs 2", "that needs 3", GOOD="yes")
    assert status == 0 and text(f"{where}/count") == "x" and lines.count("ok - first: is there") == 1


def test_what_needs_a_part_that_has_failed_does_not_run(run):
    status, lines = run("first", "that needs 1", "that needs 2")
    assert status == 1 and "not ok - first: is there" in lines and "ok - needs: 1" not in lines
    status, lines = run("that needs 1")
    assert status == 1 and "not ok - all parts ran" in lines and "# that needs 1: first: is there for no reason" in lines


def test_words_of_pytest_choose_and_stop(run):
    status, lines = run("-khalf and 1")
    assert status == 0 and "ok - half: 1" in lines and "ok - half: 2" not in lines
    status, lines = run("-x", "-kbad or short or needs", GOOD="yes")
    assert status and "not ok - bad: b" in lines and lines[-1].endswith("failed")


def test_a_name_of_no_part_and_words_that_pytest_does_not_know_are_refused(run):
    for words in ("nothing",), ("halves", "nothing"), ("-knothing",), ("long",), ("-kbad (",), ("--nonsense",):
        status, lines = run(*words)
        assert status == 2 and lines == [], words
