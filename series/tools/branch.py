#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make branches of the series in a checkout of Linux.

usage: branch.py DIR         a branch for each topic, and one of all mails
       branch.py DIR NAME    that of one topic

DIR is a git repository of Linux with a commit that the series fits: the tag of the base's
version, or the commit that is checked out if its version is that of series/base, or
BASE_COMMIT from the environment. ftrace-rebuilt/NAME has a commit for each mail that
the topic needs, an empty one with its letter as "b4 prep" keeps it, and a commit for each
of its mails; ftrace-rebuilt/all has all of them. build/branch gets series.mbox (or
NAME.mbox) and ftrace-rebuilt.bundle, which has the branches and needs the base commit.

Nothing but these branches changes in DIR, and either all of them do or none. A branch that
is not as it was made here is left alone, unless FORCE is in the environment; b4's number
of its revision is kept.

A hunk applies to DIR's own version of a file; a file that the series has as a whole, or
takes away, has to be the base's.
"""
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import hunks
import patches
import states
import tree
from commits import Commit, author, configured, git, make_commits, said, signed
from files import text, write
from order import Refused, mails, mails_of, status_of, topic_of, topics

OUT = os.path.join(tree.BUILD, "branch")
BRANCHES = "ftrace-rebuilt/"
# Branches, what they were when they were last made here, and what they are to become.
HEADS, MADE, NEW = "refs/heads/" + BRANCHES, "refs/ftrace-rebuilt/made/", "refs/ftrace-rebuilt/new/"
ALL = "all"
# What b4 finds the commit with a letter by.
TRACKING = "--- b4-submit-tracking ---"


def refuse_folder(where):
    """Refuse a folder that is no repository by itself; one below another checkout is none."""
    tops = [said(where, "rev-parse", what) for what in ("--show-toplevel", "--absolute-git-dir")]
    if os.path.realpath(where) not in [os.path.realpath(top) for top in tops if top]:
        raise Refused(f"{where} is no git checkout" + (f", but lies in that of {tops[0]}" if tops[0] else ""))


def base_commit(where, wanted):
    """The commit that branches begin at."""
    version = patches.base_version()
    names = [wanted] if wanted else [f"refs/tags/v{version}", "HEAD"]
    found = [c for c in (said(where, "rev-parse", "-q", "--verify", f"{name}^{{commit}}") for name in names) if c]
    if not found:
        raise Refused(f"{where} has no commit {wanted or names[0]}")
    if not wanted:
        head = said(where, "show", f"{found[0]}:Makefile")
        line = r"(?ms)^VERSION = {}\nPATCHLEVEL = {}$".format(*version.split("."))
        if not re.search(line, head):
            raise Refused(f"{where} has no tag v{version}, and what is checked out is another version. "
                          "Say which by BASE_COMMIT=")
    return found[0]


def files_of(where, commit, paths):
    """{path: File} of those of @paths that a commit has."""
    listed = git(where, "ls-tree", "-rz", commit, "--", *paths).stdout
    blobs = re.findall(r"(\d+) blob (\w+)\t([^\0]+)\0", listed)
    names = "".join(f"{name}\n" for _, name, _ in blobs).encode()
    contents = io.BytesIO(subprocess.run(["git", "-C", where, "cat-file", "--batch"], input=names,
                                         capture_output=True, check=True).stdout)
    files = {}
    for mode, _, path in blobs:
        size = int(contents.readline().split()[2])
        whole = contents.read(size).decode("utf-8", "surrogateescape")
        files[path] = tree.File(hunks.split(whole), int(mode, 8))
        contents.readline()
    return files


def refuse_base(blocks, theirs, commit):
    """Refuse a commit whose version of a file the series would write over."""
    whole = {p for b in blocks for part in b.parts if not part[0].startswith("hunk:") for p in states.paths_of(*part)}
    differ = [p for p in sorted(whole)
              if getattr(tree.of_base(p), "lines", None) != getattr(theirs.get(p), "lines", None)]
    if differ:
        more = f" and {len(differ) - 3} more" if differ[3:] else ""
        raise Refused(f"commit {commit[:12]} is not the base that the series was made for: its "
                      f"{', '.join(differ[:3])}{more} differ from those of Linux {patches.base_version()}")
    patches.refuse_misfit(blocks, f"the series does not fit commit {commit[:12]}", theirs.get)


def change_id(name):
    """What b4 knows the versions of a series by."""
    return f"ftrace-rebuilt-{name}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def tracking(where, name, base, needs):
    """What b4 keeps in the commit with the letter of branch @name; what it has kept there stays."""
    log = said(where, "log", "-1", "-F", f"--grep={TRACKING}", "--format=%B", f"^{base}", HEADS + name)
    kept = json.loads(log[log.index("{", log.index(TRACKING)):]) if log else {
        "series": {"revision": 1, "change-id": change_id(name), "prefixes": []}}
    kept["series"]["prerequisites"] = [f"base-commit: {base}", *(f"change-id: {change_id(n)}:v1" for n in needs)]
    return f"{TRACKING}\n# This section is used internally by b4 prep for tracking purposes.\n" + \
        json.dumps(kept, indent=2) + "\n"


def make(where, blocks, chosen, base, theirs):
    """Make the commits of the branches @chosen; {name: [of each mail]}, and refs below NEW."""
    who, chains = author(), {}
    for name, topic in chosen.items():
        before, its = mails_of(blocks, topic)
        head, body = patches.head_of(blocks, topic)
        to = "".join(f"To: {address}\n" for address in head.said.get("to", []))
        needs = dict.fromkeys(b.topic.name for b in before)
        letter = signed(head.subject, f"{body}\n\n{to}", who)
        letter += "\n" + tracking(where, name, base, needs)
        files = {}
        chains[NEW + name] = [*patches.chain(before, who, files, theirs.get), Commit(letter, {}),
                              *patches.chain(its, who, files, theirs.get)]
    date = int(said(tree.TOP, "log", "-1", "--format=%ct") or time.time())
    # b4 finds a letter only if it was committed by who uses b4 there.
    made = make_commits(where, base, chains, who, date, configured(where))
    return {name: made[NEW + name][-len(mails_of(blocks, topic)[1]):]
            for name, topic in chosen.items()}


def refuse_changed(where, names, force):
    """Refuse branches that somebody has changed since; {name: its commit} of those that are there."""
    old = {name: said(where, "rev-parse", "-q", "--verify", HEADS + name) for name in names}
    foreign = [BRANCHES + name for name in names
               if old[name] and old[name] != said(where, "rev-parse", "-q", "--verify", MADE + name)]
    if foreign and not force:
        raise Refused(f"{', '.join(foreign)}: changed since it was made here; FORCE=1 writes over it")
    return old


def set_branches(where, tips, old):
    """Make the branches what they are to become, all or none."""
    there = set(re.findall(r"(?m)^branch refs/heads/(\S+)$", said(where, "worktree", "list", "--porcelain")))
    busy = [BRANCHES + name for name, tip in tips.items() if BRANCHES + name in there and old[name] != tip]
    if busy:
        raise Refused(f"{', '.join(busy)} is checked out: switch to another branch, as its files are not touched")
    git(where, "update-ref", "--stdin", input="".join(
        f"update {HEADS}{name} {tip} {old[name] or '0' * 40}\nupdate {MADE}{name} {tip}\n" for name, tip in tips.items()))
    for name in tips:
        git(where, "config", f"branch.{BRANCHES}{name}.b4-prep-cover-strategy", "commit")


def write_out(where, blocks, topic, commits, base):
    """Write the mails of one branch as NAME.mbox, or as series.mbox."""
    mbox = os.path.join(OUT, f"{topic.name}.mbox" if topic else "series.mbox")
    with tempfile.TemporaryDirectory(dir=tree.BUILD) as out:
        paths = patches.format_mails(where, commits, out, blocks, topic, [f"base-commit: {base}"],
                                     "--thread=shallow")
        write(mbox, "".join(map(text, paths)))


def branch(where, wanted=None):
    """Make the branches of all topics, or of topic @wanted."""
    refuse_folder(where)
    blocks = states.shared_out()
    patches.refuse(blocks)
    chosen = {ALL: None, **{topic.name: topic for topic in topics(blocks)}}
    if chosen[ALL]:
        raise Refused(f"series/order: no topic can be named {ALL}")
    if wanted is not None:
        chosen = {wanted: topic_of(blocks, wanted)}
    base = base_commit(where, os.environ.get("BASE_COMMIT"))
    theirs = files_of(where, base, sorted(states.touched_by(mails(blocks))))
    refuse_base(mails(blocks), theirs, base)
    old = refuse_changed(where, chosen, os.environ.get("FORCE"))
    try:
        made = make(where, blocks, chosen, base, theirs)
        write_out(where, blocks, chosen.get(wanted), made[wanted or ALL], base)
        set_branches(where, {name: commits[-1] for name, commits in made.items()}, old)
    finally:
        left = git(where, "for-each-ref", "--format=delete %(refname)", NEW).stdout
        git(where, "update-ref", "--stdin", input=left)
    git(where, "bundle", "create", "-q", os.path.abspath(os.path.join(OUT, "ftrace-rebuilt.bundle")), f"^{base}",
        *(HEADS + name for name in chosen))
    for name, commits in made.items():
        print(f"{BRANCHES}{name}: {len(commits)} mails after {base[:12]}"
              + ("" if old[name] else ", new") + (", as it was" if old[name] == commits[-1] else ""))
    print(f"series.mbox or NAME.mbox, and ftrace-rebuilt.bundle: {os.path.relpath(OUT, tree.TOP)}")


def main(argv):
    if len(argv) not in (1, 2):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    return status_of("branch", branch, *argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
