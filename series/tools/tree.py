#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lay the series over the base tree: build/base + series = build/tree.

usage: tree.py prepare       make or refresh build/tree
       tree.py list          list what the series touches, a path a line
       tree.py edited PATCH  make build/base-PATCH: the base with one patch's hunks
       tree.py hunk FILE [PATCH]  make FILE's hunk file from build/tree/FILE

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

import hunks
from order import Refused, read_order, taken

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
BASE = os.path.join(BUILD, "base")
TREE = os.path.join(BUILD, "tree")
HUNKS = os.path.join(TOP, "series", "hunks")
ORDER = os.path.join(TOP, "series", "order")
MANIFEST = os.path.join(BUILD, "tree.manifest")
STATE = os.path.join(BUILD, "tree.key")

# The project's own, which never lies in a kernel tree.
OURS = ("series", ".ci", ".gitignore", "README.md", "COPYING", "Makefile")


def overlay():
    """Paths of whole files of ours, tracked or about to be."""
    git = subprocess.run(["git", "-C", TOP, "ls-files", "-coz", "--exclude-standard"],
                         capture_output=True, text=True)
    if git.returncode:
        raise Refused("git does not list the checkout's files: " + git.stderr.strip())
    return sorted({p for p in git.stdout.split("\0")
                   if p and p.split("/")[0] not in OURS and os.path.isfile(os.path.join(TOP, p))})


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


def hunk_names():
    """PATCH/PATH for each series/hunks/PATCH/PATH.patch."""
    names = sorted(files_below(HUNKS))
    for name in names:
        if not name.endswith(".patch") or "/" not in name:
            raise Refused(f"series/hunks/{name}: is not named PATCH/PATH.patch")
    return [name.removesuffix(".patch") for name in names]


def hunk_path(name):
    return os.path.join(HUNKS, name + ".patch")


def hunk_file(name):
    return hunks.HunkFile(name, "".join(hunks.read(hunk_path(name))))


def shared_hunks(names):
    """A list for each patch in series/order, of those of @names that it takes."""
    left, shared = set(names), []
    for block in read_order(ORDER):
        paths = {}
        for take in (t for t in block.takes if t.startswith("hunk:")):
            for name in taken(take[5:], left):
                path = name.partition("/")[2]
                if path in paths:
                    raise Refused(f"series/order: \"{block.subject}\" has two hunk files for {path}: "
                                  f"{paths[path]}, {name}")
                paths[path] = name
        left -= set(paths.values())
        shared.append(list(paths.values()))
    if left:
        raise Refused("series/order: no patch takes hunk:" + ", hunk:".join(sorted(left)))
    return shared


def upstream(name):
    """The lines of the upstream file that hunk file @name changes, before any hunk."""
    path = name.partition("/")[2]
    old = {new: old for old, new in moved()}.get(path, path)
    if not os.path.exists(os.path.join(BASE, old)):
        raise Refused(f"series/hunks/{name}.patch: the base has no {old}")
    return hunks.read(os.path.join(BASE, old))


def hunked():
    """{path: lines} of upstream files with all hunks, each found to fit."""
    lines = {}
    for name in (name for names in shared_hunks(hunk_names()) for name in names):
        file = hunk_file(name)
        if file.path not in lines:
            lines[file.path] = upstream(name)
        lines[file.path] = file.apply(lines[file.path])
    return lines


def place(src, dst):
    os.makedirs(os.path.dirname(dst), exist_ok=True)
    shutil.copy(src, dst)


