#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print what tracing costs, classic beside new, in one run.

usage: figures.py [TABLE...] [CPUS...]      default: switch window 1 4
       figures.py --publish
       figures.py --here 1|FILE [TABLE...]

All that has been measured, by this run and earlier ones, is then also in
build/figures: results.csv, report.md and plots; --publish puts these into
series/doc/measured. --here adds what the clock of a real machine says, by
tools/testing/ftrace/figures-here: of this one, now (1), or what that has left in FILE
elsewhere.

Virtual nanoseconds (an instruction each, idle waits counted) and function-call
interrupts, measured inside build/classic and build/new under qemu -icount
shift=0,sleep=off. Where a figure is taken twice, the second is shown.

The tables, and what NAMES and ARCH=arm64 in the environment do, are in
series/doc/figures.rst.
"""
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

import figure_report
import files
import machine
import recipes
import stub
from figure_report import ARM64, FOLDER, KERNELS, TABLES, amount, heading_of, keep, ratio, rows_of
from order import status_of

# The tables that are a function of the guest's job, for any number of processors.
PLAIN = ("switch", "quiet", "entry", "window", "second", "calls", "recording", "use", "profiler",
         "load", "filters", "modules", "broadcasts")
# On one processor, in the kernels build/KERNEL-size.
SIZE = "calls-size"
# What the names of kernels and tables end with.
ARCH = ARM64 if os.environ.get("ARCH") == "arm64" else ""
SITES = (5000, 10000)		# of what the kernels have; then all; then with modules
PAGE = 4096
NOP = bytes.fromhex("0f1f440000")


# ---- what is printed ----

def show(table, cpus, figures):
    """@figures: {kernel: {what: (value, interrupts or number)}}"""
    kind = TABLES[table]
    classic, new = (figures[kernel] for kernel in KERNELS)
    print(kind.title + (f", {cpus} CPUs" if cpus > 1 else "") + ": " + heading_of(kind))
    print(f"{'':36}{'classic':>18}{'new':>18}{'classic/new':>14}")
    for what in {**classic, **new}:
        old, now = classic.get(what), new.get(what)
        print(f"{what:36}{amount(old, kind.share):>18}{amount(now, kind.share):>18}"
              f"{ratio(old, now):>14}".rstrip())
    sys.stdout.flush()


# ---- what is built ----

def build_modules(kernel, name, sources):
    """A folder with a module of each of @sources, {name: text}, built for @kernel."""
    where = os.path.join(machine.BUILD, "test", f"{name}-{kernel}")
    for file, text in {"Kbuild": "".join(f"obj-m += {m}.o\n" for m in sources),
                       **{m + ".c": text for m, text in sources.items()}}.items():
        path = os.path.join(where, file)
        if machine.read_text(path) != text:
            files.write(path, text)
    log = os.path.join(machine.BUILD, "log", f"{name}-{kernel}.log")
    with open(log, "w", encoding="utf-8") as f:
        if subprocess.run(["make", "-C", os.path.join(machine.BUILD, kernel), "M=" + where, "CC=gcc",
                           f"-j{os.cpu_count()}"], stdout=f, stderr=f, check=False).returncode:
            sys.exit(f"figures: the modules do not build (log: {log})")
    return where


# In assembler, which takes a tenth of the time. Who lists the calls, the compiler
# or a tool after it, is asked for by the kernel's configuration.
FUNCTION = r"""#include <linux/linkage.h>
#include <linux/module.h>
#ifdef CONFIG_FTRACE_MCOUNT_USE_CC
#define LIST ".pushsection __mcount_loc, \"a\"\n.quad 1b\n.popsection\n"
#else
#define LIST
#endif
#define FUNCTION(name, n)						\
	asm(".globl " #name "\n.type " #name ", @function\n" #name ":\n"	\
	    "1: call __fentry__\n" LIST					\
	    "lea " #n "(%rdi), %eax\n" ASM_RET				\
	    ".size " #name ", . - " #name "\n")
MODULE_DESCRIPTION("Many functions");
MODULE_LICENSE("GPL");
"""


def many_modules(kernel, modules, functions):
    """A folder with @modules modules of @functions functions each."""
    return build_modules(kernel, f"many-{modules}-{functions}", {
        f"many_{m}": FUNCTION + "".join(f"FUNCTION(many_{m}_{n}, {n});\n" for n in range(functions))
        for m in range(modules)})


# ---- what is measured ----

def stop_at_init(path, guest, kernel, stopped):
    """Have @stopped, of a stub and the kernel's symbols, do what it likes to ftrace_init()."""
    with stub.Stub(path, lambda: guest.poll() is None) as at:
        symbols = stub.symbols(os.path.join(machine.BUILD, kernel))
        at.run_to(symbols["ftrace_init"])
        stopped(at, symbols)
        at.leave()


def said(job, least=False):
    """The figures in a job's words, {table: {figure: (value, other)}}: the last of each, or the least."""
    tables = {}
    for m in re.finditer(r"^(?:TABLE (\w+)|FIGURE (.+) (\d+) (\d+))$", job, re.M):
        if m[1]:
            figures = tables.setdefault(m[1], {})
        else:
            figure = int(m[3]), int(m[4])
            figures[m[2]] = min(figure, figures.get(m[2], figure)) if least else figure
    return tables


def together(tables):
    """The figures of some tables as those of one."""
    return {what: figure for figures in tables.values() for what, figure in figures.items()}


# Processors take turns under icount, so a search for mice that goes on beside the
# job would be in its figures.
BARE = "quiet nokaslr i8042.nokbd i8042.noaux"


def run(kernel, name, words, cpus=1, payloads=(), stopped=None, clock=("--icount",)):
    """{table: {figure: (value, other)}} of a boot; @stopped: see stop_at_init()."""
    name = f"figures-{kernel}{ARCH}-{name}"
    env = dict(os.environ)
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "stub")
        if stopped:
            env["QEMU_EXTRA"] = f"{env.get('QEMU_EXTRA', '')} {stub.arguments(path)}"
        with subprocess.Popen(
                [os.path.join(files.HERE, "machine.py"), os.path.join(machine.BUILD, kernel + ARCH), "figures",
                 "--quiet", "--name", name, *clock, "--smp", str(cpus), "--timeout", "3600",
                 "--append", f"{BARE} {words}",
                 *(a for p in payloads for a in ("--payload", p))], env=env) as guest:
            if stopped:
                stop_at_init(path, guest, kernel, stopped)
    if guest.returncode:
        sys.exit(f"figures: the run in {kernel} failed")
    return said(machine.read_text(os.path.join(machine.BUILD, "log", name + ".job")))


