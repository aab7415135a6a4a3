#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prove the series: host tests, then guests.

usage: test.py check|test|test-kvm|test-long [PART...]
       test.py nightly [PART...]

PART is what the line with the time of a part begins with, "defects" for one:
only these, and what they need. test-kvm is the part "kvm" of test. nightly is
test-long of what is committed; where it was stopped, or parts of it failed, it
goes on with those that have not passed for this content: series/config/nightly.json
says which have passed, when, and for which. Commit that file to go on elsewhere.

Every result is a line "ok - name" or "not ok - name" with its reason below;
the last line is "N passed, N failed".  Logs lie in build/log.
"""
import hashlib
import json
import os
import subprocess
import sys
import time

import expected as names
import guests
import hosts
import recipes
import report
import tree
import verdicts
from files import text, write
from jobs import CORES, Jobs, Tally
from recipes import KERNEL
from verdicts import BUILD, LOG, TOP


def kernel_job(jobs, name, src, *configs, after=()):
    return jobs.add("kernel " + name, lambda tally: recipes.kernel(tally, name, src, *configs), *after)


def guest_jobs(jobs, boots, quick):
    """Guests of KERNEL, once @boots has shown that it does."""
    def add(name, function, *args, part=None, after=boots):
        return jobs.add(name, lambda t: function(t, KERNEL, *args), after, part=part)

    for others in (False,) if quick else (False, True):
        guests.ftracetest_jobs(jobs, KERNEL, "tree", boots, machine_words=("--append", guests.FAST_BOOT),
                               here=("btf:",), others=others)
    add("startup", guests.startup_tests)
    add("livepatch", guests.livepatch)
    add("site states", guests.states, after=add("defects", guests.defects))		# by the same modules
    add("trace-cmd", guests.record_to_host)
    add("clients", guests.clients)
    add("BPF", guests.bpf)
    add("fuzz-files", guests.fuzz_files, 100)
    add("lockdown", guests.lockdown)
    for part in guests.TRACEPOINTS:
        add("tracepoint " + part, guests.TRACEPOINTS[part], 20)
    add("kselftest", guests.kselftest, quick, part="kselftest" + (", quick" if quick else ""))
    add("text torture", guests.text_torture, quick)
    add("text quiet", guests.text_quiet)
    add("text debugger", guests.text_debugger)
    add("text cost", guests.text_cost)
    add("bounds", guests.bounds)
    add("recording", guests.recording_torture, "seconds=60")
    add("kexec", guests.kexec)
    add("tracing at boot", guests.at_boot)
    add("return thunks", guests.return_thunks)
    add("entry sites", guests.entry_sites)
    add("discovery", guests.discover)
    add("cookbook", guests.cookbook)
    add("kvm", guests.kvm)
    for kind in guests.HOOK_TORTURE:
        add("hook torture " + kind, guests.hook_torture, kind, 5)


def long_jobs(jobs, boots, debug):
    jobs.add("slow tests of tools", hosts.slow_tests_of_tools)
    jobs.add("watched", guests.watched, boots, debug)
    jobs.add("recording torture", guests.recording, boots, debug)
    boots32 = jobs.add("32-bit boot", guests.thirty_two_bit_boot, boots)
    jobs.add("32-bit", guests.thirty_two_bit, boots32)
    for name in guests.ARM64:
        jobs.add(name, lambda t, n=name: guests.arm64(t, n), boots)
    jobs.add("arm64-bpf", guests.arm64_bpf, boots)
    jobs.add("control flow", guests.control_flow, boots)
    jobs.add("mitigations", guests.mitigations, boots)
    jobs.add("BPF selftests", guests.bpf_selftests, boots)
    jobs.add("no static calls", guests.no_static_calls, boots)
    jobs.add("options", hosts.options, boots)
    jobs.add("preemption", guests.preemption, boots)
    jobs.add("functions by stop_machine", lambda t: guests.function_tests(
        t, KERNEL, "ftracetest-stop_machine", " text_patch=stop_machine"), boots)
    jobs.add("discovery for long", lambda t: guests.discover_long(t, KERNEL), boots)
    jobs.add("no records", guests.no_records, boots)
    jobs.add("discovery, watched", guests.discover_watched, boots)
    classic = kernel_job(jobs, "classic", "base", "reference.config")
    guests.ftracetest_jobs(jobs, "classic", "base", classic)
    jobs.add("defects of classic", guests.defects_of_classic, classic)
    jobs.add("other clients", lambda t: guests.other_clients(t, KERNEL), boots)
    jobs.add("other clients on classic", lambda t: guests.other_clients(t, "classic", "--accel", "tcg"), classic)
    jobs.add("clients on classic", lambda t: guests.clients(t, "classic", "--accel", "tcg"), classic)
    jobs.add("figures-here", lambda t: guests.figures_here(t, KERNEL), boots)
    jobs.add("packages", guests.packages)
    fallback = kernel_job(jobs, "fallback", "tree", "reference.config", "ftrace-classic.config")
    jobs.add("fallback", guests.fallback, fallback)
    jobs.add("stress-mttcg", lambda t: verdicts.suite(
        t, "stress-mttcg", ["sh", os.path.join(TOP, "series/tools/stress-mttcg.sh"),
                            os.path.join(BUILD, KERNEL)], {}), boots)
    recorded = kernel_job(jobs, "recorded", "tree", "reference.config", "recorded.config")
    jobs.add("gcc's call sites", lambda t: verdicts.run(
        t, "recordmcount finds what gcc recorded, in every object of a kernel",
        [sys.executable, os.path.join(TOP, "tools/testing/mcount/against_gcc.py"),
         os.path.join(BUILD, KERNEL, "scripts", "recordmcount"), os.path.join(BUILD, "recorded"),
         os.path.join(BUILD, "test", "against")]), boots, recorded)


# Where code of ours gives way to the kernel's own with FTRACE_CLASSIC.
CLASSIC_TARGETS = "kernel/trace/ kernel/livepatch/ kernel/kprobes.o kernel/kallsyms.o " \
    "kernel/bpf/trampoline.o arch/x86/kernel/ fs/pstore/"


def all_jobs(kind):
    """The kernel first, then what needs it; what is long before what is short."""
    jobs = Jobs(CORES, os.path.join(BUILD, f"times-{kind}.json"),
                os.path.join(recipes.CONFIG, "times.json"))
    built = kernel_job(jobs, KERNEL, "tree", *recipes.TESTED)
    boots = jobs.add("short boot", lambda t: guests.short_boot(t, KERNEL), built)
    jobs.add("sources", hosts.test_sources)
    jobs.add("documentation", hosts.documentation)
    quick = kind == "check"
    # Planted faults prove the suites, not the code, and take ten times as long.
    planted = kind == "test-long"
    jobs.add("tools", lambda t: hosts.test_tools(t, quick), part="tools" + (", quick" if quick else ""))
    for path in hosts.host_suites():
        title = "host tests of " + hosts.title_of(path)
        jobs.add(title, hosts.host_suite(path, not planted, planted), built, part=title + ("" if planted else ", quick"))
    if not quick:
        jobs.add("lint", hosts.lint, built)
        guest_jobs(jobs, boots, kind == "test")
        for arch in recipes.FOREIGN:
            jobs.add("foreign " + arch, lambda t, arch=arch: guests.foreign(t, arch))
        if kind == "test":
            jobs.add("arm64 boot", guests.arm64_boot, boots)
        debug = kernel_job(jobs, "debug", "tree", *recipes.SMALL["debug"], after=[boots])
        jobs.add("debug torture", guests.debug_torture, boots, debug)
        small = kernel_job(jobs, "run", "tree", "run.config", after=[boots])
        jobs.add("make run", guests.demonstration, small)
    if kind == "test":
        jobs.add("classic choice", lambda t: recipes.kernel(
            t, "fallback", "tree", "reference.config", "ftrace-classic.config", targets=CLASSIC_TARGETS), boots)
    elif kind == "test-long":
        long_jobs(jobs, boots, debug)
    return jobs


LIST = os.path.join(TOP, "series", "expected-results")


NIGHTLY = "series/config/nightly.json"


class Nightly:
    """When and at which commit each of all parts has passed last, and for which content of the repository."""

    def __init__(self, path, content, commit, parts):
        self.path, self.content, self.commit, self.parts = path, content, commit, parts
        try:
            self.passed = json.loads(text(path))
        except (OSError, ValueError):
            self.passed = {}

    def missing(self):
        """Those that have not passed for this content."""
        return sorted(p for p in self.parts if p not in self.passed or self.passed[p][2] != self.content)

    def ended(self, part, results):
        """Keep it at once if it has passed: it may be the last that does before a run is stopped."""
        verdicts_ = [verdict for verdict, _, _ in results]
        if not results or "not ok" in verdicts_ or names.differences(names.read(LIST).get(part, names.Names()), results):
            return
        self.passed[part] = [time.strftime("%Y-%m-%d"), self.commit, self.content,
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


def committed():
    """(content, commit) of what is checked out; None if there is more than that.

    The content is a key of the tree that is built, its pages apart, and of what its
    guests are made of. The order of mails, tools and pages, which "tools", "sources"
    and "documentation" of each run judge, do not change it.
    """
    def git(*words):
        return subprocess.run(["git", "-C", TOP, *words], capture_output=True, text=True, check=True).stdout

    unsaved = f":(exclude){NIGHTLY}"
    if git("status", "--porcelain", "--", ".", ":(exclude)README.md", ":(exclude)series/doc", unsaved):
        return None
    guest = git("ls-files", "-s", "--", "series/guest", "series/config", unsaved)
    key = tree.digest(tree.whole(), ("Documentation/", "MAINTAINERS")) + guest
    return hashlib.sha256(key.encode()).hexdigest()[:16], git("rev-parse", "--short=12", "HEAD").strip()


def main(argv):
    argv = ["test", "kvm"] if argv == ["test-kvm"] else argv
    by_night = argv[:1] == ["nightly"]
    kind, *words = ["test-long", *argv[1:]] if by_night else argv or [""]
    if kind not in ("check", "test", "test-long"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    os.makedirs(LOG, exist_ok=True)
    tally, jobs = Tally(), all_jobs(kind)
    night = None
    if by_night:
        now = committed()
        if not now:
            print("nightly: there are changes that are not committed", file=sys.stderr)
            return 2
        night = Nightly(os.path.join(TOP, NIGHTLY), *now, {j.part for j in jobs.jobs})
        if not night.missing():
            print(night.said())
            return 0
        words = words or night.missing()
    all_names = [j.name for j in jobs.jobs]
    if words and not jobs.keep(words):
        print(f"no such part; there are {', '.join(all_names)}", file=sys.stderr)
        return 2
    names.judge(tally, LIST, os.path.join(BUILD, "expected-results"),
                jobs.run(tally, night.ended if night else None))
    verdicts.judge_host(tally)
    report.write_all(BUILD, tally.results())
    if night:
        print(night.said())
    print(tally.summary())
    return 1 if tally.count("not ok") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
