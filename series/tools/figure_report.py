# SPDX-License-Identifier: GPL-2.0
"""Keep what figures.py measures, and show it.

In build/figures: results.csv, which has a row for each figure, with the run that
measured it; report.md and figures-*.svg, all made of these rows. A
run replaces the rows that it measures again and keeps all others, so that the
tables can be measured one by one. Rows with a machine are of a real one, or of a guest
by the clock, from tools/testing/ftrace/figures-here; they have tables of their own.
"""
import csv
import dataclasses
import datetime
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

import machine
from files import write

KERNELS = ("classic", "new")
FOLDER = os.path.join(machine.BUILD, "figures")
PUBLISHED = os.path.join(machine.TOP, "series", "doc", "measured")
FIGURES_HERE = os.path.join(machine.TOP, "tools", "testing", "ftrace", "figures-here")
# The picture that README.md shows.
SHOWN = "figures-cpus.svg"
PICTURES = ("flames-classic.svg", "flames-new.svg")
NOTHING = "Nothing has been measured yet."
NONE = "n/a"		# what a kernel does not have


# ---- rows ----

@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    unit: str = "virtual ns"
    other: str = "interrupts"	# what a figure's second number counts
    share: bool = False		# the second number divides the first
    parameter: str = ""		# the part of a figure's name that is its parameter


TABLES = {
    "switch": Table("Switching tracers and events"),
    "quiet": Table("Switching ten times, while all processors but one are idle"),
    "entry": Table("Entering the kernel", "instructions", ""),
    "window": Table("How long places hold breakpoints while all functions are switched", other="walks"),
    "second": Table("A second tracer beside the first, and a tracer of one function"),
    "cpus": Table("Switching all functions on some numbers of processors", parameter=r", (\d+ CPUs?)$"),
    "sites": Table("Switching all functions with some numbers of call sites", other="functions", share=True,
                   parameter=r", ([^,]+)$"),
    "filters": Table("Setting and reading filters", parameter=r", (\d+ names)$"),
    "modules": Table("Reading with 50 modules of 200 functions"),
    "calls": Table("A call of a traced function", "instructions", "", parameter=r", (\d+ hooks)"),
    "recording": Table("A recorded event", "instructions", "events"),
    "use": Table("A recorded event, in use", "instructions", "events"),
    "profiler": Table("A workload with the function profiler on", "instructions", "instructions without it", True),
    "load": Table("hackbench on all processors while all functions are recorded", other="lost events"),
    "bpf": Table("Links of BPF programs"),
    "hits": Table("A hit of a tracepoint", "instructions", "", parameter=r", (\d+ probes)$"),
    "init": Table("ftrace_init()", "instructions", "calls", True),
    "discover": Table("Call sites that are found at run time", "instructions", ""),
    "standstill": Table("The longest time that a processor stands still or is in traps", "ns", ""),
    "flames": Table("Where hackbench is while all functions are recorded", "samples", ""),
    "memory": Table("Memory", "bytes", "functions", True),
}
# On an arm64 machine: not what x86's engine counts, or is made of its instructions.
ARM64 = "-arm64"
BOTH = ("switch", "quiet", "second", "calls", "recording", "load", "filters", "bpf")
TABLES.update({t + ARM64: dataclasses.replace(TABLES[t], title=TABLES[t].title + ", arm64") for t in BOTH})
TABLES["broadcasts" + ARM64] = Table("Broadcasts that have all processors forget where a page of text was mapped, arm64",
                                     "broadcasts")
TABLES["calls-size" + ARM64] = dataclasses.replace(TABLES["calls"], title=TABLES["calls"].title +
                                                   " in kernels built for size, arm64")
# Figures that have another unit than their table, by the beginning of the name.
UNITS = {"a hit, ": "instructions", "waits, ": "grace periods", "waits under ftrace_lock, ": "grace periods",
         "traps, ": "traps", "events of ": "events", "sites listed": "sites", "bytes, ": "bytes", "pages of code": "pages"}
