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
import typing

import tree
from files import text, write
from order import Refused, status_of

MAILS = os.path.join(tree.BUILD, "patches")
KEPT = os.path.join(tree.BUILD, "checkpatch")
CHECKPATCH = os.path.join(tree.BASE, "scripts", "checkpatch.pl")
EXCUSES = os.path.join(tree.TOP, "series", "checkpatch")

# What is remarked, at which line of which file if it is of one, and that line.
REMARK = re.compile(r"(?:ERROR|WARNING|CHECK):(\w+): (.*)"
                    r"(?:\n#\d+: (?:FILE: (\S+?):(\d+):)?.*(?:\n[+-]*(.*))?)?")
# What differs from one making of the mails to the next.
CHANGES = re.compile(r"(?m)^(From [0-9a-f]{40} |Date: |index [0-9a-f]+\.\.).*\n")


class Remark(typing.NamedTuple):
    """What checkpatch says of one line; the mail stands for a file."""
    kind: str
    words: str
    path: str
    line: str
    code: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.kind}: {self.words}\n    {self.code.strip()}".rstrip()


class Excuse(typing.NamedTuple):
    """A line of series/checkpatch."""
    number: int
    kind: str
    path: str
    code: str = ""

    def covers(self, remark):
        return fnmatch.fnmatchcase(remark.kind, self.kind) and self.code in remark.code and \
            fnmatch.fnmatchcase(remark.path, self.path)

    def __str__(self):
        return f"series/checkpatch:{self.number}: nothing needs {' '.join(self[1:])}".rstrip()


def read_excuses(path):
    """The excuses; refuse one without a reason."""
    excuses, reason = [], False
    for number, line in enumerate(text(path).split("\n"), 1):
        if line.startswith("#"):
            reason = True
        elif not line.strip():
            reason = False
        elif not reason or len(line.split()) < 2:
            raise Refused(f"series/checkpatch:{number}: "
                          + ("has no reason above it" if not reason else "is no \"TYPE PATH [TEXT]\""))
        else:
            excuses.append(Excuse(number, *line.strip().split(None, 2)))
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
            raise Refused(f"checkpatch.pl ends with status {p.returncode} for {os.path.basename(mail)}")
        write(kept, p.stdout)
    return text(kept)


def remarks(mail, where):
    """The remarks of one mail."""
    blocks = [block.strip("\n") for block in said(mail, where).split("\n\n")]
    found = [m.groups("") for m in map(REMARK.match, blocks) if m]
    return [Remark(kind, words, path or os.path.basename(mail), *rest)
            for kind, words, path, *rest in found]


def main():
    excuses = read_excuses(EXCUSES)
    mails = sorted(os.path.join(MAILS, n) for n in os.listdir(MAILS) if n.endswith(".patch"))
    with tempfile.TemporaryDirectory() as where, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [r for its in pool.map(lambda mail: remarks(mail, where), mails) for r in its]
    shown = [remark for remark in found if not any(e.covers(remark) for e in excuses)]
    unused = [excuse for excuse in excuses if not any(map(excuse.covers, found))]
    for line in shown + unused:
        print(line)
    print(f"{len(mails)} mails, {len(shown)} remarks, {len(found) - len(shown)} excused")
    return 1 if shown or unused or not mails else 0


if __name__ == "__main__":
    sys.exit(status_of("checkmails", main))
