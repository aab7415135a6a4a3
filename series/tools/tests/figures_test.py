# SPDX-License-Identifier: GPL-2.0
"""Tests of what is made of figures: rows, report, plots. No figure here was measured."""
import csv
import math
import os
import random
import re
import runpy
import shutil
import statistics
import subprocess
import sys
import types
from xml.etree import ElementTree

import pytest

import figure_report
import figures
import machine
from files import text, write
from small import spoken

FIRST = figure_report.Run("2001-02-03 04:05", "1111", "6.0", "gcc (A) 1, \"x\"", "7", "make figures")
SECOND = figure_report.Run("2001-02-04 04:05", "2222", "6.0", "gcc (A) 1", "7",
                           "NAMES=\"5\" make figures TABLES=\"filters\"")
SWITCHED = ("function on", "function off", "second tracer on", "second tracer off")
CPUS = {"classic": {f"{what}, {n} CPU{'s' if n > 1 else ''}": (10**8 * n, 10 * (n - 1))
                    for what in SWITCHED for n in (1, 2, 4)},
        "new": {f"{what}, {n} CPU{'s' if n > 1 else ''}": (10**7 + n, n - 1)
                for what in SWITCHED for n in (1, 2, 4)}}
FILTERS = {"classic": {"one exact name": (900, 0), "glob *lock*": (1000, 1), "a list, 2 names": (5 * 10**6, 0),
                       "a list, 16 names": (10**8, 0)},
           "new": {"one exact name": (901, 0), "glob *lock*": (1000, 2), "a list, 2 names": (10**5, 0),
                   "a list, 16 names": (10**6, 0), "glob many_7_*, with modules": (7, 0)}}
CALLS = {kernel: {f"a call, {h} hooks, {e} elsewhere": (6 + h * (n + e), 0) for h in (0, 1, 8) for e in (0, 10, 100)}
         for kernel, n in (("classic", 80), ("new", 10))}
HITS = {"classic": {"a hit, 0 probes": (0, 0), "a hit, 8 probes": (130, 0)},
        "new": {"a hit, 0 probes": (0, 0), "a hit, 8 probes": (120, 0)}}
SITES = {"classic": {"sites listed, 5000 of the calls": (4990, 0), "function on, 5000 of the calls": (10**7, 4990),
                     "sites listed, all calls": (27000, 0), "function on, all calls": (8 * 10**7, 27000)},
         "new": {"sites listed, 5000 of the calls": (4995, 0), "function on, 5000 of the calls": (10**6, 4995),
                 "sites listed, all calls": (26600, 0), "function on, all calls": (10**7, 26600),
                 "sites listed, 72000 more": (98600, 0), "function on, 72000 more": (4 * 10**7, 98600)}}
PLOTS = {p.table: p for p in figure_report.PLOTS}
ALL = {"cpus": CPUS, "filters": FILTERS, "calls": CALLS, "hits": HITS, "sites": SITES}


def rows(*tables, run=FIRST, cpus=1):
    return figure_report.merged([], [r for t in tables for r in figure_report.rows_of(t, cpus, ALL[t], run)])


def row(found, figure, parameter="", table=None):
    some = [r for r in found if (r.figure, r.parameter) == (figure, parameter) and table in (None, r.table)]
    assert len(some) == 1, (figure, parameter, some)
    return some[0]


def written(where, *tables):
    """Write all that is made of some tables to a folder; what is said of missing plots."""
    return figure_report.write_all(where, rows(*tables))


def keep(folder, run, table, figures=None):
    """Have a folder take over what a run has measured."""
    return figure_report.keep(folder, figure_report.rows_of(table, 1, figures or ALL[table], run))


@pytest.fixture(name="kept")
def a_folder_for_results(monkeypatch, where):
    monkeypatch.setattr(figures, "FOLDER", where)
    return where


def cells(report, figure):
    """The cells of the row of @report that begins with @figure."""
    found = [l for l in report.split("\n") if l.startswith(f"| {figure} |")]
    assert len(found) == 1, (figure, found)
    return [c.strip() for c in found[0].strip("|").split("|")]


