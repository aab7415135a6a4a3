# SPDX-License-Identifier: GPL-2.0
"""What recordmcount does, test by test.

Run by run.sh, which gives everything in the environment: TOOL and SAFE_TOOL
(the tool, and the tool under sanitizers), OUT (a scratch directory), CC, and
where there is one BASE (a base tree, for the tools it has). The name of a test
is the claim. Every test gets a directory of its own.
"""
import os
import re
import shutil
import stat
import struct
import subprocess

import pytest

import synth
from against_gcc import traceable
from table import HIDDEN, TABLE, Object, hide, load

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.environ["OUT"]
TOOL = os.environ["TOOL"]
SAFE = os.environ["SAFE_TOOL"]
CC = os.environ.get("CC", "gcc")
BASE = os.environ.get("BASE", "")

# Without unwind tables assemblers leave section symbols out, as in a kernel
BARE = ["-O2", "-w", "-fno-asynchronous-unwind-tables"]
X86 = [CC, "-O2", "-w", "-fno-pic", "-pg", "-mfentry"]


@pytest.fixture(name="d")
def a_directory(request):
    path = os.path.join(OUT, "t", re.sub(r"\W", "_", request.node.name))
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    yield path
    shutil.rmtree(path, ignore_errors=True)


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


def well_formed(o):
    """Flags, alignment, links and order of the table."""
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
        for _, symbol, _, _ in o.relocs(r):
            check(o.symbols[symbol][3] >> 4 in (0, 1), "counts from a weak symbol")
        return
    check(False, "no table")


# --- against other tools -------------------------------------------------

KERNEL_MIPS = ["-mno-abicalls", "-fno-pic", "-G0"]
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


# --- symbols ---------------------------------------------------------------

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
    source = d + "/many.c"
    with open(source, "w") as f:
        f.write("int x;\n")
        for n in range(70000):
            weak = "__attribute__((weak)) " if n % 7 == 0 else ""
            f.write("%svoid f%d(void){x=%d;}\n" % (weak, n, n))
    path = d + "/many.o"
    flags = [CC, "-O0", "-w", "-c", "-pg", "-mfentry", "-fno-pic", "-ffunction-sections",
             source, "-o", path]
    must(*flags, "-mrecord-mcount", "-fno-asynchronous-unwind-tables")
    write(path, hide(read(path)))
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
    must(*flags)
    theirs = shutil.copy(path, d + "/theirs.o")
    r = run(stock, theirs)
    check(r.returncode == 0, r.stderr[:200])
    record(path)
    check(sites(load(path)) == sites(load(theirs)), "not as stock")
    check(load(path).end == "<" and run("readelf", "-hW", path).stderr == "", "readelf")


def test_seventy_thousand_sections_with_added_symbols(d):
    source = d + "/many.s"
    with open(source, "w") as f:
        for n in range(70000):
            f.write('\t.section .text.f%d,"ax",@progbits\n\t.weak f%d\nf%d:\tcall __fentry__\n'
                    % (n, n, n))
    path = d + "/many.o"
    must(CC, "-c", source, "-o", path)
    before = load(path)
    record(path)
    o = load(path)
    check(len(o.table()) == 70000 and len(o.symbols) == len(before.symbols) + 70000, "symbols")
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


# --- the command -----------------------------------------------------------

def test_second_run_changes_nothing(d):
    path = compile_case(X86, d + "/a.o")
    record(path)
    before, was = read(path), os.stat(path)
    record(path)
    now = os.stat(path)
    check(read(path) == before and was.st_ino == now.st_ino and
          was.st_mtime_ns == now.st_mtime_ns, "written again")


def test_object_without_calls_is_not_written(d):
    path = compile_case([CC, "-O2", "-w"], d + "/a.o")
    was = os.stat(path)
    record(path)
    now = os.stat(path)
    check((was.st_ino, was.st_mtime_ns) == (now.st_ino, now.st_mtime_ns), "written")


def test_object_with_only_untraceable_calls_gets_nops_and_no_table(d):
    source = write(d + "/e.c", b'__attribute__((section(".exit.text"))) void e(void) { }\n')
    path = d + "/e.o"
    must(*X86, "-c", source, "-o", path)
    record(path)
    o = load(path)
    check(o.table() is None, "has a table")
    (_, body, relocs), = untraced_code(o)
    check(bytes((0x0f, 0x1f, 0x44, 0, 0)) in body and [r[2] for r in relocs] == [0], body.hex())
    sound(path)


