# SPDX-License-Identifier: GPL-2.0
"""The names that a run's results have to have, one list for each part.

The list is series/expected-results: "part NAME", then the names of its results,
one a line, as often as they come. Behind " # SKIP " stands why a result may be
skipped; no other may. Behind " # INSTEAD OF " stands a pattern of names: where this
one result is skipped, one of each of them is missing. What a run said is left in
build/expected-results in the same form, to take over what is meant to be new.
"""
import collections
import re

from files import text


class Names(collections.defaultdict):
    """{name: [why it may be skipped or None, as often as it comes]}"""
    def __init__(self):
        super().__init__(list)
        self.instead = {}	# {name of a skip: pattern of what is missing then}

    def missing_with(self, name, skipped):
        """How many of @name are missing where all of @skipped are."""
        return sum(bool(re.fullmatch(self.instead[s], name)) for s in skipped if s in self.instead)


def read(path):
    """{part: Names}"""
    parts = {}
    names = None
    for line in text(path).split("\n"):
        if line.startswith("part "):
            names = parts.setdefault(line[5:], Names())
        elif " # INSTEAD OF " in line:
            name, _, pattern = line.partition(" # INSTEAD OF ")
            names.instead[name] = pattern
        elif line and not line.startswith("#"):
            name, _, why = line.partition(" # SKIP ")
            names[name].append(why or None)
    return parts


def write(path, parts, head):
    with open(path, "w", encoding="utf-8") as f:
        f.write(head)
        for part, names in sorted(parts.items()):
            f.write(f"\npart {part}\n")
            lines = [name + (f" # SKIP {why}" if why else "") for name, whys in names.items() for why in whys]
            lines += [f"{name} # INSTEAD OF {pattern}" for name, pattern in names.instead.items()]
            f.writelines(line + "\n" for line in sorted(lines))


def differences(wanted, results):
    """What is wrong with the results of one part, as lines."""
    count = collections.Counter(name for _, name, _ in results)
    skipped = [name for verdict, name, _ in results if verdict == "skip"]
    lines = []
    for name, whys in wanted.items():
        if count[name] < len(whys) - wanted.missing_with(name, skipped):
            lines.append(f"missing: {name}" + (f" ({count[name]} of {len(whys)})" if count[name] else ""))
    for name in count:
        if count[name] > len(wanted.get(name, ())) + (name in wanted.instead):
            lines.append(f"not in the list: {name}")
    for verdict, name, why in results:
        if verdict == "skip" and name not in wanted.instead and not any(wanted.get(name, ())):
            lines.append(f"may not be skipped: {name} ({' '.join(why)})")
        elif verdict != "skip" and name in wanted.instead:
            lines.append(f"not in the list: {name}")
    return lines


def said(wanted, results):
    """The results of one part as a part of the list."""
    names = Names()
    names.instead = wanted.instead
    skipped = [name for verdict, name, _ in results if verdict == "skip"]
    for verdict, name, why in results:
        if name not in wanted.instead:
            names[name].append(re.sub(r"\s+", " ", " ".join(why)) if verdict == "skip" else None)
    for name in wanted:
        names[name] += wanted[name][:wanted.missing_with(name, skipped)]
    return names


def judge(tally, path, copy, results):
    """One result of @tally for each part that ran; @results: {part: results}. @copy is written."""
    parts = read(path)
    head = "".join(line + "\n" for line in text(path).split("\n") if line.startswith("#"))
    for part, its in sorted(results.items()):
        wanted = parts.get(part, Names())
        lines = differences(wanted, its)
        tally.result(not lines, f"all results of {part} are there, and no others", lines)
        parts[part] = said(wanted, its)
    write(copy, parts, head)