def test_the_words_of_a_guest_are_figures_of_tables():
    said = figures.said("4 processors, 9 functions\nTABLE switch\nFIGURE function on 5 6\nnoise\n"
                        "FIGURE function on 7 8\nTABLE calls\nFIGURE a call, 1 hooks, 0 elsewhere 43 0\n"
                        "FIGURE broken x 0\nTABLE window\n")
    assert said == {"switch": {"function on": (7, 8)}, "calls": {"a call, 1 hooks, 0 elsewhere": (43, 0)},
                    "window": {}}, said
    assert figures.together(said) == {**said["switch"], **said["calls"]}


# asked is called by asks, also by way of asks_too; by other, which does not count; and by what
# may do without, asks_perhaps, whose caller does not count either.
X86 = """
10 <asked>:
10:\tendbr64
14:\tnopl   0x0(%rax,%rax,1)
19:\tret

20 <asks>:
20:\tpush   %rbp
22:\tcall   10 <asked>
28:\tcall   40 <asks_too>

40 <asks_too>:
40:\tjmp    10 <asked>

50 <other>:
50:\tcall   10 <asked>

60 <asks_later>:
60:\tcall   70 <asks_perhaps>
68:\tje     10 <asked>

70 <asks_perhaps>:
70:\tcall   60 <__fentry__>
80:\tjmp    10 <asked>

100 <end>:
100:\tret
"""
ARM64 = X86.replace("endbr64", "bti\tc").replace("nopl   0x0(%rax,%rax,1)", "nop\n15:\tnop").replace("je  ", "b.eq").replace(
    "70:\tcall   60 <__fentry__>", "70:\tnop\n74:\tnop").replace("call  ", "bl\t").replace("jmp   ", "b\t")


@pytest.mark.parametrize("code", [X86, ARM64], ids=["x86", "arm64"])
def test_calls_are_found_by_their_targets_and_not_where_a_tracer_is(code):
    code = figures.Code({name: int(at, 16) for at, name in re.findall(r"(\w+) <(\w+)>:", code)}, code)
    assert code.calls(("asked", "absent"), "asks") == [0x22, 0x28]
    assert [code.body(name) for name in ("asked", "asks", "asks_perhaps", "absent")] == [0x19, 0x20, 0x80, None]


def test_what_is_measured_becomes_a_row():
    r = row(rows("cpus"), "function on", "4 CPUs")
    assert (r.cpus, r.unit, r.classic, r.new) == (4, "virtual ns", 4 * 10**8, 10**7 + 4), r
    assert (r.other, r.classic_other, r.new_other) == ("interrupts", 30, 3), r
    assert row(rows("calls"), "a call, 10 elsewhere", "8 hooks").unit == "instructions"
    assert row(rows("filters"), "a list", "16 names").new == 10**6
    assert row(rows("filters"), "one exact name").parameter == ""
    r = row(rows("sites"), "function on", "72000 more")
    assert (r.classic, r.new, r.new_other, r.other) == (None, 4 * 10**7, 98600, "functions"), r
    assert row(rows("sites"), "sites listed", "all calls").unit == "sites"
    r = figure_report.rows_of("memory", 1, {"new": {"pages of code, 64 hooks": (2, 64)}}, FIRST)[0]
    assert (r.unit, r.figure, r.classic) == ("pages", "pages of code, 64 hooks", None), r


def test_what_is_worse_is_marked_and_nothing_else(where):
    found = rows(*ALL)
    bad = {(r.figure, r.parameter): r.worse() for r in found if r.worse()}
    assert bad == {("one exact name", ""): ["virtual ns"], ("glob *lock*", ""): ["interrupts"]}, bad
    written(where, "filters", "sites", "calls")
    report = text(where + "/report.md")
    assert cells(report, "one exact name")[2:] == ["900", "901", "1.00", "**worse**"]
    assert cells(report, r"glob \*lock\*")[2:] == ["1000 (1)", "1000 (2)", "1.00", "**more interrupts**"]
    # What one kernel lacks is no number, and not worse.
    assert "| function on | 72000 more | n/a | 40.00 M (405.7) |  |  |" in report.split("\n")
    marked = [l for l in report.split("\n") if l.startswith("|") and "**" in l]
    assert len(marked) == 2, marked
    listed = re.search(r"The new one is\s+worse in\s+2 of these:\n\n((- .*\n)+)", report)[1].split("\n")
    assert listed == ["- filters, one exact name: 901 instead of 900, **worse**",
                      r"- filters, glob \*lock\*: 1000 (2) instead of 1000 (1), **more interrupts**", ""], listed


