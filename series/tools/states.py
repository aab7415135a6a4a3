#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lay the tree as it is with some patches of the series only.

usage: states.py after NUMBER WHERE    the base with the first NUMBER mails
       states.py without NAME WHERE    the whole series but for one option

WHERE is made by hard links to build/base. What lies there from an earlier state
is changed in place, and only where it differs, so that make compiles again what
depends on it and no more.
"""
import copy
import os
import sys

import makefiles
import tree
from order import Refused, mails, options, read_order, share, status_of


def shared_out():
    """The blocks of series/order with their parts, (name, what); refuse what is taken twice or not at all."""
    blocks = read_order(tree.ORDER)
    there = {p: p for p in tree.overlay()}
    there.update({"hunk:" + name: name for name in tree.hunk_names()})
    there.update({"moved:" + old: (old, new) for old, new in tree.moved()})
    for b in blocks:
        b.parts = []
    for b, take, names in share(blocks, there):
        if not names:
            raise Refused(f"series/order: \"{b.subject}\" takes {take}, which is not there or taken")
        b.parts += [(n, there[n]) for n in names]
    for i, b in enumerate(blocks):
        b.adds = {n for n, _ in b.parts if not n.startswith(("hunk:", "moved:"))}
        for path in b.grows:
            if not any(path == n for after in blocks[i + 1:] for n, _ in after.parts):
                raise Refused(f"series/order: \"{b.subject}\" grows {path}, which no later patch takes")
    return blocks


def without(blocks, name):
    """The mails but for those of the option @name."""
    if name not in [b.name for b in options(blocks)]:
        raise Refused(f"series/order: has no option {name}, but "
                      + ", ".join(b.name for b in options(blocks)))
    return [b for b in mails(blocks) if b.topic.name != name]


class Growing(tree.File):
    """A Makefile with those of its objects whose sources are there; with @flags they are compiled, and not linked."""

    def __init__(self, path, flags=None):
        self.whole = tree.file_at(os.path.join(tree.TOP, path))
        super().__init__([], self.whole.mode)
        self.path, self.flags = path, flags

    def grown(self, files):
        """The same among @files."""
        file = copy.copy(self)
        folder = os.path.dirname(self.path)

        def there(name):
            return bool(files.get(f"{folder}/{name}"))

        file.lines = makefiles.linked(file.whole.lines, there) if self.flags is None else \
            makefiles.grown(file.whole.lines, self.flags, there)
        return file if file.lines != self.lines else self


def symbols(files):
    """What the Kconfig files among @files, {path: File or None}, define."""
    return {symbol for path, file in files.items() if file and os.path.basename(path).startswith("Kconfig")
            for symbol in makefiles.symbols(file.lines)}


def own_symbols(whole):
    """Those that the base has not."""
    return symbols(whole) - symbols({path: tree.of_base(path) for path in whole})


def paths_of(name, what):
    """The files that a part changes."""
    if name.startswith("hunk:"):
        return {tree.hunk_file(what).path}
    return {p for p in what if p} if name.startswith("moved:") else {name}


def apply(files, block, base=tree.of_base):
    """Change @files by all parts of a patch; the paths that it changes.

    @base: what gives a file of the base, if that is not build/base.
    """
    changed = set()
    # What is taken away goes first, so that a file of ours can lie there.
    for part in sorted(block.parts, key=lambda part: not part[0].startswith("moved:")):
        tree.apply_part(files, *part, base)
        changed |= paths_of(*part)
    files.update({path: Growing(path, flags) for path, flags in block.grows.items()})
    files.update({path: Growing(path) for path in block.adds if os.path.basename(path) in ("Makefile", "Kbuild")})
    for path, file in [item for item in files.items() if isinstance(item[1], Growing)]:
        files[path] = file.grown(files)
        if files[path] is not file:
            changed.add(path)
    return changed


def touched_by(blocks):
    """The files that @blocks change."""
    return {path for block in blocks for part in block.parts for path in paths_of(*part)} | \
        {path for block in blocks for path in block.grows}


def touched(blocks, base=tree.of_base):
    """{path: File, or None where it is taken away} of what differs from the base after @blocks."""
    files = {}
    for block in blocks:
        apply(files, block, base)
    return files


def main(argv):
    kind, which, where = argv if len(argv) == 3 else ("", "", "")
    if kind == "after" and which.isdigit():
        blocks = mails(shared_out())[:int(which)]
    elif kind == "without":
        blocks = without(shared_out(), which)
    else:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    where = os.path.abspath(where)
    if os.path.exists(where) and not tree.laid(where):
        raise Refused(f"{where} is there, and is no earlier state, which would be written over")
    print(f"{tree.lay(where, touched(blocks))} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(status_of("states", main, sys.argv[1:]))
