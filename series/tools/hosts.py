# SPDX-License-Identifier: GPL-2.0
"""Tests that need no guest: of the sources, of the tools, and the suites in user space."""
import glob
import os
import re
import shlex

import tree
from recipes import KERNEL
from verdicts import BUILD, HERE, TOP, pytest, run, suite

# What checkpatch says without reason: host tools have the C library's types;
# breakpoint emulation has no way to go on; boot parameters are documented by a
# hunk, which it cannot see; test macros name their context more than once.
UNHEEDED = ("FILE_PATH_CHANGES", "PREFER_KERNEL_TYPES", "CAMELCASE", "PREFER_DEFINED_ATTRIBUTE_MACRO",
            "AVOID_BUG", "UNDOCUMENTED_SETUP", "MACRO_ARG_REUSE")

# And where it reads a language made of macros as if it were C: whole functions
# come out of one, most readers of TRACE_EVENT() use a part of it, and a name
# that the world knows begins with for_each_; faultable ones are readers of RCU
# Tasks Trace.
UNHEEDED_IN = {
    "include/linux/tracepoint.h": (
        "MACRO_ARG_UNUSED", "COMPLEX_MACRO", "MULTISTATEMENT_MACRO_USE_DO_WHILE", "TRAILING_SEMICOLON",
        "FUNCTION_ARGUMENTS", "AVOID_EXTERNS", "EXPORT_SYMBOL", "ENOSYS", "OPEN_BRACE",
        "RCU_TASKS_TRACE"),
    "include/linux/tracepoint-defs.h": ("MACRO_ARG_UNUSED", "NEW_TYPEDEFS"),
    "include/linux/tracepoint-probes.h": ("RCU_TASKS_TRACE",),
    # What is nothing here evaluates nothing.
    "include/linux/ftrace/clients.h": ("MACRO_ARG_UNUSED",),
    "include/linux/ftrace/graph.h": ("MACRO_ARG_UNUSED",),
    "include/linux/ftrace/misc.h": ("MACRO_ARG_UNUSED",),
    # The linker's symbols; a printk() that is told its level like any other.
    "kernel/trace/ftrace/boot.c": ("AVOID_EXTERNS",),
    "kernel/trace/ftrace/graph/slots.c": ("UNNECESSARY_KERN_LEVEL",),
    # Stand-ins for what is tested, and shorthands for its cases.
    "kernel/trace/ftrace/tests/change_world.h": ("AVOID_EXTERNS", "MACRO_ARG_UNUSED"),
    "kernel/trace/ftrace/tests/hook_targets.c": ("COMPLEX_MACRO",),
    "kernel/trace/ftrace/tests/site_kunit.c": ("MACRO_WITH_FLOW_CONTROL",),
    "kernel/trace/ftrace/tests/siteset_kunit.c": ("COMPLEX_MACRO", "MACRO_ARG_PRECEDENCE"),
    "kernel/tracepoint/core.c": ("RCU_TASKS_TRACE",),
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
        [os.path.join(base, "scripts", "kernel-doc"), "-none", "-Werror", *code], cwd=TOP)


def documentation(tally):
    run(tally, "documentation: the pages build without a warning",
        [os.path.join(HERE, "pages.py"), os.path.join(BUILD, "test", "documentation")])


# They compile, or fetch a package from a server of their own.
SLOW_TESTS = ("source", "suite")


def test_tools(tally, quick):
    """The tools that build and judge; without their slow tests if @quick."""
    run(tally, "tools: pyflakes has nothing to say",
        ["pyflakes3", HERE, *(p for p in tree.overlay() if p.endswith(".py"))], cwd=TOP)
    for path in sorted(glob.glob(os.path.join(HERE, "tests", "*_test.py"))):
        name = os.path.basename(path).removesuffix("_test.py")
        if not quick or name not in SLOW_TESTS:
            pytest(tally, name, path)
    suite(tally, "patches", ["sh", os.path.join(HERE, "tests", "patches_test.sh")], {})


def host_suites():
    """tools/testing/**/run.sh of ours that run no others of these: each a suite of its own."""
    found = [os.path.dirname(p) for p in tree.overlay() if re.fullmatch(r"tools/testing/.+/run\.sh", p)]
    found = [d for d in found if not any(other.startswith(d + "/") for other in found)]
    if not found:
        raise RuntimeError("there are no host suites")
    return found


def title_of(path):
    """What the results of a suite begin with."""
    return path.removeprefix("tools/testing/").replace("/", " ")


def host_suite(path, quick):
    """A job: one of these suites."""
    def job(tally):
        title = title_of(path)
        out = os.path.join(BUILD, "test", title.replace(" ", "-"))
        os.makedirs(out, exist_ok=True)
        suite(tally, title, ["sh", os.path.join(TOP, path, "run.sh")],
              {"BASE": os.path.join(BUILD, "base"), "KSRC": os.path.join(BUILD, "base"),
               "TREE": os.path.join(BUILD, "tree"),
               "OBJS": "" if quick else os.path.join(BUILD, KERNEL), "OUT": out,
               "VMLINUX": os.path.join(BUILD, KERNEL, "vmlinux"),
               "QUICK": "1" if quick else ""})
    return job


def lint(tally):
    run(tally, "sources: W=1 and sparse have nothing to say",
        [os.path.join(HERE, "lint.py"), os.path.join(BUILD, KERNEL)], tail=20)
