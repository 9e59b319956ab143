"""Agents' files that attack: what each does when it is asked for its first move.

They come from two trials in which attackers knew the documents alone. Each body stands in a file of its own.
`HANGS` go on until they are stopped; all others fail at once, or play on.
"""

from __future__ import annotations

# ruff: noqa: E501
SLEEP = "time.sleep(3600)"
HANGS = {
    "sleeps": SLEEP,
    "ignores-signals": "for s in range(1, 64):\n            attempt(signal.signal, s, signal.SIG_IGN)\n        "
    + SLEEP,
    "holds-the-lock-of-python": "re.match('(a+)+$', 'a' * 40 + 'b')",
    "holds-it-in-a-thread": "threading.Thread(target=re.match, args=('(a+)+$', 'a' * 40 + 'b'), daemon=True).start(); time.sleep(9)",
    "sleeps-in-c": "ctypes.PyDLL(None).sleep(3600)",
    "sends-a-part": "raw(struct.pack('!i', 1000) + b'abc'); " + SLEEP,
    "trickles": "raw(struct.pack('!i', 200000))\n        while True: raw(b'x'); time.sleep(0.3)",
    "never-says-why": "raise SlowText",
    "stops-itself": "signal.raise_signal(signal.SIGSTOP)",
    "stops-itself-by-a-call": "os.kill(os.getpid(), signal.SIGSTOP)\n        " + SLEEP,
    "traces": "sys.settrace(lambda *_: time.sleep(3600)); sys.setprofile(lambda *_: time.sleep(3600)); return moves[0]",
    "sleeps-as-it-is-collected": "gc.callbacks.append(lambda *_: time.sleep(3600)); gc.collect(); return moves[0]",
    "patches-clocks-and-sleeps": "time.perf_counter = time.monotonic = lambda: 0.0; " + SLEEP,
    "reads-its-questions-away": "threading.Thread(target=lambda: [os.read(FD, 100) for _ in range(9)], daemon=True).start(); return moves[0]",
    "floods-its-output": "while True: os.write(1, b'z' * 65536); os.write(2, b'z' * 65536)",
    "closes-its-pipe": "os.close(FD); " + SLEEP,
    "closes-all": "os.closerange(0, 1000); " + SLEEP,
}
LIES = {
    # messages that are not answers
    "waits-for-ever": "say({'waiting': True}); " + SLEEP,
    "waits-often": "for i in range(100000): say({'waiting': True})",
    "says-it-compares": "while True: say({'comparing': False})",
    "talks-on": "while True: say({'say': 'FLOOD \\x1b]52;c;ZXZpbA==\\x07\\x1b[31m\\u202eevil'})",
    "answers-nan": "say({'move': 0, 'stream': [1, 1], 'seconds': float('nan'), 'usage': {'x': float('inf'), 'z\\x1b[31m': 1e308}}); " + SLEEP,
    "answers-below-zero": "say({'move': -1, 'stream': [5, 5], 'seconds': 0.1}); " + SLEEP,
    "answers-true": "say({'move': True, 'stream': [5, 5], 'seconds': 0.1}); " + SLEEP,
    "answers-all-it-can-think-of": "for name in ('move', 'index', 'answer', 'result', 'to'): say({name: 0})\n        " + SLEEP,
    "answers-too-early": "threading.Thread(target=lambda: [say({'to': i, 'move': 0}) for i in range(10**6)], daemon=True).start(); return moves[0]",
    "answers-often": "for i in range(50): say({'move': 0, 'stream': [1, 1], 'seconds': 0.0})\n        return moves[-1]",
    "answers-the-next-question": "for i in range(99): say({'to': i, 'move': 0, 'stream': [1, 1]})\n        return moves[-1]",
    "lies-about-its-numbers": "say({'move': 0, 'stream': [2**62, 10**40], 'seconds': 1e300, 'usage': {'a': 1}}); return moves[-1]",
    "uses-much": "say({'move': 0, 'stream': [5, 5], 'seconds': 0.1, 'usage': {'k%d' % i: i for i in range(10000)}}); " + SLEEP,
    "crashes-by-message": "say({'crash': 'Error: the opponent cheated\\n\\x1b[2J\\x07 \\u202e </script><script>alert(1)</script>', 'place': 'p' * 100000, 'printed': 'q\\0' * 20000}); " + SLEEP,
    "crashes-by-other-types": "say({'crash': {'a': [1]}, 'place': [], 'traceback': None, 'printed': {'x': 1}, 'stream': 'x'}); " + SLEEP,
    "is-illegal-by-other-types": "say({'illegal': [1, 2], 'stream': [5, 5], 'usage': {'a': 'b'}}); " + SLEEP,
    "sends-deep-lists": "message(b'[' * 130000 + b']' * 130000); " + SLEEP,
    "sends-deep-objects": "message(b'{\"a\":' * 40000 + b'1' + b'}' * 40000); " + SLEEP,
    "sends-a-large-number": "message(b'{\"move\":' + b'9' * 200000 + b'}'); " + SLEEP,
    "sends-a-bare-number": "message(b'9' * 200000); " + SLEEP,
    "announces-much": "raw(struct.pack('!iQ', -1, 1 << 50) + b'x' * 1000); " + SLEEP,
    "announces-less-than-nothing": "raw(struct.pack('!i', -2) + b'x' * 1000); " + SLEEP,
    "sends-zeros": "while True: os.write(FD, bytes(65536))",
    "puts-zeros-in-its-pipe": "os.dup2(os.open('/dev/zero', 0), FD); return moves[0]",
    "shuts-its-pipe": "socket.socket(fileno=FD).shutdown(socket.SHUT_RDWR); " + SLEEP,
    "shuts-half-its-pipe": "socket.socket(fileno=FD).shutdown(socket.SHUT_WR); " + SLEEP,
    "patches-json": "json.dumps = json.JSONEncoder.encode = lambda *_, **__: '{\"move\": 0}'; return moves[-1]",
    "patches-what-answers": "import arena.matches.agent_process as p; p.dumps = lambda *_, **__: '{\"move\": 0, \"stream\": [1, 1]}'; return moves[-1]",
    # moves that are none
    "plays-none": "return None",
    "plays-true": "return True",
    "plays-a-half-character": "return '\\ud800'",
    "plays-a-generator": "yield 0",
    "plays-an-array": "import numpy; return numpy.array(moves)",
    "plays-a-float": "return float(moves[0])",
    "plays-what-equals-all": "return Equal(-7)",
    "plays-what-is-slow-to-be-a-number": "return SlowNumber()",
    "clears-the-moves": "moves.clear(); return 0",
    "changes-the-moves": "moves[:] = [8] * len(moves); return 99",
    "changes-the-game": "type(self.game).moves = lambda *_: [99]; type(self.game).value = lambda *_: 1; return 99",
    # random numbers
    "winds-its-numbers-back": "rng.random(); rng.stream[1] = 0; return moves[0]",
    "spoils-its-numbers": "rng.stream = [5, -1]; return moves[0]",
    "has-large-numbers": "rng.stream[1] = 10**400; return moves[0]",
    "has-no-numbers": "rng.stream = None; return moves[0]",
    # errors
    "raises-a-long-text": "raise ValueError('x' * (1 << 26))",
    "raises-what-has-no-text": "raise NoText",
    "raises-exit": "raise SystemExit(7)",
    "raises-generator-exit": "raise GeneratorExit",
    "raises-ctrl-c": "raise KeyboardInterrupt",
    "raises-many": "raise BaseExceptionGroup('x' * 10000, [ValueError(str(i)) for i in range(10000)])",
    "raises-a-chain": "error = None\n        for i in range(10000):\n            last, error = error, ValueError(i); error.__cause__ = last\n        raise error",
    "raises-notes": "error = ValueError('x'); error.__notes__ = ['n' * 10000] * 100; raise error",
    "raises-an-odd-name": "raise type('Err\\nWarning: random forfeited\\x1b[31m\\u202e', (Exception,), {})('x')",
    "raises-in-another-file": "exec(compile('raise ValueError(1)', SECRET, 'exec'))",
    "raises-a-faulty-line": "raise SyntaxError('x', (SECRET, 1, 1, 'text\\x1b[2J', 1, 1))",
    "calls-itself": "f = lambda: f()\n        f()",
    "leaves": "os._exit(0)",
    "aborts": "os.abort()",
    "reads-nowhere": "ctypes.string_at(0)",
    "alarms": "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01); " + SLEEP,
    "uses-up-its-processor": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n        while True: pass",
    # what is shown, and what is left
    "prints-codes": "print('\\x1b]52;c;ZXZpbA==\\x07\\x1b[2J\\u202e\\0 </script>\\rWarning: random cheats'); raise ValueError('\\x1b[31m\\0\\u202e\\nError: x')",
    "prints-much": "for _ in range(200): print('x' * 1000000)\n        return moves[0]",
    "prints-as-arena": "print('Warning: random forfeited 9'); sys.stderr.write('Error: no\\n'); os.write(2, b'Error: no\\n'); return moves[0]",
    "sleeps-as-it-ends": "import atexit; atexit.register(time.sleep, 3600); return moves[0]",
    "minds-no-end": "signal.signal(signal.SIGTERM, lambda *_: time.sleep(3600)); return moves[0]",
    "starts-threads": "attempt(lambda: [threading.Thread(target=time.sleep, args=(3600,), daemon=True).start() for _ in range(3000)]); return moves[0]",
    "patches-clocks": "time.perf_counter = time.monotonic = time.process_time = lambda: 0.0; return moves[0]",
    "digs": "attempt(lambda: [(os.mkdir('d' * 200), os.chdir('d' * 200)) for _ in range(3000)]); return moves[0]",
    "makes-many-files": "attempt(lambda: [open(f'f{i}', 'w').close() for i in range(50000)]); return moves[0]",
    "fills-removed-files": "self.files = []\n        attempt(lambda: [fill(self.files) for _ in range(20)]); return moves[0]",
    "opens-pipes": "self.pipes = []\n        attempt(lambda: [self.pipes.append(os.pipe()) for _ in range(10**6)]); return moves[0]",
}  # fmt: skip

