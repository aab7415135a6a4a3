# SPDX-License-Identifier: GPL-2.0
"""Read series/order: which patch of the series takes what.

The file is a list of blocks. A block opens, after an empty line, with one of

    cover SUBJECT           the letter of the whole series
    topic NAME TITLE        the patches after it are sent as a series of their own
    option NAME TITLE       the same, and the whole is complete without them
    patch SUBJECT           one mail

A topic or an option goes on with lines

    needs NAME...           topics before it that are applied first
    to ADDRESS              who is asked to take it
    figures TEXT            rows of README.md's tables that have TEXT, for its letter
    long REASON             why it has more mails than others may have

A patch goes on with lines

    take DIR/ or FILE       whole files of ours; a * in it stands for anything
    take hunk:NAME/         the hunk files in series/hunks/NAME
    take moved:PATH         the line of series/moved for PATH
    grow MAKEFILE [FLAG...] that Makefile of ours with the objects whose sources are there,
                            compiled with these flags and not linked, until it is taken
    large REASON            why it is larger than others may be
    inert REASON            why nothing compiles what it adds before a later one does

After an empty line each block has its text: a message or a letter. The letter of the
whole series has the first paragraph of each topic's. A line "{figures}" in a letter
stands for tables of README.md.
"""
import fnmatch
import re
import subprocess
import sys

from files import text


class Refused(Exception):
    """The series and the base do not fit; the message says where."""


def status_of(name, function, *args):
    """The status of a command: what @function gives; 1, and why, if it is refused, misses a file or fails."""
    try:
        return function(*args) or 0
    except (Refused, OSError) as why:
        print(f"{name}: {why}", file=sys.stderr)
    except subprocess.CalledProcessError as why:
        command = why.cmd if isinstance(why.cmd, str) else " ".join(map(str, why.cmd))
        words = why.stderr.decode(errors="replace") if isinstance(why.stderr, bytes) else why.stderr or ""
        print(f"{name}: {command[:200]}: {words.strip()}", file=sys.stderr)
    return 1


class Block:
    def __init__(self, kind, name, subject, body):
        self.kind, self.name, self.subject, self.body = kind, name, subject, body
        self.said = {}
        self.topic = None		# of a patch

    @property
    def takes(self):
        return self.said.get("take", [])

    @property
    def grows(self):
        """{path: flags} of Makefiles that begin to grow."""
        return {path: flags for path, *flags in map(str.split, self.said.get("grow", []))}

    @property
    def needs(self):
        return [name for line in self.said.get("needs", []) for name in line.split()]


OPENING = r"(?:patch|cover|(?:topic|option) \S+) \S.*\n"
OF_TOPIC, OF_PATCH = ("needs", "to", "figures", "long"), ("take", "grow", "large", "inert")
LINES = {"cover": (), "topic": OF_TOPIC, "option": OF_TOPIC, "patch": OF_PATCH}


def read_order(path):
    """The blocks of series/order."""
    before, *parts = re.split(rf"\n\s*\n(?={OPENING})", "\n\n" + text(path))
    if strangers := re.findall(r"(?m)^(?!#).*\S", before):
        raise Refused(f"series/order: text before the first block: {strangers[0]}")
    blocks = [read_block(*re.split(r"\n\s*\n", part, maxsplit=1)) for part in parts]
    check(blocks)
    return blocks


def read_block(head, body=""):
    opening, *lines = head.strip().split("\n")
    kind, subject = opening.split(" ", 1)
    name, subject = subject.split(" ", 1) if kind in ("topic", "option") else (None, subject)
    block = Block(kind, name, subject.strip(), body.strip() + "\n")
    for line in map(str.strip, lines):
        key, _, value = line.partition(" ")
        if key == "take" and kind != "patch":
            raise Refused(f"series/order: only a patch takes anything, not \"{block.subject}\"")
        if key not in LINES[kind] or not value:
            raise Refused(f"series/order: \"{block.subject}\": is no line of a {kind}: {line}")
        block.said.setdefault(key, []).append(value.strip())
    return block


def check(blocks):
    """Refuse an order that makes no series; give each patch its topic."""
    kinds = [b.kind for b in blocks]
    if kinds.count("cover") != 1 or "patch" not in kinds:
        raise Refused("series/order: wants one cover and at least one patch")
    topic, names = None, set()
    for block, after in zip(blocks, blocks[1:] + [None]):
        if block.kind == "patch":
            block.topic = topic
            if not topic:
                raise Refused(f"series/order: \"{block.subject}\" belongs to no topic")
        elif block.kind != "cover":
            if not after or after.kind != "patch":
                raise Refused(f"series/order: \"{block.subject}\" has no patch")
            if block.kind == "topic" and topic and topic.kind == "option":
                raise Refused(f"series/order: \"{block.subject}\" comes after an option, which must be removable")
            if block.name in names:
                raise Refused(f"series/order: there are two topics {block.name}")
            if strangers := [n for n in block.needs if n not in names]:
                raise Refused(f"series/order: {block.name} needs {strangers[0]}, which is no topic before it")
            topic = block
            names.add(block.name)


def mails(blocks):
    return [b for b in blocks if b.kind == "patch"]


def topics(blocks):
    return [b for b in blocks if b.kind in ("topic", "option")]


def options(blocks):
    return [b for b in blocks if b.kind == "option"]


def topic_of(blocks, name):
    """The topic @name."""
    there = {topic.name: topic for topic in topics(blocks)}
    if name not in there:
        raise Refused(f"series/order: has no topic {name or 'without a name'}, "
                      f"but {', '.join(there)}")
    return there[name]


def mails_of(blocks, topic):
    """(the mails that @topic is applied after, its own); without a topic, all are."""
    if not topic:
        return [], mails(blocks)
    wanted = {topic.name}
    for other in reversed(topics(blocks)):
        if other.name in wanted:
            wanted.update(other.needs)
    its = [b for b in mails(blocks) if b.topic.name in wanted]
    return [b for b in its if b.topic is not topic], [b for b in its if b.topic is topic]


def share(blocks, names):
    """(patch, what one of its lines takes, those of @names that this stands for), so that each is taken once."""
    left = set(names)
    # What a patch names exactly is not in a folder or pattern of another one.
    exact = {take for b in blocks for take in b.takes} & left
    for b in blocks:
        for take in b.takes:
            pattern = take + "*" if take.endswith("/") else take
            found = sorted(n for n in left if fnmatch.fnmatchcase(n, pattern) and (n == take or n not in exact))
            left -= set(found)
            yield b, take, found
    if left:
        raise Refused("series/order: no patch takes " + ", ".join(sorted(left)))
