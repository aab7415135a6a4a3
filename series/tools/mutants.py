#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which faults do the host suites miss?

usage: mutants.py [--suite NAME] [--seed WORD] [--count N]

Draws N one-line faults (60, shared over SUITES) from the files that a suite says it
compiles (run.sh --units): another operator, a condition negated, a statement dropped,
a number off by one, true for false, two arguments swapped. One at a time, each is put
into a copy of the tree, and the suite is run there with QUICK=1. The same seed draws
the same faults from the same files. What becomes of them:

killed       a result fails, or the suite takes LIMIT times its own time and 30 s more
survives     all pass: a case is missing, or nothing needs the line
equivalent   it is in series/mutants, with the reason why no test can see it
no build     the compiler refuses it; another one is drawn
not there    the suite does not compile the line; another one is drawn

The last line is "N killed, N survive of N"; the status is 1 if more than one in ten
survives, or if a suite fails without a fault.
"""
import argparse
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import tree
from files import text as read, write
from order import Refused, status_of

EQUIVALENT = os.path.join(tree.TOP, "series", "mutants")
SUITES = {
    "hooks": "tools/testing/ftrace/hooks",
    "text_patch": "tools/testing/text_patch",
    "tracepoint": "tools/testing/tracepoint",
    "sites": "tools/testing/ftrace/sites",
    "mcount": "tools/testing/mcount",
    "recording": "tools/testing/ftrace/recording",
}
# Of a suite that lists none, as it compiles copies.
UNITS = {"recording": ["kernel/trace/ring_buffer_fast.c", "kernel/trace/ring_buffer_fast.h",
                       "kernel/trace/trace_fast.h"]}
COUNT = 60
LIMIT = 6
COPIED = ("arch", "include", "kernel", "scripts", "tools", "series/hunks")
NO_BUILD = r"(?m)^not ok \d+ - (?:.* builds?|builds_\w+|\w+_builds?)$"

# What a compiler has to refuse, whatever else a suite lets pass.
REFUSED = "-Werror=int-conversion -Werror=incompatible-pointer-types"

# What says something to people or checkers, orders accesses for other CPUs, or lets
# others run: a program of one thread cannot tell whether it is there.
SILENT = re.compile(r"\b(?:WARN|BUG|lockdep_|pr_|static_assert|BUILD_BUG|smp_|cond_resched|barrier|EXPORT_|"
                    r"EARLY|early_param|MODULE_|might_|prefetch)")

# Operators between spaces, and what each becomes
OPERATORS = {"==": "!=", "!=": "==", "<=": "<", "<": "<=", ">=": ">", ">": ">=", "&&": "||", "||": "&&", "+": "-",
             "-": "+", "&": "|", "|": "&", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}
SWAPS = [("operator", f" {re.escape(a)} ", f" {b} ") for a, b in OPERATORS.items()] + [
    ("operator", r"\+\+", "--"), ("operator", r"--", "++"),
    ("value", r"\btrue\b", "false"), ("value", r"\bfalse\b", "true"), ("value", r"(?<==) !(?=\w)", " "),
    ("off by one", r"(?<![\w.])0(?![\w.])", "1"), ("off by one", r"(?<![\w.])1(?![\w.])", "2"),
    ("off by one", r"(?<![\w.])2(?![\w.])", "3"),
]

STATEMENT = r"[\w>.*\[\]()-]+ [|&+-]?= [^;]+|\w+\([^;]*\)|[\w>.-]+(?:\+\+|--)|continue|break"
ARGUMENT = r"[\w>&*.\[\]-]+"

Fault = collections.namedtuple("Fault", "path line kind old new function")


def masked(source):
    """@source with comments, literals and what the preprocessor reads blanked, of the same length."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])

    source = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, source, flags=re.S)
    return re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", blank, source)


