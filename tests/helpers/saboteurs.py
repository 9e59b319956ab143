"""Agents that mean harm: what each tries before it plays the first move. What is refused it takes calmly.

`TARGET` is a file that is not theirs, and lies in the environment as ARENA_TARGET.
"""

from __future__ import annotations

# ruff: noqa: E501
SABOTAGE = {
    # looking at others
    "reads-memory": "for p in pids(): open(f'/proc/{p}/mem', 'rb').seek(4096)",
    "reads-environments": "for p in pids(): found(SECRET in open(f'/proc/{p}/environ', 'rb').read())",
    "reads-its-own-environment": "found(SECRET.decode() in os.environ.values())",
    "opens-others-files": "for p in pids():\n"
    "            for f in os.listdir(f'/proc/{p}/fd'): attempt(lambda: open(f'/proc/{p}/fd/{f}', 'wb').write(b'x'))",
    "traces": "for p in pids(): found(libc.ptrace(16, p, 0, 0) == 0)",
    "reads-with-a-call": "for p in pids(): found(libc.syscall(310, p, None, 0, None, 0, 0) == 0)",
    "takes-descriptors": "for p in pids(): found(libc.syscall(434, p, 0) >= 0)",
    "looks-for-agents": "for x in gc.get_objects(): found(isinstance(x, Agent) and type(x).__module__ != __name__)",
    "looks-at-frames": "frame = sys._getframe()\n        while frame: frame = vars_of(frame)",
    # changing arena
    "patches-arena": "import arena.matches.match as m; m.play_match = m.ask = m.Forfeit = m.crash = None",
    "patches-modules": "import json, pickle; json.dumps = json.loads = pickle.loads = pickle.dumps = None",
    "patches-the-game": "type(self.game).value = lambda *_: 1; type(self.game).moves = lambda *_: []",
    "patches-builtins": "import builtins; builtins.len = lambda x: 0",
    "patches-rng": "import arena.rng; arena.rng.derive = lambda *_: 7",
    "forfeits-for-others": "from arena.matches.match import Forfeit; raise Forfeit(1 - self.seat, 'crash', 'not me')",
    "claims-a-game-fault": "from arena.api.rulings import GameFault; raise GameFault('the game is broken')",
    "claims-a-death": "from arena.workers.worker import WorkerDied; raise WorkerDied(0, 1 - self.seat, True, 'x')",
    "leaves": "os._exit(0)",
    # files
    "writes": "open(TARGET, 'w').write('gone')",
    "appends": "open(TARGET, 'a').write('more')",
    "removes": "os.unlink(TARGET)",
    "renames": "os.rename(TARGET, TARGET + '.old')",
    "truncates": "os.truncate(TARGET, 1)",
    "changes-permissions": "os.chmod(TARGET, 0)",
    "changes-times": "os.utime(TARGET, (0, 0))",
    "links": "os.symlink(TARGET, TARGET + '.link'); os.link(TARGET, TARGET + '.hard')",
    "makes-files": "open(os.path.dirname(TARGET) + '/new', 'w'); os.mkdir(os.path.dirname(TARGET) + '/folder')",
    "spoils-databases": "import sqlite3; sqlite3.connect(TARGET).execute('CREATE TABLE spoilt (x)').connection.commit()",
    "plants-code": "import arena; open(os.path.dirname(arena.__file__) + '/planted.py', 'w')",
    "plants-machine-code": "open(os.environ['ARENA_CACHE'] + '/machine-code/planted', 'w')",
    "fills-the-disk": "open('large', 'wb').write(bytes(1 << 30))",
    # processes
    "kills-its-parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "kills-its-group": "os.kill(0, signal.SIGKILL)",
    "stops-all": "for p in pids(): attempt(lambda: os.kill(p, signal.SIGSTOP))",
    "queues-signals": "for p in pids(): found(libc.syscall(129, p, 9, None) == 0)",
    "forks": "while True: os.fork()",
    "starts-programs": "subprocess.run(['touch', TARGET + '.touched'])",
    "becomes-another": "os.execv('/bin/sh', ['sh', '-c', 'echo > ' + TARGET])",
    "starts-threads": "while True: threading.Thread(target=time.sleep, args=(10**6,)).start()",
    "slows-others": "for p in pids(): os.setpriority(os.PRIO_PROCESS, p, 19)",
    "limits-others": "import resource\n        for p in pids(): resource.prlimit(p, resource.RLIMIT_CPU, (1, 1))",
    "takes-memory": "self.taken = [bytearray(1 << 28) for _ in range(100)]",
    "takes-descriptors-all": "self.files = [open('/dev/null') for _ in range(10**6)]",
    "leaves-its-group": "os.setsid()",
    "kills-by-a-pipe": "import fcntl\n        r, w = os.pipe()\n        fcntl.fcntl(r, 10, signal.SIGKILL)\n        "
    "fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)\n        "
    "for p in pids(): fcntl.fcntl(r, fcntl.F_SETOWN, p); os.write(w, b'x')",
    "kills-by-ioctl": "import fcntl, struct\n        for s in descriptors('socket'):\n            "
    "for p in pids(): found(fcntl.ioctl(s, 0x8901, struct.pack('i', p)) is not None)",
    "outlives-its-parent": "found(libc.prctl(1, 0, 0, 0, 0) == 0)",
    # the way out
    "calls-out": "socket.create_connection(('127.0.0.1', PORT), 1).sendall(b'x')",
    "calls-by-a-file": "s = socket.socket(socket.AF_UNIX); s.connect('/run/systemd/private')",
    "listens": "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); found(True)",
    "says-a-gigabyte": "for _ in range(1 << 10): os.write(1, bytes(1 << 20))",
    "says-it-aloud": "for _ in range(1 << 6): sys.stderr.write('x' * (1 << 20)); print('y' * (1 << 20))",
    # the pipe
    "writes-to-its-pipe": "os.write(pipe(), b'\\x00\\x00\\x00\\x05hello')",
    "promises-too-much": "os.write(pipe(), b'\\xff\\xff\\xff\\xff' + b'\\x7f' * 8 + bytes(100))",
    "answers-nonsense": "say(b'{\"move\": -1, \"drawn\": 1e9}')",
    "answers-deeply": "say(b'[' * 60000)",
    "answers-with-pickles": "import pickle; say(pickle.dumps(Bomb()))",
    "draws-too-many": "rng.stream[1] = 10**30",
    "spoils-rng": "rng.stream = None",
    "talks-on": "while True: say(b'{\"say\": \"x\"}')",
    "pauses-for-ever": "while True: say(b'{\"waiting\": true}'); say(b'{\"waiting\": false}')",
    "closes-its-pipe": "os.close(pipe())",
    "closes-all": "os.closerange(0, 10000)",
    # the kernel
    "mounts": "found(libc.mount(b'x', b'/mnt', b'tmpfs', 0, None) == 0)",
    "makes-namespaces": "found(libc.unshare(0x10000000) == 0)",
    "asks-for-rings": "found(libc.syscall(425, 8, bytes(120)) >= 0)",
    "watches-the-machine": "found(libc.syscall(298, bytes(112), 0, -1, -1, 0) >= 0)",
    "sets-the-clock": "found(libc.syscall(227, 0, bytes(16)) == 0)",
    "takes-keys": "found(libc.syscall(250, 0, -1, 1) >= 0)",
    "shares-memory": "found(libc.syscall(29, 7, 4096, 0o1600) >= 0)",
}  # fmt: skip
HANGS = {"talks-on", "pauses-for-ever", "closes-its-pipe", "closes-all", "promises-too-much"}

