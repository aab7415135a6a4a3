#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The map of source files in design.rst, and which tests are there for each: the table in testing.rst.

usage: testmap.py --write	put them into these pages

The map has the first sentence of each file's first comment.

A test belongs to a source file
- if it is a KUnit suite, X_kunit.c in a folder tests, that includes the file or its
  header, or, if it has no line "proves:", where X is the file's name;
- if it says so, in a line "proves: PATH...";
- if it is a host suite, run.sh, that lists the file by --units;
- if it is a .tc that has no such line, and requires a file of tracefs which the
  source file makes.
Files of one name, x.c and x.h, are one line.  A file that has no test, and is not
in WITHOUT, is an error; so is a line "proves:" with a path that is not there.
"""
import collections
import os
import re
import subprocess
import sys

from files import text, write

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "series/doc/testing.rst"
MAP, MAP_BEGIN, MAP_END = "Documentation/trace/ftrace/design.rst", ".. begin: map\n", ".. end\n"
BEGIN, END = ".. begin: series/tools/testmap.py --write\n", ".. end\n"

PARTS = ("kernel/trace/ftrace", "kernel/tracepoint", "arch/arm64/kernel/ftrace", "arch/x86/kernel/ftrace",
         "arch/x86/kernel/text_patch", "scripts/mcount")

# recordmcount.rst says what is in the last one.
MAPPED = PARTS[:-1]

# Where a line "proves:" may stand, besides in the tests of PARTS.
PLACES = ("tools/testing", "series/guest/jobs")

WITHOUT = {
    "kernel/trace/ftrace/sites/lock.h": "declares the locks; lockdep watches them in the debug kernel",
    "kernel/trace/ftrace/discover/discover.h": "declares what files of its folder call, which have tests",
}


class Wrong(Exception):
    pass


def below(top, folder, pattern):
    found = []
    for where, _, names in os.walk(os.path.join(top, folder)):
        found += (os.path.relpath(os.path.join(where, n), top) for n in names if re.fullmatch(pattern, n))
    return sorted(found)


def in_tests(path):
    return "/tests/" in path


def sources(top):
    """{path without its suffix: path}, where a source file stands for its header."""
    units = {}
    for part in PARTS:
        for path in below(top, part, r".*\.[chS]"):
            stem, suffix = os.path.splitext(path)
            if not in_tests(path) and (suffix != ".h" or stem not in units):
                units[stem] = path
    return units


def included(top, path, seen):
    """What a test includes of what is no test, itself or by headers of tests; of these, only sources."""
    for name in re.findall(r'^#include "(.*)"', text(os.path.join(top, path)), re.M):
        # x86's suites are compiled with -I for the generic code.
        places = (os.path.normpath(os.path.join(d, name)) for d in (os.path.dirname(path), PARTS[0]))
        at = next((p for p in places if os.path.exists(os.path.join(top, p))), None)
        if not at or at in seen:
            continue
        seen.add(at)
        if not in_tests(at):
            yield at
        else:
            yield from (p for p in included(top, at, seen) if p.endswith(".c"))


def kunit(top, units):
    for part in PARTS:
        for path in below(top, part, r".*_kunit\.c"):
            name = os.path.basename(path).removesuffix("_kunit.c")
            suite = ", ".join(re.findall(r'^\t\.name\s*= "(.*)",', text(os.path.join(top, path)), re.M))
            stems = {os.path.splitext(p)[0] for p in included(top, path, set())}
            said = proved(top, path)
            yield f"KUnit {suite}", stems | (said or {s for s in units
                                                      if s.startswith(part) and os.path.basename(s) == name})


def host(top):
    for path in below(top, "tools/testing", r"run\.sh"):
        p = subprocess.run(["sh", os.path.join(top, path), "--units"], capture_output=True, text=True, check=True)
        for unit in p.stdout.split():
            if not os.path.exists(os.path.join(top, unit)):
                raise Wrong(f"{path}: there is no {unit}")
        yield "host " + path.removeprefix("tools/testing/").removesuffix("/run.sh"), \
            {os.path.splitext(unit)[0] for unit in p.stdout.split()}


def selftests(top, units):
    makes = {name: stem for stem, path in units.items()
             for name in re.findall(r'(?:tracefs|trace)_create_file\("(\w+)"', text(os.path.join(top, path)))}
    for path in below(top, "tools/testing/selftests/ftrace/test.d", r".*\.tc"):
        said = text(os.path.join(top, path))
        wants = re.search(r"^# requires: (.*)", said, re.M)
        if wants and "\n# proves: " not in said:
            yield os.path.basename(path), {makes[w] for w in wants[1].split() if w in makes}


def proved(top, path):
    """What a test says itself that it proves."""
    stems = set()
    for line in re.findall(r"^(?:#| \*) proves: (.*)", text(os.path.join(top, path)), re.M):
        for word in line.split():
            if not os.path.exists(os.path.join(top, word)):
                raise Wrong(f"{path}: there is no {word}")
            stems.add(os.path.splitext(word)[0])
    return stems


def tagged(top):
    """Tests that say themselves what they prove, but for KUnit's."""
    paths = [p for part in PARTS for p in below(top, part, r".*\.[chS]") if in_tests(p) and not p.endswith("_kunit.c")]
    for path in paths + [p for place in PLACES for p in below(top, place, r".*") if not p.endswith(".pyc")]:
        stems = proved(top, path)
        name = os.path.splitext(os.path.basename(path))[0]
        if path.startswith("series/guest/jobs/"):
            name = "guest " + name
        elif path.startswith("tools/testing/selftests/") and path.endswith(".sh"):
            name = "selftest " + path.removeprefix("tools/testing/selftests/").removesuffix(".sh")
        elif path.endswith(".tc"):
            name += ".tc"
        yield name, stems