def test_the_rows_survive_the_file(where):
    before = rows(*ALL)
    figure_report.write_csv(where + "/a.csv", before)
    assert figure_report.read_csv(where + "/a.csv") == before
    assert figure_report.read_csv(where + "/none.csv") == []
    with open(where + "/a.csv", encoding="utf-8", newline="") as f:
        first = next(csv.DictReader(f))
    assert (first["date"], first["commit"], first["command"]) == ("2001-02-03 04:05", "1111", "make figures")
    write(where + "/a.csv", "table,figure\ncpus,function on\n")
    with pytest.raises(SystemExit, match="remove it"):
        figure_report.read_csv(where + "/a.csv")


def test_a_run_replaces_what_it_measured_again_and_keeps_the_rest(where):
    for run, table, got in ((FIRST, "filters", FILTERS), (FIRST, "cpus", CPUS), (SECOND, "filters", {
            "classic": {"a list, 2 names": (4, 0)},
            "new": {"a list, 2 names": (3, 0), "a list, 5 names": (9, 0)}})):
        keep(where, run, table, got)
    found = figure_report.read_csv(where + "/results.csv")
    again = row(found, "a list", "2 names")
    assert (again.classic, again.new, again.run) == (4, 3, SECOND)
    kept = row(found, "a list", "16 names")
    assert (kept.new, kept.run) == (10**6, FIRST)
    assert [r.parameter for r in found if r.figure == "a list"] == ["2 names", "5 names", "16 names"]
    assert len([r for r in found if r.table == "cpus"]) == len(CPUS["new"])
    report = text(where + "/report.md")
    assert "Runs 1, 2: virtual ns" in report and "Run 1: virtual ns" in report
    assert cells(report, "one exact name")[-1] == "1"
    assert [l.split("|")[-2].strip() for l in report.split("\n") if l.startswith("| a list |")] == [
        "2", "2", "1"]
    for run, number, tables in ((FIRST, 1, "cpus, filters"), (SECOND, 2, "filters")):
        line = cells(report, str(number))
        assert line[1:3] == [run.date, run.commit] and line[-2:] == [f"`{run.command}`", tables], line


def main(*argv):
    """What figures.py makes of these words."""
    return spoken(figures.main, list(argv))


def test_a_run_prints_and_keeps_what_it_measured(kept, monkeypatch):
    asked = []

    def plain(kernel, cpus, tables):
        asked.append((kernel, cpus, tables))
        return {t: {what: (value * cpus, other) for what, (value, other) in ALL[t][kernel].items()} for t in tables}

    for name, value in (("plain", plain), ("of_cpus", lambda kernel, numbers: CPUS[kernel]),
                        ("WHOLE", {"hits": HITS.get})):
        monkeypatch.setattr(figures, name, value)
    status, said = main("filters", "calls", "cpus", "hits", "1", "2")
    assert (status, main("nosuch")[0]) == (0, 2)
    found = figure_report.read_csv(kept + "/results.csv")
    assert asked == [(k, n, ["filters", "calls"]) for n in (1, 2) for k in ("classic", "new")], asked
    assert {(r.table, r.cpus) for r in found if r.table != "cpus"} == {
        ("filters", 1), ("filters", 2), ("calls", 1), ("calls", 2), ("hits", 1)}
    assert len([r for r in found if r.table == "cpus"]) == len(CPUS["new"])
    assert all(r.run.command == 'make figures TABLES="filters calls cpus hits 1 2"' and r.run.commit != "unknown"
               for r in found), found[0].run
    line = next(l for l in said.split("\n") if l.startswith("function on, 2 CPUs"))
    assert line.split()[4:] == ["200.00", "M", "(10)", "10.00", "M", "(1)", "20.00"], line
    assert "no plot figures-sites.svg: the table sites has not been measured" in said