def test_warning_names_each_untraceable_section(d):
    path = compile_case(X86, d + "/a.o")
    r = run(TOOL, "-w", path)
    check(r.returncode == 0 and not r.stdout, r.stderr)
    check(sorted(r.stderr.splitlines()) == sorted(
        "recordmcount: %s: section %s: 1 call is not traceable" % (path, s)
        for s in (".exit.text", ".noinstr.text", ".entry.text", ".init.textual")), r.stderr)


def test_files_on_one_command_line_do_not_influence_each_other(d):
    compilers = [X86, ["arm-linux-gnueabihf-gcc", "-pg", "-w"], [CC, "-w"],
                 ["mips-linux-gnu-gcc", "-pg", "-w"] + KERNEL_MIPS,
                 ["s390x-linux-gnu-gcc", "-pg", "-w"], X86]
    compilers = [c for c in compilers if shutil.which(c[0])]
    alone, together = [], []
    for n, c in enumerate(compilers):
        alone.append(compile_case(c, "%s/alone%d.o" % (d, n)))
        together.append(shutil.copy(alone[-1], "%s/together%d.o" % (d, n)))
        record(alone[-1])
    bad = write(d + "/bad.o", b"no object")
    r = run(TOOL, together[0], bad, d + "/missing.o", *together[1:])
    check(r.returncode == 1, "status", r.returncode)
    check(r.stderr == "recordmcount: %s: not an ELF file\n"
          "recordmcount: %s/missing.o: cannot open: No such file or directory\n" % (bad, d), r.stderr)
    for a, t in zip(alone, together):
        check(read(a) == read(t), t)


def test_mode_is_kept(d):
    path = compile_case(X86, d + "/a.o")
    os.chmod(path, 0o640)
    record(path, tool=TOOL)
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o640, "mode")


def test_hard_link_keeps_the_old_file(d):
    path = compile_case(X86, d + "/a.o")
    os.link(path, d + "/other.o")
    before = read(path)
    record(path, tool=TOOL)
    check(read(d + "/other.o") == before and read(path) != before, "other name")


def test_symbolic_link_is_replaced_and_its_target_kept(d):
    target = compile_case(X86, d + "/a.o")
    os.symlink("a.o", d + "/link.o")
    before = read(target)
    record(d + "/link.o", tool=TOOL)
    check(read(target) == before, "target changed")
    check(not os.path.islink(d + "/link.o") and load(d + "/link.o").table(), "link")


def test_nothing_is_left_beside_the_object(d):
    path = compile_case(X86, d + "/a.o")
    record(path)
    check(os.listdir(d) == ["a.o"], os.listdir(d))


def test_usage_error_is_status_1(d):
    for args in ([], ["-w"], ["-x", "a.o"], ["--help"]):
        r = run(TOOL, *args)
        check(r.returncode == 1 and "usage: recordmcount [-w] file.o...\n" in r.stderr, args, r.stderr)


# --- bad input -------------------------------------------------------------

def refused(path, reason, section=None, user=None):
    """One line, status 1, and the file as before; also under sanitizers."""
    before = read(path) if os.path.isfile(path) and not user else None
    for tool in (TOOL, SAFE):
        command = [tool, path]
        if user:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
        r = run(*command)
        want = "recordmcount: %s: %s%s\n" % (
            path, "section %s: " % section if section else "", reason)
        check((r.returncode, r.stdout, r.stderr) == (1, "", want), r.returncode, repr(r.stderr),
              "expected", repr(want))
    if before is not None:
        check(read(path) == before, "file changed")


def good(d):
    path = d + "/good.o"
    if not os.path.exists(path):
        compile_case(X86, path)
    return read(path)


def put(data, at, form, value):
    data = bytearray(data)
    struct.pack_into("<" + form, data, at, value)
    return bytes(data)


SH = {"name": (0, "I"), "type": (4, "I"), "flags": (8, "Q"), "offset": (24, "Q"), "size": (32, "Q"),
      "link": (40, "I"), "info": (44, "I"), "entsize": (56, "Q")}


def put_section(data, section, **fields):
    n = section
    if isinstance(section, str):
        n = [s.name for s in Object(data).sections].index(section)
    shoff, = struct.unpack_from("<Q", data, 40)
    for name, value in fields.items():
        at, form = SH[name]
        data = put(data, shoff + 64 * n + at, form, value)
    return data


