# SPDX-License-Identifier: GPL-2.0
"""What pytest needs to run the parts of make test, each an item of parts/parts_test.py.

A part puts its results into a Tally; each is shown, counted, and a test case of JUnit's
file. Items begin in the order of their file; each of several processes takes the next item
when it has finished one.
"""
import fcntl
import json
import os
import sys
import threading
import time

import pytest

import expected as names
import results
import tree
import verdicts
from files import text, write

KINDS = ("check", "test", "test-long")
PARTS = os.path.join(tree.TOP, "series", "tools", "parts")
LIST = os.path.join(tree.TOP, "series", "expected-results")
# What a run keeps of what several of its items need, in a folder of its own.
RUN = "FTRACE_PARTS_RUN"
OUTCOME = {"ok": "passed", "not ok": "failed", "skip": "skipped"}


def pytest_addoption(parser):
    parser.addoption("--kind", choices=KINDS, default="test", help="what of make is run")
    parser.addoption("--part", action="append", default=[], help="only the parts, or lists of results, of this name")


def pytest_configure(config):
    for line in ("kinds(*kinds): what of make has this; without it test and test-long have",
                 "of(name): the part whose list has the results, if it is not the item's own name",
                 "brief(*kinds): where it is run in brief, which has a list of its own"):
        config.addinivalue_line("markers", line)
    if hasattr(config, "workerinput"):
        os.dup2(2, 1)			# what execnet makes of it is lost


def name_of(item):
    """An item's parameter, which is a name, or what its function is called."""
    return item.callspec.id if hasattr(item, "callspec") else item.name.removeprefix("test_").replace("_", " ")


def marked(item, mark, default=()):
    found = item.get_closest_marker(mark)
    return found.args if found else default


def part_of(item):
    """The list that has its results."""
    brief = item.config.getoption("kind") in marked(item, "brief")
    return marked(item, "of", (name_of(item),))[0] + (", quick" if brief else "")


def pytest_collection_modifyitems(config, items):
    parts = set(config.getoption("part"))
    mine = [i for i in items if config.getoption("kind") in marked(i, "kinds", KINDS[1:])
            and (not parts or parts & {name_of(i), part_of(i)})]
    config.hook.pytest_deselected(items=[i for i in items if i not in mine])
    items[:] = mine


@pytest.fixture
def tally(request):
    request.node.tally = results.Tally()
    return request.node.tally


@pytest.fixture
def brief(request):
    """Whether it is to be run in brief."""
    return request.config.getoption("kind") in marked(request.node, "brief")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """An item's report has its results, which decide on its outcome."""
    report = (yield).get_result()
    if call.when == "call":
        tally = item.tally
        report.results = tally.said
        bad = tally.count("not ok")
        if report.passed and bad:
            report.outcome, report.longrepr = "failed", f"{bad} of {len(tally.results())} results are not ok"


def once(name, function):
    """[whether it went well, what it said]: @function(tally), run by whichever process of this run asks first."""
    path = os.path.join(os.environ[RUN], name)
    with open(path + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            tally = results.Tally()
            good = function(tally) is not False and not tally.count("not ok")
            write(path, json.dumps([good, tally.said]))
    return json.loads(text(path))


def needed(name, function):
    """What needs the part @name, which is @function, is not run where that has failed."""
    good, said = once(name, function)
    bad = [" ".join((what, *why)) for verdict, what, why in said if verdict == "not ok"]
    return good or pytest.skip("\n".join([f"{name} has failed", *bad]))


def words(kind, *more):
    """How pytest is called."""
    return ["-p", "no:terminal", "-p", "no:cacheprovider", "-p", "plugin", "--capture=no", "--kind", kind, *more,
            PARTS]


class Collected:
    """{node id: (name, part)} of what pytest would run."""

    def __init__(self, kind, *more):
        self.items = {}
        # What pytest cannot make sense of, it has said.
        self.understood = pytest.main(["--collect-only", *words(kind, *more)], plugins=[self]) in (
            pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

    def pytest_collection_finish(self, session):
        self.items = {item.nodeid: (name_of(item), part_of(item)) for item in session.items}

    def pytest_collectreport(self, report):
        if report.failed:
            print(report.longrepr, file=sys.stderr)


class Run:
    """Shows and keeps the results of a run, judges what is missing, and says how far it is."""

    def __init__(self, everything, chosen, ended=lambda part, results: None):
        self.items, self.left = chosen, dict(chosen)
        # Of other parts some items do not run.
        self.whole = {part for _, part in chosen.values()} - {p for i, (_, p) in everything.items() if i not in chosen}
        self.ended = ended
        self.tally, self.parts, self.running, self.unrun, self.hook = results.Tally(), {}, {}, [], None

    def pytest_xdist_make_scheduler(self, config, log):
        from xdist.scheduler import LoadScheduling

        class OneByOne(LoadScheduling):
            """A process needs one item besides the one that it runs."""
            def _send_tests(self, node, num):
                super()._send_tests(node, min(num, 2 - len(self.node2pending[node])))

        return OneByOne(config, log)

    def pytest_sessionstart(self, session):
        self.hook = session.config.hook
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            time.sleep(60)
            busy = [f"{self.items[i][0]} ({time.time() - since:.0f} s)" for i, since in list(self.running.items())]
            if busy:
                results.step(f"{len(self.items) - len(self.left)} of {len(self.items)} done; running: {', '.join(busy)}")

    def pytest_runtest_logstart(self, nodeid):
        self.running[nodeid] = time.time()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if report.nodeid not in self.left or report.passed and report.when != "call":
            return
        name, part = self.left.pop(report.nodeid)
        seconds = time.time() - self.running.pop(report.nodeid, time.time())
        said = results.Tally()
        said.adopt(getattr(report, "results", ()))
        if report.failed and not said.count("not ok"):
            said.result(False, f"{name}: ran to its end", str(report.longrepr).split("\n"))
        if report.skipped:		# what it needs has failed
            self.unrun += [f"{name}: {line}" for line in report.longrepr[2].split("\n")]
            self.whole.discard(part)
            return
        results.step(f"{name}: {seconds:.0f} s")
        self.add(part, said)
        self.parts.setdefault(part, []).extend(said.results())
        if part in self.whole and part not in {p for _, p in self.left.values()}:
            self.ended(part, self.parts[part])

    def add(self, part, said):
        """Show and count them; each is a test case of JUnit's, too."""
        self.tally.adopt(said.said)
        results.say(*(line for one in said.said for line in results.lines(*one)))
        for verdict, name, why in said.results():
            what = "\n".join(why) if verdict == "not ok" else ("", 0, " ".join(why)) if verdict == "skip" else None
            self.hook.pytest_runtest_logreport(report=pytest.TestReport(
                f"{part}::{name}", ("", 0, name), {}, OUTCOME[verdict], what, "call"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self):
        """Judge whether what ran has all its results, and whether all ran."""
        end = results.Tally()
        left = {part for _, part in self.left.values()}
        names.judge(end, LIST, os.path.join(tree.BUILD, "expected-results"),
                    {part: said for part, said in self.parts.items() if part in self.whole - left})
        verdicts.judge_host(self.tally, end)
        self.unrun += [f"{name}: never began" for name, _ in self.left.values()]
        if self.unrun:
            end.result(False, "all parts ran", self.unrun)
        self.add("run", end)
