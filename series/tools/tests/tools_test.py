#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the tools themselves, on small trees and made-up consoles."""
import argparse
import contextlib
import io
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import copies  # noqa: E402
import jobs  # noqa: E402
import lint  # noqa: E402
import machine  # noqa: E402
import patches  # noqa: E402
import report  # noqa: E402
import stub  # noqa: E402
import test as runner  # noqa: E402
import tree  # noqa: E402

HUNK = """--- a/kernel/Makefile
+++ b/kernel/Makefile
@@ -1,6 +1,7 @@
 obj-y += fork.o
 obj-y += exec.o
 obj-y += panic.o
+obj-y += ours.o
 obj-y += exit.o
 obj-y += cpu.o
 obj-y += softirq.o
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


@contextlib.contextmanager
def small_series():
    """A base of three files and a series of one file, one hunk, one move."""
    with tempfile.TemporaryDirectory() as top:
        tree.TOP, tree.BUILD = top, os.path.join(top, "build")
        tree.BASE, tree.TREE = (os.path.join(tree.BUILD, d) for d in ("base", "tree"))
        tree.HUNKS = os.path.join(top, "series", "hunks")
        tree.STATE = os.path.join(tree.BUILD, "tree.key")
        tree.MANIFEST = os.path.join(tree.BUILD, "tree.manifest")
        write(f"{tree.BASE}/kernel/Makefile", "".join(
            f"obj-y += {n}.o\n" for n in ("fork", "exec", "panic", "exit", "cpu", "softirq")))
        write(f"{tree.BASE}/kernel/fork.c", "int fork;\n")
        write(f"{tree.BASE}/kernel/old.c", "int old;\n")
        write(f"{tree.BUILD}/base.key", "a base\n")
        write(f"{tree.HUNKS}/ours.patch", HUNK)
        write(f"{top}/series/moved", "kernel/old.c kernel/classic.c\n")
        write(f"{top}/kernel/ours.c", "int ours;\n")
        os.system(f"git init -q {top} && echo /build/ >{top}/.gitignore")
        yield top


def prepare():
    with contextlib.redirect_stdout(io.StringIO()):
        tree.prepare()


def stamp(path):
    return os.stat(os.path.join(tree.TREE, path)).st_mtime_ns


def the_tree_is_base_plus_series():
    with small_series():
        prepare()
        assert text(f"{tree.TREE}/kernel/ours.c") == "int ours;\n"
        assert "ours.o" in text(f"{tree.TREE}/kernel/Makefile")
        assert text(f"{tree.TREE}/kernel/classic.c") == "int old;\n"
        assert not os.path.exists(f"{tree.TREE}/kernel/old.c")


def the_base_stays_untouched():
    with small_series():
        before = {p: text(f"{tree.BASE}/{p}") for p in tree.files_below(tree.BASE)}
        prepare()
        assert before == {p: text(f"{tree.BASE}/{p}") for p in tree.files_below(tree.BASE)}
        assert os.path.samefile(f"{tree.BASE}/kernel/fork.c", f"{tree.TREE}/kernel/fork.c")


def an_edit_renews_that_file_alone():
    with small_series() as top:
        prepare()
        makefile, ours = stamp("kernel/Makefile"), stamp("kernel/ours.c")
        write(f"{top}/kernel/ours.c", "int ours = 1;\n")
        prepare()
        assert stamp("kernel/Makefile") == makefile
        assert stamp("kernel/ours.c") > ours


def the_key_of_the_tree_tells_its_content():
    with small_series() as top:
        prepare()
        first = text(tree.STATE)
        prepare()
        assert text(tree.STATE) == first
        write(f"{top}/kernel/ours.c", "int ours = 1;\n")
        prepare()
        assert text(tree.STATE) != first


def what_the_series_drops_is_the_bases_again():
    with small_series() as top:
        prepare()
        os.unlink(f"{tree.HUNKS}/ours.patch")
        os.unlink(f"{top}/kernel/ours.c")
        write(f"{top}/series/moved", "")
        prepare()
        assert tree.files_below(tree.TREE) == tree.files_below(tree.BASE)
        for p in tree.files_below(tree.BASE):
            assert text(f"{tree.TREE}/{p}") == text(f"{tree.BASE}/{p}")


def refused(words):
    try:
        prepare()
    except tree.Refused as why:
        for w in words:
            assert w in str(why), f"{w} is not in: {why}"
        return
    raise AssertionError("was not refused")


def a_hunk_that_does_not_apply_is_named_with_its_file():
    with small_series():
        write(f"{tree.BASE}/kernel/Makefile", "something else\n")
        refused(["ours.patch", "kernel/Makefile"])


def a_moved_file_that_is_not_there_is_named():
    with small_series() as top:
        write(f"{top}/series/moved", "kernel/nosuch.c kernel/x.c\n")
        refused(["kernel/nosuch.c"])


ORDER = """# a comment
cover Dynamic things

