# SPDX-License-Identifier: GPL-2.0
"""The series' entry in MAINTAINERS: get_maintainer.pl takes it, and it covers
every file that is the series' own.
"""
import fnmatch
import os
import subprocess
import sys
import tempfile

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "series", "tools"))
import tree  # noqa: E402

TITLE = "DYNAMIC FUNCTION TRACING, TRACEPOINTS AND TEXT TRANSACTIONS"
SCRIPT = "scripts/get_maintainer.pl"


def entry(text):
    """(our entry, {tag: values})"""
    found = TITLE + "\n" + text.split("\n" + TITLE + "\n", 1)[1].split("\n\n", 1)[0] + "\n"
    tags = {}
    for line in found.split("\n")[1:-1]:
        tag, value = line.split(":", 1)
        tags.setdefault(tag, []).append(value.strip())
    return found, tags


def is_covered(path, pattern):
    """As get_maintainer.pl does it: a folder has all below it, a * ends at a slash."""
    if pattern.endswith("/"):
        return path.startswith(pattern)
    return pattern.count("/") == path.count("/") and fnmatch.fnmatch(path, pattern)


def stage(where, text):
    """A kernel tree in @where that git lists: the script asks both.

    Of MAINTAINERS it has our entry alone: matching those of all others with all
    files takes the script many minutes.
    """
    for name in os.listdir(tree.TREE):
        if name != "MAINTAINERS":
            os.symlink(os.path.join(tree.TREE, name), os.path.join(where, name))
    with open(os.path.join(where, "MAINTAINERS"), "w", encoding="utf-8") as f:
        f.write(text)
    names = subprocess.run(["find", ".", "-type", "f", "-printf", "%P\\n"], cwd=tree.TREE,
                           capture_output=True, text=True, check=True).stdout.split("\n")
    blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    subprocess.run(["git", "init", "-q"], cwd=where, check=True)
    subprocess.run(["git", "update-index", "--index-info"], cwd=where, check=True, text=True,
                   input="".join(f"100644 {blob}\t{n}\n" for n in names if n))


def ask(where, *words):
    run = subprocess.run(["perl", SCRIPT, *words], cwd=where, capture_output=True, text=True)
    return run.stdout + run.stderr


@pytest.fixture(scope="module", name="ours")
def the_entry():
    with open(os.path.join(tree.TREE, "MAINTAINERS"), encoding="utf-8") as f:
        return entry(f.read())


@pytest.fixture(scope="module", name="staged")
def a_tree_for_the_script(ours):
    with tempfile.TemporaryDirectory() as where:
        stage(where, "Maintainers List\n----------------\n\n" + ours[0])
        yield where


def test_the_entry_names_who_where_and_in_which_state(ours):
    assert [t for t in "MLSF" if not ours[1].get(t)] == []


def test_each_file_of_the_series_is_covered(ours):
    assert [p for p in tree.overlay() if not any(is_covered(p, f) for f in ours[1]["F"])] == []


@pytest.mark.parametrize("kind", ["sections", "patterns"])
def test_get_maintainer_has_nothing_to_say_of_its(kind, staged):
    assert ask(staged, "--self-test=" + kind).strip() == ""


def test_get_maintainer_finds_it_for_a_file_of_each_pattern(ours, staged):
    files = tree.overlay()
    for pattern in ours[1]["F"]:
        path = next(p for p in files if is_covered(p, pattern))
        assert TITLE in ask(staged, "--sections", "--no-git", "--no-git-fallback", "-f", path).split("\n")
