# SPDX-License-Identifier: GPL-2.0
"""What is shown of checkpatch's remarks, and which excuses are refused."""
import os

import pytest

import checkmails
import tree
from files import text, write
from order import status_of
from small import spoken

MAIL = """From {} Mon Sep 17 00:00:00 2001
Date: {}
Subject: [PATCH 1/1] kernel: add a

---
index {}..123 100644
+int a;
"""
# Says one thing of a line, one of the message, and counts how often it is run.
CHECKPATCH = r"""open(my $f, ">>", "%s"); print $f "run\n"; close($f);
print "CHECK:CAMELCASE: Avoid CamelCase: <aB>\n#7: FILE: kernel/a.c:1:\n+int aB;\n\n";
print "WARNING:TYPO_SPELLING: 'teh' may be misspelled\n#3: \nteh\n\n";
exit(1);
"""
BOTH = "# A reason.\nCAMELCASE kernel/a.c aB\nTYPO_SPELLING 0001-*\n"


@pytest.fixture(name="runs")
def mails(monkeypatch, tmp_path):
    top = str(tmp_path)
    for name, value in (("MAILS", "patches"), ("KEPT", "kept"), ("CHECKPATCH", "checkpatch.pl"), ("EXCUSES", "excuses")):
        monkeypatch.setattr(checkmails, name, os.path.join(top, value))
    write(f"{top}/checkpatch.pl", CHECKPATCH % f"{top}/runs")
    write(f"{top}/patches/0001-a.patch", MAIL.format("0" * 40, "Monday", "abc"))
    write(f"{top}/excuses", BOTH)
    return f"{top}/runs"


def check(excuses=BOTH):
    write(checkmails.EXCUSES, excuses)
    return spoken(status_of, "checkmails", checkmails.main)


def test_a_remark_is_shown_with_its_line(runs):
    assert check("") == (1, "kernel/a.c:1: CAMELCASE: Avoid CamelCase: <aB>\n    int aB;\n"
                         "0001-a.patch: TYPO_SPELLING: 'teh' may be misspelled\n    teh\n"
                         "1 mails, 2 remarks, 0 excused\n")


def test_what_is_excused_is_not_shown(runs):
    assert check() == (0, "1 mails, 0 remarks, 2 excused\n")


@pytest.mark.parametrize("other", ["COMPLEX_MACRO kernel/a.c aB", "CAMELCASE kernel/b.c aB", "CAMELCASE kernel/a.c bC"])
def test_an_excuse_covers_its_type_file_and_line_alone(runs, other):
    status, said = check(BOTH.replace("CAMELCASE kernel/a.c aB", other))
    assert status == 1 and "kernel/a.c:1: CAMELCASE" in said
    assert f"excuses:2: nothing needs {other}".replace("excuses", "series/checkpatch") in said


def test_an_excuse_that_nothing_needs_is_refused(runs):
    status, said = check(BOTH + "COMPLEX_MACRO *\n")
    assert status == 1 and "series/checkpatch:4: nothing needs COMPLEX_MACRO *" in said


def test_an_excuse_without_a_reason_is_refused(runs):
    assert check(BOTH + "\nCOMPLEX_MACRO *\n") == (1, "checkmails: series/checkpatch:5: has no reason above it\n")
    assert check(BOTH + "COMPLEX_MACRO\n") == (1, "checkmails: series/checkpatch:4: is no \"TYPE PATH [TEXT]\"\n")


def test_a_mail_is_read_again_when_its_content_has_changed(runs):
    check()
    mail = os.path.join(checkmails.MAILS, "0001-a.patch")
    write(mail, MAIL.format("1" * 40, "Tuesday", "def"))
    check()
    assert text(runs) == "run\n"
    write(mail, MAIL.format("1" * 40, "Tuesday", "def").replace("int a", "int b"))
    check()
    assert text(runs) == "run\nrun\n"


def test_a_checkpatch_that_does_not_run_is_an_error(runs):
    for script in "exit(1);\n", "die;\n":
        write(checkmails.CHECKPATCH, script)
        status, said = check()
        assert status == 1 and said.startswith("checkmails: checkpatch.pl ends with status "), said


def test_no_mails_are_an_error(runs):
    os.unlink(os.path.join(checkmails.MAILS, "0001-a.patch"))
    assert check("") == (1, "0 mails, 0 remarks, 0 excused\n")
    os.rmdir(checkmails.MAILS)
    assert check("") == (1, f"checkmails: [Errno 2] No such file or directory: '{checkmails.MAILS}'\n")


def test_the_excuses_of_this_series_have_reasons():
    assert len(checkmails.read_excuses(os.path.join(tree.TOP, "series", "checkpatch"))) > 20