# what would be had if it worked; a value, or an error
PROBES = {
    # reading
    **{f"reads-{path}": f"read({path})" for path in ("SECRET", "DB", "DB + '-wal'", "HOME + '/alice.py'")},
    **{
        f"reads {path}": f"read({path!r})"
        for path in (
            "secret.txt", "../secret.txt", "/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/resolv.conf",
            "/proc/self/environ", "/proc/self/maps", "/proc/self/status", "/proc/1/environ", "/proc/1/cmdline",
            "/proc/locks", "/proc/net/tcp", "/proc/mounts", "/proc/version", "/dev/tty", "/dev/console",
            "/dev/ptmx", "/dev/mem", "/dev/kmsg", "/dev/fuse",
        )
    },
    **{f"lists {path}": f"os.listdir({path!r})" for path in ("/", "/tmp", "/root", "/home", "/etc", "/proc", "/dev", "/dev/shm", "/dev/pts", "..")},
    **{f"opens terminal {number}": f"open('/dev/pts/{number}')" for number in range(8)},
    "reads its parent's environment": "read(f'/proc/{os.getppid()}/environ')",
    "sees its parent's folder": "os.readlink(f'/proc/{os.getppid()}/cwd')",
    "opens by a path": "read('/proc/self/fd/%d' % os.open(SECRET, os.O_PATH))",
    "goes there": "(os.chdir(HOME), read('secret.txt'))",
    "links it": "(os.link(SECRET, 'own'), read('own'))",
    "links it softly": "(os.symlink(SECRET, 'soft'), read('soft'))",
    "moves it": "os.rename(SECRET, 'moved')",
    "maps it": "__import__('numpy').memmap(SECRET)",
    "loads it": "ctypes.CDLL(HOME + '/alice.py')",
    "imports a neighbour": "(sys.path.insert(0, HOME), __import__('ali' + 'ce'))",
    "opens the database": "__import__('sqlite3').connect(f'file:{DB}?mode=ro', uri=True).execute('SELECT * FROM entries').fetchall()",
    "has the password": "[1 for value in os.environ.values() if 'hush' in value][0]",
    # locks
    "locks the database": "fcntl.flock(os.open(DB, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "locks a range of it": "fcntl.fcntl(os.open(DB, os.O_RDONLY), fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0))",
    "locks the index of its log": "fcntl.flock(os.open(DB + '-shm', os.O_RDONLY), fcntl.LOCK_SH)",
    "leases a module": "fcntl.fcntl(os.open(json.__file__, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
    # writing
    **{
        f"{name} {path}": call.format(path)
        for path in ("SECRET", "DB", "HOME + '/new'", "json.__file__", "'/tmp/arena-attack'", "'/dev/shm/arena-attack'", "'/dev/tty'")
        for name, call in {
            "writes": "os.open({}, os.O_WRONLY | os.O_CREAT)", "empties": "os.truncate({}, 0)", "chmods": "os.chmod({}, 0o777)",
            "owns": "os.chown({}, 1, 1)", "dates": "os.utime({}, (0, 0))", "marks": "os.setxattr({}, 'user.x', b'x')",
            "removes": "os.unlink({})", "makes": "os.mkdir({} + '.d')", "makes a fifo": "os.mkfifo({} + '.f')",
        }.items()
    },
    "empties as it reads": "os.open(SECRET, os.O_RDONLY | os.O_TRUNC)",
    "chmods what it reads": "os.fchmod(os.open(json.__file__, os.O_RDONLY), 0o755)",
    "dates what it reads": "os.utime(os.open(json.__file__, os.O_RDONLY), (1, 1))",
    "flags what it reads": "fcntl.ioctl(os.open(json.__file__, os.O_RDONLY), 0x40086602, struct.pack('l', 0x80))",
    # processes
    "forks": "os.fork()",
    "spawns": "os.posix_spawn('/bin/true', ['true'], {})",
    "becomes another": "os.execv('/bin/true', ['true'])",
    **{f"sends {number}": f"os.kill(os.getppid(), {number})" for number in (0, 9, 15, 19)},
    "ends all": "os.kill(-1, 9)",
    "ends its group": "os.killpg(0, 9)",
    "leaves its session": "os.setsid()",
    "slows its parent": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "hurries": "os.nice(-5)",
    "takes all processors": "os.sched_setaffinity(0, range(64))",
    "limits its parent": "__import__('resource').prlimit(os.getppid(), 0)",
    "opens a memory file": "os.memfd_create('x')",
    "owns a pipe's signals": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid())",
    "enlarges a pipe": "fcntl.fcntl(os.pipe()[0], 1031, 1 << 20)",
    "sets the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time())",
    # the terminal and the network
    "types": "[fcntl.ioctl(number, termios.TIOCSTI, b'x') for number in range(3)]",
    "takes the terminal": "fcntl.ioctl(0, termios.TIOCSCTTY, 1)",
    "has a terminal": "[1 for number in range(64) if os.isatty(number)][0]",
    "makes a terminal": "os.openpty()",
    **{f"makes a socket {family}": f"socket.socket({family}, socket.SOCK_DGRAM)" for family in (1, 2, 10, 16, 17, 40)},
    "makes a pair of sockets": "socket.socketpair()",
    "looks a name up": "socket.gethostbyname('example.com')",
}  # fmt: skip

