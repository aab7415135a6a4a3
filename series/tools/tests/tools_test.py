# SPDX-License-Identifier: GPL-2.0
"""Tests of the tools themselves, on small trees and made-up consoles."""
import argparse
import fcntl
import glob
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading

import pytest

import bpf_selftests
import copies
import expected
import hosts
import lint
import machine
import order as mails
import plugin
import recipes
import results
import states
import stub
import test as runner
import tree
import verdicts as judges
from files import text, write
from small import HUNK, MAKEFILE, WITH_OURS, git, lay_out, order, spoken, write_script

ORDER = "# a comment\n\n" + order("cover Dynamic things", "topic ours What is ours", """\
patch kernel: ours
take kernel/ours.c
take hunk:kbuild/
take moved:kernel/old.c""")


@pytest.fixture(name="tally")
def a_quiet_tally():
    return results.Tally()


@pytest.fixture(name="top")
def a_series_of_one_mail(monkeypatch, where):
    """A base of three files and a series of one file, one hunk, one move."""
    lay_out(monkeypatch, where, ORDER, {
        "build/base/kernel/Makefile": MAKEFILE, "build/base/kernel/fork.c": "int fork;\n",
        "build/base/kernel/old.c": "int old;\n", "series/hunks/kbuild/kernel/Makefile.patch": HUNK,
        "series/moved": "kernel/old.c kernel/classic.c\n", "kernel/ours.c": "int ours;\n"})
    return where


def content_of(folder):
    return {path: text(f"{folder}/{path}") for path in tree.files_below(folder)}


def test_the_tree_is_base_plus_series(top):
    tree.prepare()
    assert content_of(tree.TREE) == {
        "kernel/ours.c": "int ours;\n", "kernel/Makefile": WITH_OURS,
        "kernel/fork.c": "int fork;\n", "kernel/classic.c": "int old;\n"}


def test_the_base_stays_untouched(top):
    before = content_of(tree.BASE)
    tree.prepare()
    assert before == content_of(tree.BASE)
    assert os.path.samefile(f"{tree.BASE}/kernel/fork.c", f"{tree.TREE}/kernel/fork.c")


def test_the_key_of_the_tree_tells_its_content(top):
    tree.prepare()
    first = text(f"{tree.TREE}.key")
    tree.prepare()
    assert text(f"{tree.TREE}.key") == first
    write(f"{top}/kernel/ours.c", "int ours = 1;\n")
    tree.prepare()
    assert text(f"{tree.TREE}.key") != first


def test_what_the_series_drops_is_the_bases_again(top):
    tree.prepare()
    os.unlink(f"{tree.HUNKS}/kbuild/kernel/Makefile.patch")
    os.unlink(f"{top}/kernel/ours.c")
    write(f"{top}/series/moved", "")
    tree.prepare()
    assert content_of(tree.TREE) == content_of(tree.BASE)


def test_a_moved_file_that_is_not_there_is_named(top):
    write(f"{top}/series/moved", "kernel/nosuch.c kernel/x.c\n")
    with pytest.raises(tree.Refused, match="kernel/nosuch.c"):
        tree.prepare()


def order_of(top, content):
    write(f"{top}/series/order", content)
    return states.shared_out()


def test_every_part_is_taken_once(top):
    blocks = order_of(top, ORDER)
    assert [b.subject for b in blocks] == ["Dynamic things", "What is ours", "kernel: ours"]
    assert blocks[2].body == "It.\n" and len(blocks[2].parts) == 3
    write(f"{top}/kernel/ours2.c", "int ours2;\n")
    for take in ("kernel/ours*", "kernel/"):
        blocks = order_of(top, ORDER.replace("kernel/ours.c", take))
        assert [name for name, _ in blocks[2].parts][:2] == ["kernel/ours.c", "kernel/ours2.c"], take
    os.unlink(f"{top}/kernel/ours2.c")
    for wrong, word in ((ORDER.replace("take hunk:kbuild/\n", ""), "hunk:kbuild/kernel/Makefile"),
                        (ORDER.replace("take hunk:kbuild/", "take hunk:kbuild/\ntake kernel/ours.c"),
                         "kernel/ours.c")):
        with pytest.raises(tree.Refused, match=word):
            order_of(top, wrong)


def test_a_splat_in_the_console_is_found():
    for line in ("[    1.0] WARNING: CPU: 0 PID: 1 at kernel/trace/ftrace.c:99 ftrace_bug+0x1/0x2",
                 "[    1.0] Kernel panic - not syncing: Fatal exception",
                 "[    1.0] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI",
                 "[    1.0] BUG: kernel NULL pointer dereference, address: 0",
                 "[    1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
                 "[    1.0] WARNING: possible circular locking dependency detected",
                 "[    1.0] WARNING: suspicious RCU usage",
                 "[    1.0] WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected",
                 "[    1.0] BUG kmalloc-512 (Not tainted): Object already free",
                 "[    1.0] BUG kmalloc-512 (Tainted: G           O      ): Poison overwritten",
                 "[    1.0] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
                 "[    1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!"):
        assert machine.splats(f"[    0.1] Linux version\n{line}\n", []) == [line], line


