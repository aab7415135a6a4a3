# SPDX-License-Identifier: GPL-2.0
"""mutants.py: what it draws, what it makes of a suite's verdicts, and its list of equivalents."""
import os

import pytest

import mutants
import tree
from files import write
from order import Refused

UNIT = """/* if (a == b) */
#define SAME(a, b) \\
	((a) == (b))
struct pair { int one, two; };
static int table[] = { 1, 2 };

int larger(int a, int b)
{
	const char *why = "a == b";	/* a == b */

	if (a < b && why)
		return b;
	WARN_ON(a == b);
	return a;
}

void settle(struct pair *p)
{
	p->one = larger(p->two, p->one);
	log_pair(p->one, 0);
}
"""


def changed(source):
    return {(f.line, f.kind, f.new.strip()) for f in mutants.faults_of("x.c", source)}


def test_faults_of_each_kind_are_drawn_in_functions_and_nowhere_else():
    assert changed(UNIT) == {
        (11, "operator", "if (a <= b && why)"), (11, "operator", "if (a < b || why)"),
        (11, "negated", "if (!(a < b && why))"),
        (19, "dropped", ";"), (19, "swapped", "p->one = larger(p->one, p->two);"),
        (20, "dropped", ";"), (20, "swapped", "log_pair(0, p->one);"), (20, "off by one", "log_pair(p->one, 1);"),
    }


@pytest.mark.parametrize("line, new", [
    ("\tif (unlikely(a) && f(b)) {", "\tif (!(unlikely(a) && f(b))) {"),
    ("\t} else if (!a) {", "\t} else if (!(!a)) {"),
])
def test_negated_conditions_keep_their_brackets(line, new):
    assert [line[:s] + t + line[e:] for kind, s, e, t in mutants.changes(line) if kind == "negated"] == [new]


@pytest.mark.parametrize("line", ["\tint a = 1;", "\treturn f(a);", "\tf(a,", "\tstruct list *l = &p->list;"])
def test_declarations_and_parts_of_statements_are_not_dropped(line):
    assert "dropped" not in [kind for kind, *_ in mutants.changes(line)]


def test_faults_are_many_and_of_the_files_of_each_suite():
    for suite in mutants.SUITES:
        faults = list(mutants.draw(tree.TOP, suite, "1"))
        assert len(faults) > 100
        assert faults == list(mutants.draw(tree.TOP, suite, "1")) != list(mutants.draw(tree.TOP, suite, "2"))
        assert len({(f.path, f.line) for f in faults}) == len(faults)


def test_all_faults_are_shared():
    assert mutants.shares(8, ["a", "b", "c"]) == {"a": 3, "b": 3, "c": 2}


def test_a_count_of_no_faults_is_refused(capsys):
    for count in "0", "-1":
        with pytest.raises(SystemExit):
            mutants.main([f"--count={count}"])
        assert "--count is at least 1" in capsys.readouterr().err


ENTRY = """# a comment
x.c larger
-	if (a < b && why)
+	if (a <= b && why)
Both are
the same then.
"""


def test_equivalents_are_faults_with_a_reason(tmp_path):
    write(tmp_path / "x.c", UNIT)
    known = mutants.equivalents(ENTRY + "\n" + ENTRY.replace("<=", ">"))
    assert known[mutants.key("x.c", "larger", "if (a < b && why)", "if (a <= b && why)")] == "Both are the same then."
    with pytest.raises(Refused, match="larger.*a > b"):
        mutants.check_equivalents(known, tmp_path)
    mutants.check_equivalents(mutants.equivalents(ENTRY), tmp_path)


@pytest.mark.parametrize("text", [ENTRY.replace("Both are\nthe same then.\n", ""), "x.c\n-a\n+b\nwhy\n"])
def test_equivalents_without_a_reason_or_a_place_are_refused(text):
    with pytest.raises(Refused):
        mutants.equivalents(text)


def test_the_list_is_of_faults_that_are_there():
    mutants.check_equivalents(mutants.equivalents(mutants.read(mutants.EQUIVALENT)), tree.TOP)


