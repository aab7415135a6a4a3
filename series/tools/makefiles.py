# SPDX-License-Identifier: GPL-2.0
"""Makefiles of kbuild that are not whole yet: they name what the mails so far have brought.

What some mails of a series add can be compiled before the last of them links it: kbuild
makes objects of lib-y, too, and links none that no folder of libs-y has.
"""
import functools
import os
import re

import hunks
import tree

OBJECTS = re.compile(r"obj-(?:y|\$\((CONFIG_\w+)\))\s*[:+]?=\s*(.*)")
PARTS = re.compile(r"(\w+)-(?:y|objs)\s*[:+]?=\s*(.*)")
FLAGS = re.compile(r"\w+_(\S+)\.o\s*[:+]?=")
NOTE = "# With COMPILE_TEST these are compiled, and not linked before they are all there.\n"


def symbols(lines):
    """What the lines of a Kconfig file define."""
    return {m[1] for m in (re.match(r"\s*(?:menu)?config (\w+)", line) for line in lines) if m}


@functools.cache
def ours_in(top):
    return {"CONFIG_" + symbol for path in tree.overlay() if os.path.basename(path).startswith("Kconfig")
            for symbol in symbols(hunks.read(os.path.join(top, path)))}


def ours():
    """The symbols of Kconfig files that are the series' own."""
    return ours_in(tree.TOP)


def condition(symbol, name):
    """What a line of objects depends on while symbols of the series may not be there."""
    if symbol and symbol not in ours():
        return f"$({symbol})"
    return "$(CONFIG_KUNIT)" if name.endswith("_kunit.o") else "y"


class Rules:
    """The lines of a Makefile, whole, and which of its objects have sources: there(name) is true of these."""

    def __init__(self, lines, there):
        self.lines = re.sub(r"\\\n\s*", "", "".join(lines)).split("\n")
        self.there = there
        objects = " ".join(m[2] for m in map(OBJECTS.fullmatch, self.lines) if m).split()
        self.parts = {m[1] + ".o": m[2].split() for m in map(PARTS.fullmatch, self.lines)
                      if m and m[1] + ".o" in objects}

    def has(self, name):
        stem = os.path.splitext(name)[0].replace("$(BITS)", "64")
        return self.there(name + "Makefile") if name.endswith("/") else self.there(stem + ".c") or self.there(stem + ".S")

    def sources(self, name):
        """What an object is made of, as far as it is there."""
        return [part for part in self.parts.get(name, [name]) if self.has(part)]

    def names_parts(self, line):
        """Whether a line says of which parts an object is made."""
        parts = PARTS.fullmatch(line)
        return bool(parts) and parts[1] + ".o" in self.parts

    def of_nothing(self, line):
        """Whether a line has flags for a source that is not there."""
        of_one = FLAGS.match(line)
        return bool(of_one) and not self.has(of_one[1] + ".o")


def tidy(text):
    """A Makefile without conditions of nothing, and comments, but for the first, that stand before nothing."""
    text = re.sub(r"(?m)^(?:#.*\n)*if.*\n(?:(?:#.*|else)?\n)*endif$\n?", "", text)
    first = re.match(r"(?:#.*\n)*", text).end()
    text = text[:first] + re.sub(r"(?m)^(?:#.*\n)+(?=\n|\Z)", "", text[first:]).rstrip("\n") + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def linked(lines, there):
    """The lines of a Makefile that links what it names, with those objects alone whose sources are there."""
    rules, kept = Rules(lines, there), []
    for line in rules.lines:
        if OBJECTS.fullmatch(line) or rules.names_parts(line):
            head, _, names = line.partition("=")
            its = [name for name in names.split() if rules.sources(name)]
            if its:
                kept.append(line if its == names.split() else f"{head}= {' '.join(its)}")
        elif not rules.of_nothing(line):
            kept.append(line)
    return lines if kept == rules.lines else hunks.split(tidy("\n".join(kept)))


def grown(lines, flags, there):
    """The same of a Makefile that links nothing yet, in lib-y.

    @flags: what they are compiled with besides.
    """
    rules, kept, inside = Rules(lines, there), [], []
    for line in rules.lines:
        objects = OBJECTS.fullmatch(line)
        if line.startswith(("if", "endif", "else")):
            if line.startswith("if"):
                inside.append(not ours() & set(re.findall(r"CONFIG_\w+", line)))
            kept += [line] * inside[-1]
            if line.startswith("endif"):
                inside.pop()
        elif objects:
            names = [part for name in objects[2].split() for part in rules.sources(name)]
            kept += [f"lib-{condition(objects[1], name)} += {name}" for name in names]
        elif not (rules.names_parts(line) or rules.of_nothing(line)):
            kept.append(line)
    head, first, rest = tidy("\n".join(kept)).partition("\nlib-")
    lines = [head.rstrip("\n"), *(f"ccflags-y += {flag}" for flag in flags), "", NOTE]
    return hunks.split("\n".join(lines) + (first + rest).lstrip("\n"))
