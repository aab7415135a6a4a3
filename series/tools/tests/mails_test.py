# SPDX-License-Identifier: GPL-2.0
"""Mails of a small series: what is refused, what they say, and the states between them."""
import os
import re
import time

import pytest

import makefiles
import patches
import reach
import states
import tree
from files import text, write
from order import Refused, mails, options, read_order, topics
from small import HUNK, MAKEFILE, WITH_OURS, git, lay_out, line_more, spoken

MORE, WITH_MORE = line_more(WITH_OURS, "more")
# It needs that of the option.
LAST, _ = line_more(WITH_MORE, "last")
ORDER = """cover A series

The letter.

{figures}

topic part The kernel's part

What it is.

patch kernel: add what is ours
take kernel/ours.c
inert The next patch names it.

It is not built yet.

patch kernel: build what is ours
take hunk:ours/
take moved:kernel/old.c

It is built now.

option more More of it
needs part

What can be left out.

patch kernel: add more
take kernel/more.c
take hunk:more/

There is more.
"""
README = """# A series
| | before | after |
|---|---|---|
| a call | 10 | 5 |
"""


@pytest.fixture(name="top")
def a_series_of_three_mails(monkeypatch, where):
    lay_out(monkeypatch, where, ORDER, {
        "build/base/Makefile": "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n",
        "build/base/kernel/Makefile": MAKEFILE, "build/base/kernel/old.c": "int old;\n",
        "series/hunks/ours/kernel/Makefile.patch": HUNK, "series/hunks/more/kernel/Makefile.patch": MORE,
        "series/moved": "kernel/old.c /dev/null\n", "README.md": README,
        "kernel/ours.c": "int ours;\n", "kernel/more.c": "int more;\n"})
    monkeypatch.setattr(patches, "OUT", f"{where}/build/patches")
    return where


def make(*argv):
    """What patches.py says; the mails lie in build/patches."""
    return spoken(patches.main, argv)


def accepted(order, *topic):
    write(tree.ORDER, order)
    status, said = make(*topic)
    assert status == 0, said


def refusal(order=ORDER):
    write(tree.ORDER, order)
    status, said = make()
    assert status == 1 and not os.path.exists(patches.OUT), said
    return said


def mail(number, topic=""):
    where = os.path.join(patches.OUT, topic)
    return text(os.path.join(where, sorted(n for n in os.listdir(where) if n.endswith(".patch"))[number]))


def test_each_patch_is_a_mail(top):
    status, said = make()
    assert status == 0, said
    assert len(os.listdir(patches.OUT)) == 4
    assert "Subject: [PATCH 1/3] kernel: add what is ours\n" in mail(1)
    assert said.endswith("3 mails, the largest with 2 lines of code: kernel: build what is ours\n")


def test_each_mail_is_signed_and_names_the_base(top):
    make()
    for n in (1, 2, 3):
        assert len(re.findall(r"(?m)^Signed-off-by: \S.* <\S+@\S+>$", mail(n))) == 1
    for n in (0, 1, 2, 3):
        assert mail(n).count("\nbase-version: 7.3.4\n-- \n") == 1
        assert "base-commit" not in mail(n)


def test_the_commit_of_a_base_with_a_history_is_named(top):
    git(tree.BASE, "init", "-q")
    git(tree.BASE, "commit", "-q", "--allow-empty", "-m", "base")
    head = git(tree.BASE, "rev-parse", "HEAD")
    assert make()[0] == 0
    assert f"\nbase-version: 7.3.4\nbase-commit: {head}\n-- \n" in mail(1)


def test_the_letter_says_what_is_in_the_series(top):
    make()
    letter = mail(0)
    assert "Subject: [PATCH 0/3] A series\n" in letter and "HERE ***" not in letter
    assert re.search(r"(?m)^ +before +after\n=+\na call +10 +5$", letter)
    assert "\n1-2: The kernel's part\n    What it is.\n" in letter
    assert "\n3: More of it (option)\n    What can be left out.\n" in letter


def test_lines_of_the_letters_tables_are_no_longer_than_others(top):
    write(f"{top}/README.md", README.replace("a call", "a call " * 12))
    make()
    assert max(map(len, patches.figures().split("\n"))) <= patches.LINE_MAX
    assert patches.figures().count("call") == 12


