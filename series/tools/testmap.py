#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which tests are there for a source file: the table that series/doc/testing.rst begins with.

usage: testmap.py [--write]	print the table, or put it into that page

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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from files import text, write  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "series/doc/testing.rst"
BEGIN, END = ".. begin: series/tools/testmap.py --write\n", ".. end\n"

PARTS = ("kernel/trace/ftrace", "kernel/tracepoint", "arch/x86/kernel/ftrace", "arch/x86/kernel/text_patch",
         "scripts/mcount")

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


def table(top):
    """A csv-table for each part."""
    out = []
    rows = tests(top)
    for part in PARTS:
        out += [f".. csv-table:: {part}", "   :widths: 25 75", "   :class: longtable", ""]
        out += [f'   "{path.removeprefix(part + "/")}", "{"; ".join(names)}"'
                for path, names in rows if path.startswith(part + "/")]
        out.append("")
    return "\n".join(out) + "\n"


def page(top):
    """The page as it has to be."""
    said = text(os.path.join(top, PAGE))
    before, begin, rest = said.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Wrong(f"{PAGE}: no lines {BEGIN.strip()!r} and {END.strip()!r}")
    return before + BEGIN + "\n" + table(top) + END + after


def main(argv):
    try:
        if argv == ["--write"]:
            write(os.path.join(TOP, PAGE), page(TOP))
        elif argv:
            print(__doc__.split("\n\n")[1], file=sys.stderr)
            return 2
        else:
            print(table(TOP), end="")
    except Wrong as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
