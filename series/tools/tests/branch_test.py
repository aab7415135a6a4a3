# SPDX-License-Identifier: GPL-2.0
"""Branches of the series in a checkout of Linux: what they have, and what is refused."""
import json
import os
import shutil
import subprocess

import pytest

import branch
import states
import tree
from files import text, write
import mails_test
from order import mails, mails_of, topics
from small import git, spoken

top = mails_test.a_series_of_three_mails
TO = "to list@vger.localhost\n"
ORDER = mails_test.ORDER.replace("The kernel's part\n", "The kernel's part\n" + TO).replace(
    "needs part\n", "needs part\n" + TO)


def start(where, paths):
    """A checkout of those of the base's @paths that there are."""
    for path in paths:
        if file := tree.of_base(path):
            tree.put(file, os.path.join(where, path))
    git(where, "init", "-q", "-b", "master")
    git(where, "config", "user.name", "A Tester")
    git(where, "config", "user.email", "tester@localhost")
    git(where, "add", "-Af")
    git(where, "commit", "-q", "-m", "Linux 7.3.4")
    git(where, "tag", "v7.3.4")


@pytest.fixture(name="linux")
def a_checkout_of_the_small_base(top, monkeypatch):
    monkeypatch.setattr(branch, "OUT", f"{top}/build/branch")
    write(tree.ORDER, ORDER)
    git(top, "commit", "-q", "--allow-empty", "-m", "whose time they have")
    where = f"{top}-linux"
    os.makedirs(where)
    start(where, ["Makefile", "kernel/Makefile", "kernel/old.c"])
    return where


def everything(where):
    """What a run may not change if it fails: refs, configuration, index, files."""
    git_dir = os.path.join(where, git(where, "rev-parse", "--git-dir"))
    return (git(where, "for-each-ref"), git(where, "rev-parse", "HEAD"), text(f"{git_dir}/config"),
            *files_of(where, git_dir))


def files_of(where, git_dir):
    with open(f"{git_dir}/index", "rb") as f:
        index = f.read()
    return index, {os.path.join(d, n): text(os.path.join(d, n)) for d, _, names in os.walk(where)
                   if "/.git" not in d for n in names}


def make(where, *topic, **environ):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        return spoken(branch.main, [where, *topic])


def refusal(where, *topic, **environ):
    """Why it is refused; nothing has changed."""
    before = everything(where)
    status, said = make(where, *topic, **environ)
    assert status == 1 and everything(where) == before, said
    return said


def subjects(where, name):
    return git(where, "log", "--reverse", "--format=%s", f"v7.3.4..ftrace-rebuilt/{name}").split("\n")


def test_each_topic_is_a_branch(linux):
    status, said = make(linux)
    assert status == 0, said
    assert subjects(linux, "part") == ["The kernel's part", "kernel: add what is ours", "kernel: build what is ours"]
    assert subjects(linux, "more") == ["kernel: add what is ours", "kernel: build what is ours", "More of it",
                                       "kernel: add more"]
    assert subjects(linux, "all") == ["A series", "kernel: add what is ours", "kernel: build what is ours",
                                      "kernel: add more"]
    assert git(linux, "show", "ftrace-rebuilt/part:kernel/Makefile").count("ours.o") == 1
    assert git(linux, "ls-tree", "-r", "--name-only", "ftrace-rebuilt/all") == \
        "Makefile\nkernel/Makefile\nkernel/more.c\nkernel/ours.c"
    assert git(linux, "diff", "--stat", "ftrace-rebuilt/all", "ftrace-rebuilt/more") == ""
    assert git(linux, "rev-parse", "ftrace-rebuilt/more~2") != git(linux, "rev-parse", "ftrace-rebuilt/part")
    # What needs nothing begins at the base.
    assert git(linux, "rev-parse", "ftrace-rebuilt/part~3") == git(linux, "rev-parse", "v7.3.4")


def test_commits_are_signed_and_the_same_again(linux):
    make(linux)
    tips = git(linux, "for-each-ref")
    assert "refs/ftrace-rebuilt/new/" not in tips
    for name in ("part", "more", "all"):
        for message in git(linux, "log", "--format=%B%x00", f"v7.3.4..ftrace-rebuilt/{name}").split("\0")[:-1]:
            assert message.count("\nSigned-off-by: ") == 1
    status, said = make(linux)
    assert status == 0 and said.count("as it was") == 3 and git(linux, "for-each-ref") == tips


def test_files_index_and_other_branches_stay(linux):
    write(f"{linux}/kernel/new.c", "int new;\n")
    git(linux, "add", "kernel/new.c")
    write(f"{linux}/Makefile", "edited\n")
    git(linux, "switch", "-q", "--detach")

    def kept():
        return (files_of(linux, f"{linux}/.git"), text(f"{linux}/.git/HEAD"),
                git(linux, "rev-parse", "HEAD", "master", "v7.3.4"))

    before = kept()
    assert make(linux)[0] == 0 and kept() == before


