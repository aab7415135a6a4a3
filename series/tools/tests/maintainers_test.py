# SPDX-License-Identifier: GPL-2.0
"""The lines that each topic adds to MAINTAINERS cover each file that it adds, and
get_maintainer.pl and parse-maintainers.pl take them.
"""
import os
import re
import subprocess
import tempfile

import pytest

import states
import tree
from files import text, write
from order import mails, mails_of, topics

BLOCKS = states.shared_out()
PATH = "MAINTAINERS"
HEAD = "Maintainers List\n----------------\n\n"


def lines_of(whole):
    """{(title, tag, value)} of the entries in MAINTAINERS."""
    return {(entry.split("\n")[0], *found) for entry in whole.split("\n\n")
            for found in re.findall(r"(?m)^([A-Z]):\s+(.*)$", entry)}


BASE = lines_of(text(os.path.join(tree.BASE, PATH)))


def added_by(blocks):
    """What the mails @blocks add to MAINTAINERS."""
    files = {}
    for part in (part for b in blocks for part in b.parts if PATH in states.paths_of(*part)):
        tree.apply_part(files, *part, tree.of_base)
    return lines_of("".join(files[PATH].lines)) - BASE if files else set()


def is_covered(path, pattern):
    """As get_maintainer.pl does it: a folder has all below it, a * in a name ends at a slash."""
    match = re.match(re.escape(pattern).replace(r"\*", ".*"), path)
    return match and (pattern.endswith("/") or pattern.count("/") == path.count("/"))


def uncovered(its, lines):
    """The files that the mails @its add and none of @lines covers."""
    patterns = [value for _, tag, value in lines if tag == "F"]
    return [p for b in its for p in sorted(b.adds) if not any(is_covered(p, pattern) for pattern in patterns)]


@pytest.fixture(name="state", scope="module", params=topics(BLOCKS), ids=lambda topic: topic.name)
def what_a_topic_adds(request):
    """(the topic, its mails, lines of the topics that it needs, lines with its own)"""
    before, its = mails_of(BLOCKS, request.param)
    return request.param, its, added_by(before), added_by(before + its)


def test_each_file_of_a_topic_is_covered(state):
    assert uncovered(state[1], state[3]) == []


def test_without_a_line_of_a_topic_its_files_are_not_covered(state):
    _, its, before, lines = state
    assert [line for line in lines - before if line[1] == "F" and not uncovered(its, lines - {line})] == []


def test_an_entry_says_who_where_and_in_which_state(state):
    topic, _, before, lines = state
    for title in {line[0] for line in lines} - {line[0] for line in before | BASE}:
        tags = {tag: {v for t, g, v in lines if (t, g) == (title, tag)} for tag in "MSFL"}
        assert all(tags.values()) and tags["L"] == set(topic.said["to"]), title


def ask(where, script, *words):
    run = subprocess.run(["perl", os.path.join(tree.BASE, "scripts", script), *words], cwd=where,
                         capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


@pytest.fixture(scope="module", name="ours")
def the_lines_of_all():
    return added_by(mails(BLOCKS))


@pytest.fixture(scope="module", name="staged")
def a_tree_for_the_scripts(ours):
    """A kernel tree that git lists: get_maintainer.pl asks both.

    Of MAINTAINERS it has our entries alone: matching those of all others with all
    files takes the script many minutes.
    """
    titles = {line[0] for line in ours}
    with tempfile.TemporaryDirectory() as where:
        for name in os.listdir(tree.TREE):
            if name != PATH:
                os.symlink(os.path.join(tree.TREE, name), os.path.join(where, name))
        write(os.path.join(where, PATH), HEAD + "\n\n".join(
            entry for entry in text(os.path.join(tree.TREE, PATH)).split("\n\n") if entry.split("\n")[0] in titles) + "\n")
        names = subprocess.run(["find", ".", "-type", "f", "-printf", "%P\\n"], cwd=tree.TREE,
                               capture_output=True, text=True, check=True).stdout.split("\n")
        blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        subprocess.run(["git", "init", "-q"], cwd=where, check=True)
        subprocess.run(["git", "update-index", "--index-info"], cwd=where, check=True, text=True,
                       input="".join(f"100644 {blob}\t{n}\n" for n in names if n))
        yield where


@pytest.mark.parametrize("kind", ["sections", "patterns"])
def test_get_maintainer_has_nothing_to_say_of_its(kind, staged):
    assert ask(staged, "get_maintainer.pl", "--self-test=" + kind).strip() == ""


def test_get_maintainer_finds_each_entry_for_a_file_of_its(ours, staged):
    files = tree.overlay()
    for title, pattern in {title: value for title, tag, value in sorted(ours) if tag == "F"}.items():
        path = next(p for p in files if is_covered(p, pattern))
        assert title in ask(staged, "get_maintainer.pl", "--sections", "--no-git", "--no-git-fallback", "-f", path).split("\n")


def test_parse_maintainers_leaves_the_order(staged):
    assert ask(staged, "parse-maintainers.pl", "--output=sorted") == ""
    assert text(os.path.join(staged, "sorted")) == text(os.path.join(staged, PATH))
