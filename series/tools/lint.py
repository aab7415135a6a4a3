#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What W=1 and sparse say of the series' own kernel objects.

usage: lint.py KERNELDIR

Asks for every C file of ours that was built into KERNELDIR, with the very
flags it was built with, and leaves the build directory as it is: "make W=1
C=2" would build everything again, and once more afterwards.  Prints what they
say; the last line is "N files, N remarks", the status 1 if there is one.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

import tree
from files import text
from order import status_of

# What the kernel's own W=1 asks for beyond the default.
W1 = """-Wall -Wextra -Wunused -Wno-unused-parameter -Wno-sign-compare -Wno-type-limits
    -Wno-missing-field-initializers -Wno-shift-negative-value -Wmissing-declarations
    -Wmissing-format-attribute -Wmissing-prototypes -Wold-style-definition -Wmissing-include-dirs
    -Wrestrict -Wunused-but-set-variable -Wunused-const-variable -Wpacked-not-aligned
    -Wformat-overflow -Wformat-truncation -Wstringop-overflow -Wstringop-truncation""".split()
# Releases of sparse before 0.6.5 do not know __typeof_unqual__; none evaluates
# strlen() of a literal, as MODULE_INFO() asserts it.
SPARSE = """-D__typeof_unqual__=__typeof__ -D__builtin_strlen(s)=(sizeof(s)-1)
    -D__linux__ -Dlinux -D__STDC__ -Dunix -D__unix__ -Wbitwise -Wno-return-void
    -Wno-unknown-attribute -m64 -D__x86_64__""".split()
# A remark on a line of one of our files: FILE:LINE:COLUMN: ...; not that const is
# dropped: without __typeof_unqual__ each get_unaligned() does, and gcc tells, too.
REMARK = r"(?m)^(\S+?):\d+:\d+: (?:warning|error): (?!.*\(different modifiers\)$).*$"


def command(kernel, path):
    """The compiler's words for @path in @kernel, or nothing if it is not in it."""
    d, name = os.path.split(path)
    cmd = os.path.join(kernel, d, f".{name[:-2]}.o.cmd")
    if not os.path.exists(cmd):
        return []
    first = text(cmd).split("\n")[0].split(":= ", 1)[1].split(" ; ")[0]
    words = shlex.split(first)
    words = words[words[0].endswith("ccache"):]
    return [w for i, w in enumerate(words)
            if not w.startswith("-Wp,") and w not in ("-c", "-o") and words[i - 1] != "-o"]


def remarks(kernel, path):
    """What both say of one file, or None if it is not in the kernel."""
    words = command(kernel, path)
    if not words:
        return None
    said = []
    for cmd in ([words[0], *W1, *words[1:], *W1, "-fsyntax-only"],
                ["sparse", *SPARSE, *words[1:]]):
        p = subprocess.run(cmd, cwd=kernel, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors="replace", check=False)
        ours = [m[0] for m in re.finditer(REMARK, p.stderr) if path in m[1] or not p.returncode == 0]
        said += ours or ([f"{path}: {cmd[0]} ended with status {p.returncode}"] if p.returncode else [])
    return said


def main(argv):
    if len(argv) != 1:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    kernel = os.path.abspath(argv[0])
    ours = [p for p in tree.overlay() if p.endswith(".c") and p.startswith(("kernel/", "arch/", "lib/"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_said = [s for s in pool.map(lambda p: remarks(kernel, p), ours) if s is not None]
    lines = [line for said in all_said for line in said]
    print("\n".join([*lines, f"{len(all_said)} files, {len(lines)} remarks"]))
    return 1 if lines or not all_said else 0


if __name__ == "__main__":
    sys.exit(status_of("lint", main, sys.argv[1:]))
