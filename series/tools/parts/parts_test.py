# SPDX-License-Identifier: GPL-2.0
"""The parts of make check, test and test-long, what takes long before what does not."""
import os
import sys

import pytest

import guests
import hosts
import plugin
import recipes
import verdicts
from recipes import KERNEL
from verdicts import BUILD, TOP

everywhere = pytest.mark.kinds("check", "test", "test-long")
only_test = pytest.mark.kinds("test")
only_long = pytest.mark.kinds("test-long")


def each(functions):
    """A part for each of {name: function}, whose name is the parameter's."""
    return pytest.mark.parametrize("run", [pytest.param(run, id=name) for name, run in functions.items()])


def kernel(name, *src_and_configs):
    return lambda tally: recipes.kernel(tally, name, *src_and_configs)


# What other parts need, and what it needs itself.
FIRST = {
    "kernel selftest": kernel(KERNEL, "tree", *recipes.TESTED),
    "short boot": lambda t: needed("kernel selftest") and guests.short_boot(t, KERNEL),
    "kernel debug": kernel("debug"),
    "kernel run": kernel("run", "tree", "run.config"),
    "defects": lambda t: needed("short boot") and guests.defects(t, KERNEL),
    "32-bit boot": lambda t: needed("short boot") and guests.thirty_two_bit_boot(t),
    "kernel classic": kernel("classic", "base", "reference.config"),
    "kernel fallback": kernel("fallback", "tree", "reference.config", "ftrace-classic.config"),
    "kernel recorded": kernel("recorded", "tree", "reference.config", "recorded.config"),
}
IN_CHECK = ("kernel selftest", "short boot")
IN_LONG = ("32-bit boot", "kernel classic", "kernel fallback", "kernel recorded")


def needed(name):
    return plugin.needed(name, FIRST[name])


def kernel_fixture(name, needs):
    @pytest.fixture(name=name, scope="session")
    def built():
        needed(needs)
        return name
    return built


selftest = kernel_fixture(KERNEL, "short boot")
debug = kernel_fixture("debug", "kernel debug")
small = kernel_fixture("small", "kernel run")
classic = kernel_fixture("classic", "kernel classic")
fallback = kernel_fixture("fallback", "kernel fallback")
recorded = kernel_fixture("recorded", "kernel recorded")


@pytest.mark.parametrize("name", [
    pytest.param(n, id=n, marks=everywhere if n in IN_CHECK else only_long if n in IN_LONG else ()) for n in FIRST])
def test_what_others_need(tally, name):
    tally.adopt(plugin.once(name, FIRST[name])[1])


@only_long
@each({
    "BPF selftests": guests.bpf_selftests,
    "preemption": guests.preemption,
    "options": hosts.options,
    **{name: lambda t, name=name: guests.arm64(t, name) for name in guests.ARM64},
    "arm64-bpf": guests.arm64_bpf,
    "control flow": guests.control_flow,
    "mitigations": guests.mitigations,
    "no static calls": guests.no_static_calls,
    "functions by stop_machine": lambda t: guests.function_tests(
        t, KERNEL, "ftracetest-stop_machine", " text_patch=stop_machine"),
    "discovery for long": lambda t: guests.discover_long(t, KERNEL),
    "no records": guests.no_records,
    "discovery, watched": guests.discover_watched,
    "other clients": lambda t: guests.other_clients(t, KERNEL),
    "figures-here": lambda t: guests.figures_here(t, KERNEL),
    "stress-mttcg": lambda t: verdicts.suite(
        t, "stress-mttcg", ["sh", os.path.join(TOP, "series/tools/stress-mttcg.sh"), os.path.join(BUILD, KERNEL)], {}),
})
def test_for_long(tally, selftest, run):
    run(tally)


@only_long
@each({"watched": guests.watched, "recording torture": guests.recording})
def test_with_checks_for_long(tally, selftest, debug, run):
    run(tally)


@only_long
@each({"packages": guests.packages, "slow tests of tools": hosts.slow_tests_of_tools})
def test_without_a_kernel(tally, run):
    run(tally)


@only_long
@pytest.mark.of("ftracetest-classic")
@each(guests.ftracetest_parts("classic", "base"))
def test_ftracetest_on_classic(tally, classic, run):
    run(tally)


@only_long
@each({
    "defects of classic": guests.defects_of_classic,
    "other clients on classic": lambda t: guests.other_clients(t, "classic", "--accel", "tcg"),
    "clients on classic": lambda t: guests.clients(t, "classic", "--accel", "tcg"),
})
def test_classic(tally, classic, run):
    run(tally)