def bad_files(d):
    g = good(d)
    o = Object(g)
    nr = len(o.sections)
    strtab = next(s for s in o.sections if s.name == ".strtab")
    yield "empty", b"", None, "not an ELF file"
    yield "text", b"hello, world\n", None, "not an ELF file"
    yield "magic_only", g[:4], None, "not an ELF file"
    yield "half_a_header", g[:40], None, "truncated ELF header"
    yield "cut_in_the_middle", g[:len(g) // 2], None, "section headers lie outside the file"
    yield "last_byte_cut", g[:-1], None, "section headers lie outside the file"
    yield "class", put(g, 4, "B", 3), None, "unknown ELF class 3"
    yield "byte_order", put(g, 5, "B", 0), None, "unknown byte order 0"
    yield "version", put(g, 6, "B", 9), None, "unknown ELF version 9"
    yield "executable", put(g, 16, "H", 2), None, "not a relocatable object"
    yield "unknown_machine", put(g, 18, "H", 0x4242), None, "unknown machine 16962"
    yield "header_size", put(g, 52, "H", 63), None, "odd ELF header size"
    yield "section_header_size", put(g, 58, "H", 40), None, "odd section header size"
    yield "section_table_far_away", put(g, 40, "Q", 1 << 63), None, "section headers lie outside the file"
    yield "section_table_at_end", put(g, 40, "Q", len(g)), None, "section headers lie outside the file"
    yield "too_many_sections", put(g, 60, "H", nr + 1), None, "section headers lie outside the file"
    yield "section_count_wraps", put_section(put(g, 60, "H", 0), 0, size=1 << 58), None, \
        "section headers lie outside the file"
    yield "names_index", put(g, 62, "H", nr), None, "no table of section names"
    yield "names_are_no_strings", put(g, 62, "H", 1), None, "no table of section names"
    yield "name_position", put_section(g, ".comment", name=1 << 31), "[%d]" % [
        s.name for s in o.sections].index(".comment"), "name lies outside its table"
    yield "section_offset", put_section(g, ".comment", offset=len(g) + 1), None, None
    yield "section_size_wraps", put_section(g, ".text", size=2 ** 64 - 8), None, None
    yield "symbol_size_zero", put_section(g, ".symtab", entsize=0), ".symtab", "odd symbol size"
    yield "symbol_table_cut", put_section(g, ".symtab", size=25), ".symtab", "odd symbol size"
    yield "symbol_names", put_section(g, ".symtab", link=nr + 7), ".symtab", "no table of symbol names"
    yield "locals", put_section(g, ".symtab", info=1 << 20), ".symtab", "more local symbols than symbols"
    yield "locals_without_the_null_symbol", put_section(g, ".symtab", info=0), ".symtab", \
        "does not count its null symbol"
    yield "two_symbol_tables", put_section(g, ".comment", type=2, entsize=24, size=0), \
        ".symtab", "second symbol table"
    yield "symbol_name", put(g, next(s for s in o.sections if s.name == ".symtab").offset + 24,
                             "I", strtab.size), ".symtab", "symbol 1: name lies outside its table"
    yield "reloc_size_zero", put_section(g, ".rela.text", entsize=0), ".rela.text", "odd relocation size"
    yield "reloc_target", put_section(g, ".rela.text", info=nr), ".rela.text", \
        "relocates a section that is not there"
    rela = next(s for s in o.sections if s.name == ".rela.text")
    yield "reloc_symbol", put(g, rela.offset + 8, "Q", 1 << 60 | 4), ".rela.text", \
        "relocation 0 has no symbol"
    yield "reloc_offset", put(g, rela.offset, "Q", 1 << 40), ".rela.text", \
        "relocation 0 lies outside its section"


BAD = ["empty", "text", "magic_only", "half_a_header", "cut_in_the_middle", "last_byte_cut", "class",
       "byte_order", "version", "executable", "unknown_machine", "header_size", "section_header_size",
       "section_table_far_away", "section_table_at_end", "too_many_sections", "section_count_wraps",
       "names_index", "names_are_no_strings", "name_position", "section_offset", "section_size_wraps",
       "symbol_size_zero", "symbol_table_cut", "symbol_names", "locals",
       "locals_without_the_null_symbol", "two_symbol_tables",
       "symbol_name", "reloc_size_zero", "reloc_target", "reloc_symbol", "reloc_offset"]


@pytest.mark.parametrize("name", BAD)
def test_refused(name, d):
    for n, data, section, reason in bad_files(d):
        if n != name:
            continue
        path = write(d + "/bad.o", data)
        if reason is None:
            # the damage reaches the name, too: the section has only its number
            o = Object(good(d))
            index = [s.name for s in o.sections].index(
                ".comment" if name == "section_offset" else ".text")
            section, reason = "[%d]" % index, "lies outside the file"
        refused(path, reason, section)


def test_refused_index_table_too_short(d):
    path = write(d + "/s.o", synth.build(
        machine=62, text=b"\xe8\0\0\0\0", relocs=[(1, 4)], callee="__fentry__",
        symbols=[("f", 0, 2, 0)], extra=[(".symtab_shndx", 18, 3, 0, b"\0" * 8)]))
    refused(path, "shorter than the symbol table", ".symtab_shndx")


def test_refused_weak_only_section_without_a_count_of_locals(d):
    data = synth.build(machine=62, text=b"\xe8\0\0\0\0", relocs=[(1, 4)], callee="__fentry__",
                       symbols=[("f", 2, 2, 0)])
    path = write(d + "/s.o", put_section(data, ".symtab", info=0))
    refused(path, "does not count its null symbol", ".symtab")
    # with a count it gets its symbol, behind the null symbol
    path = write(d + "/s.o", data)
    record(path)
    o = load(path)
    check(o.symbols[0][:4] == Object(data).symbols[0][:4], "null symbol is overwritten")
    well_formed(o)


def test_refused_when_the_disk_is_full_by_default(d):
    before = good(d)
    r = run("sh", "-c", "ulimit -f 4; exec %s %s/good.o" % (TOOL, d))
    check(r.returncode == 1 and r.stderr ==
          "recordmcount: %s/good.o: cannot write: File too large\n" % d, r.returncode, repr(r.stderr))
    check(read(d + "/good.o") == before and os.listdir(d) == ["good.o"], os.listdir(d))


def test_refused_symbol_numbers_that_cannot_follow(d):
    path = write(d + "/s.o", synth.build(
        machine=62, text=b"\xe8\0\0\0\0", relocs=[(1, 4)], callee="__fentry__",
        symbols=[("f", 2, 2, 0)], extra=[(".hash", 5, 3, 0, b"\0" * 8)]))
    refused(path, "holds numbers of symbols that have to change", ".hash")


def test_refused_class_the_machine_does_not_have(d):
    path = write(d + "/s.o", synth.build(
        machine=183, wide=False, text=bytes(16), relocs=[(0, 27)], symbols=[("f", 0, 2, 0)]))
    record(path)		# no call form in that class: nothing to record
    path = write(d + "/s.o", synth.build(
        machine=3, wide=True, rela=False, text=b"\xe8\0\0\0\0", relocs=[(1, 2)], callee="mcount",
        symbols=[("f", 0, 2, 0)]))
    refused(path, "no 64-bit objects on machine 3")


def test_refused_missing_file(d):
    refused(d + "/missing.o", "cannot open: No such file or directory")


def test_refused_directory_and_pipe(d):
    os.mkdir(d + "/dir.o")
    refused(d + "/dir.o", "not a regular file")
    os.mkfifo(d + "/pipe.o")
    refused(d + "/pipe.o", "not a regular file")


def test_refused_dangling_link(d):
    os.symlink("nowhere", d + "/link.o")
    refused(d + "/link.o", "cannot open: No such file or directory")


def test_refused_read_only_file(d):
    good(d)
    os.chmod(d + "/good.o", 0o444)
    refused(d + "/good.o", "is read-only")
    check(os.listdir(d) == ["good.o"], os.listdir(d))


def as_nobody(d):
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("no setpriv")
        os.chmod(OUT, 0o755)
        os.chmod(d, 0o755)
        r = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                "test", "-x", TOOL, "-a", "-x", d)
        if r.returncode:
            pytest.skip("OUT cannot be reached by an ordinary user")
        return True
    return False


