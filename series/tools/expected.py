# SPDX-License-Identifier: GPL-2.0
"""The names that a run's results have to have, one list for each part.

The list is series/expected-results: "part NAME", then the names of its results,
one a line, as often as they come. Behind " # SKIP " stands why a result may be
skipped; no other may. What a run said is left in build/expected-results in the
same form, to take over what is meant to be new.
"""
import collections
import re


def read(path):
    """{part: {name: [why it may be skipped or None, as often as it comes]}}"""
    parts = {}
    names = None
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("part "):
                names = parts.setdefault(line[5:], collections.defaultdict(list))
            elif line and not line.startswith("#"):
                name, _, why = line.partition(" # SKIP ")
                names[name].append(why or None)
    return parts


def write(path, parts, head):
    with open(path, "w", encoding="utf-8") as f:
        f.write(head)
        for part, names in sorted(parts.items()):
            f.write(f"\npart {part}\n")
            f.writelines(name + (f" # SKIP {why}" if why else "") + "\n"
                         for name in sorted(names) for why in names[name])


def differences(wanted, results):
    """What is wrong with the results of one part, [(verdict, name, reasons)]; a list of lines."""
    count = collections.Counter(name for _, name, _ in results)
    lines = []
    for name, whys in wanted.items():
        if count[name] < len(whys):
            lines.append(f"missing: {name}" + (f" ({count[name]} of {len(whys)})" if count[name] else ""))
    for name in count:
        if count[name] > len(wanted.get(name, ())):
            lines.append(f"not in the list: {name}")
    for verdict, name, why in results:
        if verdict == "skip" and not any(wanted.get(name, ())):
            lines.append(f"may not be skipped: {name} ({' '.join(why)})")
    return lines


def said(results):
    """The results of one part as a part of the list."""
    names = collections.defaultdict(list)
    for verdict, name, why in results:
        names[name].append(re.sub(r"\s+", " ", " ".join(why)) if verdict == "skip" else None)
    return names


def judge(tally, path, copy, results):
    """One result of @tally for each part that ran; @results: {part: results}. @copy is written."""
    parts = read(path)
    with open(path, encoding="utf-8") as f:
        head = "".join(line for line in f if line.startswith("#"))
    for part, its in sorted(results.items()):
        lines = differences(parts.get(part, {}), its)
        tally.result(not lines, f"all results of {part} are there, and no others", lines)
        parts[part] = said(its)
    write(copy, parts, head)
