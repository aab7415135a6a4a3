#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Can a call be recorded while %gs does not lead to the CPU's data?

usage: check-gs.py VMLINUX

The recorder finds its slots by %gs. The last function before another kernel runs
clears it, and the first one after a suspend restores it: until it is written again
no function may be called that has a call of __fentry__. What runs is read from the
linked kernel: every way from the instruction that clears %gs to a return, and from
the beginning of the function that restores it to the instruction that does.
"""
import os
import re
import subprocess
import sys
import types
from importlib.machinery import SourceFileLoader

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
loader = SourceFileLoader("check_calls", os.path.join(HERE, "../../text_patch/check-calls.py"))
calls = types.ModuleType(loader.name)
loader.exec_module(calls)

CLEARED = re.compile(r"%[er]?\w+,%gs$")
MSR_GS_BASE = re.compile(r"\$0xc0000101,%ecx$")


class Function:
    def __init__(self, image, start):
        self.image = image
        self.start, self.end, names = image.function_at(start)
        self.name = names[-1]
        code = list(image.disassemble(self.start, self.end))
        self.next = dict(zip((va for va, _, _ in code), [va for va, _, _ in code[1:]] + [None]))
        self.code = {va: (op, arg) for va, op, arg in code}

    def find(self, op, pattern):
        return [va for va, (o, arg) in self.code.items() if o.startswith(op) and pattern.search(arg)]

    def called(self, begin, ends):
        """Addresses that it calls or leaves to, on all ways from @begin until an instruction of @ends."""
        todo, seen = [begin], set()
        while todo:
            va = todo.pop()
            if va is None or va in seen or va in ends:
                continue
            seen.add(va)
            op, arg = self.code[va]
            m = re.match(r"([0-9a-f]+)\b", arg)
            to = int(m[1], 16) if m and not arg.startswith("*") else None
            if op in ("cs", "ds") and re.match(r"(call|jmp)", arg):
                op, _, arg = arg.partition(" ")
                to = int(arg.split()[0], 16)
            if op.startswith("j") and to in self.code:
                todo.append(to)
            elif (op.startswith("j") or op.startswith("call")) and to:
                yield to
            if not (op.startswith("jmp") or op.startswith("ret")):
                todo.append(self.next[va])


def without_gs(image, function, begin, ends):
    """The first way to a function that can be traced, from what @function runs there."""
    fentry = image.by_name["__fentry__"]
    todo, seen = [(to, function.name) for to in function.called(begin, ends)], set()
    while todo:
        to, way = todo.pop()
        if to == fentry:
            return [f"{way} calls __fentry__"]
        callee = Function(image, to)
        if to in seen or "_thunk" in callee.name:
            continue
        seen.add(to)
        todo += [(t, f"{way} -> {callee.name}") for t in callee.called(callee.start, ())]
    return []


def main(argv):
    if len(argv) != 1 or argv[0].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        image, faults, parts = calls.Image(argv[0]), [], []
        for name, op, pattern, after in (("machine_kexec", "mov", CLEARED, True),
                                         ("restore_processor_state", "mov", MSR_GS_BASE, False)):
            if name not in image.by_name:
                continue
            function = Function(image, image.by_name[name])
            at = function.find(op, pattern)
            if not at:
                raise calls.Cannot(f"{name}: no instruction that writes %gs")
            begin, ends = (at[-1], ()) if after else (function.start, at)
            begin = function.next[begin] if after else begin
            faults += without_gs(image, function, begin, ends)
            parts.append(name)
        if not parts:
            raise calls.Cannot(f"{argv[0]}: no function that is without %gs")
    except (calls.Cannot, OSError, subprocess.CalledProcessError) as why:
        print(f"check-gs: {why}", file=sys.stderr)
        return 2
    for f in faults:
        print(f"# {f}")
    print(f"# looked at {', '.join(parts)}")
    print(f"{'not ok' if faults else 'ok'} - nothing is recorded while %gs is not the kernel's")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