def test_a_readme_without_figures_is_refused(top):
    write(f"{top}/README.md", "# A series\n")
    assert "README.md has no tables" in refusal()


def test_a_mail_with_too_much_code_is_refused(top):
    write(f"{top}/kernel/ours.c", "int ours;\n" * patches.LIMIT)
    assert make()[0] == 0
    write(f"{top}/kernel/ours.c", "int ours;\n" * (patches.LIMIT + 1))
    assert "\"kernel: add what is ours\" has 601 lines of code, more than 600" in refusal()


@pytest.mark.parametrize("path", ["Documentation/ours.rst", "tools/testing/ours/big.c", "samples/ours/big.c",
                                  "kernel/tests/big.c", "kernel/big_kunit.c"])
def test_tests_and_documentation_are_no_code(top, path):
    write(f"{top}/{path}", "int big;\n" * 1100)
    accepted(ORDER.replace("take kernel/ours.c\n", f"take kernel/ours.c\ntake {path}\n"))


def test_lines_that_are_taken_away_count(top):
    write(f"{tree.BASE}/kernel/old.c", "int old;\n" * patches.LIMIT)
    assert "\"kernel: build what is ours\" has 601 lines of code" in refusal()


@pytest.mark.parametrize("subject, why", [
    ("Add what is ours", "is no \"subsystem: verb object\""),
    ("kernel: add what is ours.", "is no \"subsystem: verb object\""),
    ("kernel: add", "is no \"subsystem: verb object\""),
    ("kernel: adding what is ours", "does not begin with a verb, but \"adding\""),
    ("kernel: added what is ours", "does not begin with a verb, but \"added\""),
    ("kernel: adds what is ours", "does not begin with a verb, but \"adds\""),
    ("kernel: add " + "x" * 61, "is longer than 72 characters")],
                         ids=["none", "stop", "short", "ing", "ed", "s", "long"])
def test_a_subject_out_of_form_is_refused(top, subject, why):
    assert f"\"{subject}\" {why}" in refusal(ORDER.replace("kernel: add what is ours", subject))


@pytest.mark.parametrize("subject", ["x86/kernel: pass what is ours", "selftests: kernel: feed what is ours",
                                     "kernel: Add what is ours", "kernel: add " + "x" * 60],
                         ids=["pass", "feed", "capital", "long"])
def test_subjects_in_form_are_taken(top, subject):
    accepted(ORDER.replace("kernel: add what is ours", subject))


ANOTHER = "\ntopic another Another\n\nIt.\n"


@pytest.mark.parametrize("old, new, why", [
    ("{figures}", "None.", "has no line {figures}"),
    ("What can be left out.", "{figures}", "has a line {figures}"),
    ("It is not built yet.\n", "", "has no message"),
    ("It is not built yet.", "It is " + "n" * 70, "more than 75 characters"),
    ("There is more.\n", f"There is.\n{ANOTHER}\npatch kernel: add another\ntake kernel/another.c\n\nIt.\n",
     "\"Another\" comes after an option"),
    ("There is more.\n", "There is.\n" + ANOTHER, "has no patch"),
    ("topic part The", "topic empty Empty\n\nIt.\n\ntopic part The", "has no patch"),
    ("topic part The kernel's part\n", "topic part The kernel's part\ntake kernel/ours.c\n",
     "only a patch takes anything"),
    ("needs part\n", "", "the topic more does not apply after what it needs"),
    ("topic part The kernel's part\n", "topic part The kernel's part\nneeds more\n",
     "part needs more, which is no topic before it")],
                         ids=["no-figures", "figures", "no-message", "long-line", "topic-after-option", "last-empty",
                              "first-empty", "topic-takes", "needs-more-than-it-says", "needs-a-later-one"])
def test_an_order_out_of_form_is_refused(top, old, new, why):
    assert old in ORDER and why in refusal(ORDER.replace(old, new))


