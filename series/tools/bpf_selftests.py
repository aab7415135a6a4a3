# SPDX-License-Identifier: GPL-2.0
"""A copy of the kernel's BPF selftests that has some of the tests, and builds in minutes.

All of them are hundreds of tests and a thousand BPF programs. Their own Makefile
builds whatever lies in prog_tests and progs, so in a copy only the files of the
tests that are asked for are left, and the Makefile's variables that list files are set anew.
"""
import os
import re
import shutil
import subprocess

import files

# Files of prog_tests: what attaches to functions, by themselves, many at once or
# beside a live patch, and to raw tracepoints.
TESTS = (
    "fentry_fexit", "fentry_test", "fexit_bpf2bpf", "fexit_sleep", "fexit_stress", "fexit_test", "modify_return",
    "fsession_test", "tracing_multi", "kprobe_multi_test", "kprobe_multi_testmod_test",
    "bpf_cookie", "fill_link_info", "get_func_args_test", "get_func_ip_test", "missed", "module_attach",
    "module_fentry_shadow", "recursive_attach", "stacktrace_ips", "tracing_failure", "tramp_prog_detach",
    "trampoline_count", "attach_probe", "livepatch_trampoline",
    "get_stack_raw_tp", "raw_tp_null", "raw_tp_test_run", "raw_tp_writable_reject_bad_access",
    "raw_tp_writable_test_run", "sleepable_tracepoints", "stacktrace_map_raw_tp", "task_fd_query_rawtp",
    "tp_btf_nullable")

SELFTESTS = os.path.join("tools", "testing", "selftests", "bpf")

# What else of a kernel's tree they are built of.
BESIDE = ("tools/lib", "tools/include", "tools/arch", "tools/build", "tools/scripts", "tools/bpf",
          "tools/testing/selftests/lib.mk", "kernel/bpf/disasm.c", "kernel/bpf/disasm.h", "scripts/bpf_doc.py")


def copy(base, out):
    """The selftests and what they are built of, from the tree @base; where they lie in @out."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    subprocess.run(["cp", "-a", "--parents", "-t", out, *BESIDE, SELFTESTS], cwd=base, check=True)
    return os.path.join(out, SELFTESTS)


def listed(makefile, name):
    """The words of a list in the Makefile."""
    return re.search(rf"^{name} := ((?:.*\\\n)*.*)", makefile, re.M)[1].replace("\\\n", " ").split()


def prune(src, tests):
    """Remove what these tests of prog_tests do not need; the Makefile's variables that follow."""
    makefile = files.text(os.path.join(src, "Makefile"))
    linked = {m[1]: m[2].split() for m in re.finditer(r"^(\w+)\.skel\.h-deps := (.*)", makefile, re.M)}
    signed = listed(makefile, "LSKELS_SIGNED")
    said = "".join(files.text(os.path.join(src, "prog_tests", t + ".c")) for t in tests)
    skels = set(re.findall(r'#include "(\w+)\.skel\.h"', said))
    light = {name + ".c" for name in re.findall(r'#include "(\w+)\.lskel\.h"', said)}
    objects = {dep for name in skels & set(linked) for dep in linked[name]}
    objects.update(re.findall(r'"(?:\./)?(\w+\.bpf\.o)"', said))
    programs = {name + ".c" for name in skels - set(linked)} | light
    programs.update(o.removesuffix(".bpf.o") + ".c" for o in objects)
    for program in sorted(programs):	# some are another one with other words
        programs.update(re.findall(r'#include "(\w+\.c)"', files.text(os.path.join(src, "progs", program))))
    for folder, kept in ("progs", programs), ("prog_tests", {t + ".c" for t in tests}):
        for name in os.listdir(os.path.join(src, folder)):
            if name.endswith(".c") and name not in kept:
                os.unlink(os.path.join(src, folder, name))
    return {"LINKED_SKELS": " ".join(sorted(name + ".skel.h" for name in skels & set(linked))),
            "LSKELS": " ".join(sorted(light - set(signed))),
            "LSKELS_SIGNED": " ".join(sorted(light & set(signed))),
            "LSKELS_EXTRA": "", "LIBARENA_SKEL": "", "TRUNNER_EXTRA_FILES": ""}
