# SPDX-License-Identifier: GPL-2.0
"""What parts of a run say: results, and lines of progress."""
import os
import sys
import time

START = int(os.environ.get("STEP_START", time.time()))


def say(*lines):
    """Whole lines at once: others say something, too."""
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def step(text):
    say(f"[{time.time() - START:4.0f}s] {text}")


class Tally:
    """Results in their order."""

    def __init__(self, counts=None):
        # (verdict, name, reasons): "ok", "not ok" or "skip"; a "note" and an "again" are no results.
        self.said = []
        self.counts = counts or self

    def aside(self):
        """One for results that do not count as they stand; guests that ran again do count."""
        return Tally(self.counts)

    def add(self, verdict, name, why=()):
        self.said.append((verdict, name, list(why)))

    def result(self, good, name, why=()):
        self.add("ok" if good else "not ok", name, why)
        return bool(good)

    def skip(self, name, why):
        self.add("skip", name, [why])

    def note(self, text):
        """A line that is no result."""
        self.add("note", text)

    def again(self, name):
        """The guest @name ran once more, since the host had spoiled its first run."""
        self.counts.add("again", name)

    def results(self):
        return [said for said in self.said if said[0] not in ("note", "again")]

    def adopt(self, said):
        """Add what another tally was told."""
        self.said += map(tuple, said)

    def count(self, verdict):
        return sum(said[0] == verdict for said in self.said)

    def summary(self):
        skipped = self.count("skip")
        return f"{self.count('ok')} passed, {self.count('not ok')} failed" + (f", {skipped} skipped" if skipped else "")


def lines(verdict, name, why):
    """How one of them is shown."""
    if verdict == "again":
        return []
    if verdict == "note":
        return ["# " + name]
    if verdict == "skip":
        return [f"ok - {name} # SKIP {' '.join(why)}"]
    return [f"{verdict} - {name}", *(f"# {line}" for line in why if verdict == "not ok")]