def test_an_arm64_machine_has_tables_of_its_own(kept, monkeypatch):
    monkeypatch.setattr(figures, "plain", lambda kernel, cpus, tables: {
        t: ALL[t][kernel.removesuffix("-size")] for t in tables})
    assert main("filters", "1")[0] == 0
    assert main("calls-size")[0] == 2, "arm64's kernels are asked for"
    monkeypatch.setattr(figures, "ARCH", figures.ARM64)
    assert main("filters", "4")[0] == 0
    assert main("window")[0] == 2, "x86's engine is asked"
    assert main("calls-size")[0] == 0
    found = figure_report.read_csv(kept + "/results.csv")
    report = text(kept + "/report.md")
    assert {(r.table, r.cpus, r.run.command) for r in found} == {
        ("filters", 1, 'make figures TABLES="filters 1"'),
        ("filters-arm64", 4, 'make figures ARCH=arm64 TABLES="filters 4"'),
        ("calls-size-arm64", 1, 'make figures ARCH=arm64 TABLES="calls-size"')}
    assert "\n## Setting and reading filters\n" in report and "\n## Setting and reading filters, arm64\n" in report


def test_links_of_bpf_programs_on_arm64(kept, monkeypatch):
    """Of kernels of their own; what the classic one does not have stays empty."""
    def of_bpf(kernel, cpus):
        links = {"one fentry link, attach": (7 * cpus, 2), "tracing_multi on all functions, attach": (9, 0)}
        return links if kernel == "new-bpf" else {"one fentry link, attach": (8 * cpus, 3)}

    monkeypatch.setattr(figures, "of_bpf", of_bpf)
    monkeypatch.setattr(figures, "ARCH", figures.ARM64)
    assert main("bpf", "4")[0] == 0
    found = figure_report.read_csv(kept + "/results.csv")
    report = text(kept + "/report.md")
    assert {(r.table, r.cpus) for r in found} == {("bpf-arm64", 4)}
    assert "\n## Links of BPF programs, arm64\n" in report
    assert [(r.classic, r.new) for r in found] == [(32, 28), (None, 9)]
    assert cells(report, "tracing_multi on all functions, attach")[2:4] == ["n/a", "9"]


def test_a_table_of_other_processors_is_kept_beside():
    found = figure_report.merged(rows("filters"), rows("filters", cpus=4, run=SECOND))
    assert [(r.cpus, r.run) for r in found if r.figure == "one exact name"] == [(1, FIRST), (4, SECOND)]
    lines = figure_report.lines_of(PLOTS["filters"], {"a list": ""}, found)
    assert [len(points) for *_, points in lines] == [2, 2], "two numbers of processors are mixed in a line"


def points_of(plot, found):
    """{kernel and index: points} of all data in the script of a plot."""
    script = figure_report.script_of(plot, found)
    return {name: [tuple(map(float, l.split())) for l in data.strip().split("\n")]
            for name, data in re.findall(r"^\$(\w+) << EOD\n(.*?)^EOD$", script, re.M | re.S)}


def test_a_plot_has_the_points_that_were_measured():
    got = points_of(PLOTS["cpus"], rows("cpus"))
    assert got["p0classic0"] == [(1, 100), (2, 200), (4, 400)], got
    assert len(got) == 8 and got["p1new1"] == [(1, 10.000001), (2, 10.000002), (4, 10.000004)], got
    got = points_of(PLOTS["sites"], rows("sites"))
    assert got == {"p0classic0": [(4.99, 10), (27, 80)], "p0new0": [(4.995, 1), (26.6, 10), (98.6, 40)]}, got
    script = figure_report.script_of(PLOTS["sites"], rows("sites"))
    assert "set xtics ('5.0' 4.995, '27' 26.6, '99' 98.6)" in script, script
    got = points_of(PLOTS["calls"], rows("calls"))
    assert got["p0classic2"] == [(0, 6), (1, 186), (8, 1446)] and len(got) == 6, got
    assert points_of(PLOTS["hits"], rows("hits"))["p0new0"] == [(0, 0), (8, 120)]


def test_a_scale_is_a_logarithm_where_there_is_one():
    script = figure_report.script_of(PLOTS["filters"], rows("filters"))
    assert "set logscale x" in script and "set logscale y" in script and "log scale" in script
    nothing = [r for r in rows("filters") if r.figure != "a list"] + figure_report.rows_of(
        "filters", 1, {"new": {"a list, 0 names": (0, 0), "a list, 3 names": (5, 0)}}, FIRST)
    script = figure_report.script_of(PLOTS["filters"], nothing)
    assert "logscale" not in script and "log scale" not in script, script


