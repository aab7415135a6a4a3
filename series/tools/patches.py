#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the series into mails: build/patches/0000-cover-letter.patch and on.

series/order says what each patch takes and what its message is; order.py has its
form.  Everything that the series has must be taken exactly once.  The mails are made
in a scratch repository which holds only the files that the series touches;
"git am" applies them to the whole base tree all the same.

Refused is a mail that is too large to be read or whose message is out of form, and
an option that something else depends on.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import states  # noqa: E402
import tree  # noqa: E402
from files import text, write  # noqa: E402
from order import Refused, mails, options  # noqa: E402

OUT = os.path.join(tree.BUILD, "patches")

# Added and removed lines of one mail, but for what is no code.
LIMIT = 1200
NO_CODE = re.compile(r"Documentation/|tools/testing/|samples/|(.*/)?tests/|.*_kunit\.[ch]$")

SUBJECT = re.compile(r"(?:[\w./-]+: )+([a-z]+) \S.*[^.]")
SUBJECT_MAX, LINE_MAX = 72, 75
# No imperative ends like this, but for these.
NO_VERB = re.compile(r"(?!bring|embed|feed|need|seed|shed|speed)\w*(ing|ed)|(?!pass|process|address|discuss|focus)\w*s")


def refuse_message(block):
    """Refuse a message that is out of form."""
    m = SUBJECT.fullmatch(block.subject)
    why = "is no \"subsystem: verb object\"" if not m else \
          f"does not begin with a verb, but \"{m[1]}\"" if NO_VERB.fullmatch(m[1]) else \
          f"is longer than {SUBJECT_MAX} characters" if len(block.subject) > SUBJECT_MAX else \
          "has no message" if not block.body.strip() else ""
    long = [line for line in block.body.split("\n") if len(line) > LINE_MAX]
    if not why and long:
        why = f"has a line of more than {LINE_MAX} characters: {long[0]}"
    if why:
        raise Refused(f"series/order: \"{block.subject}\" {why}")


def refuse_options(blocks):
    """Refuse an option without which the other patches do not apply."""
    for option in options(blocks):
        try:
            states.touched(states.without(blocks, option.name))
        except Refused as why:
            raise Refused(f"without the option {option.name}: {why}") from why


def git(where, *args, **kw):
    return subprocess.run(["git", "-C", where, *args], check=True, capture_output=True, text=True, **kw)


def author():
    """Who signs the mails: git's own configuration, else the last commit's author."""
    for key in ("user.name", "user.email"):
        if not subprocess.run(["git", "-C", tree.TOP, "config", key], capture_output=True,
                              text=True, check=False).stdout.strip():
            last = subprocess.run(["git", "-C", tree.TOP, "log", "-1", "--format=%an%n%ae"],
                                  capture_output=True, text=True, check=False).stdout.split("\n")
            return last[:2] if len(last) > 1 else ["dynamic ftrace", "ftrace@localhost"]
    return [git(tree.TOP, "config", k).stdout.strip() for k in ("user.name", "user.email")]