# More of these is not worse.
COUNTS = ("sites", "events")


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of make figures."""
    date: str
    commit: str
    kernel: str
    gcc: str
    qemu: str
    command: str


@dataclasses.dataclass(frozen=True)
class Here:
    """What a median is of, that a machine's clock measured, and its processor cycles."""
    machine: str
    details: str
    low: float		# quartiles
    high: float
    rounds: int
    cycles: float


@dataclasses.dataclass(frozen=True)
class Row:
    """One figure of both kernels, or of the one that ran @here; None is what a kernel does not have."""
    table: str
    figure: str
    parameter: str
    cpus: int
    unit: str
    classic: int
    new: int
    other: str
    classic_other: int
    new_other: int
    run: Run
    here: Here = None

    def key(self):
        return (self.table, self.figure, self.parameter, self.cpus,
                *((self.here.machine, self.new is None) if self.here else ()))

    def value(self, kernel):
        """(value, other), as measured, or None."""
        value = getattr(self, kernel)
        return None if value is None else (value, getattr(self, kernel + "_other"))

    def number(self):
        """The number in the parameter."""
        return int(re.match(r"\d+|", self.parameter)[0] or 0)

    def worse(self):
        """What the new kernel takes more of than the classic one."""
        old, now = (self.value(k) for k in KERNELS)
        if not old or not now or self.unit in COUNTS:
            return []
        return [what for what, less, more in zip((self.unit, self.other), old, now)
                if more > less and what in (self.unit, "interrupts")]


def rows_of(table, cpus, figures, run):
    """The rows of a table; @figures: {kernel: {what: (value, other)}}"""
    kind, rows = TABLES[table], []
    classic, new = (figures.get(kernel, {}) for kernel in KERNELS)
    for what in {**classic, **new}:
        m = re.search(kind.parameter, what) if kind.parameter else None
        figure, parameter = (what.replace(m[0], ""), m[1]) if m else (what, "")
        unit = next((u for start, u in UNITS.items() if what.startswith(start)), kind.unit)
        old, old_other = classic.get(what, (None, None))
        now, now_other = new.get(what, (None, None))
        rows.append(Row(table, figure, parameter,
                        int(parameter.split()[0]) if "CPU" in parameter else cpus,
                        unit, old, now, kind.other, old_other, now_other, run))
    return rows


def merged(rows, fresh):
    """@rows with those of @fresh in place of what these measure again, in order."""
    by_key = {r.key(): r for r in [*rows, *fresh]}
    rows, tables = list(by_key.values()), list(TABLES)
    figures = list(dict.fromkeys((r.table, r.figure) for r in rows))
    # By figure where a figure has a numbered parameter, else as they were measured.
    return sorted(rows, key=lambda r: (
        # Real machines come before emulated ones.
        (r.here.machine.startswith("emulated"), r.here.machine) if r.here else (False, ""),
        tables.index(r.table), 0 if r.table == "cpus" else r.cpus,
        figures.index((r.table, r.figure)), 0 if r.table == "sites" else r.number()))


COLUMNS = [f.name for c in (Row, Run, Here) for f in dataclasses.fields(c)
           if f.name not in ("run", "here")]
NUMBERS = ("cpus", "classic", "new", "classic_other", "new_other", "low", "high", "rounds",
           "cycles")


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n", extrasaction="ignore")
        out.writeheader()
        for r in rows:
            out.writerow({**vars(r), **vars(r.run), **(vars(r.here) if r.here else {})})


def number(text):
    return None if text == "" else float(text) if "." in text else int(text)


