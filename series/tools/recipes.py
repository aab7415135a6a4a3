# SPDX-License-Identifier: GPL-2.0
"""What is built for tests: kernels, modules for them, programs for guests."""
import os
import re
import shlex
import shutil
import subprocess

import bpf_selftests
import tree
from verdicts import BUILD, HERE, SELFTESTS, TOP, run

CONFIG = os.path.join(TOP, "series", "config")

# What the guests of make check and make test run: all that is tested in one kernel.
KERNEL = "selftest"

# What guests of tests need, from nothing; and what that kernel has.
GUEST = ("run.config", "guest.config")
ARM64_GUEST = ("arm64.config", "arm64-new.config")
TESTED = (*GUEST, "share.config", "test.config", "modules.config", "selftest.config")


def kernel(tally, name, src="tree", *configs, targets="", arch="", cross=""):
    """Build build/NAME, or only the objects and folders @targets of it, by @configs or those in SMALL; one result.

    For another architecture than this machine's @arch is its name, @cross the compiler's prefix.
    """
    configs = configs or SMALL[name]
    status = subprocess.run([os.path.join(HERE, "kernel.sh"), *(["-n"] if configs[0] in FROM_NOTHING else []),
                             name, os.path.join(BUILD, src)] + [os.path.join(CONFIG, c) for c in configs], check=False,
                            env={**os.environ, "NO_PROGRESS": "1", "TARGETS": targets,
                                 # clang is a cross compiler by itself
                                 "CROSS_COMPILE": "" if name in BY_CLANG else cross,
                                 **({"ARCH": arch} if arch else {}),
                                 "LLVM": CLANG.removeprefix("clang") if name in BY_CLANG else ""}).returncode
    return tally.result(status == 0, f"kernel {name} builds")


# Kernels whose configuration begins with one of these have nothing but what they ask for.
FROM_NOTHING = (GUEST[0], "foreign.config", ARM64_GUEST[0])

# Compiles the programs of the kernel's BPF selftests, and the kernels that gcc cannot make.
CLANG = "clang-19"
BY_CLANG = ("cfi", "arm64-cfi")

# Kernels with a question of their own: a small one under each model of preemption
# (with frame pointers or ORC, IBT or not, return thunks or not), of 32 bit, and
# those that watch their locks, their memory, their races, their indirect calls and their
# ring buffer; one for what mitigations change; one for the kernel's BPF selftests; and one whose call sites nothing has recorded.
SMALL = {
    "preempt-lazy": ("small.config", "torture.config", "preempt-lazy.config"),
    "preempt-full": ("small.config", "torture.config", "preempt-full.config", "discover.config"),
    "preempt-rt": ("small.config", "torture.config", "preempt-rt.config"),
    "i386": (*GUEST, "i386.config"),
    "debug": (*GUEST, "torture.config", "debug.config"),
    "kcsan": ("small.config", "torture.config", "kcsan.config"),
    "recording": ("small.config", "torture.config", "recording.config"),
    "cfi": ("small.config", "torture.config", "cfi.config"),
    "mitigations": ("small.config", "torture.config", "mitigations.config"),
    "arm64": (*ARM64_GUEST, "arm64-test.config"),
    "arm64-cfi": (*ARM64_GUEST, "arm64-test.config", "arm64-cfi.config"),
    "arm64-far": (*ARM64_GUEST, "arm64-test.config", "arm64-far.config"),
    "arm64-16k": (*ARM64_GUEST, "arm64-test.config", "arm64-16k.config"),
    "arm64-64k": (*ARM64_GUEST, "arm64-test.config", "arm64-64k.config"),
    "arm64-bpf": (*ARM64_GUEST, "arm64-figures.config", "arm64-bpf.config", "bpf.config"),
    "bpf-selftests": ("small.config", "bpf-selftests.config"),
    "debug-discover": (*GUEST, "torture.config", "debug.config", "discover.config"),
    "no-records": ("small.config", "torture.config", "discover.config", "no-records.config", "hibernate.config"),
}


# Of the series, what other architectures compile. The compiler's prefix; whether
# recordmcount lists the call sites; what the configuration has besides foreign.config.
FOREIGN = {
    "arm64": ("aarch64-linux-gnu-", False, ("foreign-traced.config", "foreign-arm64.config")),
    "riscv": ("riscv64-linux-gnu-", False, ("foreign-traced.config", "foreign-riscv.config")),
    "s390": ("s390x-linux-gnu-", False, ("foreign-traced.config", "foreign-s390.config")),
    "arm": ("arm-linux-gnueabihf-", True, ("foreign-traced.config", "foreign-arm.config")),
    "powerpc": ("powerpc64le-linux-gnu-", True, ("foreign-traced.config", "foreign-powerpc.config")),
    "um": ("", False, ("foreign-um.config",)),
}

