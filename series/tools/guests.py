# SPDX-License-Identifier: GPL-2.0
"""The jobs of guests, each a function that boots one or more and judges what they say."""
import json
import math
import os
import re
import shutil
import socket
import subprocess
import time

import figure_report
import figures
import files
import machine
import stub
import tree
from recipes import (
    BPF, CLIENTS, DEFECTS, FIGURES, FOREIGN, FOREIGN_OWN, FOREIGN_TARGETS, OTHER_CLIENTS, bpf_folder, bpf_program,
    bpf_test_progs, defects_modules, kernel, kselftests, livepatch_modules, test_modules, tree_without_static_calls)
from results import step
from verdicts import (
    BAD_WORDS, BUILD, HERE, LOG, SELFTESTS, TOP, boot, expected, judge_bad_words, judge_ftracetest,
    judge_kunit, judge_races, kunit_of, run, said_results)

# No self tests at boot: they have a machine of their own.
FAST_BOOT = "quiet ftrace=nop kunit.enable=0"


def short_boot(tally, kernel_name):
    """What make run shows, without its words: the kernel and all that guests need are there."""
    subprocess.run([os.path.join(HERE, "rootfs.sh")], check=True)
    boot(tally, "check", kernel_name, "demo", "--timeout", "120", "--append", FAST_BOOT)


def told(tally, name, kernel_name, job, words, *machine_words, title="", fast=FAST_BOOT):
    """Boot a guest with @fast and @words on its command line; what its job says are results of @title or @name."""
    said = boot(tally, name, kernel_name, job, "--append", f"{fast} {words}", *machine_words)
    said_results(tally, title or name, said)


# How often a test that races with itself may run until it passes.
AGAIN = 3


def tests_in(root, pattern="test.d/.*"):
    """The tests of a folder of ftracetest, of these names, as its list and its verdicts have them."""
    return sorted(t for t in tree.files_below(root) if re.fullmatch(rf"{pattern}\.tc", t))


def ftracetest_part(tally, kernel_name, root, name, tests, *machine_words, again=(), compiler=("gcc",)):
    """Run some tests in a machine of their own, those in @again until they pass; (faults, the job's words)."""
    listing = os.path.join(BUILD, "out", name + ".list")
    files.write(listing, "".join(f"{t} {AGAIN if t in again else 1}\n" for t in tests))
    # A program of the selftests', beside the tests.
    poll = os.path.join(BUILD, "out", name + ".poll", "poll")
    os.makedirs(os.path.dirname(poll), exist_ok=True)
    subprocess.run([*compiler, "-O2", "-static", "-o", poll, os.path.join(root, "poll.c")], check=True)
    quiet = tally.aside()
    said = boot(quiet, name, kernel_name, "ftracetest", "--mem", "1024", "--timeout", "2700",
                "--payload", root + ":/selftests/ftrace",
                "--payload", poll + ":/selftests/ftrace",
                "--payload", listing + ":/selftests/list", *machine_words)
    return quiet, said


def ftracetest(tally, tests, known, kernel_name, source, name, *machine_words, compiler=("gcc",)):
    """Some tests of ftracetest, the kernel's own and ours beside them, in one machine."""
    root = os.path.join(BUILD, source, SELFTESTS, "ftrace")
    quiet, said = ftracetest_part(tally, kernel_name, root, name, tests, *machine_words, compiler=compiler,
                                  again=[t for t in tests if "again:" in known.get(t, ("", ""))[1]])
    # Where a test is known to take its machine down, its verdict counts.
    if not any(known.get(t, ("PASS", ""))[0] == "NONE" for t in tests):
        tally.adopt(quiet.said)
    judge_ftracetest(tally, said, known, tests)


def elsewhere(known, *reasons):
    """The tests of ftracetest that have to be run on other kernels, for one of these reasons."""
    return [t for t, (verdict, why) in known.items() if verdict == "ELSEWHERE" and why.startswith(reasons or "")]


# Enough to keep the processors busy until the last one ends, as each boot costs.
FTRACETEST_MACHINES = 4


# Of the kernel's own tests those that the series has least to do with.
OTHERS = ("test.d/remotes/", "test.d/trigger/")


def ftracetest_parts(kernel_name, source, *machine_words, here=(), others=None):
    """{name: function(tally)}: all of ftracetest, shared out over some machines, with what is elsewhere for the reasons @here.

    @others: None: all tests; True, False: only, or all but, those of OTHERS.
    """
    tests = tests_in(os.path.join(BUILD, source, SELFTESTS, "ftrace"))
    known = expected("classic-7.3", kernel_name)
    for test in elsewhere(known, *here) if here else ():
        del known[test]
    tests = [t for t in tests if t not in elsewhere(known) and others in (None, t.startswith(OTHERS))]
    title = f"ftracetest-{kernel_name}" + ("-others" if others else "")
    apart = [t for t in tests if known.get(t, ("", ""))[1].startswith("apart:")]
    shared = [t for t in tests if t not in apart]
    parts = {f"{title}-{i + 1}": shared[i::FTRACETEST_MACHINES] for i in range(FTRACETEST_MACHINES)}
    parts.update({f"{title}-apart{i}": [t] for i, t in enumerate(apart)})
    return {name: lambda tally, name=name, part=part: ftracetest(
        tally, part, known, kernel_name, source, name, *machine_words) for name, part in parts.items()}


