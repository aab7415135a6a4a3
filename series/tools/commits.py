# SPDX-License-Identifier: GPL-2.0
"""Commits of mails in a git repository, without its work tree and its index."""
import collections
import functools
import os
import subprocess
import tempfile

import tree
from files import text


def git(where, *args, check=True, **kw):
    return subprocess.run(["git", "-C", where, *args], check=check, capture_output=True,
                          text=True, **kw)


def said(where, *args):
    """What git says, nothing if it fails."""
    p = git(where, *args, check=False)
    return "" if p.returncode else p.stdout.strip()


def configured(where):
    """(name, address) of who git thinks commits in the repository @where, or None."""
    who = tuple(said(where, "config", key) for key in ("user.name", "user.email"))
    return who if all(who) else None


def author():
    """(name, address) of who signs the mails: git's own configuration, else the last commit's author."""
    if who := configured(tree.TOP):
        return who
    last = said(tree.TOP, "log", "-1", "--format=%an%n%ae").split("\n")
    return tuple(last) if len(last) > 1 else ("dynamic ftrace", "ftrace@localhost")


@functools.cache
def signed(subject, body, who):
    """A message with the name of who signs it."""
    return git(tree.TOP, "interpret-trailers", "--no-divider", "--trailer", "Signed-off-by: {} <{}>".format(*who),
               input=f"{subject}\n\n{body}").stdout


# A message and what it changes, {path: File or None}.
Commit = collections.namedtuple("Commit", "message changes")


def data(what):
    return b"data %d\n%s\n" % (len(what), what)


def change(path, file):
    """A line of fast-import for one file."""
    if file is None:
        return f"D {path}\n".encode()
    mode = "100755" if file.mode & 0o100 else "100644"
    return f"M {mode} inline {path}\n".encode() + data("".join(file.lines).encode("utf-8", "surrogateescape"))


def make_commits(where, base, chains, who, date, committer=None):
    """Make the commits of @chains, {ref: [Commit]}, in the repository @where, on top of @base, or of nothing.

    @who: (name, address), @date: the time in seconds, of all; @committer: if it is not @who.
    The same content then has the same name, and chains that begin alike share commits. Each ref becomes the last commit of
    its chain. Returns {ref: [the name of each commit]}.
    """
    stream, marks = [], {}
    author_line, committer_line = ("{} {} <{}> {} +0000".format(role, *person, date) for role, person in
                                   (("author", who), ("committer", committer or who)))
    for ref, chain in chains.items():
        parent = base
        for commit in chain:
            mark = f":{len(marks) + 1}"
            marks[mark] = ref
            stream += [f"commit {ref}\nmark {mark}\n{author_line}\n{committer_line}\n".encode(),
                       data(commit.message.encode()), f"from {parent}\n".encode() if parent else b"",
                       *(change(*item) for item in sorted(commit.changes.items()))]
            parent = mark
    with tempfile.TemporaryDirectory() as folder:
        names = os.path.join(folder, "marks")
        subprocess.run(["git", "-C", where, "fast-import", "--quiet", "--force", f"--export-marks={names}"],
                       input=b"".join(stream), capture_output=True, check=True)
        name_of = dict(line.split() for line in text(names).splitlines())
    return {ref: [name_of[mark] for mark, of in marks.items() if of == ref] for ref in chains}