def test_the_name_of_a_commit_that_is_fixed_may_be_long(top):
    line = f'Fixes: 0123456789ab ("kernel: {"x" * 70}")'
    accepted(ORDER.replace("It is not built yet.", "It is not built yet.\n\n" + line))
    assert "more than 75 characters" in refusal(ORDER.replace("It is not built yet.", line.replace("0123", "123")))


def test_an_option_that_another_needs_is_refused(top):
    write(tree.hunk_path("last/kernel/Makefile"), LAST)
    order = ORDER + "\noption last The last\nneeds part more\n\nIt.\n\npatch kernel: add the last\ntake hunk:last/\n\nIt.\n"
    why = refusal(order)
    assert "without the option more: series/hunks/last/kernel/Makefile.patch" in why, why


def state(blocks):
    where = os.path.join(tree.BUILD, "state")
    tree.lay(where, states.touched(blocks))
    return {name: text(os.path.join(where, "kernel", name)) for name in sorted(os.listdir(where + "/kernel"))}


def test_a_state_has_the_first_mails(top):
    blocks = states.shared_out()
    assert state(mails(blocks)[:0]) == {"Makefile": MAKEFILE, "old.c": "int old;\n"}
    assert state(mails(blocks)[:1]) == {"Makefile": MAKEFILE, "old.c": "int old;\n", "ours.c": "int ours;\n"}
    assert sorted(state(mails(blocks)[:2])) == ["Makefile", "ours.c"]
    whole = state(mails(blocks))
    assert sorted(whole) == ["Makefile", "more.c", "ours.c"] and "ours.o\nobj-y += more.o" in whole["Makefile"]
    assert sorted(state(mails(blocks)[:1])) == ["Makefile", "old.c", "ours.c"]
    assert text(f"{tree.BASE}/kernel/Makefile") == MAKEFILE


def test_the_series_without_an_option(top):
    blocks = states.shared_out()
    assert state(states.without(blocks, "more")) == state(mails(blocks)[:2])
    with pytest.raises(Refused, match="has no option less, but more"):
        states.without(blocks, "less")


def test_a_folder_that_is_no_state_is_kept(top):
    for number in "1", "2":
        assert spoken(states.main, ["after", number, f"{top}/build/state"])[0] == 0
    with pytest.raises(Refused, match="is no earlier state"):
        states.main(["after", "1", f"{top}/kernel"])
    assert os.path.exists(f"{top}/kernel/ours.c")


def test_a_state_touches_only_what_differs(top):
    blocks = states.shared_out()
    where = os.path.join(tree.BUILD, "state")
    stamps = []
    for count in (1, 2, 3, 2):
        tree.lay(where, states.touched(mails(blocks)[:count]))
        os.utime(f"{where}/kernel/ours.c", ns=(count, count))
        stamps.append(os.stat(f"{where}/kernel/Makefile").st_mtime_ns)
        time.sleep(0.02)			# the grain of a file's time
    assert os.stat(f"{where}/kernel/ours.c").st_mtime_ns == 2
    assert len(set(stamps)) == 4 and stamps == sorted(stamps)	# older is not newer for make
    assert tree.lay(where, states.touched(mails(blocks)[:2])) == 0


def test_states_with_the_same_files_have_the_same_word(top):
    blocks = mails(states.shared_out())
    words = [tree.digest(states.touched(blocks[:n])) for n in range(4)]
    assert len(set(words)) == 4
    assert tree.digest(states.touched(blocks[:1]), ["kernel/ours"]) == words[0]


OPTIONS = [b.name for b in options(read_order(tree.ORDER))]


@pytest.mark.parametrize("option", OPTIONS)
def test_this_series_without_an_option_differs_in_its_files_alone(option):
    blocks = states.shared_out()
    rest = states.without(blocks, option)
    its = states.touched_by(b for b in mails(blocks) if b not in rest)
    whole, without = states.touched(mails(blocks)), states.touched(rest)
    differ = {p for p in {*whole, *without}
              if getattr(whole.get(p), "lines", None) != getattr(without.get(p), "lines", None)}
    grown = {p for p in differ - its if isinstance(whole[p], states.Growing)}
    assert differ == its | grown and its
    for path in grown:			# its objects have lines of their own
        assert set(without[path].lines) < set(whole[path].lines)


