# SPDX-License-Identifier: GPL-2.0
"""Every object of a kernel build: the tool's sites are gcc's sites.

usage: against_gcc.py TOOL OBJS SCRATCH

gcc -mrecord-mcount lists each call it generates, in whatever section. The tool
must list the same ones apart from those in sections that tracing may not touch;
each of those must have become a nop instead, with a relocation that does
nothing. Both halves are exact: no site more, no site less.

Objects are taken two hundred at a time: copied without their table, given to
the tool in one command, and compared.
"""
import os
import subprocess
import sys

from table import HIDDEN, Object, TABLE, hide

EXACT = {".init.text", ".ref.text", ".sched.text", ".spinlock.text", ".irqentry.text",
         ".softirqentry.text", ".kprobes.text", ".cpuidle.text"}
NOP5 = bytes((0x0f, 0x1f, 0x44, 0, 0))
R_X86_64_NONE = 0


def traceable(section):
    return section.startswith(".text") or section in EXACT


def objects(root):
    for folder, dirs, files in os.walk(root):
        dirs.sort()
        for f in sorted(files):
            if f.endswith(".o"):
                yield os.path.join(folder, f)


def complaint(o):
    """What is wrong with one finished object, and its numbers."""
    gcc = o.table(HIDDEN)
    want = sorted({(n, at) for name, n, at in gcc if traceable(name)})
    refused = {(n, at) for name, n, at in gcc if not traceable(name)}
    ours = o.table() or []
    have = [(n, at) for _, n, at in ours]
    if have != sorted(set(have)):
        return "entries are not sorted", 0, 0
    if have != want:
        lost, extra = set(want) - set(have), set(have) - set(want)
        return "%d sites lost, %d too many: %s" % (
            len(lost), len(extra),
            [(o.sections[n].name, hex(at)) for n, at in sorted(lost | extra)[:3]]), 0, 0
    for n, at in refused:
        body = o.bytes_of(o.sections[n])
        if body[at:at + 5] != NOP5:
            return "%s+%#x is neither a site nor a nop" % (o.sections[n].name, at), 0, 0
        kinds = [t for off, _, t, _ in o.relocs_of(n) if off == at + 1]
        if kinds != [R_X86_64_NONE]:
            return "%s+%#x keeps its relocation" % (o.sections[n].name, at), 0, 0
    if have:
        t, = (s for s in o.sections if s.name == TABLE)
        if (t.flags, t.align, t.size) != (2, 8, 8 * len(have)):
            return "the section's flags, alignment or size are wrong", 0, 0
    return None, len(have), len(refused)


def batch(tool, paths):
    run = subprocess.run([tool] + paths, capture_output=True, text=True)
    if run.returncode or run.stdout or run.stderr:
        yield "status %d, %s" % (run.returncode, (run.stdout + run.stderr)[:300]), 0, 0
        return
    for p in paths:
        with open(p, "rb") as f:
            why, sites, nops = complaint(Object(f.read()))
        yield why and p + ": " + why, sites, nops
        os.unlink(p)


def main(tool, root, scratch):
    os.makedirs(scratch, exist_ok=True)
    total = [0, 0, 0]
    bad = []
    paths = []

    def flush():
        for why, sites, nops in batch(tool, paths):
            total[0] += 1
            total[1] += sites
            total[2] += nops
            if why:
                bad.append(why)
        paths.clear()

    needle = TABLE.encode()
    for n, path in enumerate(objects(root)):
        with open(path, "rb") as f:
            data = f.read()
        if data[:4] != b"\x7fELF" or needle not in data:
            continue
        if Object(data).table() is None:
            continue
        copy = os.path.join(scratch, "%d_%s" % (n, os.path.basename(path)))
        with open(copy, "wb") as f:
            f.write(hide(data))
        paths.append(copy)
        if len(paths) == 200:
            flush()
    if paths:
        flush()
    print("%d objects, %d sites, %d calls in untraceable sections" % tuple(total))
    for why in bad[:10]:
        print(why)
    return 1 if bad or not total[1] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
