# SPDX-License-Identifier: GPL-2.0
"""Compile some objects of a kernel build again, with gcc recording its calls.

usage: again.py OBJS OUT [EACH]

Of the objects of OBJS whose calls are traced, each EACH-th one (default 16) is
compiled as the build did it, but with -mrecord-mcount and into OUT.
"""
import os
import re
import shlex
import subprocess
import sys


def commands(root):
    """(object, its compiler's command) of all objects with calls that are in the kernel, in order."""
    # Not those which an earlier configuration has left in the folder.
    linked = subprocess.run(["ar", "t", "vmlinux.a"], cwd=root, capture_output=True, text=True, check=True).stdout
    for name in sorted(linked.split()):
        path = os.path.join(root, os.path.dirname(name), f".{os.path.basename(name)}.cmd")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as lines:
            m = re.match(r"savedcmd_(\S+\.o) := ([^;]*)", lines.readline())
        if m and " -mfentry " in m[2] and " -c -o " in m[2]:
            yield m[1], shlex.split(m[2])


def main(root, out, each="16"):
    os.makedirs(out, exist_ok=True)
    for name, command in list(commands(root))[::int(each)]:
        # The list of dependencies stays the build's own.
        command = [word for word in command if not word.startswith("-Wp,-MMD")]
        at = command.index("-o")
        command[at + 1] = os.path.join(os.path.abspath(out), name.replace("/", "-"))
        p = subprocess.run([*command, "-mrecord-mcount"], cwd=root, capture_output=True, text=True)
        if p.returncode:
            print(name + ": " + p.stderr[:300])
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
