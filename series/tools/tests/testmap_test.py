# SPDX-License-Identifier: GPL-2.0
"""The table of series/doc/testing.rst is what testmap.py makes, of this tree and of small ones."""
import os
from pathlib import Path

import pytest

import testmap
from files import text, write
from order import Refused

FTRACE = "kernel/trace/ftrace/"
PROVES = "# proves" + ": "		# not a line of this file's own

FILES = {
    FTRACE + "sites/set.c": '#include "set.h"\n',
    FTRACE + "sites/set.h": "",
    FTRACE + "sites/pure.c": "",
    FTRACE + "tracefs/open.c": 'trace_create_file("set_it", 0);\n',
    FTRACE + "tests/set_kunit.c": '#include "world.h"\n\t.name\t= "ftrace_set",\n',
    FTRACE + "tests/world.h": '#include "../sites/pure.c"\n#include "../sites/set.h"\n',
    "tools/testing/sites/run.sh": f"echo {FTRACE}sites/pure.c\n",
    "tools/testing/selftests/ftrace/test.d/open.tc": "# requires: set_it\n",
    "series/guest/jobs/torture": f"{PROVES}{FTRACE}tracefs/open.c\n",
    testmap.PAGE: f"before\n{testmap.BEGIN}{testmap.END}after\n",
}

ROWS = [(FTRACE + "sites/pure.c", ["KUnit ftrace_set", "host sites"]), (FTRACE + "sites/set.c", ["KUnit ftrace_set"]),
        (FTRACE + "tracefs/open.c", ["guest torture", "open.tc"])]


@pytest.fixture(name="top")
def a_small_tree(where, monkeypatch):
    """FILES, without reasons for files that have no test."""
    monkeypatch.setattr(testmap, "WITHOUT", {})
    monkeypatch.setattr(testmap, "TOP", Path(where))
    for path, what in FILES.items():
        write(os.path.join(where, path), what)
    return where


@pytest.mark.parametrize("path", [testmap.PAGE, testmap.MAP], ids=["tests", "map"])
def test_pages_are_what_the_tree_makes(path):
    assert text(os.path.join(testmap.TOP, path)) == testmap.page(path)


@pytest.mark.parametrize("said, sentence", [
    ("// SPDX\n/*\n * Sets: of \"sites\",\n * by __fentry__. No more.\n */\n", "Sets: of \"sites\", by ``__fentry__``."),
    ("/* SPDX */\n/* One line. */\nint a;\n", "One line."),
    ("// SPDX\n/*\n * Declarations. By file:\n *\n *   set.c\tsets\n */\n", "Declarations."),
    ("// SPDX\n/*\n * Between the files:\n *\n *   set.c\tsets\n */\n", "Between the files."),
], ids=["two lines", "one line", "a list behind it", "a list in it"])
def test_the_map_has_the_first_sentence(top, said, sentence):
    write(f"{top}/{FTRACE}sites/set.c", said)
    assert testmap.sentence(FTRACE + "sites/set.c") == sentence


@pytest.mark.parametrize("said", ["", "// SPDX\nint a;\n", "// SPDX\n/* no sentence */\n"],
                         ids=["empty", "code", "no sentence"])
def test_a_file_without_a_first_sentence_has_no_place_in_the_map(top, said):
    write(f"{top}/{FTRACE}sites/set.c", said)
    with pytest.raises(Refused, match="set.c: has no comment"):
        testmap.sentence(FTRACE + "sites/set.c")


def test_tests_are_found_by_what_they_include_list_require_and_say(top):
    assert testmap.tests() == ROWS


def test_a_suite_that_says_what_it_proves_is_not_of_the_file_with_its_name(top):
    write(f"{top}/{FTRACE}tests/open_kunit.c", f' * {PROVES[2:]}{FTRACE}sites/set.c\n\t.name\t= "ftrace_open",\n')
    found = dict(testmap.tests())
    assert found[FTRACE + "sites/set.c"] == ["KUnit ftrace_open", "KUnit ftrace_set"]
    assert found[FTRACE + "tracefs/open.c"] == ["guest torture", "open.tc"]


def test_a_file_without_a_test_is_an_error(top):
    write(f"{top}/{FTRACE}sites/bare.c", "")
    with pytest.raises(Refused, match="bare.c: has no test"):
        testmap.tests()


def test_a_reason_is_enough_until_there_is_a_test(top):
    write(f"{top}/{FTRACE}sites/bare.c", "")
    testmap.WITHOUT[FTRACE + "sites/bare.c"] = "why"
    assert (FTRACE + "sites/bare.c", ["why"]) in testmap.tests()
    write(f"{top}/series/guest/jobs/more", f"{PROVES}{FTRACE}sites/bare.c\n")
    with pytest.raises(Refused, match="has a test, and stands in WITHOUT"):
        testmap.tests()


def test_a_test_of_what_is_not_there_is_an_error(top):
    write(f"{top}/series/guest/jobs/more", f"{PROVES}kernel/gone.c\n")
    with pytest.raises(Refused, match="there is no kernel/gone.c"):
        testmap.tests()


def test_an_edited_table_is_written_again(top):
    page = testmap.page()
    write(f"{top}/{testmap.PAGE}", page.replace("KUnit ftrace_set; host sites", "nothing"))
    assert text(f"{top}/{testmap.PAGE}") != page
    assert testmap.page() == page


def test_a_page_without_the_marks_is_an_error(top):
    write(f"{top}/{testmap.PAGE}", "a page\n")
    with pytest.raises(Refused, match="no lines"):
        testmap.page()
