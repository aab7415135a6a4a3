# SPDX-License-Identifier: GPL-2.0
"""What the behaviour tests share.

They are test_*.py, run by run.sh, which gives everything in the environment: TOOL
and SAFE_TOOL (the tool, and the tool under sanitizers), OUT (a scratch directory),
CC, and where there is one BASE (a base tree, for the tools it has). The name of a
test is the claim. Its argument d is a directory of its own, see conftest.py.
"""
import os
import re
import shutil
import subprocess

import pytest

from against_gcc import traceable
from table import TABLE

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.environ["OUT"]
TOOL = os.environ["TOOL"]
SAFE = os.environ["SAFE_TOOL"]
CC = os.environ.get("CC", "gcc")
BASE = os.environ.get("BASE", "")

# Without unwind tables assemblers leave section symbols out, as in a kernel
BARE = ["-O2", "-w", "-fno-asynchronous-unwind-tables"]
X86 = [CC, "-O2", "-w", "-fno-pic", "-pg", "-mfentry"]
KERNEL_MIPS = ["-mno-abicalls", "-fno-pic", "-G0"]


def check(claim, *details):
    if not claim:
        raise AssertionError(" ".join(str(d) for d in details))


def run(*command, **kw):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **kw)


def must(*command, **kw):
    r = run(*command, **kw)
    check(r.returncode == 0, "%s: %s" % (" ".join(map(str, command[:3])), r.stderr[:400]))
    return r


def record(*files, tool=None):
    """The tool works and says nothing, also under sanitizers (on copies)."""
    if tool is None:
        copies = []
        for f in files:
            copies.append(f + ".copy")
            shutil.copy(f, copies[-1])
        r = run(SAFE, *copies)
        check((r.returncode, r.stdout, r.stderr) == (0, "", ""), "sanitized:", r.stderr[:600])
    r = run(tool or TOOL, *files)
    check((r.returncode, r.stdout, r.stderr) == (0, "", ""), r.returncode, r.stderr[:300])
    if tool is None:
        for f, c in zip(files, copies):
            check(read(f) == read(c), "sanitized build writes another file")
            os.unlink(c)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def compile_case(compiler, to, source="kinds.c"):
    if not shutil.which(compiler[0]):
        pytest.skip("no " + compiler[0])
    r = run(*compiler, "-c", os.path.join(HERE, "cases", source), "-o", to)
    if r.returncode:
        pytest.skip("%s cannot compile it: %s" % (compiler[0], r.stderr.split("\n")[0][:100]))
    return to


def sites(o):
    return sorted((name, offset) for name, _, offset in o.table() or [])


def untraced_code(o):
    """Bytes and relocations of the code that must not be traced."""
    out = []
    for n, s in enumerate(o.sections):
        if s.flags & 4 and s.type == 1 and not traceable(s.name):
            out.append((s.name, o.bytes_of(s), sorted((r[0], r[1], r[2]) for r in o.relocs_of(n))))
    return out


def sound(path, prefix=""):
    """binutils read the object without a complaint."""
    for command in (["readelf", "-aW"], ["objdump", "-xdr"], ["nm", "-a"]):
        name = prefix + command[0]
        if not shutil.which(name):
            continue
        r = run(name, *command[1:], path)
        check(r.returncode == 0 and not r.stderr, name, r.stderr[:300])
        check(not re.search("[Ww]arning|[Ee]rror:|corrupt|<unknown>", r.stdout), name, "complains")


# The relocation types of pointers, from the machines' ABIs: (32 bit, 64 bit)
POINTERS = {
    2: (3, None), 3: (1, None), 8: (2, 18), 18: (3, None), 20: (1, None), 21: (None, 38),
    22: (4, 22), 40: (2, None), 42: (1, None), 43: (None, 32), 62: (10, 1), 183: (None, 257),
    189: (1, None), 243: (1, 2), 252: (1, None), 258: (1, 2),
}


def well_formed(o):
    """Flags, alignment, links, relocations and order of the table."""
    for n, s in enumerate(o.sections):
        if s.name != TABLE:
            continue
        width = 8 if o.wide else 4
        check((s.type, s.flags, s.align, s.addr) == (1, 2, width, 0), "section header")
        check(s.offset % width == 0, "table is not aligned in the file")
        r, = (r for r in o.sections if r.type in (4, 9) and r.info == n)
        check(o.sections[r.link].type == 2, "sh_link")
        check(r.name in (".rel" + TABLE, ".rela" + TABLE), r.name)
        entries = [(sec, at) for _, sec, at in o.table()]
        check(entries == sorted(set(entries)), "not sorted")
        check([x[0] for x in o.relocs(r)] == list(range(0, s.size, width)), "relocations")
        for _, symbol, kind, _ in o.relocs(r):
            check(o.symbols[symbol][3] >> 4 in (0, 1), "counts from a weak symbol")
            check(kind == POINTERS[o.machine][o.wide], "relocation of type", kind)
        return
    check(False, "no table")


def stock_tool():
    if not BASE:
        pytest.skip("BASE is not set")
    stock = os.path.join(OUT, "stock-recordmcount")
    if not os.path.exists(stock):
        source = os.path.join(BASE, "scripts", "recordmcount.c")
        if not os.path.exists(source):
            pytest.skip("the base tree has no recordmcount.c")
        must(CC, "-O2", "-w", source, "-o", stock)
    return stock
