# SPDX-License-Identifier: GPL-2.0
"""The mails that make patches writes give, by git am on the base, the same tree as build/tree, and
checkpatch.pl --strict accepts them.
"""
import filecmp
import os

import pytest

import checkmails
import commits
import patches
import tree
from files import text
from order import status_of
from small import git, spoken


@pytest.fixture(name="mails", scope="module")
def what_make_patches_writes():
    status, said = spoken(patches.main)
    assert status == 0, said
    return sorted(entry.path for entry in os.scandir(patches.OUT) if entry.is_file())


def test_the_cover_letter_is_written(mails):
    assert os.path.basename(mails[0]) == "0000-cover-letter.patch" and "HERE ***" not in text(mails[0])


if not os.environ.get("QUICK"):
    def test_checkpatch_strict_has_nothing_to_say_of_any_mail(mails):
        status, said = spoken(status_of, "checkmails", checkmails.main)
        assert status == 0, said


def lines(top, path):
    """Those of a file, None if there is none."""
    return getattr(tree.file_at(os.path.join(top, path)), "lines", None)


def is_the_bases(path):
    """Whether a file of build/tree is a link to the base's, or is like it, if the base was unpacked again."""
    mine, base = (os.path.join(top, path) for top in (tree.TREE, tree.BASE))
    return os.path.islink(mine) or os.path.exists(base) and (
        os.path.samefile(mine, base) or filecmp.cmp(mine, base, shallow=False))


def test_git_am_gives_the_tree_file_by_file(mails, where):
    """git need not see the whole base: it has the files that the series touches."""
    touched = tree.laid(tree.TREE)[1:]
    assert touched
    for path in touched:
        tree.put(tree.of_base(path), os.path.join(where, path))
    git(where, "init", "-q")
    git(where, "add", "-Af")
    git(where, "commit", "-q", "-m", "base")
    am = commits.git(where, "-c", "user.name=a", "-c", "user.email=a@b", "am", "-q", *mails[1:], check=False)
    assert am.returncode == 0, am.stdout + am.stderr
    its = {*touched, *git(where, "ls-files").split("\n")}
    assert [path for path in sorted(its) if lines(where, path) != lines(tree.TREE, path)] == []
    assert [path for path in tree.files_below(tree.TREE) - its if not is_the_bases(path)] == []