FOREIGN_TARGETS = "kernel/tracepoint/ kernel/trace/ samples/tracepoints/ kernel/events/core.o " \
    "kernel/kallsyms.o mm/slub.o"
FOREIGN_OWN = {"um": "linux", "arm64": FOREIGN_TARGETS + " arch/arm64/kernel/ftrace/ arch/arm64/kvm/hyp/vhe/"}


def tree_without_static_calls():
    """A copy of build/tree whose tracepoints know of no static calls.

    Most architectures have none, but x86 does not build without them.
    """
    name, files = "tree-no-static-calls", tree.whole()
    for path in "include/linux/tracepoint.h", "kernel/tracepoint/apply.c", "kernel/tracepoint/tests/calls_kunit.c":
        file = files[path]
        lines = [re.sub(r"\bCONFIG_HAVE_STATIC_CALL\b", "CONFIG_NO_SUCH_OPTION", line) for line in file.lines]
        if lines == file.lines:
            raise ValueError(f"{path} does not ask for static calls any more")
        files[path] = tree.File(lines, file.mode)
    tree.lay(os.path.join(BUILD, name), files)
    return name


def new_copy(source, name):
    """A copy of the folder @source to build in, build/test/NAME; without what was built there before."""
    out = os.path.join(BUILD, "test", name)
    shutil.rmtree(out, ignore_errors=True)
    return shutil.copytree(source, out)


def livepatch_modules(tally, kernel_name):
    """Build the livepatch selftests' modules out of tree, as their Makefile does."""
    src = new_copy(os.path.join(BUILD, "base", SELFTESTS, "livepatch"), "klp-" + kernel_name)
    good = run(tally, f"livepatch selftest modules build against {kernel_name}",
               ["make", "-C", os.path.join(src, "test_modules"),
                "KDIR=" + os.path.join(BUILD, kernel_name)])
    program = os.path.join(src, "test_klp-call_getpid")
    subprocess.run(["gcc", "-static", "-O2", "-o", program, program + ".c"], check=False)
    return src if good else None


def test_modules(tally, kernel_name, collection, name, what):
    """The modules of a collection of selftests, built for a kernel; where they lie."""
    out = new_copy(os.path.join(TOP, SELFTESTS, collection, "test_modules"), f"{name}-{kernel_name}")
    run(tally, f"{what} against {kernel_name}", ["make", "-C", os.path.join(BUILD, kernel_name), "M=" + out, "CC=gcc"])
    return out


def kselftests(tally, kernel_name):
    """Our collections beside the kernel's runner, as "make install" leaves them for a guest; where they lie."""
    top = os.path.join(BUILD, "test", "kselftest-" + kernel_name)
    run(tally, f"selftests are built and installed for {kernel_name}",
        ["bash", "-ec", KSELFTESTS, os.path.join(BUILD, "tree"), top, os.path.join(BUILD, kernel_name)])
    return os.path.join(top, "install")


# In a copy of what that takes: modules are built where their source lies.
KSELFTESTS = r"""
rm -rf "$1" && mkdir -p "$1/install"
cd "$0"
cp -r --parents -t "$1" scripts/subarch.include tools/testing/selftests/{Makefile,lib.mk,run_kselftest.sh} \
	tools/testing/selftests/{kselftest{,.h,_harness.h},ftrace,text_patch,text_quiet,tracepoint} \
	Documentation/trace/ftrace/cookbook.rst
make -C "$1/tools/testing/selftests" TARGETS="ftrace text_patch text_quiet tracepoint" FORCE_TARGETS=1 O="$2" KDIR="$2" \
	USERCFLAGS=-Werror USERLDFLAGS=-static KSFT_INSTALL_PATH="$1/install" install
"""


# Where the guests' programs lie that load BPF programs.
BPF = os.path.join(BUILD, "test", "bpf")


def bpf_folder(arch=""):
    """Where those for this machine are, or for @arch."""
    return BPF + ("-" + arch if arch else "")


def bpf_program(name, arch=""):
    """The command that builds one of them, for @arch with the libraries of its guest."""
    where = bpf_folder(arch)
    os.makedirs(where, exist_ok=True)
    gcc = "gcc -O2 -Wall -Wextra -Werror -o " + shlex.join(
        [os.path.join(where, name), os.path.join(TOP, "tools", "testing", "ftrace", name + ".c")])
    if not arch:
        return ["sh", "-ec", gcc + " $(pkg-config --libs libbpf)"]
    libraries = os.path.join(BUILD, "rootfs-" + arch, "usr", "lib", FOREIGN[arch][0][:-1])
    # libbpf's headers are of no architecture; those of the cross compiler come first.
    return ["sh", "-ec", FOREIGN[arch][0] + gcc + " -idirafter /usr/include -l:libbpf.so.1 " + shlex.join(
        ["-L" + libraries, "-Wl,-rpath-link=" + libraries])]


