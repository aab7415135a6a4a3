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
TEST = re.compile(r"(?:^|/)(?:\w*_kunit|tests/.*)\.o$")
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

    result, pending, inside = [], [], []
    for line in whole:
        m, of_one = OBJECTS.fullmatch(line), FLAGS.match(line)
        if line.startswith(("if", "endif", "else")):
            if line.startswith("if"):
                inside.append(not ours() & set(re.findall(r"CONFIG_\w+", line)))
            keep = inside[-1]
            if line.startswith("endif"):
                inside.pop()
            pending = pending + [line] if keep else pending
            if keep and line.startswith("endif"):
                # A condition of nothing goes with it.
                first = max(i for i, word in enumerate(result + pending) if word.startswith("if"))
                if len(result) <= first:
                    pending = pending[:first - len(result)]
                else:
                    result, pending = result + pending, []
        elif m:
            names = [part for name in m[2].split() for part in parts.get(name, [name]) if has(part)]
            for name in names:
                pending.append(f"lib-{condition(m[1], name)} += {name}")
            if names:
                result, pending = result + pending, []
        elif PARTS.fullmatch(line) and line.split("-")[0] + ".o" in parts:
            pass
        elif of_one:
            if has(of_one[1] + ".o"):
                result, pending = result + pending + [line], []
        elif not line or line.startswith("#"):
            # A comment goes with what comes after it, unless an empty line does.
            if not line:
                pending = [word for word in pending if not word.startswith("#")] if result else pending
            pending.append(line)
        else:
            result, pending = result + pending + [line], []
    text = "\n".join(result) + "\n"
    first = text.index("\nlib-") + 1 if "\nlib-" in text else len(text)
    head = text[:first].rstrip("\n") + "\n"
    extra = "".join(f"ccflags-y += {flag}\n" for flag in flags)
    text = head + extra + "\n" + NOTE + text[first:].lstrip("\n")
    return hunks.split(re.sub(r"\n{3,}", "\n\n", text))