def function_tests(tally, kernel_name, name, words="", found=False):
    """ftracetest's tests of the function and graph tracers; @found: where call sites are discovered at run time."""
    root = os.path.join(BUILD, "tree", SELFTESTS, "ftrace")
    tests = tests_in(root, "test.d/ftrace/(func|fgraph)[^/]*")
    known = expected("classic-7.3", kernel_name)
    if found:
        again = {t: ("PASS", "again: its functions have to be executed before") for t in tests}
        known = {**again, **known, **expected("discovered", kernel_name)}
    ftracetest(tally, [t for t in tests if t not in elsewhere(known)], known, kernel_name, "tree", name,
               "--append", FAST_BOOT + words)


def livepatch(tally, kernel_name, name="livepatch", words=""):
    src = livepatch_modules(tally, kernel_name)
    if not src:
        return
    said = boot(tally, f"{name}-{kernel_name}", kernel_name, "livepatch", "--timeout", "1200",
                "--append", FAST_BOOT + words, "--payload", src + ":/selftests/livepatch")
    tests = sorted(n for n in os.listdir(src) if re.fullmatch(r"test-.*\.sh", n)
                   and (n != "test-ftrace.sh" or "ftrace_discover" not in words))
    if not tests:
        tally.result(False, "livepatch has tests")
    for test in tests:
        m = re.search(rf"^RESULT {re.escape(test)} (\d+)", said, re.M)
        tally.result(bool(m) and m[1] == "0", f"{name} {test}",
                     ["status " + (m[1] if m else "none") + (", skipped" if m and m[1] == "4" else ""),
                      f"log: build/log/{name}-{kernel_name}.job"])


def startup_tests(tally, kernel_name):
    """Boot-time self tests of the tracers and KUnit's of kprobes and fprobes."""
    boot(tally, "startup-" + kernel_name, kernel_name, "true", "--timeout", "900")
    console = machine.read_text(os.path.join(LOG, f"startup-{kernel_name}.console"))
    said = [(what.removeprefix("tracer ").strip(), verdict == "FAILED") for what, verdict in
            re.findall(r"^Testing ([^:\n]+):(?:(?!^Testing )[\s\S])*?\b(PASSED|FAILED|OK)\b!?$", console, re.M)]
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


def return_thunks(tally, kernel_name):
    """Trampolines from boot on a processor whose returns need a mitigation (AMD's family 17h)."""
    for rodata in ("on", "off"):
        name = f"return-thunks-rodata-{rodata}"
        boot(tally, name, kernel_name, "true", "--timeout", "300", "--qemu=-cpu max,family=23", "--append",
             f"ftrace=function rodata={rodata} kunit.filter_glob=ftrace_[rm]e*",
             # The microcode for another of that processor's faults is not there.
             "--expect", "Speculative Return Stack Overflow: WARNING")
        judge_kunit(tally, os.path.join(LOG, name + ".console"), ("ftrace_return", "ftrace_memory"))


def lockdown(tally, kernel_name):
    """The tracer's files in a kernel that is locked down."""
    for mode in ("integrity", "confidentiality"):
        told(tally, "lockdown-" + mode, kernel_name, "lockdown", "lockdown=" + mode, "--timeout", "300")


def text_torture(tally, kernel_name, quick=True):
    """The engine under torture, and beside what stops and starts processors."""
    for accel, smp in (("tcg,thread=multi", 2), ("tcg,thread=single", 4)):
        told(tally, f"text-patch-{accel.rsplit('=', 1)[1]}", kernel_name, "text_patch/torture",
             f"seconds={3 if quick else 30} parts=torture,hotplug,nmi,perf,clients,suspend",
             "--accel", accel, "--smp", str(smp), "--timeout", "1200")


def text_quiet(tally, kernel_name):
    """No interrupt for processors that are idle, or run user code without a tick, when text changes."""
    # Under icount no processor is awake because the host has other work. But processors
    # that take turns would wait for the one that runs a program.
    for name, words, *machine_words in (
            ("idle", "parts=idle", "--smp", "4", "--icount"),
            ("not", "parts=idle text_patch_quiet=0", "--smp", "4", "--icount"),
            ("user", "parts=user,calls,injected tsc=nowatchdog nohz_full=1 rcu_nocbs=1 isolcpus=managed_irq,domain,1",
             *PARALLEL, "--payload", test_modules(tally, kernel_name, "text_quiet", "inject-idle",
                                                  "module that injects idle builds")
             + ":/selftests/text_quiet/test_modules")):
        told(tally, "quiet-" + name, kernel_name, "text_quiet/quiet", words, "--timeout", "600", *machine_words,
             title="quiet, " + name)


def text_debugger(tally, kernel_name):
    """The debugger writes text by the engine, or by itself where text is writable."""
    for name, words in (("kgdb", ""), ("kgdb-writable-text", " rodata=off")):
        told(tally, name, kernel_name, "text_patch/torture", "parts=kgdb" + words, "--timeout", "600",
             # Without hardware breakpoints under emulation, it warns.
             "--expect", r"WARNING: (\.\./tree/)?drivers/misc/kgdbts\.c:\d+ at ")


def kexec(tally, kernel_name, name="kexec", words=""):
    boot(tally, name, kernel_name, "kexec", "--timeout", "300", "--mem", "2048", "--append",
         f"{FAST_BOOT}{words} memmap=4M$0x30000000 trace_instance=kept@0x30000000:4M trace_instance=saved=kept",
         "--payload", os.path.join(BUILD, kernel_name, "bzImage") + ":/kexec/bzImage",
         "--payload", os.path.join(BUILD, "rootfs.cpio") + ":/kexec/rootfs.cpio")


def place_of(function, kernel_name):
    """The word for one of the functions of that name, of which there are several."""
    addresses = stub.addresses(os.path.join(BUILD, kernel_name))
    its, start = ([at for name, at in addresses if name == wanted] for wanted in (function, "_text"))
    if len(its) < 2:
        raise RuntimeError(f"{kernel_name} has {len(its)} of {function}")
    return f"{function}:at:_text+{its[1] - start[0]:#x}"


