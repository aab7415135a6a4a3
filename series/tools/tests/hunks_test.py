# SPDX-License-Identifier: GPL-2.0
"""Hunk files: where they apply, what is refused, and how one is made again."""
import os
import re

import pytest

import hunks
import tree
from files import text, write
from order import Refused
from small import lay_out, order

TOP = tree.TOP
BASE = tree.BASE

BODY = "{\n\tint a = 0;\n\n\tlock();\n\tcall();\n\tunlock();\n\treturn a;\n}\n\n"
FILE = "#include <a.h>\n\n" + "".join(f"static int {name}(int first_of_arguments, int second)\n{BODY}"
                                     for name in ("one", "two"))
TWO = "static int two(int first_of_arguments, int second)"
FIRST, LAST = FILE.split(TWO)
# Two patches change the second function, the later one beside the earlier one's line.
HUNK = f"""--- a/kernel/a.c
+++ b/kernel/a.c
@@ -15,7 +15,7 @@ {TWO}
 \tint a = 0;
 
 \tlock();
-\tcall();
+\tcall_twice();
 \tunlock();
 \treturn a;
 }}
"""
LATER = f"""--- a/kernel/a.c
+++ b/kernel/a.c
@@ -16,6 +16,7 @@ {TWO}
 
 \tlock();
 \tcall_twice();
+\tcall_late();
 \tunlock();
 \treturn a;
 }}
"""
ORDER = order("cover A series", "topic all All", "patch kernel: a\ntake hunk:early/",
              "patch kernel: b\ntake hunk:late/")


@pytest.fixture(name="top")
def a_series_of_two_patches(monkeypatch, where):
    """A base of two files; both patches change the same function of one."""
    lay_out(monkeypatch, where, ORDER, {
        "build/base/kernel/a.c": FILE, "build/base/kernel/b.c": "int b;\n",
        "series/hunks/early/kernel/a.c.patch": HUNK, "series/hunks/late/kernel/a.c.patch": LATER})
    return where


def applied(hunk, base=FILE, name="early/kernel/a.c"):
    return "".join(hunks.HunkFile(name, hunk).apply(hunks.split(base)))


def refusal(*args, **kwargs):
    with pytest.raises(Refused) as why:
        applied(*args, **kwargs)
    return str(why.value)


def without(line, hunk=HUNK):
    """@hunk with one line of context less, and a header that says so."""
    assert line in hunk
    return hunk.replace(line, "", 1).replace(",7 ", ",6 ")


def test_a_hunk_lands_in_the_function_that_its_header_names():
    first, last = (half.replace("call()", "call_twice()") for half in (FIRST, LAST))
    assert applied(HUNK) == FIRST + TWO + last
    assert applied(HUNK.replace(" two(", " one(")) == first + TWO + LAST


def test_line_numbers_do_not_decide():
    assert applied(HUNK, "\n" * 50 + FILE) == "\n" * 50 + applied(HUNK)
    assert applied(HUNK.replace("@@ -15", "@@ -3")) == applied(HUNK)


def test_a_name_may_be_cut_where_diff_cuts_it():
    assert applied(HUNK.replace(TWO, TWO[:40])) == applied(HUNK)
    assert "another function" in refusal(HUNK.replace(TWO, TWO[:39]))


@pytest.mark.parametrize("hunk, base, why", [
    (HUNK, FILE.replace("unlock", "release"),
     f"hunk 1 (@@ -15,7 +15,7 @@ {TWO}): its lines are not in kernel/a.c"),
    (HUNK, FIRST + TWO + LAST.replace("call", "other"),
     "its lines are in another function, line 5: static int one("),
    (HUNK, FILE.replace("two", "second").replace("call", "other"), "has no such function"),
    (HUNK.replace(" " + TWO, ""), FILE, "another function"),
    (HUNK, FIRST + TWO + LAST.replace("}\n", "}" + BODY[1:], 1), "more than once, at 15, 22"),
    (without(" \tint a = 0;\n"), FILE, "lines of context, wants 3"),
    (without(" }\n"), FILE, "lines of context, wants 3"),
    (HUNK.replace("-15,7", "-15,8"), FILE, "than its header says"),
    (HUNK.replace("-15,7 +15,7", "-15,8 +15,8") + HUNK.split("\n", 2)[2], FILE,
     "than its header says"),
    (HUNK + HUNK.split("\n", 2)[2].replace(" two(", " one("), FILE, "before the hunk before it"),
    (HUNK + HUNK.replace("a.c", "b.c"), FILE, "line 12 is no hunk's: --- a/kernel/b.c")],
                         ids=["other context", "another function", "no such function", "no name",
                              "twice", "little before", "little behind", "count", "both counts",
                              "order", "two files"])