TOPICS = ORDER.replace(
    "topic part The kernel's part\n", "topic part The kernel's part\nto list@localhost\nfigures a call\n").replace(
    "What it is.", "What it is.\n\n{figures}")


def test_a_topic_is_a_series_of_its_own(top):
    accepted(TOPICS, "part")
    letter = mail(0, "part")
    assert "Subject: [PATCH 0/2] The kernel's part\n" in letter and "To: list@localhost\n" in letter
    assert re.search(r"(?m)^a call +10 +5$", letter) and "\nBased on v7.3.4.\n" in letter
    assert " | " not in letter
    assert make("more")[0] == 0
    assert "\nDepends on: \"The kernel's part\".\n" in mail(0, "more")
    assert "\nprerequisite-topic: part\n-- \n" in mail(1, "more") and "[PATCH 1/1]" in mail(1, "more")


def test_an_unknown_topic_is_answered_with_all(top):
    make()
    for name in ("less", ""):
        status, said = make(name)
        assert status == 1 and "has no topic" in said and "but part, more" in said
        assert mail(0)			# the mails of the whole stay


def test_an_include_of_a_later_header_is_refused(top):
    write(f"{top}/kernel/late.h", "int late;\n")
    write(f"{top}/kernel/ours.c", "#ifdef CONFIG_X\n#include \"late.h\"\n#endif\n")
    order = ORDER.replace("take kernel/more.c\n", "take kernel/more.c\ntake kernel/late.h\n")
    accepted(order)
    write(f"{top}/kernel/ours.c", "#include \"late.h\"\n")
    assert "kernel/ours.c needs kernel/late.h, which is not there yet" in refusal(order)


def test_an_include_that_a_hunk_adds_is_of_a_header_that_is_there(top):
    write(f"{top}/kernel/late.h", "int late;\n")
    write(f"{tree.BASE}/kernel/theirs.c", "int one;\nint two;\nint three;\n")
    write(tree.hunk_path("ours/kernel/theirs.c"), "--- a/kernel/theirs.c\n+++ b/kernel/theirs.c\n@@ -1,3 +1,4 @@\n"
          "+#include \"late.h\"\n int one;\n int two;\n int three;\n")
    order = ORDER.replace("take kernel/more.c\n", "take kernel/more.c\ntake kernel/late.h\n")
    assert "kernel/theirs.c needs kernel/late.h, which is not there yet" in refusal(order)
    accepted(ORDER.replace("take hunk:ours/\n", "take hunk:ours/\ntake kernel/late.h\n"))


@pytest.mark.parametrize("line", [".. kernel-doc:: Documentation/trace/late.rst", "See :doc:`late` and :doc:`more`.",
                                  "See :doc:`the later page </trace/late>`.", "   late"])
def test_a_link_to_a_later_page_is_refused(top, line):
    write(f"{top}/Documentation/trace/late.rst", "Late\n")
    write(f"{top}/Documentation/trace/early.rst", f"Early\n\n{line}\n")
    order = ORDER.replace("take kernel/ours.c\n", "take kernel/ours.c\ntake Documentation/trace/early.rst\n")
    assert "trace/early.rst needs Documentation/trace/late.rst, which is not there yet" in refusal(
        order.replace("take kernel/more.c\n", "take kernel/more.c\ntake Documentation/trace/late.rst\n"))
    accepted(order.replace("early.rst\n", "early.rst\ntake Documentation/trace/late.rst\n"))


def test_a_source_that_nothing_compiles_is_refused(top):
    assert "\"kernel: add what is ours\": nothing compiles kernel/ours.c" in refusal(
        ORDER.replace("inert The next patch names it.\n", ""))
    assert "\"kernel: build what is ours\" is compiled" in refusal(
        ORDER.replace("take hunk:ours/\n", "take hunk:ours/\ninert It is not.\n"))
    accepted(ORDER, "part")
    assert "\nNot compiled before patch 2: \"kernel: add what is ours\".\n" in mail(0, "part")