def at_boot(tally, kernel_name):
    """The function tracer from the command line, by each method."""
    for method in ("breakpoint", "stop_machine"):
        boot(tally, f"ftrace-at-boot-{method}", kernel_name, "ftrace-at-boot", "--timeout", "300",
             "--append", f"ftrace=function kunit.enable=0 text_patch={method} trace_clock=global "
             "ftrace_graph_filter=kernel_init_freeable ftrace_graph_notrace=kernel_init_freeable")
    place = place_of("type_show", kernel_name)
    told(tally, "words-at-boot", kernel_name, "words-at-boot",
         f"ftrace=function kunit.enable=0 ftrace_filter=vfs_open,no_such_function,console_on_rootfs,{place} "
         "ftrace_notrace=vfs_read "
         "ftrace_filter=vfs_read,*irq_work*:mod:trace_printk,vfs_fallocate:mod:!no_such_module "
         "ftrace_notrace=nothing:mod:no_such_module", "--timeout", "300", title="words at boot", fast="")
    told(tally, "words-in-boot-config", kernel_name, "words-at-boot", "bootconfig kunit.enable=0",
         "--timeout", "300", "--boot-config",
         f'ftrace.ftrace.filters = vfs_open, vfs_read, console_on_rootfs, "{place}", '
         '"*irq_work*:mod:trace_printk", "vfs_fallocate:mod:!no_such_module"; '
         'ftrace.ftrace.notraces = vfs_read, "nothing:mod:no_such_module"; ftrace.tracer = function',
         title="words in a boot configuration", fast="")


def entry_sites(tally, kernel_name):
    """Sites where all functions, the sealed ones or none begin; and parameters that are wrong."""
    for take in ("all", "sealed", "off"):
        name = f"entry-sites-{take}"
        told(tally, name, kernel_name, "ftrace/entry-sites", "ftrace=nop kunit.filter_glob=ftrace_entry"
             # stacktrace_filter= switches the stack tracer on.
             + (" sysctl.kernel.stack_tracer_enabled=0 " + " ".join(BAD_WORDS) if take == "off" else "")
             + (f" ftrace_entry={take}" if take != "all" else ""), fast="")
        console = os.path.join(LOG, name + ".console")
        judge_kunit(tally, console, ("ftrace_entry",))
        if take == "off":
            judge_bad_words(tally, machine.read_text(console))


def discover(tally, kernel_name):
    """Call sites found when they are executed: of a module without records, and of the whole kernel."""
    for kind, words in ("module", ""), ("all", "ftrace_discover parts=boot,module,clients,pause,waiting"):
        told(tally, f"discover-{kind}", kernel_name, "ftrace/discover", words, "--timeout", "600")


DISCOVER_PARTS = "parts=boot,module,clients,pause,nmi,hotplug,suspend"

# Discovery with processors on threads of their own, and with many that take turns,
# where the text of the boot is written by the other method.
DISCOVER_LONG = {"multi": ("", "--accel", "tcg,thread=multi", "--smp", "2"),
                 "single": (" text_patch=stop_machine", "--smp", "4")}


def discover_long(tally, kernel_name):
    """Call sites found beside NMIs, while processors go and come, and by other clients; then kexec."""
    for kind, (words, *machine_words) in DISCOVER_LONG.items():
        told(tally, f"discover-{kind}", kernel_name, "ftrace/discover", f"ftrace_discover {DISCOVER_PARTS}{words}",
             "--timeout", "1800", *machine_words)
    kexec(tally, kernel_name, "discover-kexec", " ftrace_discover")
    livepatch(tally, kernel_name, "discover-livepatch", " ftrace_discover")
    function_tests(tally, kernel_name, "ftracetest-discover", " ftrace_discover", found=True)


def no_records(tally):
    """A kernel without a table of call sites: functions can be traced once they have run."""
    name = "no-records"
    if not kernel(tally, name):
        return
    disk = os.path.join(BUILD, "out", name + ".disk")
    with open(disk, "wb") as f:
        f.truncate(1 << 30)
    told(tally, "discover-" + name, name, "ftrace/discover", f"{DISCOVER_PARTS},hibernation", "--timeout", "1800",
         f"--qemu=-drive file={disk},format=raw,if=none,id=disk -device virtio-blk-pci,drive=disk")
    function_tests(tally, name, "ftracetest-" + name, found=True)


def discover_watched(tally):
    """Discovery in a kernel that looks for broken rules of locks, RCU and memory."""
    name = "debug-discover"
    if kernel(tally, name):
        told(tally, "discover-debug", name, "ftrace/discover",
             f"ftrace_discover {DISCOVER_PARTS.replace(',suspend', '')}", "--mem", "2048", *SLOW)


def cookbook(tally, kernel_name):
    """Each recipe of the page of questions prints what the page says."""
    page = os.path.join(TOP, "Documentation", "trace", "ftrace", "cookbook.rst")
    told(tally, "cookbook-" + kernel_name, kernel_name, "ftrace/cookbook", "", "--icount", "--smp", "1",
         "--payload", page + ":/selftests/ftrace/cookbook.rst", title="cookbook")


def text_cost(tally, kernel_name):
    said = boot(tally, "text-patch-bench", kernel_name, "text-patch-bench", "--icount", "--smp", "1",
                "--timeout", "600", "--append", f"{FAST_BOOT} limit=250")
    tally.note(" ".join(re.findall(r"^FIGURE (.*)$", said, re.M)))
    text_window(tally, kernel_name, 1000000, 150)


