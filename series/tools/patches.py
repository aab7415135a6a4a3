#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the series into mails: build/patches/0000-cover-letter.patch and on.

usage: patches.py          the whole series
       patches.py NAME     one topic, in build/patches/NAME

series/order says what each patch takes and what its message is; order.py has its
form.  Everything that the series has must be taken exactly once.  The mails are made
in a scratch repository which holds only the files that the series touches;
"git am" applies them to the whole base tree all the same.

Refused is a mail that is too large to be read or whose message is out of form, a topic
with too many mails or one that needs more than it says, an include of a header or a link
to a page that a later mail adds, a source that nothing compiles in the mail that adds it,
and an option that something else depends on.
"""
import itertools
import os
import re
import shutil
import sys
import tempfile
import textwrap
import time

import hunks
import states
import tree
from commits import Commit, author, git, make_commits, signed
from files import text, write
from order import Refused, mails, mails_of, options, status_of, topic_of, topics
from reach import uncompiled

OUT = os.path.join(tree.BUILD, "patches")

# Added and removed lines of one mail, and its bytes; mails of a topic, and lines of its letter.
LIMIT, TEST_LIMIT, BYTES = 600, 1200, 60000
MAILS, LONG, LETTER = 15, 20, 150
TESTS = re.compile(r"tools/testing/|samples/|(.*/)?tests/|.*_kunit\.[ch]$")
NO_CODE = re.compile(r"Documentation/|" + TESTS.pattern)

SUBJECT = re.compile(r"(?:[\w./-]+: )+([A-Za-z][a-z]+) \S.*[^.]")
SUBJECT_MAX, LINE_MAX = 72, 75
# The line that must not be broken.
FIXES = re.compile(r'Fixes: [0-9a-f]{12} \(".+"\)')
# No imperative ends like this, but for these.
NO_VERB = re.compile(r"(?!bring|embed|feed|need|seed|shed|speed)\w*(ing|ed)|(?!pass|process|address|discuss|focus)\w*s")


def refuse_message(block):
    """Refuse a message that is out of form."""
    m = SUBJECT.fullmatch(block.subject)
    long = [line for line in block.body.split("\n")
            if len(line) > LINE_MAX and not FIXES.fullmatch(line)]
    why = "is no \"subsystem: verb object\"" if not m else \
          f"does not begin with a verb, but \"{m[1]}\"" if NO_VERB.fullmatch(m[1].lower()) else \
          f"is longer than {SUBJECT_MAX} characters" if len(block.subject) > SUBJECT_MAX else \
          "has no message" if not block.body.strip() else \
          f"has a line of more than {LINE_MAX} characters: {long[0]}" if long else ""
    if why:
        raise Refused(f"series/order: \"{block.subject}\" {why}")


def refuse_misfit(blocks, what, base=tree.of_base):
    """Refuse mails that do not apply."""
    try:
        states.touched(blocks, base)
    except Refused as why:
        raise Refused(f"{what}: {why}") from why


def refuse_options(blocks):
    """Refuse an option without which the other patches do not apply."""
    for option in options(blocks):
        refuse_misfit(states.without(blocks, option.name), f"without the option {option.name}")


def refuse_topics(blocks):
    """Refuse topics that are too long, or do not apply after what they need."""
    for topic in topics(blocks):
        before, its = mails_of(blocks, topic)
        most = LONG if "long" in topic.said else MAILS
        if len(its) > most:
            raise Refused(f"series/order: the topic {topic.name} has {len(its)} mails, more than {most}")
        refuse_misfit(before + its, f"the topic {topic.name} does not apply after what it needs")
        refuse_includes(its, {path for b in before for path in b.adds})


def refuse_uncompiled(blocks):
    """Refuse a source that nothing compiles in the mail that adds it, and excuses of others."""
    for block, missed in uncompiled(blocks):
        if missed and "inert" not in block.said:
            raise Refused(f"series/order: \"{block.subject}\": nothing compiles {' '.join(missed)}")
        if not missed and "inert" in block.said:
            raise Refused(f"series/order: \"{block.subject}\" is compiled, and need not say why it is not")


INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
# A file of which a page has something, another page, an entry of a list of pages.
PAGE = re.compile(r"\.\. kernel-(?:doc|figure):: (\S+)|:doc:`(?:[^`<]*<)?/?([^`<>]+)>?`|^   ([\w/-]+)$")


def included(path, line):
    """For each file that a line of @path asks for, where it can be."""
    if path.endswith(".rst"):
        names = [m[1] or (m[2] or m[3]) + ".rst" for m in PAGE.finditer(line)]
        roots = ["", os.path.dirname(path), "Documentation"]
    else:
        names = INCLUDE.findall(line)
        roots = [os.path.dirname(path), "include", "arch/x86/include", "tools/testing/shared/shim"]
    return [[os.path.normpath(os.path.join(root, name)) for root in roots] for name in names]


def unconditional(lines):
    """The lines that no #if of a CONFIG_ symbol can leave out."""
    inside = []
    for line in lines:
        if m := re.match(r"\s*#\s*(if|endif)", line):
            if m[1] == "if":
                inside.append("CONFIG_" in line)
            elif inside:
                inside.pop()
        elif not any(inside):
            yield line