def test_a_healthy_console_is_no_splat():
    assert not machine.splats("[    0.0] Linux version 6.12\n"
                              "[    0.1] ftrace: allocating 25201 entries in 99 pages\n"
                              "[    0.1] rcu: Preemptible hierarchical RCU implementation.\n", [])


def test_what_a_guest_ends_with_is_judged(where):
    for tainted, lockdep, up, faults in (
            ("0", "", 2, 0), (str(1 << 12 | 1 << 15), " debug_locks:   1", 2, 0), (str(1 << 9), "", 2, 1),
            (str(1 << 5 | 1 << 7), "", 2, 2), ("0", " debug_locks:   0", 2, 1), ("0", "", 1, 1)):
        write(f"{where}/tainted", tainted + "\n")
        write(f"{where}/lockdep", lockdep + "\n")
        write(f"{where}/processors", f"{up}\n")
        assert len(machine.last_words(where, False, 2)) == faults, (tainted, lockdep, up)
    write(f"{where}/tainted", f"{1 << 9}\n")
    assert not machine.last_words(where, True, 1)


def test_an_expected_complaint_is_excused_and_no_other():
    console = "WARNING: CPU: 0 at lib/a.c\nWARNING: CPU: 0 at lib/b.c\n"
    assert machine.splats(console, [r"at lib/a\.c"]) == ["WARNING: CPU: 0 at lib/b.c"]


def test_a_complaint_is_of_the_test_that_was_marked_last():
    log = "[    1.0] test: one\n[    2.0] fine\n[    3.0] test: two\n[    4.0] BUG: bad\n[    5.0] test: three\n"
    assert machine.last_mark(log, "[    4.0] BUG: bad") == ' in the test "two"'
    assert machine.last_mark(log, "[    2.0] fine") == ' in the test "one"'
    assert machine.last_mark("BUG: bad\n", "BUG: bad") == machine.last_mark(log, "absent") == ""


def test_of_a_complaint_its_trace_is_shown():
    dmesg = "fine\nWARNING: at a.c\ntrace\n"
    assert machine.words_of("quiet\n", dmesg, ["WARNING: at a.c"]) == ["WARNING: at a.c", "trace"]
    assert machine.words_of("quiet\n", "[    1.0] WARNING: at a.c\n[    1.1] trace\n", ["WARNING: at a.c"]) == [
        "[    1.0] WARNING: at a.c", "[    1.1] trace"]
    assert machine.words_of("fine\nBUG: b\n", "", ["BUG: b"]) == ["BUG: b"]
    assert machine.words_of("last\n", dmesg, []) == machine.words_of("last\n", dmesg, ["it is tainted"]) == ["last"]


def test_the_archives_of_a_guest_follow_each_other(where, monkeypatch):
    monkeypatch.setattr(machine, "BUILD", where)
    write(f"{where}/kernel/modules.cpio", "modules\n")
    write(f"{where}/root.cpio", "root\n")
    write(f"{where}/payload/file", "content\n")
    write(f"{where}/out/.keep", "")
    with open(machine.initrd("x", "root.cpio", f"{where}/kernel", [f"{where}/payload:/p"]), "rb") as f:
        made = f.read()
    assert made.startswith(b"root\nmodules\n070701") and b"content\n" in made, made[:40]


def test_a_copy_is_six_lines_in_the_same_order(where):
    base = [f"x{i} = {i};" for i in range(20)]
    known = set(copies.rows(base))
    for ours, found in ((base[3:9], 6), (base[3:8], 0), (base[3:9][::-1], 0),
                        (["int a;"] + base[2:10] + ["int b;"], 8)):
        assert len(copies.copied(ours, known)) == found, ours
    write(f"{where}/a.c", "#include <a.h>\n/* x\n y */\nint  a;  // b\n}\n\n\treturn 0;\nelse\nf();\n")
    assert copies.lines(f"{where}/a.c") == ["int a;", "f();"]


def test_what_is_wrong_with_an_object_is_said(where):
    write(f"{where}/kernel/bad.c", "#ifdef __CHECKER__\n# define __user __attribute__((noderef, address_space(1)))\n"
          "#else\n# define __user\n#endif\n"
          "int h(int __user *p) { return *p; }\n")
    write(f"{where}/kernel/.bad.o.cmd",
          "savedcmd_kernel/bad.o := ccache gcc -Wp,-MMD,x.d -O2 -c -o kernel/bad.o "
          "kernel/bad.c ; ./tools/objtool kernel/bad.o\n")
    said = "\n".join(lint.remarks(where, "kernel/bad.c"))
    assert "no previous prototype for" in said, said
    assert "dereference of noderef expression" in said, said
    assert lint.remarks(where, "kernel/absent.c") is None