def text_window(tally, kernel_name, nanoseconds, interrupts):
    """How long places hold breakpoints, at most, and how many interrupts all functions take."""
    # Processors take turns under icount. Where all they do is traced by function_graph,
    # the time of one that has to answer would be that of all of them.
    for parts, cpus in ("idle,hog", 4), ("idle,graph", 1):
        told(tally, f"text-patch-window-{kernel_name}-{cpus}", kernel_name, "text_patch/window",
             f"parts={parts} limit={nanoseconds} interrupts={interrupts}",
             "--icount", "--smp", str(cpus), "--timeout", "1200")


# Timer interrupts spoil most of them: the least counts.
BOUNDED = ",".join(["switch,second,calls,recording"] * 3)
SLACK = 1.1		# the test kernel does more than the one that was measured
# It takes longer than from one tick to the next, and ticks are traced already: one, two
# or three of them, as the clock of instructions happens to stand in that boot.
TICKS = {"function_graph on": 1.15}


def bounds(tally, kernel_name):
    """A switch, a call and an event take no more instructions than is published."""
    said = boot(tally, "bounds-" + kernel_name, kernel_name, "figures", "--icount", "--smp", "1", "--timeout", "900",
                "--append", f"{figures.BARE} {FAST_BOOT} figures={BOUNDED}")
    functions = re.search(r", (\d+) functions$", said, re.M)
    listed = figure_report.published("sites").get(("sites", "sites listed", "all calls", 1))
    if not functions or not listed:
        tally.result(False, "bounds: the number of functions is known")
        return
    for table, measured in figures.said(said, least=True).items():
        published = figure_report.published(table)
        for row in figure_report.rows_of(table, 1, {"new": measured}, None):
            grows = table in ("switch", "second") and not re.search("^one |sched", row.figure)
            slack = SLACK * TICKS.get(row.figure, 1)
            # Whole instructions: a newer GCC makes 7 where 6 are published.
            most = math.ceil(published.get(row.key(), 0) * slack * (int(functions[1]) / listed if grows else 1))
            tally.result(row.new <= most, f"bounds: {' '.join(filter(None, row.key()[:3]))}",
                         [f"{row.new}, {most} at most"])


def figures_here(tally, kernel_name, *words):
    """What figures-here says of a guest, and what it leaves of others' tracing."""
    out = os.path.join(BUILD, "test", "figures-here")
    if run(tally, "figures-here and its programs build", ["bash", "-eo", "pipefail", "-c", FIGURES, out,
                                                           figure_report.FIGURES_HERE]):
        name = "figures-here-" + kernel_name
        told(tally, name, kernel_name, "figures-here", "", "--payload", out + ":/figures", "--mem", "1024",
             "--timeout", "1800", *words, title="figures-here")
        rows = figure_report.read_csv(os.path.join(BUILD, "out", name, "figures-here.csv"))
        tally.result(rows and all(r.here.machine == "emulated: guest" and r.new for r in rows),
                     "figures-here: its rows are of the new kernel in an emulated guest", [f"{len(rows)} rows"])


HOOK_PARTS = "lies,alone,debugger,modules,hotplug,nmi,tracers"

# The last one has no trampoline but the mixed dispatcher's for most sets of hooks.
HOOK_TORTURE = {"multi": (2, HOOK_PARTS), "single": (4, HOOK_PARTS),
                "mixed": (2, "mixed,tracers ftrace_combo_cap=4")}


def hook_torture(tally, kernel_name, kind, seconds):
    """Hooks that come, change and go, each callback judged; seconds for each part."""
    smp, words = HOOK_TORTURE[kind]
    accel = "tcg,thread=" + ("single" if kind == "single" else "multi")
    told(tally, f"hook-torture-{kernel_name}-{kind}", kernel_name, "ftrace/hook-torture",
         # The debugger calls what modules cannot link to.
         f"ibt=off parts={words} seconds={seconds}",
         "--accel", accel, "--smp", str(smp), "--mem", "2048", "--timeout", str(900 + 120 * seconds))


def tracepoint(tally, part, kernel_name, words, *machine_words):
    """A selftest of tracepoints."""
    told(tally, f"tracepoint-{part}-{kernel_name}", kernel_name, "tracepoint/" + part, words, *machine_words,
         title="tracepoint " + part)


def tracepoint_with_hotplug(tally, kernel_name, seconds, *words):
    modules = test_modules(tally, kernel_name, "tracepoint", "tracepoint-hotplug",
                           "module of tracepoints and hotplug builds")
    tracepoint(tally, "hotplug", kernel_name, f"seconds={seconds}", "--smp", "2",
               "--payload", modules + ":/selftests/tracepoint/test_modules", "--timeout", str(seconds * 20 + 300), *words)


def tracepoint_torture(tally, kernel_name, seconds, *words):
    """With processors on threads of their own, and with many that take turns."""
    for smp, accel in ("2", "tcg,thread=multi"), ("4", "tcg,thread=single"):
        boot(tally, f"tracepoint-torture-{kernel_name}-{smp}", kernel_name, "tracepoint/torture",
             *words, "--smp", smp, "--accel", accel, "--append", f"{FAST_BOOT} seconds={seconds}",
             "--timeout", str(seconds * 20 + 300))


def tracepoint_boot(tally, kernel_name, _seconds, *words):
    """Events that are on before the first task runs."""
    boot(tally, "tracepoint-boot-" + kernel_name, kernel_name, "tracepoint-boot", "--append",
         "kunit.enable=0 trace_event=sched:*,timer:timer_start "
         "trace_event=syscalls:sys_enter_openat,:mod:trace_events_sample", *words)


# For the runner's sake. The others have guests of their own, so these do where time counts.
SOME_SELFTESTS = " selftests=tracepoint:modules.sh,tracepoint:perf.sh"