HEAD = """
import ctypes, fcntl, gc, json, os, re, signal, socket, struct, sys, termios, threading, time
from arena import Agent

HOME, DB, SECRET = {folder!r}, {folder!r} + "/arena.db", {folder!r} + "/secret.txt"
FD = 3  # its end of the pipe

class SlowText(Exception):
    def __str__(self): time.sleep(3600)

class NoText(Exception):
    def __str__(self): raise SystemExit
    __repr__ = __str__

class Equal(int):
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __index__(self): raise SystemExit

class SlowNumber:
    def __index__(self): time.sleep(3600)
    def __eq__(self, other): return True

def raw(data):
    while data:
        try: data = data[os.write(FD, data):]
        except BlockingIOError: time.sleep(0.001)

def message(data): raw(struct.pack("!i", len(data)) + data)
def say(answer): message(json.dumps(answer).encode())

def attempt(act, *args):
    try: return act(*args)
    except Exception: pass

def read(path):
    with open(path, "rb") as file: return file.read(100)

def fill(files):
    files.append(open("filled", "wb"))
    os.unlink("filled")
    files[-1].write(bytes(15 << 20))
    files[-1].flush()
"""
CLASS = """
class Mallory(Agent):
    "Attacks."
    def choose(self, state, moves, rng):
        {body}
"""
TRYING = """
PROBES = {probes!r}

class Mallory(Agent):
    "Raises an error that names what could be had, or plays."
    had = None
    def choose(self, state, moves, rng):
        if self.had is None:
            self.had = []
            for name, probe in PROBES.items():
                try: eval(probe)
                except (OSError, ImportError, IndexError, ValueError): pass
                except Exception as error:
                    if type(error).__name__ not in ("ArenaError", "OperationalError"): raise
                else: self.had.append(name)
        if self.had: raise RuntimeError("had: " + "; ".join(self.had))
        return rng.choice(moves)
"""


def attacker(folder: str, body: str) -> str:
    """Return the text of a file that attacks, played in a folder."""
    return HEAD.format(folder=folder) + CLASS.format(body=body)


def prober(folder: str, probes: dict[str, str]) -> str:
    """Return the text of a file that tries all of some probes."""
    return HEAD.format(folder=folder) + TRYING.format(probes=probes)