def test_a_plot_without_data_is_left_out_and_said(where):
    missing = written(where, "filters")
    assert not os.path.exists(where + "/figures-cpus.svg")
    assert missing["figures-cpus.svg"] == "the table cpus has not been measured", missing
    others = ", ".join(table for table in figure_report.TABLES if table != "filters")
    said = text(where + "/report.md")
    assert re.search(r"There is no plot `figures-cpus.svg`: the table cpus has not been\s+measured\.", said)
    assert "(figures-cpus.svg)" not in said and f"not been measured: {others}." in " ".join(said.split()), said
    assert "figures-sites.svg" not in written(where, "sites")
    assert ("Not measured: classic, one function tracer, off; new, one function tracer, off; "
            "classic, a second tracer beside the first, on;") in text(where + "/report.md")
    assert len(written(where)) == len(figure_report.PLOTS)
    assert figure_report.NOTHING in text(where + "/report.md")


def test_every_plot_is_drawn(where):
    assert not written(where, *ALL)
    for plot in figure_report.PLOTS:
        svg = text(f"{where}/{plot.file}")
        assert svg.split("\n")[1] == "<!-- SPDX-License-Identifier: GPL-2.0 -->"
        said = [e.text for e in ElementTree.fromstring(svg).iter() if e.text and e.text.strip()]
        for word in (plot.title, plot.across):
            assert word in said, (plot.file, word)
        for kernel, colours in figure_report.COLOURS.items():
            assert any(t.split(",")[0] == kernel for t in said), (plot.file, kernel)
            rgb = "rgb({:3}, {:3}, {:3})".format(*bytes.fromhex(colours[0][1:]))
            assert rgb in svg, (plot.file, kernel, rgb)
    written(where, "filters")
    assert not os.path.exists(where + "/figures-cpus.svg"), "a stale plot is left"


def test_what_is_published_is_what_was_measured(where):
    measured, published = where + "/build", where + "/published"
    assert "cpus has not been measured" in figure_report.publish(measured, published)
    keep(measured, FIRST, "filters")
    assert "cpus has not been measured" in figure_report.publish(measured, published)
    assert not os.path.exists(published)
    keep(measured, FIRST, "cpus")
    shutil.copy(f"{measured}/{figure_report.SHOWN}", f"{measured}/flames-new.svg")
    assert figure_report.publish(measured, published) == ""
    assert sorted(os.listdir(published)) == sorted(
        ["report.md", "results.csv", "flames-new.svg", figure_report.SHOWN, "figures-filters.svg"])
    for name in os.listdir(published):
        assert text(f"{measured}/{name}") == text(f"{published}/{name}")


def test_what_a_machine_has_not_measured_stays_as_it_was_published(where):
    for table in ("cpus", "filters", "sites"):
        keep(where + "/first", FIRST, table)
    assert figure_report.publish(where + "/first", where) == ""
    before = figure_report.read_csv(where + "/results.csv")
    keep(where + "/second", SECOND, "filters", {"new": {"one exact name": (5, 6)}})
    assert figure_report.publish(where + "/second", where) == ""
    now = figure_report.read_csv(where + "/results.csv")
    assert [r for r in now if r.table != "filters"] == [r for r in before if r.table != "filters"] != []
    assert [(r.figure, r.new, r.run) for r in now if r.table == "filters"] == [("one exact name", 5, SECOND)]


def test_what_the_clock_of_a_machine_says_is_not_published(tmp_path):
    figure_report.write_all(tmp_path / "build", rows("cpus") + both(tmp_path))
    assert figure_report.publish(tmp_path / "build", tmp_path / "published") == ""
    assert figure_report.read_csv(tmp_path / "published/results.csv") == rows("cpus")


def test_the_published_report_is_made_of_the_published_rows(where):
    """And README.md shows its picture."""
    figure_report.write_all(where, figure_report.read_csv(figure_report.PUBLISHED + "/results.csv"))
    assert text(where + "/report.md") == text(figure_report.PUBLISHED + "/report.md")
    shown = re.findall(r"!\[[^]]*\]\(([^)]+\.svg)\)", text(machine.TOP + "/README.md"))
    assert shown == [os.path.relpath(f"{figure_report.PUBLISHED}/{figure_report.SHOWN}", machine.TOP)]


# ---- figures-here ----