def programs():
    """A folder with the job's programs of ours, for another architecture: its root file system has Debian's only."""
    where = os.path.join(machine.BUILD, "test", "programs" + ARCH)
    os.makedirs(where, exist_ok=True)
    for source in "series/guest/record-rounds.c", "tools/testing/selftests/text_patch/poke-file.c":
        program = os.path.splitext(os.path.basename(source))[0]
        subprocess.run([recipes.FOREIGN["arm64"][0] + "gcc", "-O2", "-static", "-o", os.path.join(where, program),
                        os.path.join(machine.TOP, source)], check=True)
    return where


def plain(kernel, cpus, tables):
    """The figures of some tables for one number of processors, {table: figures}."""
    words = f"figures={','.join(tables)}"
    if "NAMES" in os.environ:
        words += f" filter_names={','.join(os.environ['NAMES'].split())}"
    payloads = [many_modules(kernel, 50, 200) + ":/many"] if "modules" in tables else []
    if ARCH:
        payloads.append(programs() + ":/usr/local/bin")
    return run(kernel, str(cpus), words, cpus, payloads)


def grown(runs):
    """The runs, {with what: figures}, as one: each figure with what it grew with."""
    return {f"{what}, {size}": figures[what]
            for what in next(iter(runs.values())) for size, figures in runs.items() if what in figures}


