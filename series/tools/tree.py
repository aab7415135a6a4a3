#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lay the series over the base tree: build/base + series = build/tree.

usage: tree.py prepare      make or refresh build/tree
       tree.py list         list what the series touches, a path a line
       tree.py edited HUNK  make build/base-HUNK: the base with one hunk file

build/tree shares every unchanged file with build/base by hard link.  A file
that the series touches is a file of its own, and is written again only when
its content changes, so that make rebuilds what depends on it and no more.
"""
import filecmp
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
BASE = os.path.join(BUILD, "base")
TREE = os.path.join(BUILD, "tree")
HUNKS = os.path.join(TOP, "series", "hunks")
MANIFEST = os.path.join(BUILD, "tree.manifest")
STATE = os.path.join(BUILD, "tree.key")

# The project's own, which never lies in a kernel tree.
OURS = ("series", ".ci", ".gitignore", "README.md", "COPYING", "Makefile")


class Refused(Exception):
    """The series and the base do not fit; the message says where."""


def overlay():
    """Paths of whole files of ours, tracked or about to be."""
    git = subprocess.run(["git", "-C", TOP, "ls-files", "-coz", "--exclude-standard"],
                         capture_output=True, text=True)
    if git.returncode:
        raise Refused("git does not list the checkout's files: " + git.stderr.strip())
    return sorted({p for p in git.stdout.split("\0")
                   if p and p.split("/")[0] not in OURS and os.path.exists(os.path.join(TOP, p))})


def moved():
    """(old, new) for every line of series/moved; new is None for a removal."""
    pairs = []
    with open(os.path.join(TOP, "series", "moved"), encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 2:
                raise Refused(f"series/moved: not a pair: {line.strip()}")
            pairs.append((words[0], None if words[1] == "/dev/null" else words[1]))
    return pairs


def hunks():
    """Paths of the hunk files, in the order in which they apply."""
    return sorted(os.path.join(HUNKS, n) for n in os.listdir(HUNKS) if n.endswith(".patch"))


def hunk_targets(patch):
    """The files that a hunk file changes."""
    with open(patch, encoding="utf-8") as f:
        return [l[4:].split("\t")[0].strip().split("/", 1)[1] for l in f if l.startswith("+++ ")]


def apply_hunks(patch, where):
    """Apply one hunk file in directory where, by patch's own tolerance."""
    run = subprocess.run(["patch", "-p1", "-F2", "-N", "--no-backup-if-mismatch", "-r", "-",
                          "-d", where, "-i", patch], capture_output=True, text=True)
    if run.returncode:
        raise Refused(f"series/hunks/{os.path.basename(patch)} does not apply:\n"
                      + (run.stdout + run.stderr).strip())


def place(src, dst):
    os.makedirs(os.path.dirname(dst), exist_ok=True)
    shutil.copy(src, dst)


def stage(where):
    """Put every file that differs from the base into directory where.

    Returns the set of base paths that are gone.
    """
    gone = set()
    for old, new in moved():
        if not os.path.exists(os.path.join(BASE, old)):
            raise Refused(f"series/moved: the base has no {old}")
        gone.add(old)
        if new:
            place(os.path.join(BASE, old), os.path.join(where, new))
    for patch in hunks():
        for path in hunk_targets(patch):
            staged = os.path.join(where, path)
            if not os.path.exists(staged):
                if not os.path.exists(os.path.join(BASE, path)):
                    raise Refused(f"series/hunks/{os.path.basename(patch)}: the base has no {path}")
                place(os.path.join(BASE, path), staged)
        apply_hunks(patch, where)
    for path in overlay():
        place(os.path.join(TOP, path), os.path.join(where, path))
        gone.discard(path)
    return gone


def files_below(where):
    return {os.path.relpath(os.path.join(d, n), where)
            for d, _, names in os.walk(where) for n in names}


def install(src, dst):
    """Make dst a file of its own with src's content and a fresh time."""
    if os.path.exists(dst):
        if filecmp.cmp(src, dst, shallow=False) and \
           os.access(src, os.X_OK) == os.access(dst, os.X_OK):
            return False
        os.unlink(dst)
    os.makedirs(os.path.dirname(dst), exist_ok=True)
    shutil.copy(src, dst)
    return True


def read_manifest():
    try:
        with open(MANIFEST, encoding="utf-8") as f:
            return f.read().split("\n")
    except OSError:
        return []


def base_key():
    with open(os.path.join(BUILD, "base.key"), encoding="utf-8") as f:
        return f.read().strip()


def state(touched):
    """One word for what lies in the tree, for those who would build it again."""
    digest = hashlib.sha256("\n".join(read_manifest()).encode())
    for path in sorted(touched):
        with open(os.path.join(TREE, path), "rb") as f:
            digest.update(f.read())
    return digest.hexdigest()


def prepare():
    before = read_manifest()
    if not os.path.isdir(TREE) or before[:1] != [base_key()]:
        shutil.rmtree(TREE, ignore_errors=True)
        subprocess.run(["cp", "-al", BASE, TREE], check=True)
        before = []
    changed = 0
    with tempfile.TemporaryDirectory(dir=BUILD) as where:
        gone = stage(where)
        touched = files_below(where)
        for path in sorted(touched):
            changed += install(os.path.join(where, path), os.path.join(TREE, path))
    for path in sorted(gone):
        if os.path.exists(os.path.join(TREE, path)):
            os.unlink(os.path.join(TREE, path))
            changed += 1
    # What an earlier state of the series touched and this one does not.
    for path in set(filter(None, before[1:])) - touched - gone:
        if os.path.exists(os.path.join(BASE, path)):
            changed += install(os.path.join(BASE, path), os.path.join(TREE, path))
        elif os.path.exists(os.path.join(TREE, path)):
            os.unlink(os.path.join(TREE, path))
            changed += 1
    with open(MANIFEST, "w", encoding="utf-8") as f:
        f.write("\n".join([base_key()] + sorted(touched | gone)) + "\n")
    with open(STATE, "w", encoding="utf-8") as f:
        f.write(state(touched) + "\n")
    print(f"{len(touched)} files of the series in the tree, {len(gone)} taken away, {changed} changed now")


def edited(hunk):
    """build/base-HUNK, the base with one hunk file: what that edit alone is worth."""
    patch = os.path.join(HUNKS, hunk + ".patch")
    where = os.path.join(BUILD, "base-" + hunk)
    with open(patch, "rb") as f:
        key = base_key() + " " + hashlib.sha256(f.read()).hexdigest()
    try:
        with open(where + ".key", encoding="utf-8") as f:
            if f.read().strip() == key:
                return
    except OSError:
        pass
    shutil.rmtree(where, ignore_errors=True)
    subprocess.run(["cp", "-al", BASE, where], check=True)
    for path in hunk_targets(patch):		# not through the base's hard links
        os.unlink(os.path.join(where, path))
        shutil.copy(os.path.join(BASE, path), os.path.join(where, path))
    apply_hunks(patch, where)
    with open(where + ".key", "w", encoding="utf-8") as f:
        f.write(key + "\n")


def main(argv):
    try:
        if argv == ["prepare"]:
            prepare()
        elif len(argv) == 2 and argv[0] == "edited":
            edited(argv[1])
        elif argv == ["list"]:
            print("\n".join(filter(None, read_manifest()[1:])))
        else:
            print(__doc__.split("\n\n")[1], file=sys.stderr)
            return 2
    except Refused as why:
        print(f"tree: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
