#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check the order of the tracer's files.

The folders of kernel/trace/ftrace/ are its layers, in the order that
design.rst gives: a file includes and calls only its own folder and those to
its left. And nowhere do files call each other in a ring, here, in the text
engine or in the tracepoints.

usage: check-layers.py [TREE]
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CORE = "kernel/trace/ftrace"

# Values know no locks, no hooks and no modules.
VALUES = re.compile(r"sites/(siteset|match|filter)\.[ch]")
NOT_FOR_VALUES = ("linux/ftrace", "linux/module", "linux/mutex", "linux/spinlock")


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

    Only functions that begin in the first column, as all of ours do. What a header
    has inline belongs to everybody who includes it, and is not looked at.
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


def graph(folder):
    """{(file, file)} of those of which one calls the other; a header belongs to the source file of its name."""
    files = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.[ch]"), recursive=True)):
        name = os.path.relpath(path, folder)[:-2]
        if "tests" not in name.split("/"):
            files.setdefault(name, []).append(functions(path))
    owner = {f: name for name, parts in files.items() for defined, _ in parts for f, static in defined if not static}
    pairs = set()
    for name, parts in files.items():
        own = {f for defined, _ in parts for f, _ in defined}
        for f in set().union(*(called for _, called in parts)) - own:
            if owner.get(f, name) != name:
                pairs.add((name, owner[f]))
    return pairs


def ring(pairs):
    """Those pairs that are in a ring, or between two."""
    while True:
        starts, ends = {a for a, _ in pairs}, {b for _, b in pairs}
        left = {(a, b) for a, b in pairs if b in starts and a in ends}
        if left == pairs:
            return pairs
        pairs = left


def misplaced_include(own, path, inc, place):
    """What is wrong with an include of a file in the layer @own; None if nothing is."""
    beside = "/" not in path
    if inc.startswith("../../") or beside and inc.startswith("../"):
        return "the tracing core" if own == "sites" else None
    target = layer_of(inc) if beside else layer_of(inc[3:]) if inc.startswith("../") else own
    if target not in place:
        return "which has no place"
    return "from its right" if place[target] > place[own] else None


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

    pairs = graph(src)
    for a, b in sorted(pairs):
        right, left = (layer_of(n) if "/" in n else n + ".c" for n in (b, a))
        if place.get(right, -1) > place.get(left, -1):
            faults.append(f"{a} calls {b} to its right")
    if not pairs:
        faults.append(f"no file of {src} calls another")
    for folder in CORE, "arch/x86/kernel/text_patch", "kernel/tracepoint":
        if os.path.isdir(os.path.join(top, folder)):
            found = pairs if folder == CORE else graph(os.path.join(top, folder))
            faults += [f"{folder}: {a} calls {b} in a ring" for a, b in sorted(ring(found))]

    # What an architecture supplies knows what it is asked for, and nothing else.
    for path in sorted(glob.glob(top + "/arch/*/kernel/ftrace/*.[chS]")):
        core = [inc for inc in includes(path) if "trace/" in inc]
        faults += [f"{os.path.relpath(path, top)} includes the core" for _ in core[:1]]
        fine += not core
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