HEAD = """
import ctypes, gc, os, signal, socket, subprocess, sys, threading, time
from arena import Agent, hookimpl

libc = ctypes.CDLL(None, use_errno=True)
TARGET, SECRET = os.environ.get("ARENA_TARGET", "/nonexistent/x"), b"hush" + b"-hush"
PORT = int(os.environ.get("ARENA_PORT", "1"))

CALM = OSError, AttributeError, ImportError, KeyError, RuntimeError, ValueError

class Found(BaseException):
    "Something was there that should not be."

class Bomb:
    def __reduce__(self):
        return (open, (TARGET, "w"))

def found(there):
    if there:
        raise Found

def attempt(act):
    try:
        act()
    except Exception:
        pass

def vars_of(frame):
    found("streams" in frame.f_locals)
    return frame.f_back

def pids():
    "All processes but this one."
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]

def descriptors(kind):
    return [i for i in range(3, 4096) if os.path.exists(f"/proc/self/fd/{i}")
            and os.readlink(f"/proc/self/fd/{i}").startswith(kind)]

def pipe():
    "Where it is asked, the one descriptor that is a socket."
    (found,) = descriptors("socket")
    return found

def say(data):
    os.write(pipe(), len(data).to_bytes(4, "big") + data)
"""
CLASS = """
class {cls}(Agent):
    "Means harm."
    def begin(self, seat):
        self.seat = seat
    def choose(self, state, moves, rng):
        try:
            self.harm(rng)
        except Found:
            return "found"
        except Exception as error:
            if not isinstance(error, CALM):
                raise
        return moves[0]
    def harm(self, rng):
        {body}
"""


def class_name(name: str) -> str:
    return name.title().replace("-", "")


def source() -> str:
    """A module with all of them, which is a plugin."""
    lines = [HEAD, "@hookimpl", "def register_agents(register):"]
    lines += [f"    register({name!r}, 'saboteurs_here:{class_name(name)}')" for name in SABOTAGE]
    lines += [CLASS.format(cls=class_name(name), body=body) for name, body in SABOTAGE.items()]
    return "\n".join(lines)
