#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print what switching costs, classic beside new, in one run.

usage: figures.py [CPUS...]      default: 1 4

Virtual nanoseconds (an instruction each, idle waits counted) and function-call
interrupts of writes to tracefs, measured inside build/classic and build/new
under qemu -icount shift=0,sleep=off. Of two rounds the second is shown.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import machine  # noqa: E402


def measure(kernel, cpus):
    """{figure: (virtual ns, interrupts)} of one kernel."""
    name = f"figures-{kernel}-{cpus}"
    status = subprocess.run(
        [os.path.join(HERE, "machine.py"), os.path.join(machine.BUILD, kernel), "figures", "--quiet",
         "--name", name, "--icount", "--smp", str(cpus), "--append", "quiet nokaslr"], check=False)
    if status.returncode:
        sys.exit(f"figures: the run in {kernel} failed")
    job = machine.read_text(os.path.join(machine.BUILD, "log", name + ".job"))
    return {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^FIGURE (.+) (\d+) (\d+)$", job, re.M)}


def main(argv):
    for cpus in [int(a) for a in argv] or [1, 4]:
        classic, new = measure("classic", cpus), measure("new", cpus)
        print(f"{cpus} CPU{'s' if cpus > 1 else ''}: million virtual ns (function-call interrupts)")
        print(f"{'':24}{'classic':>18}{'new':>18}{'classic/new':>14}")
        for what, (ns, irqs) in classic.items():
            ns2, irqs2 = new[what]
            print(f"{what:24}{f'{ns / 1e6:.2f} ({irqs})':>18}{f'{ns2 / 1e6:.2f} ({irqs2})':>18}"
                  f"{ns / max(ns2, 1):>14.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
