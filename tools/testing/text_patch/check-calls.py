#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does the commit path of the x86 text engine call anything that can be patched?

usage: check-calls.py VMLINUX [ROOT...]

While a commit runs, every function of the kernel may begin with a breakpoint.
So from its ROOTs on (default: the walk itself by both methods, the
breakpoint handler and what a new CPU does until it can take breakpoints) each
function that is called, jumped to or run inline
must have no call of the tracer, no jump label, no static call and no indirect
call.  The functions in BOUNDARY are where the walk leaves that rule on
purpose: the syncs, twice in each walk, perf's events, if somebody records
them, and reports of what has gone wrong.

A new CPU is followed from its first instruction in the kernel's image to the
one that loads an IDT with a gate for breakpoints and cannot be jumped over.  An
IDT has that gate if it is the real one, or if the function that loads it has
taken the address of the breakpoint's entry before.

The call graph is read from the linked kernel, not from the source, so what the
compiler did or did not inline is what counts.  Exit status: 0 if nothing was
found, 1 if something was, 2 if it could not be looked for.
"""
import bisect
import re
import struct
import subprocess
import sys

ROOTS = ("commit_places", "stopped_writer", "stopped_other", "smp_text_poke_int3_handler")
BOUNDARY = {
    "smp_text_poke_sync_each_cpu": "twice a walk",
    "text_sync": "the same, where it can spare CPUs",
    "perf_event_text_poke": "only if somebody asked perf for these events",
    "panic": "it has gone wrong already",
    "__warn_printk": "it has gone wrong already",
}
# A CPU starts in the first of these that there is; its one indirect call leads
# to the second.  The third loads the real IDT.
NEW_CPU = ("secondary_startup_64", "start_secondary")
NEW_CPU_IN_C, REAL_IDT, BREAKPOINT_ENTRY = "start_secondary", "load_current_idt", "asm_exc_int3"


class Cannot(Exception):
    """The file is not what we can read."""


class Image:
    """A linked kernel: symbols, and memory by virtual address."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        if self.data[:4] != b"\x7fELF":
            raise Cannot(f"{path} is no ELF file")
        self.wide = self.data[4] == 2
        self.path = path
        self.segments = list(self.load_segments())
        self.read_symbols()

    def load_segments(self):
        if self.wide:
            off, size, nr = *struct.unpack_from("<Q", self.data, 32), *struct.unpack_from("<HH", self.data, 54)
        else:
            off, size, nr = *struct.unpack_from("<I", self.data, 28), *struct.unpack_from("<HH", self.data, 42)
        for i in range(nr):
            at = off + i * size
            if self.wide:
                kind, _, where, va, _, length = struct.unpack_from("<IIQQQQ", self.data, at)
            else:
                kind, where, va, _, length = struct.unpack_from("<IIIII", self.data, at)
            if kind == 1:
                yield va, length, where

    def read(self, va, length):
        for start, size, where in self.segments:
            if start <= va and va + length <= start + size:
                return self.data[where + va - start:where + va - start + length]
        raise Cannot(f"{self.path} has nothing at {va:#x}")

    def read_symbols(self):
        out = subprocess.run(["nm", "-n", self.path], capture_output=True, text=True, check=True).stdout
        self.by_name, self.text = {}, []
        for line in out.splitlines():
            words = line.split()
            if len(words) != 3 or words[2].startswith((".L", "__pfx_", "__cfi_")):
                continue
            va = int(words[0], 16)
            self.by_name.setdefault(words[2], va)
            if words[1] in "tTwW":
                self.text.append((va, words[2]))
        self.starts = [va for va, _ in self.text]

    def section(self, name):
        """(start, end) of a section; empty if there is none."""
        out = subprocess.run(["objdump", "-h", "-w", self.path], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            words = line.split()
            if len(words) > 3 and words[1] == name:
                start = int(words[3], 16)
                return start, start + int(words[2], 16)
        return 0, 0

    def function_at(self, va):
        """(start, end, name) of the function that va lies in."""
        i = bisect.bisect_right(self.starts, va) - 1
        if i < 0:
            raise Cannot(f"no function at {va:#x}")
        start = self.starts[i]
        end = self.starts[bisect.bisect_right(self.starts, va)] if i + 1 < len(self.starts) else start + 4096
        names = [n for a, n in self.text[bisect.bisect_left(self.starts, start):i + 1]]
        return start, end, names

    def table(self, first, last, step, parse):
        if first not in self.by_name or last not in self.by_name:
            return []
        start, end = self.by_name[first], self.by_name[last]
        raw = self.read(start, end - start)
        return sorted(parse(start + o, raw, o) for o in range(0, len(raw), step))

    def patched_places(self):
        """Addresses of jump labels and of static call sites."""
        def self_relative(va, raw, o):
            return (va + struct.unpack_from("<i", raw, o)[0]) & (2**64 - 1 if self.wide else 2**32 - 1)
        return sorted(
            [(a, "a jump label") for a in self.table("__start___jump_table", "__stop___jump_table",
                                                   16 if self.wide else 12, self_relative)] +
            [(a, "a static call") for a in self.table("__start_static_call_sites", "__stop_static_call_sites",
                                                    8, self_relative)])

    def disassemble(self, start, end):
        out = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={start:#x}",
                              f"--stop-address={end:#x}", self.path],
                             capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            m = re.match(r"\s*([0-9a-f]+):\s+(?:notrack |bnd )?(\S+)\s*(.*)", line)
            if m:
                yield int(m[1], 16), m[2], m[3]


def targets(image, start, end):
    """What a function branches to outside of itself: (address or None, text)."""
    for _, op, arg in image.disassemble(start, end):
        if not (op.startswith("call") or op.startswith("j")):
            continue
        m = re.match(r"([0-9a-f]+)\b", arg)
        if arg.startswith("*") or not m:
            yield None, f"{op} {arg}"
            continue
        to = int(m[1], 16)
        if not start <= to < end:
            yield to, f"{op} {arg}"


def before_idt(image, name, called, parts, gate=False):
    """Add what a function calls, and its own beginning, until a breakpoint has a gate.

    False if it ends without one. @gate: its caller has given it the entry's address.
    """
    start, end, _ = image.function_at(image.by_name[name])
    if name == NEW_CPU[0]:
        end = start + 4096	# labels inside; it ends with the indirect call
    entry = image.by_name.get(BREAKPOINT_ENTRY, 0)
    entry = re.compile(rf"\b(?:0x)?(?:f{{8}})?0*{entry & 0xffffffff:x}\b") if entry else None
    skips_to = 0

    for va, op, arg in image.disassemble(start, end):
        gate = gate or bool(entry and entry.search(arg))
        certain = skips_to <= va	# nothing jumps over it
        if op.startswith("lidt") and gate and certain:
            parts.append((start, va, name))
            return True
        if not op.startswith(("call", "j")):
            continue
        m = re.match(r"([0-9a-f]+)\b", arg)
        if arg.startswith("*") or not m:
            if op.startswith("call") and name == NEW_CPU[0]:
                return before_idt(image, NEW_CPU_IN_C, called, parts)
            raise Cannot(f"{name}: {op} {arg} comes before breakpoints have a gate")
        to = int(m[1], 16)
        if start <= to < end and not op.startswith("call"):
            skips_to = max(skips_to, to)
            continue
        callee = image.function_at(to)[2][-1]
        if "return_thunk" in callee:
            continue
        if callee != REAL_IDT and certain and leads_to_idt(image, callee) and \
           before_idt(image, callee, called, parts, gate):
            parts.append((start, va, name))
            return True
        called.append(callee)
        if callee == REAL_IDT and certain:
            parts.append((start, va, name))
            return True
    parts.append((start, end, name))
    return False


def leads_to_idt(image, name, below=1):
    """Does a function load an IDT by itself, by one that it calls, or the real one?"""
    start, end, _ = image.function_at(image.by_name[name])
    if any(op.startswith("lidt") for _, op, _ in image.disassemble(start, end)):
        return True
    callees = {image.function_at(to)[2][-1] for to, _ in targets(image, start, end) if to}
    return REAL_IDT in callees or (below > 0 and any(leads_to_idt(image, c, below - 1) for c in callees))


def before_breakpoints(image):
    """What a new CPU calls until it can take breakpoints, and what it runs itself."""
    called, parts = [], []
    if NEW_CPU_IN_C in image.by_name:
        first = next(n for n in NEW_CPU if n in image.by_name)
        if not before_idt(image, first, called, parts):
            raise Cannot(f"from {first} no IDT is loaded with a gate for breakpoints")
    return tuple(dict.fromkeys(called)), parts


def check(image, roots, parts):
    places = image.patched_places()
    # What static_cpu_has() runs before alternatives are patched: one test.
    aux = image.section(".altinstr_aux")
    wanted = [(va, [n]) for va, n in image.text
              if any(n == r or n.startswith(r + ".") for r in roots)]
    for r in roots:
        if not any(n[0] == r or n[0].startswith(r + ".") for _, n in wanted):
            raise Cannot(f"{image.path} has no function {r}")
    seen, faults, crossed = set(), [], set()
    if "__fentry__" in roots:
        faults.append(f"{' or '.join(name for _, _, name in parts)}: can be traced before the IDT")
    for start, end, name in parts:
        faults += [f"{name}: has {what} at {va:#x}, before the IDT" for va, what in places if start <= va < end]
    while wanted:
        va, path = wanted.pop()
        start, end, names = image.function_at(va)
        if start in seen:
            continue
        seen.add(start)
        if len(path) > 1 and any(n.split(".")[0] in BOUNDARY for n in names):
            crossed.update(n for n in names if n.split(".")[0] in BOUNDARY)
            continue
        way = " -> ".join(path[:-1] + [names[-1]])
        i = bisect.bisect_left(places, (start, ""))
        while i < len(places) and places[i][0] < end:
            faults.append(f"{way}: has {places[i][1]} at {places[i][0]:#x}")
            i += 1
        for to, text in targets(image, start, end):
            if to is None:
                faults.append(f"{way}: branches to where cannot be seen: {text}")
                continue
            if aux[0] <= to < aux[1]:
                continue
            name = image.function_at(to)[2][-1]
            if name == "__fentry__":
                faults.append(f"{way}: can be traced")
            elif name.startswith("__SCT__"):
                faults.append(f"{way}: static call {name}")
            elif "__x86_indirect_thunk" in name or "__x86_indirect_call" in name:
                faults.append(f"{way}: indirect call")
            elif "return_thunk" not in name:
                wanted.append((to, path[:-1] + [names[-1], name]))
    return seen, faults, crossed


def main(argv):
    if not argv or argv[0].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        image = Image(argv[0])
        called, parts = before_breakpoints(image) if len(argv) == 1 else ((), [])
        roots = tuple(argv[1:]) or ROOTS + called
        seen, faults, crossed = check(image, roots, parts)
    except (Cannot, OSError, subprocess.CalledProcessError, struct.error) as why:
        print(f"check-calls: {why}", file=sys.stderr)
        return 2
    for f in faults:
        print(f"# {f}")
    if parts:
        print(f"# a new CPU: {', '.join(name for _, _, name in parts[::-1])} until the IDT")
    print(f"# {len(seen)} functions from {', '.join(roots)}; it leaves by: {', '.join(sorted(crossed)) or 'none'}")
    print(f"{'not ok' if faults else 'ok'} - the commit path calls nothing that can be patched")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