HERE = types.SimpleNamespace(**runpy.run_path(figure_report.FIGURES_HERE))
RUN = {"cpus": 4, "date": "2001-02-05 04:05", "commit": "3333", "kernel": "6.0-one", "gcc": "gcc 1", "qemu": "",
       "command": "figures-here", "machine": "here: box", "details": "processor: P | governor: performance"}


def samples(*ns, cycles=3, other=0):
    return [HERE.Sample(n, n * cycles, other) for n in ns]


def both(where, **columns):
    """The rows of both kernels on one machine, with the second one worse in one figure only.

    figures-here writes them to files, from which they are read.
    """
    found = []
    for kernel, factor, off in ("classic", 100, (100, 110, 120)), ("new", 1, (121, 122, 123)):
        results = HERE.Results(kernel, {**RUN, "kernel": "6.0-" + kernel, **columns})
        results.add("switch", "function on", samples(
            1000 * factor, 2000 * factor, 3000 * factor, other=factor))
        results.add("switch", "function off", samples(*off))
        results.add("filters", "a list", samples(*[10000 * factor] * 3), "2 names")
        results.add("filters", "a list", samples(*[40000 * factor] * 3), "8 names")
        results.add("calls", "a call, 10 elsewhere", samples(1.86, 1.8749, 1.9), "2 hooks")
        results.write(f"{where}/{kernel}.csv")
        found += figure_report.read_csv(f"{where}/{kernel}.csv")
    return found


def test_quartiles_are_those_of_statistics():
    numbers = random.Random(1)
    for n in 2, 3, 4, 5, 6, 7, 50:
        some = [numbers.randrange(1000) for _ in range(n)]
        low, middle, high = statistics.quantiles(some, n=4, method="inclusive")
        assert [HERE.quantile(sorted(some), q) for q in (0.25, 0.5, 0.75)] == pytest.approx([low, middle, high])
        assert HERE.median(some) == pytest.approx(middle)
    assert HERE.quantile([7], 0.25) == HERE.median([7]) == 7
    assert [HERE.rounded(n) for n in (1.8749, 99.999, 123.4, 7.0, 0)] == [1.87, 100.0, 123, 7, 0]


def test_a_median_is_settled_when_it_is_known_well_enough():
    assert not HERE.settled([100] * (HERE.LEAST - 1))
    assert HERE.settled([100] * HERE.LEAST) and HERE.settled([0] * HERE.LEAST)
    assert not HERE.settled([100, 100, 100, 100, 100, 111])		# of six, the outermost bound it
    assert HERE.settled([100] * 20 + [10000])
    # As often as it says, what it takes for near is near.
    numbers, near, runs = random.Random(2), 0, 400
    for _ in range(runs):
        some = [numbers.expovariate(1) + 1 for _ in range(HERE.LEAST)]
        while not HERE.settled(some):
            some.append(numbers.expovariate(1) + 1)
        near += abs(HERE.median(some) / (1 + math.log(2)) - 1) <= 2 * HERE.NEAR
    assert near / runs > 0.9, near


@pytest.mark.parametrize("ns, seconds, taken", [
    (lambda n: 100, 100, HERE.LEAST), (lambda n: 1000 ** (n % 2), 0, 3), (lambda n: 1000 ** (n % 2), 100, HERE.MOST)],
    ids=["settled", "late", "most"])
def test_rounds_end(ns, seconds, taken):
    bench, calls = object.__new__(HERE.Bench), []
    bench.seconds = seconds

    def once():
        calls.append(None)
        return HERE.Sample(ns(len(calls)), 0), HERE.Sample(1, 0)
    first, second = bench.rounds(once)
    assert len(first) == len(second) == taken and len(calls) == taken + 1
    assert first[0].ns == ns(2), "the round that warms up counts"


def test_what_figures_here_writes_is_what_the_report_reads(tmp_path):
    assert list(HERE.COLUMNS) == figure_report.COLUMNS
    assert set(HERE.TABLES) <= set(figure_report.TABLES)
    assert all(figure_report.TABLES[t].other == HERE.OTHER.get(t, "interrupts") for t in HERE.TABLES)
    found = both(tmp_path)
    r = next(r for r in found if r.figure == "function on" and r.new)
    assert (r.classic, r.new, r.new_other, r.unit, r.cpus, r.run.kernel) == (None, 2000, 1, "ns", 4, "6.0-new"), r
    assert r.here == figure_report.Here(RUN["machine"], RUN["details"], 1500, 2500, 3, 6000), r
    assert next(r for r in found if r.table == "calls").classic == 1.87
    figure_report.write_csv(tmp_path / "again.csv", rows("filters") + found)
    assert figure_report.read_csv(tmp_path / "again.csv") == rows("filters") + found


