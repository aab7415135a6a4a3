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
import hashlib
import os
import shlex
import subprocess
import sys
import tempfile

import hunks
from files import BUILD, TOP
from order import Refused, read_order, share, status_of

BASE = os.path.join(BUILD, "base")
TREE = os.path.join(BUILD, "tree")
HUNKS = os.path.join(TOP, "series", "hunks")
ORDER = os.path.join(TOP, "series", "order")

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
    for line in hunks.read(os.path.join(TOP, "series", "moved")):
        words = line.split("#")[0].split()
        if len(words) not in (0, 2):
            raise Refused(f"series/moved: not a pair: {line.strip()}")
        if words:
            pairs.append((words[0], None if words[1] == "/dev/null" else words[1]))
    return pairs


def hunk_names():
    """PATCH/PATH for each series/hunks/PATCH/PATH.patch."""
    names = sorted(files_below(HUNKS))
    for name in names:
        if not name.endswith(".patch") or "/" not in name:
            raise Refused(f"series/hunks/{name}: is not named PATCH/PATH.patch")
    return [name.removesuffix(".patch") for name in names]


def files_below(where):
    return {os.path.relpath(os.path.join(d, n), where)
            for d, _, names in os.walk(where) for n in names}


def hunk_path(name):
    return os.path.join(HUNKS, name + ".patch")


def hunk_file(name):
    return hunks.HunkFile(name, "".join(hunks.read(hunk_path(name))))


def in_order(names):
    """@names of hunk files, in the order in which the patches of series/order take them."""
    ordered = {}
    for block, _, its in share(read_order(ORDER), {"hunk:" + name for name in names}):
        for name in (hunk.removeprefix("hunk:") for hunk in its):
            path = name.partition("/")[2]
            other = ordered.setdefault((block, path), name)
            if other != name:
                raise Refused(f"series/order: \"{block.subject}\" has two hunk files for {path}: {other}, {name}")
    return list(ordered.values())


class File:
    """What a file is in a state of the tree: its lines and its mode."""

    def __init__(self, lines, mode):
        self.lines, self.mode = lines, mode


def file_at(path):
    """The file at @path; None if there is none."""
    return File(hunks.read(path), os.stat(path).st_mode) if os.path.exists(path) else None


def of_base(path):
    """A file of the base; None if it has none."""
    return file_at(os.path.join(BASE, path))


def apply_part(files, name, what, base):
    """Change @files, {path: File or None}, by one part of a patch; @base gives what is not among them."""
    if name.startswith("hunk:"):
        hunk = hunk_file(what)
        file = files.get(hunk.path) or base(hunk.path)
        if not file:
            raise Refused(f"series/hunks/{what}.patch: the base has no {hunk.path}")
        files[hunk.path] = File(hunk.apply(file.lines), file.mode)
    elif name.startswith("moved:"):
        old, new = what
        if not base(old):
            raise Refused(f"series/moved: the base has no {old}")
        if new:
            files[new] = base(old)
        files[old] = None
    else:
        files[name] = file_at(os.path.join(TOP, what))


def whole():
    """{path: File, or None where it is taken away} of all that the series changes, also what no patch takes yet."""
    files = {}
    for parts in ([("moved:", pair) for pair in moved()],
                  [("hunk:", name) for name in in_order(hunk_names())],
                  [(path, path) for path in overlay()]):
        for part in parts:
            apply_part(files, *part, of_base)
    return files


def base_key():
    return "".join(hunks.read(os.path.join(BUILD, "base.key"))).strip()


def digest(files, skip=()):
    """One word for a state, without the files below the folders @skip."""
    total = hashlib.sha256(base_key().encode())
    for path in sorted(p for p in files if not p.startswith(tuple(skip))):
        total.update(path.encode())
        for line in files[path].lines if files[path] else ["gone"]:
            total.update(line.encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def put(file, path):
    """Make @path a file of its own that is like @file; whether that changed it."""
    there = file_at(path)
    if there == file or there and file and (there.lines, there.mode) == (file.lines, file.mode):
        return False
    if there:
        os.unlink(path)			# not through the base's hard link
    if file:
        hunks.write(path, file.lines)
        os.chmod(path, file.mode)
    return True


def laid(where):
    """What lies in a folder that lay() made: the base's key, and the paths that differ from it."""
    manifest = where + ".manifest"
    return "".join(hunks.read(manifest)).split("\n")[:-1] if os.path.exists(manifest) else []


def lay(where, files):
    """Make the folder @where the base with @files; how many files changed.

    WHERE.manifest has what differs from the base, WHERE.key says what lies there,
    for kernel.sh.
    """
    def note(paths):
        hunks.write(where + ".manifest", [line + "\n" for line in [base_key(), *sorted(paths)]])

    before = laid(where)
    if not os.path.isdir(where) or before[:1] != [base_key()]:
        subprocess.run(["rm", "-rf", where, where + ".manifest"], check=True)
        os.makedirs(os.path.dirname(where), exist_ok=True)
        # On another file system there are no links to it.
        subprocess.run(f"cp -al {shlex.quote(BASE)} {shlex.quote(where)} 2>/dev/null || "
                       f"cp -a {shlex.quote(BASE)}/. {shlex.quote(where)}", shell=True, check=True)
        before = []
    paths = {*before[1:], *files}
    note(paths)
    changed = sum(put(files[path] if path in files else of_base(path), os.path.join(where, path))
                  for path in sorted(paths))
    note(files)
    hunks.write(where + ".key", [digest(files) + "\n"])
    return changed


def prepare():
    files = whole()		# refuses before anything is written
    changed = lay(TREE, files)
    gone = list(files.values()).count(None)
    print(f"{len(files) - gone} files of the series in the tree, {gone} taken away, {changed} changed now")


def edited(patch):
    """build/base-PATCH, the base with the hunks of one patch: what these edits alone are worth."""
    names = [name for name in hunk_names() if name.startswith(patch + "/")]
    if not names:
        raise Refused(f"there is no series/hunks/{patch}")
    files = {}
    for name in names:
        apply_part(files, "hunk:", name, of_base)
    lay(os.path.join(BUILD, "base-" + patch), files)


def upstream(name):
    """The lines of the upstream file that hunk file @name changes, before any hunk."""
    path = name.partition("/")[2]
    old = {new: old for old, new in moved()}.get(path, path)
    if not of_base(old):
        raise Refused(f"series/hunks/{name}.patch: the base has no {old}")
    return of_base(old).lines


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


def listed():
    """Say what the series touches."""
    print("\n".join(laid(TREE)[1:]))


def rewrite(path, patch=""):
    """Make the hunk file of @path in @patch from build/tree, and those of later patches, too."""
    edit = os.path.join(TREE, path)
    if os.path.exists(os.path.join(BASE, path)) and os.path.samefile(edit, os.path.join(BASE, path)):
        raise Refused(f"{path} in the tree is still the base's; give it a file of its own before you edit it")
    names = [n for n in hunk_names() if n.partition("/")[2] == path]
    if not patch and len(names) != 1:
        raise Refused(f"say which patch {path} is changed by: " + (", ".join(names) or "none does so far"))
    mine = f"{patch}/{path}" if patch else names[0]
    files = in_order({*names, mine})
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
    commands = {("prepare", 1): prepare, ("edited", 2): edited, ("list", 1): listed,
                ("hunk", 2): rewrite, ("hunk", 3): rewrite}
    command = commands.get((*argv[:1], len(argv)))
    if not command:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    return status_of("tree", command, *argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