def read_csv(path):
    """The rows of a file that write_csv() wrote, [] where there is none."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace", newline="") as f:
        lines = list(csv.DictReader(f))
    rows = []
    for fields in lines:
        if list(fields) != COLUMNS or None in fields.values():
            sys.exit(f"figures: {path} has other columns than this version writes: remove it if it is in build/figures")
        fields.update({name: number(fields[name]) for name in NUMBERS})
        run, here = (c(*(fields.pop(f.name) for f in dataclasses.fields(c))) for c in (Run, Here))
        rows.append(Row(**fields, run=run, here=here if here.machine else None))
    return rows


def kept(folder):
    """The rows that keep() has put into @folder."""
    return read_csv(os.path.join(folder, "results.csv"))


def said_by(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def commit():
    return said_by("git", "-C", machine.TOP, "describe", "--always", "--dirty", "--abbrev=12",
                   "--match=") or "unknown"


def this_run(argv, arch=""):
    """The run that figures.py does with the arguments @argv, on x86 or ARM64, from now on."""
    def of_kernels(path, pattern):
        texts = (machine.read_text(os.path.join(machine.BUILD, k + kind, path))
                 for kind in (arch, "-bpf" + arch) for k in KERNELS)
        found = [m[1] for m in (re.search(pattern, t, re.M) for t in texts) if m]
        return ", ".join(dict.fromkeys(found)) or "unknown"

    command = " ".join(["make figures", *([f"ARCH={arch[1:]}"] if arch else []),
                        *([f"TABLES=\"{' '.join(argv)}\""] if argv else [])])
    if "NAMES" in os.environ:
        command = f"NAMES=\"{os.environ['NAMES']}\" {command}"
    qemu = re.search(r"version (\S+)", said_by("qemu-system-" + ("aarch64" if arch else "x86_64"), "--version"))
    return Run(datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"),
               commit(), of_kernels("include/config/kernel.release", r"^(\S+)$"),
               of_kernels(".config", r'^CONFIG_CC_VERSION_TEXT="(.+)"$'),
               qemu[1] if qemu else "unknown", command)


# ---- numbers as text ----

def short(value):
    return f"{value / 1e6:.2f} M" if value >= 100000 else f"{value}"


def amount(figure, share=False):
    """A figure and what it brought with it: interrupts or, @share, so much for each."""
    if not figure:
        return NONE
    value, other = figure
    if not other:
        return short(value)
    return short(value) + (f" ({value / other:.1f})" if share else f" ({other})")


def ratio(old, now):
    """How much more the classic kernel takes."""
    if not old or not now:
        return ""
    return f"{1 if old[0] == now[0] else old[0] / (now[0] or 1):.2f}"


# ---- plots ----

SWITCHING = (("One function tracer", {"function on": "on", "function off": "off"}),
             ("A second tracer beside the first", {"second tracer on": "on", "second tracer off": "off"}))


@dataclasses.dataclass(frozen=True)
class Plot:
    """Figures of one table over their parameter; a panel is a title and {figure: label}."""
    table: str
    title: str
    across: str
    up: str
    panels: tuple
    log: str = "xy"
    milliseconds: bool = True
    machine: str = ""

    @property
    def file(self):
        return "-".join(["figures", self.table, *re.findall(r"\w+", self.machine)]) + ".svg"

    def here(self, machine):
        """The same by a machine's clock."""
        up = self.up.replace("virtual ", "").replace("instructions", "nanoseconds")
        return dataclasses.replace(self, title=f"{self.title} ({machine})", up=up, machine=machine)


PLOTS = (
    Plot("cpus", "Switching all functions on and off", "processors", "virtual milliseconds", SWITCHING),
    Plot("sites", "Switching all functions on and off, one processor", "thousand call sites",
         "virtual milliseconds", SWITCHING),
    Plot("filters", "Setting a filter to a list of names", "names", "virtual milliseconds",
         (("", {"a list": ""}),)),
    Plot("calls", "A call of a traced function", "hooks on the function", "instructions",
         (("", {f"a call, {n} elsewhere": f"{n} elsewhere" for n in (0, 10, 100)}),),
         "y", False),
    Plot("hits", "A hit of a tracepoint", "probes", "instructions", (("", {"a hit": ""}),), "", False),
)
# For each kernel the colours and markers of a panel's lines. Vermilion and blue
# are told apart with any colour vision (Okabe and Ito). Later lines are of another
# shade, broken, and with smaller markers, as they may lie on the first one.
COLOURS = {"classic": ("#d55e00", "#f2a066", "#8a3d00"), "new": ("#0072b2", "#7cc4ee", "#003f63")}
MARKERS = {"classic": (5, 5, 9), "new": (7, 7, 11)}
SIZES = (1.1, 0.7, 0.6)
DASHES = ("1", "(8,6)", "(2,5)")