Letter.

patch kernel: ours
take kernel/ours.c
take hunk:ours
take moved:kernel/old.c

Body of it.
"""


def order_of(top, content):
    write(f"{top}/series/order", content)
    blocks = patches.read_order(f"{top}/series/order")
    patches.share_out(blocks)
    return blocks


def every_part_is_taken_once():
    with small_series() as top:
        blocks = order_of(top, ORDER)
        assert [b.subject for b in blocks] == ["Dynamic things", "kernel: ours"]
        assert blocks[1].body == "Body of it.\n" and len(blocks[1].parts) == 3
        for wrong, word in ((ORDER.replace("take hunk:ours\n", ""), "hunk:ours"),
                            (ORDER.replace("take hunk:ours", "take hunk:ours\ntake kernel/ours.c"),
                             "kernel/ours.c")):
            try:
                order_of(top, wrong)
            except tree.Refused as why:
                assert word in str(why)
            else:
                raise AssertionError("was not refused")


def a_splat_in_the_console_is_found():
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


def a_healthy_console_is_no_splat():
    assert not machine.splats("[    0.0] Linux version 6.12\n"
                              "[    0.1] ftrace: allocating 25201 entries in 99 pages\n"
                              "[    0.1] rcu: Preemptible hierarchical RCU implementation.\n", [])


def what_a_guest_ends_with_is_judged():
    with tempfile.TemporaryDirectory() as share:
        for tainted, lockdep, faults in (
                ("0", "", 0), (str(1 << 12 | 1 << 15), " debug_locks:   1", 0),
                (str(1 << 9), "", 1), (str(1 << 5 | 1 << 7), "", 2), ("0", " debug_locks:   0", 1)):
            write(f"{share}/tainted", tainted + "\n")
            write(f"{share}/lockdep", lockdep + "\n")
            assert len(machine.last_words(share, False)) == faults, (tainted, lockdep)
        write(f"{share}/tainted", f"{1 << 9}\n")
        assert not machine.last_words(share, True)


def an_expected_complaint_is_excused_and_no_other():
    console = "WARNING: CPU: 0 at lib/a.c\nWARNING: CPU: 0 at lib/b.c\n"
    assert machine.splats(console, [r"at lib/a\.c"]) == ["WARNING: CPU: 0 at lib/b.c"]


def the_archives_of_a_guest_follow_each_other():
    with tempfile.TemporaryDirectory() as top:
        write(f"{top}/kernel/modules.cpio", "modules\n")
        write(f"{top}/root.cpio", "root\n")
        write(f"{top}/payload/file", "content\n")
        write(f"{top}/out/.keep", "")
        build, machine.BUILD = machine.BUILD, top
        try:
            with open(machine.initrd("x", "root.cpio", f"{top}/kernel", [f"{top}/payload:/p"]), "rb") as f:
                made = f.read()
        finally:
            machine.BUILD = build
        assert made.startswith(b"root\nmodules\n070701") and b"content\n" in made, made[:40]


def a_copy_is_six_lines_in_the_same_order():
    base = [f"x{i} = {i};" for i in range(20)]
    known = set(copies.rows(base))
    for ours, found in ((base[3:9], 6), (base[3:8], 0), (base[3:9][::-1], 0),
                        (["int a;"] + base[2:10] + ["int b;"], 8)):
        assert len(copies.copied(ours, known)) == found, ours
    with tempfile.TemporaryDirectory() as top:
        write(f"{top}/a.c", "#include <a.h>\n/* x\n y */\nint  a;  // b\n}\n\n\treturn 0;\nelse\nf();\n")
        assert copies.lines(f"{top}/a.c") == ["int a;", "f();"]


def what_is_wrong_with_an_object_is_said():
    with tempfile.TemporaryDirectory() as top:
        write(f"{top}/kernel/bad.c", "#ifdef __CHECKER__\n# define __user __attribute__((noderef, address_space(1)))\n"
              "#else\n# define __user\n#endif\n"
              "int h(int __user *p) { return *p; }\n")
        write(f"{top}/kernel/.bad.o.cmd",
              "savedcmd_kernel/bad.o := ccache gcc -Wp,-MMD,x.d -O2 -c -o kernel/bad.o "
              "kernel/bad.c ; ./tools/objtool kernel/bad.o\n")
        said = "\n".join(lint.remarks(top, "kernel/bad.c"))
        assert "no previous prototype for" in said, said
        assert "dereference of noderef expression" in said, said
        assert lint.remarks(top, "kernel/absent.c") is None


KUNIT = """    # Subtest: one
    1..2
        # Subtest: cases
        ok 1 first
        not ok 2 second
    not ok 1 cases
    ok 2 other # SKIP no memory
