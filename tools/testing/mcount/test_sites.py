# SPDX-License-Identifier: GPL-2.0
"""Which calls recordmcount finds.

It is compared with other tools for every compiler that is installed; machines
without one have objects made by hand.
"""
import os
import re
import shutil

import pytest

import synth
from against_gcc import traceable
from helpers import (BARE, BASE, CC, KERNEL_MIPS, check, compile_case, must, read, record, run, sites, sound,
                     stock_tool, untraced_code, well_formed, write)
from table import HIDDEN, TABLE, hide, load

# --- against other tools -------------------------------------------------

SAME_AS_STOCK = {
    "x86_64_fentry": [CC, "-mfentry", "-fno-pic", "-fasynchronous-unwind-tables"],
    "x86_64_mcount": [CC, "-fno-pic", "-fasynchronous-unwind-tables"],
    "x86_64_function_sections": [CC, "-mfentry", "-fno-pic", "-ffunction-sections",
                                 "-fasynchronous-unwind-tables"],
    "arm64": ["aarch64-linux-gnu-gcc"],
    "arm64_big_endian": ["aarch64-linux-gnu-gcc", "-mbig-endian"],
    "arm": ["arm-linux-gnueabihf-gcc", "-marm"],
    "arm_big_endian": ["arm-linux-gnueabihf-gcc", "-marm", "-mbig-endian"],
    "arm_thumb": ["arm-linux-gnueabihf-gcc", "-mthumb"],
    "mips": ["mips-linux-gnu-gcc"] + KERNEL_MIPS,
    "mips_little_endian": ["mips-linux-gnu-gcc", "-EL"] + KERNEL_MIPS,
    "mips_long_calls": ["mips-linux-gnu-gcc", "-mlong-calls"] + KERNEL_MIPS,
    "mips_ra_address": ["mips-linux-gnu-gcc", "-mlong-calls", "-mmcount-ra-address"] + KERNEL_MIPS,
    "mips64": ["mips64el-linux-gnuabi64-gcc"] + KERNEL_MIPS,
    "mips64_long_calls": ["mips64el-linux-gnuabi64-gcc", "-mlong-calls"] + KERNEL_MIPS,
    "mips64_sym32": ["mips64el-linux-gnuabi64-gcc", "-mlong-calls", "-msym32"] + KERNEL_MIPS,
    "mips64_big_endian": ["mips64el-linux-gnuabi64-gcc", "-EB"] + KERNEL_MIPS,
    "ppc64le": ["powerpc64le-linux-gnu-gcc"],
    "ppc64le_profile_kernel": ["powerpc64le-linux-gnu-gcc", "-mprofile-kernel"],
    "ppc64_descriptors": ["powerpc64-linux-gnu-gcc", "-mabi=elfv1"],
    "ppc32": ["powerpc-linux-gnu-gcc", "-fno-pic"],
    "ppc32_pic": ["powerpc-linux-gnu-gcc", "-fpic"],
    "sparc64": ["sparc64-linux-gnu-gcc", "-fno-pic"],
    "sparc64_pic": ["sparc64-linux-gnu-gcc", "-fpic"],
    "sh": ["sh4-linux-gnu-gcc", "-fno-pic"],
    "sh_big_endian": ["sh4-linux-gnu-gcc", "-mb", "-fno-pic"],
}


@pytest.mark.parametrize("name", SAME_AS_STOCK)
def test_sites_and_nops_equal_stock(name, d):
    stock = stock_tool()
    ours = compile_case(SAME_AS_STOCK[name] + ["-pg"] + BARE[:2] +
                        (BARE[2:] if SAME_AS_STOCK[name][0] != CC else []), d + "/ours.o")
    theirs = shutil.copy(ours, d + "/theirs.o")
    r = run(stock, theirs)
    check(r.returncode == 0, "stock:", r.stderr[:200])
    record(ours)
    a, b = load(ours), load(theirs)
    check(len(sites(a)) == 16, len(sites(a)), "sites")
    check(sites(a) == sites(b), set(sites(a)) ^ set(sites(b)))
    check(untraced_code(a) == untraced_code(b), "other nops")
    well_formed(a)
    sound(ours, SAME_AS_STOCK[name][0][:-3] if SAME_AS_STOCK[name][0] != CC else "")


