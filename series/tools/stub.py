#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Stop a machine of ours at an instruction and look into it: QEMU's gdb stub.

This is the part of gdb's remote protocol that it takes; gdb is not needed. The machine
starts with the arguments that arguments() gives.
"""
import os
import re
import socket
import time

from files import text

# g's answer: rax rbx rcx rdx rsi rdi rbp rsp r8 ... r15 rip, of eight bytes each.
RSP = 7
# What one packet may hold, in bytes of the guest's.
CHUNK = 1024


def arguments(path):
    """QEMU's arguments for a machine that waits, at its first instruction, for Stub(@path)."""
    return f"-S -chardev socket,path={path},server=on,wait=off,id=stub -gdb chardev:stub"


class Stub:
    def __init__(self, path, alive, timeout=60):
        """Connect to the machine as soon as it is there, while @alive() says that it may come."""
        self.sock = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + timeout
        while True:
            try:
                self.sock.connect(path)
                break
            except OSError:
                if time.monotonic() > end or not alive():
                    raise
                time.sleep(0.05)
        self.stream = self.sock.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """A machine that cannot be led on must not wait for ever."""
        if kind and kind is not EOFError:
            self.send("k")
        self.sock.close()

    def byte(self):
        c = self.stream.read(1)
        if not c:
            raise EOFError("the machine is gone")
        return c

    def send(self, text):
        data = text.encode()
        self.sock.sendall(b"$" + data + b"#%02x" % (sum(data) % 256))

    def receive(self):
        """The next packet. What is between packets are the acknowledgements of ours."""
        while self.byte() != b"$":
            pass
        data = b"".join(iter(self.byte, b"#"))
        self.stream.read(2)
        self.sock.sendall(b"+")
        return data.decode()

    def ask(self, text):
        self.send(text)
        answer = self.receive()
        if re.fullmatch(r"(E[0-9a-f]{2})?", answer):
            raise OSError(f"the machine refuses {text[:40]}: {answer}")
        return answer

    def run_to(self, address):
        """Run until the processor is about to execute @address."""
        self.ask(f"Z1,{address:x},1")
        self.ask("c")
        self.ask(f"z1,{address:x},1")

    def read(self, address, size):
        return b"".join(bytes.fromhex(self.ask(f"m{address + at:x},{min(CHUNK, size - at):x}"))
                        for at in range(0, size, CHUNK))

    def write(self, address, data):
        for at in range(0, len(data), CHUNK):
            part = data[at:at + CHUNK]
            self.ask(f"M{address + at:x},{len(part):x}:{part.hex()}")

    def word(self, address):
        return int.from_bytes(self.read(address, 8), "little")

    def caller(self):
        """Where the function at whose first instruction the processor is will return to."""
        regs = bytes.fromhex(self.ask("g"))
        return self.word(int.from_bytes(regs[RSP * 8:RSP * 8 + 8], "little"))

    def monitor(self, command):
        self.send("qRcmd," + command.encode().hex())
        return "".join(bytes.fromhex(said[1:]).decode() for said in iter(self.receive, "OK"))

    def instructions(self):
        """How many the machine has executed, where it makes a recording (-icount rr=record)."""
        return int(re.search(r"instruction count = (\d+)", self.monitor("info replay"))[1])

    def leave(self):
        """Let the machine run, unwatched."""
        self.ask("D")


def addresses(kernel):
    """(name, address) of each symbol of a kernel; a name can come more than once."""
    return [(w[2], int(w[0], 16)) for w in map(str.split, text(os.path.join(kernel, "System.map")).splitlines())]


def symbols(kernel):
    """{name: address} of a kernel, which must not move (nokaslr)."""
    return dict(addresses(kernel))
