#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compile the tree after each mail, and boot it after each topic.

usage: bisect_mails.py [FIRST[-LAST]]              these mails, or all
       bisect_mails.py topic NAME [FIRST[-LAST]]   those of a topic, after what it needs
       bisect_mails.py without NAME                the whole series but for one option

Each mail is compiled with a small configuration, and with either function tracer as soon
as there is a choice. After the last mail of a topic the kernels boot and run a minute of
ftracetest.  All this lies in a folder below BISECT from the environment, or below
/var/tmp/ftrace-bisect, outside of any git checkout: else an #include by "../" might find
in the checkout what a later mail brings.  What has passed is listed there in the file
"done" by its content, so that another run goes on where this one was stopped, and only
mails whose tree has changed are compiled again.  All use one source tree and one build
folder for each choice: make compiles what a mail changed.

With TARGETS="FOLDER/ FILE.o..." in the environment only these are compiled, nothing
boots, and nothing is listed.
"""
import hashlib
import os
import re
import subprocess
import sys
import time

import files as texts
import guests
import machine
import states
import tree
import verdicts
from commits import said
from order import Refused, mails, mails_of, status_of, topic_of
from recipes import CONFIG
from results import Tally, step

# One for each checkout.
WORK = os.path.join(os.path.abspath(os.environ.get("BISECT") or "/var/tmp/ftrace-bisect"),
                    hashlib.sha256(tree.BUILD.encode()).hexdigest()[:12])
TREE = os.path.join(WORK, "tree")
DONE = os.path.join(WORK, "done")

CHOICES = {"new": ("small.config", "torture.config", "compile-test.config"),
           "classic": ("small.config", "ftrace-classic.config")}
# With this symbol there are two function tracers to choose from.
CHOICE = "FTRACE_COMBO"
# What no kernel is made of.
NOT_BUILT = ("Documentation/", "tools/testing/", "MAINTAINERS")

PART = os.environ.get("TARGETS", "")

# No test begins later, but some run in any case, and so many pass.
SECONDS, TESTS, ENOUGH = 60, 8, 5
FOLDERS = ("00basic", "event", "ftrace", "instances", "tracer", "tracepoint")


class Failed(Exception):
    """A mail does not compile or boot; the message says how."""


def refuse_checkout(where):
    """Refuse a folder inside of a git checkout."""
    there = where
    while not os.path.isdir(there):
        there = os.path.dirname(there)
    if top := said(there, "rev-parse", "--show-toplevel"):
        raise Refused(f"{where} lies in the checkout {top}, where an #include may find what no mail has "
                      "brought: set BISECT to another folder")


def configuration(choice, files, whole):
    """The lines of a choice's configuration, without options that a later mail brings."""
    later = states.own_symbols(whole) - states.symbols(files)
    lines = "".join(texts.text(os.path.join(CONFIG, name)) for name in CHOICES[choice])
    return "".join(m[0] for m in re.finditer(r"(?m)^CONFIG_(\w+)=.*\n", lines) if m[1] not in later)


def choices(files):
    return list(CHOICES) if CHOICE in states.symbols(files) else ["new"]


def note(key):
    os.makedirs(WORK, exist_ok=True)
    with open(DONE, "a", encoding="utf-8") as f:
        f.write(key + "\n")


def key_of(what, *parts):
    return f"{what} {hashlib.sha256(' '.join(parts).encode()).hexdigest()}"


def kernel(choice, config, targets=""):
    """Build the kernel bisect-CHOICE of what lies in TREE; build/ has a link to it."""
    name = "bisect-" + choice
    path = os.path.join(WORK, choice + ".config")
    texts.write(path, config)
    p = subprocess.run([os.path.join(texts.HERE, "kernel.sh"), name, TREE, path], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                       env={**os.environ, "NO_PROGRESS": "1", "TARGETS": targets, "BUILD": WORK})
    link = os.path.join(tree.BUILD, name)
    subprocess.run(["rm", "-rf", link], check=True)
    os.symlink(os.path.join(WORK, name), link)
    if p.returncode:
        raise Failed(f"does not compile ({choice})\n{p.stdout.rstrip()}")
    return name


def tests_of(where, new):
    """The tests of ftracetest in a tree: the short ones first, then all folders mixed.

    @new: those of the new function tracer, too, which the classic one need not pass.
    """
    tests = os.path.join(verdicts.SELFTESTS, "ftrace")
    found = [t for t in guests.tests_in(os.path.join(where, tests), f"test.d/({'|'.join(FOLDERS)})/.*")
             if new or not t.startswith("test.d/ftrace/") or tree.of_base(os.path.join(tests, t))]
    return sorted(found, key=lambda t: ("/00basic/" not in t, hashlib.sha256(t.encode()).digest()))