def brought(block):
    """[(path, lines)] of the sources and pages that a mail adds, or what it adds to one of the base."""
    lines = [(path, hunks.read(os.path.join(tree.TOP, path))) for path in sorted(block.adds)]
    for name, what in block.parts:
        if name.startswith("hunk:"):
            file = tree.hunk_file(what)
            lines.append((file.path, [line for hunk in file.hunks for line in hunk.added()]))
    return [(path, its) for path, its in lines if path.endswith((".c", ".h", ".S", ".rst"))]


def refuse_includes(its, there):
    """Refuse an #include, or a page's link, of a file that neither the mails before nor this one adds."""
    ours = {p for p in tree.overlay() if not os.path.exists(os.path.join(tree.BASE, p))}
    for block in its:
        there |= block.adds
        later = ours - there
        for path, lines in brought(block):
            for places in (p for line in unconditional(lines) for p in included(path, line)):
                found = next((p for p in places if p in ours or os.path.exists(os.path.join(tree.BASE, p))), None)
                if found in later:
                    raise Refused(f"series/order: \"{block.subject}\": {path} needs {found}, "
                                  "which is not there yet")


def base_version():
    """The base's whole version, as its Makefile has it."""
    keys = ("VERSION", "PATCHLEVEL", "SUBLEVEL", "EXTRAVERSION")
    said = dict(re.findall(r"(?m)^(\w+) *= *(\S*)$", text(os.path.join(tree.BASE, "Makefile"))))
    *numbers, extra = [said.get(key, "") for key in keys]
    return ".".join(filter(None, numbers)) + extra


def base_lines():
    """What each mail says of the base: its version, and its commit if it is a checkout."""
    lines = [f"base-version: {base_version()}"]
    if os.path.exists(os.path.join(tree.BASE, ".git")):
        lines.append("base-commit: " + git(tree.BASE, "rev-parse", "HEAD").stdout.strip())
    return lines


def changed_lines(where, commit):
    """How many lines of (code, tests) a commit adds and removes."""
    changes = git(where, "diff-tree", "-r", "-M", "-z", "--numstat", commit + "~", commit).stdout
    code = tests = 0
    # Of what was renamed the old name, too, is there.
    for *counts, path in re.findall(r"([^\t\0]+)\t([^\t\0]+)\t(?:\0[^\0]+\0)?([^\0]+)\0", changes):
        count = sum(int(n) for n in counts if n != "-")
        code += 0 if NO_CODE.match(path) else count
        tests += count if TESTS.match(path) else 0
    return code, tests


def chain(blocks, who, files, base=tree.of_base):
    """A commit for each of the mails, after those that made @files."""
    result = []
    for b in blocks:
        changed = states.apply(files, b, base)
        result.append(Commit(signed(b.subject, b.body, who), {path: files[path] for path in changed}))
    return result


