# SPDX-License-Identifier: GPL-2.0
"""Objects made by hand, for machines without a compiler and for damage.

build() gives the smallest object that has code, symbols and relocations, in
any class and byte order. What it does not promise is that a linker likes it.
"""
import struct


class Strings:
    def __init__(self):
        self.bytes = b"\0"

    def add(self, s):
        if not s:
            return 0
        at = len(self.bytes)
        self.bytes += s.encode() + b"\0"
        return at


def build(machine, wide=True, big=False, rela=True, text=b"", relocs=(),
          symbols=(), section=".text", callee="_mcount", extra=(), split=False):
    """An object with one code section.

    relocs: (offset, type), all to @callee; symbols: (name, bind, type, value)
    of the code section, locals first; extra: (name, type, link, info, bytes)
    """
    e = ">" if big else "<"
    names, strings = Strings(), Strings()
    pointer = "Q" if wide else "I"

    def symbol(name, info, sec, value):
        pos = strings.add(name)
        if wide:
            return struct.pack(e + "IBBHQQ", pos, info, 0, sec, value, 0)
        return struct.pack(e + "IIIBBH", pos, value, 0, info, 0, sec)

    def reloc(offset, sym, kind, addend):
        if split:	# mips: the type is the last byte, in either order
            info = struct.pack(e + "I", sym) + bytes((0, 0, 0, kind))
            body = struct.pack(e + "Q", offset) + info
        else:
            info = sym << 32 | kind if wide else sym << 8 | kind
            body = struct.pack(e + 2 * pointer, offset, info)
        if rela:
            body += struct.pack(e + pointer.lower(), addend)
        return body

    syms = [symbol("", 0, 0, 0)]
    nr_local = 1
    for name, bind, kind, value in symbols:
        if bind == 0:
            nr_local += 1
        syms.append(symbol(name, bind << 4 | kind, 1, value))
    callee_at = len(syms)
    syms.append(symbol(callee, 0x10, 0, 0))

    bodies = [
        (section, 1, 6, text, 0, 0, 4, 0),
        (".rela" + section if rela else ".rel" + section, 4 if rela else 9, 0x40,
         b"".join(reloc(o, callee_at, k, 0) for o, k in relocs), 3, 1, 8,
         (24 if wide else 12) if rela else (16 if wide else 8)),
        (".symtab", 2, 0, b"".join(syms), 4, nr_local, 8, 24 if wide else 16),
        (".strtab", 3, 0, None, 0, 0, 1, 0),
    ]
    for name, kind, link, info, body in extra:
        bodies.append((name, kind, 0, body, link, info, 4, 0))
    bodies.append((".shstrtab", 3, 0, None, 0, 0, 1, 0))

    positions = [names.add(b[0]) for b in bodies]
    form = e + ("IIQQQQIIQQ" if wide else "IIIIIIIIII")
    at = 64 if wide else 52
    out = b""
    headers = [struct.pack(form, *([0] * 10))]
    for (name, kind, flags, body, link, info, align, entsize), pos in zip(bodies, positions):
        if body is None:
            body = strings.bytes if name == ".strtab" else names.bytes
        pad = -at % align
        out += b"\0" * pad
        at += pad
        headers.append(struct.pack(form, pos, kind, flags, 0, at, len(body),
                                   link, info, align, entsize))
        out += body
        at += len(body)
    pad = -at % 8
    out += b"\0" * pad
    at += pad
    ident = b"\x7fELF" + bytes((2 if wide else 1, 2 if big else 1, 1)) + b"\0" * 9
    header = ident + struct.pack(e + "HHI" + 3 * pointer + "IHHHHHH", 1, machine, 1, 0, 0, at,
                                 0, 64 if wide else 52, 0, 0, 64 if wide else 40,
                                 len(headers), len(headers) - 1)
    return header + out + b"".join(headers)


def words(*w, big=False):
    return b"".join(struct.pack((">" if big else "<") + "I", x) for x in w)


def halves(*w, big=False):
    return b"".join(struct.pack((">" if big else "<") + "H", x) for x in w)