def gcc_sites(compiler, d):
    """(ours, gcc's own) for a compiler that can record by itself."""
    path = compile_case(compiler + ["-pg", "-mrecord-mcount"], d + "/own.o")
    write(path, hide(read(path)))
    record(path)
    o = load(path)
    own = [(n, at) for n, _, at in o.table(HIDDEN)]
    return o, sorted(x for x in own if traceable(x[0])), [x for x in own if not traceable(x[0])]


def test_sites_equal_gcc_s390x_fentry(d):
    o, own, _ = gcc_sites(["s390x-linux-gnu-gcc", "-mfentry"] + BARE[:2], d)
    check(len(own) == 16 and sites(o) == own, set(sites(o)) ^ set(own))
    sound(d + "/own.o", "s390x-linux-gnu-")


def test_sites_equal_gcc_s390x_mcount(d):
    o, own, _ = gcc_sites(["s390x-linux-gnu-gcc"] + BARE[:2], d)
    check(len(own) == 16 and sites(o) == own, set(sites(o)) ^ set(own))


def test_sites_equal_gcc_x86_64_pic(d):
    o, own, _ = gcc_sites([CC, "-mfentry", "-fpic"] + BARE, d)
    check(len(own) == 16 and sites(o) == own, set(sites(o)) ^ set(own))


def test_sites_equal_gcc_and_the_rest_are_nops_i386(d):
    o, own, rest = gcc_sites([CC, "-m32", "-mfentry", "-fno-pic"] + BARE, d)
    check(len(own) == 16 and sites(o) == own, set(sites(o)) ^ set(own))
    check(len(rest) == 4, rest)
    code = {name: (body, relocs) for name, body, relocs in untraced_code(o)}
    for name, at in rest:
        body, relocs = code[name]
        check(body[at:at + 5] == bytes((0x3e, 0x8d, 0x74, 0x26, 0)), name, body.hex())
        check([r[2] for r in relocs if r[0] == at + 1] == [0], relocs)


def test_sites_equal_gcc_i386_pic(d):
    o, own, rest = gcc_sites([CC, "-m32", "-fpic"] + BARE, d)
    check(len(own) == 16 and sites(o) == own, set(sites(o)) ^ set(own))


def objdump_sites(objdump, path, kinds):
    section, out = None, []
    for line in must(objdump, "-r", path).stdout.splitlines():
        m = re.match(r"RELOCATION RECORDS FOR \[(.*)\]:", line)
        if m:
            section = m.group(1)
        m = re.match(r"([0-9a-f]+) (R_\w+) +_mcount\b", line)
        if m and m.group(2) in kinds and traceable(section):
            out.append((section, int(m.group(1), 16)))
    return sorted(out)


def test_sites_equal_objdump_riscv64(d):
    path = compile_case(["riscv64-linux-gnu-gcc", "-pg"] + BARE, d + "/a.o")
    want = objdump_sites("riscv64-linux-gnu-objdump", path, ("R_RISCV_CALL", "R_RISCV_CALL_PLT"))
    record(path)
    check(len(want) == 16 and sites(load(path)) == want, sites(load(path)), want)
    well_formed(load(path))
    sound(path, "riscv64-linux-gnu-")


def test_sites_equal_objdump_mips_micromips(d):
    # stock loses two here: it compares with an offset of the section before
    path = compile_case(["mips-linux-gnu-gcc", "-mmicromips", "-pg"] + KERNEL_MIPS + BARE, d + "/a.o")
    want = objdump_sites("mips-linux-gnu-objdump", path, ("R_MICROMIPS_26_S1",))
    record(path)
    check(len(want) == 16 and sites(load(path)) == want, sites(load(path)), want)


def test_sites_equal_objdump_sparc32(d):
    path = compile_case(["sparc64-linux-gnu-gcc", "-m32", "-fno-pic", "-pg"] + BARE, d + "/a.o")
    want = objdump_sites("sparc64-linux-gnu-objdump", path, ("R_SPARC_WDISP30",))
    record(path)
    check(len(want) == 16 and sites(load(path)) == want, sites(load(path)), want)