def test_a_machine_has_tables_of_its_own(tmp_path):
    """Beside the virtual figures, which stay as they are."""
    figure_report.write_all(tmp_path / "virtual", rows("filters"))
    found = figure_report.merged(rows("filters"), both(tmp_path) + both(tmp_path, machine="emulated: guest", qemu="TCG"))
    figure_report.write_all(tmp_path / "all", found)
    report = text(tmp_path / "all/report.md")
    same = "figures-filters.svg"
    assert text(tmp_path / "virtual" / same) == text(tmp_path / "all" / same)
    virtual, here, emulated = re.split("^## By the clock, .*$", report, flags=re.M)
    assert virtual.rstrip() == text(tmp_path / "virtual/report.md").rstrip()
    assert "emulated machine" not in here and "This is an emulated machine" in emulated
    assert re.search("^- classic, Linux 6.0-classic, gcc 1, 2001-02-05 04:05: processor: P", here, re.M)
    assert cells(here, "function on") == ["function on", "4", "0.20 M (100); 0.15 M to 0.25 M", "2000 (1); 1500 to 2500",
                                          "100.00", "", "0.60 M", "6000"]
    assert cells(here, "function off")[4:6] == ["0.90", "**worse**"] and here.count("**worse** |") == 1
    assert cells(here, "a call, 10 elsewhere, 2 hooks")[2] == "1.87; 1.87 to 1.89"
    assert "Setting a filter to a list of names (here: box)" in text(tmp_path / "all/figures-filters-here-box.svg")
    assert "(figures-filters-here-box.svg)" in here and "(figures-filters-emulated-guest.svg)" in emulated


def test_one_kernel_alone_has_its_column(tmp_path):
    only = [r for r in both(tmp_path) if r.new]
    figure_report.write_all(tmp_path, only)
    assert cells(text(tmp_path / "report.md"), "function on")[2:] == ["n/a", "2000 (1); 1500 to 2500", "", "", "n/a", "6000"]


def test_rows_of_a_machine_are_taken_over_of_the_tables_that_are_asked_for(tmp_path, kept):
    both(tmp_path)
    for kernel, *tables in ("new", "calls"), ("classic",), ("new",), ("new",):
        assert main("--here", f"{tmp_path}/{kernel}.csv", *tables)[0] == 0
        assert not tables or {r.table for r in figure_report.kept(kept)} == {*tables}
    assert len(figure_report.kept(kept)) == len(both(tmp_path))
    figure_report.write_csv(tmp_path / "virtual.csv", rows("filters"))
    for path in "virtual.csv", "none.csv":
        with pytest.raises(SystemExit, match="has nothing that figures-here measured"):
            figures.main(["--here", str(tmp_path / path)])
    with pytest.raises(SystemExit, match="has other columns than this version writes"):
        figures.main(["--here", "/bin/true"])


def test_whose_time_it_is_and_which_tracer_are_told(tmp_path):
    assert [HERE.label(h) for h in ("", "KVM", "TCG")] == ["here", "here, in KVM", "emulated"]
    for name, kernel in ("ftrace_combo_of", "new"), ("ftrace_combo_office", "classic"), ("ftrace_ops_list_func", "classic"):
        write(tmp_path / "symbols", f"0000000000000000 T {name}\n0000000000000000 t other\t[module]\n")
        assert HERE.implementation(tmp_path / "symbols") == kernel


def a_tracefs(where, **files):
    """A folder like tracefs, which nobody uses."""
    for name, said in {"current_tracer": "nop\n", "set_event": "", "set_ftrace_pid": "no pid\n", "tracing_on": "1\n",
                       "set_ftrace_filter": "#### all functions enabled ####\n",
                       "set_ftrace_notrace": "#### no functions disabled ####\n",
                       "per_cpu/cpu0/stats": "entries: 0\noverrun: 0\n",
                       **{n.replace("__", "/"): said for n, said in files.items()}}.items():
        write(f"{where}/{name}", said)
    os.makedirs(f"{where}/instances", exist_ok=True)
    return HERE.Tracefs(str(where))