RUN = """#!/bin/sh
[ "$1" != --units ] || { echo kernel/x.c; exit; }
printf '#define WARN_ON(x)\\nvoid log_pair(int, int);\\n' | cat - "$(dirname "$0")/../../../kernel/x.c" >"$OUT.c"
printf 'void log_pair(int a, int b) {}\\n' >>"$OUT.c"
printf 'int main(void) { return larger(1, 2) != 2 || larger(2, 1) != 2; }\\n' >>"$OUT.c"
"$CC" -Werror "$OUT.c" -o "$OUT.x" || { echo "not ok 1 - unit builds"; exit 1; }
timeout 20 "$OUT.x" || { echo "not ok 1 - larger"; exit 1; }
echo "ok 1 - larger"
"""


def small(where, monkeypatch, unit=UNIT):
    monkeypatch.setitem(mutants.SUITES, "small", "tools/testing/small")
    write(where / "top/kernel/x.c", unit)
    write(where / "top/tools/testing/small/run.sh", RUN)
    return mutants.Copy(where / "top", str(where / "copy"))


def fate(copy, old, new, limit=600):
    lines = mutants.read(os.path.join(copy.top, "kernel/x.c")).split("\n")
    nr = lines.index(old)
    return copy.judge(mutants.Fault("kernel/x.c", nr + 1, "", old, new, ""), "small", limit)


def test_fates_of_faults(tmp_path, monkeypatch):
    copy = small(tmp_path, monkeypatch, UNIT + "#ifdef OTHER\nint other(int a)\n{\n\treturn a + 1;\n}\n#endif\n")
    compare, back = "\tif (a < b && why)", "\t\treturn b;"
    assert copy.run("small", None)[0] == 0
    assert fate(copy, compare, "\tif (a <= b && why)") == ("survives", "")
    assert fate(copy, compare, "\tif (a > b && why)") == ("killed", "larger")
    assert fate(copy, compare, "\tif (a < b && whither)") == ("no build", "")
    assert fate(copy, "\tlog_pair(p->one, 0);", "\tlog_pair(p, 0);") == ("no build", "")
    assert fate(copy, back, "\t\tfor (;;);", 3) == ("killed", "by the clock")
    assert fate(copy, "\treturn a + 1;", "\treturn a - 1;") == ("not there", "")
    # The copy is as it was, and so is the tree.
    assert copy.run("small", None)[0] == 0


@pytest.mark.parametrize("then", ["exit", "sleep 100"])
def test_a_suite_ends_at_its_first_failure_with_all_that_it_has_started(tmp_path, monkeypatch, then):
    copy = small(tmp_path, monkeypatch)
    os.mkfifo(tmp_path / "alive")
    alive = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(alive, True)
    write(os.path.join(copy.top, mutants.SUITES["small"], "run.sh"), f"""#!/bin/sh
        exec 3>{tmp_path}/alive
        (sleep 100; echo late >&3) &
        echo "ok 1 - first"; echo "not ok 2 - second"; {then}; echo "not ok 3 - third" """)
    assert copy.run("small", None)[:2] == (1, "ok 1 - first\nnot ok 2 - second\n")
    assert os.read(alive, 1) == b""	# its writers have gone
    os.close(alive)


def test_a_suite_that_fails_without_a_fault_tells_nothing(tmp_path, monkeypatch):
    copy = small(tmp_path, monkeypatch, UNIT.replace("a < b", "a > b"))
    with pytest.raises(Refused, match="fails without a fault"):
        mutants.probe(copy, "small", [], 1, {})


def test_the_count_is_of_faults_that_build(tmp_path, monkeypatch, capsys):
    copy = small(tmp_path, monkeypatch)
    lines = UNIT.split("\n")

    def fault(new):
        return mutants.Fault("kernel/x.c", 11, "operator", lines[10], new, "larger")

    faults = [fault("\tif (a)) {"), fault("\tif (a > b)"), fault("\tif (a <= b)"), fault("\tif (a != b)"), fault("")]
    known = {mutants.key("kernel/x.c", "larger", lines[10], "\tif (a <= b)"): "the same"}
    assert mutants.probe(copy, "small", faults, 3, known) == {"no build": 1, "killed": 2, "equivalent": 1}
    assert "the same" in capsys.readouterr().out


@pytest.mark.parametrize("killed, survive, good", [(9, 1, True), (8, 1, False), (1, 0, True), (0, 0, False)])
def test_one_in_ten_may_survive(killed, survive, good, capsys):
    assert bool(mutants.table({"a": mutants.collections.Counter(killed=killed, survives=survive)})) == good
    assert f"{killed} killed, {survive} survive of {killed + survive}" in capsys.readouterr().out
