#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print what tracing costs, classic beside new, in one run.

usage: figures.py [TABLE...] [CPUS...]      default: switch 1 4

Virtual nanoseconds (an instruction each, idle waits counted) and function-call
interrupts, measured inside build/classic and build/new under qemu -icount
shift=0,sleep=off. Where a figure is taken twice, the second is shown.
Tables: switch (tracers and events), second (a tracer beside another, and one
of one function), calls (a call of a traced function), filters, modules (reading
with 50 modules of 200 functions, which are made for it). NAMES, in the
environment, are the lengths of the lists of names that filters takes
(default 126; 1255 takes the classic kernel many minutes).
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import machine  # noqa: E402


TABLES = ("switch", "second", "calls", "filters", "modules")
MODULES, FUNCTIONS = 50, 200


def amount(ns, irqs):
    """A figure as it is printed: small ones to the nanosecond."""
    return (f"{ns / 1e6:.2f} M" if ns >= 100000 else f"{ns}") + (f" ({irqs})" if irqs else "")


def many_modules(kernel):
    """A folder with MODULES modules of FUNCTIONS functions each, built for @kernel."""
    where = os.path.join(machine.BUILD, "test", "many-" + kernel)
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "Kbuild"), "w", encoding="utf-8") as f:
        f.write("".join(f"obj-m += many_{m}.o\n" for m in range(MODULES)))
    for m in range(MODULES):
        with open(os.path.join(where, f"many_{m}.c"), "w", encoding="utf-8") as f:
            f.write("#include <linux/module.h>\nMODULE_LICENSE(\"GPL\");\n" + "".join(
                f"int many_{m}_{n}(int a);\nint many_{m}_{n}(int a) {{ return a + {n}; }}\n"
                for n in range(FUNCTIONS)))
    log = os.path.join(machine.BUILD, "log", f"many-{kernel}.log")
    with open(log, "w", encoding="utf-8") as f:
        if subprocess.run(["make", "-C", os.path.join(machine.BUILD, kernel), "M=" + where, "CC=gcc",
                           f"-j{os.cpu_count()}"], stdout=f, stderr=f, check=False).returncode:
            sys.exit(f"figures: the modules do not build (log: {log})")
    return where


def measure(kernel, cpus, tables):
    """{figure: (virtual ns, interrupts)} of one kernel."""
    name = f"figures-{kernel}-{cpus}"
    words = f"quiet nokaslr figures={','.join(tables)}"
    if "NAMES" in os.environ:
        words += f" filter_names={','.join(os.environ['NAMES'].split())}"
    payload = ["--payload", many_modules(kernel) + ":/many"] if "modules" in tables else []
    status = subprocess.run(
        [os.path.join(HERE, "machine.py"), os.path.join(machine.BUILD, kernel), "figures", "--quiet",
         "--name", name, "--icount", "--smp", str(cpus), "--timeout", "3600", "--append", words,
         *payload],
        check=False)
    if status.returncode:
        sys.exit(f"figures: the run in {kernel} failed")
    job = machine.read_text(os.path.join(machine.BUILD, "log", name + ".job"))
    return {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^FIGURE (.+) (\d+) (\d+)$", job, re.M)}


def main(argv):
    tables = [a for a in argv if not a.isdigit()] or ["switch"]
    if not set(tables) <= set(TABLES):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    for cpus in [int(a) for a in argv if a.isdigit()] or [1, 4]:
        classic, new = (measure(kernel, cpus, tables) for kernel in ("classic", "new"))
        print(f"{cpus} CPU{'s' if cpus > 1 else ''}: virtual ns (function-call interrupts)")
        print(f"{'':36}{'classic':>18}{'new':>18}{'classic/new':>14}")
        for what in [*classic, *(w for w in new if w not in classic)]:
            old, now = classic.get(what), new.get(what)
            print(f"{what:36}{amount(*old) if old else '-':>18}{amount(*now) if now else '-':>18}"
                  + (f"{old[0] / max(now[0], 1):>14.2f}" if old and now else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