def test_a_hunk_that_does_not_fit_is_refused(hunk, base, why):
    said = refusal(hunk, base)
    assert said.startswith("series/hunks/early/kernel/a.c.patch: ") and why in said


def test_a_label_is_no_function():
    labelled = FILE.replace("\tint a = 0;\n", "\tint a = 0;\nagain:\n\tmore();\n\tmore();\n\tmore();\n")
    hunk = HUNK.replace(" \tint a = 0;\n", " \tmore();\n")
    assert applied(hunk, labelled).count("call_twice") == 1


def test_the_ends_of_a_file_need_no_context():
    hunk = "--- a/kernel/a.c\n+++ b/kernel/a.c\n@@ -1,3 +1,4 @@\n+new\n one\n two\n three\n@@ -4,3 +5,4 @@ {}\n" \
        " four\n five\n six\n+end\n"
    base = "one\ntwo\nthree\nfour\nfive\nsix\n"
    assert applied(hunk.format("three"), base) == "new\n" + base + "end\n"
    assert "lines of context" in refusal(hunk.format("three"), "zero\n" + base)
    assert "lines of context" in refusal(hunk.format("three"), base + "seven\n")


def test_a_file_may_end_without_a_newline():
    hunk = "--- a/kernel/a.c\n+++ b/kernel/a.c\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
    assert applied(hunk, "a") == "b\n"
    assert "its lines are not" in refusal(hunk, "a\n")


@pytest.mark.parametrize("wrong", [
    HUNK.replace("kernel/a.c", "kernel/b.c"), HUNK.replace("+++ b/kernel/a.c", "+++ b/kernel/b.c"),
    HUNK.replace("--- a/kernel/a.c", "--- /dev/null"), ""], ids=["both", "new", "none", "empty"])
def test_a_hunk_file_is_named_after_the_file_that_it_changes(wrong):
    assert "series/hunks/early/kernel/a.c.patch: changes" in refusal(wrong)


def prepare_refused(*words):
    """Prepare a tree that is not there: it must not be there afterwards, either."""
    with pytest.raises(Refused) as why:
        tree.prepare()
    assert not os.path.exists(tree.TREE)
    assert [w for w in words if w not in str(why.value)] == [], str(why.value)


def test_patches_of_the_series_change_a_file_in_their_order(top):
    tree.prepare()
    assert text(f"{tree.TREE}/kernel/a.c") == applied(LATER, applied(HUNK))
    write(tree.ORDER, ORDER.replace("early", "x").replace("late", "early").replace("x/", "late/"))
    os.system(f"rm -rf {top}/build/tree")
    prepare_refused("series/hunks/late/kernel/a.c.patch: hunk 1", "its lines are not in kernel/a.c")


def test_nothing_is_written_when_a_hunk_is_refused(top):
    tree.prepare()
    before = text(f"{tree.TREE}/kernel/a.c")
    write(f"{top}/kernel/ours.c", "int ours;\n")
    write(tree.hunk_path("late/kernel/a.c"), LATER.replace("lock();", "hold();"))
    with pytest.raises(Refused):
        tree.prepare()
    assert text(f"{tree.TREE}/kernel/a.c") == before and not os.path.exists(f"{tree.TREE}/kernel/ours.c")


def test_a_file_in_two_hunks_of_one_patch_is_refused(top):
    write(tree.ORDER, ORDER.replace("take hunk:early/\n", "take hunk:early/\ntake hunk:late/\n"))
    prepare_refused("\"kernel: a\" has two hunk files for kernel/a.c: early/kernel/a.c, late/kernel/a.c")


def test_a_hunk_that_no_patch_takes_is_refused(top):
    write(tree.ORDER, ORDER.replace("take hunk:late/\n", ""))
    prepare_refused("no patch takes hunk:late/kernel/a.c")


@pytest.mark.parametrize("name", ["a.patch", "early/kernel/a.c.orig"])
def test_a_file_that_is_no_patchs_hunk_is_refused(top, name):
    write(f"{tree.HUNKS}/{name}", HUNK)
    prepare_refused(f"series/hunks/{name}: is not named PATCH/PATH.patch")


def test_an_upstream_file_that_has_gone_is_named(top):
    os.unlink(f"{tree.BASE}/kernel/a.c")
    prepare_refused("series/hunks/early/kernel/a.c.patch: the base has no kernel/a.c")


