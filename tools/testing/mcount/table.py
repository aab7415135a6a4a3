# SPDX-License-Identifier: GPL-2.0
"""Tables of call sites, read by a second pair of eyes.

A reader of relocatable objects that shares nothing with the tool under test:
it gives the table as a list of (section name, section number, offset), in the
order of the entries. The tests compare such lists; they never compare bytes.

usage: table.py FILE...		print each file's table
       table.py hide FILE...	rename the table's sections, so that a tool sees none
"""
import struct
import sys

EM_MIPS, EM_SH = 8, 42
SHT_SYMTAB, SHT_RELA, SHT_REL, SHT_SYMTAB_SHNDX = 2, 4, 9, 18
SHN_LORESERVE, SHN_XINDEX = 0xff00, 0xffff
TABLE = "__mcount_loc"
HIDDEN = "_hidden_loc_"


class Section:
    def __init__(self, fields):
        (self.namepos, self.type, self.flags, self.addr, self.offset, self.size,
         self.link, self.info, self.align, self.entsize) = fields


class Object:
    def __init__(self, data):
        self.data = data
        self.wide = data[4] == 2
        self.end = ">" if data[5] == 2 else "<"
        e = self.end
        self.machine, = struct.unpack_from(e + "H", data, 18)
        if self.wide:
            shoff, = struct.unpack_from(e + "Q", data, 40)
            size, num, strndx = struct.unpack_from(e + "HHH", data, 58)
            form = e + "IIQQQQIIQQ"
        else:
            shoff, = struct.unpack_from(e + "I", data, 32)
            size, num, strndx = struct.unpack_from(e + "HHH", data, 46)
            form = e + "IIIIIIIIII"
        first = Section(struct.unpack_from(form, data, shoff))
        num = num or first.size
        strndx = first.link if strndx == 0xffff else strndx
        raw = data[shoff:shoff + num * size]
        self.sections = [Section(f) for f in struct.iter_unpack(form, raw)]
        self.strings = self.sections[strndx]
        for s in self.sections:
            s.name = self.string(self.strings, s.namepos)
        self._symbols = None

    def string(self, table, pos):
        start = table.offset + pos
        return self.data[start:self.data.index(b"\0", start)].decode("latin-1")

    def bytes_of(self, s):
        return self.data[s.offset:s.offset + s.size]

    @property
    def symbols(self):
        """(section number, value, name position, info) for each symbol."""
        if self._symbols is None:
            s = next(s for s in self.sections if s.type == SHT_SYMTAB)
            index = self.sections.index(s)
            wide = [w for w in self.sections
                    if w.type == SHT_SYMTAB_SHNDX and w.link == index]
            xindex = struct.unpack(self.end + "%dI" % (wide[0].size // 4),
                                   self.bytes_of(wide[0])) if wide else ()
            out = []
            form = "IBBHQQ" if self.wide else "IIIBBH"
            for n, f in enumerate(struct.iter_unpack(self.end + form, self.bytes_of(s))):
                if self.wide:
                    name, info, _, sec, value, _ = f
                else:
                    name, value, _, info, _, sec = f
                if sec == SHN_XINDEX:
                    sec = xindex[n]
                elif sec >= SHN_LORESERVE:	# absolute or common: in no section
                    sec = 0
                out.append((sec, value, name, info))
            self._symbols = out
            self.symtab = s
        return self._symbols

    def symbol_name(self, n):
        name = self.symbols[n][2]
        return self.string(self.sections[self.symtab.link], name)

    def relocs(self, s):
        """(offset, symbol, type, addend or None)"""
        rela = s.type == SHT_RELA
        form = ("QQq" if rela else "QQ") if self.wide else ("IIi" if rela else "II")
        for f in struct.iter_unpack(self.end + form, self.bytes_of(s)):
            offset, info = f[:2]
            if not self.wide:
                sym, kind = info >> 8, info & 0xff
            elif self.machine == EM_MIPS and self.end == "<":
                sym, kind = info & 0xffffffff, info >> 56
            else:
                sym, kind = info >> 32, info & 0xffffffff
            yield offset, sym, kind, f[2] if rela else None

    def relocs_of(self, index):
        for s in self.sections:
            if s.type in (SHT_REL, SHT_RELA) and s.info == index:
                yield from self.relocs(s)

    def table(self, name=TABLE):
        """[(section name, section number, offset)] or None without a table."""
        found = [n for n, s in enumerate(self.sections) if s.name == name]
        if not found:
            return None
        out = []
        width = 8 if self.wide else 4
        mask = (1 << 8 * width) - 1
        for index in found:
            body = self.bytes_of(self.sections[index])
            for offset, sym, _, addend in self.relocs_of(index):
                # sh's linker leaves addends in the section, RELA or not
                if addend is None or self.machine == EM_SH:
                    addend = (addend or 0) + int.from_bytes(
                        body[offset:offset + width], "big" if self.end == ">" else "little")
                sec, value, _, _ = self.symbols[sym]
                out.append((self.sections[sec].name, sec, value + addend & mask))
        return out


    def files(self, name="__mcount_files"):
        """[(section name, start, end, path, module)] of the table of files; None without one."""
        index = next((n for n, s in enumerate(self.sections) if s.name == name), None)
        if index is None:
            return None
        width = 8 if self.wide else 4
        body = self.bytes_of(self.sections[index])
        ends = {offset: (sym, addend) for offset, sym, _, addend in self.relocs_of(index)}

        def address(at):
            sym, addend = ends.pop(at)
            if addend is None:
                addend = int.from_bytes(body[at:at + width], "big" if self.end == ">" else "little")
            sec, value, _, _ = self.symbols[sym]
            return sec, value + addend & (1 << 8 * width) - 1
        out, at, strings = [], 0, None
        while at < len(body):
            (sec, start), (same, stop) = address(at), address(at + width)
            assert sec == same
            at += 2 * width
            if body[at]:
                first = body.index(b"\0", at)
                second = body.index(b"\0", first + 1)
                strings = body[at:first].decode(), body[first + 1:second].decode()
                at = second
            length = -(at + 1) % width + 1
            assert not any(body[at:at + length])
            at += length
            out.append((self.sections[sec].name, start, stop, *strings))
        assert not ends and at == len(body)
        return out


def load(path):
    with open(path, "rb") as f:
        return Object(f.read())


def hide(data):
    """The object's bytes with the table called something else."""
    o = Object(data)
    s = o.strings
    names = o.bytes_of(s).replace(TABLE.encode(), HIDDEN.encode())
    return data[:s.offset] + names + data[s.offset + s.size:]


def main(argv):
    if argv[:1] == ["hide"]:
        for path in argv[1:]:
            with open(path, "rb") as f:
                data = hide(f.read())
            with open(path, "wb") as f:
                f.write(data)
        return 0
    for path in argv:
        for name, _, offset in load(path).table() or []:
            print("%s %x" % (name, offset))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
