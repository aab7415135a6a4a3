#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Build the HTML of the series' pages as the kernel builds its documentation.

usage: pages.py OUT

Uses the configuration and the extensions of build/tree, and its sources for
kernel-doc.  Of all other pages there are only those that ours refer to, and they
are empty: building all takes a quarter of an hour.  Prints what Sphinx and
kernel-doc say; which functions are missing, those that a page asks for (of which
kernel-doc says nothing) and those that are exported; which files that a page
names are not in build/tree; and what a page names that only the repository has.
The status is 1 if it prints any of that; the last line counts.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import tree
from files import text, write
from order import status_of

DOCS = os.path.join(tree.TREE, "Documentation")
# What the configuration says by itself; no page of ours has a graph that needs dot.
USUAL = r"Using \w+ theme|WARNING: dot\(1\) not found, .*|"

# A path in a page, with * and {a,b}; and those that the build makes.
PATH = r"(?<![\w/<.-])((?:Documentation|arch|include|kernel|samples|scripts|tools)/[\w./*{},+-]*[\w*}])"
MADE = {"scripts/recordmcount"}
# What only the repository has: its folders, and the goals of its Makefile that a
# kernel's does not have, and that are no plain English.
OURS_ALONE = r"(?<![\w/<.-])(?:series|build)/[\w./*{},+-]*|\bmake\s+(?:%s)(?![\w-])"
NOT_OURS = {"help", "kernel", "clean"}


def named(pattern, *where):
    """All that a file names by a pattern, each once."""
    return sorted(set(re.findall(pattern, text(os.path.join(*where)), re.M)))


def entries(index, pages):
    """Our pages that the tree's own @index lists."""
    words = re.findall(r"^ +(\S+)$", text(os.path.join(DOCS, index)), re.M)
    names = [os.path.normpath(os.path.join(os.path.dirname(index), word)) for word in words]
    return [name for name in names if name + ".rst" in pages]


def lay_out(where, ours, pages):
    """The pages to build, in @where."""
    for path in ours:
        os.makedirs(os.path.dirname(os.path.join(where, path)), exist_ok=True)
        shutil.copyfile(os.path.join(DOCS, path), os.path.join(where, path))
    for name in {n for p in pages for n in named(r":doc:`(?:[^`<]*<)?/([^`>]+)", DOCS, p)}:
        if name + ".rst" not in pages and os.path.exists(os.path.join(DOCS, name + ".rst")):
            write(os.path.join(where, name + ".rst"), f":orphan:\n\n{name}\n{'=' * len(name)}\n")
    folders = {os.path.dirname(p) for p in pages}
    indices = {os.path.join(d, "index.rst") for f in folders for d in (f, os.path.dirname(f))}
    listed = [e for i in sorted(indices - set(pages)) if os.path.exists(os.path.join(DOCS, i))
              for e in entries(i, pages)]
    write(os.path.join(where, "index.rst"),
          "Pages\n=====\n\n.. toctree::\n\n" + "".join(f"   {e}\n" for e in listed))


def missing(html, pages):
    """What is in no page, of what has to be, a line each."""
    shown = {name for p in pages
             for name in named(r'id="c\.(\w+)"', html, p.removesuffix("rst") + "html")}
    asked = {name: p for p in pages for name in
             " ".join(named(r"^ +:identifiers:(.*(?:\n {4,}.*)*)", DOCS, p)).split()}
    code = [p for p in tree.overlay() if re.fullmatch(r"(?:kernel|arch)/(?!.*/tests/).*\.c", p)]
    exported = {name: p for p in code for name in named(r"^EXPORT_SYMBOL\w*\((\w+)", tree.TREE, p)}
    said = [(name, f"Documentation/{p}: no kernel-doc of {name}") for name, p in asked.items()]
    said += [(name, f"{p}: {name} is exported and on no page") for name, p in exported.items()]
    return [line for name, line in said if name not in shown]


def is_there(path):
    before, _, rest = path.partition("{")
    words, _, after = rest.partition("}")
    return all(glob.glob(os.path.join(tree.TREE, before + word + after)) for word in words.split(","))


def wrong_paths(pages):
    return [f"Documentation/{p}: there is no {path}" for p in pages
            for path in named(PATH, DOCS, p) if path not in MADE and not is_there(path)]


def goals():
    lines = named(r"^\.PHONY:(.*)", tree.TOP, "Makefile")
    return set(re.findall(r"(?<![\w$(.-])[a-z][\w-]*", " ".join(lines))) - NOT_OURS


def of_the_repository(pages):
    """What no kernel tree has, of what our pages name."""
    pattern = OURS_ALONE % "|".join(goals())
    return [f"Documentation/{p}: {' '.join(name.split())} is not in a kernel tree"
            for p in pages for name in named(pattern, DOCS, p)]


def main(argv):
    if len(argv) != 1:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    out, = argv
    shutil.rmtree(out, ignore_errors=True)
    # An extension of the kernel's looks for MAINTAINERS beside a folder of this name.
    src, html = os.path.join(out, "Documentation"), os.path.join(out, "html")
    ours = [p.removeprefix("Documentation/") for p in tree.overlay()
            if p.startswith("Documentation/")]
    pages = [p for p in ours if p.endswith(".rst")]
    lay_out(src, ours, pages)
    os.symlink(os.path.join(tree.TREE, "MAINTAINERS"), os.path.join(out, "MAINTAINERS"))
    run = subprocess.run(
        ["sphinx-build", "-q", "-b", "html", "-c", DOCS, "-d", os.path.join(out, "trees"),
         "-D", "kerneldoc_srctree=" + tree.TREE, src, html],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, env={**os.environ, "srctree": tree.TREE, "PYTHONDONTWRITEBYTECODE": "1"})
    said = [line.replace(src, "Documentation").replace(tree.TREE + "/", "")
            for line in run.stdout.split("\n") if not re.fullmatch(USUAL, line)]
    if not run.returncode:
        said += missing(html, pages) + wrong_paths(pages) + of_the_repository(pages)
    sys.stdout.write("".join(line + "\n" for line in said))
    print(f"{len(ours)} files, {len(said)} lines")
    return 1 if said or run.returncode else 0


if __name__ == "__main__":
    sys.exit(status_of("pages", main, sys.argv[1:]))
