# SPDX-License-Identifier: GPL-2.0
"""Where things lie. Files of text as a whole; what is not there or not UTF-8 is an error."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD") or os.path.join(TOP, "build")


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, what):
    """Make it and the folders that it needs."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(what)