def kselftest(tally, kernel_name, some):
    """Our selftests, or some, by the kernel's own runner, a second for each of their parts."""
    said = boot(tally, "kselftest", kernel_name, "kselftest", "--mem", "2048", "--timeout", "1200",
                "--payload", kselftests(tally, kernel_name) + ":/kselftest",
                "--append", FAST_BOOT + " seconds=1 ibt=off" + (SOME_SELFTESTS if some else ""))
    # Each test's own words come before its verdict.
    verdicts = re.findall(r"((?:^#.*\n)*)^(ok|not ok) \d+ selftests: (.+?)( # SKIP)?$", said, re.M)
    for words, verdict, test, skip in verdicts:
        why = [line.lstrip("# ") for line in words.split("\n") if "# not ok " in line or "# SKIP" in line]
        if skip:
            tally.skip(f"kselftest {test}", " ".join(why))
        else:
            tally.result(verdict == "ok", f"kselftest {test}", why)
    tally.result(len(verdicts) == int((re.findall(r"^1\.\.(\d+)$", said, re.M) or ["-1"])[0]),
                 "kselftest: all tests of the plan have ended")


TRACEPOINTS = {
    "modules": lambda t, k, _, *words: tracepoint(t, "modules", k, "", *words),
    "perf": lambda t, k, _, *words: tracepoint(t, "perf", k, "", "--smp", "4", "--timeout", "600", *words),
    "hotplug": tracepoint_with_hotplug, "torture": tracepoint_torture, "boot": tracepoint_boot}


def tracepoints(tally, kernel_name, seconds, *words):
    """Modules, perf and torture of tracepoints in one kernel; words are for its machine."""
    for part in TRACEPOINTS.values():
        part(tally, kernel_name, seconds, *words)


