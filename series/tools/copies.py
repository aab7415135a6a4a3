#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Say which lines of the series' files also stand, in a row, in the base tree.

usage: copies.py

Six lines in a row that mean something (white space folded; comments, blank and
lone-punctuation lines, includes and bare keywords left out) and that the base
has in the same order are a copy. A declaration that callers compel is shorter,
or in another order. The status is 1 where more than 5 % of a file is copied.
"""
import os
import re
import sys

import tree
from order import status_of

ROW = 6
LIMIT = 0.05
SOURCES = (".c", ".h", ".S", ".py", ".pl", ".sh", ".tc")
# Where the files lie that ours stand beside, or replace.
PLACES = ("kernel", "arch/x86", "include", "scripts", "samples", "lib", "tools/testing")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
NOTHING = re.compile(r"[\W_]*|#\s*(include|endif|else|ifn?def|undef)\b.*|(else|break|continue|return( 0)?|default:|do)\W*")


def lines(path):
    """The lines of a file that mean something."""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    if path.endswith((".c", ".h", ".S")):
        text = COMMENT.sub("", text)
    else:
        text = re.sub(r"(?m)^\s*#.*$", "", text)
    folded = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in folded if not NOTHING.fullmatch(line)]


def rows(of):
    return [hash(tuple(of[i:i + ROW])) for i in range(len(of) - ROW + 1)]


def base_files():
    for place in PLACES:
        for where, _, names in os.walk(os.path.join(tree.BASE, place)):
            yield from (os.path.join(where, n) for n in names if n.endswith(SOURCES))


def copied(of, known):
    """Which of these lines stand in a known row."""
    marked = set()
    for i, row in enumerate(rows(of)):
        if row in known:
            marked.update(range(i, i + ROW))
    return [of[i] for i in sorted(marked)]


def main():
    os.stat(tree.BASE)		# nothing is a copy of what is not there
    ours = {path: lines(os.path.join(tree.TOP, path)) for path in tree.overlay() if path.endswith(SOURCES)}
    wanted = {row for of in ours.values() for row in rows(of)}
    known = {row for path in base_files() for row in rows(lines(path)) if row in wanted}
    total = shared = bad = 0
    for path, of in ours.items():
        found = copied(of, known)
        total += len(of)
        shared += len(found)
        if len(found) > LIMIT * len(of):
            bad += 1
            print(f"{path}: {len(found)} of {len(of)} lines, the first: {found[0]}")
    print(f"{shared} of {total} lines stand in the base tree, too; {bad} files over the limit")
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(status_of("copies", main))