@pytest.mark.parametrize("file, said, why", [
    ("current_tracer", "function\n", "current_tracer has function"),
    ("set_event", "sched:sched_switch\n", "set_event has sched:sched_switch"),
    ("set_ftrace_filter", "vfs_read\n", "set_ftrace_filter has vfs_read"),
    ("set_ftrace_pid", "17\n", "set_ftrace_pid has 17"),
    ("per_cpu__cpu0__stats", "entries: 3\n", "the buffer has events, which would be lost"),
    ("instances__ras__set_event", "ras:mc_event\n", "instances/ras/set_event has ras:mc_event")],
    ids=["tracer", "events", "filter", "pid", "buffer", "instance"])
def test_tracing_that_is_in_use_is_told(tmp_path, file, said, why):
    assert a_tracefs(tmp_path / "idle").in_use() == []
    assert a_tracefs(tmp_path / "used", **{file: said}).in_use() == [why]


def test_commands_of_a_filter_are_none_of_its_functions(tmp_path):
    fs = a_tracefs(tmp_path, set_ftrace_filter="vfs_read\nmine [module]\nschedule:traceoff:unlimited\n")
    fs.save()
    assert fs.before["set_ftrace_filter"] == ["vfs_read", "mine [module]"]


@pytest.fixture(name="helper", scope="session")
def the_helper(tmp_path_factory):
    where = tmp_path_factory.mktemp("helper")
    HERE.build(str(where))

    def run(*words):
        done = subprocess.run([where / "helper", *map(str, words)], capture_output=True, text=True, check=False)
        return done.returncode, [list(map(int, line.split())) for line in done.stdout.splitlines()]
    return run


def test_the_helper_writes_reads_and_counts(tmp_path, helper):
    write(tmp_path / "file", "before")
    write(tmp_path / "list", "one\ntwo\n")
    for words, left in ((("write", "a word", tmp_path / "file"), "a word"), (("read", tmp_path / "file"), "a word"),
                        (("list", tmp_path / "list", tmp_path / "file"), "one\ntwo\n")):
        status, [(ns, ticks, interrupts)] = helper(*words)
        assert (status, text(tmp_path / "file")) == (0, left)
        assert ns > 0 and ticks > 0 and interrupts >= 0
    for words in ("write", "x", tmp_path / "none"), ("read", tmp_path / "none"), ("list", tmp_path / "none", tmp_path / "file"):
        assert helper(*words) == (1, []), words
    assert helper("nonsense") == (2, [])
    few, many = (helper("calls", n)[1][0] for n in (1000, 100000))
    assert few[2] == 1000 and many[2] == 100000 and many[0] > few[0]


def test_the_helper_counts_what_was_recorded(tmp_path, helper):
    write(tmp_path / "on", "1\n")
    write(tmp_path / "stats", "entries: 5\noverrun: 20\ncommit overrun: 7\nbytes: 9\ndropped events: 300\nread events: 1000\n")
    status, [(ns, _, events)] = helper("record", 100, tmp_path / "on", tmp_path / "stats")
    assert (status, events, text(tmp_path / "on")) == (0, 1325, "0") and ns > 0


def test_the_helper_sees_a_processor_stand_still(tmp_path, helper):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("it takes two processors")
    write(tmp_path / "file", "")
    status, [meanwhile, [tlb], undisturbed] = helper("standstill", cpus[-1], cpus[0], "function", tmp_path / "file")
    assert status == 0 and text(tmp_path / "file") == "function"
    assert meanwhile[0] > 0 and undisturbed[0] > 0 and min(*meanwhile, tlb) >= 0


def test_figures_here_says_what_it_lacks():
    assert subprocess.run(["pyflakes3", figure_report.FIGURES_HERE], check=False).returncode == 0
    done = subprocess.run([figure_report.FIGURES_HERE, "nosuch"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "the tables are switch, " in done.stderr
    # Whoever runs the test is somebody else there.
    nobody = "import os, runpy, sys; os.geteuid = lambda: 1; runpy.run_path(sys.argv.pop(), run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", nobody, figure_report.FIGURES_HERE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "figures-here: this wants root, to change what is traced\n")
