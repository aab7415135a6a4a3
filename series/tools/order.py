# SPDX-License-Identifier: GPL-2.0
"""Read series/order: which patch of the series takes what.

The file is a list of blocks. A block opens with one of

    cover SUBJECT           the letter
    group TITLE             the patches after it belong together
    option NAME TITLE       the same, and the series is whole without them
    patch SUBJECT           one mail

A patch goes on with lines "take WHAT":

    take DIR/ or FILE       whole files of ours; a * in it stands for anything
    take hunk:NAME/         the hunk files in series/hunks/NAME
    take moved:PATH         the line of series/moved for PATH

After an empty line each block has its text: a message, or what the letter says of
a group. A line "{figures}" in the letter stands for the tables of README.md.
"""
import fnmatch
import re


class Refused(Exception):
    """The series and the base do not fit; the message says where."""


class Block:
    def __init__(self, kind, name, subject):
        self.kind, self.name, self.subject = kind, name, subject
        self.takes, self.body = [], ""
        self.group = None		# of a patch


OPENING = re.compile(r"(?:(patch|cover|group)|option (\S+)) (\S.*)\n")


def read_order(path):
    """The blocks of series/order."""
    blocks, message = [], None
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = OPENING.fullmatch(line)
            if m:
                blocks.append(Block(m[1] or "option", m[2], m[3].strip()))
                message = []
            elif not blocks:
                if line.strip() and not line.startswith("#"):
                    raise Refused(f"series/order: text before the first block: {line.strip()}")
            elif not message and line.startswith("take "):
                blocks[-1].takes.append(line[5:].strip())
            elif message or line.strip():
                message.append(line)
            blocks and setattr(blocks[-1], "body", "".join(message or []).strip() + "\n")
    check(blocks)
    return blocks


def check(blocks):
    """Refuse an order that makes no series; give each patch its group."""
    kinds = [b.kind for b in blocks]
    if kinds.count("cover") != 1 or "patch" not in kinds:
        raise Refused("series/order: wants one cover and at least one patch")
    group = None
    for block, after in zip(blocks, blocks[1:] + [None]):
        if block.kind == "patch":
            block.group = group
            continue
        if block.takes:
            raise Refused(f"series/order: only a patch takes anything, not \"{block.subject}\"")
        if block.kind == "cover":
            continue
        if not after or after.kind != "patch":
            raise Refused(f"series/order: \"{block.subject}\" has no patch")
        if block.kind == "group" and group and group.kind == "option":
            raise Refused(f"series/order: \"{block.subject}\" comes after an option, which must be removable")
        group = block


def mails(blocks):
    return [b for b in blocks if b.kind == "patch"]


def options(blocks):
    return [b for b in blocks if b.kind == "option"]


def taken(take, names):
    """Those of @names that a line "take ..." stands for."""
    return sorted(n for n in names if fnmatch.fnmatchcase(n, take + "*" if take.endswith("/") else take))
