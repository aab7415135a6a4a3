# SPDX-License-Identifier: GPL-2.0
"""Seeds for the fuzzer: small objects of every class, order and machine.

usage: corpus.py DIRECTORY

Made by hand, so that the seeds are the same wherever they are made; objects of
real compilers join them where run.sh finds compilers.
"""
import os
import sys

import synth

CALL = b"\xe8\0\0\0\0"
SH = synth.halves(0x412b, 0x402a, 0x0009, 0)
S390 = bytes((0xe3, 0xe0, 0xf0, 0x08, 0x00, 0x24, 0xc0, 0xe5, 0, 0, 0, 0))
ARM = synth.words(0xe52de004, 0xebfffffe)
MIPS = synth.words(0x3c030000, 0x24630000, 0x03e00825, 0x0060f809)
FUNCTION = [("f", 0, 2, 0)]
WEAK = [("w", 2, 2, 0)]

SEEDS = {
    "x86_64": dict(machine=62, text=CALL * 3, relocs=[(1, 4), (6, 2), (11, 4)], callee="__fentry__"),
    "x86_64_got": dict(machine=62, text=b"\xff\x15\0\0\0\0", relocs=[(2, 41)], callee="__fentry__"),
    "x86_64_exit": dict(machine=62, text=CALL, relocs=[(1, 4)], callee="mcount", section=".exit.text"),
    "x32": dict(machine=62, wide=False, text=CALL, relocs=[(1, 4)], callee="mcount"),
    "i386": dict(machine=3, wide=False, rela=False, text=CALL, relocs=[(1, 2)], callee="mcount"),
    "i386_exit": dict(machine=3, wide=False, rela=False, text=CALL, relocs=[(1, 2)], callee="mcount",
                      section=".exit.text"),
    "arm": dict(machine=40, wide=False, rela=False, text=ARM, relocs=[(4, 28)], callee="mcount"),
    "arm_exit": dict(machine=40, wide=False, rela=False, text=ARM, relocs=[(4, 28)], callee="mcount",
                     section=".exit.text"),
    "arm64": dict(machine=183, text=synth.words(0x94000000), relocs=[(0, 283)]),
    "arm64_exit": dict(machine=183, big=True, text=synth.words(0x94000000), relocs=[(0, 283)],
                       section=".exit.text"),
    "mips": dict(machine=8, wide=False, rela=False, text=MIPS, relocs=[(0, 5), (4, 6)]),
    "mips64": dict(machine=8, split=True, text=MIPS, relocs=[(0, 5), (4, 6)]),
    "mips64_big": dict(machine=8, split=True, big=True, text=MIPS, relocs=[(8, 4)]),
    "ppc64": dict(machine=21, big=True, text=bytes(8), relocs=[(0, 10)], callee="._mcount"),
    "ppc": dict(machine=20, wide=False, big=True, text=bytes(8), relocs=[(0, 10)]),
    "s390": dict(machine=22, big=True, text=S390, relocs=[(8, 20)]),
    "s390_hotpatch": dict(machine=22, big=True, text=bytes((0xc0, 4, 0, 0, 0, 0)), relocs=[]),
    "sh": dict(machine=42, wide=False, text=SH, relocs=[(6, 1)], callee="mcount"),
    "sparc64": dict(machine=43, big=True, text=bytes(8), relocs=[(0, 7)]),
    "riscv": dict(machine=243, text=bytes(8), relocs=[(0, 19)]),
    "loongarch": dict(machine=258, text=synth.words(0, 0x4c000000), relocs=[(0, 20), (4, 66)]),
    "microblaze": dict(machine=189, wide=False, text=synth.words(0, 0xb8000000), relocs=[(0, 5)]),
    "csky": dict(machine=252, wide=False, text=bytes(8), relocs=[(0, 40)]),
    "wide_indexes": dict(machine=62, text=CALL, relocs=[(1, 4)], callee="__fentry__",
                         extra=[(".symtab_shndx", 18, 3, 0, bytes(12))]),
    "group": dict(machine=62, text=CALL, relocs=[(1, 4)], callee="__fentry__",
                  extra=[(".group", 17, 3, 2, bytes(8))]),
    "addrsig": dict(machine=62, text=CALL, relocs=[(1, 4)], callee="__fentry__",
                    extra=[(".llvm_addrsig", 0x6fff4c03, 3, 0, b"\1")]),
    "has_table": dict(machine=62, text=CALL, relocs=[(1, 4)], callee="__fentry__",
                      extra=[("__mcount_loc", 1, 0, 0, bytes(8))]),
}


def main(to):
    os.makedirs(to, exist_ok=True)
    for name, seed in SEEDS.items():
        for kind, symbols in (("", FUNCTION), ("_weak", WEAK)):
            with open(os.path.join(to, name + kind), "wb") as f:
                f.write(synth.build(symbols=symbols, **seed))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
