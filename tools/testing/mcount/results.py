#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Result lines of what pytest has left in a file of JUnit's form; the terminal's width has no say in these.

usage: results.py FILE
"""
import sys
from xml.etree import ElementTree

for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    name = case.get("name").removeprefix("test_")
    skip, bad = case.find("skipped"), [c for c in case if c.tag in ("failure", "error")]
    reason = "" if skip is None else " # SKIP " + " ".join(skip.get("message").split())
    print(f"{'not ok' if bad else 'ok'} - {name}{reason}")
    for line in [line for c in bad for line in (c.text or "").split("\n")[-20:]]:
        print("# " + line)
