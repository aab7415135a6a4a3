#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prove the series: host tests, then guests.

usage: test.py check|test|test-long [PART...]

PART is what the line with the time of a part begins with, "defects" for one:
only these, and what they need.

Every result is a line "ok - name" or "not ok - name" with its reason below;
the last line is "N passed, N failed".  Logs lie in build/log.
"""
import glob
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import expected as names  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402
import tree  # noqa: E402
from jobs import CORES, Jobs, Tally, cores, step  # noqa: E402

TOP, BUILD = tree.TOP, tree.BUILD
LOG = os.path.join(BUILD, "log")
CONFIG = os.path.join(TOP, "series", "config")


def run(tally, name, cmd, tail=12, **kw):
    """One command, one result: it passes when it ends with status 0."""
    log = os.path.join(LOG, name.replace(" ", "-").replace("/", "-") + ".log")
    with cores(tally, 1), open(log, "w", encoding="utf-8") as f:
        status = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=f,
                                stderr=subprocess.STDOUT, check=False, **kw).returncode
    with open(log, encoding="utf-8", errors="replace") as f:
        last = f.read().rstrip("\n").split("\n")[-tail:]
    return tally.result(status == 0, name, [f"status {status}, log: {os.path.relpath(log, TOP)}"] + last)


def suite(tally, title, cmd, env):
    """A runner that prints lines of the same form; they count as they stand."""
    log = os.path.join(LOG, title + ".log")
    seen = 0
    bad = 0
    with cores(tally, 1), open(log, "w", encoding="utf-8") as f:
        p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             env={**os.environ, **env})
        for line in p.stdout:
            f.write(line)
            m = re.match(r"(ok|not ok) (?:\d+ )?- (.*?)(?: # SKIP(.*))?$", line.rstrip())
            if m:
                seen += 1
                if m[3] is not None:
                    tally.skip(f"{title}: {m[2]}", m[3].strip())
                else:
                    bad += not tally.result(m[1] == "ok", f"{title}: {m[2]}")
            elif line.startswith("# "):
                tally.note(line[2:].rstrip())
        status = p.wait()
    if not seen or (status and not bad):
        tally.result(False, f"{title}: the suite ran to its end",
                     [f"status {status} after {seen} results, log: {os.path.relpath(log, TOP)}"])


def pytest(tally, title, path, **env):
    """Each test of a file is a result, by its name without test_ and underscores."""
    log, xml = (os.path.join(LOG, f"{title}.{kind}") for kind in ("log", "xml"))
    with cores(tally, 1), open(log, "w", encoding="utf-8") as f:
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


def kernel(tally, name, src, *configs, targets=""):
    """Build build/NAME, or only the objects and folders @targets of it; one result."""
    if tally.job:
        log = os.path.join(LOG, f"kernel-{name}.log")
        tally.job.detail = lambda: f", {len(re.findall(r'^  (?:CC|AS)  ', machine.read_text(log), re.M))} objects"
    with cores(tally, CORES.count):
        status = subprocess.run([os.path.join(HERE, "kernel.sh"), name, os.path.join(BUILD, src)]
                                + [os.path.join(CONFIG, c) for c in configs], check=False,
                                env={**os.environ, "NO_PROGRESS": "1", "TARGETS": targets}).returncode
    if tally.job:
        tally.job.detail = str
    return tally.result(status == 0, f"kernel {name} builds")


# Guests that ran once more.
AGAIN = []


def boot(tally, name, kernel_name, job, *args):
    """One run of a guest; one result.  Returns the job's own words.

    What the host spoiled is run once more, which is said.
    """
    cmd = [os.path.join(HERE, "machine.py"), os.path.join(BUILD, kernel_name), job,
           "--quiet", "--name", name, *args]
    for _ in range(2):
        with cores(tally, 2 if "tcg,thread=multi" in args else 1):
            p = subprocess.run(cmd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if p.returncode != machine.HOST_FAILED:
            break
        AGAIN.append(name)
        tally.note(f"guest {name}: the host failed it: {p.stderr.splitlines()[0] if p.stderr else ''}")
    tally.result(p.returncode == 0, f"guest {name}: runs, and the kernel has no complaint",
                 (p.stdout + p.stderr).rstrip("\n").split("\n"))
    return machine.read_text(os.path.join(LOG, name + ".job"))


# Host tests

# What checkpatch says without reason: host tools have the C library's types;
# breakpoint emulation has no way to go on; boot parameters are documented by a
# hunk, which it cannot see; test macros name their context more than once.
UNHEEDED = ("FILE_PATH_CHANGES", "PREFER_KERNEL_TYPES", "CAMELCASE", "PREFER_DEFINED_ATTRIBUTE_MACRO",
            "AVOID_BUG", "UNDOCUMENTED_SETUP", "MACRO_ARG_REUSE")
# And where it reads a language made of macros as if it were C: whole functions
# come out of one, most readers of TRACE_EVENT() use a part of it, and a name
# that the world knows begins with for_each_.
UNHEEDED_IN = {
    "include/linux/tracepoint.h": (
        "MACRO_ARG_UNUSED", "COMPLEX_MACRO", "MULTISTATEMENT_MACRO_USE_DO_WHILE", "TRAILING_SEMICOLON",
        "FUNCTION_ARGUMENTS", "AVOID_EXTERNS", "EXPORT_SYMBOL", "ENOSYS", "OPEN_BRACE"),
    "include/linux/tracepoint-defs.h": ("MACRO_ARG_UNUSED", "NEW_TYPEDEFS"),
    # What is nothing here evaluates nothing.
    "include/linux/ftrace.h": ("MACRO_ARG_UNUSED",),
    "include/linux/ftrace/graph.h": ("MACRO_ARG_UNUSED",),
    "include/linux/ftrace/misc.h": ("MACRO_ARG_UNUSED",),
    # The linker's symbols; a printk() that is told its level like any other.
    "kernel/trace/ftrace/boot.c": ("AVOID_EXTERNS",),
    "kernel/trace/ftrace/graph.c": ("UNNECESSARY_KERN_LEVEL",),
    # Stand-ins for what is tested, and shorthands for its cases.
    "kernel/trace/ftrace/tests/change_kunit.c": ("AVOID_EXTERNS", "MACRO_ARG_UNUSED"),
    "kernel/trace/ftrace/tests/hook_targets.c": ("COMPLEX_MACRO",),
    "kernel/trace/ftrace/tests/site_kunit.c": ("MACRO_WITH_FLOW_CONTROL",),
    "kernel/trace/ftrace/tests/siteset_kunit.c": ("COMPLEX_MACRO", "MACRO_ARG_PRECEDENCE"),
    "kernel/tracepoint/iter.c": ("OPEN_BRACE",),
    "kernel/tracepoint/module.c": ("OPEN_BRACE",),
}


def test_sources(tally):
    """What machines can say of our sources without building a kernel."""
    base = os.path.join(BUILD, "base")
    run(tally, "sources: nothing is shared word for word with the base tree",
        [os.path.join(HERE, "copies.py")])
    ours = tree.overlay()
    code = [p for p in ours if p.endswith((".c", ".h", ".S")) and not p.startswith("tools/")]
    checkpatch = ["perl", os.path.join(base, "scripts", "checkpatch.pl"), "--strict", "--no-tree", "--terse",
                  "--show-types"]
    by_ignored = {}
    for path in code:
        by_ignored.setdefault(UNHEEDED + UNHEEDED_IN.get(path, ()), []).append(path)
    run(tally, "sources: checkpatch --strict has nothing to say",
        ["sh", "-c", "; ".join(shlex.join([*checkpatch, "--ignore", ",".join(ignored), "-f", *paths])
                               + " || bad=1" for ignored, paths in by_ignored.items()) + '; [ -z "$bad" ]'],
        tail=20, cwd=TOP)
    run(tally, "sources: kernel-doc has nothing to say",
        ["perl", os.path.join(base, "scripts", "kernel-doc"), "-none", "-Werror", *code], cwd=TOP)


def test_tools(tally):
    run(tally, "tools: pyflakes has nothing to say",
        ["pyflakes3", HERE, *(p for p in tree.overlay() if p.endswith(".py"))], cwd=TOP)
    for path in sorted(glob.glob(os.path.join(HERE, "tests", "*_test.py"))):
        pytest(tally, os.path.basename(path).removesuffix("_test.py"), path)
    suite(tally, "patches", ["sh", os.path.join(HERE, "tests", "patches_test.sh")], {})


def host_suites():
    """tools/testing/**/run.sh of ours that run no others of these: each a suite of its own."""
    found = [os.path.dirname(p) for p in tree.overlay() if re.fullmatch(r"tools/testing/.+/run\.sh", p)]
    found = [d for d in found if not any(other.startswith(d + "/") for other in found)]
    if not found:
        raise RuntimeError("there are no host suites")
    return found


def host_suite(path, quick):
    """A job: one of these suites."""
    def job(tally):
        title = path.removeprefix("tools/testing/").replace("/", " ")
        out = os.path.join(BUILD, "test", title.replace(" ", "-"))
        os.makedirs(out, exist_ok=True)
        suite(tally, title, ["sh", os.path.join(TOP, path, "run.sh")],
              {"BASE": os.path.join(BUILD, "base"), "KSRC": os.path.join(BUILD, "base"),
               "TREE": os.path.join(BUILD, "tree"),
               "OBJS": "" if quick else os.path.join(BUILD, KERNEL), "OUT": out,
               "QUICK": "1" if quick else ""})
    return job


# Guests

# From good to bad; SKIP is what ftracetest calls unsupported or untested.
ORDER = ["PASS", "XFAIL", "SKIP", "UNRESOLVED", "FAIL", "TIMEOUT", "NONE"]
SKIPPED = ("SKIP", "UNRESOLVED")
SELFTESTS = os.path.join("tools", "testing", "selftests")


def expected(name, kernel_name):
    """{test: (verdict, reason)} from expected/NAME: tests that need not pass on this kernel."""
    table = {}
    with open(os.path.join(TOP, SELFTESTS, "ftrace", "expected", name), encoding="utf-8") as f:
        for line in f:
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


def ftracetest_part(tally, kernel_name, root, name, tests, *machine_words):
    """Run some tests in a machine of their own; (faults, the job's words)."""
    listing = os.path.join(BUILD, "out", name + ".list")
    os.makedirs(os.path.dirname(listing), exist_ok=True)
    with open(listing, "w", encoding="utf-8") as f:
        f.write("".join(t + "\n" for t in tests))
    quiet = Tally(quiet=True, job=tally.job)
    said = boot(quiet, name, kernel_name, "ftracetest", "--mem", "1024", "--timeout", "2700",
                "--payload", root + ":/selftests/ftrace",
                "--payload", listing + ":/selftests/list", *machine_words)
    return quiet, said


def ftracetest(tests, known, kernel_name, source, name, *machine_words):
    """A job: some tests of ftracetest, the kernel's own and ours beside them, in one machine."""
    def job(tally):
        root = os.path.join(BUILD, source, SELFTESTS, "ftrace")
        quiet, said = ftracetest_part(tally, kernel_name, root, name, tests, *machine_words)
        # Where a test is known to take its machine down, its verdict counts.
        if not any(known.get(t, ("PASS", ""))[0] == "NONE" for t in tests):
            tally.adopt(quiet)
        judge_ftracetest(tally, said, known, tests)
    return job


# Enough to keep the processors busy until the last one ends, as each boot costs.
FTRACETEST_MACHINES = 4


def ftracetest_jobs(jobs, kernel_name, source, *after, machine_words=()):
    """All of ftracetest, shared out over some machines."""
    root = os.path.join(BUILD, source, SELFTESTS, "ftrace")
    tests = sorted(os.path.relpath(os.path.join(d, n), root)
                   for d, _, names in os.walk(os.path.join(root, "test.d"))
                   for n in names if n.endswith(".tc"))
    known = expected("classic-6.12", kernel_name)
    apart = [t for t in tests if known.get(t, ("", ""))[1].startswith("apart:")]
    crowd = [t for t in tests if t not in apart]
    parts = {f"ftracetest-{kernel_name}-{i + 1}": crowd[i::FTRACETEST_MACHINES]
             for i in range(FTRACETEST_MACHINES)}
    parts.update({f"ftracetest-{kernel_name}-apart{i}": [t] for i, t in enumerate(apart)})
    for name, part in parts.items():
        jobs.add(name, ftracetest(part, known, kernel_name, source, name, *machine_words), *after,
                 part="ftracetest-" + kernel_name)


def livepatch_modules(tally, kernel_name):
    """Build the livepatch selftests' modules out of tree, as their Makefile does."""
    src = os.path.join(BUILD, "test", "klp-" + kernel_name)
    subprocess.run(["rm", "-rf", src], check=True)
    os.makedirs(os.path.dirname(src), exist_ok=True)
    subprocess.run(["cp", "-r", os.path.join(BUILD, "base", SELFTESTS, "livepatch"), src], check=True)
    good = run(tally, f"livepatch selftest modules build against {kernel_name}",
               ["make", "-C", os.path.join(src, "test_modules"),
                "KDIR=" + os.path.join(BUILD, kernel_name)])
    for t in ("test_klp-call_getpid",):
        subprocess.run(["gcc", "-static", "-O2", "-o", os.path.join(src, t),
                        os.path.join(src, t + ".c")], check=False)
    return src if good else None


def livepatch(tally, kernel_name):
    src = livepatch_modules(tally, kernel_name)
    if not src:
        return
    said = boot(tally, "livepatch-" + kernel_name, kernel_name, "livepatch", "--timeout", "1200",
                "--payload", src + ":/selftests/livepatch")
    tests = sorted(n for n in os.listdir(src) if re.fullmatch(r"test-.*\.sh", n))
    if not tests:
        tally.result(False, "livepatch has tests")
    for test in tests:
        m = re.search(rf"^RESULT {re.escape(test)} (\d+)", said, re.M)
        tally.result(bool(m) and m[1] == "0", f"livepatch {test}",
                     ["status " + (m[1] if m else "none") + (", skipped" if m and m[1] == "4" else ""),
                      f"log: build/log/livepatch-{kernel_name}.job"])


# Of text engine and core.
KUNIT = ("x86_text_patch_pure", "x86_text_patch", "ftrace_siteset", "ftrace_filter", "ftrace_match",
         "ftrace_site", "ftrace_names", "ftrace-change", "ftrace-tramp", "ftrace_graph", "ring_buffer_reset")
# And by configuration.
KUNIT_WITH = {"X86_KERNEL_IBT": ("ftrace_entry",),
              "TRACEPOINTS_KUNIT_TEST": ("tracepoint_funcs", "tracepoint_calls")}


def kunit_of(kernel_name):
    """The suites of ours that a kernel runs at boot."""
    config = machine.read_text(os.path.join(BUILD, kernel_name, ".config"))
    return (*KUNIT, *(name for option, suites in KUNIT_WITH.items() if f"CONFIG_{option}=y\n" in config
                      for name in suites))


def startup_tests(tally, kernel_name):
    """Boot-time self tests of the tracers and KUnit's of kprobes and fprobes."""
    boot(tally, "startup-" + kernel_name, kernel_name, "true", "--timeout", "900")
    console = machine.read_text(os.path.join(LOG, f"startup-{kernel_name}.console"))
    said = [(what.removeprefix("tracer ").strip(), verdict == "FAILED") for what, verdict in
            re.findall(r"^Testing ([^:\n]+):[^:]*?\b(PASSED|FAILED|OK)\b", console, re.M)]
    events = [s for s in said if s[0].startswith("event ")]
    bad = [what for what, failed in events if failed]
    tally.result(len(events) > 1000 and not bad, "boot self test of every event, alone and by system",
                 [f"{len(events)} tested"] + bad)
    said = [s for s in said if s not in events]
    for what, failed in said:
        tally.result(not failed, f"boot self test {what}", ["FAILED, see the console log"])
    for must in ("function", "function_graph", "dynamic ftrace", "ftrace recursion"):
        if must not in dict(said):
            tally.result(False, f"boot self test {must}", ["its verdict is not in the console log"])
    judge_kunit(tally, os.path.join(LOG, f"startup-{kernel_name}.console"), ("kprobes_test", "fprobe_test", *kunit_of(kernel_name)))


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


# The text engine in guests


def said_results(tally, title, said):
    """Lines "ok 1 name [# SKIP why]" of a guest's job; they count as they stand."""
    lines = re.findall(r"^(ok|not ok) (?:- |\d+ )(.+)$((?:\n# .*)*)", said, re.M)
    for verdict, what, why in lines:
        what, skip, reason = what.partition(" # SKIP")
        why = why.strip("\n").replace("\n# ", "\n").removeprefix("# ")
        if skip and verdict == "ok":
            tally.skip(f"{title}: {what}", reason.strip() or why)
        elif tally.result(verdict == "ok", f"{title}: {what}", why.split("\n")) and why:
            tally.note(why)
    tally.result(len(lines) > 0, f"{title}: the job said something")


# What no parameter of ours takes, and what the kernel says of it. Those without "="
# that are not early are unknown to it, and it has one line for all.
BAD_WORDS = {
    "ftrace_combo_cap": 'ftrace_combo_cap: "" is no number, using 16384',
    "ftrace_combo_cap=many": 'ftrace_combo_cap: "many" is no number, using 16384',
    "ftrace_entry": 'ftrace_entry: "" is neither "off" nor "sealed", using all',
    "ftrace_entry=some": 'ftrace_entry: "some" is neither "off" nor "sealed", using all',
    "ftrace_patch": None,
    "ftrace_patch=": 'ftrace_patch: no method "", using breakpoint',
    "ftrace_patch=magic": 'ftrace_patch: no method "magic", using breakpoint',
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


# No self tests at boot: they have a machine of their own.
FAST_BOOT = "quiet ftrace=nop kunit.enable=0"


def return_thunks(tally, kernel_name):
    """Trampolines from boot on a processor whose returns need a mitigation (AMD's family 17h)."""
    for rodata in ("on", "off"):
        name = f"return-thunks-rodata-{rodata}"
        boot(tally, name, kernel_name, "true", "--timeout", "300", "--qemu=-cpu max,family=23", "--append",
             f"ftrace=function rodata={rodata} kunit.filter_glob=ftrace_return",
             # The microcode for another of that processor's faults is not there.
             "--expect", "Speculative Return Stack Overflow: WARNING")
        judge_kunit(tally, os.path.join(LOG, name + ".console"), ("ftrace_return",))


def lockdown(tally, kernel_name):
    """The tracer's files in a kernel that is locked down."""
    for mode in ("integrity", "confidentiality"):
        name = "lockdown-" + mode
        said_results(tally, name, boot(tally, name, kernel_name, "lockdown", "--timeout", "300",
                                       "--append", f"{FAST_BOOT} lockdown={mode}"))


def text_torture(tally, kernel_name, quick=True):
    """The engine under torture, and beside what stops and starts processors."""
    for accel, smp in (("tcg,thread=multi", 2), ("tcg,thread=single", 4)):
        name = f"text-patch-{accel.rsplit('=', 1)[1]}"
        said = boot(tally, name, kernel_name, "text-patch", "--accel", accel, "--smp", str(smp),
                    "--timeout", "1200", "--append", f"{FAST_BOOT} seconds={3 if quick else 30}")
        said_results(tally, name, said)


def text_debugger(tally, kernel_name):
    """The debugger writes text by the engine, or by itself where text is writable."""
    for name, words in (("kgdb", ""), ("kgdb-writable-text", " rodata=off")):
        said_results(tally, name, boot(tally, name, kernel_name, "text-patch", "--timeout", "600",
                                       "--append", f"{FAST_BOOT} parts=kgdb{words}",
                                       # Without hardware breakpoints under emulation, it warns.
                                       "--expect", r"WARNING: .* at \S*drivers/misc/kgdbts\.c"))


def kexec(tally, kernel_name):
    boot(tally, "kexec", kernel_name, "kexec", "--timeout", "300", "--mem", "2048", "--append", FAST_BOOT,
         "--payload", os.path.join(BUILD, kernel_name, "bzImage") + ":/kexec/bzImage",
         "--payload", os.path.join(BUILD, "rootfs.cpio") + ":/kexec/rootfs.cpio")


def at_boot(tally, kernel_name):
    """The function tracer from the command line, by each method."""
    for method in ("breakpoint", "stop_machine"):
        boot(tally, f"ftrace-at-boot-{method}", kernel_name, "ftrace-at-boot", "--timeout", "300",
             "--append", f"ftrace=function kunit.enable=0 ftrace_patch={method} "
             "ftrace_graph_filter=kernel_init_freeable ftrace_graph_notrace=kernel_init_freeable")


def entry_sites(tally, kernel_name):
    """Sites where all functions, the sealed ones or none begin; and parameters that are wrong."""
    for take in ("all", "sealed", "off"):
        name = f"entry-sites-{take}"
        said_results(tally, name, boot(
            tally, name, kernel_name, "entry-sites", "--append", "ftrace=nop kunit.filter_glob=ftrace_entry"
            + (" " + " ".join(BAD_WORDS) if take == "off" else "")
            + (f" ftrace_entry={take}" if take != "all" else "")))
        console = os.path.join(LOG, name + ".console")
        judge_kunit(tally, console, ("ftrace_entry",))
        if take == "off":
            judge_bad_words(tally, machine.read_text(console))


def text_cost(tally, kernel_name):
    said = boot(tally, "text-patch-bench", kernel_name, "text-patch-bench", "--icount", "--smp", "1",
                "--timeout", "600", "--append", f"{FAST_BOOT} limit=250")
    tally.note(" ".join(re.findall(r"^FIGURE (.*)$", said, re.M)))
    text_window(tally, kernel_name, 1000000, 150)


def text_window(tally, kernel_name, nanoseconds, interrupts):
    """How long places hold breakpoints, at most, and how many interrupts all functions take."""
    # Processors take turns under icount. Where all they do is traced by function_graph,
    # the time of one that has to answer would be that of all of them.
    for parts, cpus in ("idle,hog", 4), ("graph", 1):
        name = f"text-patch-window-{kernel_name}-{cpus}"
        said_results(tally, name, boot(
            tally, name, kernel_name, "text-patch-window", "--icount", "--smp", str(cpus), "--timeout", "1200",
            "--append", f"{FAST_BOOT} parts={parts} limit={nanoseconds} interrupts={interrupts}"))


HOOK_PARTS = "lies,alone,debugger,modules,hotplug,nmi,tracers"


# The last one has no trampoline but the mixed dispatcher's for most sets of hooks.
HOOK_TORTURE = {"multi": (2, HOOK_PARTS), "single": (4, HOOK_PARTS),
                "mixed": (2, "mixed,tracers ftrace_combo_cap=4")}


def hook_torture(tally, kernel_name, kind, seconds):
    """Hooks that come, change and go, each callback judged; seconds for each part."""
    smp, words = HOOK_TORTURE[kind]
    name = f"hook-torture-{kernel_name}-{kind}"
    accel = "tcg,thread=" + ("single" if kind == "single" else "multi")
    said = boot(tally, name, kernel_name, "hook-torture", "--accel", accel, "--smp", str(smp),
                "--mem", "2048", "--timeout", str(900 + 120 * seconds),
                # The debugger calls what modules cannot link to.
                "--append", f"{FAST_BOOT} ibt=off parts={words} seconds={seconds}")
    said_results(tally, name, said)


TRACEPOINT = os.path.join(TOP, "tools", "testing", "tracepoint")


def tracepoint_tools(tally, kernel_name):
    """The guests' programs, linked statically; where they lie."""
    out = os.path.join(BUILD, "test", "tracepoint-bench-" + kernel_name)
    os.makedirs(out, exist_ok=True)
    programs = ("perf_many", "perf_live", "fail_nth")
    run(tally, "tracepoint guest programs build",
        ["sh", "-ec", "; ".join(shlex.join(
            ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", os.path.join(out, p),
             os.path.join(TRACEPOINT, "bench", p + ".c")]) for p in programs)])
    return out


def tracepoint_hotplug(tally, kernel_name):
    """The module that enables a counter from a hotplug callback; where it lies."""
    out = os.path.join(BUILD, "test", "tracepoint-hotplug-" + kernel_name)
    subprocess.run(["rm", "-rf", out], check=True)
    subprocess.run(["cp", "-r", os.path.join(TRACEPOINT, "hotplug"), out], check=True)
    run(tally, f"module of tracepoints and hotplug builds against {kernel_name}",
        ["make", "-C", os.path.join(BUILD, kernel_name), "M=" + out, "CC=gcc"])
    return out


SCRIPTS = ("--payload", TRACEPOINT + ":/tracepoint")


def tracepoint_modules(tally, kernel_name, _seconds, *words):
    said_results(tally, "tracepoint modules", boot(
        tally, "tracepoint-modules-" + kernel_name, kernel_name, "tracepoint-modules", *SCRIPTS,
        "--append", FAST_BOOT, *words))


def tracepoint_perf(tally, kernel_name, _seconds, *words):
    said_results(tally, "tracepoint perf", boot(
        tally, "tracepoint-perf-" + kernel_name, kernel_name, "tracepoint-perf", "--smp", "4",
        "--append", FAST_BOOT + " perf=all", "--payload", tracepoint_tools(tally, kernel_name) + ":/bench",
        "--timeout", "600", *words))


def tracepoint_with_hotplug(tally, kernel_name, seconds, *words):
    said_results(tally, "tracepoint hotplug", boot(
        tally, "tracepoint-hotplug-" + kernel_name, kernel_name, "tracepoint-hotplug", "--smp", "2",
        "--append", f"{FAST_BOOT} seconds={seconds}", "--payload",
        tracepoint_hotplug(tally, kernel_name) + ":/hotplug", "--timeout", str(seconds * 20 + 300), *words))


def tracepoint_torture(tally, kernel_name, seconds, *words):
    """With processors on threads of their own, and with many that take turns."""
    for smp, accel in ("2", "tcg,thread=multi"), ("4", "tcg,thread=single"):
        boot(tally, f"tracepoint-torture-{kernel_name}-{smp}", kernel_name, "tracepoint-torture",
             *SCRIPTS, *words, "--smp", smp, "--accel", accel, "--append", f"{FAST_BOOT} seconds={seconds}",
             "--timeout", str(seconds * 20 + 300))


def tracepoint_boot(tally, kernel_name, _seconds, *words):
    """Events that are on before the first task runs."""
    boot(tally, "tracepoint-boot-" + kernel_name, kernel_name, "tracepoint-boot", "--append",
         "kunit.enable=0 trace_event=sched:*,timer:timer_start", *words)


TRACEPOINTS = {"modules": tracepoint_modules, "perf": tracepoint_perf, "hotplug": tracepoint_with_hotplug,
               "torture": tracepoint_torture, "boot": tracepoint_boot}


def tracepoints(tally, kernel_name, seconds, *words):
    """Modules, perf and torture of tracepoints in one kernel; words are for its machine."""
    for part in TRACEPOINTS.values():
        part(tally, kernel_name, seconds, *words)


def record_to_host(tally, kernel_name):
    """trace-cmd listens on the host's loopback; the guest records to it."""
    out = os.path.join(BUILD, "out", "listen-" + kernel_name)
    os.makedirs(out, exist_ok=True)
    for old in os.listdir(out):
        os.unlink(os.path.join(out, old))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen(["trace-cmd", "listen", "-p", str(port), "-d", out, "-l", out + ".log"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as listener:
        try:
            said = boot(tally, "trace-cmd-" + kernel_name, kernel_name, "trace-cmd", "--mem", "1024",
                        "--append", f"host=10.0.2.2:{port}", "--timeout", "1800",
                        "--qemu=-netdev user,id=host -device virtio-net-pci,netdev=host")
        finally:
            listener.terminate()
    said_results(tally, "trace-cmd", said)
    files = [n for n in os.listdir(out) if n.endswith(".dat")]
    p = subprocess.run(["trace-cmd", "report", "-R", os.path.join(out, files[0])],
                       capture_output=True, text=True, check=False) if files else None
    tally.result(bool(p) and "function:" in p.stdout, "trace-cmd: what was recorded came to the host",
                 [f"files: {files}"] + (p.stderr.split("\n") if p else []))


# bpftrace with its libraries, and the headers by which it compiles the fields of
# events. There the kernel's own names are used, which no header of a program has.
CLIENTS = r"""
rm -rf "$0" && mkdir -p "$0/bin" "$0/lib" "$0/include"
bpftrace=$(command -v bpftrace)
cp -L "$bpftrace" "$0/bin"
ldd "$bpftrace" | grep -o '/[^ ]*' | xargs cp -L -t "$0/lib"
echo '#include <linux/types.h>' | gcc -M -x c - | grep -o '/[^ ]*' | while read -r header; do
	to=${header#/usr/include/}
	install -D -m 644 "$header" "$0/include/${to#*-linux-gnu/}"
done
echo 'typedef int pid_t;' >"$0/include/fields.h"
"""


def clients(tally, kernel_name, *words):
    """bpftrace and perf at work; the guest reads what is large from the host."""
    out = os.path.join(BUILD, "test", "clients-" + kernel_name)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if run(tally, f"clients: bpftrace is laid out for {kernel_name}", ["bash", "-eo", "pipefail", "-c", CLIENTS, out]):
        said_results(tally, "clients", boot(
            tally, "clients-" + kernel_name, kernel_name, "clients", "--share", out + ":clients",
            "--append", FAST_BOOT, "--timeout", "900", *words))


def fuzz_files(tally, kernel_name, sessions, *machine_words):
    """Nonsense for the tracer's files; another kind each day, and it says which."""
    out = os.path.join(BUILD, "test", "fuzz-files-" + kernel_name)
    os.makedirs(out, exist_ok=True)
    run(tally, "the fuzzer of files builds",
        ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-static",
         "-o", os.path.join(out, "fuzz-files"),
         os.path.join(TOP, "tools", "testing", "ftrace", "fuzz-files.c")])
    for name, value in ("seed", os.environ.get("SEED", time.strftime("%Y%m%d"))), ("sessions", sessions):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(f"{value}\n")
    boot(tally, "fuzz-files-" + kernel_name, kernel_name, "fuzz-files", "--payload", out + ":/fuzz",
         "--mem", "1024", "--timeout", "3600", *machine_words)


# Kernels with a question of their own: a small one under each model of preemption
# (with frame pointers or ORC, IBT or not, return thunks or not), of 32 bit, and
# those that watch their locks, their memory and their races.
SMALL = {
    "preempt-none": ("torture.config", "preempt-none.config"),
    "preempt-voluntary": ("torture.config", "preempt-voluntary.config"),
    "preempt-rt": ("torture.config", "preempt-rt.config"),
    "i386": ("i386.config",),
    "debug": ("torture.config", "debug.config"),
    "kcsan": ("torture.config", "kcsan.config"),
}
# By the clock, so slow a kernel finds its own timers and firmware broken.
SLOW = ("--icount", "--timeout", "3000")


def small_kernel(tally, name, *words, engine="torture,hotplug,nmi", hooks="alone,hotplug,nmi,tracers"):
    """Text engine and hooks under torture, and their KUnit cases; False if there is no such kernel."""
    if not kernel(tally, name, "tree", "small.config", *SMALL[name]):
        return False
    step(f"torture of {name}")
    for job, options in (("text-patch", f"ftrace=nop seconds=5 parts={engine}"),
                         ("hook-torture", f"{FAST_BOOT} seconds=10 parts={hooks}")):
        said_results(tally, f"{job}-{name}", boot(
            tally, f"{job}-{name}", name, job, "--mem", "2048", "--timeout", "3000", "--append", options, *words))
    judge_kunit(tally, os.path.join(LOG, f"text-patch-{name}.console"), kunit_of(name))
    return True


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


def thirty_two_bit(tally):
    """What an i386 kernel has of it, with a user space of its kind."""
    subprocess.run([os.path.join(HERE, "rootfs32.sh")], check=True)
    words = ("--rootfs", "rootfs32.cpio")
    if small_kernel(tally, "i386", *words):
        root = os.path.join(BUILD, "tree", SELFTESTS, "ftrace")
        tests = sorted("test.d/ftrace/" + n for n in os.listdir(os.path.join(root, "test.d", "ftrace"))
                       if n.endswith(".tc"))
        quiet, said = ftracetest_part(tally, "i386", root, "ftracetest-i386", tests, "--append", FAST_BOOT, *words)
        tally.adopt(quiet)
        judge_ftracetest(tally, said, {}, tests)
        tracepoint_torture(tally, "i386", 10, *words)


def preemption(tally):
    """The models of preemption that the reference kernel does not have, and BPF in one of them."""
    for name in "preempt-none", "preempt-voluntary", "preempt-rt":
        if small_kernel(tally, name, hooks=HOOK_PARTS):
            tracepoints(tally, name, 10)
            if name == "preempt-rt":
                text_window(tally, name, 100000, 500)
    out = os.path.join(BUILD, "test", "bpf-livepatch")
    os.makedirs(out, exist_ok=True)
    run(tally, "the program that attaches BPF to a patched function builds",
        ["sh", "-ec", "gcc -O2 -Wall -Wextra -Werror -static -o " + shlex.join(
            [os.path.join(out, "bpf-livepatch"),
             os.path.join(TOP, "tools", "testing", "ftrace", "bpf-livepatch.c")])
         + " $(pkg-config --static --libs libbpf)"])
    said_results(tally, "BPF and live patch", boot(
        tally, "bpf-livepatch", "preempt-voluntary", "bpf-livepatch", "--payload", out + ":/bpf",
        "--append", FAST_BOOT))


def watched(tally):
    """Kernels that look for broken rules of locks, RCU, memory and races by themselves."""
    if small_kernel(tally, "debug", *SLOW, engine="torture,faults,hotplug,nmi", hooks=HOOK_PARTS + ",enomem"):
        tracepoints(tally, "debug", 20, *SLOW)
        boot(tally, "tracepoint-enomem", "debug", "tracepoint-enomem", "--payload",
             tracepoint_tools(tally, "debug") + ":/bench", "--timeout", "3000", "--append", FAST_BOOT, *SLOW)
        fuzz_files(tally, "debug", 150, "--mem", "2048", *SLOW)
    # Only tracepoints are compiled for it; the kernel has races of its own.
    if kernel(tally, "kcsan", "tree", "small.config", *SMALL["kcsan"]):
        tracepoints(tally, "kcsan", 20, "--expect", "BUG: KCSAN: data-race")
        judge_races(tally)


# Each for about a minute, on a kernel that needs most of it to watch itself.
DEBUG_TORTURE = {
    "text-patch": ("ftrace=nop seconds=1 parts=torture", ()),
    "hook-torture": (f"{FAST_BOOT} seconds=1 parts=alone,debugger", ()),
    "tracepoint-torture": (f"{FAST_BOOT} seconds=2", SCRIPTS),
}


def debug_torture(tally, job):
    """One kind of torture on the kernel with KASAN, lockdep and RCU's proofs."""
    options, words = DEBUG_TORTURE[job]
    name = job + "-debug-short"
    said = boot(tally, name, "debug", job, "--mem", "2048", "--append", options, *words, *SLOW)
    if job != "tracepoint-torture":		# whose verdict is its status
        said_results(tally, name, said)


DEFECTS = os.path.join(TOP, "tools", "testing", "ftrace", "defects")
# Memory that is freed twice is told; modules call what they cannot link to,
# which a processor that checks indirect branches would not let them.
DEFECTS_BOOT = FAST_BOOT + " slab_debug=FZ,kmalloc-512 ibt=off"
# It takes the classic kernel down.
DEADLY = "l"


def defects_tools(tally, kernel_name):
    """Modules for this kernel, and the guest's program; where they lie."""
    out = os.path.join(BUILD, "test", "defects-" + kernel_name)
    subprocess.run(["rm", "-rf", out], check=True)
    subprocess.run(["cp", "-r", DEFECTS, out], check=True)
    run(tally, f"modules that meet the classic tracer's defects build against {kernel_name}",
        ["sh", "-ec", shlex.join(["make", "-C", os.path.join(BUILD, kernel_name), "M=" + out, "CC=gcc"])
         + "; " + shlex.join(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o",
                              os.path.join(out, "enomem"), os.path.join(DEFECTS, "enomem.c")])])
    return out


def defects(tally, kernel_name):
    """What the classic tracer does wrong, and a module or no memory brings about."""
    out = defects_tools(tally, kernel_name)
    said_results(tally, "defects", boot(
        tally, "defects-" + kernel_name, kernel_name, "ftrace-defects", "--payload", out + ":/defects",
        "--timeout", "900", "--append", DEFECTS_BOOT))


def states(tally, kernel_name):
    """Call sites that somebody else writes to; what is to be warned of has a machine of its own."""
    out = os.path.join(BUILD, "test", "defects-" + kernel_name)
    for kind, words, expect in (("quiet", "", ()),
                                ("faults", "parts=faults", ("--expect", r"WARNING: .* ftrace_fault_site\+"))):
        name = f"states-{kernel_name}-{kind}"
        said_results(tally, name, boot(
            tally, name, kernel_name, "ftrace-states", "--payload", out + ":/defects", "--timeout", "900",
            "--append", f"{DEFECTS_BOOT} {words}", *expect))


def defects_of_classic(tally):
    """The same on the classic kernel, where every part has to fail: the tests can."""
    out = defects_tools(tally, "classic")
    for parts in ("eijkmnoprs", DEADLY):
        said = boot(Tally(quiet=True, job=tally.job), "defects-classic-" + parts, "classic", "ftrace-defects",
                    "--payload", out + ":/defects", "--timeout", "900", "--append",
                    f"{DEFECTS_BOOT} rounds=200 parts={','.join(parts)}")
        for part in parts:
            failed = re.search(rf"^not ok - {part}: ", said, re.M)
            died = part == DEADLY and re.search(
                r"\bOops: ", machine.read_text(os.path.join(LOG, f"defects-classic-{parts}.console")))
            tally.result(bool(failed or died), f"defects: classic has {part}",
                         ["it passes there", f"log: build/log/defects-classic-{parts}.job"])


def short_boot(tally, kernel_name):
    subprocess.run([os.path.join(HERE, "rootfs.sh")], check=True)
    boot(tally, "check", kernel_name, "demo", "--timeout", "120", "--append", FAST_BOOT)


def kernel_job(jobs, name, src, *configs, after=()):
    return jobs.add("kernel " + name, lambda tally: kernel(tally, name, src, *configs), *after)


def lint(tally):
    run(tally, "sources: W=1 and sparse have nothing to say",
        [os.path.join(HERE, "lint.py"), os.path.join(BUILD, KERNEL)], tail=20)


# What the guests of make check and make test run: all that is tested in one kernel.
KERNEL = "selftest"


def guest_jobs(jobs, boots, quick):
    """Guests of KERNEL, once @boots has shown that it does."""
    def add(name, function, *args, part=None, after=boots):
        return jobs.add(name, lambda t: function(t, KERNEL, *args), after, part=part)

    ftracetest_jobs(jobs, KERNEL, "tree", boots, machine_words=("--append", FAST_BOOT))
    add("startup", startup_tests)
    add("livepatch", livepatch)
    add("site states", states, after=add("defects", defects))		# by the same modules
    add("trace-cmd", record_to_host)
    add("clients", clients)
    add("fuzz-files", fuzz_files, 100)
    add("lockdown", lockdown)
    for part in TRACEPOINTS:
        add("tracepoint " + part, TRACEPOINTS[part], 20)
    add("text torture", text_torture, quick)
    add("text debugger", text_debugger)
    add("text cost", text_cost)
    add("kexec", kexec)
    add("tracing at boot", at_boot)
    add("return thunks", return_thunks)
    add("entry sites", entry_sites)
    for kind in HOOK_TORTURE:
        add("hook torture " + kind, hook_torture, kind, 5)


def long_jobs(jobs, boots, debug):
    jobs.add("watched", watched, boots, debug)
    jobs.add("32-bit", thirty_two_bit, boots)
    jobs.add("preemption", preemption, boots)
    classic = kernel_job(jobs, "classic", "base", "reference.config")
    ftracetest_jobs(jobs, "classic", "base", classic)
    jobs.add("defects of classic", defects_of_classic, classic)
    jobs.add("clients on classic", lambda t: clients(t, "classic", "--accel", "tcg"), classic)
    fallback = kernel_job(jobs, "fallback", "tree", "reference.config", "ftrace-classic.config")
    jobs.add("fallback", lambda t: boot(t, "fallback", "fallback", "demo", "--timeout", "300"), fallback)
    jobs.add("stress-mttcg", lambda t: suite(
        t, "stress-mttcg", ["sh", os.path.join(TOP, "tools/testing/ftrace/stress-mttcg.sh"),
                            os.path.join(BUILD, KERNEL)], {}), boots)
    recorded = kernel_job(jobs, "recorded", "tree", "reference.config", "recorded.config")
    jobs.add("gcc's call sites", lambda t: run(
        t, "recordmcount finds what gcc recorded, in every object of a kernel",
        [sys.executable, os.path.join(TOP, "tools/testing/mcount/against_gcc.py"),
         os.path.join(BUILD, KERNEL, "scripts", "recordmcount"), os.path.join(BUILD, "recorded"),
         os.path.join(BUILD, "test", "against")]), boots, recorded)


# Where code of ours gives way to the kernel's own with FTRACE_CLASSIC.
CLASSIC_TARGETS = "kernel/trace/ kernel/livepatch/ kernel/kprobes.o kernel/kallsyms.o " \
    "kernel/bpf/trampoline.o arch/x86/kernel/ fs/pstore/"


def all_jobs(kind):
    """The kernel first, then what needs it; what is long before what is short."""
    jobs = Jobs(CORES, os.path.join(BUILD, f"times-{kind}.json"))
    built = kernel_job(jobs, KERNEL, "tree", "reference.config", "modules.config", "selftest.config")
    boots = jobs.add("short boot", lambda t: short_boot(t, KERNEL), built)
    jobs.add("sources", test_sources)
    jobs.add("tools", test_tools)
    quick = kind == "check"
    for path in host_suites():
        title = "host tests of " + path.removeprefix("tools/testing/").replace("/", " ")
        jobs.add(title, host_suite(path, quick), *([] if quick else [built]),
                 part=title + (", quick" if quick else ""))
    if not quick:
        jobs.add("lint", lint, built)
        guest_jobs(jobs, boots, kind == "test")
        debug = kernel_job(jobs, "debug", "tree", "small.config", *SMALL["debug"], after=[boots])
        for job in DEBUG_TORTURE:
            jobs.add(f"debug {job}", lambda t, job=job: debug_torture(t, job), boots, debug)
    if kind == "test":
        jobs.add("classic choice", lambda t: kernel(
            t, "fallback", "tree", "reference.config", "ftrace-classic.config", targets=CLASSIC_TARGETS), boots)
    elif kind == "test-long":
        long_jobs(jobs, boots, debug)
    return jobs


def main(argv):
    kind = argv[0] if argv else ""
    if kind not in ("check", "test", "test-long"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    os.makedirs(LOG, exist_ok=True)
    tally, jobs = Tally(), all_jobs(kind)
    if argv[1:] and not jobs.keep(argv[1:]):
        print(f"no such part; there are {', '.join(j.name for j in jobs.jobs)}", file=sys.stderr)
        return 2
    names.judge(tally, os.path.join(TOP, "series", "expected-results"),
                os.path.join(BUILD, "expected-results"), jobs.run(tally))
    report.write_all(BUILD, tally.shown)
    if AGAIN:
        print(f"# {len(AGAIN)} runs of guests were the host's fault: {', '.join(AGAIN)}")
    print(tally.summary())
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