def stage(where, upstreams):
    """Put every file that differs from the base into directory where.

    @upstreams has the lines of those that hunks change.
    Returns the set of base paths that are gone.
    """
    gone = set()
    for old, new in moved():
        if not os.path.exists(os.path.join(BASE, old)):
            raise Refused(f"series/moved: the base has no {old}")
        gone.add(old)
        if new:
            place(os.path.join(BASE, old), os.path.join(where, new))
    for path, lines in upstreams.items():
        if not os.path.exists(os.path.join(where, path)):
            place(os.path.join(BASE, path), os.path.join(where, path))
        hunks.write(os.path.join(where, path), lines)
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
    upstreams = hunked()		# refuses before anything is written
    before = read_manifest()
    if not os.path.isdir(TREE) or before[:1] != [base_key()]:
        shutil.rmtree(TREE, ignore_errors=True)
        subprocess.run(["cp", "-al", BASE, TREE], check=True)
        before = []
    changed = 0
    with tempfile.TemporaryDirectory(dir=BUILD) as where:
        gone = stage(where, upstreams)
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


def edited(patch):
    """build/base-PATCH, the base with the hunks of one patch: what these edits alone are worth."""
    files = [hunk_file(name) for name in hunk_names() if name.startswith(patch + "/")]
    if not files:
        raise Refused(f"there is no series/hunks/{patch}")
    where = os.path.join(BUILD, "base-" + patch)
    digest = hashlib.sha256()
    for file in files:
        digest.update("".join(hunks.read(hunk_path(file.name))).encode())
    key = base_key() + " " + digest.hexdigest()
    try:
        with open(where + ".key", encoding="utf-8") as f:
            if f.read().strip() == key:
                return
    except OSError:
        pass
    shutil.rmtree(where, ignore_errors=True)
    subprocess.run(["cp", "-al", BASE, where], check=True)
    for file in files:		# not through the base's hard links
        os.unlink(os.path.join(where, file.path))
        shutil.copy(os.path.join(BASE, file.path), os.path.join(where, file.path))
        file.apply_below(where)
    with open(where + ".key", "w", encoding="utf-8") as f:
        f.write(key + "\n")


def merged(mine, old, new):
    """@mine with what was changed from @old to @new."""
    if mine == old:
        return new
    with tempfile.TemporaryDirectory() as where:
        sides = [os.path.join(where, n) for n in ("mine", "old", "new")]
        for side, lines in zip(sides, (mine, old, new)):
            hunks.write(side, lines)
        if subprocess.run(["git", "merge-file", "-q", *sides], check=False).returncode:
            raise Refused("the change is in lines that another patch changes, too; edit the hunk files by hand")
        return hunks.read(sides[0])


def rewrite(path, patch):
    """Make the hunk file of @path in @patch from build/tree, and those of later patches, too."""
    edit = os.path.join(TREE, path)
    if os.path.exists(os.path.join(BASE, path)) and os.path.samefile(edit, os.path.join(BASE, path)):
        raise Refused(f"{path} in the tree is still the base's; give it a file of its own before you edit it")
    names = [n for n in hunk_names() if n.partition("/")[2] == path]
    if not patch and len(names) != 1:
        raise Refused(f"say which patch {path} is changed by: " + (", ".join(names) or "none does so far"))
    mine = f"{patch}/{path}" if patch else names[0]
    files = [n for took in shared_hunks({*names, mine}) for n in took]
    states = [upstream(mine)]
    for name in files:
        states.append(hunk_file(name).apply(states[-1]) if name in names else states[-1])
    new, first = hunks.read(edit), files.index(mine)
    before = states[first]
    for name, state in list(zip(files, states[1:]))[first:]:
        after = merged(state, states[-1], new)
        if after != before:
            hunks.write(hunk_path(name), [hunks.made(name, before, after)])
        elif os.path.exists(hunk_path(name)):
            os.unlink(hunk_path(name))
        before = after
        print(os.path.relpath(hunk_path(name), TOP))


def main(argv):
    try:
        if argv == ["prepare"]:
            prepare()
        elif len(argv) == 2 and argv[0] == "edited":
            edited(argv[1])
        elif len(argv) in (2, 3) and argv[0] == "hunk":
            rewrite(argv[1], "".join(argv[2:]))
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