def lines_of(plot, panel, rows):
    """[(kernel, index in the panel, label, points)] of what has been measured."""
    rows = [r for r in rows if r.table == plot.table and r.figure in panel
            and (r.parameter or plot.table == "sites")]
    if plot.table != "cpus":
        rows = [r for r in rows if r.cpus == min(o.cpus for o in rows)]

    def point(r, value, other):
        return (other / 1000 if plot.table == "sites" else r.number(),
                value / 1e6 if plot.milliseconds else value)

    return [(kernel, i, label, sorted(point(r, *r.value(kernel)) for r in rows
                                      if r.figure == figure and r.value(kernel)))
            for kernel in KERNELS for i, (figure, label) in enumerate(panel.items())]


def without_data(plot, rows):
    """What the plot should show and nobody has measured."""
    return [", ".join(w for w in (kernel, title.lower(), label) if w)
            for title, panel in plot.panels
            for kernel, _, label, points in lines_of(plot, panel, rows) if not points]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def style(kernel, i):
    return (f"with linespoints lw 2 ps {SIZES[i]} pt {MARKERS[kernel][i]} dt {DASHES[i]} "
            f"lc rgb '{COLOURS[kernel][i]}'")


def scale_of(plot, lines):
    """(gnuplot's words for the scale of @lines, how it is called) upwards."""
    values = [y for *_, points in lines for _, y in points]
    # A logarithm wants more than nothing.
    if "y" in plot.log and min(values) > 0:
        least, most = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return ["set logscale y", f"set yrange [1e{least}:1e{max(most, least + 1)}]"], ", log scale"
    return [f"set yrange [0:{max(*values, 1) * 1.05:g}]"], ""


def scale_across(plot, lines):
    """Of one kernel: the other may have some call sites more or less."""
    at = {kernel: {x for k, _, _, points in lines if k == kernel for x, _ in points}
          for kernel in KERNELS}
    tics = sorted(at["new"] or at["classic"])
    script = ["set xtics (" + ", ".join(f"'{x:.{1 if x < 10 and x % 1 else 0}f}' {x:g}" for x in tics) + ")"]
    if "x" in plot.log and tics[0] > 0:
        return [*script, "set logscale x", f"set xrange [{tics[0] / 1.25:g}:{tics[-1] * 1.25:g}]"]
    margin = max(tics[-1] - tics[0], 1) * 0.06
    return [*script, f"set xrange [{tics[0] - margin:g}:{tics[-1] + margin:g}]"]


