# SPDX-License-Identifier: GPL-2.0
"""Pages of the kernel name nothing that only the repository has."""
import pytest

import pages
from files import write
from small import spoken


@pytest.fixture(name="planted")
def fixture_planted(tmp_path, monkeypatch):
    """Put a page into a folder of pages, and return what the checks say of it."""
    def plant(said):
        monkeypatch.setattr(pages, "DOCS", str(tmp_path))
        write(str(tmp_path / "page.rst"), said)
        return pages.of_the_repository(["page.rst"]) + pages.wrong_paths(["page.rst"])
    return plant


@pytest.mark.parametrize("word", ["series/guest/jobs/lockdown", "build/selftest", "make test", "make figures",
                                  "make\n    test", "make test-long", "make run"],
                         ids=["a job", "a kernel", "test", "figures", "two lines", "long", "run"])
def test_what_only_the_repository_has_is_refused(planted, word):
    said = planted(f"See ``{word}``.\n")
    assert said == [f"Documentation/page.rst: {' '.join(word.split())} is not in a kernel tree"]


@pytest.mark.parametrize("word", ["this series", "rebuild/x", "make tests", "to make them", "make"],
                         ids=["series", "rebuild", "tests", "them", "alone"])
def test_what_looks_like_that_is_not(planted, word):
    assert planted(f"See {word}.\n") == []


def test_a_path_has_to_be_in_the_tree(planted, tmp_path, monkeypatch):
    monkeypatch.setattr(pages.tree, "TREE", str(tmp_path / "tree"))
    monkeypatch.setattr(pages.tree, "BASE", str(tmp_path / "base"))
    write(str(tmp_path / "tree/kernel/a.c"), "")
    write(str(tmp_path / "base/kernel/b.c"), "")
    assert planted("``kernel/a.c`` and ``kernel/b.c``\n") == ["Documentation/page.rst: there is no kernel/b.c"]


def test_wrong_arguments_are_answered_with_the_usage():
    for words in [], ["a", "b"]:
        assert spoken(pages.main, words) == (2, "usage: pages.py OUT\n")