def bpf_test_progs(tally, kernel_name):
    """The kernel's BPF selftests of bpf_selftests.TESTS, and what they load, in a folder; None if they do not build."""
    top, built = os.path.join(BUILD, "test", "test-progs-" + kernel_name), os.path.join(BUILD, kernel_name)
    src = bpf_selftests.copy(os.path.join(BUILD, "base"), top)
    words = {**bpf_selftests.prune(src, bpf_selftests.TESTS), "SKIP_LLVM": 1, "SKIP_LIBBFD": 1, "CLANG": CLANG,
             "LLVM_STRIP": CLANG.replace("clang", "llvm-strip"), "VMLINUX_BTF": os.path.join(built, "vmlinux"),
             "GENDIR": os.path.join(built, "include", "generated")}
    out = os.path.join(top, "out")
    return out if run(tally, f"BPF selftests build against {kernel_name}",
                      ["sh", "-ec", BPF_TEST_PROGS, str(os.cpu_count()), src, built, out,
                       *(f"{k}={v}" for k, v in words.items())]) else None


# The module that they load, the tests, and the programs that some tests read from files.
BPF_TEST_PROGS = r"""
src=$1 kernel=$2 out=$3
shift 3
make -C "$kernel" -j"$0" M="$src/test_kmods" CC=gcc
make -C "$src" -j"$0" "$@" test_progs
mkdir -p "$out/lib"
cd "$src"
cp test_kmods/bpf_testmod.ko *.bpf.o "$out"
strip -g -o "$out/test_progs" test_progs
ldd test_progs | grep -o '/[^ ]*' | xargs cp -L -t "$out/lib"
"""


# Modules of a test for a kernel, as a payload of its guest.
DEFECTS = os.path.join(BUILD, "test", "defects-%s") + ":/selftests/ftrace/test_modules"


def defects_modules(tally, kernel_name):
    """The modules that the tests of defects and of states load."""
    test_modules(tally, kernel_name, "ftrace", "defects", "modules that meet the classic tracer's defects build")
    return DEFECTS % kernel_name


# $programs of this machine, and the libraries that they and $libraries need.
PROGRAMS = r"""
rm -rf "$0" && mkdir -p "$0/bin" "$0/lib"
PATH=$PATH:/usr/sbin
for program in $programs; do
	cp -L "$(command -v $program)" "$0/bin"
done
[ -z "$libraries" ] || cp -L $libraries "$0/lib"
for file in "$0"/bin/* $libraries; do
	ldd "$file"
done | grep -o '/[^ ]*' | sort -u | xargs cp -L -t "$0/lib"
"""

# The headers are those by which bpftrace compiles the fields of events. There the
# kernel's own names are used, which no header of a program has.
CLIENTS = "programs=bpftrace libraries=" + PROGRAMS + r"""
echo '#include <linux/types.h>' | gcc -fno-canonical-system-headers -M -x c - | grep -o '/[^ ]*' | while read -r header; do
	to=${header#/usr/include/}
	install -D -m 644 "$header" "$0/include/${to#*-linux-gnu/}"
done
echo 'typedef int pid_t; typedef _Bool bool;' >"$0/include/fields.h"
"""

# uftrace preloads its library into a program that was built for it.
OTHER_CLIENTS = "programs='funclatency rtla stress-ng uftrace' libraries=$(echo /usr/lib/*/uftrace/*.so)" + \
    PROGRAMS + 'gcc -O1 -pg -o "$0/bin/calls" "$1"\n'

# figures-here and what it runs: its programs, and a Python with what it imports, compiled.
FIGURES = r"""
rm -rf "$0"
"$1" --build "$0"
cp "$1" "$0"
cp -L /usr/bin/python3 "$0"
mkdir "$0/lib"
ldd /usr/bin/python3 | grep -o '/[^ ]*' | xargs cp -L -t "$0/lib"
/usr/bin/python3 -I -S -c 'import runpy, sys; runpy.run_path(sys.argv[1]); print(*filter(
	None, (getattr(m, "__file__", None) for m in list(sys.modules.values()))), sep="\n")' "$1" | while read -r module; do
	install -D -m 644 "$module" "$0/python/${module#/usr/}"
done
/usr/bin/python3 -m compileall -q "$0/python"
"""