def tests(top):
    """[(source file, its tests)]; Wrong if one has none."""
    units = sources(top)
    found = collections.defaultdict(list)
    for kind in (kunit(top, units), host(top), tagged(top), selftests(top, units)):
        for name, stems in kind:
            for stem in stems:
                if name not in found[stem]:
                    found[stem].append(name)
    rows = []
    lines = []
    for stem, path in sorted(units.items()):
        if path in WITHOUT and found[stem]:
            lines.append(f"{path}: has a test, and stands in WITHOUT")
        if path not in WITHOUT and not found[stem]:
            lines.append(f"{path}: has no test")
        rows.append((path, found[stem] or [WITHOUT.get(path)]))
    lines += [f"{path}: stands in WITHOUT, and is not there" for path in WITHOUT if path not in units.values()]
    if lines:
        raise Wrong("\n".join(lines))
    return rows


def sentence(top, path):
    """The first sentence of a file's first comment behind its licence."""
    said = text(os.path.join(top, path)).partition("\n")[2]
    comment = re.match(r"/\*(?:\n \*)? (.*?)\s*\*/", said, re.S)
    paragraph = re.sub(r"\s*\n \*[ \t]*", " ", comment[1].split("\n *\n")[0]) if comment else ""
    first = re.match(r"(.*?)[.](?= |$)|(.*):$", paragraph)
    if not first:
        raise Wrong(f"{path}: has no comment that begins with a sentence")
    return re.sub(r"\b__\w+__\b", r"``\g<0>``", first[1] or first[2]) + "."


def csv_table(part, rows):
    """The table of one part, with a quoted cell for each text of @rows."""
    quoted = [", ".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    return "\n".join([f".. csv-table:: {part}", "   :widths: 25 75", "   :class: longtable", "",
                      *(f"   {row}" for row in quoted), "", ""])


def source_map(top):
    """A csv-table for each part that design.rst describes."""
    units = sources(top)
    return "".join(csv_table(part, [(path.removeprefix(part + "/"), sentence(top, path))
                                    for _, path in sorted(units.items()) if path.startswith(part + "/")])
                   for part in MAPPED)


def table(top):
    """A csv-table for each part."""
    rows = tests(top)
    return "".join(csv_table(part, [(path.removeprefix(part + "/"), "; ".join(names))
                                    for path, names in rows if path.startswith(part + "/")])
                   for part in PARTS)


def page(top, path=PAGE):
    """A page as it has to be."""
    begin, end, made = (BEGIN, END, table) if path == PAGE else (MAP_BEGIN, MAP_END, source_map)
    said = text(os.path.join(top, path))
    before, has_begin, rest = said.partition(begin)
    _, has_end, after = rest.partition(end)
    if not has_begin or not has_end:
        raise Wrong(f"{path}: no lines {begin.strip()!r} and {end.strip()!r}")
    return before + begin + "\n" + made(top) + end + after


def main(argv):
    if argv != ["--write"]:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        for path in PAGE, MAP:
            write(os.path.join(TOP, path), page(TOP, path))
    except Wrong as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
