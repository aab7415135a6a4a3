#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the series into mails: build/patches/0000-cover-letter.patch and on.

series/order says what each patch takes and what its message is; order.py has its
form.  Everything that the series has must be taken exactly once.  The mails are made
in a scratch repository which holds only the files that the series touches;
"git am" applies them to the whole base tree all the same.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree  # noqa: E402
from order import read_order, taken  # noqa: E402

OUT = os.path.join(tree.BUILD, "patches")

def share_out(blocks):
    """Resolve each block's takes; refuse what is taken twice or not at all."""
    left = {p: p for p in tree.overlay()}
    left.update({"hunk:" + name: name for name in tree.hunk_names()})
    left.update({"moved:" + old: (old, new) for old, new in tree.moved()})
    for b in blocks:
        b.parts = []
        for take in b.takes:
            names = taken(take, left)
            if not names:
                raise tree.Refused(f"series/order: \"{b.subject}\" takes {take}, which is not there or taken")
            b.parts += [(n, left.pop(n)) for n in names]
    if left:
        raise tree.Refused("series/order: no patch takes " + ", ".join(sorted(left)))


def git(where, *args, **kw):
    return subprocess.run(["git", "-C", where, *args], check=True, capture_output=True, text=True, **kw)


def author():
    """Who signs the mails: git's own configuration, else the last commit's author."""
    for key in ("user.name", "user.email"):
        if not subprocess.run(["git", "-C", tree.TOP, "config", key], capture_output=True,
                              text=True, check=False).stdout.strip():
            last = subprocess.run(["git", "-C", tree.TOP, "log", "-1", "--format=%an%n%ae"],
                                  capture_output=True, text=True, check=False).stdout.split("\n")
            return last[:2] if len(last) > 1 else ["dynamic ftrace", "ftrace@localhost"]
    return [git(tree.TOP, "config", k).stdout.strip() for k in ("user.name", "user.email")]


def put(src, where, path):
    os.makedirs(os.path.dirname(os.path.join(where, path)), exist_ok=True)
    shutil.copy(src, os.path.join(where, path))


def lay_base(where, blocks):
    """The base's version of all files that the series touches."""
    touched = set()
    for b in blocks:
        for name, what in b.parts:
            if name.startswith("hunk:"):
                touched.add(tree.hunk_file(what).path)
            elif name.startswith("moved:"):
                touched.add(what[0])
            else:
                touched.add(name)
    for path in touched:
        if os.path.exists(os.path.join(tree.BASE, path)):
            put(os.path.join(tree.BASE, path), where, path)


def apply_part(where, name, what):
    if name.startswith("hunk:"):
        tree.hunk_file(what).apply_below(where)
    elif name.startswith("moved:"):
        old, new = what
        if new:
            put(os.path.join(where, old), where, new)
        os.unlink(os.path.join(where, old))
    else:
        put(os.path.join(tree.TOP, what), where, name)


def make_mails(where, blocks):
    name, mail = author()
    who = ["-c", f"user.name={name}", "-c", f"user.email={mail}", "-c", "core.autocrlf=false"]
    git(where, "init", "-q", "-b", "series")
    lay_base(where, blocks)
    git(where, *who, "add", "-Af")
    git(where, *who, "commit", "-q", "--allow-empty", "-m", "base")
    for b in blocks:
        if b.kind == "cover":
            continue
        # What is taken away goes first, so that a file of ours can lie there.
        for part in sorted(b.parts, key=lambda p: not p[0].startswith("moved:")):
            apply_part(where, *part)
        git(where, *who, "add", "-Af")
        git(where, *who, "commit", "-q", "-F", "-", input=f"{b.subject}\n\n{b.body}")
    git(where, *who, "format-patch", "-q", "-M", "--cover-letter", "-o", OUT,
        f"HEAD~{len(blocks) - 1}")
    cover = next(b for b in blocks if b.kind == "cover")
    letter = os.path.join(OUT, "0000-cover-letter.patch")
    with open(letter, encoding="utf-8") as f:
        text = f.read()
    text = text.replace("*** SUBJECT HERE ***", cover.subject).replace("*** BLURB HERE ***", cover.body.strip())
    with open(letter, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    try:
        blocks = read_order(tree.ORDER)
        share_out(blocks)
        shutil.rmtree(OUT, ignore_errors=True)
        os.makedirs(OUT)
        with tempfile.TemporaryDirectory(dir=tree.BUILD) as where:
            make_mails(where, blocks)
    except tree.Refused as why:
        print(f"patches: {why}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as why:
        print(f"patches: {' '.join(why.cmd)}: {why.stderr}", file=sys.stderr)
        return 1
    for n in sorted(os.listdir(OUT)):
        print(os.path.relpath(os.path.join(OUT, n), tree.TOP))
    return 0


if __name__ == "__main__":
    sys.exit(main())
