# SPDX-License-Identifier: GPL-2.0
"""Makefiles of kbuild that are not whole yet.

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


def grown(lines, flags, there):
    """The lines of a Makefile with those objects for whose sources @there(name) is true, in lib-y.

    @flags: what they are compiled with besides.
    """
    whole = re.sub(r"\\\n\s*", "", "".join(lines)).split("\n")
    parts = {m[1] + ".o": m[2].split() for m in map(PARTS.fullmatch, whole) if m and m[1] != "obj"}

    def has(name):
        stem = os.path.splitext(name)[0].replace("$(BITS)", "64")
        return there(name + "Makefile") if name.endswith("/") else there(stem + ".c") or there(stem + ".S")

    kept, inside = [], []
    for line in whole:
        objects, of_one = OBJECTS.fullmatch(line), FLAGS.match(line)
        if line.startswith(("if", "endif", "else")):
            if line.startswith("if"):
                inside.append(not ours() & set(re.findall(r"CONFIG_\w+", line)))
            kept += [line] * inside[-1]
            if line.startswith("endif"):
                inside.pop()
        elif objects:
            names = [part for name in objects[2].split() for part in parts.get(name, [name]) if has(part)]
            kept += [f"lib-{condition(objects[1], name)} += {name}" for name in names]
        elif not (PARTS.fullmatch(line) and line.split("-")[0] + ".o" in parts
                  or of_one and not has(of_one[1] + ".o")):
            kept.append(line)
    text = "\n".join(kept)
    # A condition of nothing goes, and a comment, but for the first, that stands before nothing now.
    text = re.sub(r"(?m)^if.*\n(?:(?:#.*|else)?\n)*endif$\n?", "", text)
    first = re.match(r"(?:#.*\n)*", text).end()
    text = text[:first] + re.sub(r"(?m)^(?:#.*\n)+(?=\n|\Z)", "", text[first:]).rstrip("\n") + "\n"
    first = text.index("\nlib-") + 1 if "\nlib-" in text else len(text)
    head = text[:first].rstrip("\n") + "\n"
    extra = "".join(f"ccflags-y += {flag}\n" for flag in flags)
    text = head + extra + "\n" + NOTE + text[first:].lstrip("\n")
    return hunks.split(re.sub(r"\n{3,}", "\n\n", text))