GROWING = """# SPDX-License-Identifier: GPL-2.0
# Of all of it.
ccflags-y += -Os
CFLAGS_late.o := -Os

obj-y := early.o late.o
obj-$(CONFIG_MODULES) += module.o
ifdef CONFIG_OURS
# Of a choice.
obj-$(CONFIG_OURS) += chosen.o
endif
ifdef CONFIG_KASAN
obj-y += shadow.o
endif
obj-$(CONFIG_OURS_TEST) += parts.o
parts-y := tests/one.o tests/two.o
obj-$(CONFIG_OURS_TEST) += tests/our_kunit.o
"""
FIRST = """# SPDX-License-Identifier: GPL-2.0
# Of all of it.
ccflags-y += -Os
ccflags-y += -DCONFIG_OURS

# With COMPILE_TEST these are compiled, and not linked before they are all there.
lib-y += early.o
"""


LINKED = """# SPDX-License-Identifier: GPL-2.0
# Of all of it.
ccflags-y += -Os
CFLAGS_late.o := -Os

obj-y := early.o late.o
ifdef CONFIG_OURS
# Of a choice.
obj-$(CONFIG_OURS) += chosen.o
endif
obj-$(CONFIG_OURS_TEST) += parts.o
parts-y := tests/two.o
obj-$(CONFIG_OURS_TEST) += tests/our_kunit.o
"""
THE_REST = """
patch kernel: add the rest
take kernel/ours/module.c
take kernel/ours/shadow.c
take kernel/ours/tests/one.c

It is complete now.
"""


@pytest.fixture(name="growing")
def a_folder_that_is_compiled_early(top, monkeypatch):
    monkeypatch.setattr(makefiles, "ours", lambda: {"CONFIG_OURS", "CONFIG_OURS_TEST"})
    write(f"{top}/kernel/ours/Makefile", GROWING)
    for name in ("early", "late", "chosen", "tests/two", "tests/our_kunit"):
        write(f"{top}/kernel/ours/{name}.c", "int here;\n")
    os.remove(f"{top}/kernel/ours.c")
    write(tree.hunk_path("ours/kernel/Makefile"), HUNK.replace("ours.o", "ours/"))
    write(tree.hunk_path("more/kernel/Makefile"), MORE.replace("ours.o", "ours/"))
    for name in ("module", "shadow", "tests/one"):
        write(f"{top}/kernel/ours/{name}.c", "int last;\n")
    order = (ORDER + THE_REST).replace("take kernel/ours.c\ninert The next patch names it.\n", """take kernel/ours/early.c
take hunk:ours/
grow kernel/ours/Makefile -DCONFIG_OURS
""").replace("take hunk:ours/\ntake moved", """take kernel/ours/late.c
take kernel/ours/chosen.c
take kernel/ours/tests/two.c
take kernel/ours/tests/our_kunit.c
take moved""").replace("take kernel/more.c\n", "take kernel/more.c\ntake kernel/ours/Makefile\n")
    write(tree.ORDER, order)
    return order


def test_a_makefile_grows_with_its_objects(growing):
    blocks = mails(states.shared_out())
    lines = ["".join(states.touched(blocks[:n])["kernel/ours/Makefile"].lines) for n in (1, 2, 3, 4)]
    assert lines[0] == FIRST
    assert lines[1].count("lib-y += ") == 4 and "lib-$(CONFIG_KUNIT) += tests/our_kunit.o\n" in lines[1]
    assert "CFLAGS_late.o := -Os\n" in lines[1] and "# Of a choice.\nlib-y += chosen.o\n" in lines[1]
    assert "lib-y += tests/two.o\n" in lines[1] and "one.o" not in lines[1]
    for gone in ("module.o", "KASAN", "endif", "CONFIG_OURS)"):
        assert gone not in lines[1]
    assert lines[2:] == [LINKED, GROWING]
    status, said = make()
    assert status == 0, said
    assert "+++ b/kernel/ours/Makefile\n" in mail(2) and "+lib-y += late.o\n" in mail(2)
    assert "+obj-y := early.o late.o\n" in mail(3)
    assert "+obj-$(CONFIG_MODULES) += module.o\n" in mail(4) and "+parts-y := tests/one.o tests/two.o\n" in mail(4)