def test_refused_unreadable_file(d):
    good(d)
    user = as_nobody(d)
    os.chmod(d + "/good.o", 0)
    refused(d + "/good.o", "cannot open: Permission denied", user=user or "self")


def test_refused_read_only_directory(d):
    user = as_nobody(d)
    before = good(d)
    os.chmod(d + "/good.o", 0o666)
    os.chmod(d, 0o555)
    for tool in (TOOL, SAFE):
        command = [tool, d + "/good.o"]
        if user:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
        r = run(*command)
        check(r.returncode == 1 and re.fullmatch(
            r"recordmcount: \S+: cannot create good\.o\.rc\w{6}: Permission denied\n", r.stderr),
            repr(r.stderr))
    os.chmod(d, 0o755)
    check(read(d + "/good.o") == before and os.listdir(d) == ["good.o"], os.listdir(d))


def test_refused_when_the_disk_is_full(d):
    before = good(d)
    r = run("sh", "-c", "trap '' XFSZ; ulimit -f 4; exec %s %s/good.o" % (TOOL, d))
    check(r.returncode == 1 and r.stderr ==
          "recordmcount: %s/good.o: cannot write: File too large\n" % d, repr(r.stderr))
    check(read(d + "/good.o") == before and os.listdir(d) == ["good.o"], os.listdir(d))