def changes(code):
    """(kind, from, to, text) for each change of one masked line, which is a function's."""
    for kind, pattern, text in SWAPS:
        for m in re.finditer(pattern, code):
            yield kind, m.start(), m.end(), text
    m = re.search(r"\bif \((?:un)?(?:likely\()?(.+?)\)*\)(?: \{)?$", code)
    if m and code.count("(") == code.count(")"):
        opened, closed = code.index("(", m.start()), code.rindex(")") + 1
        yield "negated", opened, closed, f"(!{code[opened:closed]})"
    m = re.fullmatch(rf"(\s+)((?:{STATEMENT});)", code)
    if m and code.count("(") == code.count(")"):
        yield "dropped", m.start(2), m.end(2), ";"
    for m in re.finditer(rf"\b\w+\(({ARGUMENT}), ({ARGUMENT})(?=[,)])", code):
        if m[1] != m[2]:
            yield "swapped", m.start(1), m.end(2), f"{m[2]}, {m[1]}"


def faults_of(path, source):
    """All one-line faults of a file, in lines of functions."""
    found, function, inside = [], "", False
    for nr, (line, code) in enumerate(zip(source.split("\n"), masked(source).split("\n")), 1):
        m = re.match(r"(?!struct\b.*[={]$|enum\b|typedef\b)[A-Za-z_].*?\b(\w+)\(", code)
        if m:
            function = m[1]
        inside = code == "{" or inside and code != "}"
        if not inside or SILENT.search(code):
            continue
        for kind, start, end, text in changes(code):
            # Literals were blanked, and are as long as before.
            found.append(Fault(path, nr, kind, line, line[:start] + text + line[end:], function))
    return found


def key(path, function, old, new):
    return path, function, " ".join(old.split()), " ".join(new.split())


def equivalents(text):
    """{key: reason} of the list: "PATH FUNCTION", -LINE, +LINE, and the reason, with an empty line between two."""
    known = {}
    blocks = re.sub(r"(?m)^#.*\n?", "", text).strip()
    for block in re.split(r"\n\s*\n", blocks) if blocks else []:
        m = re.fullmatch(r"(\S+) (\S+)\n-(.+)\n\+(.*)\n((?:.+\n?)+)", block)
        if not m:
            raise Refused(f"series/mutants: not of its form: {block.splitlines()[0]}")
        known[key(*m.groups()[:4])] = " ".join(m[5].split())
    return known


def check_equivalents(known, top):
    """Each is a fault that could be drawn: otherwise its line has gone, and so has its reason."""
    there = set()
    for path in {path for path, *_ in known}:
        where = os.path.join(top, path)
        faults = faults_of(path, read(where)) if os.path.exists(where) else []
        there |= {key(f.path, f.function, f.old, f.new) for f in faults}
    for path, function, _, new in known.keys() - there:
        raise Refused(f"series/mutants: {path} has no such fault in {function}(): {new}")


def units(top, suite):
    said = subprocess.run(["sh", os.path.join(top, SUITES[suite], "run.sh"), "--units"], capture_output=True,
                          text=True, check=True).stdout.split()
    return [p for p in UNITS.get(suite, said) if p.endswith((".c", ".h"))]


def draw(top, suite, seed):
    """All faults of a suite's files in the order of the draw: a line first, then a fault of that."""
    dice = random.Random(f"{seed} {suite}")
    lines = collections.defaultdict(list)
    for path in sorted(units(top, suite)):
        for fault in faults_of(path, read(os.path.join(top, path))):
            lines[fault.path, fault.line].append(fault)
    order = sorted(lines)
    dice.shuffle(order)
    for line in order:
        yield dice.choice(lines[line])


