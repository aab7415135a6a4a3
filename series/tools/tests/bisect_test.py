# SPDX-License-Identifier: GPL-2.0
"""Which mails make bisect compiles and boots, and where another run goes on."""
import os

import pytest

import bisect_mails
import states
import tree
from files import text, write
from order import mails
from small import lay_out, order, spoken

ORDER = order(
    "cover A series", "topic first First", "patch kernel: add one\ntake kernel/one.c",
    "patch Documentation: describe one\ntake Documentation/one.rst", "topic second Second",
    "patch kernel: choose two\ntake kernel/two.c\ntake kernel/Kconfig.ours",
    "patch kernel: add three\ntake kernel/three.c")
COMPILE = bisect_mails.kernel
KCONFIG = "config FTRACE_COMBO\n\tbool\n\nmenuconfig TWO\n\tbool\n"


def set_work(monkeypatch, where):
    for name, value in (("WORK", ""), ("TREE", "tree"), ("DONE", "done")):
        monkeypatch.setattr(bisect_mails, name, os.path.join(where, value).rstrip("/"))


@pytest.fixture(name="series")
def a_series_of_four_mails(monkeypatch, where):
    """What would be built and booted is listed, as (what, choice, kernel's files)."""
    lay_out(monkeypatch, where, ORDER, {
        "series/config/small.config": "# Small.\nCONFIG_BASE=y\nCONFIG_TWO=y\n",
        "series/config/torture.config": "CONFIG_MORE=m\n", "series/config/compile-test.config": "",
        "series/config/ftrace-classic.config": "CONFIG_FTRACE_CLASSIC=y\n",
        "build/base/kernel/Kconfig": "config MORE\n", "Documentation/one.rst": "One.\n",
        "kernel/one.c": "int one;\n", "kernel/two.c": "int two;\n",
        "kernel/Kconfig.ours": KCONFIG, "kernel/three.c": "int three;\n"})
    set_work(monkeypatch, f"{where}-bisect")
    monkeypatch.setattr(bisect_mails, "CONFIG", f"{where}/series/config")
    done = []

    def kernel(choice, config, targets=""):
        names = sorted(os.listdir(bisect_mails.TREE + "/kernel"))
        done.append(("full" if not targets else "part", choice, " ".join(n for n in names if n.endswith(".c"))))
        if "bad;" in "".join(text(f"{bisect_mails.TREE}/kernel/{n}") for n in names):
            raise bisect_mails.Failed("does not compile (here)")
        return "bisect-" + choice

    def boot(name, new):
        done.append(("boot", name, new))
        return 7

    monkeypatch.setattr(bisect_mails, "kernel", kernel)
    monkeypatch.setattr(bisect_mails, "boot", boot)
    return done


def run(series, first=1, last=0, topic=None):
    """What a run says; @series has what it did."""
    series.clear()
    return spoken(bisect_mails.bisect, first, last, topic)


ALL = [("part", "new", "one.c"),
       ("full", "new", "one.c"), ("boot", "bisect-new", False),		# the topic's last is documentation
       ("part", "new", "one.c two.c"), ("part", "classic", "one.c two.c"),
       ("full", "new", "one.c three.c two.c"), ("boot", "bisect-new", True),
       ("full", "classic", "one.c three.c two.c"), ("boot", "bisect-classic", False)]


def test_each_mail_compiles_and_each_topic_boots_once(series):
    status, said = run(series)
    assert status == 0 and series == ALL
    assert "mails 1 to 4 of 4 compile" in said
    assert run(series)[0] == 0 and series == []


def test_another_run_goes_on_where_one_failed(series):
    write(f"{tree.TOP}/kernel/two.c", "int bad;\n")
    status, said = run(series)
    assert status == 1 and "mail 3 of 4, \"kernel: choose two\", does not compile (here)" in said
    assert series == ALL[:4]
    write(f"{tree.TOP}/kernel/two.c", "int two;\n")
    assert run(series)[0] == 0 and series == ALL[3:]


def test_an_edit_repeats_the_mails_from_there_on(series):
    run(series)
    write(f"{tree.TOP}/kernel/two.c", "int other;\n")
    assert run(series)[0] == 0 and series == ALL[3:]


def test_documentation_repeats_boots_alone(series):
    run(series)
    write(f"{tree.TOP}/Documentation/one.rst", "Two.\n")
    run(series)
    assert series == [ALL[1], ALL[2], *ALL[5:]]


def test_some_mails_alone(series):
    assert run(series, 1, 1)[0] == 0 and series == ALL[:1]
    assert run(series, 3, 3)[0] == 0 and series == ALL[3:5]
    for first, last in (0, 0), (3, 2), (5, 5), (1, 5):
        with pytest.raises(bisect_mails.Refused, match="there are mails 1 to 4"):
            run(series, first, last)


def test_a_topic_has_what_it_needs_and_no_more(series):
    status, said = run(series, topic="second")
    assert status == 0 and "mails 1 to 2 of 2 compile" in said
    assert series == [("part", "new", "two.c"), ("part", "classic", "two.c"),
                      ("full", "new", "three.c two.c"), ("boot", "bisect-new", True),
                      ("full", "classic", "three.c two.c"), ("boot", "bisect-classic", False)]
    write(tree.ORDER, ORDER.replace("topic second Second\n", "topic second Second\nneeds first\n"))
    assert run(series, 1, 1, "second")[0] == 0
    assert series == ALL[3:5]
    with pytest.raises(bisect_mails.Refused, match="has no topic third"):
        run(series, topic="third")


