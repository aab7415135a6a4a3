# SPDX-License-Identifier: GPL-2.0
"""The symbols that entries count from.

The object has to mean the same with symbols added to it, to a linker, too.
"""
import shutil
import struct

import pytest

from helpers import (BARE, CC, X86, check, compile_case, must, record, run, sites, sound, stock_tool,
                     well_formed, write)
from table import HIDDEN, load

# --- in one object ---------------------------------------------------------

def test_weak_only_section_gets_its_symbol_and_all_numbers_follow(d):
    before = compile_case(X86 + ["-fno-asynchronous-unwind-tables"], d + "/a.o")
    a = load(before)
    after = shutil.copy(before, d + "/b.o")
    record(after)
    b = load(after)
    check(len(b.symbols) > len(a.symbols), "test has no section without a symbol")
    well_formed(b)
    sound(after)
    # each old relocation means the same symbol as before
    for n, s in enumerate(a.sections):
        if s.type != 4:
            continue
        for x, y in zip(a.relocs(s), b.relocs(b.sections[n])):
            check(a.symbol_name(x[1]) == b.symbol_name(y[1]) and
                  a.symbols[x[1]][:2] == b.symbols[y[1]][:2], s.name, x, y)
    local = [s[3] >> 4 == 0 for s in b.symbols]
    check(local == sorted(local, reverse=True), "locals behind globals")
    check(b.symtab.info == sum(local), "sh_info")


def test_group_signature_follows_its_symbol(d):
    source = write(d + "/g.s", b"""
	.section .text.weak_only,"ax",@progbits
	.weak w
w:	call __fentry__
	.section .text.g,"axG",@progbits,sig,comdat
	.globl sig
sig:	call __fentry__
	.section .note.GNU-stack,"",@progbits
""")
    path = d + "/g.o"
    must(CC, "-c", source, "-o", path)
    record(path)
    sound(path)
    out = must("readelf", "-gW", path).stdout
    check("[sig]" in out, out)
    check(len(sites(load(path))) == 2, sites(load(path)))


def test_clang_objects_link_with_added_symbols(d):
    if not shutil.which("clang"):
        pytest.skip("no clang")
    path = compile_case(["clang", "-pg", "-mfentry", "-fno-pic", "-fno-pie"] + BARE, d + "/a.o")
    record(path)
    sound(path)
    check(len(sites(load(path))) == 16, sites(load(path)))
    must("ld", "-r", path, "-o", d + "/r.o")
    check(sites(load(d + "/r.o")) == sites(load(path)), "ld -r moved sites")


def test_seventy_thousand_sections(d):
    source, path, theirs = d + "/many.s", d + "/many.o", d + "/theirs.o"
    with open(source, "w") as f:
        for n in range(70000):
            f.write('\t.section .text.f%d,"ax",@progbits\n\t.%s f%d\n\t.type f%d, @function\n'
                    "f%d:\tcall __fentry__\n\tret\n\t.size f%d, . - f%d\n"
                    % (n, "globl" if n % 7 else "weak", n, n, n, n, n))
            # As gcc lists a call: by its section, as another object may have its own f%d.
            f.write('\t.section %s,"a",@progbits\n\t.quad .text.f%d\n' % (HIDDEN, n))
    must(CC, "-c", source, "-o", path)
    shutil.copy(path, theirs)
    record(path)
    o = load(path)
    check(len(o.sections) > 0x10000 and struct.unpack_from("<H", o.data, 60)[0] == 0, "too few")
    check(o.table() == sorted(o.table(HIDDEN), key=lambda e: e[1:]) and len(o.table()) == 70000,
          len(o.table()))
    well_formed(o)
    try:
        stock = stock_tool()
    except pytest.skip.Exception:
        return
    r = run(stock, theirs)
    check(r.returncode == 0, r.stderr[:200])
    check(sites(o) == sites(load(theirs)), "not as stock")
    check(o.end == "<" and run("readelf", "-hW", path).stderr == "", "readelf")


def test_seventy_thousand_sections_with_added_symbols(d):
    source = d + "/many.s"
    with open(source, "w") as f:
        # The number that says "absolute" is also that of a section here.
        f.write('\t.set absolute, 0\n\t.section .shift,"a"\n')
        for n in range(70000):
            f.write('\t.section .text.f%d,"ax",@progbits\n\t.weak f%d\nf%d:\tcall __fentry__\n'
                    % (n, n, n))
    path = d + "/many.o"
    must(CC, "-c", source, "-o", path)
    before = load(path)
    record(path)
    o = load(path)
    check(len(o.table()) == 70000 and len(o.symbols) == len(before.symbols) + 70000, "symbols")
    check(before.sections[0xfff1].name[:7] == ".text.f" and
          "absolute" in [o.symbol_name(n) for n in range(o.symtab.info)], "tests nothing")
    check(all(name[:7] == ".text.f" and not at for name, _, at in o.table()), "entries")
    well_formed(o)
    must("ld", "-r", path, "-o", d + "/r.o")
    # names of the symbols still belong to the sections they name
    names = [n for n in range(len(o.symbols)) if o.symbols[n][2] and o.symbols[n][0]]
    check(all(o.sections[o.symbols[n][0]].name == ".text." + o.symbol_name(n)
              for n in names[::97]), "wide indexes")


# --- linking ---------------------------------------------------------------

def link(d, relocatable):
    objects = []
    for name in ("kinds", "strong"):
        path = compile_case(X86 + ["-fno-asynchronous-unwind-tables"], "%s/%s.o" % (d, name),
                            name + ".c")
        record(path)
        objects.append(path)
    count = sum(len(sites(load(o))) for o in objects)
    program = compile_case([CC, "-O2", "-w", "-fno-pic"], d + "/program.o", "program.c")
    fentry = write(d + "/fentry.s", b"""
	.globl __fentry__
	.type __fentry__,@function
__fentry__:	ret
	.section .note.GNU-stack,"",@progbits
""")
    if relocatable:
        must("ld", "-r", *objects, "-o", d + "/all.o")
        objects = [d + "/all.o"]
        check(len(sites(load(objects[0]))) == count, "ld -r lost entries")
    must(CC, "-no-pie", program, *objects, fentry, "-o", d + "/program")
    r = run(d + "/program", count)
    check(r.returncode == 0, r.returncode, r.stdout)


def test_linked_entries_point_at_calls_though_weak_functions_lost(d):
    link(d, False)


def test_ld_r_and_final_link_keep_the_table(d):
    link(d, True)
