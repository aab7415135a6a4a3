#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Boot a kernel of ours in QEMU, run one job in it, and judge what happened.

The kernel's words go to build/log/NAME.console, the job's to the standard
output and build/log/NAME.job, QEMU's of processors that were reset to
build/log/NAME.resets; what the job leaves in /out lies in
build/out/NAME.  The run fails when the job fails, when the machine does not
end in time, and when the kernel says something that a healthy one does not:
status 1. Status 3 is the host's fault: QEMU died, or was not given the time.

Settable from outside: SMP, MEM (MiB), ACCEL (kvm, tcg or a whole -accel
value), QEMU_EXTRA (more arguments).
"""
import argparse
import functools
import glob
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import threading
import time

from files import BUILD, TOP, write
from order import status_of

# What a healthy kernel never says.  The first group ends a run's good name
# wherever it stands; "expected" patterns of a caller excuse single lines.
SPLAT = re.compile("|".join((
    r"Kernel panic - not syncing", r"\bOops: ", r"\bBUG: ", r"kernel BUG at ",
    r"\bWARNING: (?!Spectre v2 mitigation leaves CPU vulnerable)", r"INFO: rcu_\w+ (?:self-)?detected",
    r"INFO: task .* blocked for more", r"rcu:? .*stall", r"soft lockup", r"hard LOCKUP",
    r"possible (?:circular|recursive|irq) lock", r"inconsistent lock state",
    r"suspicious RCU usage", r"general protection fault", r"invalid opcode:",
    r"Unable to (?:handle|mount root)", r"unable to handle", r"UBSAN:", r"KCSAN:",
    r"int3: 0000", r"Bad page state", r"scheduling while atomic",
    r"FUNCTION TRACING IS CORRUPTED", r"ftrace (?:faulted|failed)",
    r"\bBUG [\w.:-]+ \((?:Tainted|Not tainted)", r"kmemleak: \d+ new suspected memory leaks",
)))

# What a kernel also says when the host does not let it run.
STALL = re.compile(r"rcu_\w+ (?:self-)?detected|\bstall|soft lockup|hard LOCKUP|blocked for more")

# The status of a run that proves nothing, of the kernel or of a test.
HOST_FAILED = 3

# Letters of /proc/sys/kernel/tainted that no healthy run ends with.
TAINTS = {4: "M, a machine check", 5: "B, a bad page", 7: "D, an oops", 9: "W, a warning",
          14: "L, a soft lockup"}

TCG = "tcg,thread=single"

# How long a guest may take to boot and end before KVM counts as broken.
KVM_PATIENCE = 25


def kvm_runs_a_guest(args, image, share):
    """Whether KVM really boots this kernel; a /dev/kvm that opens proves little."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    probe = argparse.Namespace(**vars(args))
    probe.accel, probe.job = "kvm", "true"
    probe.console = os.path.join(BUILD, "log", "kvm-probe.console")
    try:
        subprocess.run(command(probe, image, share), stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=KVM_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return False
    return "job true ended with status 0" in read_text(probe.console)


def accelerator(args, image, share):
    """The -accel value: TCG with --icount, else what ACCEL says, else KVM where it works, else TCG.

    The answer of the probe holds until the machine boots anew. TCG runs the
    processors in turn on one thread: the classic kernel, which comparisons
    need, dies with parallel ones of breakpoints that it does not know any more. On arm64,
    where no breakpoint is put there first, parallel ones of QEMU 7.2 have once called a
    trampoline that was gone. That fits an emulator which discards its translation before
    it stores the new instruction; that it is no fault of ours is not proven.
    """
    asked = args.accel or os.environ.get("ACCEL", "")
    if args.icount or asked == "tcg" or not asked and has(args.kernel, "ARM64"):
        return TCG
    if asked:
        return asked
    known = os.path.join(BUILD, "accel")
    boot = read_text("/proc/sys/kernel/random/boot_id").strip()
    words = read_text(known).split()
    if words[:1] != [boot]:
        words = [boot, "kvm" if kvm_runs_a_guest(args, image, share) else TCG]
        write(known, " ".join(words))
    return words[1]


def initrd(name, rootfs, kernel, payloads, boot_config=""):
    """One archive of the root file system, the kernel's modules and payloads, and a boot configuration behind it.

    A payload is SOURCE:DIR, where SOURCE's content shall lie below DIR.
    """
    path = os.path.join(BUILD, "out", name + ".initrd")
    with open(path, "wb") as out:
        for part in (os.path.join(BUILD, rootfs), os.path.join(kernel, "modules.cpio")):
            with open(part, "rb") as f:
                shutil.copyfileobj(f, out)
        out.flush()		# cpio writes to the file itself
        if payloads:
            stage = os.path.join(BUILD, "out", name + ".payload")
            shutil.rmtree(stage, ignore_errors=True)
            for p in payloads:
                src, dst = p.rsplit(":", 1)
                dst = os.path.join(stage, dst.strip("/"))
                if os.path.isdir(src):
                    shutil.copytree(src, dst, symlinks=True, dirs_exist_ok=True)
                else:
                    os.makedirs(os.path.dirname(dst), exist_ok=True)
                    shutil.copy(src, dst)
            subprocess.run("find . -mindepth 1 -print0 | cpio --null -o -H newc -R 0:0 --quiet",
                           shell=True, cwd=stage, stdout=out, check=True)
            shutil.rmtree(stage)
        if boot_config:
            data = boot_config.encode()
            data += bytes(4 - len(data) % 4)
            out.seek(0, os.SEEK_END)
            out.write(data + struct.pack("<II", len(data), sum(data)) + b"#BOOTCONFIG\n")
    return path


# An instruction is a virtual nanosecond, and a tick of the time stamp counter.
ICOUNT_KHZ = 1000000

# Emulation translates a program anew at each address that it is loaded to: a
# process starts five times sooner where all runs of a program share one. And it
# walks page tables of five levels for a tenth of its time. If it has to wait for a
# processor, the kernel's check of its timer misses ticks, and panics; and the watchdog
# of its clock finds that unstable: time has the grain of ticks from then on.
EMULATED = "norandmaps no_timer_check tsc=nowatchdog"
EMULATED_CPU = "max,-la57"


def has(kernel, symbol):
    """Whether a kernel was built with a symbol."""
    return f"CONFIG_{symbol}=y\n" in read_text(os.path.join(kernel, ".config"))


@functools.cache		# a probe of KVM has asked before
def kilohertz():
    """Of the host's time stamp counter.

    By the one clock that a kernel without ACPI has beside it, it cannot measure
    that of its own on a busy host.
    """
    tool = os.path.join(BUILD, "tsc")
    subprocess.run(["gcc", "-O2", "-o", tool, os.path.join(TOP, "series/tools/tsc.c")], check=True)
    return subprocess.check_output([tool], text=True).strip()


def arm64_machine(args, share):
    """The machine of a kernel for arm64, which always emulates one."""
    # One with BTI. Signatures by the cipher that processors have take most of the time.
    cpu = "max,pauth-impdef=on" if has(args.kernel, "ARM64_BTI_KERNEL") else "neoverse-n1"
    return ["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", cpu,
            "-accel", args.accel, "-smp", str(args.smp),
            "-device", "virtio-serial-device", "-device", "virtconsole,chardev=job",
            "-chardev", f"file,id=out,path={share}.tar", "-device", "virtconsole,chardev=out"]


def kernel_image(kernel):
    """What a machine loads of a build directory."""
    return os.path.join(kernel, "Image" if has(kernel, "ARM64") else "bzImage")


def x86_machine(args, share):
    """The machine of a kernel for x86, and what that is told besides."""
    in_kvm = args.accel.startswith("kvm")
    words = "" if in_kvm else EMULATED
    sockets = ""
    if not args.acpi:
        # The table of processors that it reads has one of each socket.
        sockets = ",cores=1,threads=1"
        words += f" tsc=reliable tsc_early_khz={ICOUNT_KHZ if args.icount else kilohertz()}"
    cmd = ["qemu-system-x86_64", "-accel", args.accel, "-cpu", "host" if in_kvm else EMULATED_CPU,
           "-smp", str(args.smp) + sockets]
    if args.virtio:
        cmd += ["-device", "virtio-serial-pci", "-device", "virtconsole,chardev=job",
                "-fsdev", f"local,id=out,path={share},security_model=none",
                "-device", "virtio-9p-pci,fsdev=out,mount_tag=out"]
    else:
        cmd += ["-serial", "chardev:job", "-serial", f"file:{share}.tar"]
    return cmd, words


def command(args, image, share):
    console, words = "ttyAMA0", ""
    if has(args.kernel, "ARM64"):
        cmd = arm64_machine(args, share)
    else:
        console = "ttyS0"
        cmd, words = x86_machine(args, share)
    # The kernel's serial port is the first.
    cmd[1:1] = ["-nodefaults", "-no-reboot", "-display", "none",
                "-m", os.environ.get("MEM", "") or str(args.mem),
                "-kernel", kernel_image(args.kernel), "-initrd", image,
                "-append", f"console={console} log_buf_len=8M printk.devkmsg=on panic=-1 "
                           f"oops=panic job={args.job} {words} {args.append}",
                "-serial", "file:" + args.console, "-d", "cpu_reset", "-D", args.resets,
                "-chardev", "stdio,id=job,signal=off"]
    if args.icount:
        cmd += ["-icount", "shift=0,sleep=off"]
    return cmd + shlex.split(args.qemu) + shlex.split(os.environ.get("QEMU_EXTRA", ""))


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read().replace("\r", "")
    except OSError:
        return ""


def splats(console, expected):
    """Lines of the console that must not be there."""
    excuse = re.compile("|".join(expected)) if expected else None
    return [l for l in console.split("\n")
            if SPLAT.search(l) and not (excuse and excuse.search(l))]


def last_mark(log, fault):
    """The test that a guest's own log names last before a complaint; none if it names none."""
    before = log.split(untimed(fault))[0] if untimed(fault) in log else ""
    marks = re.findall(r"^(?:\[.*?\] )?test: (.*)$", before, re.M)
    return f" in the test \"{marks[-1]}\"" if marks else ""


def untimed(line):
    """A line of the kernel's without the time that not every console shows."""
    return re.sub(r"^\[ *\d+\.\d+\] ", "", line)


def processor_seconds(pid):
    """What a process has used of the host's processors, 0 when it is gone."""
    fields = read_text(f"/proc/{pid}/stat").rsplit(")", 1)[-1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else 0


def seconds_ready(pid):
    """What the threads of a process have waited for the host's processors, without sleeping."""
    return sum(int((read_text(path).split() or [0, 0])[1])
               for path in glob.glob(f"/proc/{pid}/task/*/schedstat")) / 1e9


# By how many of the last seconds a machine is judged.
LATELY = 30


def was_starved(seen):
    """Whether a machine was rather ready to run than running, of late, and not just idle.

    @seen: [(when, seconds it ran, seconds it was ready)]; what is older than LATELY is dropped.
    """
    while seen[0][0] < seen[-1][0] - LATELY:
        seen.pop(0)
    time_, ran, ready = (last - first for first, last in zip(seen[0], seen[-1]))
    return ran < ready and ready > time_ / 4


def end_when_late(args, qemu, ended):
    """Kill the machine once it has had its time.

    A limit is for a host that does nothing else: what counts is the time that
    each of the machine's processors ran, and a quarter of the time by the clock.
    """
    threads = args.smp if re.search("kvm|thread=multi", args.accel) else 1
    begin = time.monotonic()
    seen = [(begin, 0, 0)]
    while not ended.wait(1):
        ran = processor_seconds(qemu.pid) / threads
        seen.append((time.monotonic(), ran, seconds_ready(qemu.pid) / threads))
        args.starved = was_starved(seen)
        if max(ran, (time.monotonic() - begin) / 4) > args.timeout:
            args.late = True
            qemu.kill()
            return


def last_words(share, excused, smp):
    """What the guest's own records say that its console need not have said.

    @excused: the run was told to expect a complaint of the kernel's; @smp: how many
    processors the machine has.
    """
    taint = int(read_text(os.path.join(share, "tainted")).strip() or 0)
    faults = [f"the kernel is tainted: {why}" for bit, why in TAINTS.items()
              if taint >> bit & 1 and not (excused and bit == 9)]
    if re.search(r"debug_locks: +0", read_text(os.path.join(share, "lockdep"))) and not excused:
        faults.append("lockdep has turned itself off: it found a fault before")
    up = int(read_text(os.path.join(share, "processors")).strip() or smp)
    if up != smp:
        faults.append(f"of {smp} processors {up} came up")
    return faults


def words_of(console, dmesg, faults):
    """What to show of a run that failed: the first complaint with its trace, or else the last lines.

    @dmesg: the guest's own record: a quiet console has not all of it.
    """
    for log in (dmesg, console) if faults else ():
        lines = log.splitlines()
        bare = [untimed(line) for line in lines]
        if untimed(faults[0]) in bare:
            first = bare.index(untimed(faults[0]))
            return lines[first:first + 40]
    return console.splitlines()[-12:]


def is_hosts_fault(status, starved, faults, job):
    """Whether a run failed for the host's sake: QEMU died, or had too little of the processors.

    @status: QEMU's, None on time out; @faults: what the kernel complained of.
    """
    if starved and (status is None or faults):
        return all(STALL.search(l) for l in faults)
    return status not in (None, 0) and not faults and job == ""


def run_job(args, cmd):
    """Run the machine; return the exit status that QEMU gave, None on time out."""
    with open(args.joblog, "w", encoding="utf-8") as log, \
            subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as qemu:
        ended, args.late, args.starved = threading.Event(), False, False
        watch = threading.Thread(target=end_when_late, args=(args, qemu, ended))
        watch.start()
        try:
            for raw in qemu.stdout:
                line = raw.decode("utf-8", "replace").replace("\r", "")
                log.write(line)
                log.flush()
                if not args.quiet:
                    sys.stdout.write(line)
                    sys.stdout.flush()
            qemu.wait()
        finally:		# also when somebody stops it
            ended.set()
            qemu.kill()
            watch.join()
    return None if args.late else qemu.returncode


def main(argv):
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("kernel", help="build directory with bzImage and modules.cpio")
    ap.add_argument("job", help="the script in the guest's /jobs, or 'shell'")
    ap.add_argument("--name", help="names log and output (default: the job)")
    ap.add_argument("--smp", type=int, default=2)
    ap.add_argument("--mem", type=int, default=1024, help="MiB")
    ap.add_argument("--accel", help="default: $ACCEL, KVM where it works, TCG")
    ap.add_argument("--append", default="", help="more kernel command line")
    ap.add_argument("--payload", action="append", default=[], metavar="SOURCE:DIR")
    ap.add_argument("--boot-config", default="", metavar="TEXT", help='with "bootconfig" on the command line')
    ap.add_argument("--rootfs", default="", help="archive in build/")
    ap.add_argument("--timeout", type=float, default=600, help="seconds, of a host that does nothing else")
    ap.add_argument("--icount", action="store_true", help="an instruction is a virtual nanosecond")
    ap.add_argument("--expect", action="append", default=[], metavar="REGEX",
                    help="a kernel message that is no fault in this run")
    ap.add_argument("--qemu", default="", help="more arguments for QEMU")
    ap.add_argument("--quiet", action="store_true", help="the job's words go to the log alone")
    args = ap.parse_args([*argv, *(["--smp", os.environ["SMP"]] if os.environ.get("SMP") else [])])
    for payload in args.payload:
        if not os.path.exists(payload.rpartition(":")[0]):
            ap.error(f"--payload {payload}: is no SOURCE:DIR, or SOURCE is not there")
    args.name = args.name or args.job
    args.kernel = os.path.abspath(args.kernel)
    if not args.rootfs:
        args.rootfs = "rootfs-arm64.cpio" if has(args.kernel, "ARM64") else "rootfs.cpio"
    for needed in (os.path.join(BUILD, args.rootfs), kernel_image(args.kernel),
                   os.path.join(args.kernel, "modules.cpio")):
        if not os.path.exists(needed):
            print(f"machine: there is no {needed}: \"make kernel\" and series/tools/rootfs.sh "
                  "make it", file=sys.stderr)
            return 1
    # Without virtio, what it has in common with the host comes over serial ports.
    args.virtio, args.acpi = has(args.kernel, "NET_9P_VIRTIO"), has(args.kernel, "ACPI")
    args.console, args.joblog, args.resets = (
        os.path.join(BUILD, "log", f"{args.name}.{kind}") for kind in ("console", "job", "resets"))
    share = os.path.join(BUILD, "out", args.name)
    shutil.rmtree(share, ignore_errors=True)
    os.makedirs(share)
    write(args.console, "")

    image = initrd(args.name, args.rootfs, args.kernel, args.payload, args.boot_config)
    args.accel = accelerator(args, image, share)
    cmd = command(args, image, share)
    if args.job == "shell":
        return subprocess.run(cmd, check=False).returncode
    begin = time.monotonic()
    status = run_job(args, cmd)
    os.unlink(image)
    if not args.virtio:
        # What came over a serial port; of a machine that died, nothing or a part.
        subprocess.run(["tar", "-xf", share + ".tar", "-C", share], stderr=subprocess.DEVNULL, check=False)

    console = read_text(args.console)
    dmesg = read_text(os.path.join(share, "dmesg"))
    faults = splats(console, args.expect)
    seen = {untimed(l) for l in faults}
    faults += [l for l in splats(dmesg, args.expect) if untimed(l) not in seen]
    faults = faults or last_words(share, bool(args.expect), args.smp)
    job = read_text(os.path.join(share, "status")).strip()
    where = os.path.relpath(args.console, TOP)
    if status is None and args.starved:
        why = f"the host did not let the machine run for its {args.timeout:g} s"
    elif status is None:
        why = f"the machine did not end within {args.timeout:g} s"
    elif faults:
        mark = last_mark(dmesg or console, faults[0])
        why = f"the kernel complained {len(faults)} times, first{mark}: {faults[0].strip()}"
    elif job == "" and "Triple fault" in read_text(args.resets):
        why = "a processor met a fault that it could not take, and reset the machine (triple fault)"
    elif job == "":
        why = f"the machine ended (qemu status {status}) before the job did"
    elif job != "0":
        why = f"the job ended with status {job}"
    else:
        return 0
    said = [f"machine: {args.name}: {why} (after {time.monotonic() - begin:.0f} s, log: {where})"]
    if status is None or faults or job == "":
        said += ["machine: the kernel's words:",
                 *("    " + line for line in words_of(console, dmesg, faults))]
    print("\n".join(said), file=sys.stderr)
    return HOST_FAILED if is_hosts_fault(status, args.starved, faults, job) else 1


if __name__ == "__main__":
    sys.exit(status_of("machine", main, sys.argv[1:]))