KUNIT = """[    0.1] KTAP version 1
[    0.1] 1..3
[    0.1]     KTAP version 1
[    0.1]     # Subtest: one
[    0.1]     1..4
[    0.1]     ok 1 first
[    0.1]     # second: EXPECTATION FAILED
[    0.1]     not ok 2 second
[    0.1]     ok 3 third # SKIP no memory
[    0.1]         KTAP version 1
[    0.1]         # Subtest: cases
[    0.1]         ok 1 of ten
[    0.1]     ok 4 cases
[    0.1] not ok 1 one
[    0.1]     KTAP version 1
[    0.1]     # Subtest: two
[    0.1]     1..2
[    0.1]     ok 1 first
[    0.1] panic
"""


def verdicts(tally):
    return [(verdict == "ok", name) for verdict, name, _ in tally.results() if verdict != "skip"]


def judged(*suites):
    """What is said of suites of KUNIT."""
    tally = results.Tally()
    with tempfile.NamedTemporaryFile("w") as console:
        console.write(KUNIT)
        console.flush()
        judges.judge_kunit(tally, console.name, suites)
    return tally


def test_every_case_of_kunit_counts():
    tally = judged("one")
    assert verdicts(tally) == [
        (True, "KUnit suite one ran to its end"), (True, "KUnit one: first"), (False, "KUnit one: second"),
        (True, "KUnit one: of ten")]
    assert ("skip", "KUnit one: third", ["no memory"]) in tally.said and tally.count("skip") == 1


def test_a_suite_of_kunit_that_does_not_end_fails():
    for name in ("two", "three"):
        assert verdicts(judged(name))[0] == (False, f"KUnit suite {name} ran to its end")


def test_what_a_guest_job_says_is_taken_over(tally):
    judges.said_results(tally, "job", "# words\nok 1 a\n# 5 times\nnot ok 2 b\n# why\nmore\nok 3 c # SKIP\n# no tool\n1..3\n")
    assert verdicts(tally) == [(True, "job: a"), (False, "job: b"), (True, "job: the job said something")]
    for said in ("note", "5 times", []), ("not ok", "job: b", ["why"]), ("skip", "job: c", ["no tool"]):
        assert said in tally.said
    tally = results.Tally()
    judges.said_results(tally, "job", "")
    assert [good for good, _ in verdicts(tally)] == [False]


@pytest.mark.parametrize("said, end, good", [
    ("ok 1 - a\nok 2 - b # SKIP no tool\n1..2\n", 0, [(True, "x: a")]),
    ("ok 1 - a\nnot ok 2 - b\n# why\n1..2\n", 1, [(True, "x: a"), (False, "x: b")]),
    ("ok 1 - a\n1..2\n", 0, [(True, "x: a"), (False, "x: the suite ran to its end")]),
    ("ok 1 - a\n", 0, [(True, "x: a"), (False, "x: the suite ran to its end")]),
    ("ok 1 - a\n1..1\n", 1, [(True, "x: a"), (False, "x: the suite ran to its end")]),
    ("1..0\n", 0, [(False, "x: the suite ran to its end")]),
], ids=["all", "a bad one", "one that is missing", "no plan", "a bad end", "nothing"])
def test_a_suite_has_as_many_results_as_it_plans(said, end, good, where, tally, monkeypatch):
    monkeypatch.setattr(judges, "LOG", where)
    judges.suite(tally, "x", ["sh", "-c", f"echo KTAP version 1; printf '{said}'; exit {end}"], {})
    assert verdicts(tally) == good


def test_a_machine_is_late_by_the_time_it_ran():
    for program, late in (("while True: pass", True), ("import time; time.sleep(2)", False)):
        qemu = subprocess.Popen([sys.executable, "-c", program])
        args = argparse.Namespace(smp=1, accel="tcg", timeout=1, late=False, starved=False)
        ended = threading.Event()
        watch = threading.Thread(target=machine.end_when_late, args=(args, qemu, ended))
        watch.start()
        qemu.wait(60)
        ended.set()
        watch.join()
        assert args.late == late, program


