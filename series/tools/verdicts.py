# SPDX-License-Identifier: GPL-2.0
"""Results of what commands, guests and kernels say."""
import contextlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import machine
import tree
from files import BUILD, HERE, TOP, text

LOG = os.path.join(BUILD, "log")

SELFTESTS = os.path.join("tools", "testing", "selftests")


def run(tally, name, cmd, tail=12, **kw):
    """One command; one result: it passes when it ends with status 0."""
    log = os.path.join(LOG, name.replace(" ", "-").replace("/", "-") + ".log")
    with open(log, "w", encoding="utf-8") as f:
        status = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=f,
                                stderr=subprocess.STDOUT, check=False, **kw).returncode
    last = machine.read_text(log).rstrip("\n").split("\n")[-tail:]
    return tally.result(status == 0, name, [f"status {status}, log: {os.path.relpath(log, TOP)}"] + last)


def take_over(tally, title, lines):
    """Results in KTAP count as they stand. Returns how many there are, how many are bad, and the plan."""
    seen = bad = 0
    plan, m, below = None, None, []
    for line in itertools.chain(lines, [""]):
        if line.startswith("# "):
            below.append(line[2:].rstrip())
            continue
        if m and m[1] == "ok" and m[3] is not None:
            tally.skip(f"{title}: {m[2]}", m[3] or " ".join(below))
        elif m and not tally.result(m[1] == "ok", f"{title}: {m[2]}", below):
            bad, below = bad + 1, []
        for words in below:
            tally.note(words)
        m, below = re.match(r"(ok|not ok) (?:\d+ )?(?:- )?(.+?)(?: # SKIP *(.*))?$", line.rstrip()), []
        seen += bool(m)
        plan = int(line[3:]) if re.fullmatch(r"1\.\.\d+\s*", line) else plan
    return seen, bad, plan


def suite(tally, title, cmd, env):
    """A runner that says its results in KTAP, with a plan."""
    log = os.path.join(LOG, title + ".log")
    with open(log, "w", encoding="utf-8") as f:
        p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             env={**os.environ, **env})
        seen, bad, plan = take_over(tally, title, (f.write(line) and line for line in p.stdout))
        status = p.wait()
    if not seen or seen != plan or (status and not bad):
        tally.result(False, f"{title}: the suite ran to its end",
                     [f"status {status}, {seen} results, planned: {plan}, log: {os.path.relpath(log, TOP)}"])


def pytest(tally, title, path, **env):
    """Each test of a file is a result, by its name without test_ and underscores."""
    log, xml = (os.path.join(LOG, f"{title}.{kind}") for kind in ("log", "xml"))
    with open(log, "w", encoding="utf-8") as f:
        status = subprocess.run(
            ["pytest-3", "-q", "-p", "no:cacheprovider", "--junitxml=" + xml, path],
            stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env}).returncode
    cases = ElementTree.parse(xml).iter("testcase") if status in (0, 1) else ()
    seen = 0
    for seen, case in enumerate(cases, 1):
        name = f"{title}: {case.get('name').removeprefix('test_').replace('_', ' ')}"
        skip, bad = case.find("skipped"), [c for c in case if c.tag in ("failure", "error")]
        if skip is not None:
            tally.skip(name, skip.get("message"))
        else:
            tally.result(not bad, name, [line for c in bad for line in (c.text or "").split("\n")[-20:]])
    if not seen:
        tally.result(False, f"{title}: the tests ran", [f"status {status}, log: {os.path.relpath(log, TOP)}"])