def refuse_sizes(blocks, paths):
    """Refuse mails that are too large, and excuses of others."""
    bad = []
    for b, path in zip(blocks, paths):
        why = [f"{count} {what}, more than {most}" for count, what, most in
               ((b.lines, "lines of code", LIMIT), (b.tests, "lines of tests", TEST_LIMIT),
                (os.path.getsize(path), "bytes", BYTES)) if count > most]
        if why and "large" not in b.said:
            bad.append(f"\"{b.subject}\" has {'; '.join(why)}")
        if not why and "large" in b.said:
            bad.append(f"\"{b.subject}\" is not large, and need not say why")
    if bad:
        raise Refused("series/order: " + "; ".join(bad))


def figures(wanted=("",)):
    """The tables of README.md, as plain text: the rows with one of the texts @wanted."""
    tables = re.findall(r"(?m)(?:^\|.*\n)+", text(os.path.join(tree.TOP, "README.md")))
    tables = [[[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
               if not re.fullmatch(r"[|: -]+", line)] for table in tables]
    if not tables:
        raise Refused("README.md has no tables of figures")
    for words in wanted:
        if not any(words in row[0] for rows in tables for row in rows[1:]):
            raise Refused(f"README.md has no row of figures with \"{words}\"")
    tables = [rows[:1] + [row for row in rows[1:] if any(words in row[0] for words in wanted)]
              for rows in tables]
    return "\n\n".join(plain(rows) for rows in tables if rows[1:])


def plain(rows):
    """A table whose cells are wrapped, so that no line is too long."""
    width = [max(map(len, column)) for column in zip(*rows)]
    while sum(width) + 2 * len(width) > LINE_MAX:
        width[width.index(max(width))] -= 1
    lines = []
    for row in rows:
        cells = [textwrap.wrap(cell, w, break_on_hyphens=False) for cell, w in zip(row, width)]
        for line in itertools.zip_longest(*cells, fillvalue=""):
            lines.append("  ".join(map(str.ljust, line, width)).rstrip())
        if row is rows[0]:
            lines.append("=" * (sum(width) + 2 * len(width) - 2))
    return "\n".join(lines)


def filled(words, indent=""):
    return textwrap.fill(" ".join(words.split()), LINE_MAX, initial_indent=indent, subsequent_indent=indent,
                         break_on_hyphens=False)


def contents(blocks):
    """What the letter says of each topic, with the numbers of its mails."""
    number = {id(b): i for i, b in enumerate(mails(blocks), 1)}
    paragraphs = []
    for topic in topics(blocks):
        its = [number[id(b)] for b in mails(blocks) if b.topic is topic]
        numbers = f"{its[0]}-{its[-1]}" if len(its) > 1 else str(its[0])
        word = " (option)" if topic.kind == "option" else ""
        body = filled(topic.body.split("\n\n")[0], "    ")
        paragraphs.append(f"{numbers}: {topic.subject}{word}\n{body}\n")
    return "The mails\n=========\n\n" + "\n".join(paragraphs)


def quoted(names):
    return ", ".join(f"\"{name}\"" for name in names)


def remarks(blocks, topic, its):
    """What the letter of a topic says of the topics before it, and of mails that nothing compiles yet."""
    needs = [topic_of(blocks, name).subject for name in topic.needs]
    said = [f"Depends on: {quoted(needs)}." if needs else f"Based on v{base_version()}."]
    inert = [i for i, b in enumerate(its, 1) if "inert" in b.said]
    if inert:
        names = quoted(its[i - 1].subject for i in inert)
        said += [f"Not compiled before patch {inert[-1] + 1}: {names}."]
    return "\n\n".join(map(filled, said))


def letter(block, rest):
    """The text of a letter; @rest goes behind it."""
    body, wanted = block.body.strip(), block.said.get("figures", [""] if block.kind == "cover" else [])
    if ("{figures}" in body) != bool(wanted):
        raise Refused(f"series/order: the letter of \"{block.subject}\" has "
                      + ("no line {figures}" if wanted else "a line {figures} and says not which"))
    if wanted:
        body = body.replace("{figures}", figures(wanted))
    return body + "\n\n" + rest.strip()


# git's list of what changes, in a letter: each mail has its own.
LISTED = re.compile(r"(?m)^ (?:\S.* \| .*|(?:create|delete|rename|mode) .*)\n")


def finish(path, lines):
    """Put @lines behind a mail's text, before the signature, as git does."""
    head, mark, tail = text(path).rpartition("\n-- \n")
    if not mark:
        raise Refused(f"{path}: has no signature")
    write(path, head + "\n" + "\n".join(lines) + mark + tail)


def scratch(where, before, its):
    """A repository of the files that the mails touch: the base with those @before, then a commit for each."""
    git(where, "init", "-q", "-b", "series")
    files = states.touched(before)
    first = {path: files.get(path, tree.of_base(path)) for path in states.touched_by(before + its)}
    who = author()
    commits = [Commit("base", first), *chain(its, who, files)]
    return make_commits(where, None, {"refs/heads/series": commits}, who, int(time.time()))["refs/heads/series"][1:]


def format_mails(where, names, out, blocks, topic, said, *args):
    """Write the commits @names, of the mails of @topic or of all, with a letter, into folder @out.

    @said: lines at the end of each mail, @args: of git format-patch.
    """
    head, body = head_of(blocks, topic)
    its = mails_of(blocks, topic)[1]
    name, mail = author()
    to = [f"--to={address}" for address in head.said.get("to", [])]
    git(where, "-c", f"user.name={name}", "-c", f"user.email={mail}", "format-patch", "-q", "-M",
        "--cover-letter", *to, *args, "-o", out, f"{names[0]}~..{names[-1]}")
    paths = sorted(os.path.join(out, name) for name in os.listdir(out) if name.endswith(".patch"))
    write(paths[0], LISTED.sub("", text(paths[0])).replace("*** SUBJECT HERE ***", head.subject)
          .replace("*** BLURB HERE ***", body))
    for path in paths:
        finish(path, said + [f"prerequisite-topic: {name}" for name in head.needs])
    for b, name in zip(its, names):
        b.lines, b.tests = changed_lines(where, name)
    refuse_sizes(its, paths[1:])
    lines = text(paths[0]).count("\n")
    if head.name and lines > LETTER:
        raise Refused(f"series/order: the letter of {head.name} has {lines} lines, more than {LETTER}")
    return paths


def head_of(blocks, topic=None):
    """(the block of the letter of a topic or of all, its text)"""
    head = topic or next(b for b in blocks if b.kind == "cover")
    rest = remarks(blocks, topic, mails_of(blocks, topic)[1]) if topic else contents(blocks)
    return head, letter(head, rest)


def refuse(blocks):
    """Refuse what is out of form, but for sizes."""
    for block in mails(blocks):
        refuse_message(block)
    refuse_options(blocks)
    refuse_topics(blocks)
    refuse_uncompiled(blocks)
    for block in topics(blocks):
        letter(block, "")


def make(name=None):
    """Write the mails of the topic @name, or of the whole series; none if one is refused."""
    if name is None:
        shutil.rmtree(OUT, ignore_errors=True)
    blocks = states.shared_out()
    topic = None if name is None else topic_of(blocks, name)
    out = os.path.join(OUT, name) if topic else OUT
    shutil.rmtree(out, ignore_errors=True)
    refuse(blocks)
    before, its = mails_of(blocks, topic)
    with tempfile.TemporaryDirectory(dir=tree.BUILD) as where:
        made = os.path.join(where, "mails")
        paths = format_mails(where, scratch(where, before, its), made, blocks, topic, base_lines())
        os.makedirs(os.path.dirname(out), exist_ok=True)
        os.rename(made, out)
    for path in paths:
        print(os.path.relpath(path.replace(made, out), tree.TOP))
    largest = max(its, key=lambda b: b.lines)
    print(f"{len(its)} mails, the largest with {largest.lines} lines of code: {largest.subject}")


def main(argv=()):
    return status_of("patches", make, *argv[:1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