def test_a_makefile_that_grows_has_to_be_taken(growing):
    assert "grows kernel/ours/Makefile, which no later patch takes" in refusal(
        growing.replace("take kernel/ours/Makefile\n", "").replace("take kernel/ours/early.c\n", """take kernel/ours/early.c
take kernel/ours/Makefile
"""))


@pytest.mark.parametrize("rules, reached", [
    ("obj-y += ours.o", True), ("obj-y += other-ours.o", False), ("# ours.o", False), ("obj-y += yours/ours.o", False),
    ("obj-$(CONFIG_LATE) += ours.o", False), ("ours-objs := $(addprefix below/, a.o)", False)])
def test_what_a_makefile_names_is_compiled(top, rules, reached):
    files = {"kernel/ours.c": tree.File(["int ours;\n"], 0o644),
             "kernel/Makefile": tree.File([rules + "\n"], 0o644)}
    assert reach.State(files, {"LATE"}).compiled("kernel/ours.c") == reached


@pytest.mark.parametrize("path, more, reached", [
    ("kernel/below/a.c", {"kernel/Makefile": "x-objs := $(addprefix below/, b.o a.o)"}, True),
    ("kernel/below/a.c", {"kernel/Makefile": "obj-y += below/", "kernel/below/Makefile": "obj-y += a.o"}, True),
    ("kernel/below/a.c", {"kernel/Makefile": "obj-y += other/", "kernel/below/Makefile": "obj-y += a.o"}, False),
    ("kernel/below/a_64.S", {"kernel/Makefile": "obj-y += below/", "kernel/below/Makefile": "obj-y += a_$(BITS).o"}, True),
    ("kernel/below/a.c", {"kernel/Makefile": "obj-y += b.o", "kernel/b.c": '#include "below/a.h"',
                          "kernel/below/a.h": '#include "a.c"'}, True),
    ("kernel/below/a.c", {"kernel/Makefile": "obj-y += b.o", "kernel/b.c": "", "kernel/c.c": '#include "below/a.c"'}, False),
    ("kernel/below/a.c", {"tools/testing/a/run.sh": 'units="kernel/below/b.c kernel/below/a.c"'}, True)],
                         ids=["prefix", "folder", "no-folder", "bits", "included", "not-included", "suite"])
def test_sources_are_reached_by_folders_includes_and_suites(top, path, more, reached):
    files = {name: tree.File([line + "\n"], 0o644) for name, line in {path: "int a;", **more}.items()}
    assert reach.State(files, set()).compiled(path) == reached


def test_a_large_mail_says_why_and_no_other_does(top):
    large = ORDER.replace("take kernel/ours.c\n", "take kernel/ours.c\nlarge One file.\n")
    assert "\"kernel: add what is ours\" is not large" in refusal(large)
    write(f"{top}/kernel/ours.c", "int ours;\n" * (patches.LIMIT + 1))
    accepted(large, "part")
    assert "One file." not in mail(0, "part")


def test_a_topic_with_too_many_mails_is_refused(top, monkeypatch):
    monkeypatch.setattr(patches, "MAILS", 1)
    assert "the topic part has 2 mails, more than 1" in refusal()
    accepted(ORDER.replace("kernel's part\n", "kernel's part\nlong It is.\n"))


def test_a_long_letter_is_refused(top):
    write(tree.ORDER, ORDER.replace("What it is.", "What it is.\n" * 150))
    assert "the letter of part has" in make("part")[1]


def test_figures_that_are_not_there_are_refused(top):
    write(tree.ORDER, TOPICS.replace("figures a call", "figures a walk"))
    assert "no row of figures with \"a walk\"" in make("part")[1]


@pytest.mark.parametrize("topic", topics(read_order(tree.ORDER)), ids=lambda t: t.name)
def test_each_topic_of_this_series_says_to_whom_it_goes(topic):
    assert topic.said.get("to")


# Subsystems that begin what a patch does with a small letter.
SMALL_LETTERS = ("kallsyms", "mm", "net", "scripts")


def test_subjects_are_as_the_subsystem_writes_them():
    for mail in mails(read_order(tree.ORDER)):
        first = re.match(r"(?:[\w./-]+: )+(.)", mail.subject)[1]
        assert first.islower() == mail.subject.startswith(SMALL_LETTERS), mail.subject