def record_to_host(tally, kernel_name):
    """trace-cmd listens on the host's loopback; the guest records to it."""
    out = os.path.join(BUILD, "out", "listen-" + kernel_name)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen(["trace-cmd", "listen", "-p", str(port), "-d", out, "-l", out + ".log"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as listener:
        try:
            told(tally, "trace-cmd-" + kernel_name, kernel_name, "trace-cmd", f"host=10.0.2.2:{port}",
                 "--mem", "1024", "--timeout", "1800",
                 "--qemu=-netdev user,id=host -device virtio-net-pci,netdev=host", title="trace-cmd")
        finally:
            listener.terminate()
    left = [n for n in os.listdir(out) if n.endswith(".dat")]
    p = subprocess.run(["trace-cmd", "report", "-R", os.path.join(out, left[0])],
                       capture_output=True, text=True, check=False) if left else None
    tally.result(bool(p) and "function:" in p.stdout, "trace-cmd: what was recorded came to the host",
                 [f"files: {left}"] + (p.stderr.split("\n") if p else []))


def demonstration(tally):
    """What "make run" shows, and whether what it leaves to look at can be read."""
    boot(tally, "run", "run", "demo", "--timeout", "120")
    out = os.path.join(BUILD, "out", "run")
    try:
        calls = [e["ph"] for e in json.loads(files.text(os.path.join(out, "trace.json")))]
    except (OSError, ValueError, KeyError) as error:
        calls = [str(error)]
    begun, ended = calls.count("B"), calls.count("E")
    tally.result(begun == ended > 100, "make run: calls for Perfetto begin and end", [f"{begun} begin, {ended} end", *calls[:1]])
    run(tally, "make run: trace.dat has the opening of files",
        ["sh", "-c", 'trace-cmd report -i "$0" 2>/dev/null | grep "do_sys_openat2() {" >/dev/null', os.path.join(out, "trace.dat")])


KVM = "kvm: torture, hotplug, NMIs and KUnit's cases on the processor"


def kvm(tally, kernel_name):
    """What only a real processor shows (PCID, page table isolation, NMIs at any instruction).

    One result, whose name does not depend on the machine: where KVM runs no guest, it is a skip.
    """
    # What machine.py is told to use, or has found when it booted a guest before.
    found = machine.read_text(os.path.join(BUILD, "accel")).split()
    if not (os.environ.get("ACCEL", "") or "".join(found[1:])).startswith("kvm"):
        tally.skip(KVM, "KVM runs no guest on this machine")
        return
    quiet = tally.aside()
    cpus = str(max(2, min(8, os.cpu_count())))
    for title, words in ("kvm", ""), ("kvm-pti", " pti=on"):
        torture(quiet, kernel_name, title, "--accel", "kvm", "--smp", cpus, options=words)
    bad = [" ".join((name, *why)) for verdict, name, why in quiet.results() if verdict == "not ok"]
    tally.result(not bad, KVM, bad)


def clients(tally, kernel_name, *words):
    """bpftrace and perf at work; the guest reads what is large from the host."""
    run_clients(tally, kernel_name, "clients", CLIENTS, words)


def other_clients(tally, kernel_name, *words):
    """bcc, rtla, uftrace and stress-ng."""
    run_clients(tally, kernel_name, "other-clients", OTHER_CLIENTS, words, os.path.join(TOP, "series/guest/calls.c"))


def packages(tally):
    """A kernel from packages, with Debian's configuration, under its user land and for its tools."""
    if run(tally, "packages are built", [os.path.join(HERE, "deb.sh"), "new"]) and \
            run(tally, "packages are installed", [os.path.join(HERE, "debian.sh"), "new"]):
        disk = os.path.join(BUILD, "debian", "disk")
        told(tally, "packages", "debian", "debian", "quiet root=/dev/vda rw", "--rootfs", "debian/initrd.img",
             "--mem", "2048", "--timeout", "1800",
             f"--qemu=-drive file={disk},if=virtio,format=raw,snapshot=on", fast="")


def run_clients(tally, kernel_name, job, layout, words, *sources):
    out = os.path.join(BUILD, "test", f"{job}-{kernel_name}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if run(tally, f"{job}: programs are laid out for {kernel_name}", ["bash", "-eo", "pipefail", "-c", layout, out, *sources]):
        told(tally, f"{job}-{kernel_name}", kernel_name, job, "", "--timeout", "900", *words, f"--qemu=-fsdev local,"
             f"id=clients,path={out},security_model=none,readonly=on -device virtio-9p-pci,fsdev=clients,mount_tag=clients",
             title=job)


def fuzz_files(tally, kernel_name, sessions, *machine_words, seed="1"):
    """Random words for the tracer's files; the same for one seed."""
    told(tally, "fuzz-files-" + kernel_name, kernel_name, "ftrace/fuzz-files",
         f"sessions={sessions} seed={os.environ.get('SEED', seed)}", "--mem", "1024", "--timeout", "3600", *machine_words,
         title="fuzz-files")


# By the clock, so slow a kernel finds its own timers and firmware broken.
SLOW = ("--icount", "--timeout", "3000")

TORTURED = ("--mem", "2048", "--timeout", "3000")


def torture(tally, name, title, *words, engine="torture,hotplug,nmi", hooks="alone,hotplug,nmi,tracers", options=""):
    """Text engine and hooks under torture, and their KUnit cases, on the kernel @name."""
    step(f"torture of {title}")
    text_patch(tally, name, title, engine, options, *words)
    told(tally, f"hook-torture-{title}", name, "ftrace/hook-torture", f"seconds=10 parts={hooks}{options}",
         *TORTURED, *words)


def text_patch(tally, name, title, engine, options, *words):
    """The engine under torture, after the KUnit cases of the kernel @name."""
    told(tally, f"text-patch-{title}", name, "text_patch/torture", f"seconds=5 parts={engine}{options}",
         *TORTURED, *words, fast="ftrace=nop")
    judge_kunit(tally, os.path.join(LOG, f"text-patch-{title}.console"), kunit_of(name))


def small_kernel(tally, name, *words, **kinds):
    """Build the small kernel @name, and torture it; False if it cannot be built."""
    built = kernel(tally, name)
    if built:
        torture(tally, name, name, *words, **kinds)
    return built


def control_flow(tally):
    """Kernels that check each indirect call, in all three ways; it takes clang."""
    if kernel(tally, "cfi"):
        for way in "kcfi", "fineibt", "fineibt,paranoid":
            torture(tally, "cfi", "cfi-" + way.rpartition(",")[2], options=" cfi=" + way)


def mitigations(tally):
    """Page tables of the kernel's own; calls that are counted, on a processor that asks for it."""
    name = "mitigations"
    if not kernel(tally, name):
        return
    for title, cpu, words, sign, engine in (
            ("pti", "max", " pti=on", "Kernel/User page tables isolation: enabled", "torture,hotplug,nmi"),
            # 7.3 counts its call of verify_cpu(), where a new processor has no per-CPU memory yet:
            # none comes up with call depth tracking once init's memory has been freed.
            ("call-depth", "Skylake-Client", " retbleed=stuff", "RETBleed: Mitigation: Stuffing", "torture,nmi")):
        torture(tally, name, title, "--qemu=-cpu " + cpu, engine=engine, hooks="alone,nmi,tracers", options=words)
        said = machine.read_text(os.path.join(LOG, f"text-patch-{title}.console"))
        tally.result(sign in said, f"{title}: the kernel says \"{sign}\"")


def bpf_selftests(tally):
    """The kernel's own BPF selftests of what is attached to functions and to raw tracepoints; they take clang."""
    name = "bpf-selftests"
    if kernel(tally, name):
        out = bpf_test_progs(tally, name)
        # One test wants call sites that are all behind an ENDBR, whether that is needed or not.
        for title, words in ((name, ""), (name + "-endbr", " ftrace_entry=off")) if out else ():
            told(tally, title, name, name, words, "--mem", "2048", "--timeout", "1800",
                 "--payload", out + ":/selftests/bpf", title="BPF selftests")


# An i386 kernel has a user space of its kind. For that, gcc finds no headers of the kernel's
# by itself unless gcc-multilib is there, which conflicts with compilers for other machines.
I386 = ("--rootfs", "rootfs-i386.cpio")
I386_COMPILER = ("gcc", "-m32", "-idirafter", "/usr/include/x86_64-linux-gnu")


def own_ftracetest(tally, name, arch, *machine_words, compiler, begin=""):
    """The function tracer's part of ftracetest, on the kernel of another architecture."""
    root = os.path.join(BUILD, "tree", SELFTESTS, "ftrace")
    tests = [t for t in tests_in(root, f"test.d/ftrace/{begin}[^/]*")
             if t not in elsewhere(expected("classic-7.3", name))]
    ftracetest(tally, tests, expected(arch, name), name, "tree", "ftracetest-" + name, "--append", FAST_BOOT,
               *machine_words, compiler=compiler)


def thirty_two_bit_boot(tally):
    """An i386 kernel boots, its text changes under torture, and its KUnit cases pass."""
    subprocess.run([os.path.join(HERE, "rootfs-foreign.sh"), "i386"], check=True)
    if not kernel(tally, "i386"):
        return False
    text_patch(tally, "i386", "i386", "torture", "", *I386)
    return True


def thirty_two_bit(tally):
    """What an i386 kernel has of the rest."""
    torture(tally, "i386", "i386", *I386)
    own_ftracetest(tally, "i386", "i386", *I386, compiler=I386_COMPILER)
    tracepoint_torture(tally, "i386", 10, *I386)
    recording_torture(tally, "i386", "seconds=120", *I386)


# As servers have it; all that clang and processors check of phones' kernels; modules far from the
# kernel; other sizes of pages.
ARM64_PAGES = ("arm64-16k", "arm64-64k")
ARM64 = ("arm64", "arm64-cfi", "arm64-far", *ARM64_PAGES)


def arm64_kernel(tally, name):
    """A kernel for arm64, and what its guests run. Return whether both are there."""
    if subprocess.run([os.path.join(HERE, "rootfs-foreign.sh"), "arm64"], check=False).returncode:
        tally.skip(name + ": a guest", "its packages cannot be fetched")
        return False
    return kernel(tally, name, arch="arm64", cross=FOREIGN["arm64"][0])


def arm64_guests(tally, name):
    """What make run shows, KUnit cases, hooks under torture. Return whether the kernel builds."""
    if not arm64_kernel(tally, name):
        return False
    boot(tally, name + "-demo", name, "demo", "--timeout", "900")
    judge_kunit(tally, os.path.join(LOG, name + "-demo.console"), kunit_of(name))
    told(tally, "hook-torture-" + name, name, "ftrace/hook-torture", "seconds=60 parts=alone", *TORTURED, fast="")
    return True


def arm64_ftracetest(tally, name, begin=""):
    """Its tests of the function tracer, or those whose names @begin so."""
    own_ftracetest(tally, name, "arm64", compiler=(FOREIGN["arm64"][0] + "gcc",), begin=begin)


def arm64_boot(tally):
    """An arm64 kernel boots and traces: besides, ftracetest's tests of functions."""
    if arm64_guests(tally, "arm64"):
        arm64_ftracetest(tally, "arm64", "func")


def arm64(tally, name):
    """The function tracer on arm64: besides, recording under torture, quiet processors, ftracetest."""
    if not arm64_guests(tally, name):
        return
    told(tally, "recording-torture-" + name, name, "ftrace/recording-torture", "seconds=60",
         *TORTURED, "--smp", "2", fast="")
    told(tally, name + "-quiet", name, "text_quiet/quiet", "parts=idle", "--smp", "4", "--icount",
         title=name + ", quiet")
    if name not in ARM64_PAGES:
        arm64_ftracetest(tally, name)


def fallback(tally):
    """The classic function tracer with the rest of the series: it runs, and has compact events as well."""
    boot(tally, "fallback", "fallback", "demo", "--timeout", "300")
    ftracetest(tally, ["test.d/ftrace/compact-events.tc"], {}, "fallback", "tree", "ftracetest-fallback")


def bpf(tally, kernel_name, arch=""):
    """BPF programs that are called by functions, alone and beside live patches."""
    for name, title in ("bpf-livepatch", "BPF and live patch"), ("bpf-links", "BPF links"):
        run(tally, f"the program {name} builds", bpf_program(name, arch))
        told(tally, f"{name}-{kernel_name}", kernel_name, name, "", "--payload", bpf_folder(arch) + ":/bpf",
             title=title)


def arm64_bpf(tally):
    """The same on arm64."""
    if arm64_kernel(tally, "arm64-bpf"):
        bpf(tally, "arm64-bpf", "arm64")


def preemption(tally):
    """The models of preemption that the reference kernel does not have, and BPF in one of them."""
    for name in "preempt-lazy", "preempt-full", "preempt-rt":
        if small_kernel(tally, name, hooks=HOOK_PARTS):
            tracepoints(tally, name, 10)
            if name == "preempt-rt":
                recording_torture(tally, name, "seconds=120")
                text_window(tally, name, 100000, 500)
    bpf(tally, "preempt-full")
    told(tally, "bpf-livepatch-discover", "preempt-full", "bpf-livepatch", "ftrace_discover",
         "--payload", BPF + ":/bpf", title="BPF and live patch, discovered")
    tests = elsewhere(expected("classic-7.3", "preempt-full"), "btf:", "long:")
    ftracetest(tally, tests, {}, "preempt-full", "tree", "ftracetest-elsewhere", "--append", FAST_BOOT)


def foreign(tally, arch):
    """What other architectures have of the series compiles; UML, a program of this machine, runs its KUnit cases."""
    cross, recorded, configs = FOREIGN[arch]
    name = "foreign-" + arch
    targets = FOREIGN_OWN.get(arch, FOREIGN_TARGETS)
    if not kernel(tally, name, "tree", "foreign.config", *configs, targets=targets, arch=arch, cross=cross):
        return
    if recorded:
        run(tally, f"foreign {arch}: recordmcount lists the call sites of all that calls",
            ["sh", "-ec", RECORDED, os.path.join(BUILD, name), cross])
    if arch == "arm64":
        run(tally, "foreign arm64: what enters a guest of KVM has no call sites",
            ["sh", "-ec", UNTRACED, os.path.join(BUILD, name), cross])
    if arch == "um":
        console = os.path.join(LOG, name + ".console")
        with open(console, "w", encoding="utf-8") as f:
            status = subprocess.run(
                [os.path.join(BUILD, name, "linux"), "mem=128M", "con=null", "con0=fd:0,fd:1", "console=tty0",
                 "kunit.filter_glob=tracepoint_*", "kunit_shutdown=halt"],
                stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, timeout=300, check=False).returncode
        faults = machine.splats(machine.read_text(console), [])
        tally.result(status == 0 and not faults, "foreign um: runs, and the kernel has no complaint",
                     [f"status {status}", *faults])
        judge_kunit(tally, console, ("tracepoint_funcs", "tracepoint_calls"))


UNTRACED = r"""
cd "$0"
has_sites() { "$1"objdump -h "$2" | grep __patchable_function_entries; }
has_sites "$1" kernel/kallsyms.o
for o in arch/arm64/kvm/hyp/vhe/*.o; do
	! has_sites "$1" "$o" || { echo "$o has"; exit 1; }
done
"""

# All that the tracer may trace, which its own files are not, has a table of the places.
RECORDED = r"""
cd "$0"
for o in kernel/tracepoint/[a-z]*.o kernel/events/core.o kernel/kallsyms.o mm/slub.o; do
	if "$1"nm "$o" | grep -qwE 'U (_mcount|__gnu_mcount_nc)'; then
		"$1"readelf -SW "$o" | grep -q ' __mcount_loc ' || { echo "$o has no table"; exit 1; }
		n=$((${n-0} + 1))
	fi
done
echo "${n-0} objects"
[ "${n-0}" -gt 7 ]
"""


def no_static_calls(tally):
    """Tracepoints that call each probe through a pointer."""
    name = "no-static-calls"
    if kernel(tally, name, tree_without_static_calls(), "small.config", "torture.config"):
        tracepoints(tally, name, 10)


def watched(tally):
    """Kernels that look for broken rules of locks, RCU, memory and races by themselves."""
    if small_kernel(tally, "debug", *SLOW, engine="torture,faults,hotplug,nmi", hooks=HOOK_PARTS + ",enomem"):
        tracepoints(tally, "debug", 20, *SLOW)
        boot(tally, "tracepoint-enomem", "debug", "tracepoint/enomem", "--append", FAST_BOOT, *SLOW)
        fuzz_files(tally, "debug", 150, "--mem", "2048", *SLOW, seed=time.strftime("%Y%m%d"))
    # Only tracepoints are compiled for it; the kernel has races of its own.
    if kernel(tally, "kcsan"):
        tracepoints(tally, "kcsan", 20, "--expect", "BUG: KCSAN: data-race")
        judge_races(tally)


# Two processors that run at the same time.
PARALLEL = ("--accel", "tcg,thread=multi", "--smp", "2", "--mem", "2048")


def recording_torture(tally, name, words, *machine_words):
    """All that records, while everything changes, on @name's kernel."""
    told(tally, f"recording-torture-{name}", name, "ftrace/recording-torture", words, "--timeout", "3600",
         *PARALLEL, *machine_words, title=f"recording torture, {name}")


def recording(tally):
    """The same for long on kernels with KASAN and lockdep, and with a check of each time stamp."""
    if kernel(tally, "recording"):
        recording_torture(tally, "recording", "seconds=120 parts=startup,benchmark,torture,order")
    recording_torture(tally, "debug", "seconds=1200")


def debug_torture(tally):
    """Each kind of torture for about a minute on the kernel with KASAN, lockdep and RCU's proofs."""
    told(tally, "debug-torture", "debug", "debug-torture", "seconds=1", "--mem", "2048", *SLOW, title="debug torture")


# Memory that is freed twice is told; modules call what they cannot link to,
# which a processor that checks indirect branches would not let them.
DEFECTS_BOOT = FAST_BOOT + " slab_debug=FZ,kmalloc-512 ibt=off"

# Parts that fail on the classic kernel, one after which it can start no graph tracer, and one that takes it down.
CLASSIC_DEFECTS = ("init-text-lookup", "init-names", "ipmodify-on-direct", "mapper-words", "filter-enomem",
                   "filter-session-enomem", "notrace-session-enomem", "command-enomem", "event-command-enomem",
                   "graph-session-enomem", "tramp-stack", "refused-graph-hook", "command-waits", "dead-tracer",
                   "soft-mode", "recorded-names", "event-fork-enomem")
LASTING = "graph-start-enomem"
DEADLY = "instance-files-enomem"


def defects(tally, kernel_name):
    """What the classic tracer does wrong, and a module or no memory brings about."""
    told(tally, "defects-" + kernel_name, kernel_name, "ftrace/defects", "",
         "--payload", defects_modules(tally, kernel_name), "--timeout", "900", title="defects", fast=DEFECTS_BOOT)


def states(tally, kernel_name):
    """Call sites that somebody else writes to; what is to be warned of has a machine of its own."""
    payload = "--payload", DEFECTS % kernel_name
    for kind, expect in (("quiet,kill", ()),
                         ("faults", ("--expect", r"WARNING: .* ftrace_fault_site(?:\.cold)?\+"))):
        told(tally, f"states-{kernel_name}-{kind.partition(',')[0]}", kernel_name, "ftrace/states", "parts=" + kind,
             *payload, "--timeout", "900", *expect, fast=DEFECTS_BOOT)
    told(tally, "discover-kill", kernel_name, "ftrace/discover", "ftrace_discover parts=kill", *payload,
         fast=DEFECTS_BOOT)


def defects_of_classic(tally):
    """Parts for the classic tracer's defects, on the classic kernel: each has to fail, as a test must be able to."""
    payload = "--payload", defects_modules(tally, "classic")
    for name, parts in (("defects-classic", CLASSIC_DEFECTS), ("defects-classic-lasting", (LASTING,)),
                        ("defects-classic-deadly", (DEADLY,))):
        said = boot(tally.aside(), name, "classic", "ftrace/defects", *payload, "--timeout", "900", "--append",
                    f"{DEFECTS_BOOT} rounds=200 parts={','.join(parts)}")
        for part in parts:
            failed = re.search(rf"^not ok \d+ {part}: ", said, re.M)
            died = part == DEADLY and re.search(
                r"\bOops: ", machine.read_text(os.path.join(LOG, name + ".console")))
            tally.result(bool(failed or died), f"defects: classic has {part}",
                         ["it passes there", f"log: build/log/{name}.job"])