def script_of(plot, rows):
    """What gnuplot needs to draw a plot as SVG; None where nothing has been measured."""
    panels = [(title, [l for l in lines_of(plot, panel, rows) if l[3]]) for title, panel in plot.panels]
    panels = [p for p in panels if p[1]]
    if not panels:
        return None
    drawn = list(dict.fromkeys((kernel, i, label) for _, lines in panels for kernel, i, label, _ in lines))
    legend = max(sum(kernel == k for k, *_ in drawn) for kernel in KERNELS)
    height, bottom = 400 + 22 * legend, 22 * legend + 14
    upwards, how = scale_of(plot, [line for _, lines in panels for line in lines])
    script = [
        f"set terminal svg size {900 if len(panels) > 1 else 640},{height} noenhanced "
        "font 'sans-serif,14' background rgb 'white'",
        "set border 3 lc rgb '#555555'", "set tics nomirror out scale 0.6,0.3", "set format y '%g'",
        "set grid ytics lc rgb '#dddddd' lt 1", "unset key",
        f"set multiplot layout 1,{len(panels)} margins {0.105 if len(panels) > 1 else 0.15},0.97,"
        f"{(bottom + 64) / height:.3f},{1 - (78 if panels[0][0] else 50) / height:.3f} spacing 0.085 "
        f"title {quoted(plot.title)} font ',17'", *upwards]
    for n, (title, lines) in enumerate(panels):
        script += [f"set title {quoted(title)}", f"set xlabel {quoted(plot.across)} offset 0,0.3",
                   f"set ylabel {quoted('' if n else plot.up + how)} offset 0.5,0", *scale_across(plot, lines)]
        curves = []
        for kernel, i, _, points in lines:
            name = f"$p{n}{kernel}{i}"
            script += [f"{name} << EOD", *(f"{x:g} {y:.9g}" for x, y in points), "EOD"]
            curves.append(f"{name} using 1:2 {style(kernel, i)} notitle")
        if n == len(panels) - 1:
            # One legend for all: a column for each kernel.
            script.append(f"set key at screen 0.5,{bottom / height / 2:.3f} center center vertical "
                          f"maxrows {legend} Left reverse samplen 3 width 2")
            curves += [f"keyentry {style(kernel, i)} title " + quoted(", ".join(w for w in (kernel, label) if w))
                       for kernel, i, label in drawn]
        script.append("plot " + ", ".join(curves))
    return "\n".join([*script, "unset multiplot"]) + "\n"


def draw(plot, rows, path):
    """Write a plot to @path. Return why there is none, else ""."""
    if os.path.exists(path):
        os.unlink(path)
    script = script_of(plot, rows)
    if not script:
        return f"the table {plot.table} has not been measured"
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    run = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, check=False)
    if run.returncode or not run.stdout.rstrip().endswith("</svg>"):
        sys.exit(f"figures: gnuplot does not draw {plot.file}: {run.stderr.strip()}")
    svg = run.stdout.rstrip().replace("<title>Gnuplot</title>", f"<title>{plot.title}</title>")
    lines = [line.rstrip() for line in svg.split("\n")]
    lines.insert(1, "<!-- SPDX-License-Identifier: GPL-2.0 -->")
    write(path, "\n".join(lines) + "\n")
    return ""


# ---- documents ----

def escaped(text):
    """Text in which no character is markup."""
    return re.sub(r"[\\*`|<]|_(?!\w)", r"\\\g<0>", text)


def paragraph(text):
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)


def points(texts):
    return "\n".join("- " + t for t in texts)


def picture(plot, more=""):
    return f"![{plot.title}]({plot.file})\n\n{plot.title}: {plot.up} over {plot.across}.{more}"


# Columns of words, the others are of numbers.
TEXTS = ("figure", "parameter", "", "date (UTC)", "commit", "kernel", "compiler", "QEMU", "command",
         "tables")


def grid(lines, left_out=()):
    """A table of @lines, {column: cell} each."""
    header = [h for h in lines[0] if h not in left_out]
    aligned = ["---" if h in TEXTS else "---:" for h in header]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [
        header, aligned, *([line[h] for h in header] for line in lines)])


def heading_of(kind):
    """What the numbers of a table are."""
    if not kind.other:
        return kind.unit
    return kind.unit + (f" (each of the {kind.other})" if kind.share else f" ({kind.other})")