not ok 1 one
    # Subtest: two
    1..1
"""


def verdicts(tally):
    return [(word[1], word[2]) for word in tally.kept if word[0] == "result"]


def every_case_of_kunit_counts():
    tally = runner.Tally(quiet=True)
    runner.judge_kunit(tally, KUNIT, ("one",))
    assert verdicts(tally) == [
        (False, "KUnit suite one"), (True, "KUnit one: first"), (False, "KUnit one: second"),
        (False, "KUnit one: cases")]
    assert [word[2] for word in tally.kept if word[0] == "skip"] == ["no memory"]


def a_suite_of_kunit_that_does_not_end_fails():
    for name in ("two", "three"):
        tally = runner.Tally(quiet=True)
        runner.judge_kunit(tally, KUNIT, (name,))
        assert [good for good, _ in verdicts(tally)] == [False]


def what_a_guest_job_says_is_taken_over():
    tally = runner.Tally(quiet=True)
    runner.said_results(tally, "job", "# words\nok - a (5 times)\nnot ok - b\n# why\nmore\n")
    assert verdicts(tally) == [
        (True, "job: a (5 times)"), (False, "job: b"), (True, "job: the job said something")]
    tally = runner.Tally(quiet=True)
    runner.said_results(tally, "job", "")
    assert [good for good, _ in verdicts(tally)] == [False]


def ran(*plan):
    """What a run of jobs says; each of @plan is a name, a function and the names it needs."""
    with tempfile.TemporaryDirectory() as where, contextlib.redirect_stdout(io.StringIO()) as said:
        run, made, tally = jobs.Jobs(jobs.Cores(2), where + "/times"), {}, jobs.Tally()
        for name, function, *after in plan:
            made[name] = run.add(name, function, *(made[a] for a in after))
        run.run(tally)
    return said.getvalue(), tally


def a_job_whose_kernel_is_not_built_says_nothing():
    said, tally = ran(("kernel", lambda t: t.result(False, "builds")),
                      ("guest", lambda t: t.result(True, "boots"), "kernel"))
    assert (tally.passed, tally.failed) == (0, 1) and "boots" not in said


def a_job_that_breaks_is_a_failure():
    said, tally = ran(("broken", lambda t: 1 // 0))
    assert tally.failed == 1 and "ZeroDivisionError" in said


def the_results_of_a_job_stay_together():
    first, second = threading.Event(), threading.Event()

    def one(tally):
        tally.result(True, "one a")
        first.set()
        assert second.wait(10)
        tally.result(True, "one b")

    def other(tally):
        assert first.wait(10)
        tally.skip("other a", "why")
        second.set()
        tally.note("other b")

    said, tally = ran(("one", one), ("other", other))
    lines = [line for line in said.split("\n") if " - one" in line or "other" in line]
    assert (tally.passed, tally.skipped) == (2, 1)
    assert [line.split()[-1] for line in lines if "one" in line] == ["a", "b"], said
    assert abs(lines.index("ok - one a") - lines.index("ok - one b")) == 1, said


def a_part_brings_what_it_needs():
    run = jobs.Jobs(jobs.Cores(2), "/nonexistent")
    made = {}
    for name, *after in (("kernel",), ("boot", "kernel"), ("guest", "boot"), ("other", "kernel")):
        made[name] = run.add(name, None, *(made[a] for a in after))
    assert not run.keep(["guest", "nothing"])
    assert run.keep(["guest"]) and [j.name for j in run.jobs] == ["kernel", "boot", "guest"]


def the_processors_are_never_taken_twice():
    shared, busy, most, lock = jobs.Cores(2), [0], [0], threading.Lock()

    def hold(wanted):
        with shared.take(wanted):
            with lock:
                busy[0] += min(wanted, 2)
                most[0] = max(most[0], busy[0])
            with lock:
                busy[0] -= min(wanted, 2)

    threads = [threading.Thread(target=hold, args=(1 + i % 3,)) for i in range(30)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(10)
    assert not any(t.is_alive() for t in threads) and most[0] == 2, most


def what_was_shown_is_reported():
    with tempfile.TemporaryDirectory() as where, contextlib.redirect_stdout(io.StringIO()):
        tally = jobs.Tally()
        tally.result(True, "suite: good")
        tally.result(False, "suite: bad", ["why \x1b not"])
        tally.skip("lone # 3", "no tool")
        report.write_all(where, tally.shown)
        assert text(f"{where}/results.ktap") == (
            "KTAP version 1\n1..3\nok 1 suite: good\nnot ok 2 suite: bad\n# why \x1b not\n"
            "ok 3 lone \\# 3 # SKIP no tool\n")
        suite = ElementTree.parse(f"{where}/junit.xml").getroot()
        assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
        assert [(c.get("classname"), c.get("name")) for c in suite] == [
            ("suite", "good"), ("suite", "bad"), ("ftrace", "lone # 3")]
        assert suite.find("testcase/failure").text == "why ? not"


def what_is_urgent_is_next():
    shared, order = jobs.Cores(1), []

    def hold(urgency):
        with shared.take(1, urgency):
            order.append(urgency)

    with shared.take(1):
        threads = [threading.Thread(target=hold, args=(u,)) for u in (1, 3, 2)]
        for t in threads:
            t.start()
        while len(shared.waiting) < 3:
            threading.Event().wait(0.01)
    for t in threads:
        t.join(10)
    assert order == [3, 2, 1], order


def a_machine_is_late_by_the_time_it_ran():
    for program, late in (("while True: pass", True), ("import time; time.sleep(2)", False)):
        qemu = subprocess.Popen([sys.executable, "-c", program])
        args = argparse.Namespace(smp=1, accel="tcg", timeout=1, late=False)
        ended = threading.Event()
        watch = threading.Thread(target=machine.end_when_late, args=(args, qemu, ended))
        watch.start()
        qemu.wait(60)
        ended.set()
        watch.join()
        assert args.late == late, program


def who_waits_for_all_processors_is_not_overtaken_for_ever():
    shared = jobs.Cores(2)
    shared.free = 1
    now = time.monotonic()
    long_ago = now - jobs.OVERTAKING - 1
    urgent, small = (-9, 1, 2, now), (-1, 2, 1, now)
    shared.waiting = [small, urgent]
    assert shared.next() == small
    shared.waiting = [small, (-9, 1, 2, long_ago)]
    assert shared.next() is None
    shared.free = 2
    assert shared.next()[1] == 1


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


def a_stopped_machine_is_read_and_written():
    size = stub.CHUNK + 1
    answers = [[b"OK"], [b"T05thread:01;"], [b"OK"], [b"61" * stub.CHUNK], [b"62"], [b"OK"], [b"OK"],
               [b"O" + b"... instruction count = ".hex().encode(), b"O" + b"42\n".hex().encode(), b"OK"],
               [b"E22"]]
    asked = []
    with tempfile.TemporaryDirectory() as where, socket.socket(socket.AF_UNIX) as server:
        server.bind(where + "/stub")
        server.listen()
        other = threading.Thread(target=answer_as_a_stub, args=(server, answers, asked))
        other.start()
        with stub.Stub(where + "/stub", lambda: True) as at:
            at.run_to(0x1234)
            assert at.read(0x10, size) == b"a" * stub.CHUNK + b"b"
            at.write(0x20, bytes(size))
            assert at.instructions() == 42
            try:
                at.word(0)
                assert False, "a refusal is taken for a word"
            except OSError:
                pass
        other.join()
    assert asked[:5] == ["Z1,1234,1", "c", "z1,1234,1", f"m10,{stub.CHUNK:x}",
                         f"m{0x10 + stub.CHUNK:x},1"], asked
    assert asked[5:7] == [f"M20,{stub.CHUNK:x}:" + "00" * stub.CHUNK, f"M{0x20 + stub.CHUNK:x},1:00"]


def main():
    failed = 0
    tests = [f for n, f in list(globals().items()) if callable(f) and n.startswith(
        ("the_", "an_", "a_", "what_", "who_", "every_"))]
    for t in tests:
        name = t.__name__.replace("_", " ")
        try:
            t()
            print(f"ok - {name}")
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"not ok - {name}")
            print("".join("# " + l + "\n" for l in traceback.format_exc().split("\n")[-6:]), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
