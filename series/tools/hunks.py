# SPDX-License-Identifier: GPL-2.0
"""Small changes to upstream files, and why each lands where it was meant to.

series/hunks/PATCH/PATH.patch is a unified diff of the one upstream file PATH.
A hunk applies if its lines occur exactly once in the function that its header
names, letter by letter.  Its line numbers do not count.  It has at least three
lines of context on both sides, or touches that end of the file.

The function's name is what "diff -p" prints: the last line before the hunk that
begins with a letter.  Labels of C do not count, since many functions share them.
"""
import os
import re
import subprocess
import tempfile

from order import Refused

CONTEXT = 3
# diff -p cuts the name there; git later.
CUTS = (40, 80)
HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@(?: (.*))?\n")
LABEL = re.compile(r"\w+:\s*(/[*/].*)?\n?$")


class Hunk:
    """One hunk; old and new are its lines before and after, context included."""

    def __init__(self, title, function):
        self.title, self.function = title, function
        self.old, self.new, self.marks = [], [], ""

    def add(self, line):
        # An editor may have taken away the blank of empty context. What has no newline is
        # followed by a line that says so.
        mark, rest = (" ", line) if line[0] == "\n" else (line[0], line[1:].partition("\n\\")[0])
        self.marks += mark
        if mark != "+":
            self.old.append(rest)
        if mark != "-":
            self.new.append(rest)

    def added(self):
        """The lines that it adds."""
        marks = self.marks.replace("-", "")
        return [line for mark, line in zip(marks, self.new) if mark == "+"]

    def context(self):
        """How many lines of context it begins and ends with."""
        all_marks = len(self.marks)
        return all_marks - len(self.marks.lstrip(" ")), all_marks - len(self.marks.rstrip(" "))


class HunkFile:
    """A hunk file; name is PATCH/PATH, path the upstream file that it changes."""

    def __init__(self, name, text):
        self.name, self.path, self.hunks = name, name.partition("/")[2], []
        # "No newline at end of file" belongs to the line before.
        lines = re.findall(r"[^\n]*\n(?:\\.*\n?)?|[^\n]+", text)
        if lines[:2] != [f"--- a/{self.path}\n", f"+++ b/{self.path}\n"] or not self.path:
            target = lines[1][4:].strip().partition("/")[2] if len(lines) > 1 else "nothing"
            raise Refused(f"series/hunks/{name}.patch: changes {target}, which is not what its name says")
        at = 2
        while at < len(lines):
            at = self.read_hunk(lines, at)
        if not self.hunks:
            raise Refused(f"series/hunks/{name}.patch: has no hunk")

    def refuse(self, hunk, why):
        number = self.hunks.index(hunk) + 1
        raise Refused(f"series/hunks/{self.name}.patch: hunk {number} ({hunk.title}): {why}")

    def read_hunk(self, lines, at):
        """Read the hunk whose header is lines[at]; where the next one begins."""
        m = HEADER.fullmatch(lines[at])
        if not m:
            raise Refused(f"series/hunks/{self.name}.patch: line {at + 1} is no hunk's: {lines[at].strip()}")
        hunk = Hunk(lines[at].strip(), (m[4] or "").rstrip())
        self.hunks.append(hunk)
        old, new = int(m[2] or 1), int(m[3] or 1)
        at += 1
        while at < len(lines) and lines[at][0] in " +-\n" and (
                len(hunk.old) < old or len(hunk.new) < new):
            hunk.add(lines[at])
            at += 1
        if (len(hunk.old), len(hunk.new)) != (old, new):
            self.refuse(hunk, "has other numbers of lines than its header says")
        if not hunk.old or not hunk.marks.strip():
            self.refuse(hunk, "has nothing to find, or nothing to change")
        return at

    def place(self, hunk, lines, after):
        """Where in @lines, of the whole file, the hunk belongs; behind line @after."""
        found = occurrences(hunk.old, lines)
        if not found:
            self.refuse(hunk, f"its lines are not in {self.path} as it has them" if self.has_function(hunk, lines)
                        else f"{self.path} has no such function")
        before, behind = hunk.context()
        full = [at for at in found if (before >= CONTEXT or at == 0) and
                (behind >= CONTEXT or at + len(hunk.old) == len(lines))]
        if not full:
            self.refuse(hunk, f"has {before} and {behind} lines of context, wants {CONTEXT}")
        inside = [at for at in full if is_named(hunk.function, enclosing(self.path, lines, at))]
        if not inside:
            there = enclosing(self.path, lines, full[0]).strip() or "the beginning of the file"
            self.refuse(hunk, f"its lines are in another function, line {full[0] + 1}: {there}")
        if len(inside) > 1:
            self.refuse(hunk, "its lines are there more than once, at " + ", ".join(str(at + 1) for at in inside))
        if inside[0] < after:
            self.refuse(hunk, "belongs before the hunk before it, or into it")
        return inside[0]

    def has_function(self, hunk, lines):
        return not hunk.function or any(is_named(hunk.function, line) for line in lines)

    def apply(self, lines):
        """@lines, the upstream file's, with all hunks."""
        result, done = [], 0
        for hunk in self.hunks:
            at = self.place(hunk, lines, done)
            result += lines[done:at] + hunk.new
            done = at + len(hunk.old)
        return result + lines[done:]


def split(text):
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        return split(f.read())


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.writelines(lines)


def occurrences(part, lines):
    """Where the lines @part stand in a row in @lines."""
    begins = [at for at, line in enumerate(lines) if line == part[0]]
    return [at for at in begins if lines[at:at + len(part)] == part]


def enclosing(path, lines, at):
    """The line that names the function around line @at, or nothing."""
    for line in reversed(lines[:at]):
        if (line[0].isalpha() or line[0] in "_$") and not (path.endswith((".c", ".h")) and LABEL.match(line)):
            return line
    return ""


def is_named(name, line):
    return any(name == line[:cut].rstrip() for cut in CUTS)


def difference(path, old, new, context):
    """The text of a hunk file that turns lines @old into @new."""
    with tempfile.TemporaryDirectory() as where:
        sides = [os.path.join(where, side, path) for side in "ab"]
        for side, lines in zip(sides, (old, new)):
            write(side, lines)
        run = subprocess.run(["diff", f"-U{context}", *(f"--label={s}/{path}" for s in "ab"), *sides],
                             capture_output=True, check=False)
    lines = split(run.stdout.decode("utf-8", "surrogateescape"))
    for i, line in enumerate(lines):
        if m := HEADER.fullmatch(line):
            name = enclosing(path, old, int(m[1]) - 1)[:CUTS[-1]]
            lines[i] = f"{line.rstrip()} {name}".rstrip() + "\n"
    return "".join(lines)


def made(name, old, new):
    """The same, with as much context as its hunks need to have one place each."""
    for context in range(CONTEXT, 100):
        text = difference(name.partition("/")[2], old, new, context)
        try:
            if HunkFile(name, text).apply(old) == new:
                return text
        except Refused as why:
            last = why
    raise last
