#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Read the mails of build/patches by checkpatch.pl --strict.

usage: checkmails.py

Each remark is shown that series/checkpatch does not excuse; so is an excuse that
nothing needs. The last line is "N mails, N remarks, N excused". What checkpatch says of
a mail is kept in build/checkpatch, by the mail's content.

series/checkpatch has a reason, in a comment, and then lines that it stands for:

    TYPE PATH [TEXT]    remarks of that type, of files with that name, both patterns;
                        only for a line that has TEXT
"""
import concurrent.futures
import fnmatch
import hashlib
import os
import re
import subprocess
import sys
import tempfile

import tree
from files import text, write

MAILS = os.path.join(tree.BUILD, "patches")
KEPT = os.path.join(tree.BUILD, "checkpatch")
CHECKPATCH = os.path.join(tree.BASE, "scripts", "checkpatch.pl")
EXCUSES = os.path.join(tree.TOP, "series", "checkpatch")

REMARK = re.compile(r"(?:ERROR|WARNING|CHECK):(\w+): (.*)")
PLACE = re.compile(r"#(\d+): (?:FILE: (\S+?):(\d+):)?\s*")
# What differs from one making of the mails to the next.
CHANGES = re.compile(r"(?m)^(From [0-9a-f]{40} |Date: |index [0-9a-f]+\.\.).*\n")


class Remark:
    """What checkpatch says of one line."""

    def __init__(self, kind, words):
        self.kind, self.words = kind, words
        self.path = self.line = self.code = ""

    def __str__(self):
        return f"{self.path}{':' if self.line else ''}{self.line}: {self.kind}: {self.words}" + \
            (f"\n    {self.code.strip()}" if self.code.strip() else "")


class Excuse:
    """A line of series/checkpatch."""

    def __init__(self, words, number):
        self.kind, self.path, self.code = (words.split(None, 2) + [""])[:3]
        self.number, self.used = number, False

    def covers(self, remark):
        return fnmatch.fnmatchcase(remark.kind, self.kind) and fnmatch.fnmatchcase(remark.path, self.path) and \
            self.code in remark.code


def read_excuses(path):
    """The excuses; refuse one without a reason."""
    excuses, reason = [], False
    for number, line in enumerate(text(path).split("\n"), 1):
        if line.startswith("#"):
            reason = True
        elif not line.strip():
            reason = False
        elif not reason or len(line.split()) < 2:
            raise tree.Refused(f"series/checkpatch:{number}: "
                               + ("has no reason above it" if not reason else "is no \"TYPE PATH [TEXT]\""))
        else:
            excuses.append(Excuse(line.strip(), number))
    return excuses


def said(mail, where):
    """What checkpatch says of a mail; @where is a folder for it to run in."""
    key = hashlib.sha256((CHANGES.sub("", text(mail)) + text(CHECKPATCH)).encode()).hexdigest()
    kept = os.path.join(KEPT, key)
    if not os.path.exists(kept):
        p = subprocess.run(["perl", CHECKPATCH, "--strict", "--no-tree", "--show-types", "--no-summary", mail],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           # Where it finds no headers whose names it would take over, and leaves none.
                           text=True, errors="replace", check=False, cwd=where)
        # With status 1 and nothing said it did not run.
        if p.returncode not in (0, 1) or (p.returncode and not REMARK.search(p.stdout)):
            raise tree.Refused(f"checkpatch.pl ends with status {p.returncode} for {os.path.basename(mail)}")
        write(kept, p.stdout)
    return text(kept)


def remarks(mail, where):
    """The remarks of one mail."""
    found = []
    for block in said(mail, where).split("\n\n"):
        lines = block.strip("\n").split("\n")
        m = REMARK.fullmatch(lines[0])
        if not m:
            continue
        remark = Remark(m[1], m[2])
        remark.path = os.path.basename(mail)
        found.append(remark)
        m = PLACE.match(lines[1]) if len(lines) > 1 else None
        if m and m[2]:
            remark.path, remark.line = m[2], m[3]
        if m and len(lines) > 2:
            remark.code = lines[2].lstrip("+-")
    return found


def main():
    try:
        excuses = read_excuses(EXCUSES)
        mails = sorted(os.path.join(MAILS, n) for n in os.listdir(MAILS) if n.endswith(".patch"))
        with tempfile.TemporaryDirectory() as where, \
             concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [r for its in pool.map(lambda mail: remarks(mail, where), mails) for r in its]
    except (OSError, tree.Refused) as why:
        print(f"checkmails: {why}", file=sys.stderr)
        return 2
    shown = 0
    for remark in found:
        covering = [e for e in excuses if e.covers(remark)]
        for excuse in covering:
            excuse.used = True
        if not covering:
            shown += 1
            print(remark)
    unused = [e for e in excuses if not e.used]
    for excuse in unused:
        print(f"series/checkpatch:{excuse.number}: nothing needs {excuse.kind} {excuse.path} {excuse.code}".rstrip())
    print(f"{len(mails)} mails, {shown} remarks, {len(found) - shown} excused")
    return 1 if shown or unused or not mails else 0


if __name__ == "__main__":
    sys.exit(main())
