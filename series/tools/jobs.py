# SPDX-License-Identifier: GPL-2.0
"""Jobs that share this machine's processors, and what each of them says.

A job is a function that is given a Tally. All jobs are under way at once; what
keeps a processor busy takes as many of Cores as it needs for as long as it
runs. Whoever has most left to do, by the times of the last run, comes first.
"""
import contextlib
import itertools
import json
import math
import os
import sys
import threading
import time
import traceback

from files import text, write

START = int(os.environ.get("STEP_START", time.time()))


def say(*lines):
    """Whole lines at once: other threads say something, too."""
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def step(text):
    say(f"[{time.time() - START:4.0f}s] {text}")


class Tally:
    """Results, each shown as it comes or, if the tally is quiet, once another one adopts it."""

    def __init__(self, quiet=False, job=None):
        self.quiet, self.job = quiet, job
        # (verdict, name, reasons): "ok", "not ok" or "skip"; a "note" is no result.
        self.said = []

    def add(self, verdict, name, why=()):
        self.said.append((verdict, name, list(why)))
        if self.quiet:
            return
        if verdict == "note":
            say("# " + name)
        elif verdict == "skip":
            say(f"ok - {name} # SKIP {' '.join(why)}")
        else:
            say(f"{verdict} - {name}", *(f"# {line}" for line in why if verdict == "not ok"))

    def result(self, good, name, why=()):
        self.add("ok" if good else "not ok", name, why)
        return bool(good)

    def skip(self, name, why):
        self.add("skip", name, [why])

    def note(self, text):
        """A line that is no result."""
        self.add("note", text)

    def results(self):
        return [said for said in self.said if said[0] != "note"]

    def adopt(self, quiet):
        """Show and count what a quiet tally kept."""
        for said in quiet.said:
            self.add(*said)

    def count(self, verdict):
        return sum(said[0] == verdict for said in self.said)

    def summary(self):
        skipped = self.count("skip")
        return f"{self.count('ok')} passed, {self.count('not ok')} failed" + (f", {skipped} skipped" if skipped else "")


# Who holds a processor for longer than expected is expected to need it for this long, in seconds.
OVERDUE = 20


class Cores:
    """The machine's processors, for whoever needs one or more of them for a while."""

    def __init__(self, count=0):
        self.count = self.free = count or os.cpu_count() or 1
        self.lock = threading.Condition()
        self.waiting = []
        self.held = []			# [(until when it is expected, how many)]
        self.turn = itertools.count()

    def enough(self, wanted):
        """When @wanted processors are expected to be free."""
        now, free = time.monotonic(), self.free
        for until, held in sorted((now + OVERDUE if u < now else u, h) for u, h in self.held):
            free += held
            if free >= wanted:
                return until
        return now

    def next(self):
        """Of those who wait the first one that fits, and by which no earlier one has to wait longer."""
        ends = None
        for me in sorted(self.waiting):
            _, _, _, wanted, seconds = me
            if wanted <= self.free and (ends is None or time.monotonic() + seconds <= ends):
                return me
            ends = ends or self.enough(wanted)
        return None

    @contextlib.contextmanager
    def take(self, wanted, urgency=0, seconds=1):
        """Hold @wanted processors, before all who are less urgent and all who came later.

        A fraction of one is for who leaves it idle at times. Who wants more comes first:
        later they would be free at once only when some had been idle for a while. Others
        may overtake if they are expected to end by then, after @seconds.
        """
        wanted = min(wanted, self.count)
        with self.lock:
            me = (-math.ceil(wanted), -urgency, next(self.turn), wanted, seconds)
            self.waiting.append(me)
            # Time passes, and with it what is expected.
            while self.next() != me:
                self.lock.wait(OVERDUE)
            self.waiting.remove(me)
            holds = (time.monotonic() + seconds, wanted)
            self.held.append(holds)
            self.free -= wanted
            self.lock.notify_all()
        try:
            yield
        finally:
            with self.lock:
                self.held.remove(holds)
                self.free += wanted
                self.lock.notify_all()


