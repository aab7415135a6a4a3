# SPDX-License-Identifier: GPL-2.0
"""Read series/order: which patch of the series takes what.

The file is a list of blocks.  A block opens with "patch SUBJECT" (or "cover
SUBJECT" for the letter), goes on with lines "take WHAT" and, after an empty
line, the message:

    take DIR/ or FILE       whole files of ours; a * in it stands for anything
    take hunk:NAME/         the hunk files in series/hunks/NAME
    take moved:PATH         the line of series/moved for PATH
"""
import fnmatch
import re


class Refused(Exception):
    """The series and the base do not fit; the message says where."""


class Block:
    def __init__(self, kind, subject):
        self.kind, self.subject, self.takes, self.body = kind, subject, [], ""


def read_order(path):
    """The blocks of series/order."""
    blocks, message = [], None
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = re.match(r"(patch|cover) (.+)", line)
            if m:
                blocks.append(Block(m[1], m[2].strip()))
                message = []
            elif not blocks:
                if line.strip() and not line.startswith("#"):
                    raise Refused(f"series/order: text before the first block: {line.strip()}")
            elif not message and line.startswith("take "):
                blocks[-1].takes.append(line[5:].strip())
            elif message or line.strip():
                message.append(line)
            blocks and setattr(blocks[-1], "body", "".join(message or []).strip() + "\n")
    if [b.kind for b in blocks].count("cover") != 1 or len(blocks) < 2:
        raise Refused("series/order: wants one cover and at least one patch")
    return blocks


def taken(take, names):
    """Those of @names that a line "take ..." stands for."""
    return sorted(n for n in names if fnmatch.fnmatchcase(n, take + "*" if take.endswith("/") else take))
