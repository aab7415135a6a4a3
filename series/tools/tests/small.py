# SPDX-License-Identifier: GPL-2.0
"""What tests of several files share: a small series, and what a command says."""
import contextlib
import io
import os

import commits
import hunks
import tree
from files import write


def line_more(makefile, name):
    """A hunk file of kernel/Makefile, and what it makes of @makefile: an object before exit.o."""
    more = makefile.replace("obj-y += exit.o\n", f"obj-y += {name}.o\nobj-y += exit.o\n")
    return hunks.made(f"{name}/kernel/Makefile", hunks.split(makefile), hunks.split(more)), more


MAKEFILE = "".join(f"obj-y += {n}.o\n" for n in ("fork", "exec", "panic", "exit", "cpu", "softirq"))
HUNK, WITH_OURS = line_more(MAKEFILE, "ours")


def order(*blocks):
    """A series/order of these blocks, each with the text "It."."""
    return "".join(f"{block}\n\nIt.\n\n" for block in blocks)


def git(where, *args):
    """What git says, which may commit."""
    return commits.git(where, "-c", "user.name=a", "-c", "user.email=a@b", *args).stdout.strip()


def write_script(path, script):
    """Write it so that it can be run."""
    write(path, script)
    os.chmod(path, 0o755)


def spoken(function, *args):
    """(what a function returns, all that it prints)"""
    with contextlib.redirect_stdout(io.StringIO()) as words, contextlib.redirect_stderr(words):
        return function(*args), words.getvalue()


def lay_out(monkeypatch, top, order, files):
    """Have the tools take @top for the repository, with these files beside series/order."""
    for name, value in (("TOP", ""), ("BUILD", "build"), ("BASE", "build/base"), ("TREE", "build/tree"),
                        ("HUNKS", "series/hunks"), ("ORDER", "series/order")):
        monkeypatch.setattr(tree, name, os.path.join(top, value).rstrip("/"))
    for path, content in {"series/order": order, "series/moved": "", "build/base.key": "a base\n",
                          ".gitignore": "/build/\n", **files}.items():
        write(f"{top}/{path}", content)
    git(top, "init", "-q")