@only_long
def test_fallback(tally, fallback):
    guests.fallback(tally)


@only_long
@each({"32-bit": guests.thirty_two_bit})
def test_another_word_size(tally, run):
    needed("32-bit boot")
    run(tally)


@only_long
@each({"gcc's call sites": lambda t: verdicts.run(
    t, "recordmcount finds what gcc recorded, in every object of a kernel",
    [sys.executable, os.path.join(TOP, "tools/testing/mcount/against_gcc.py"),
     os.path.join(BUILD, KERNEL, "scripts", "recordmcount"), os.path.join(BUILD, "recorded"),
     os.path.join(BUILD, "test", "against")])})
def test_recorded(tally, selftest, recorded, run):
    run(tally)


FAST = ("--append", guests.FAST_BOOT)


@pytest.mark.of("ftracetest-" + KERNEL)
@each(guests.ftracetest_parts(KERNEL, "tree", *FAST, here=("btf:",), others=False))
def test_ftracetest(tally, selftest, run):
    run(tally)


@only_long
@pytest.mark.of(f"ftracetest-{KERNEL}-others")
@each(guests.ftracetest_parts(KERNEL, "tree", *FAST, here=("btf:",), others=True))
def test_others_of_ftracetest(tally, selftest, run):
    run(tally)


@only_test
def test_arm64_boot(tally):
    guests.arm64_boot(tally)


@pytest.mark.parametrize("run", [pytest.param(guests.text_torture, id="text torture"),
                                 pytest.param(guests.kselftest, id="kselftest", marks=pytest.mark.brief("test"))])
def test_more_for_long(tally, selftest, run, request):
    run(tally, selftest, request.config.getoption("kind") == "test")


@each({
    "discovery": guests.discover,
    "BPF": guests.bpf,
    "livepatch": guests.livepatch,
    **{"hook torture " + kind: lambda t, k, kind=kind: guests.hook_torture(t, k, kind, 5) for kind in guests.HOOK_TORTURE},
    "text quiet": guests.text_quiet,
    "recording": lambda t, k: guests.recording_torture(t, k, "seconds=60"),
    "startup": guests.startup_tests,
    **{"tracepoint " + part: lambda t, k, run=run: run(t, k, 20) for part, run in guests.TRACEPOINTS.items()},
    "trace-cmd": guests.record_to_host,
    "text cost": guests.text_cost,
    "text debugger": guests.text_debugger,
    "bounds": guests.bounds,
    "tracing at boot": guests.at_boot,
    "clients": guests.clients,
    "cookbook": guests.cookbook,
    "fuzz-files": lambda t, k: guests.fuzz_files(t, k, 100),
    "entry sites": guests.entry_sites,
    "kexec": guests.kexec,
    "return thunks": guests.return_thunks,
    "lockdown": guests.lockdown,
    "kvm": guests.kvm,
})
def test_guest(tally, selftest, run):
    run(tally, selftest)


def test_site_states(tally, selftest):
    needed("defects")		# which builds the modules
    guests.states(tally, selftest)


def test_debug_torture(tally, debug):
    guests.debug_torture(tally)


def test_make_run(tally, small):
    guests.demonstration(tally)


@everywhere
@pytest.mark.brief("check")
def test_tools(tally, brief):
    hosts.test_tools(tally, brief)


@everywhere
@pytest.mark.brief("check", "test")
@pytest.mark.parametrize("path", [pytest.param(p, id="host tests of " + hosts.title_of(p)) for p in hosts.host_suites()])
def test_host_suite(tally, brief, path):
    # Planted faults prove the suites, not the code, and take ten times as long.
    needed("kernel selftest")
    hosts.host_suite(tally, path, brief, not brief)


def test_lint(tally):
    needed("kernel selftest")
    hosts.lint(tally)


@each({"foreign " + arch: lambda t, arch=arch: guests.foreign(t, arch) for arch in recipes.FOREIGN})
def test_foreign(tally, run):
    run(tally)


# Where code of ours gives way to the kernel's own with FTRACE_CLASSIC.
CLASSIC_TARGETS = "kernel/trace/ kernel/livepatch/ kernel/kprobes.o kernel/kallsyms.o " \
    "kernel/bpf/trampoline.o arch/x86/kernel/ fs/pstore/"


@only_test
def test_classic_choice(tally):
    recipes.kernel(tally, "fallback", "tree", "reference.config", "ftrace-classic.config", targets=CLASSIC_TARGETS)


@everywhere
@each({"sources": hosts.test_sources, "documentation": hosts.documentation})
def test_pages_and_sources(tally, run):
    run(tally)