def test_the_mails_and_the_bundle_give_the_branch(linux, tmp_path):
    make(linux)
    clone = f"{tmp_path}/clone"
    subprocess.run(["git", "clone", "-q", "-b", "master", linux, clone], check=True)
    git(clone, "fetch", "-q", f"{branch.OUT}/ftrace-rebuilt.bundle", "refs/heads/ftrace-rebuilt/*:refs/heads/got/*")
    assert git(clone, "rev-parse", "got/all", "got/part") == git(linux, "rev-parse", "ftrace-rebuilt/all",
                                                                 "ftrace-rebuilt/part")
    mbox = text(f"{branch.OUT}/series.mbox")
    assert mbox.count("\nSubject: [PATCH ") == 4 and mbox.count("\nMessage-") == 4
    assert f"\nbase-commit: {git(linux, 'rev-parse', 'v7.3.4')}\n" in mbox
    write(f"{tmp_path}/mails", mbox[mbox.index("\nFrom ") + 1:])		# without the letter
    git(clone, "am", "-q", f"{tmp_path}/mails")
    assert git(clone, "diff", "--stat", "HEAD", "got/all") == ""


def test_one_topic_alone(linux):
    assert make(linux, "part")[0] == 0
    assert git(linux, "branch", "--list", "ftrace-rebuilt/*") == "ftrace-rebuilt/part"
    assert os.path.exists(f"{branch.OUT}/part.mbox")
    for name in ("less", ""):
        assert "but part, more" in refusal(linux, name)


def test_a_bare_and_a_shallow_repository(linux):
    git(linux, "commit", "-q", "--allow-empty", "-m", "Linux 7.3.4, again")
    for name, how in (("bare", ["--bare"]), ("shallow", ["--depth=1"])):
        subprocess.run(["git", "clone", "-q", *how, f"file://{linux}", f"{linux}-{name}"], check=True)
        status, said = make(f"{linux}-{name}")
        assert status == 0, said
        assert git(f"{linux}-{name}", "show", "ftrace-rebuilt/all:kernel/more.c") == "int more;"


def test_another_base_is_said_by_name(linux):
    git(linux, "tag", "-d", "v7.3.4")
    assert make(linux)[0] == 0			# what is checked out says 7.3
    git(linux, "commit", "-q", "--allow-empty", "-m", "another")
    assert make(linux, BASE_COMMIT="HEAD")[0] == 0
    assert git(linux, "rev-parse", "ftrace-rebuilt/all~4") == git(linux, "rev-parse", "HEAD")
    assert "has no commit nothing" in refusal(linux, BASE_COMMIT="nothing")
    write(f"{linux}/Makefile", "VERSION = 7\nPATCHLEVEL = 4\n")
    git(linux, "commit", "-q", "-a", "-m", "Linux 7.4")
    assert "has no tag v7.3.4, and what is checked out is another version" in refusal(linux)


def test_a_hunk_applies_to_another_version_of_its_file(linux):
    write(f"{linux}/kernel/Makefile", "# A line more.\n" + text(f"{linux}/kernel/Makefile"))
    git(linux, "commit", "-q", "-a", "-m", "a line more")
    assert make(linux, BASE_COMMIT="HEAD")[0] == 0
    assert git(linux, "show", "ftrace-rebuilt/all:kernel/Makefile").startswith("# A line more.\nobj-y += fork.o")
    write(f"{linux}/kernel/Makefile", text(f"{linux}/kernel/Makefile").replace("panic", "oops"))
    git(linux, "commit", "-q", "-a", "-m", "another line")
    assert "does not fit commit" in refusal(linux, BASE_COMMIT="HEAD", FORCE="1")


@pytest.mark.parametrize("path, content", [("kernel/old.c", "int mended;\n"), ("kernel/ours.c", "int theirs;\n")],
                         ids=["removed", "added"])
def test_a_file_that_would_be_written_over_has_to_be_the_bases(linux, path, content):
    write(f"{linux}/{path}", content)
    git(linux, "add", path)
    git(linux, "commit", "-q", "-m", "theirs")
    why = refusal(linux, BASE_COMMIT="HEAD")
    assert "is not the base that the series was made for" in why and path in why


def test_a_branch_that_was_changed_is_kept(linux):
    make(linux)
    git(linux, "switch", "-q", "ftrace-rebuilt/part")
    git(linux, "commit", "-q", "--allow-empty", "-m", "of the user")
    git(linux, "switch", "-q", "master")
    assert "ftrace-rebuilt/part: changed since it was made here" in refusal(linux)
    assert make(linux, "more")[0] == 0
    assert make(linux, FORCE="1")[0] == 0 and "of the user" not in subjects(linux, "part")
    git(linux, "branch", "-f", "ftrace-rebuilt/part", "master")
    assert "changed since" in refusal(linux)