def show_table(table, rows, runs):
    kind, mine = TABLES[table], [r for r in rows if r.table == table]
    numbers = sorted({runs.index(r.run) + 1 for r in mine})
    lines = [{"figure": escaped(r.figure), "parameter": escaped(r.parameter), "CPUs": str(r.cpus),
              **{k: amount(r.value(k), kind.share) for k in KERNELS},
              "classic/new": ratio(*map(r.value, KERNELS)), "": marks(r),
              "run": str(runs.index(r.run) + 1)} for r in mine]
    telling = {"parameter": any(r.parameter for r in mine), "run": len(numbers) > 1,
               "CPUs": table != "cpus" and any(r.cpus > 1 for r in mine)}
    return ["## " + kind.title,
            paragraph(f"{'Run' if len(numbers) == 1 else 'Runs'} {', '.join(map(str, numbers))}: "
                      f"{heading_of(kind)}, where the name says nothing else."),
            grid(lines, [column for column, tells in telling.items() if not tells])]


def marks(row):
    """How a row is marked where the new kernel is the worse one."""
    said = {row.unit: "**worse**", "interrupts": "**more interrupts**"}
    return ", ".join(said[what] for what in row.worse())


def summary(rows):
    costs = [r for r in rows if r.unit not in COUNTS]
    both = [r for r in costs if None not in (r.classic, r.new)]
    bad = [r for r in both if r.worse()]
    said = [paragraph(f"Both kernels have {len(both)} of the {len(costs)} figures. The new one is "
                      f"worse in {len(bad) or 'none'} of these{':' if bad else '.'}")]
    if bad:
        said.append(points(
            ", ".join(filter(None, [r.table, escaped(r.figure), r.parameter,
                                    f"{r.cpus} CPUs" if r.cpus > 1 and r.table != "cpus" else ""]))
            + f": {amount(r.value('new'))} instead of {amount(r.value('classic'))}, {marks(r)}"
            for r in bad))
    return said


EXPLAINED = """What tracing costs: the classic kernel beside the new one. Each table was measured
in one run of both, with the same configuration, in QEMU (`-accel tcg -icount
shift=0,sleep=off`): a virtual nanosecond is an instruction, and idle waits count, too. M is a
million. What stands in brackets is said above each table. A figure that is higher in the new
kernel is marked **worse**, and **more interrupts** where it sends more of them. What is 0 in
both kernels is left out."""


def compose(rows, pictures):
    """The parts of a report of all rows; @pictures: [(plot, why there is none, else "")]."""
    runs = sorted({r.run for r in rows}, key=lambda run: (run.date, run.command))
    out = ["<!-- SPDX-License-Identifier: GPL-2.0 -->",
           "<!-- Generated by make figures; edits here are lost the next time. -->",
           "# Figures", paragraph(EXPLAINED)]
    rows = [r for r in rows if r.classic or r.new]
    if not rows:
        return [*out, paragraph(NOTHING)]
    out += ["## Runs", grid([
        {"run": str(i), "date (UTC)": run.date, "commit": run.commit, "kernel": escaped(run.kernel),
         "compiler": escaped(run.gcc), "QEMU": escaped(run.qemu),
         "command": f"`{run.command}`" if run.command else "",
         "tables": ", ".join(dict.fromkeys(r.table for r in rows if r.run == run))}
        for i, run in enumerate(runs, 1)]), "## Summary", *summary(rows)]
    for plot, why in pictures:
        if why:
            out.append(paragraph(f"There is no plot `{plot.file}`: {why}."))
        else:
            missing = "; ".join(without_data(plot, rows))
            out.append(picture(plot, f" Not measured: {missing}." if missing else ""))
    measured = {r.table for r in rows}
    for table in TABLES:
        if table in measured:
            out += show_table(table, rows, runs)
    missing = [t for t in TABLES if t not in measured]
    if missing:
        out += ["## Not measured",
                paragraph("These tables have not been measured: " + ", ".join(missing) + ".")]
    return out