def faults(said, known):
    """What is wrong with a guest's tests: (lines, how many passed). A small kernel may skip any."""
    ran = re.findall(r"^FILE (\S+)", said, re.M)
    tally = Tally()
    verdicts.judge_ftracetest(tally, said, known, ran)
    bad = [f"{name}: {' '.join(why)}" for verdict, name, why in tally.results()
           if verdict == "not ok" and not " ".join(why).startswith(verdicts.SKIPPED)]
    return bad, sum(verdict == "ok" for verdict, _, _ in tally.results())


def boot(name, new):
    """Boot build/NAME for a minute of ftracetest; @new: it has the new function tracer."""
    limit = os.path.join(WORK, "limit")
    texts.write(limit, f"{SECONDS} {TESTS}\n")
    known = verdicts.expected("classic-7.3", name if new else "classic")
    tests = [t for t in tests_of(TREE, new) if not known.get(t, ("", ""))[1].startswith("apart:")]
    root = os.path.join(TREE, verdicts.SELFTESTS, "ftrace")
    quiet, said = guests.ftracetest_part(Tally(), name, root, name, tests, "--append",
                                         guests.FAST_BOOT, "--payload", limit + ":/selftests/limit")
    bad, passed = faults(said, known)
    bad += [f"{what}: {' '.join(why)}" for verdict, what, why in quiet.results() if verdict == "not ok"]
    if passed < ENOUGH:
        bad.append(f"only {passed} tests passed")
    if bad:
        raise Failed("\n".join([f"boots, and does not pass ({name})", *bad]))
    return passed


def one_mail(files, whole, number, block, last):
    """Compile, and boot, what is not done yet of one mail; how many builds that took."""
    built = 0
    for choice in choices(files):
        config = configuration(choice, files, whole)
        compiles = key_of("compiles", choice, config, tree.digest(files, NOT_BUILT))
        boots = key_of("boots", choice, config, tree.digest(files))
        known = [] if PART else machine.read_text(DONE).split("\n")
        to_boot = last and not PART and boots not in known
        if compiles in known and not to_boot:
            continue
        begin = time.monotonic()
        tree.lay(TREE, files)
        step(f"{number}: {block.subject} ({choice}{', in part' if PART else ''})")
        name = kernel(choice, config, PART or ("" if to_boot else "bzImage modules"))
        built += 1
        if PART:
            continue
        words = f"compiles, {time.monotonic() - begin:.0f} s"
        note(compiles)
        if to_boot:
            words += f"; boots, and passes {boot(name, CHOICE in states.symbols(files) and choice == 'new')} tests"
            note(boots)
        step(f"{number}: {words}")
    return built


def bisect(first, last, topic=None):
    blocks = states.shared_out()
    whole = states.touched(mails(blocks))
    before, blocks = mails_of(blocks, None if topic is None else topic_of(blocks, topic))
    if not 1 <= first <= (last or len(blocks)) <= len(blocks):
        raise Refused(f"there are mails 1 to {len(blocks)}")
    files, built = states.touched(before), 0
    ends = [b for b, after in zip(blocks, [*blocks[1:], None]) if not after or after.topic is not b.topic]
    for number, block in enumerate(blocks, 1):
        states.apply(files, block)
        if not first <= number <= (last or len(blocks)):
            continue
        try:
            built += one_mail(files, whole, number, block, block in ends)
        except Failed as why:
            print(f"mail {number} of {len(blocks)}, \"{block.subject}\", {why}", file=sys.stderr)
            print("The next run goes on here.", file=sys.stderr)
            return 1
    what = "compile in part" if PART else "compile, and the last ones of topics boot"
    step(f"mails {first} to {last or len(blocks)} of {len(blocks)} {what}; {built} builds were made for it now")
    return 0


def without(option):
    refuse_checkout(WORK)
    blocks = states.shared_out()
    files = states.touched(states.without(blocks, option))
    config = configuration("new", files, states.touched(mails(blocks)))
    tree.lay(TREE, files)
    step(f"without {option}")
    try:
        kernel("new", config, PART or "bzImage modules")
    except Failed as why:
        print(f"without {option}, the series {why}", file=sys.stderr)
        return 1
    step(f"without {option}: compiles")
    return 0


def run(argv):
    if len(argv) == 2 and argv[0] == "without":
        return without(argv[1])
    topic = argv[1] if len(argv) > 1 and argv[0] == "topic" else None
    m = re.fullmatch(r"(\d*)(?:-(\d+))?", " ".join(argv if topic is None else argv[2:]))
    if not m:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    refuse_checkout(WORK)
    if not PART:
        subprocess.run([os.path.join(texts.HERE, "rootfs.sh")], check=True)
    return bisect(int(m[1] or 1), int(m[2] or m[1] or 0), topic)


def main(argv):
    return status_of("bisect", run, argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