def end(p):
    """Ends a suite with all that it has started."""
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Copy:
    """A copy of the tree's own files, in which suites run with a compiler that does not warn."""

    def __init__(self, top, where):
        self.top = where
        self.out = os.path.join(where, "out")
        for folder in COPIED:
            if os.path.isdir(os.path.join(top, folder)):
                shutil.copytree(os.path.join(top, folder), os.path.join(where, folder))
        self.cc = os.path.join(where, "bin", "gcc")
        real = shutil.which(os.environ.get("CC", "gcc"))
        write(self.cc, f'#!/bin/sh\nexec {real} "$@" -Wno-error {REFUSED}\n')
        os.chmod(self.cc, 0o755)

    def run(self, suite, limit):
        """(status or None if it takes longer than @limit seconds, what it says, seconds).

        A suite ends at its first failure, which says enough.
        """
        base = os.path.join(tree.BUILD, "base")
        shutil.rmtree(self.out, ignore_errors=True)
        env = {**os.environ, "QUICK": "1", "OUT": self.out, "BASE": base, "KSRC": base, "CC": self.cc,
               "TREE": os.path.join(tree.BUILD, "tree"), "OBJS": "", "VMLINUX": "", "CCACHE_COMPILERCHECK": "content"}
        cmd = ["timeout", "-s", "KILL", str(limit or 0), "nice", "-n", "19",
               "sh", os.path.join(self.top, SUITES[suite], "run.sh")]
        began, said, status = time.monotonic(), "", None
        with subprocess.Popen(cmd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              start_new_session=True) as p:
            try:
                for line in p.stdout:
                    said += line
                    if line.startswith("not ok "):
                        status = 1
                        break
                else:
                    # On time out it kills itself, too.
                    status = None if p.wait() == -signal.SIGKILL else p.returncode
            finally:
                end(p)
        return status, said, time.monotonic() - began

    def with_line(self, fault, text, suite, limit):
        """As run(), with @text in place of @fault's line."""
        path = os.path.join(self.top, fault.path)
        good = read(path)
        lines = good.split("\n")
        if lines[fault.line - 1] != fault.old:
            raise Refused(f"{fault.path}:{fault.line} has changed")
        lines[fault.line - 1] = text
        write(path, "\n".join(lines))
        try:
            return self.run(suite, limit)
        finally:
            write(path, good)

    def judge(self, fault, suite, limit):
        status, said, _ = self.with_line(fault, fault.new, suite, limit)
        if status is None:
            return "killed", "by the clock"
        if re.search(NO_BUILD, said):
            return "no build", ""
        if status:
            failed = re.findall(r"(?m)^not ok \d+ - (.*)$", said)
            return "killed", failed[0] if failed else f"status {status}"
        if not re.search(NO_BUILD, self.with_line(fault, "#error", suite, limit)[1]):
            return "not there", ""
        return "survives", ""


def probe(copy, suite, faults, count, known):
    """Count of each fate among @count faults that build."""
    status, said, seconds = copy.run(suite, None)
    if status:
        raise Refused(f"{suite} fails without a fault:\n" + "\n".join(said.splitlines()[-20:]))
    limit = 30 + LIMIT * seconds
    fates = collections.Counter()
    for fault in faults:
        if sum(fates[f] for f in ("killed", "survives", "equivalent")) == count:
            break
        why = known.get(key(fault.path, fault.function, fault.old, fault.new))
        fate, why = ("equivalent", why) if why else copy.judge(fault, suite, limit)
        fates[fate] += 1
        print(f"{fate:10}  {fault.path}:{fault.line} {fault.function}(): {fault.kind}"
              f"{': ' + why if why else ''}\n    -{fault.old.strip()}\n    +{fault.new.strip()}", flush=True)
    return fates


def table(fates):
    """The table by suite, and whether it is good enough."""
    columns = ("killed", "survives", "equivalent", "no build", "not there")
    print(f"\n{'suite':12}" + "".join(f"{c:>12}" for c in columns))
    for suite, counts in fates.items():
        print(f"{suite:12}" + "".join(f"{counts[c]:12}" for c in columns))
    killed, survive = (sum(c[f] for c in fates.values()) for f in ("killed", "survives"))
    print(f"{killed} killed, {survive} survive of {killed + survive}")
    return killed and 10 * survive <= killed + survive


def shares(count, suites):
    """@count faults over the suites: the first ones get what is left over."""
    return {s: count // len(suites) + (n < count % len(suites)) for n, s in enumerate(suites)}


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("--suite", choices=SUITES)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int)
    args = parser.parse_args(argv)
    if args.count is not None and args.count < 1:
        parser.error("--count is at least 1")
    suites = [args.suite] if args.suite else list(SUITES)
    count = args.count or COUNT * len(suites) // len(SUITES)
    known = equivalents(read(EQUIVALENT))
    check_equivalents(known, tree.TOP)
    fates = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as where:
        copy = Copy(tree.TOP, where)
        for suite, nr in shares(count, suites).items():
            # From the copy: whoever works in the tree meanwhile changes its lines.
            fates[suite] = probe(copy, suite, draw(copy.top, suite, args.seed), nr, known)
    return 0 if table(fates) else 1


if __name__ == "__main__":
    sys.exit(status_of("mutants", main, sys.argv[1:]))
