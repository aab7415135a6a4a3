#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The series' entry in MAINTAINERS: get_maintainer.pl takes it, and it covers
every file that is the series' own.
"""
import fnmatch
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "series", "tools"))
import tree  # noqa: E402

TITLE = "DYNAMIC FUNCTION TRACING, TRACEPOINTS AND TEXT TRANSACTIONS"
SCRIPT = "scripts/get_maintainer.pl"
failed = 0


def result(name, why):
    """Print one result; it is good when there is no reason why not."""
    global failed
    print(("not ok" if why else "ok") + " - " + name)
    for line in list(why)[:20]:
        print("# " + line)
    failed |= bool(why)


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


def main():
    with open(os.path.join(tree.TREE, "MAINTAINERS"), encoding="utf-8") as f:
        found, tags = entry(f.read())
    result("the entry names who, where and in which state",
           [t for t in "MLSF" if not tags.get(t)])

    ours = tree.overlay()
    result("each file of the series is covered",
           [p for p in ours if not any(is_covered(p, f) for f in tags["F"])])

    with tempfile.TemporaryDirectory() as where:
        stage(where, "Maintainers List\n----------------\n\n" + found)
        for test in "sections", "patterns":
            result(f"get_maintainer.pl --self-test={test} has nothing to say of it",
                   [line for line in ask(where, "--self-test=" + test).split("\n") if line])
        # One file of each pattern, by the script's own reading.
        wrong = []
        for pattern in tags["F"]:
            path = next((p for p in ours if is_covered(p, pattern)), None)
            said = ask(where, "--sections", "--no-git", "--no-git-fallback", "-f", path) if path else "no file"
            if TITLE not in said.split("\n"):
                wrong.append(f"{pattern}: {path}: {said[:200]}")
        result("get_maintainer.pl finds it for a file of each pattern", wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
