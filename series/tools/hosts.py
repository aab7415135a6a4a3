# SPDX-License-Identifier: GPL-2.0
"""Tests that need no guest: of the sources, of the tools, and the suites in user space."""
import functools
import glob
import hashlib
import json
import os
import re
import subprocess

import order
import tree
from files import text, write
from recipes import KERNEL
from results import Tally
from verdicts import BUILD, HERE, TOP, pytest, run, suite


def test_sources(tally):
    """What machines can say of our sources without building a kernel."""
    base = os.path.join(BUILD, "base")
    run(tally, "sources: nothing is shared word for word with the base tree",
        [os.path.join(HERE, "copies.py")])
    ours = tree.overlay()
    code = [p for p in ours if p.endswith((".c", ".h", ".S")) and not p.startswith("tools/")]
    run(tally, "sources: kernel-doc has nothing to say",
        [os.path.join(base, "scripts", "kernel-doc"), "-none", "-Werror", *code], cwd=TOP)


def options(tally):
    """The series compiles without each of the options at its end."""
    for block in order.options(order.read_order(tree.ORDER)):
        run(tally, f"options: the series compiles without {block.name}",
            [os.path.join(HERE, "bisect_mails.py"), "without", block.name], tail=20)


def documentation(tally):
    run(tally, "documentation: the pages build without a warning",
        [os.path.join(HERE, "pages.py"), os.path.join(BUILD, "test", "documentation")])


# They compile, or fetch a package from a server of their own.
SLOW_TESTS = ("mutants", "source", "suite")


def tests_of_tools(slow):
    """{name: path} of the tests of tools that are slow, or are not."""
    found = {os.path.basename(p).removesuffix("_test.py"): p
             for p in sorted(glob.glob(os.path.join(HERE, "tests", "*_test.py")))}
    return {name: path for name, path in found.items() if (name in SLOW_TESTS) == slow}


def test_tools(tally, quick):
    """The tools that build and judge; @quick: but for checkpatch's words of all mails."""
    run(tally, "tools: pyflakes has nothing to say",
        ["pyflakes3", HERE, *(p for p in tree.overlay() if p.endswith(".py"))], cwd=TOP)
    for name, path in tests_of_tools(False).items():
        pytest(tally, name, path, QUICK="1" if quick else "")


def slow_tests_of_tools(tally):
    for name, path in tests_of_tools(True).items():
        pytest(tally, name, path)


def host_suites():
    """tools/testing/**/run.sh of ours that run no others of these: each a suite of its own."""
    found = [os.path.dirname(p) for p in tree.overlay() if re.fullmatch(r"tools/testing/.+/run\.sh", p)]
    found = [d for d in found if not any(other.startswith(d + "/") for other in found)]
    if not found:
        raise RuntimeError("there are no host suites")
    return found


def title_of(path):
    """What the results of a suite begin with."""
    return path.removeprefix("tools/testing/").replace("/", " ")


# What suite.sh and suites take from the environment: which faults, how many rounds, the compiler.
SUITE_WORDS = ("CC", "FAULT", "MOST", "RUNS")


@functools.cache
def content_key():
    """Of all that a suite may be made of: the series, the base, the built kernel, the compilers."""
    key = hashlib.sha256(repr([os.environ.get(word) for word in SUITE_WORDS]).encode())
    paths = [p for p in tree.overlay() if not p.startswith("Documentation/")]
    paths += [os.path.join("series", "hunks", n + ".patch") for n in tree.hunk_names()] + ["series/moved"]
    made = [os.path.join(BUILD, m) for m in ("base.key", os.path.join(KERNEL, "vmlinux"))]
    for path in [os.path.join(TOP, p) for p in sorted(paths)] + made:
        key.update(path.encode() + b"\0")
        with open(path, "rb") as f:
            key.update(hashlib.sha256(f.read()).digest())
    # Suites skip what they have no compiler for, so each package counts, not gcc's alone.
    key.update(subprocess.run(["dpkg-query", "-W"], capture_output=True, check=True).stdout)
    return key.hexdigest()


def replay(tally, title, passed, key):
    """Show what a suite said when it passed, made of the same; False if it has not."""
    try:
        before, kept = json.loads(text(passed))
    except (OSError, ValueError):
        return False
    if before != key:
        return False
    tally.adopt(kept)
    tally.note(f"{title}: as it passed before; nothing that it is made of has changed")
    return True


def host_suite(tally, path, quick, again=False):
    """One of these suites; @again: also where it has passed, made of the same."""
    title = title_of(path)
    out = os.path.join(BUILD, "test", title.replace(" ", "-"))
    os.makedirs(out, exist_ok=True)
    passed, key = out + (".quick" if quick else "") + ".said", content_key()
    if not again and replay(tally, title, passed, key):
        return
    mine = Tally()
    suite(mine, title, ["sh", os.path.join(TOP, path, "run.sh")],
          {"BASE": os.path.join(BUILD, "base"), "KSRC": os.path.join(BUILD, "base"),
           "TREE": os.path.join(BUILD, "tree"),
           "OBJS": "" if quick else os.path.join(BUILD, KERNEL), "OUT": out,
           "VMLINUX": os.path.join(BUILD, KERNEL, "vmlinux"),
           "QUICK": "1" if quick else ""})
    tally.adopt(mine.said)
    if all(verdict == "ok" for verdict, _, _ in mine.results()):
        write(passed, json.dumps([key, mine.said]))


def lint(tally):
    run(tally, "sources: W=1 and sparse have nothing to say",
        [os.path.join(HERE, "lint.py"), os.path.join(BUILD, KERNEL)], tail=20)
