# SPDX-License-Identifier: GPL-2.0
"""The recipes of a page are found, and what their commands print is compared with it."""
import os
import re
import subprocess

import pytest

import tree
from files import text, write

FTRACE = os.path.join(tree.TOP, "tools", "testing", "selftests", "ftrace")
PAGE = os.path.join(tree.TOP, "Documentation", "trace", "ftrace", "cookbook.rst")

PLANTED = r"""
=====
Pages
=====

No recipe::

    # echo not run

Which one is it?
================

A block.

.. code-block:: console

    # printf 'ln-%d     [%03d] d.h1.    17.2: one <-two\n' 17 1
    {line}
    # echo x > file; cat file; echo 0

{zero}

Undo:

.. code-block:: console

    # rm file
    # ls

And another?
============

.. code-block:: console

    # echo another
    another
"""
GOOD = {"line": "ln-4 [000] .....  1.234567: one <-two", "zero": "    x\n    0"}


def shell(where, function, *words):
    """A function of page.sh, in a folder of its own."""
    here = where / "here"
    here.mkdir(exist_ok=True)
    return subprocess.run(["bash", "-c", f'. {FTRACE}/page.sh; tmp=$1; shift; {function} "$@"', "-", where, *words],
                          cwd=here, capture_output=True, text=True, check=False)


@pytest.fixture(name="judge")
def fixture_judge(tmp_path):
    """Plant a page, and say whether a recipe of it prints what the page says."""
    def judge(title="Which one is it?", **words):
        write(str(tmp_path / "page.rst"), PLANTED.format(**{**GOOD, **words}))
        p = shell(tmp_path, "recipe", tmp_path / "page.rst", title)
        assert p.returncode == 0 or p.stdout
        return p.returncode == 0
    return judge


def test_recipes_are_found(tmp_path):
    write(str(tmp_path / "page.rst"), PLANTED.format(**GOOD))
    assert shell(tmp_path, "titles", tmp_path / "page.rst").stdout == "Which one is it?\nAnd another?\n"


def test_a_page_that_is_true_passes(judge):
    assert judge() and judge("And another?")


def test_a_recipe_that_is_not_there_fails(judge):
    assert not judge("Which?")


@pytest.mark.parametrize("words", [
    {"line": "ln-4 [000] .....  1.234567: one <-three"},
    {"line": "ln-4 [000] .....  1.234567: one"},
    {"line": "ln-4 [000] .....  1.234567: one <-two\n    ln-4 [000] .....  1.234567: one <-two"},
    {"line": ""},
    {"zero": "    y\n    0"},
    {"zero": "    x\n    1"},
    {"zero": "    0\n    x"},
    {"zero": "    x"},
    {"zero": "    x\n    0\n    # false || echo no"},
], ids=["another caller", "no caller", "one line more", "one line less", "another word", "not nothing",
        "another order", "no end", "a command that says something"])
def test_a_page_that_is_wrong_fails(judge, words):
    assert not judge(**words)


@pytest.mark.parametrize("said, like", [
    ("ln-4 [1] .N.1.  3.1: x", "ln-17 [002] ....  12.345: x"),
    ("ln-4 [1] d....  3.1: x", "ln-4 [1]  3.1: x"), ("a   b", "a\t b"), ("a\n\n b ", "a\nb"),
    ("0x12f 00ff00ff", "0x1 ffffffffc0000000"), ("+ 12.345 us |  f();", "1.2 us | f();"), ("0)  1.1 us", "1)  1.1 us"),
], ids=["a line of trace", "marks", "blanks", "empty lines", "addresses", "a long time", "CPUs"])
def test_what_does_not_count(tmp_path, said, like):
    squeezed = [subprocess.run(["bash", "-c", f". {FTRACE}/page.sh; squeeze"], input=words + "\n", capture_output=True,
                               text=True, check=True).stdout for words in (said, like)]
    assert squeezed[0] == squeezed[1] != ""


def test_the_page_has_recipes_that_print_and_are_undone(tmp_path):
    titles = shell(tmp_path, "titles", PAGE).stdout.splitlines()
    assert len(titles) == len(set(titles)) == 11
    for title in titles:
        lines = shell(tmp_path, "section", PAGE, title).stdout.splitlines()
        commands = [line[2:] for line in lines if line.startswith("# ")]
        assert len(commands) < len(lines) and not lines[-1].startswith("    ")
        subprocess.run(["bash", "-n"], input="\n".join(commands), text=True, check=True)
        assert re.search(rf"^{re.escape(title)}\n=+\n(?:(?!\n=+\n)[\s\S])*?^Undo[.:]", text(PAGE), re.M), title