def of_cpus(kernel, numbers):
    runs = {}
    for n in numbers:
        figures = together(run(kernel, f"cpus-{n}", "figures=growth,growth_second", n))
        del figures["functions"]
        runs[f"{n} CPU{'s' if n > 1 else ''}"] = figures
    return grown(runs)


def leave_sites(number):
    """Of the kernel's calls, leave ftrace_init() @number to find, evenly spread.

    What it does not find it does not make a nop: that is done here. Empty
    entries stand first, where they are in order, and belong to no text.
    """
    def stopped(at, symbols):
        start, end = symbols["__start_mcount_loc"], symbols["__stop_mcount_loc"]
        table = at.read(start, end - start)
        ips = [table[i:i + 8] for i in range(0, len(table), 8)]
        left = [ips[i * len(ips) // number] for i in range(number)]
        for ip in set(ips) - set(left):
            at.write(int.from_bytes(ip, "little"), NOP)
        at.write(start, bytes(8 * (len(ips) - len(left))) + b"".join(left))
    return stopped


def of_sites(kernel):
    modules = [many_modules(kernel, 36, 2000) + ":/many"]
    runs = {}
    for size, payloads, stopped in [*((f"{n} of the calls", [], leave_sites(n)) for n in SITES),
                                    ("all calls", [], None), ("72000 more", modules, None)]:
        # So many, the classic kernel's second tracer takes many minutes.
        second = "" if kernel == "classic" and payloads else ",growth_second"
        figures = together(run(kernel, "sites-" + size.split()[0], "figures=growth" + second, 1,
                               payloads, stopped))
        functions, _ = figures.pop("functions")
        runs[size] = {"sites listed": (functions, 0),
                      **{what: (ns, functions) for what, (ns, _) in figures.items()}}
    return grown(runs)


def of_init(kernel):
    """What ftrace_init() takes: instructions, and pages that it keeps.

    By the count that QEMU keeps for a recording: the virtual clock goes on to
    the next timer where a machine is stopped.
    """
    figures = {}

    def stopped(at, symbols):
        def now():
            # NR_FREE_PAGES is the first of them; no processor keeps a share so early.
            return at.instructions(), at.word(symbols["vm_zone_stat"])

        number = (symbols["__stop_mcount_loc"] - symbols["__start_mcount_loc"]) // 8
        begin, free = now()
        at.run_to(at.caller())
        end, still_free = now()
        figures["instructions"] = end - begin, number
        figures["bytes, in whole pages"] = (free - still_free) * PAGE, number

    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "stub")
        with subprocess.Popen(
                ["qemu-system-x86_64", "-nodefaults", "-no-reboot", "-display", "none",
                 "-accel", "tcg", "-cpu", "max", "-m", "1024", "-append", BARE,
                 "-kernel", os.path.join(machine.BUILD, kernel, "bzImage"),
                 "-icount", f"shift=0,sleep=off,rr=record,rrfile={where}/recording",
                 *stub.arguments(path).split()], stdin=subprocess.DEVNULL) as guest:
            try:
                stop_at_init(path, guest, kernel, stopped)
            finally:
                guest.kill()
    return figures


def of_memory(kernel):
    hooks = machine.read_text(os.path.join(files.HERE, "hooks.c"))
    return together(run(kernel, "memory", "figures=memory", 1, [
        many_modules(kernel, 1, 64) + ":/many",
        build_modules(kernel, "hooks", {"hooks": hooks}) + ":/hooks"]))


# So that each function has a bucket of record slots of its own, or all share one.
APART, TOGETHER = 16, 4096
FOUND = FUNCTION + r"""
#define GROUP(name)							\
	asmlinkage void name##_all(void);				\
	static int name##_run(const char *text, const struct kernel_param *kp)	\
	{								\
		unsigned int n;						\
		int err = kstrtouint(text, 0, &n);			\
		while (!err && n--)					\
			name##_all();					\
		return err;						\
	}								\
	static const struct kernel_param_ops name##_ops = { .set = name##_run };	\
	module_param_cb(name, &name##_ops, NULL, 0200)
GROUP(apart);
GROUP(together);
"""


def group(name, number, distance):
    """@number functions, and one that calls them all."""
    return "".join(f'asm(".balign {distance}");\nFUNCTION({name}_{n}, {n});\n' for n in range(number)) + \
        f'asm(".globl {name}_all\\n.type {name}_all, @function\\n{name}_all:\\n"\n' + \
        "".join(f'    "call {name}_{n}\\n"\n' for n in range(number)) + \
        f'    ASM_RET ".size {name}_all, . - {name}_all\\n");\n'


def of_discover(kernel):
    """Calls, a boot and hackbench, where sites are discovered at run time; the classic kernel has none."""
    if kernel == "classic":
        return {}
    found = build_modules("new-discover", "found", {
        "found": FOUND + group("apart", 200, APART) + group("together", 16, TOGETHER)})
    words = "ftrace=nop kunit.enable=0 trace_event=power:cpu_idle figures=discover"
    with_records = together(run("new-discover", "records", words))
    without = together(run("new-discover", "discover", words + " ftrace_discover", 1, [found + ":/found"]))
    return {**{what + ", records": figure for what, figure in with_records.items()},
            **{what + ", ftrace_discover" * (what in with_records): figure for what, figure in without.items()}}


def of_standstill(kernel):
    """How long a processor stands still; the classic kernel dies of parallel processors."""
    if kernel == "classic":
        return {}
    return together(run(kernel, "standstill", "figures=standstill", 2, clock=("--accel", "tcg,thread=multi")))


FLAMES = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
# What stacks have that record, of either kernel.
RECORDS = re.compile("ftrace|trace_fast|function_trace")


def of_flames(kernel):
    """Where a workload is while functions are recorded; the picture goes beside the figures."""
    if not os.path.exists(FLAMES):
        sys.exit("figures: libdevel-nytprof-perl is not installed")
    run(kernel, "flames", "figures=flames")
    log = machine.read_text(os.path.join(machine.BUILD, "log", f"figures-{kernel}-flames.job"))
    stacks = re.findall(r"^FOLDED (.+) (\d+)$", log, re.M)
    picture = subprocess.run(
        [FLAMES, "--title", f"hackbench with all functions recorded, {kernel}", "--minwidth", "8"],
        input="".join(f"{stack} {n}\n" for stack, n in stacks), text=True, stdout=subprocess.PIPE, check=True).stdout
    files.write(os.path.join(FOLDER, f"flames-{kernel}.svg"), picture)
    return {"samples": (sum(int(n) for _, n in stacks), 0),
            "samples in what records": (sum(int(n) for stack, n in stacks if RECORDS.search(stack)), 0)}


def of_hits(kernel):
    """Of a tracepoint that has some probes."""
    bench = machine.read_text(
        os.path.join(machine.TOP, "tools/testing/tracepoint/bench/tp_bench.c"))
    return together(run(kernel, "hits", "figures=hits", 1,
                        [build_modules(kernel, "hits", {"tp_bench": bench}) + ":/hits"]))


# What BPF calls of the tracer, and of the text engine.
ASKED = {
    "tracer": ("update_ftrace_direct_add", "update_ftrace_direct_del", "update_ftrace_direct_mod",
               "register_ftrace_direct", "unregister_ftrace_direct", "modify_ftrace_direct",
               "ftrace_set_filter_ip", "ftrace_set_filter_ips", "ftrace_free_filter",
               "register_ftrace_function", "unregister_ftrace_function",
               "register_ftrace_graph", "unregister_ftrace_graph"),
    "text": ("bpf_arch_text_poke",),
}
# Whose calls of these count.
ASKS = r"direct_ops_|(un)?register_fentry|modify_fentry|(__)?bpf_trampoline_|arch_bpf_|.*fprobe"
# What returns after a grace period.
WAITS = ("synchronize_rcu", "synchronize_rcu_expedited", "synchronize_rcu_tasks", "synchronize_rcu_tasks_rude",
         "synchronize_rcu_tasks_trace", "synchronize_srcu", "rcu_barrier", "rcu_barrier_tasks")
# A function that stands for what it jumps to has no more bytes, with the padding behind it.
WRAPPER = 64


class Code:
    """A kernel's functions by its symbols, {name: address}, and as objdump shows them."""

    # How one begins before its first instruction: ENDBR64 or BTI C, and what a tracer changes,
    # which is a call or a nop, on arm64 two nops.
    START = re.compile(r"(?:\w+:\t(?:endbr64|bti\tc)[ ]*\n)?(?:\w+:\t(?:call|nopl) .*\n|(?:\w+:\tnop\n){2})?(\w+):")
    # A call or a jump.
    BRANCH = re.compile(r"^(\w+):\t(?:(call|bl)|jmp|b)\s+(\w+) <", re.M)

    def __init__(self, symbols, listing):
        self.symbols = symbols
        self.bodies = {int(m[1], 16): m[2] for m in re.finditer(r"^(\w+) <.*>:\n((?:\w+:.*\n)*)", listing, re.M)}
        self.starts = [*sorted(self.bodies), float("inf")]

    def body(self, function):
        """The address of a function's first instruction that no tracer changes; None if there is none."""
        at = self.symbols.get(function)
        return at and int(self.START.match(self.bodies[at])[1], 16)

    def calls(self, callees, callers):
        """The addresses of calls to some functions, in functions named like @callers.

        A function that hardly does more than jump to one of them stands for it.
        """
        targets, found, jumps = {self.symbols[f] for f in callees if f in self.symbols}, set(), True
        asking = {a for f, a in self.symbols.items() if re.match(callers, f) and a in self.bodies}
        while jumps:
            jumps = set()
            for start in asking - targets:
                size = self.starts[bisect.bisect(self.starts, start)] - start
                for at, call, to in self.BRANCH.findall(self.bodies[start]):
                    if int(to, 16) in targets and call:
                        found.add(int(at, 16))
                    elif int(to, 16) in targets and size <= WRAPPER:
                        jumps.add(start)
            targets |= jumps
        return sorted(found)


def code_of(kernel):
    where = os.path.join(machine.BUILD, kernel)
    return Code(stub.symbols(where), subprocess.run(
        [(recipes.FOREIGN["arm64"][0] if ARCH else "") + "objdump", "-d", "--no-show-raw-insn", "-j", ".text",
         os.path.join(where, "vmlinux")], stdout=subprocess.PIPE, text=True, check=True).stdout)


def bpf_probes(kernel):
    """kprobe events where BPF enters and leaves the tracer, and where somebody waits.

    None is where a tracer may change the code: it would change what is measured.
    """
    code, lines = code_of(kernel + ARCH), []
    syscall, size = ("__arm64_sys_", 4) if ARCH else ("__x64_sys_", 5)		# of a call
    for what, callees in ASKED.items():
        for at in code.calls(callees, ASKS):
            n = len(lines)
            lines += [f"p:bpf/{what}_begin{n} {at:#x}", f"p:bpf/{what}_end{n} {at + size:#x}"]
    if not lines:
        sys.exit(f"figures: nothing in {kernel} calls the tracer for BPF")
    for function in WAITS:
        at = code.body(function)
        if at:
            lines.append(f"p:bpf/waits{len(lines)} {at:#x} locked=@ftrace_lock:x64")
    lines.append(f"p:bpf/call {code.body(syscall + 'getppid'):#x}")
    return "".join(line + "\n" for line in lines)


def of_bpf(kernel, cpus):
    where = os.path.join(machine.BUILD, "test", f"bpf-{kernel}{ARCH}")
    files.write(os.path.join(where, "probes"), bpf_probes(kernel))
    subprocess.run(recipes.bpf_program("bpf-links", ARCH[1:]), check=True)
    shutil.copy(os.path.join(recipes.bpf_folder(ARCH[1:]), "bpf-links"), where)
    return together(run(kernel, f"bpf-{cpus}", "figures=bpf", cpus, [where + ":/bpf"]))


# The tables that are measured on one processor, whatever CPUS says.
WHOLE = {"hits": of_hits, "sites": of_sites, "init": of_init, "discover": of_discover,
         "standstill": of_standstill, "flames": of_flames, "memory": of_memory}


def measured(tables, numbers):
    """(table, processors, {kernel: figures}) of each of @tables, as soon as it is measured."""
    simple = [t for t in tables if t in PLAIN]
    for cpus in numbers or [1, 4]:
        runs = {k: plain(k, cpus, simple) for k in KERNELS} if simple else {}
        for table in simple:
            yield table, cpus, {k: run.get(table, {}) for k, run in runs.items()}
        if "bpf" in tables:
            yield "bpf", cpus, {k: of_bpf(k + "-bpf", cpus) for k in KERNELS}
    if SIZE in tables:
        yield SIZE, 1, {k: together(plain(k + "-size", 1, ["calls"])) for k in KERNELS}
    if "cpus" in tables:
        yield "cpus", 1, {k: of_cpus(k, numbers or [1, 2, 4, 8, 16]) for k in KERNELS}
    for table, measure in WHOLE.items():
        if table in tables:
            yield table, 1, {k: measure(k) for k in KERNELS}


def here(what, tables):
    """Take over what was measured on a real machine: this one, now, or in a file. Return a status."""
    if what == "1":
        what = os.path.join(FOLDER, "figures-here.csv")
        os.makedirs(FOLDER, exist_ok=True)
        as_root = ["sudo", "-E"] if os.geteuid() else []
        status = subprocess.run([*as_root, figure_report.FIGURES_HERE, "-o", what, *tables],
                                env={**os.environ, "COMMIT": figure_report.commit()},
                                check=False).returncode
        if status:
            return status
    rows = figure_report.read_csv(what)
    if not all(r.here and r.table in TABLES for r in rows) or not rows:
        sys.exit(f"figures: {what} has nothing that figures-here measured")
    keep(FOLDER, [r for r in rows if not tables or r.table in tables])
    print(f"all that has been measured: {os.path.relpath(FOLDER, machine.TOP)}/report.md")
    return 0


def main(argv):
    if argv[:1] == ["--here"] and len(argv) > 1:
        return here(argv[1], argv[2:])
    if argv == ["--publish"]:
        why = figure_report.publish()
        if why:
            print("figures: " + why, file=sys.stderr)
        return 1 if why else 0

    check = argv[:1] == ["--check"]		# of the words alone, before anything is built
    argv = argv[check:]
    tables = [a for a in argv if not a.isdigit()] or ["switch", *([] if ARCH else ["window"])]
    numbers = [int(a) for a in argv if a.isdigit()]
    if not all(t + ARCH in TABLES and not t.endswith(ARM64) for t in tables):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    if check:
        return 0

    this_run = figure_report.this_run(argv, ARCH)
    figure_report.kept(FOLDER)		# refuses what it cannot read before anything is measured
    for table, cpus, figures in measured(tables, numbers):
        show(table + ARCH, cpus, figures)
        # At once: a later table may fail.
        missing = keep(FOLDER, rows_of(table + ARCH, cpus, figures, this_run))
    for plot, why in missing.items():
        print(f"no plot {plot}: {why}")
    print(f"all that has been measured: {os.path.relpath(FOLDER, machine.TOP)}/report.md")
    return 0


if __name__ == "__main__":
    sys.exit(status_of("figures", main, sys.argv[1:]))
