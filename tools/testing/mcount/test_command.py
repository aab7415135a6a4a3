# SPDX-License-Identifier: GPL-2.0
"""What the command does to the files that it is given.

It replaces a file by one with a table, leaves it alone, or refuses it with a
reason.
"""
import os
import re
import shutil
import stat
import struct

import pytest

import synth
from helpers import (BARE, CC, KERNEL_MIPS, OUT, SAFE, TOOL, X86, check, compile_case, must, read, record, run, sound,
                     untraced_code, well_formed, write)
from table import Object, load

# --- good input ------------------------------------------------------------

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


def sizes(o):
    return {s.name: s.size for s in o.sections}


def test_table_of_files_has_each_section_with_calls_once(d):
    path = compile_case(X86, d + "/a.o")
    check(run(SAFE, "-m", "mod_a", path).returncode == 0)
    o = load(path)
    well_formed(o)
    files = o.files()
    check([f[0] for f in files] == list(dict.fromkeys(name for name, _, _ in o.table())), files)
    check(all(f[1:] == (0, sizes(o)[f[0]], d + "/a", "mod_a") for f in files), files)
    sound(path)


def test_table_of_files_survives_a_partial_link(d):
    paths = [compile_case(X86, d + "/a.o"), d + "/b.o"]
    must(*X86, "-c", write(d + "/b.c", b"int b(int x) { return x; }\n"), "-o", paths[1])
    for path, module in zip(paths, ("one", "two")):
        check(run(TOOL, "-m", module, path).returncode == 0)
    alone = [f for path in paths for f in load(path).files()]
    must("ld", "-r", *paths, "-o", d + "/both.o")
    both = load(d + "/both.o").files()
    check([(f[0], f[2] - f[1], *f[3:]) for f in both] == [(f[0], f[2] - f[1], *f[3:]) for f in alone], both)
    check(len({(f[0], f[1]) for f in both}) == len(both), "two begin in the same place", both)


def test_without_a_module_there_is_no_table_of_files(d):
    path = compile_case(X86, d + "/a.o")
    record(path)
    check(load(path).files() is None)


# 32 and 64 bits, of both byte orders, in Rel and Rela
FORMATS = {
    "i386": [CC, "-m32", "-fno-pic"],
    "arm": ["arm-linux-gnueabihf-gcc"],
    "aarch64": ["aarch64-linux-gnu-gcc"],
    "sparc": ["sparc64-linux-gnu-gcc", "-m32", "-fno-pic"],
    "sparc64": ["sparc64-linux-gnu-gcc"],
}


@pytest.mark.parametrize("name", FORMATS)
def test_table_of_files_in_each_format(d, name):
    path = compile_case([*FORMATS[name], "-pg", *BARE], d + "/a.o")
    check(run(SAFE, "-m", "m", path).returncode == 0)
    o = load(path)
    check(o.table(), "no calls")
    check(all(f[1] == 0 and f[2] == sizes(o)[f[0]] for f in o.files()), o.files())


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
    for args in ([], ["-w"], ["-m", "a.o"], ["-x", "a.o"], ["--help"]):
        r = run(TOOL, *args)
        check(r.returncode == 1 and "usage: recordmcount [-w] [-m MODULE] file.o...\n" in r.stderr, args, r.stderr)


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
    def with_section(name, kind):
        return write(d + "/s.o", synth.build(
            machine=62, text=b"\xe8\0\0\0\0", relocs=[(1, 4)], callee="__fentry__",
            symbols=[("f", 2, 2, 0)], extra=[(name, kind, 3, 0, b"\0" * 8)]))

    for section in (".hash", 5), (".llvm.call-graph-profile", 0x6fff4c02):
        refused(with_section(*section), "holds numbers of symbols that have to change", section[0])
    # the type that clang gives it today: the numbers are in relocations
    record(with_section(".llvm.call-graph-profile", 0x6fff4c09))


def test_refused_compressed_relocations_of_code(d):
    path = write(d + "/s.o", synth.build(
        machine=62, text=b"\xe8\0\0\0\0", callee="__fentry__", symbols=[("f", 0, 2, 0)],
        extra=[(".crel.text", 0x40000014, 3, 1, b"\x0b\x04\x02\x04")]))
    refused(path, "has compressed relocations", ".crel.text")


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


def test_read_only_file_is_replaced_and_its_other_links_are_not(d):
    """As ccache leaves it when it makes hard links."""
    before = good(d)
    os.chmod(d + "/good.o", 0o444)
    os.link(d + "/good.o", d + "/cached.o")
    record(d + "/good.o")
    check(os.stat(d + "/good.o").st_mode & 0o777 == 0o444, "the mode is another")
    check(read(d + "/cached.o") == before, "what the cache has is another")


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