def boot(tally, name, kernel_name, job, *args):
    """One run of a guest; one result.  Returns the job's own words.

    What the host spoiled is run once more, which is said; what it left is NAME.first.*.
    """
    cmd = [os.path.join(HERE, "machine.py"), os.path.join(BUILD, kernel_name), job,
           "--quiet", "--name", name, *args]
    for _ in range(2):
        p = subprocess.run(cmd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if p.returncode != machine.HOST_FAILED:
            break
        tally.again(name)
        for kind in "console", "job", "resets":
            with contextlib.suppress(FileNotFoundError):
                os.replace(os.path.join(LOG, f"{name}.{kind}"), os.path.join(LOG, f"{name}.first.{kind}"))
        tally.note(f"guest {name}: the host failed it: {p.stderr.splitlines()[0] if p.stderr else ''}")
    tally.result(p.returncode == 0, f"guest {name}: runs, and the kernel has no complaint",
                 (p.stdout + p.stderr).rstrip("\n").split("\n"))
    return machine.read_text(os.path.join(LOG, name + ".job"))


def judge_host(run, tally):
    """Of what @run was told, one guest may be the host's fault; two are not its only one, or prove too little."""
    again = [name for verdict, name, _ in run.said if verdict == "again"]
    if again:
        tally.note(f"{len(again)} runs of guests were the host's fault: {', '.join(again)}")
    if len(again) > 1:
        tally.result(False, "one run of a guest at most was the host's fault",
                     [f"build/log/{name}.first.console" for name in again])


def said_results(tally, title, said):
    """The results of a guest's job, which need not have a plan."""
    seen, _, _ = take_over(tally, title, said.split("\n"))
    tally.result(seen > 0, f"{title}: the job said something")


# Of text engine and core.
KUNIT = ("ftrace_siteset", "ftrace_cond", "ftrace_filter", "ftrace_match", "ftrace_site", "ftrace_names",
         "ftrace_change", "ftrace_tramp", "ftrace_graph")

# And by configuration.
KUNIT_WITH = {"X86": ("x86_text_patch_pure", "x86_text_patch", "x86_text_patch_trap", "ftrace_hotplug",
                      "ftrace_memory", "ftrace_stack"),
              "RING_BUFFER_KUNIT_TEST": ("ring_buffer_reset", "inline_clock"),
              "X86_64": ("ftrace_direct",),
              "FTRACE_ENTRY_SITES": ("ftrace_entry",),
              "FTRACE_DISCOVER": ("ftrace_discovered", "ftrace_page_index", "ftrace_records"),
              "TRACEPOINTS_KUNIT_TEST": ("tracepoint_funcs", "tracepoint_calls")}


def kunit_of(kernel_name):
    """The suites of ours that a kernel runs at boot."""
    config = machine.read_text(os.path.join(BUILD, kernel_name, ".config"))
    return (*KUNIT, *(name for option, suites in KUNIT_WITH.items() if f"CONFIG_{option}=y\n" in config
                      for name in suites))


def kunit_cases(console):
    """{suite: [(verdict, case)]}, as the kernel's kunit.py reads a console's file."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([sys.executable, os.path.join(BUILD, "base", "tools", "testing", "kunit", "kunit.py"),
                        "parse", "--json=" + out.name, console],
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)
        try:
            groups = json.load(out)["sub_groups"]
        except ValueError:
            return {}

    def cases(group):
        for case in group["test_cases"]:
            yield case["status"], case["name"]
        for inner in group["sub_groups"]:	# of a case with parameters
            yield from cases(inner)

    return {group["name"]: list(cases(group)) for group in groups}


def judge_kunit(tally, console, suites):
    """Every case is a result; so is that each suite ran to its end."""
    found = kunit_cases(console)
    for name in suites:
        cases = found.get(name, [])
        broken = [case for verdict, case in cases if verdict not in ("PASS", "SKIP", "FAIL")]
        tally.result(cases and not broken, f"KUnit suite {name} ran to its end",
                     [f"{len(cases)} cases", *broken, "console: " + os.path.relpath(console, TOP)])
        for verdict, case in cases:
            if verdict == "SKIP":
                said = re.search(rf" ok \d+ {re.escape(case)} # SKIP (.*)", machine.read_text(console))
                tally.skip(f"KUnit {name}: {case}", said[1] if said else "")
            else:
                tally.result(verdict == "PASS", f"KUnit {name}: {case}", ["see the console log"])


# From good to bad; SKIP is what ftracetest calls unsupported or untested.
ORDER = ["PASS", "XFAIL", "SKIP", "UNRESOLVED", "FAIL", "TIMEOUT", "NONE"]

SKIPPED = ("SKIP", "UNRESOLVED")


def expected(name, kernel_name):
    """{test: (verdict, reason)} from series/config/expected/NAME: tests that need not pass on this kernel."""
    table = {}
    for line in text(os.path.join(TOP, "series", "config", "expected", name)).splitlines():
        m = re.match(r"([^#\s]\S*)\s+(\S+)\s+(.+)$", line)
        if m and (kernel_name == "classic" or not m[3].startswith("classic: ")):
            table[m[1]] = (m[2], m[3].removeprefix("classic: "))
    return table


def judge_ftracetest(tally, said, known, wanted):
    """Each test is at least as good as on classic; better is said aloud."""
    if not wanted:
        tally.result(False, "ftracetest has tests")
    got = {}
    for test, late, lines in re.findall(r"^FILE (\S+)( LATE)?((?:\n(?:not )?ok .*)*)", said, re.M):
        for good, inside, word in re.findall(r"^(not ok|ok) \d+ +(\(instance\) )?.*?(?:# (\w+))?$", lines, re.M):
            got[test + ("+instance" if inside else "")] = word or ("PASS" if good == "ok" else "FAIL")
        if late:
            got[test] = "TIMEOUT"
    for test in sorted(set(wanted) | set(got)):
        verdict = got.get(test, "NONE")
        limit, why = known.get(test, ("PASS", ""))
        name = f"ftracetest {test.removeprefix('test.d/')}"
        good = ORDER.index(verdict) <= ORDER.index(limit)
        if good and verdict in SKIPPED:
            tally.skip(name, f"{verdict}: {why}")
        else:
            tally.result(good, name, [f"{verdict}, at least {limit} was expected; "
                                      "log: build/out/*/logs"])


# What no parameter of ours takes, and what the kernel says of it. Those without "="
# that are not early are unknown to it, and it has one line for all.
BAD_WORDS = {
    "ftrace_combo_cap": 'ftrace_combo_cap: "" is no number, using 16384',
    "ftrace_combo_cap=many": 'ftrace_combo_cap: "many" is no number, using 16384',
    "ftrace_entry": 'ftrace_entry: "" is neither "off" nor "sealed", using all',
    "ftrace_entry=some": 'ftrace_entry: "some" is neither "off" nor "sealed", using all',
    "text_patch": None,
    "text_patch=": 'text_patch: no method "", using breakpoint',
    "text_patch=magic": 'text_patch: no method "magic", using breakpoint',
    "ftrace_graph_max_depth": None,
    "ftrace_graph_max_depth=": 'ftrace_graph_max_depth=: "" is no number, using 0',
    "ftrace_graph_max_depth=deep": 'ftrace_graph_max_depth=: "deep" is no number, using 0',
    "ftrace_filter": None,
    "ftrace_filter=bad_1,,": 'ftrace_filter=: "bad_1" is no function to trace',
    "ftrace_notrace": None,
    "ftrace_notrace=bad_2*": 'ftrace_notrace=: "bad_2*" is no function to trace',
    "ftrace_graph_filter": None,
    "ftrace_graph_filter=bad_3,1": 'ftrace_graph_filter=: "bad_3" is no function to trace',
    "ftrace_graph_notrace": None,
    "ftrace_graph_notrace=,bad_4": 'ftrace_graph_notrace=: "bad_4" is no function to trace',
    "stacktrace_filter=bad_5": 'stacktrace_filter=: "bad_5" is no function to trace',
}


def judge_bad_words(tally, console):
    """The kernel was booted with all of them, and says one line of each."""
    unknown = re.search(r"Unknown kernel command line parameters \"(.*?)\"", console)
    unknown = unknown[1].split() if unknown else []
    for word, line in BAD_WORDS.items():
        lines = [l for l in console.split("\n") if line and line in l]
        tally.result(len(lines) == 1 if line else word in unknown,
                     f"command line: {word} is refused with one line", lines)


def judge_races(tally):
    """No race that KCSAN found in any of its runs has a function of tracepoints on either side."""
    kcsan = os.path.join(BUILD, "kcsan")
    objects = [os.path.join(kcsan, p[:-2] + ".o") for p in tree.overlay()
               if p.startswith("kernel/tracepoint/") and p.endswith(".c")]
    nm = subprocess.run(["nm", "-P", "--defined-only", *filter(os.path.exists, objects)],
                        capture_output=True, text=True, check=False)
    ours = {line.split()[0] for line in nm.stdout.split("\n") if re.search(r" [tT] ", line)}
    found = [race for name in sorted(os.listdir(LOG)) if re.search(r"-kcsan(-\d)?\.console$", name)
             for race in re.findall(r"BUG: KCSAN: data-race in (\S+)(?: / (\S+))?",
                                    machine.read_text(os.path.join(LOG, name)))]
    bad = sorted({" / ".join(race) for race in found if ours & set(race)})
    tally.note(f"{len(found)} races in what is not ours" if not bad else f"of {len(found)} races")
    tally.result(len(ours) > 20 and not bad, "no data race in tracepoints",
                 [f"{len(ours)} functions are ours", *bad])
