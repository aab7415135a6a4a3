#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which sources of the series nothing compiles in the mail that adds them.

usage: reach.py

A source is compiled if the Makefile of its folder or of one above names its object, with
symbols that there are, and is reached itself; if another source that is compiled includes
it; or if a host suite lists it among its units. What lies in tools/testing is a suite's.
"""
import functools
import os
import re
import sys

import states
import tree
from order import mails, mails_of, status_of, topics

# But for what only defines macros.
SOURCE = re.compile(r"(?!tools/).*(?<!_macros)\.[cS]$")
CONFIG = re.compile(r"CONFIG_(\w+)")
INCLUDED = re.compile(r'(?m)^\s*#\s*include\s+"(?:\S*/)?([^"/]+)"')


@functools.cache
def includes(file):
    """The names of what a file includes."""
    return set(INCLUDED.findall("".join(file.lines)))


@functools.cache
def rules(file):
    """The lines of a Makefile that name objects, each whole."""
    lines = "".join(file.lines).replace("\\\n", " ").split("\n")
    return {line.replace("$(BITS)", bits) for line in lines if not line.startswith(("#", "CFLAGS_"))
            for bits in ("32", "64")}


# Each file is read once, by its whole path: another base may come.
file_at = functools.cache(tree.file_at)


def of_base(path):
    """As tree.of_base()."""
    return file_at(os.path.join(tree.BASE, path))


class State:
    """The tree with some mails; @later: symbols that only later ones have."""

    def __init__(self, files, later):
        self.files, self.later, self.known = files, later, {}
        self.suites = {unit for path, file in files.items() if file and re.fullmatch(r"tools/testing/.*/run\.sh", path)
                       for words in re.findall(r'(?m)^units="([^"]*)"', "".join(file.lines)) for unit in words.split()}

    def rules(self, folder):
        path = os.path.join(folder, "Makefile")
        file = self.files[path] if path in self.files else of_base(path)
        return rules(file) if file else set()

    def names(self, folder, word):
        """Whether the Makefile of @folder names @word in a line that asks for no symbol of a later mail."""
        if any(word in line and re.search(rf"(?<![\w./-])(?:\$\(obj\)/)?{re.escape(word)}(?![\w.-])", line) and
               not self.later & set(CONFIG.findall(line)) for line in self.rules(folder)):
            return True
        below, name = os.path.split(word)
        return any(f"$(wildcard $(src)/{below}/*" in line
                   or f"$(addprefix {below}/," in line and name in re.split(r"[ )]", line)
                   for line in self.rules(folder))

    def upward(self, folder, word):
        """The folder whose Makefile, the first from @folder on upward, names @word; None if none does."""
        while not self.names(folder, word):
            if not folder:
                return None
            folder, word = os.path.dirname(folder), f"{os.path.basename(folder)}/{word}"
        return folder

    def descends(self, folder):
        """Whether kbuild gets to a folder."""
        if not folder or of_base(os.path.join(folder, "Makefile")):
            return True
        above = self.upward(os.path.dirname(folder), os.path.basename(folder) + "/")
        return above is not None and self.descends(above)

    def by_kbuild(self, path):
        """Whether a Makefile compiles a source."""
        folder, name = os.path.split(os.path.splitext(path)[0] + ".o")
        found = self.upward(folder, name)
        return found is not None and self.descends(found)

    def compiled(self, path):
        """Whether anything compiles a source, or one that includes it."""
        if path not in self.known:
            self.known[path] = False		# for those that include each other
            name = os.path.basename(path)
            self.known[path] = path in self.suites or path.startswith("tools/") or \
                (path.endswith((".c", ".S")) and self.by_kbuild(path)) or \
                any(self.compiled(other) for other, file in self.files.items()
                    if file and other != path and other.endswith((".c", ".h", ".S"))
                    and name in includes(file))
        return self.known[path]


def uncompiled(blocks):
    """[(mail, those of its sources that nothing compiles after it)], in its topic and what that needs."""
    whole = states.touched(mails(blocks))
    ours = states.own_symbols(whole)
    found = []
    for topic in topics(blocks):
        before, its = mails_of(blocks, topic)
        files = states.touched(before)
        for block in its:
            states.apply(files, block)
            state = State(files, ours - states.symbols(files))
            found.append((block, sorted(p for p in block.adds if SOURCE.match(p) and not state.compiled(p))))
    return found


def main():
    found = uncompiled(states.shared_out())
    for block, missed in found:
        if missed:
            print(f"{block.topic.name}: {block.subject}: {' '.join(missed)}")
    print(f"{sum(len(missed) for _, missed in found)} sources are compiled by nothing in the mail that adds them")


if __name__ == "__main__":
    sys.exit(status_of("reach", main))