def perl_sites(d, prefix, arch, endian, bits, compiler, profile=("-pg",)):
    perl = os.path.join(BASE, "scripts", "recordmcount.pl")
    if not BASE or not os.path.exists(perl):
        pytest.skip("no base tree with recordmcount.pl")
    path = compile_case(compiler + list(profile) + BARE, d + "/a.o")
    theirs = shutil.copy(path, d + "/theirs.o")
    r = run("perl", perl, arch, endian, bits, prefix + "objdump", prefix + "objcopy",
            " ".join([prefix + "gcc"] + compiler[1:]), prefix + "ld", prefix + "nm", "rm", "mv", "0", theirs)
    check(r.returncode == 0, r.stderr[:300])
    record(path)
    return sites(load(path)), sites(load(theirs))


def test_sites_equal_perl_riscv64_but_for_weak_only_sections(d):
    ours, perl = perl_sites(d, "riscv64-linux-gnu-", "riscv", "little", "64", ["riscv64-linux-gnu-gcc"])
    check({s for s, _ in set(ours) - set(perl)} == {".sched.text", ".text.weak_only"},
          set(ours) - set(perl))
    check(not set(perl) - set(ours), set(perl) - set(ours))


def test_sites_equal_perl_sh_but_for_weak_only_sections(d):
    prefix = "sh4-linux-gnu-"
    ours, perl = perl_sites(d, prefix, "sh", "little", "32", [prefix + "gcc", "-fno-pic"])
    check({s for s, _ in set(ours) - set(perl)} == {".sched.text", ".text.weak_only"},
          set(ours) - set(perl))
    check(not set(perl) - set(ours), set(perl) - set(ours))


def test_sites_equal_perl_s390x_hotpatch_but_for_weak_only_sections(d):
    prefix = "s390x-linux-gnu-"
    ours, perl = perl_sites(d, prefix, "s390", "big", "64", [prefix + "gcc", "-DCC_USING_HOTPATCH"],
                            ["-mhotpatch=0,3"])
    check(len(ours) == 16 and {s for s, _ in set(ours) - set(perl)} ==
          {".sched.text", ".text.weak_only"}, set(ours) - set(perl))
    check(not set(perl) - set(ours), set(perl) - set(ours))
    well_formed(load(d + "/a.o"))


# --- the address of mcount is no call -------------------------------------

ADDRESS = {
    "x86_64": [CC, "-fno-pic", "-DCALLEE=__fentry__"],
    "x86_64_pic": [CC, "-fpic", "-DCALLEE=__fentry__"],
    "x86_64_kernel": [CC, "-fno-pic", "-mcmodel=kernel", "-DCALLEE=__fentry__"],
    "i386": [CC, "-m32", "-fno-pic", "-DCALLEE=mcount"],
    "arm64": ["aarch64-linux-gnu-gcc", "-fno-pic"],
    "arm": ["arm-linux-gnueabihf-gcc", "-marm", "-DCALLEE=__gnu_mcount_nc"],
    "arm_thumb": ["arm-linux-gnueabihf-gcc", "-mthumb", "-DCALLEE=__gnu_mcount_nc"],
    "mips": ["mips-linux-gnu-gcc"] + KERNEL_MIPS,
    "mips64": ["mips64el-linux-gnuabi64-gcc", "-mlong-calls"] + KERNEL_MIPS,
    "mips64_sym32": ["mips64el-linux-gnuabi64-gcc", "-mlong-calls", "-msym32"] + KERNEL_MIPS,
    "ppc64le": ["powerpc64le-linux-gnu-gcc"],
    "ppc64": ["powerpc64-linux-gnu-gcc"],
    "ppc32": ["powerpc-linux-gnu-gcc", "-fno-pic"],
    "riscv64": ["riscv64-linux-gnu-gcc"],
    "s390x": ["s390x-linux-gnu-gcc", "-fno-pic"],
    "s390x_pic": ["s390x-linux-gnu-gcc", "-fpic"],
    "sh": ["sh4-linux-gnu-gcc", "-fno-pic", "-DCALLEE=mcount"],
    "sparc64": ["sparc64-linux-gnu-gcc", "-fno-pic"],
}