# As kbuild has it: compiled in the folder of objects, whose include/ comes first.
KERNEL = """
olddefconfig modules modules_install: ;
bzImage:
	mkdir -p $(O)/include $(O)/arch/x86/boot $(INSTALL_MOD_PATH)/lib/modules
	cd $(O) && for c in $(CURDIR)/kernel/*.c; do gcc -I./include -I$(CURDIR)/include -c $$c -o one.o || exit 1; done
	touch $(O)/arch/x86/boot/bzImage
"""


def test_a_header_of_a_later_mail_is_missed_outside_of_the_checkout(series, monkeypatch, where):
    monkeypatch.setattr(bisect_mails, "kernel", COMPILE)
    for name in ("small", "torture", "ftrace-classic"):
        write(f"{where}/series/config/{name}.config", "")
    write(f"{tree.BASE}/Makefile", KERNEL)
    os.makedirs(f"{tree.BASE}/include")
    write(f"{where}/kernel/one.c", "#include \"../../../samples/place.h\"\n")
    write(f"{where}/samples/place.h", "int place;\n")
    write(tree.ORDER, ORDER.replace("take kernel/three.c\n", "take kernel/three.c\ntake samples/place.h\n"))
    # In the checkout nothing is noticed: it has the header.
    set_work(monkeypatch, tree.BUILD)
    assert run(series, 1, 1)[0] == 0
    set_work(monkeypatch, f"{where}-bisect/one")
    status, said = run(series, 1, 1)
    assert status == 1 and "mail 1 of 4, \"kernel: add one\", does not compile" in said, said
    assert "samples/place.h: No such file" in said


def test_a_folder_in_a_checkout_is_refused(series, monkeypatch, where):
    set_work(monkeypatch, f"{where}/build/bisect")
    for argv in ([], ["1"], ["topic", "first"], ["without", "second"]):
        status, why = spoken(bisect_mails.main, argv)
        assert status == 1 and f"lies in the checkout {where}, " in why
    assert series == []


def test_a_part_is_compiled_and_not_listed(series, monkeypatch):
    monkeypatch.setattr(bisect_mails, "PART", "kernel/one.o")
    for _ in range(2):
        status, said = run(series)
        assert status == 0 and "mails 1 to 4 of 4 compile in part; 6 builds" in said
        assert [what for what, *_ in series] == ["part"] * 6
    assert not os.path.exists(bisect_mails.DONE)


def test_options_of_later_mails_are_not_asked_for(series):
    blocks = mails(states.shared_out())
    whole = states.touched(blocks)
    early, late = states.touched(blocks[:2]), whole
    assert bisect_mails.configuration("new", early, whole) == "CONFIG_BASE=y\nCONFIG_MORE=m\n"
    assert bisect_mails.configuration("new", late, whole) == "CONFIG_BASE=y\nCONFIG_TWO=y\nCONFIG_MORE=m\n"
    assert bisect_mails.configuration("classic", late, whole) == \
        "CONFIG_BASE=y\nCONFIG_TWO=y\nCONFIG_FTRACE_CLASSIC=y\n"


SAID = """FILE test.d/00basic/a.tc
ok 1 A
FILE test.d/00basic/b.tc
ok 1 B # SKIP
FILE test.d/00basic/c.tc
not ok 1 C # {}
"""


def test_a_test_that_a_small_kernel_skips_is_no_fault():
    assert bisect_mails.faults(SAID.format("UNRESOLVED"), {}) == ([], 1)


@pytest.mark.parametrize("verdict", ["FAIL", "UNKNOWN"])
def test_a_test_that_fails_is_a_fault(verdict):
    said = SAID.format(verdict) if verdict == "FAIL" else SAID.format("FAIL").replace("# FAIL", "")
    bad, passed = bisect_mails.faults(said, {})
    assert passed == 1 and len(bad) == 1 and "00basic/c.tc: FAIL" in bad[0]


def test_a_test_that_fails_on_the_classic_kernel_is_no_fault():
    assert bisect_mails.faults(SAID.format("FAIL"), {"test.d/00basic/c.tc": ("FAIL", "why")})[0] == []


def test_short_tests_come_first(tmp_path):
    names = [f"test.d/{n}.tc" for n in ("event/a", "00basic/b", "ftrace/c", "00basic/d", "other/e")]
    for name in names:
        write(f"{tmp_path}/tools/testing/selftests/ftrace/{name}", "")
    tests = bisect_mails.tests_of(str(tmp_path), True)
    assert sorted(tests[:2]) == [names[1], names[3]] and sorted(tests[2:]) == [names[0], names[2]]


def test_the_classic_tracer_need_not_pass_tests_of_the_new_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tree, "BASE", f"{tmp_path}/base")
    names = [f"test.d/{n}.tc" for n in ("ftrace/kernels", "ftrace/ours", "tracepoint/ours")]
    for where, its in ("base", names[:1]), ("tree", names):
        for name in its:
            write(f"{tmp_path}/{where}/tools/testing/selftests/ftrace/{name}", "")
    assert sorted(bisect_mails.tests_of(f"{tmp_path}/tree", False)) == [names[0], names[2]]


@pytest.mark.parametrize("said", ["", SAID.format("UNRESOLVED")], ids=["none", "one"])
def test_a_boot_in_which_few_tests_pass_is_a_fault(monkeypatch, said):
    monkeypatch.setattr(bisect_mails, "WORK", tree.BUILD)
    monkeypatch.setattr(bisect_mails.texts, "write", lambda *args: None)
    monkeypatch.setattr(bisect_mails, "tests_of", lambda *args: [])
    monkeypatch.setattr(bisect_mails.guests, "ftracetest_part", lambda tally, *args: (tally, said))
    with pytest.raises(bisect_mails.Failed, match=f"only {said.count('ok 1 A')} tests passed"):
        bisect_mails.boot("bisect-new", True)
