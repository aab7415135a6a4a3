# SPDX-License-Identifier: GPL-2.0
"""The part "kvm": what only a real processor shows (PCID, page table isolation, NMIs at any
instruction), in guests that KVM runs. Elsewhere it is one skip."""
import os

import guests
import machine
from jobs import Tally
from verdicts import BUILD

NAME = "kvm: torture, hotplug, NMIs and KUnit's cases on the processor"


def kvm_runs():
    """What machine.py is told to use, or has found when it booted a guest before."""
    asked = os.environ.get("ACCEL", "")
    found = machine.read_text(os.path.join(BUILD, "accel")).split()
    return (asked or "".join(found[1:])).startswith("kvm")


def kvm(tally, kernel_name):
    """One result: its name does not depend on the machine."""
    if not kvm_runs():
        tally.skip(NAME, "KVM runs no guest on this machine")
        return
    quiet = Tally(quiet=True, job=tally.job)
    cpus = str(max(2, min(8, os.cpu_count())))
    for title, words in ("kvm", ""), ("kvm-pti", " pti=on"):
        guests.torture(quiet, kernel_name, title, "--accel", "kvm", "--smp", cpus, options=words)
    bad = [" ".join((name, *why)) for verdict, name, why in quiet.results() if verdict == "not ok"]
    tally.result(not bad, NAME, bad)