@pytest.mark.parametrize("name", ADDRESS)
def test_address_of_callee_is_no_site(name, d):
    # named as the file that stock leaves out by its name
    path = compile_case(ADDRESS[name] + BARE, d + "/ftrace.o", "address.c")
    o = load(path)
    check(any(o.symbol_name(r[1]) in ("_mcount", "mcount", "__fentry__", "__gnu_mcount_nc")
              for n, s in enumerate(o.sections) if s.flags & 4 for r in o.relocs_of(n)) or
          "ppc64" in name or "arm" == name, "the object does not test anything")
    before = read(path)
    record(path)
    check(read(path) == before, "took an address for a call", sites(load(path)))


# --- machines without a compiler here ------------------------------------

def synthetic(d, want, **kw):
    path = write(d + "/s.o", synth.build(**kw))
    record(path)
    o = load(path)
    have = [at for _, _, at in o.table() or []]
    check(have == want, have, "expected", want)
    if want:
        well_formed(o)


def test_csky_row(d):
    synthetic(d, [2, 16], machine=252, wide=False, text=bytes(32),
              relocs=[(2, 40), (8, 1), (16, 40)], symbols=[("f", 0, 2, 0)])


def test_microblaze_row_tells_calls_from_addresses(d):
    for big in (False, True):
        text = synth.words(0xb0000000, 0xb9fc0000, 0x80000000, 0xb0000000, 0x30a00000, 0,
                           0xb0000000, 0xba0c0000, big=big)
        synthetic(d, [0, 24], machine=189, wide=False, big=big, text=text,
                  relocs=[(0, 3), (12, 5), (24, 5)], symbols=[("f", 0, 2, 0)])


def test_loongarch_row_new_and_old_calls(d):
    la = [0x14000004, 0x03800084, 0x16000004, 0x03000084]
    text = synth.words(*([0] * 2 + la + [0x4c000081] + la + [0] * 4))
    for wide in (True, False):
        synthetic(d, [0, 4, 8], machine=258, wide=wide, text=text,
                  relocs=[(0, 66), (4, 29), (8, 20), (28, 20)], symbols=[("f", 0, 2, 0)])


def test_riscv32_row(d):
    synthetic(d, [4, 12], machine=243, wide=False, text=bytes(32),
              relocs=[(4, 18), (12, 19), (20, 26)], symbols=[("f", 0, 2, 0)])


def test_ppc64_dotted_name(d):
    synthetic(d, [4], machine=21, big=True, text=bytes(16), callee="._mcount",
              relocs=[(4, 10)], symbols=[(".f", 1, 2, 0)])


def test_mips64_splits_its_relocations(d):
    for big in (False, True):
        path = write(d + "/s.o", synth.build(
            machine=8, big=big, split=True, text=bytes(32),
            relocs=[(8, 4), (16, 4)], symbols=[("", 0, 3, 0)]))
        record(path)
        o = load(path)
        check([at for _, _, at in o.table()] == [8, 16], o.table())
        r, = (s for s in o.sections if s.name == ".rela" + TABLE)
        check(o.bytes_of(r)[12:16] == bytes((0, 0, 0, 18)), "r_info")


def test_unsorted_and_doubled_relocations_give_a_sorted_table(d):
    synthetic(d, [0, 8, 16], machine=183, text=bytes(32),
              relocs=[(16, 283), (0, 283), (8, 283), (0, 283)], symbols=[("f", 0, 2, 0)])


def test_indirect_function_is_never_counted_from(d):
    path = write(d + "/s.o", synth.build(
        machine=183, text=bytes(32), relocs=[(8, 283)],
        symbols=[("i", 0, 10, 4), ("g", 1, 2, 4)]))
    record(path)
    o = load(path)
    r, = (s for s in o.sections if s.name == ".rela" + TABLE)
    check([(o.symbol_name(x[1]), x[3]) for x in o.relocs(r)] == [("g", 4)], list(o.relocs(r)))
