# SPDX-License-Identifier: GPL-2.0
"""Rows and numbers at their edges.

Every row of the table of machines, in each width, with each of its calls and names;
numbers that no longer fit; symbols that are the first or the last of their kind.
"""
import itertools
import struct

import pytest

import synth
from helpers import CC, check, must, record, sites, well_formed, write
from table import TABLE, load

X86_CALL = bytes((0x90, 0xe8, 0, 0, 0, 0))
SH_CALL = synth.halves(9, 0x412b, 0x402a, 0, 0)
S390_CALL = bytes((7, 7, 0xc0, 0xe5, 0, 0, 0, 0))

# Machine, wide, what a call looks like, where its relocation is, its site, the
# relocation's types, and the names.
ROWS = {
    "i386": (3, False, X86_CALL, 2, 1, (2, 4), ("mcount", "__fentry__")),
    "arm": (40, False, bytes(4), 0, 0, (1, 10, 28), ("__gnu_mcount_nc", "mcount")),
    "arm64": (183, True, bytes(4), 0, 0, (283,), ("_mcount",)),
    "csky": (252, False, bytes(4), 0, 0, (40,), ("_mcount",)),
    "loongarch32": (258, False, bytes(4), 0, 0, (29, 66, 110), ("_mcount",)),
    "loongarch64": (258, True, bytes(4), 0, 0, (29, 66, 110), ("_mcount",)),
    "mips": (8, False, bytes(4), 0, 0, (4, 133), ("_mcount",)),
    "ppc": (20, False, bytes(4), 0, 0, (10, 18, 23), ("_mcount",)),
    "ppc64": (21, True, bytes(4), 0, 0, (10, 116), ("_mcount", "._mcount")),
    "riscv32": (243, False, bytes(8), 0, 0, (18, 19), ("_mcount",)),
    "riscv64": (243, True, bytes(8), 0, 0, (18, 19), ("_mcount",)),
    "s390": (22, False, S390_CALL, 4, 2, (19, 20), ("_mcount", "__fentry__")),
    "s390x": (22, True, S390_CALL, 4, 2, (19, 20), ("_mcount", "__fentry__")),
    "sh": (42, False, SH_CALL, 6, 6, (1,), ("mcount",)),
    "sparc": (2, False, bytes(4), 0, 0, (7, 18), ("_mcount",)),
    "sparc32plus": (18, False, bytes(4), 0, 0, (7, 18), ("_mcount",)),
    "sparc64": (43, True, bytes(4), 0, 0, (7, 18), ("_mcount",)),
    "x32": (62, False, X86_CALL, 2, 1, (2, 4), ("__fentry__", "mcount")),
    "x86_64": (62, True, X86_CALL, 2, 1, (2, 4), ("__fentry__", "mcount")),
}
BIG = ("ppc", "ppc64", "s390", "s390x", "sparc", "sparc32plus", "sparc64")
REL = ("i386", "arm", "mips")


@pytest.mark.parametrize("name", ROWS)
def test_row_knows_its_calls_names_and_pointers(name, d):
    machine, wide, call, at, site, types, callees = ROWS[name]
    for callee in callees + ("another", "mcount_"):
        path = write(d + "/row.o", synth.build(
            machine, wide=wide, big=name in BIG, rela=name not in REL, callee=callee,
            text=call * (len(types) + 1),
            relocs=[(n * len(call) + at, t) for n, t in enumerate(types + (250,))],
            symbols=[("f", 0, 0, 0)]))
        record(path)
        o = load(path)
        want = [n * len(call) + site for n in range(len(types))] if callee in callees else None
        have = o.table() and [x for _, _, x in o.table()]
        check(have == want, callee, have, "expected", want)
        if want:
            well_formed(o)


def test_relocations_with_a_split_r_info_hold_pointers(d):
    path = write(d + "/row.o", synth.build(8, split=True, text=bytes(16), relocs=[(4, 4)],
                                           symbols=[("f", 0, 0, 0)]))
    record(path)
    well_formed(load(path))


def test_the_section_of_relocations_is_no_number_of_a_symbol(d):
    """Where no symbol is local, that section's number is also one of a symbol that moves."""
    path = write(d + "/none.o", synth.build(62, text=X86_CALL, relocs=[(2, 2)], callee="__fentry__"))
    record(path)
    o = load(path)
    well_formed(o)
    text, = (s for s in o.sections if s.name == ".rela.text")
    check(o.sections[text.info].name == ".text", "relocations are for", o.sections[text.info].name)


def test_any_order_of_relocations_gives_a_sorted_table(d):
    """Also the reverse, and orders of which only the begin or the end is wrong."""
    for nr in (1, 2, 3, 4):
        orders = list(itertools.permutations(range(nr))) + [(0, 1, 1), (1, 1, 0), (0, 0)]
        for order in orders:
            path = write(d + "/order.o", synth.build(
                183, text=bytes(16), relocs=[(4 * n, 283) for n in order], symbols=[("f", 0, 0, 0)]))
            record(path)
            have = [at for _, _, at in load(path).table()]
            check(have == [4 * n for n in sorted(set(order))], order, have)


def test_number_of_sections_that_does_not_fit(d):
    """It is kept in section 0 from SHN_LORESERVE on, not from where 16 bits end."""
    def build(nr):
        return synth.build(183, text=bytes(8), relocs=[(4, 283)], symbols=[("f", 0, 0, 0)],
                           extra=[("x", 1, 0, 0, b"")] * nr)

    path = write(d + "/few.o", build(0))
    record(path)
    few = len(load(path).sections)
    for nr in (0xfeff, 0xff00, 0xff01):
        path = write(d + "/many.o", build(nr - few))
        record(path)
        o = load(path)
        in_header, = struct.unpack_from("<H", o.data, 60)
        check(len(o.sections) == nr, len(o.sections))
        check(in_header == (nr if nr < 0xff00 else 0), "%x: header says %x" % (nr, in_header))
        # The place where it is otherwise is zero where it is not needed
        shoff, = struct.unpack_from("<Q", o.data, 40)
        in_section_0, = struct.unpack_from("<Q", o.data, shoff + 32)
        check(in_section_0 == (0 if nr < 0xff00 else nr), "section 0 says %x" % in_section_0)
        well_formed(o)


def test_first_global_symbol_is_a_base_that_moves(d):
    """A symbol that is added takes its number."""
    source = write(d + "/g.s", b"""
	.section .text.first,"ax",@progbits
	nop
	.globl first
first:	call __fentry__
	.section .text.weak_only,"ax",@progbits
	.weak w
w:	nop
	nop
	call __fentry__
	.section .text.last,"ax",@progbits
	nop
	.globl last
last:	call __fentry__
	.section .note.GNU-stack,"",@progbits
""")
    path = d + "/g.o"
    must(CC, "-c", source, "-o", path)
    before = load(path)
    names = [before.symbol_name(n) for n in range(len(before.symbols))]
    check(names[before.symtab.info] == "first", names)
    record(path)
    o = load(path)
    well_formed(o)
    check(sites(o) == [(".text.first", 1), (".text.last", 1), (".text.weak_only", 2)], sites(o))
    check(len(o.symbols) == len(before.symbols) + 1, "symbols were added")
    # Calls still go to __fentry__, not to what has its old number
    for n, s in enumerate(o.sections):
        if s.name.startswith(".text."):
            check([o.symbol_name(r[1]) for r in o.relocs_of(n)] == ["__fentry__"], s.name)
    r, = (s for s in o.sections if s.name == ".rela" + TABLE)
    check([o.symbol_name(x[1]) for x in o.relocs(r)] == ["first", "", "last"], "bases")