class Job:
    """One function of a run, in a thread of its own once the jobs @after have ended well."""

    def __init__(self, name, function, after=(), part=None):
        self.name = name
        self.part = part or name	# what its results count to
        self.function = function
        self.after = after
        self.tally = Tally(quiet=True, job=self)
        self.good = True		# what others need of it is there
        self.ended = threading.Event()
        self.holding = []		# since when its commands hold processors
        self.held = 0			# seconds that those which have ended did
        self.keeps = False		# a processor between its commands
        self.expected = 0
        self.children = []
        self.detail = str		# more words for the line of progress

    def took(self):
        """Seconds that its commands have held processors; what they waited does not count."""
        return self.held + sum(time.time() - since for since in self.holding)

    def left(self):
        """Seconds that it will still take."""
        return max(self.expected - self.took(), 1)

    def urgency(self):
        """Seconds that it and what waits for it will still take."""
        return self.left() + max((c.urgency() for c in self.children), default=0)

    def run(self):
        for other in self.after:
            other.ended.wait()
        try:
            if all(other.good for other in self.after):
                self.good = self.function(self.tally) is not False
            else:
                self.good = False
        except Exception:			# a fault of ours must not look like a pass
            self.good = False
            self.tally.result(False, f"{self.name}: ran to its end", traceback.format_exc().split("\n"))
        self.ended.set()


class Jobs:
    """All jobs of one run."""

    def __init__(self, cores, times, first_times=None):
        self.cores = cores
        self.times = times		# file with the seconds that each job took last time
        self.jobs = []
        self.halves = set()		# parts of which some jobs do not run
        self.known = {}
        for path in filter(None, (first_times, times)):
            with contextlib.suppress(OSError, ValueError):
                self.known.update(json.loads(text(path)))

    def add(self, name, function, *after, part=None):
        """@function(tally) returns False where those who name this job in @after must not run."""
        job = Job(name, function, after, part)
        job.expected = self.known.get(name, 60)
        for other in after:
            other.children.append(job)
        self.jobs.append(job)
        return job

    def keep(self, names):
        """Only the jobs of these names or parts, and what they need. Return: whether all are known."""
        kept = [j for j in self.jobs if j.name in names or j.part in names]
        good = set(names) <= {word for j in kept for word in (j.name, j.part)}
        for job in kept:			# grows meanwhile
            kept += [j for j in job.after if j not in kept]
        self.halves = {j.part for j in self.jobs if j not in kept}
        self.jobs = [j for j in self.jobs if j in kept]
        return good

    def progress(self):
        """One line: who runs, how many wait, how long it may take."""
        alive = [j for j in self.jobs if not j.ended.is_set()]
        busy = [f"{j.name} ({j.took():.0f} s{j.detail()})" for j in alive if j.holding]
        left = sum(j.left() for j in alive)
        words = f"{len(self.jobs) - len(alive)} of {len(self.jobs)} done; running: {', '.join(busy) or 'none'}"
        return words + (f"; about {left / self.cores.count / 60:.0f} min left" if self.known else "")

    def results(self, part):
        """Of all jobs of a part, in their order."""
        return [result for job in self.jobs if job.part == part for result in job.tally.results()]

    def run(self, tally, part_ended=None):
        """Run all; each one's results are shown together, when it has ended.

        @part_ended(part, results) is called as soon as all of a part's jobs have.
        Return: {part: results} of the parts that are there as a whole.
        """
        for job in self.jobs:
            threading.Thread(target=job.run, daemon=True).start()
        live = sys.stdout.isatty()
        waiting, said = list(self.jobs), time.time()
        while waiting:
            for job in [j for j in waiting if j.ended.is_set()]:
                waiting.remove(job)
                if live:
                    sys.stdout.write("\r\033[K")
                if job.held:
                    self.known[job.name] = round(job.held)
                    step(f"{job.name}: {self.known[job.name]} s")
                tally.adopt(job.tally)
                if part_ended and job.part not in self.halves | {j.part for j in waiting}:
                    part_ended(job.part, self.results(job.part))
            if live and waiting:
                print(f"\r\033[K{self.progress()[:120]}", end="", flush=True)
            elif waiting and time.time() - said > 60:
                said = time.time()
                step(self.progress())
            if waiting:
                waiting[0].ended.wait(1)
        write(self.times, json.dumps(self.known, indent=1))
        return {part: self.results(part) for part in {j.part for j in self.jobs} - self.halves}


CORES = Cores()


@contextlib.contextmanager
def cores(tally, wanted):
    """Hold processors for a command of @tally's job."""
    job = tally.job
    if job and job.keeps:
        yield
        return
    with CORES.take(wanted, *((job.urgency(), job.left()) if job else ())):
        since = time.time()
        if job:
            job.holding.append(since)
        try:
            yield
        finally:
            if job:
                job.held += time.time() - since
                job.holding.remove(since)


@contextlib.contextmanager
def one_core(tally):
    """Hold a processor for several commands of @tally's job, which need one each; no other job comes in between."""
    with cores(tally, 1):
        tally.job.keeps = True
        try:
            yield
        finally:
            tally.job.keeps = False
