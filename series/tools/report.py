# SPDX-License-Identifier: GPL-2.0
"""The results of a run in the forms that other tools read: KTAP and JUnit's XML."""
import os
import re
import xml.etree.ElementTree as ET

# What XML cannot hold, and a console may say.
CONTROL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_ktap(path, results):
    """@results: (verdict, name, reasons), where verdict is "ok", "not ok" or "skip"."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"KTAP version 1\n1..{len(results)}\n")
        for n, (verdict, name, why) in enumerate(results, 1):
            name = name.replace("#", "\\#")		# which begins a directive
            if verdict == "skip":
                f.write(f"ok {n} {name} # SKIP {' '.join(why)}\n")
                continue
            f.write(f"{verdict} {n} {name}\n")
            if verdict == "not ok":
                f.writelines(f"# {line}\n" for line in why)


def write_junit(path, results):
    """The same results as one test suite."""
    count = [verdict for verdict, _, _ in results].count
    suite = ET.Element("testsuite", name="ftrace", tests=str(len(results)),
                       failures=str(count("not ok")), skipped=str(count("skip")))
    for verdict, name, why in results:
        part, _, what = name.rpartition(": ")
        case = ET.SubElement(suite, "testcase", classname=CONTROL.sub("?", part or "ftrace"),
                             name=CONTROL.sub("?", what))
        reason = CONTROL.sub("?", "\n".join(why))
        if verdict == "not ok":
            ET.SubElement(case, "failure", message=reason.split("\n")[0]).text = reason
        elif verdict == "skip":
            ET.SubElement(case, "skipped", message=reason)
    ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def write_all(directory, results):
    write_ktap(os.path.join(directory, "results.ktap"), results)
    write_junit(os.path.join(directory, "junit.xml"), results)