def test_a_branch_that_is_checked_out_is_kept(linux):
    make(linux)
    git(linux, "switch", "-q", "ftrace-rebuilt/more")
    assert make(linux)[0] == 0			# as it was
    write(f"{tree.TOP}/kernel/more.c", "int still_more;\n")
    assert "ftrace-rebuilt/more is checked out" in refusal(linux)


def test_what_is_no_checkout_is_refused(linux, tmp_path):
    os.makedirs(f"{tmp_path}/plain")
    os.makedirs(f"{linux}/below")
    shutil.copytree(f"{linux}/kernel", f"{linux}/below/kernel")
    os.makedirs(f"{tmp_path}/empty")
    subprocess.run(["git", "init", "-q", f"{tmp_path}/empty"], check=True)
    for where, why in ((f"{tmp_path}/plain", "is no git checkout"), (f"{tmp_path}/none", "is no git checkout"),
                       (f"{linux}/below", f"but lies in that of {linux}"), (f"{tmp_path}/empty", "has no commit")):
        status, said = make(where)
        assert status == 1 and why in said, said
    assert "ftrace-rebuilt" not in git(linux, "for-each-ref")


def test_a_branch_in_the_way_leaves_all_as_they_were(linux):
    git(linux, "branch", "ftrace-rebuilt")
    assert "refs/heads/ftrace-rebuilt" in refusal(linux)


def test_b4_knows_its_letter_and_its_version(linux):
    make(linux)
    message = git(linux, "log", "-1", "--format=%B", "ftrace-rebuilt/more~")
    assert message.startswith("More of it\n\nWhat can be left out.\n") and "\nTo: list@vger.localhost\n" in message
    kept = json.loads(message[message.index("{"):])["series"]
    assert kept["revision"] == 1
    assert kept["prerequisites"] == ["base-commit: " + git(linux, "rev-parse", "v7.3.4"),
                                     f"change-id: {branch.change_id('part')}:v1"]
    # As b4 leaves it when the series has been sent.
    git(linux, "switch", "-q", "-c", "sent", "ftrace-rebuilt/more~2")
    git(linux, "commit", "-q", "--allow-empty", "-m", message.replace('"revision": 1', '"revision": 2'))
    git(linux, "branch", "-f", "ftrace-rebuilt/more", "sent")
    assert make(linux, FORCE="1")[0] == 0
    assert '"revision": 2' in git(linux, "log", "-1", "--format=%B", "ftrace-rebuilt/more~")


@pytest.mark.parametrize("topic, count", [("part", 3), ("more", 1)])
def test_b4_makes_the_mails_of_a_topic(linux, topic, count, tmp_path):
    make(linux)
    # As b4 leaves it when the series has been sent: what needs it names its patches.
    git(linux, "tag", "-a", "-m", f"[PATCH] Part\n\nAll.\n---\nbase-commit: {git(linux, 'rev-parse', 'v7.3.4')}\n"
        f"change-id: {branch.change_id('part')}\n", f"sent/{branch.change_id('part')}-v1", "ftrace-rebuilt/part")
    git(linux, "switch", "-q", f"ftrace-rebuilt/{topic}")
    p = subprocess.run(["b4", "--offline-mode", "send", "--no-sign", "-o", f"{tmp_path}/sent"], cwd=linux,
                       check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       env={**os.environ, "HOME": str(tmp_path)})
    assert p.returncode == 0, p.stdout + p.stderr
    sent = sorted(os.listdir(f"{tmp_path}/sent"))
    assert len(sent) == count
    first = text(f"{tmp_path}/sent/{sent[0]}")
    assert "To: list@vger.localhost\n" in first and f"change-id: {branch.change_id(topic)}\n" in first


def test_this_series_gives_branches_of_its_topics(tmp_path, monkeypatch):
    monkeypatch.setattr(branch, "OUT", f"{tmp_path}/out")
    blocks = states.shared_out()
    linux = f"{tmp_path}/linux"
    os.makedirs(linux)
    start(linux, ["Makefile", *states.touched_by(mails(blocks))])
    status, said = make(linux)
    assert status == 0, said
    for topic in topics(blocks):
        before, its = mails_of(blocks, topic)
        assert len(subjects(linux, topic.name)) == len(before) + 1 + len(its)
    git(linux, "switch", "-q", "ftrace-rebuilt/all")
    for path, file in states.touched(mails(blocks)).items():
        assert getattr(tree.file_at(f"{linux}/{path}"), "lines", None) == (file and file.lines), path