def base_version():
    """The base's whole version, as its Makefile has it."""
    head = text(os.path.join(tree.BASE, "Makefile"))
    parts = [re.search(rf"(?m)^{key} *= *(\S*)$", head) for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL", "EXTRAVERSION")]
    numbers = [m[1] if m else "" for m in parts]
    return ".".join(n for n in numbers[:3] if n) + numbers[3]


def base_lines():
    """What each mail says of the base: its version, and its commit if it is a checkout."""
    lines = [f"base-version: {base_version()}"]
    if os.path.exists(os.path.join(tree.BASE, ".git")):
        lines.append("base-commit: " + git(tree.BASE, "rev-parse", "HEAD").stdout.strip())
    return lines


def lay_base(where, blocks):
    """The base's version of all files that the series touches."""
    for path in states.touched(blocks):
        file = states.of_base(path)
        if file:
            states.put(file, os.path.join(where, path))


def code_lines(where):
    """How many lines of code the last commit adds and removes."""
    words = git(where, "diff-tree", "-r", "-M", "-z", "--numstat", "HEAD~", "HEAD").stdout.split("\0")
    total = 0
    while words and words[0]:
        added, removed, path = words.pop(0).split("\t")
        if not path:			# renamed: its old and its new name follow
            path = words[1]
            del words[:2]
        if not NO_CODE.match(path):
            total += sum(int(n) for n in (added, removed) if n != "-")
    return total


def commit(where, who, blocks):
    """One commit for each patch."""
    files = {}
    for b in mails(blocks):
        for path in states.apply(files, b):
            states.put(files[path], os.path.join(where, path))
        git(where, *who, "add", "-Af")
        git(where, *who, "commit", "-q", "--signoff", "-F", "-", input=f"{b.subject}\n\n{b.body}")
        b.lines = code_lines(where)
        if b.lines > LIMIT:
            raise Refused(f"series/order: \"{b.subject}\" has {b.lines} lines of code, more than {LIMIT}")


def figures():
    """The tables of README.md, as plain text."""
    tables = [[]]
    for line in text(os.path.join(tree.TOP, "README.md")).split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            tables.append([])
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            tables[-1].append(cells)
    tables = [rows for rows in tables if rows]
    if not tables:
        raise Refused("README.md has no tables of figures")
    return "\n\n".join(map(plain, tables))


def plain(rows):
    """A table whose cells are wrapped, so that no line is too long."""
    width = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    while sum(width) + 2 * len(width) > LINE_MAX:
        width[width.index(max(width))] -= 1
    lines = []
    for row in rows:
        cells = [textwrap.wrap(cell, w, break_on_hyphens=False) or [""] for cell, w in zip(row, width)]
        for i in range(max(map(len, cells))):
            line = "  ".join((cell[i] if i < len(cell) else "").ljust(w) for cell, w in zip(cells, width))
            lines.append(line.rstrip())
        if row is rows[0]:
            lines.append("=" * (sum(width) + 2 * len(width) - 2))
    return "\n".join(lines)


def contents(blocks):
    """What the letter says of each group, with the numbers of its mails."""
    number = {id(b): i for i, b in enumerate(mails(blocks), 1)}
    paragraphs = []
    for group in (b for b in blocks if b.kind in ("group", "option")):
        its = [number[id(b)] for b in mails(blocks) if b.group is group]
        numbers = f"{its[0]}-{its[-1]}" if len(its) > 1 else str(its[0])
        word = " (option)" if group.kind == "option" else ""
        body = textwrap.fill(" ".join(group.body.split()), LINE_MAX, initial_indent="    ",
                             subsequent_indent="    ", break_on_hyphens=False)
        paragraphs.append(f"{numbers}: {group.subject}{word}\n{body}\n")
    return "\n".join(paragraphs)


def letter(blocks):
    cover = next(b for b in blocks if b.kind == "cover")
    body = cover.body.strip()
    if "{figures}" not in body:
        raise Refused("series/order: the letter has no line {figures}")
    return body.replace("{figures}", figures()) + "\n\nThe mails\n=========\n\n" + contents(blocks).strip()


def finish(path, lines):
    """Put @lines behind a mail's text, before the signature, as git does."""
    head, mark, tail = text(path).rpartition("\n-- \n")
    if not mark:
        raise Refused(f"{path}: has no signature")
    write(path, head + "\n" + "\n".join(lines) + mark + tail)


def make_mails(where, blocks):
    name, mail = author()
    who = ["-c", f"user.name={name}", "-c", f"user.email={mail}", "-c", "core.autocrlf=false"]
    git(where, "init", "-q", "-b", "series")
    lay_base(where, mails(blocks))
    git(where, *who, "add", "-Af")
    git(where, *who, "commit", "-q", "--allow-empty", "-m", "base")
    commit(where, who, blocks)
    git(where, *who, "format-patch", "-q", "-M", "--cover-letter", "-o", OUT, f"HEAD~{len(mails(blocks))}")
    cover = os.path.join(OUT, "0000-cover-letter.patch")
    subject = next(b for b in blocks if b.kind == "cover").subject
    write(cover, text(cover).replace("*** SUBJECT HERE ***", subject).replace("*** BLURB HERE ***", letter(blocks)))
    for path in os.listdir(OUT):
        finish(os.path.join(OUT, path), base_lines())


def main():
    try:
        blocks = states.shared_out()
        for block in mails(blocks):
            refuse_message(block)
        refuse_options(blocks)
        shutil.rmtree(OUT, ignore_errors=True)
        os.makedirs(OUT)
        with tempfile.TemporaryDirectory(dir=tree.BUILD) as where:
            make_mails(where, blocks)
    except Refused as why:
        shutil.rmtree(OUT, ignore_errors=True)
        print(f"patches: {why}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as why:
        print(f"patches: {' '.join(why.cmd)}: {why.stderr}", file=sys.stderr)
        return 1
    for n in sorted(os.listdir(OUT)):
        print(os.path.relpath(os.path.join(OUT, n), tree.TOP))
    largest = max(mails(blocks), key=lambda b: b.lines)
    print(f"{len(mails(blocks))} mails, the largest with {largest.lines} lines of code: {largest.subject}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
