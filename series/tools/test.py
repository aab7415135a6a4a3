#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prove the series: host tests, then guests.

usage: test.py check|test|test-kvm|test-long [PART...] [-x] [-k WORDS] [...]
       test.py nightly [PART...]

PART is what the line with the time of a part begins with, "defects" for one: only
these. What begins with "-", and all behind it, is for pytest. test-kvm is the part
"kvm" of test. nightly is test-long of what is committed; where it was stopped, or parts
of it failed, it goes on with those that have not passed for this content:
series/config/nightly.json says which have passed, when, and for which. Commit that file
to go on elsewhere.

Every result is a line "ok - name" or "not ok - name" with its reason below;
the last line is "N passed, N failed[, N skipped]".  Logs lie in build/log.
"""
import fcntl
import fnmatch
import hashlib
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import pytest

import expected as names
import plugin
import tree
from files import BUILD, TOP, text, write
from order import status_of

NIGHTLY = "series/config/nightly.json"


class Nightly:
    """When and at which commit each of all parts has passed last, and for which @content(part) of the repository."""

    def __init__(self, path, content, commit, parts):
        self.path, self.content, self.commit, self.parts = path, content, commit, parts
        self.passed = self.kept()

    def kept(self):
        try:
            return json.loads(text(self.path))
        except (OSError, ValueError):
            return {}

    def missing(self):
        """Those that have not passed for this content."""
        return sorted(p for p in self.parts if p not in self.passed or self.passed[p][2] != self.content(p))

    def ended(self, part, results):
        """Keep it at once if it has passed: it may be the last that does before a run is stopped."""
        verdicts_ = [verdict for verdict, _, _ in results]
        if not results or "not ok" in verdicts_ or names.differences(names.read(plugin.LIST).get(part, names.Names()), results):
            return
        self.passed = self.kept()	# another commit may have been checked out meanwhile
        self.passed[part] = [time.strftime("%Y-%m-%d"), self.commit, self.content(part),
                             verdicts_.count("ok"), verdicts_.count("skip")]
        lines = (f"  {json.dumps(name)}: {json.dumps(said)}" for name, said in sorted(self.passed.items()))
        write(self.path + ".new", "{\n" + ",\n".join(lines) + "\n}\n")
        os.replace(self.path + ".new", self.path)

    def said(self):
        """How far it is: when the last part has passed for this content, or how many have, and the oldest of the others."""
        parts = {part: said for part, said in self.passed.items() if part in self.parts}
        missing = self.missing()
        if not missing:
            date, commit = max(said[:2] for said in parts.values())
            ok, skip = (sum(said[n] for said in parts.values()) for n in (3, 4))
            return f"all parts: {date}, {commit}: {ok} passed, 0 failed, {skip} skipped"
        older = [parts[part][:2] for part in missing if part in parts]
        return (f"{len(self.parts) - len(missing)} of {len(self.parts)} parts have passed for this content, "
                f"{len(older)} for an older one" + (", the first of these on {}, {}".format(*min(older)) if older else ""))


def is_alone():
    """Whether no other nightly runs in this build folder; none begins then before this process ends."""
    lock = os.open(os.path.join(BUILD, "nightly.lock"), os.O_CREAT | os.O_WRONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return False
    return True


FTRACETESTS = "tools/testing/selftests/ftrace/test.d/"
SCRIPTS = "tools/testing/selftests/ftrace/{}.sh"
SUITES = "tools/testing/ftrace/*/*"


def committed():
    """(content of a part, commit) of what is checked out; None if there is more than that.

    The content is a key of the tree that is built, its pages apart, and of what its
    guests are made of; of our files of ftracetest, and of scripts whose results begin
    with their name, those that the part's list names; and of what suites of ftrace are
    made of, if the part is one. The order of mails, tools and pages, which "tools",
    "sources" and "documentation" of each run judge, do not change it.
    """
    def git(*words):
        return subprocess.run(["git", "-C", TOP, *words], capture_output=True, text=True, check=True).stdout

    unsaved = f":(exclude){NIGHTLY}"
    if git("status", "--porcelain", "--", ".", ":(exclude)README.md", ":(exclude)series/doc", unsaved):
        return None
    guest = git("ls-files", "-s", "--", "series/guest", "series/config", unsaved)

    def file_of(result):
        m = re.match(r"ftracetest (\S+\.tc)|([\w-]+): ", result)
        return m and (FTRACETESTS + m[1] if m[1] else SCRIPTS.format(m[2]))

    files = {part: set(map(file_of, results)) - {None} for part, results in names.read(plugin.LIST).items()}
    tests = dict(reversed(line.split("\t")) for line in git(
        "ls-files", "-s", "--", FTRACETESTS + "**.tc", SUITES, *sorted(set().union(*files.values()))).splitlines())
    suites = {path for path in tests if fnmatch.fnmatch(path, SUITES)}
    key = tree.digest(tree.whole(), ("Documentation/", "MAINTAINERS", *tests)) + guest

    def content(part):
        its = files.get(part, set()) | (suites if part.startswith("host tests of ftrace ") else set())
        own = "\n".join(tests[path] + path for path in sorted(its & set(tests)))
        return hashlib.sha256((key + own).encode()).hexdigest()[:16]

    return content, git("rev-parse", "--short=12", "HEAD").strip()


def processes():
    """pytest's words for one more than there are processors, as guests sleep now and then; one without Debian's xdist."""
    return ["-n", str(os.cpu_count() + 1)] if importlib.util.find_spec("xdist") else []


def run(kind, everything, parts, more, night=None):
    """Run the parts @parts, or all, of @everything; @more is for pytest. Return the status."""
    words = [word for part in parts for word in ("--part", part)]
    some = plugin.Collected(kind, *words, *more)
    if not some.understood:
        return 2
    chosen = some.items
    unknown = set(parts) - {word for item in everything.values() for word in item}
    if unknown or not chosen:
        print(f"no such part; there are {', '.join(name for name, _ in everything.values())}", file=sys.stderr)
        return 2
    os.makedirs(os.path.join(BUILD, "test"), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.join(BUILD, "test")) as folder:
        os.environ[plugin.RUN] = folder
        told = plugin.Run(everything, chosen, ended=night.ended if night else lambda *_: None)
        status = pytest.main(["--junitxml=" + os.path.join(BUILD, "junit.xml"), *processes(),
                              *plugin.words(kind, *words, *more)], plugins=[told])
    if night:
        print(night.said())
    print(told.tally.summary())
    return int(status) or bool(told.tally.count("not ok"))


def main(argv):
    kind, *words = argv or [""]
    if kind == "test-kvm":
        kind, words = "test", ["kvm", *words]
    by_night = kind == "nightly"
    kind = "test-long" if by_night else kind
    if kind not in plugin.KINDS:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    os.makedirs(os.path.join(BUILD, "log"), exist_ok=True)
    parts = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    more = words[len(parts):]
    if by_night and not is_alone():
        print(f"nightly: another one is running (lock: {os.path.join(BUILD, 'nightly.lock')})", file=sys.stderr)
        return 2
    everything = plugin.Collected(kind).items
    night = None
    if by_night:
        now = committed()
        if not now:
            print("nightly: there are changes that are not committed", file=sys.stderr)
            return 2
        night = Nightly(os.path.join(TOP, NIGHTLY), *now, {part for _, part in everything.values()})
        if not night.missing():
            print(night.said())
            return 0
        parts = parts or night.missing()
    return run(kind, everything, parts, more, night)


if __name__ == "__main__":
    sys.exit(status_of("test", main, sys.argv[1:]))
