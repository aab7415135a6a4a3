#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check the order of the tracer's files.

The folders of kernel/trace/ftrace/ are its layers, in the order that
design.rst gives: a file includes and calls only its own folder and those to
its left. And nowhere do files call each other in a ring, here, in the text
engine or in the tracepoints; but for one that design.rst names. Lines outside
of discover/ that name discovery, which is an option, are counted.

usage: check-layers.py [TREE]
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CORE = "kernel/trace/ftrace"

# Files above CORE that belong to it: who is called there, and calls, is looked at, too.
BESIDE = tuple(f"../{name}.{kind}" for name in ("trace_fast", "trace_fast_probe", "fprobe_fast", "ring_buffer_fast")
               for kind in "hc")

# The one ring that is left, as the compiler has to see both files at once: see design.rst.
RING = {("../trace_fast", "graph/call"), ("graph/call", "../trace_fast"),
        ("graph/call", "graph/slots"), ("graph/slots", "../trace_fast")}

# Values know no locks, no hooks and no modules.
VALUES = re.compile(r"sites/(siteset|match|filter)\.[ch]")
NOT_FOR_VALUES = ("linux/ftrace", "linux/module", "linux/mutex", "linux/spinlock")

# Code, comments and build lines that name discovery or what it alone has, and are neither in its folder nor in tests.
SEAM_FILES = (CORE, "include/linux/ftrace", "arch/*/kernel/ftrace")
SEAM_OWN = re.compile(rf"{CORE}/(discover|tests)/|arch/\w+/kernel/ftrace/(discover\.c|tests/)")
SEAM_NAMES = re.compile(r"(?i:discover)|ftraced|page_index|ftrace_index_|FTRACE_SITE_(ARMED|COVERED)|plan_disarm"
                        r"|\b(cover|waiting)\.[cho]\b|ftrace_(un)?cover|is_covered|covered_sites"
                        r"|ftrace_(\w+_)?waiting|ftrace_words_(stage|replay|apply|free)|FTRACE_WAITS|SHOW_WAITING")
# How many there are. The aim is 20: whoever removes some lowers the number.
SEAM = 439


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def layer_of(path):
    """The layer of a path below CORE; a file beside the folders is one by itself."""
    return path.split("/")[0]


def includes(path, quotes='""'):
    return re.findall(rf"^#[ \t]*include {quotes[0]}(.*){quotes[1]}", text(path), re.M)


def functions(path):
    """([(name, whether it is static)], {name called}) of a file.

    Only functions that begin in the first column, as all of ours do.
    """
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', lambda m: re.sub(r"[^\n]", "", m[0]), text(path), flags=re.S)
    defined, called = [], set()
    last = name = head = ""
    body = False
    for line in code.split("\n"):
        if line.startswith("#"):
            continue
        if body:
            if line.startswith("}"):
                body = False
            called.update(re.findall(r"([A-Za-z_]\w*)[ \t]*\(", line))
        elif line.startswith("{"):
            body = True
            if name:
                defined.append((name, bool(re.search(r"(^|[ \t])static[ \t]", head))))
        elif re.match(r"[A-Za-z_]", line):
            head = last + " " + line if re.match(r"\w+\(", line) else line
            found = re.search(r"(\w+)\(", head)
            name, last = found[1] if found else "", line
    return defined, called


def graph(folder, beside=()):
    """{(file, file)} of those of which one calls the other, or includes its source.

    A header belongs to the source file of its name, and so does what it has inline:
    to call that is to call the file. What is inline where an option is off, and in
    another file where it is on, belongs to that file. @beside: further files, by
    their paths from the folder.
    """
    files, owner, inline = {}, {}, {}
    paths = glob.glob(os.path.join(folder, "**", "*.[ch]"), recursive=True)
    for path in sorted(paths) + [p for p in (os.path.join(folder, b) for b in beside) if os.path.exists(p)]:
        name, kind = os.path.splitext(os.path.relpath(path, folder))
        if "tests" in name.split("/"):
            continue
        defined, called = functions(path)
        files.setdefault(name, []).append((path, {f for f, _ in defined if kind == ".c"}, called))
        for f, static in defined:
            if kind == ".h":
                inline[f] = name
            elif not static:
                owner[f] = name
    owner = inline | owner
    pairs = set()
    for name, parts in files.items():
        own = set().union(*(defined for _, defined, _ in parts))
        others = {owner.get(f, name) for _, _, called in parts for f in called - own}
        for path, _, _ in parts:
            others |= {os.path.relpath(os.path.join(os.path.dirname(path), inc), folder)[:-2]
                       for inc in includes(path) if inc.endswith(".c")}
        pairs |= {(name, other) for other in others & set(files) if other != name}
    return pairs


