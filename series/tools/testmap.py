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
import glob
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

from files import text, write
from order import Refused, status_of

TOP = Path(__file__).resolve().parents[2]
PAGE = "series/doc/testing.rst"
MAP = "Documentation/trace/ftrace/design.rst"
# Between these lines stands what is made, in either page.
BEGIN, MAP_BEGIN = ".. begin: series/tools/testmap.py --write\n", ".. begin: map\n"
END = ".. end\n"

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


def below(folder, pattern):
    """The files whose name a pattern of the shell matches."""
    paths = glob.glob(f"{folder}/**/{pattern}", root_dir=TOP, recursive=True)
    return sorted(p for p in paths if (TOP / p).is_file())


def in_tests(path):
    return "/tests/" in path


def sources():
    """{path without its suffix: path}, where a source file stands for its header."""
    paths = [path for part in PARTS for path in below(part, "*.[chS]") if not in_tests(path)]
    paths.sort(key=lambda path: path.endswith(".h"), reverse=True)
    return {os.path.splitext(path)[0]: path for path in paths}


def included(path, seen):
    """What a test includes that is no test; of what headers of tests include, only sources."""
    for name in re.findall(r'^#include "(.*)"', text(TOP / path), re.M):
        # x86's suites are compiled with -I for the generic code.
        places = [os.path.normpath(f"{d}/{name}") for d in (os.path.dirname(path), PARTS[0])]
        at = next((p for p in places if (TOP / p).exists()), None)
        if not at or at in seen:
            continue
        seen.add(at)
        if not in_tests(at):
            yield at
        else:
            yield from (p for p in included(at, seen) if p.endswith(".c"))


def kunit(units):
    for part in PARTS:
        for path in below(part, "*_kunit.c"):
            name = os.path.basename(path).removesuffix("_kunit.c")
            suite = ", ".join(re.findall(r'^\t\.name\s*= "(.*)",', text(TOP / path), re.M))
            named = {s for s in units if s.startswith(part) and os.path.basename(s) == name}
            stems = existing(path, included(path, set()))
            yield f"KUnit {suite}", stems | (proved(path) or named)


def existing(path, units):
    """What the test at @path names, without suffixes; all of it has to be there."""
    stems = set()
    for unit in units:
        if not (TOP / unit).exists():
            raise Refused(f"{path}: there is no {unit}")
        stems.add(os.path.splitext(unit)[0])
    return stems


def host():
    for path in below("tools/testing", "run.sh"):
        units = subprocess.run(["sh", TOP / path, "--units"], capture_output=True,
                               text=True, check=True).stdout.split()
        name = path.removeprefix("tools/testing/").removesuffix("/run.sh")
        yield f"host {name}", existing(path, units)


def selftests(units):
    makes = {name: stem for stem, path in units.items()
             for name in re.findall(r'(?:tracefs|trace)_create_file\("(\w+)"', text(TOP / path))}
    for path in below("tools/testing/selftests/ftrace/test.d", "*.tc"):
        said = text(TOP / path)
        wants = re.search(r"^# requires: (.*)", said, re.M)
        if wants and "\n# proves: " not in said:
            yield os.path.basename(path), {makes[w] for w in wants[1].split() if w in makes}


def proved(path):
    """What a test says itself that it proves."""
    lines = re.findall(r"^(?:#| \*) proves: (.*)", text(TOP / path), re.M)
    return existing(path, " ".join(lines).split())


def tagged():
    """Tests that say themselves what they prove, but for KUnit's."""
    paths = [p for part in PARTS for p in below(part, "*.[chS]")
             if in_tests(p) and not p.endswith("_kunit.c")]
    paths += [p for place in PLACES for p in below(place, "*") if not p.endswith(".pyc")]
    for path in paths:
        name = Path(path).stem
        if path.startswith("series/guest/jobs/"):
            name = "guest " + name
        elif path.startswith("tools/testing/selftests/") and path.endswith(".sh"):
            name = "selftest " + path.removeprefix("tools/testing/selftests/").removesuffix(".sh")
        elif path.endswith(".tc"):
            name += ".tc"
        yield name, proved(path)


def tests():
    """[(source file, its tests)]; refused if one has none."""
    units = sources()
    found = collections.defaultdict(dict)
    for name, stems in itertools.chain(kunit(units), host(), tagged(), selftests(units)):
        for stem in stems:
            found[stem][name] = None
    rows, lines = [], []
    for stem, path in sorted(units.items()):
        if path in WITHOUT and found[stem]:
            lines.append(f"{path}: has a test, and stands in WITHOUT")
        if path not in WITHOUT and not found[stem]:
            lines.append(f"{path}: has no test")
        rows.append((path, [*found[stem]] or [WITHOUT.get(path)]))
    lines += [f"{path}: stands in WITHOUT, and is not there"
              for path in WITHOUT if path not in units.values()]
    if lines:
        raise Refused("\n".join(lines))
    return rows


def sentence(path):
    """The first sentence of a file's first comment behind its licence."""
    comment = re.match(r"/\*(?:\n \*)? (.*?)\s*\*/", text(TOP / path).partition("\n")[2], re.S)
    paragraph = re.sub(r"\s*\n \*[ \t]*", " ", comment[1].split("\n *\n")[0]) if comment else ""
    first = re.match(r"(.*?)[.](?= |$)|(.*):$", paragraph)
    if not first:
        raise Refused(f"{path}: has no comment that begins with a sentence")
    return re.sub(r"\b__\w+__\b", r"``\g<0>``", first[1] or first[2]) + "."


def csv_tables(parts, rows):
    """A table for each part, of those of @rows, (file, text), that are of its files."""
    lines = []
    for part in parts:
        lines += [f".. csv-table:: {part}", "   :widths: 25 75", "   :class: longtable", ""]
        for path, said in rows:
            if path.startswith(part + "/"):
                cells = path.removeprefix(part + "/"), said.replace('"', '""')
                lines.append('   "{}", "{}"'.format(*cells))
        lines.append("")
    return "".join(line + "\n" for line in lines)


def source_map():
    """What design.rst says of each file."""
    paths = [path for _, path in sorted(sources().items()) if path.startswith(MAPPED)]
    return csv_tables(MAPPED, [(path, sentence(path)) for path in paths])


def table():
    """What testing.rst says of each file."""
    return csv_tables(PARTS, [(path, "; ".join(names)) for path, names in tests()])


def page(path=PAGE):
    """A page as it has to be."""
    begin, made = (BEGIN, table) if path == PAGE else (MAP_BEGIN, source_map)
    before, has_begin, rest = text(TOP / path).partition(begin)
    _, has_end, after = rest.partition(END)
    if not has_begin or not has_end:
        raise Refused(f"{path}: no lines {begin.strip()!r} and {END.strip()!r}")
    return before + begin + "\n" + made() + END + after


def main(argv):
    if argv != ["--write"]:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    for path in PAGE, MAP:
        write(TOP / path, page(path))
    return 0


if __name__ == "__main__":
    sys.exit(status_of("testmap", main, sys.argv[1:]))