def test_a_moved_file_is_changed_by_its_new_name(top):
    write(f"{top}/series/moved", "kernel/old.c kernel/a.c\n")
    os.rename(f"{tree.BASE}/kernel/a.c", f"{tree.BASE}/kernel/old.c")
    tree.prepare()
    assert "call_late" in text(f"{tree.TREE}/kernel/a.c") and not os.path.exists(f"{tree.TREE}/kernel/old.c")


def edit(old, new, path="kernel/a.c"):
    whole = text(f"{tree.TREE}/{path}")
    assert old in whole
    os.unlink(f"{tree.TREE}/{path}")
    write(f"{tree.TREE}/{path}", whole.replace(old, new))
    return text(f"{tree.TREE}/{path}")


@pytest.mark.parametrize("patch", ["early", "late"])
def test_an_edit_of_the_tree_becomes_the_hunk_of_its_patch(top, patch):
    tree.prepare()
    edited = edit("\treturn a;\n", "\treturn a + 1;\n")		# context of both
    tree.rewrite("kernel/a.c", patch)
    tree.prepare()
    assert text(f"{tree.TREE}/kernel/a.c") == edited
    assert [n for n in tree.hunk_names() if "+\treturn a + 1;" in text(tree.hunk_path(n))] == [f"{patch}/kernel/a.c"]
    assert TWO in text(tree.hunk_path(f"{patch}/kernel/a.c"))


def test_an_edit_of_what_two_patches_change_needs_to_say_which(top):
    tree.prepare()
    with pytest.raises(Refused, match="early/kernel/a.c, late/kernel/a.c"):
        tree.rewrite("kernel/a.c", "")


def test_an_edit_that_a_later_patch_changes_again_is_left_to_the_editor(top):
    tree.prepare()
    edit("call_late", "call_later")
    with pytest.raises(Refused, match="by hand"):
        tree.rewrite("kernel/a.c", "early")
    tree.rewrite("kernel/a.c", "late")
    assert "call_later" in text(tree.hunk_path("late/kernel/a.c"))


def test_an_upstream_file_gets_its_first_hunk(top):
    tree.prepare()
    with pytest.raises(Refused, match="file of its own"):
        tree.rewrite("kernel/b.c", "late")
    edit("int b;", "int c;", "kernel/b.c")
    tree.rewrite("kernel/b.c", "late")
    tree.prepare()
    assert text(f"{tree.TREE}/kernel/b.c") == "int c;\n" and text(f"{tree.BASE}/kernel/b.c") == "int b;\n"


def test_a_hunk_file_without_a_change_goes(top):
    tree.prepare()
    edit("\tcall_late();\n", "")
    tree.rewrite("kernel/a.c", "late")
    assert tree.hunk_names() == ["early/kernel/a.c"]


def test_a_hunk_gets_the_context_that_tells_its_place():
    same = "\tlock();\n\tcall();\n\tunlock();\n\tsync();\n"
    old = "int one(void)\n{\n" + 9 * same + "}\n"
    new = old.replace(same, same.replace("call", "other"), 5).replace("other", "call", 4)
    made = hunks.made("early/kernel/a.c", hunks.split(old), hunks.split(new))
    assert applied(made, old) == new and len(made.split("\n")) > 12


def tables_of_upstream():
    """(upstream file, folder of ours, functions, names of our files) for each row of rebasing.rst."""
    with open(os.path.join(TOP, "series", "doc", "rebasing.rst"), encoding="utf-8") as f:
        for line in f:
            if m := re.fullmatch(r"\*(\S+\.c)\* +\*(\S+)\*\n", line):
                upstream, folder = m[1], m[2]
            elif line.startswith("``") and (m := re.fullmatch(r"(``\w+``(?:, ``\w+``)*) +(\w+\.c(?:, \w+\.c)*)\n", line)):
                yield upstream, folder, re.findall(r"\w+", m[1]), m[2].split(", ")


def test_upstreams_functions_and_our_files_for_them_are_there():
    rows = list(tables_of_upstream())
    assert len({row[0] for row in rows}) == 6
    for upstream, folder, functions, files in rows:
        sources = [p for p in (upstream, upstream.replace(".c", ".h")) if os.path.exists(os.path.join(BASE, p))]
        whole = "".join(text(os.path.join(BASE, p)) for p in sources)
        assert [f for f in functions if not re.search(rf"(?m)^[^\s#/][^;=]*\b{f}\(", whole)] == [], upstream
        ours = [name for _, _, names in os.walk(os.path.join(TOP, folder)) for name in names]
        assert [f for f in files if f not in ours] == [], folder