def here_cells(rows):
    """The cells of a figure by the clock, @rows: of one kernel each."""
    of = {k: next((r for r in rows if r.value(k)), None) for k in KERNELS}
    old, now = (of[k] and of[k].value(k) for k in KERNELS)
    worse = old and now and of["new"].here.low > of["classic"].here.high
    cells = {"classic": NONE, "new": NONE, "classic/new": ratio(old, now),
             "": "**worse**" if worse else "", "classic cycles": NONE, "new cycles": NONE}
    for kernel, r in of.items():
        if r:
            quartiles = f"{short(r.here.low)} to {short(r.here.high)}"
            cells[kernel] = f"{amount(r.value(kernel))}; {quartiles}"
        if r and r.here.cycles is not None:
            cells[kernel + " cycles"] = short(r.here.cycles)
    return cells


EXPLAINED_HERE = """Medians of many rounds, by the clock of the machine and for that machine
alone, in ns where the name says nothing else; behind each are the quartiles. What is in
brackets is what came with it. What is marked **worse** is higher in the new kernel by more
than both spread."""
EMULATED = "**This is an emulated machine: its time is the emulator's, not a processor's.**"


def show_here(machine, rows, folder):
    """The parts of the report that show what was measured on one machine, by its clock."""
    out = [f"## By the clock, {machine}", paragraph(EXPLAINED_HERE)]
    if machine.startswith("emulated"):
        out.append(paragraph(EMULATED))
    out.append(points(dict.fromkeys(
        f"{next(k for k in KERNELS if r.value(k))}, Linux {r.run.kernel}, {r.run.gcc}, "
        f"{r.run.date}: {r.here.details}" for r in rows)))
    out += [picture(plot) for plot in (p.here(machine) for p in PLOTS)
            if not draw(plot, rows, os.path.join(folder, plot.file))]
    for table, kind in TABLES.items():
        figures = {}
        for r in rows:
            if r.table == table:
                figures.setdefault((r.figure, r.parameter, r.cpus), []).append(r)
        if figures:
            out += [paragraph(f"{kind.title} ({kind.other}):" if kind.other else f"{kind.title}:"),
                    grid([{"figure": escaped(", ".join(filter(None, key[:2]))), "CPUs": str(key[2]),
                           **here_cells(mine)} for key, mine in figures.items()])]
    return out


def write_all(folder, rows):
    """Make report and plots in @folder of @rows. Return the plots that are missing."""
    os.makedirs(folder, exist_ok=True)
    write_csv(os.path.join(folder, "results.csv"), rows)
    here, rows = [r for r in rows if r.here], [r for r in rows if not r.here]
    pictures = [(plot, draw(plot, rows, os.path.join(folder, plot.file))) for plot in PLOTS]
    out = compose(rows, pictures)
    for each in dict.fromkeys(r.here.machine for r in here):
        out += show_here(each, [r for r in here if r.here.machine == each], folder)
    write(os.path.join(folder, "report.md"), "\n\n".join(out) + "\n")
    return {plot.file: why for plot, why in pictures if why}


def keep(folder, fresh):
    """Take over rows into what has been measured so far, as write_all()."""
    return write_all(folder, merged(kept(folder), fresh))


def publish(folder=FOLDER, published=PUBLISHED):
    """Put what was measured in @folder where the series has it. Return why not, else "".

    What @folder has not measured, and what the clock of a machine has, stays as it is there.
    """
    fresh = [r for r in kept(folder) if not r.here]
    again = {(r.table, r.cpus) for r in fresh}
    rows = [r for r in kept(published) if (r.table, r.cpus) not in again]
    with tempfile.TemporaryDirectory() as made:
        missing = write_all(made, merged(rows, fresh))
        if SHOWN in missing:
            return f"there is no {SHOWN}: {missing[SHOWN]}"
        for name in PICTURES:
            if os.path.exists(os.path.join(folder, name)):
                shutil.copy(os.path.join(folder, name), made)
        shutil.copytree(made, published, dirs_exist_ok=True)
    return ""


def published(table):
    """What the new kernel takes by what was published: {Row.key(): value}."""
    return {r.key(): r.new for r in kept(PUBLISHED) if r.table == table and r.new is not None}