def rings(pairs):
    """Those pairs that are part of a ring."""
    after = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)

    def reached(start):
        seen, left = set(), [start]
        while left:
            new = after.get(left.pop(), set()) - seen
            seen |= new
            left += new
        return seen

    reach = {a: reached(a) for a in after}
    return {(a, b) for a, b in pairs if a in reach.get(b, ())}


def misplaced_include(own, path, inc, place):
    """What is wrong with an include of a file in the layer @own; None if nothing is."""
    beside = "/" not in path
    if inc.startswith("../../") or beside and inc.startswith("../"):
        return "the tracing core" if own == "sites" else None
    target = layer_of(inc) if beside else layer_of(inc[3:]) if inc.startswith("../") else own
    if target not in place:
        return "which has no place"
    return "from its right" if place[target] > place[own] else None


def seam(top):
    """[line outside of discovery's folder that names discovery], each with its file and number."""
    lines = []
    for part in SEAM_FILES:
        for path in sorted(glob.glob(os.path.join(top, part, "**", "*"), recursive=True)):
            name = os.path.relpath(path, top)
            if not SEAM_OWN.match(name) and re.search(r"\.[chS]$|/(Makefile|Kconfig)$", name):
                lines += [f"{name}:{nr}: {line}" for nr, line in enumerate(text(path).split("\n"), 1)
                          if SEAM_NAMES.search(line)]
    return lines


def check(top):
    """(faults, number of files that have none)"""
    src = os.path.join(top, CORE)
    orders = re.findall(r"^    (sites -> .*)$", text(os.path.join(top, "Documentation/trace/ftrace/design.rst")), re.M)
    if len(orders) != 1:
        return ["design.rst has no one order"], 0
    # "sites -> hooks -> ...", the one text that says the order
    place = {name: i for i, name in enumerate(orders[0].replace(" -> ", " ").split())}
    faults, fine = [], 0
    for path in sorted(glob.glob(src + "/*.[ch]") + glob.glob(src + "/*/*.[ch]")):
        name = os.path.relpath(path, src)
        layer = layer_of(name)
        if layer == "tests":
            continue
        before = len(faults)
        if layer not in place:
            faults.append(f"{name} has no place")
            continue
        for inc in includes(path):
            why = misplaced_include(layer, name, inc, place)
            if why:
                faults.append(f"{name} includes {inc}, {why}" if why.startswith("w") else f"{name} includes {inc} {why}")
        if VALUES.fullmatch(name):
            faults += [f"{name} includes <{inc}>" for inc in includes(path, "<>") if inc.startswith(NOT_FOR_VALUES)]
        fine += len(faults) == before

    pairs = graph(src, BESIDE)
    for a, b in sorted(pairs):
        right, left = (layer_of(n) if "/" in n else n + ".c" for n in (b, a))
        if place.get(right, -1) > place.get(left, len(place)):
            faults.append(f"{a} calls {b} to its right")
    if not pairs:
        faults.append(f"no file of {src} calls another")
    for folder in CORE, "arch/x86/kernel/text_patch", "kernel/tracepoint":
        if os.path.isdir(os.path.join(top, folder)):
            ring = rings(pairs if folder == CORE else graph(os.path.join(top, folder)))
            faults += [f"{folder}: {a} calls {b} in a ring" for a, b in sorted(ring - RING)]
            if folder == CORE and not RING <= ring:
                faults.append("the ring of trace_fast.c is gone: take it out of RING, and out of design.rst")

    # What an architecture supplies knows what it is asked for, and nothing else.
    for path in sorted(glob.glob(top + "/arch/*/kernel/ftrace/*.[chS]")):
        core = [inc for inc in includes(path) if "trace/" in inc]
        faults += [f"{os.path.relpath(path, top)} includes the core" for _ in core[:1]]
        fine += not core
    named = len(seam(top))
    if named != SEAM:
        faults.append(f"{named} lines outside of discover/ name discovery, and SEAM has {SEAM}")
    if not fine:
        faults.append(f"no files in {src}")
    return faults, fine


def main(argv):
    faults, fine = check(argv[0] if argv else os.path.join(HERE, "..", "..", ".."))
    for fault in faults:
        print("not ok - layers: " + fault)
    if not faults:
        print("ok - layers: every file stands in its row")
        print(f"# {fine} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