def run_machine(where, qemu, config="CONFIG_NET_9P_VIRTIO=y\nCONFIG_ACPI=y\n"):
    """The status of a run with @qemu, a shell script, in the place of QEMU."""
    write_script(f"{where}/bin/qemu-system-x86_64", "#!/bin/sh\n" + qemu)
    for name in "rootfs.cpio", "kernel/bzImage", "kernel/modules.cpio", "out/x":
        write(f"{where}/{name}", "")
    write(f"{where}/kernel/.config", config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{where}/bin:{os.environ['PATH']}")
        patch.setattr(machine, "BUILD", where)
        return machine.main([f"{where}/kernel", "true", "--quiet", "--accel", "tcg"])


def test_a_fault_of_the_hosts_is_told_from_one_of_the_guests(where):
    console = 'for w; do case $w in file:*) console=${w#file:} ;; path=*|local*) ' \
        'share=${w##*path=}; share=${share%%,*} ;; esac; done\n'
    for qemu, status in (("kill -9 $$", machine.HOST_FAILED), ("exit 1", machine.HOST_FAILED),
                         ("exit 0", 1), ('echo "Kernel panic - not syncing" >$console; exit 1', 1),
                         ("echo 1 >$share/status", 1), ("echo 0 >$share/status", 0)):
        assert run_machine(where, console + qemu) == status, qemu


def test_a_machine_says_what_it_lacks(where, monkeypatch, capsys):
    monkeypatch.setattr(machine, "BUILD", where)
    monkeypatch.setenv("PATH", where)
    write(f"{where}/kernel/.config", "CONFIG_NET_9P_VIRTIO=y\nCONFIG_ACPI=y\n")
    words = [f"{where}/kernel", "true", "--accel", "tcg"]
    for name in "rootfs.cpio", "kernel/bzImage", "kernel/modules.cpio":
        status, said = spoken(mails.status_of, "machine", machine.main, words)
        assert status == 1 and said.startswith(f"machine: there is no {where}/{name}: "), said
        write(f"{where}/{name}", "")
    status, said = spoken(mails.status_of, "machine", machine.main, words)
    assert status == 1 and said.startswith("machine: ") and "'qemu-system-x86_64'" in said
    for payload in f"{where}/kernel", f"{where}/none:/x":
        with pytest.raises(SystemExit):
            machine.main([*words, "--payload", payload])
        assert f"--payload {payload}: is no SOURCE:DIR" in capsys.readouterr().err


def test_what_a_kernel_without_virtio_leaves_comes_over_a_serial_port(where):
    leave = 'cd "${0%%/*}" || exit 1\nfor w; do case $w in ' \
        'file:*.tar) echo %s >status && tar -cf "${w#file:}" ./status ;; ' \
        '*,cores=1*) echo "$w" >smp ;; *9p*) exit 1 ;; esac; done\n'
    for status in "0", "1":
        assert run_machine(where, leave % status, config="") == int(status)
    assert text(f"{where}/bin/smp") == "2,cores=1,threads=1\n"
    assert run_machine(where, "exit 0", config="") == 1


def test_a_suite_that_passed_is_shown_again_until_what_it_is_made_of_changes(where, monkeypatch):
    runs = []

    def suite(tally, title, cmd, env):
        runs.append(title)
        tally.result(verdict, f"{title}: good")

    for name, value in ("BUILD", where), ("suite", suite), ("content_key", lambda: key):
        monkeypatch.setattr(hosts, name, value)
    for verdict, key, again, ran in ((False, "a", False, 1), (True, "a", False, 2), (True, "a", False, 2),
                                     (True, "b", False, 3), (True, "a", False, 4), (True, "a", True, 5)):
        tally = results.Tally()
        hosts.host_suite(tally, "tools/testing/x", False, again)
        assert (len(runs), verdicts(tally)) == (ran, [(verdict, "x: good")]), (verdict, key, again)


def test_a_change_of_anything_that_suites_are_made_of_changes_their_key(where, monkeypatch):
    for of, name, value in ((hosts, "TOP", where), (hosts, "BUILD", where), (tree, "hunk_names", lambda: ["x/mm/a.c"]),
                            (tree, "overlay", lambda: ["kernel/a.c", "Documentation/a.rst"])):
        monkeypatch.setattr(of, name, value)
    made_of = "kernel/a.c", "series/hunks/x/mm/a.c.patch", "series/moved", "base.key", f"{hosts.KERNEL}/vmlinux"
    for name in *made_of, "Documentation/a.rst":
        write(f"{where}/{name}", "one")
    seen = {hosts.content_key.__wrapped__()}
    for name in made_of:
        write(f"{where}/{name}", "two")
        seen.add(hosts.content_key.__wrapped__())
    assert len(seen) == 1 + len(made_of)
    write(f"{where}/Documentation/a.rst", "two")
    assert hosts.content_key.__wrapped__() in seen
    monkeypatch.setenv("FAULT", "one")
    assert hosts.content_key.__wrapped__() not in seen


def test_a_nightly_goes_on_with_what_has_not_passed_for_this_content(where, monkeypatch):
    parts = {"a", "b", "c"}
    monkeypatch.setattr(plugin, "LIST", f"{where}/list")
    write(f"{where}/list", "part a\ngood\npart b\ngood\npart c\ngood # SKIP no tool\n")

    def begun(content="one", its=parts):
        return runner.Nightly(f"{where}/state", lambda part: content, "abc", its)

    night, beside = begun(), begun()
    night.ended("d", [])		# has no list, and what it needs has failed
    assert begun(its={"d"}).missing() == ["d"]
    assert night.missing() == ["a", "b", "c"] and night.said() == \
        "0 of 3 parts have passed for this content, 0 for an older one"
    night.ended("a", [("ok", "good", [])])
    night.ended("b", [("not ok", "good", [])])
    night.ended("c", [("ok", "other", [])])
    assert begun().missing() == ["b", "c"]
    assert begun("two").missing() == ["a", "b", "c"]
    beside.ended("b", [("ok", "good", [])])
    night.ended("c", [("skip", "good", ["no tool"])])
    assert begun().missing() == [] and begun().said().endswith(", abc: 2 passed, 0 failed, 1 skipped")
    today = runner.time.strftime("%Y-%m-%d")
    monkeypatch.setattr(runner.time, "strftime", lambda how: "another day")
    assert begun().said() == night.said()
    later = begun("two", parts | {"d"})
    later.ended("b", [("ok", "good", [])])
    assert later.missing() == ["a", "c", "d"] and later.said() == \
        f"1 of 4 parts have passed for this content, 2 for an older one, the first of these on {today}, abc"
    assert begun(its={"a", "c"}).said().endswith(", abc: 1 passed, 0 failed, 1 skipped")
    write(f"{where}/state", "{")
    assert begun().missing() == ["a", "b", "c"]


def test_a_nightly_is_refused_beside_another(where, monkeypatch):
    monkeypatch.setattr(runner, "BUILD", where)
    monkeypatch.setattr(plugin, "Collected", None)		# it does not get there
    with open(f"{where}/nightly.lock", "w", encoding="utf-8") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert spoken(runner.main, ["nightly"]) == (2, f"nightly: another one is running (lock: {where}/nightly.lock)\n")
    assert runner.is_alone() and not runner.is_alone()


def test_mails_tools_and_pages_are_no_content_of_a_nightly(where, monkeypatch):
    monkeypatch.setattr(runner, "TOP", where)
    monkeypatch.setattr(tree, "TOP", where)
    monkeypatch.setattr(tree, "BUILD", where)
    monkeypatch.setattr(tree, "whole", lambda: {p: tree.file_at(f"{where}/{p}") for p in tree.overlay()})
    monkeypatch.setattr(plugin, "LIST", f"{where}/list")
    write(f"{where}/list", "part a\nftracetest ftrace/a.tc\nftracetest ftrace/a.tc+instance\n"
          "alone: it works\npart b\nftracetest ftrace/kernel.tc\npart host tests of ftrace c\ngood\n")

    parts = "a", "b", "host tests of ftrace c"

    def content(path, what):
        """What each part has before it is committed, or None, and afterwards."""
        write(f"{where}/{path}", what)
        git(where, "add", "-A")
        changed = runner.committed()
        git(where, "commit", "-q", "-m", path)
        after = runner.committed()
        return changed and [changed[0](part) for part in parts], [after[0](part) for part in parts]

    git(where, "init", "-q")
    write(f"{where}/base.key", "base\n")
    _, first = content("kernel/a.c", "one")
    for path in ("README.md", "series/doc/testing.rst", runner.NIGHTLY):
        before, after = content(path, "one")
        assert before == after == first
    for path in ("series/order", "series/tools/a.py", "Documentation/trace/a.rst", "MAINTAINERS", runner.FTRACETESTS + "ftrace/b.tc"):
        assert content(path, "one") == (None, first)
    for path in ("kernel/a.c", "series/guest/job", "series/config/a.config", runner.FTRACETESTS + "helpers"):
        changed, last = content(path, "two")
        assert changed is None and not set(last) & set(first)
        first = last
    for path, of in ((runner.FTRACETESTS + "ftrace/a.tc", 0), (runner.SCRIPTS.format("alone"), 0), ("tools/testing/ftrace/c/a.c", 2)):
        _, last = content(path, "one")
        assert [was != now for was, now in zip(first, last)] == [part == of for part in range(3)]
        first = last
    _, last = content(runner.SCRIPTS.format("helpers"), "one")
    assert not set(last) & set(first)


def unused(sources):
    """What these modules define and none of them names once more."""
    names = [m[1] or m[2] for source in sources
             for m in re.finditer(r"(?m)^(?:def|class) (?!test_|pytest_)(\w+)|^([A-Z]\w+) = ", source)]
    words = re.findall(r"\w+", "\n".join(sources))
    return [name for name in names if words.count(name) == 1]


def test_nothing_of_the_tools_is_unused():
    assert unused(["def used():\n    forgotten = 1\nLOST = 1\n", "def dead():\n    used()\n"]) == ["LOST", "dead"]
    tools = f"{tree.TOP}/series/tools"
    paths = sorted(glob.glob(f"{tools}/*.py") + glob.glob(f"{tools}/parts/*.py"))
    assert not unused([text(path) for path in paths])


def test_the_readme_says_what_make_fresh_measured():
    rows = [line.split() for line in text(f"{tree.TOP}/series/config/fresh").split("\n") if line and line[0] != "#"]
    seconds = max(int(row[2]) for row in rows if row[1] == "run")
    assert f"A first `make run` takes {-(-seconds // 60)} minutes" in text(f"{tree.TOP}/README.md")


def test_a_stall_is_the_hosts_fault_where_the_machine_was_starved():
    stall = "rcu: INFO: rcu_preempt self-detected stall on CPU"
    for starved, status, faults, is_it in (
            (True, 0, [stall], True), (False, 0, [stall], False), (True, 0, [stall, "BUG: x"], False),
            (True, 0, [], False), (True, None, [], True), (False, None, [], False), (True, None, ["Oops: 0"], False)):
        assert machine.is_hosts_fault(status, starved, faults, "1") == is_it, (starved, status, faults)


def test_a_machine_is_starved_by_its_last_seconds():
    """(seconds it ran, was ready) a second, until so many seconds: the host's fault?"""
    hungry, idle, busy = (0.2, 0.8), (0.001, 0.002), (1, 0)
    for phases, starved in (([(hungry, 100)], True), ([(hungry, 100), (idle, 140)], False),
                            ([(hungry, 100), (busy, 140)], False), ([(idle, 100), (hungry, 140)], True),
                            ([(idle, 1)], False), ([(busy, 100), (hungry, 104)], False)):
        seen, now, ran, ready = [(0, 0, 0)], 0, 0, 0
        for (runs, waits), until in phases:
            while now < until:
                now, ran, ready = now + 1, ran + runs, ready + waits
                seen.append((now, ran, ready))
                last = machine.was_starved(seen)
        assert last == starved, phases
        assert len(seen) <= machine.LATELY + 1


def test_the_first_run_of_a_guest_is_kept_and_two_such_runs_fail(where, monkeypatch):
    done = subprocess.CompletedProcess
    monkeypatch.setattr(judges, "LOG", where)
    run = results.Tally()
    for nr, name in enumerate(("a", "b"), 1):
        write(f"{where}/{name}.console", "the first words")
        runs = iter([done([], machine.HOST_FAILED, "", "starved"), done([], 0, "", "")])
        monkeypatch.setattr(judges.subprocess, "run", lambda *args, **kw: next(runs))
        aside, tally = run.aside(), results.Tally()
        judges.boot(aside, name, "kernel", "true")
        judges.judge_host(run, tally)
        assert text(f"{where}/{name}.first.console") == "the first words"
        assert [good for good, _ in verdicts(aside)] == [True] and not run.results()
        assert [good for good, _ in verdicts(tally)] == [False][:nr - 1]


def answer_as_a_stub(server, answers, asked):
    """Take packets of one caller, answer each by the next of @answers, keep what was asked."""
    conn, _ = server.accept()
    stream = conn.makefile("rb")
    for answer in answers:
        while stream.read(1) != b"$":
            pass
        asked.append(b"".join(iter(lambda: stream.read(1), b"#")).decode())
        assert int(stream.read(2), 16) == sum(asked[-1].encode()) % 256
        for packet in answer:
            conn.sendall(b"+$" + packet + b"#%02x" % (sum(packet) % 256))
    conn.close()


def test_a_stopped_machine_is_read_and_written(where):
    size = stub.CHUNK + 1
    answers = [[b"OK"], [b"T05thread:01;"], [b"OK"], [b"61" * stub.CHUNK], [b"62"], [b"OK"], [b"OK"],
               [b"O" + b"... instruction count = ".hex().encode(), b"O" + b"42\n".hex().encode(), b"OK"],
               [b"E22"]]
    asked = []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(where + "/stub")
        server.listen()
        other = threading.Thread(target=answer_as_a_stub, args=(server, answers, asked))
        other.start()
        with stub.Stub(where + "/stub", lambda: True) as at:
            at.run_to(0x1234)
            assert at.read(0x10, size) == b"a" * stub.CHUNK + b"b"
            at.write(0x20, bytes(size))
            assert at.instructions() == 42
            with pytest.raises(OSError):
                at.word(0)
        other.join()
    assert asked[:5] == ["Z1,1234,1", "c", "z1,1234,1", f"m10,{stub.CHUNK:x}",
                         f"m{0x10 + stub.CHUNK:x},1"], asked
    assert asked[5:7] == [f"M20,{stub.CHUNK:x}:" + "00" * stub.CHUNK, f"M{0x20 + stub.CHUNK:x},1:00"]


def test_a_name_that_is_missing_or_unknown_is_told(where):
    path = where + "/list"
    write(path, "# Head\n\npart one\na\nb # SKIP no tool\nc\nc\n\npart two\na\n")
    wanted = expected.read(path)["one"]
    good = [("ok", "a", []), ("skip", "b", ["no tool here"]), ("ok", "c", []), ("not ok", "c", ["why"])]
    assert expected.differences(wanted, good) == []
    assert expected.differences(wanted, [("ok", "b", []), *good[0:1], *good[2:]]) == []
    assert expected.differences(wanted, good[:-1]) == ["missing: c (1 of 2)"]
    assert expected.differences(wanted, good[1:]) == ["missing: a"]
    assert expected.differences(wanted, [*good, ("ok", "d", [])]) == ["not in the list: d"]
    assert expected.differences(wanted, [*good, ("ok", "a", [])]) == ["not in the list: a"]
    assert expected.differences(wanted, [("skip", "a", ["no luck"]), *good[1:]]) == [
        "may not be skipped: a (no luck)"]


def test_one_skip_stands_for_all_results_of_what_cannot_run(where):
    path = where + "/list"
    write(path, "part one\na\na\nb_32\nc\nthose of 32 bit # INSTEAD OF (a|.*_32)\n")
    wanted = expected.read(path)["one"]
    lean = [("ok", "a", []), ("skip", "those of 32 bit", ["no luck"]), ("ok", "c", [])]
    assert expected.differences(wanted, lean) == []
    assert expected.differences(wanted, lean[1:]) == ["missing: a"]
    assert expected.differences(wanted, lean[:-1]) == ["missing: c"]
    assert expected.differences(wanted, [*lean, ("skip", "those of 64 bit", ["no luck"])]) == [
        "not in the list: those of 64 bit", "may not be skipped: those of 64 bit (no luck)"]
    assert expected.differences(wanted, [lean[0], lean[2]]) == ["missing: a (1 of 2)", "missing: b_32"]
    expected.write(where + "/again", {"one": expected.said(wanted, lean)}, "")
    assert expected.read(where + "/again")["one"] == wanted
    assert expected.read(where + "/again")["one"].instead == wanted.instead


def test_what_some_bpf_selftests_need_is_left(where):
    write(where + "/Makefile", "LSKELS := light.c \\\n\tother.c\nLSKELS_SIGNED := signed.c\n"
          "both.skel.h-deps := one.bpf.o two.bpf.o\nno.skel.h-deps := three.bpf.o\n")
    write(where + "/prog_tests/wanted.c", '#include "plain.skel.h"\n#include "both.skel.h"\n'
          '#include "light.lskel.h"\n#include "signed.lskel.h"\nopen("./file.bpf.o");\n')
    write(where + "/prog_tests/shared.h", "")
    write(where + "/prog_tests/other.c", '#include "unwanted.skel.h"\n')
    for name in "plain", "one", "two", "three", "light", "other", "signed", "file", "words", "unwanted":
        write(f"{where}/progs/{name}.c", '#include "words.c"\n' if name == "file" else "")
    said = bpf_selftests.prune(where, ["wanted"])
    assert sorted(os.listdir(where + "/prog_tests")) == ["shared.h", "wanted.c"]
    assert sorted(os.listdir(where + "/progs")) == [
        "file.c", "light.c", "one.c", "plain.c", "signed.c", "two.c", "words.c"]
    assert {k: v for k, v in said.items() if v} == {
        "LINKED_SKELS": "both.skel.h", "LSKELS": "light.c", "LSKELS_SIGNED": "signed.c"}


def test_a_part_without_its_list_fails_and_leaves_one(where, tally):
    path, copy = where + "/list", where + "/copy"
    write(path, "# Head\n\npart two\na\n")
    said = {"one": [("ok", "x", []), ("ok", "x", []), ("skip", "y", ["no", "tool"])]}
    expected.judge(tally, path, copy, said)
    assert [good for good, _ in verdicts(tally)] == [False]
    assert text(copy) == "# Head\n\npart one\nx\nx\ny # SKIP no tool\n\npart two\na\n"
    again = results.Tally()
    expected.judge(again, copy, path, said)
    assert [good for good, _ in verdicts(again)] == [True]


def parts_of(kind):
    """The lists that the results of a kind of run are judged by."""
    said = subprocess.run([sys.executable, "-c", "import sys, plugin; print('\\n'.join(p for _, p in plugin.Collected(sys.argv[1])"
                           ".items.values()))", kind], cwd=os.path.dirname(plugin.__file__), capture_output=True, text=True, check=True)
    return set(said.stdout.splitlines())


def test_a_skip_needs_a_reason_and_make_test_has_five_at_most():
    parts = expected.read(plugin.LIST)
    of_make_test = parts_of("test")
    # What only x86 has does not count on arm64.
    on_arm64 = ("hooks that ask for all registers are refused", "everything is within reach")
    whys = [why for part, names in parts.items() if part in of_make_test for its in names.values() for why in its
            if why and not (part == "arm64 boot" and why in on_arm64)]
    # And where Debian has no such compiler, what it would compile; and what is asked of the
    # processor that runs the tests.
    elsewhere = r".*-gcc|the engine does not run here|not shown by this processor|no membarrier.*|KVM runs no .*"
    assert sum(not re.fullmatch(elsewhere, why) for why in whys) <= 5


def test_nobody_asks_a_file_of_tracefs_for_its_size():
    """It is 0 whatever can be read: neither -s nor ! -s says anything."""
    jobs_of_guests = glob.glob(f"{tree.TOP}/series/guest/jobs/*")
    cases = glob.glob(f"{tree.TOP}/tools/testing/selftests/ftrace/**/*.tc", recursive=True)
    # Tests of ftracetest run in tracefs; jobs have its place in $T, if they are elsewhere.
    asks = {path: re.findall(r"(?:\[|\btest) (?:! )?-s (" + names + r")", text(path)) for paths, names in
            ((jobs_of_guests, r'"?\$T/[^ ]*|"?/sys/[^ ]*'), (cases, r"(?!/|\$TMPDIR|\"\$TMPDIR)[^ ]*")) for path in paths}
    assert len(asks) > 50 and {path: its for path, its in asks.items() if its} == {}


def symbols_of(config):
    """What a file of Kconfig defines: {name: its lines}."""
    return {m[1]: m[0] for m in re.finditer(r"^config (\w+)\n(?:(?!\w).*\n)*", config, re.M)}


def on_by_default(theirs, ours):
    """Symbols that only @ours has, which people are asked for, and which are on if they do not answer."""
    return {name for name, lines in symbols_of(ours).items() if name not in symbols_of(theirs)
            and re.search(r'^\t(bool|tristate) "', lines, re.M)
            and re.search(r"^\tdefault (?!n$|KUNIT_ALL_TESTS)", lines, re.M)}


def test_what_the_series_has_by_default_is_found():
    theirs = "config A\n\tbool \"A\"\n\tdefault y\n"
    assert on_by_default(theirs, theirs + """config B
\tbool "B"
\tdefault X86

config C
\tdef_bool y

config D
\tbool "D"
\tdefault KUNIT_ALL_TESTS

config E
\ttristate "E"
""") == {"B"}


def test_kernels_from_nothing_have_what_the_series_has_by_default():
    config = [p for p in states.touched(states.shared_out()) if os.path.basename(p).startswith("Kconfig")]
    default = {name for p in config for name in on_by_default(*(
        machine.read_text(os.path.join(root, p)) for root in (tree.BASE, tree.TREE)))}
    asked = {name: re.findall(r"^CONFIG_(\w+)=[ym]$", "".join(text(f"{recipes.CONFIG}/{f}") for f in files), re.M)
             for name, files in (("run", recipes.GUEST[:1]), ("tests", recipes.GUEST))}
    assert "RING_BUFFER_FAST_PATH" in default
    assert default - set(asked["tests"]) == set()
    # Where functions have no ENDBR, there is nothing to choose.
    assert default - set(asked["run"]) == {"FTRACE_ENTRY_SITES"}


# Parts of make test-long that nobody has run since they have to have a list.
NEVER_RUN = []


def test_every_part_of_every_kind_has_a_list_of_its_results():
    parts = expected.read(plugin.LIST)
    ran = {part for kind in plugin.KINDS for part in parts_of(kind)}
    assert sorted(ran - set(parts)) == NEVER_RUN
    assert [part for part in set(parts) & ran if not parts[part]] == []


def test_each_file_of_ftracetest_in_a_list_is_there():
    parts = expected.read(plugin.LIST)
    listed = {m[1] for names in parts.values() for name in names if (m := re.match(r"ftracetest (\S+\.tc)", name))}
    roots = [os.path.join(top, "tools/testing/selftests/ftrace/test.d") for top in (tree.TOP, tree.BASE)]
    assert [t for t in sorted(listed) if not any(os.path.exists(f"{root}/{t}") for root in roots)] == []
    assert len(listed) > 200


def test_each_fault_that_a_host_suite_plants_is_listed():
    # What plants one ends with the name, fault PROGRAM FILE SED NAME; that of layers begins with it.
    argument = r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\\n|[^\n'"\\])*"""
    fault = re.compile(rf'^[ \t]*(?:\[[^\n]*\|\| )?(?:real_fault|fault|without) {argument}"([^"]*)"(?: \|\| .*)?$', re.M)
    parts = expected.read(plugin.LIST)
    layer = re.compile(r'^(?:misplaced|calling|faulty) "([^"$]*)"', re.M)
    scripts = {d: text(os.path.join(tree.TOP, d, "run.sh")) for d in hosts.host_suites()}
    planted = {path: fault.findall(script) + layer.findall(script) for path, script in scripts.items()}
    for path, names in planted.items():
        listed = [m[1] for name in parts[f"host tests of {hosts.title_of(path)}"]
                  if (m := re.search(r": fault: (?:real: )?(.*) is found", name))]
        assert sorted(names) == sorted(listed), path
    assert sum(map(len, planted.values())) > 300


def test_each_option_of_the_series_is_listed():
    parts = expected.read(plugin.LIST)
    blocks = mails.options(mails.read_order(tree.ORDER))
    assert sorted(parts["options"]) == sorted(f"options: the series compiles without {b.name}" for b in blocks)


def test_a_file_of_ftracetest_has_the_verdict_of_its_run(tally):
    said = "FILE test.d/a.tc\nok 1 A\nok 2  (instance) A\nFILE test.d/b.tc LATE\nFILE test.d/c.tc\n" \
        "not ok 1 C # UNRESOLVED\nFILE test.d/d.tc\nok 1 D # SKIP\nFILE test.d/e.tc\n" \
        "ok 1 E\nnot ok 2  (instance) E\nFILE test.d/f.tc\n"
    judges.judge_ftracetest(tally, said, {"test.d/d.tc": ("SKIP", "no hardware")},
                            [f"test.d/{n}.tc" for n in "abcdefg"])
    assert {name.removeprefix("ftracetest "): good for good, name in verdicts(tally)} == {
        "a.tc": True, "a.tc+instance": True, "b.tc": False, "c.tc": False, "e.tc": True,
        "e.tc+instance": False, "f.tc": False, "g.tc": False}
    assert [said[1:] for said in tally.said if said[0] == "skip"] == [("ftracetest d.tc", ["SKIP: no hardware"])]
