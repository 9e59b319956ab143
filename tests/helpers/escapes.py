"""Functions that run in a sandboxed process and send what they could do there.

They are hostile: what each tries is what an attack found in a trial did, or would do next.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress

DENIED = OSError, RuntimeError, ValueError, AttributeError, MemoryError


def send(pipe, found):
    pipe.send_bytes(json.dumps(found).encode())


def tried(attempts):
    """What could be done of some attempts, by name."""
    done = []
    for name, attempt in attempts.items():
        with suppress(*DENIED):
            attempt()
            done.append(name)
    return done


def read(path):
    with open(path, "rb") as file:
        return file.read(100)


def files(pipe, paths):
    """Send which of some paths can be read, listed, opened for writing, locked or removed."""
    attempts = {}
    for path in paths:
        attempts |= {
            f"read {path}": lambda path=path: read(path),
            f"list {path}": lambda path=path: os.listdir(path),
            f"write {path}": lambda path=path: os.open(path, os.O_WRONLY),
            f"append {path}": lambda path=path: os.open(path, os.O_WRONLY | os.O_APPEND),
            f"truncate {path}": lambda path=path: os.truncate(path, 0),
            f"lock {path}": lambda path=path: fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_SH),
            f"remove {path}": lambda path=path: os.unlink(path),
            f"rename {path}": lambda path=path: os.rename(path, path + ".x"),
            f"link {path}": lambda path=path: os.link(path, "link"),
            f"symlink {path}": lambda path=path: os.symlink(path, "symlink"),
            f"chmod {path}": lambda path=path: os.chmod(path, 0),
            f"times {path}": lambda path=path: os.utime(path, (0, 0)),
            f"attribute {path}": lambda path=path: os.setxattr(path, "user.a", b"b"),
            f"make {path}": lambda path=path: os.mkdir(path + ".d"),
        }
    send(pipe, tried(attempts))


def surroundings(pipe):
    """Send what can be seen of other processes, the environment, the terminal and the network."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(number, *args):
        if libc.syscall(number, *args) < 0:
            raise OSError(ctypes.get_errno(), "syscall")

    def type_into(path):
        with open(path, "rb") as terminal:
            fcntl.ioctl(terminal, termios.TIOCSTI, b"x")

    def own_environment():
        environment = read("/proc/self/environ")
        raise ValueError(environment)

    attempts = {
        "tty": lambda: read("/dev/tty"),
        "pts": lambda: os.listdir("/dev/pts"),
        "type": lambda: type_into("/dev/tty"),
        "console": lambda: os.open("/dev/console", os.O_RDONLY),
        "environ": own_environment,
        "parent": lambda: read(f"/proc/{os.getppid()}/environ"),
        "processes": lambda: os.listdir("/proc"),
        "fork": os.fork,
        "program": lambda: subprocess.run(["true"], check=False),
        "become": lambda: os.execv("/bin/true", ["true"]),
        "kill": lambda: os.kill(os.getppid(), 0),
        "kill all": lambda: os.kill(-1, 0),
        "group": lambda: os.killpg(0, 0),
        "internet": lambda: socket.socket(socket.AF_INET),
        "unix": lambda: socket.socket(socket.AF_UNIX),
        "netlink": lambda: socket.socket(socket.AF_NETLINK),
        "pair": socket.socketpair,
        "memfd": lambda: os.memfd_create("x"),
        "shared memory": lambda: read("/dev/shm"),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -1),
        "processors": lambda: os.sched_setaffinity(0, range(os.cpu_count())),
        "session": os.setsid,
        "signals by a pipe": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid()),
        "asynchronous": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETFL, os.O_ASYNC),
        "lease": lambda: fcntl.fcntl(os.open(sys.prefix, os.O_RDONLY), fcntl.F_NOTIFY, 1),
        "larger pipe": lambda: fcntl.fcntl(os.pipe()[0], 1031, 1 << 20),
        "more memory": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 50, 1 << 50)),
        "limits of others": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU),
        "trace": lambda: call(101, 16, os.getppid(), 0, 0),
        "user namespace": lambda: call(272, 0x10000000),
        "mount": lambda: call(165, b"x", b"/", b"tmpfs", 0, None),
        "rings": lambda: call(425, 8, bytes(120)),
        "keys": lambda: call(250, 0, -1, 1),
        "bpf": lambda: call(321, 0, bytes(100), 100),
        "32 bits": lambda: None if os.uname().machine != "x86_64" else call(41 | 1 << 29, 1, 1, 0),
    }
    send(pipe, tried(attempts))


def environment(pipe):
    """Send the environment, as Python and as C see it, and the working folder."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    secret = libc.getenv(b"A_SECRET")
    send(pipe, [dict(os.environ), secret and secret.decode(), os.getcwd(), os.listdir(".")])


def start_threads(pipe):
    """Send how many threads there could be."""
    threading.stack_size(32 << 10)
    started = 0
    with suppress(*DENIED):
        while started < 10_000:
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
            started += 1
    send(pipe, started)


def fill_disk(pipe):
    """Send how many files of a megabyte could be written."""
    written = 0
    with suppress(*DENIED):
        while written < 1000:
            with open(f"f{written}", "wb") as file:
                file.write(bytes(1 << 20))
            written += 1
    send(pipe, written)


def dig(pipe):
    """Make folders in folders, which no path of the usual length reaches, and some that cannot be read."""
    depth = 0
    with suppress(*DENIED):
        while depth < 3000:
            os.mkdir("d")
            os.chdir("d")
            depth += 1
    os.mkdir("closed", 0)
    send(pipe, depth)


def take_memory(pipe):
    """Send how many times 256 MB could be had."""
    taken = []
    with suppress(*DENIED):
        while len(taken) < 100:
            taken.append(bytearray(1 << 28))
    send(pipe, len(taken))


def work(pipe):
    """Send what numpy and machine code come to, which have to work."""
    import numpy as np

    from arena_games.connect_four import ConnectFour

    ones = np.ones((64, 64))
    game = ConnectFour()
    send(pipe, [float((ones @ ones).sum()), len(game.moves(game.initial())), os.getpid() > 0])


def count(pipe):
    """Count for ever, and send how far that is whenever asked."""
    counted = [0]

    def on():
        while True:
            counted[0] += 1

    threading.Thread(target=on, daemon=True).start()
    while True:
        pipe.recv_bytes()
        send(pipe, counted[0])


def ignore_signals(pipe):
    """Go on whatever comes."""
    for number in range(1, 65):
        with suppress(*DENIED):
            signal.signal(number, signal.SIG_IGN)
    send(pipe, True)
    while True:
        time.sleep(1)
