"""Agents that go wrong, each in its own way: what they do, and what that costs them."""

from __future__ import annotations

import os
from typing import NamedTuple

LONG = 10**7 + os.getpid()  # seconds, a number of our own among pytest's workers
STALL = "no move within [15] s"

IMPORTS = """
import abc, asyncio, atexit, ctypes, decimal, faulthandler, gc, json, locale, os, pickle, random, re
import resource, signal, subprocess, sys, threading, time, warnings
import numpy as np
from arena import Agent, ArenaError, Game, Learner, Spec, hookimpl, option
"""


class Bad(NamedTuple):
    """An agent that goes wrong.

    source: methods, or what is done in the place of choosing a move, after which it plays the first one.
    reason, detail: of its forfeits, the detail as a regular expression; nothing where it plays on.
    """

    source: str
    reason: str = ""
    detail: str = ""

    def methods(self) -> str:
        if self.source.startswith(("def ", "async ", "@", "__slots__", "choose", "part:", "odd:")):
            return self.source
        return f"def choose(self, state, moves, rng):\n        {self.source}\n        return moves[0]"


def choose(*lines: str) -> str:
    """A method `choose` of several lines."""
    return "\n        ".join(("def choose(self, state, moves, rng):", *lines))


def crash(source: str, detail: str) -> Bad:
    return Bad(source, "crash", detail)


def illegal(source: str, shown: str) -> Bad:
    return Bad(source, "illegal move", rf"{shown} in \S+")


def stall(source: str) -> Bad:
    return Bad(source, "stall", STALL)


def status(number: int) -> str:
    return f"the process ended itself with status {number}"


def odd(methods: str) -> str:
    """Gives an object with these methods for a move."""
    return f"return type('Odd', (), {{{methods}}})()"


# exceptions, however odd
RAISES = {
    "raises": crash("raise ValueError('no idea')", "ValueError: no idea"),
    "raises-lines": crash("raise ValueError('one\\ntwo')", "ValueError: one two"),
    "raises-arena-error": crash("raise ArenaError('not mine')", "ArenaError: not mine"),
    "raises-mute": crash(
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})", "(Mute: )?<Mute>"
    ),
    "raises-exit-in-text": crash(
        "raise type('Bye', (Exception,), {'__str__': lambda s: sys.exit()})", "(Bye: )?<Bye>"
    ),
    "raises-number-for-text": crash(
        "raise type('Num', (Exception,), {'__str__': lambda s: 7})", "(Num: )?<Num>"
    ),
    "raises-half-a-character": crash("raise ValueError('\\ud800')", r"ValueError: \\ud800"),
    "raises-at-length": crash("raise ValueError('x' * 10**7)", "ValueError: x{488}"),
    "raises-control-codes": crash("raise ValueError('\\x1b[2J')", r"ValueError: \S*\[2J"),
    "raises-group": crash(
        "raise ExceptionGroup('two', [ValueError(1), KeyError(2)])",
        r"ExceptionGroup: two \(2 sub-exceptions\)",
    ),
    "raises-base-group": crash(
        "raise BaseExceptionGroup('exits', [SystemExit(1), KeyboardInterrupt()])",
        r"BaseExceptionGroup: exits \(2 sub-exceptions\)",
    ),
    "raises-chained": crash(
        choose("try: 1 / 0", "except ZeroDivisionError as error: raise KeyError('lost') from error"),
        "KeyError: 'lost'",
    ),
    "raises-base": crash("raise type('Own', (BaseException,), {})('mine')", "Own: mine"),
    "raises-unpicklable": crash("raise type('Local', (Exception,), {})(lambda: 0)", "Local: <function .*"),
    "raises-that-needs-two": crash(
        "raise type('Two', (Exception,), {'__init__': lambda s, a, b: None})(1, 2)", r"Two: \(1, 2\)"
    ),
    "raises-a-text": crash("raise 'no exception'", "TypeError: exceptions must derive from BaseException"),
    "raises-stop": crash("raise StopIteration", "StopIteration"),
    "raises-broken-pipe": crash("raise BrokenPipeError('mine')", "BrokenPipeError: mine"),
    "raises-end-of-file": crash("raise EOFError('mine')", "EOFError: mine"),
    "raises-timeout": crash("raise TimeoutError", "TimeoutError"),
    "raises-cancelled": crash("raise asyncio.CancelledError", "CancelledError"),
    "raises-generator-exit": crash("raise GeneratorExit", "GeneratorExit"),
    "leaves": crash("sys.exit(0)", "SystemExit: 0"),
    "leaves-with-a-text": crash("sys.exit('bye')", "SystemExit: bye"),
    "interrupts": crash("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "interrupts-itself": crash(
        choose("signal.signal(2, signal.default_int_handler)", "os.kill(os.getpid(), 2)", "time.sleep(5)"),
        "KeyboardInterrupt",
    ),
    "recurses": crash("return self.choose(state, moves, rng)", "RecursionError: maximum recursion.*"),
    "recurses-by-attributes": crash(
        "def __getattr__(self, name): return getattr(self, name + 'x')\n"
        "    def choose(self, state, moves, rng): return self.best",
        "RecursionError: maximum recursion.*",
    ),
    "allocates": crash("bytearray(10**16)", "MemoryError"),
    "asserts": crash("assert not moves, 'moves left'", "AssertionError: moves left"),
    "divides-by-zero": crash("return moves[0] // (state is None)", "ZeroDivisionError: .*"),
    "looks-outside": crash("return moves[len(moves)]", "IndexError: .*"),
    "looks-outside-an-array": crash("np.zeros(3)[len(moves) + 9]", "IndexError: .*"),
    "has-no-such-attribute": crash("return self.best", "AttributeError: 'HasNoSuchAttribute' object .*"),
    "has-no-such-name": crash("return best", "NameError: name 'best' is not defined"),
    "has-no-such-module": crash("import no_such_module", "ModuleNotFoundError: No module named .*"),
    "overflows": crash("np.zeros(1, np.int64)[0] = 2**70", "OverflowError: .*"),
    "floats-overflow": crash("return 2.0 ** 10**6", "OverflowError: .*"),
    "bad-file": crash("open('/no/such/file')", r"FileNotFoundError: \[Errno 2\] .*"),
    "reads-input": crash("input()", "EOFError.*"),
    "reads-bytes": crash("sys.stdin.buffer.read(1)[0]", "(IndexError|AttributeError).*"),
    "evaluates-badly": crash(
        "def score(self, state): return {}[state]\n"
        "    def choose(self, state, moves, rng): return max(moves, key=self.score)",
        "KeyError: .*",
    ),
    "has-an-agent-that-raises": crash(
        "def prepare(self): self.inner = Raises(self.game)\n"
        "    def choose(self, state, moves, rng): return self.inner.choose(state, moves, rng)",
        "ValueError: no idea",
    ),
    "asks-too-much-of-rng": crash("rng.seed(1)", "TypeError: an arena stream cannot be reseeded.*"),
    "chooses-of-nothing": crash("return rng.choice([])", "IndexError: .*"),
    "samples-too-much": crash("rng.sample(moves, 99)", "ValueError: a sample of 99 cannot be taken from .*"),
    "takes-the-stream": crash("rng.stream = None", "it has corrupted its rng"),
    "deletes-the-stream": crash("del rng.stream", "it has corrupted its rng"),
    "sets-the-stream": crash("rng.setstate((1, 2.5, None))", "it has corrupted its rng"),
    "warns-as-errors": crash(
        choose("warnings.simplefilter('error')", "warnings.warn('odd')"), "UserWarning: odd"
    ),
    "numpy-raises": crash(
        choose("np.seterr(all='raise')", "np.float64(1) / np.float64(0)"), "FloatingPointError: .*"
    ),
    "decimal-traps": crash(
        choose("decimal.getcontext().prec = 1", "decimal.Decimal(1) / 0"), "DivisionByZero: .*"
    ),
    "recursion-limit": crash(
        choose("sys.setrecursionlimit(50)", "return self.deep(60, moves)")
        + "\n    def deep(self, n, moves): return self.deep(n - 1, moves) if n else moves[0]",
        "RecursionError: .*",
    ),
    "deletes-its-attributes": crash(
        choose("move = moves[0 * self.best]", "vars(self).clear()", "return move")
        + "\n    def prepare(self): self.best = 0",
        "AttributeError: .*",
    ),
}

# what is not a legal move
ILLEGAL = {
    "off-the-board": illegal("return 99", "99"),
    "below-the-board": illegal("return -1", "-1"),
    "an-index": illegal("return len(moves) + 90", r"\d+"),
    "says-nothing": illegal("return None", "None"),
    "forgets-to-return": illegal(choose("moves[0]"), "None"),
    "a-text": illegal("return str(moves[0])", r"'\d+'"),
    "a-fraction": illegal("return moves[0] + 0.5", r"\d+\.5"),
    "not-a-number": illegal("return float('nan')", "nan"),
    "not-a-number-of-numpy": illegal("return np.float64('nan')", r"(np\.float64\()?nan\)?"),
    "infinite": illegal("return float('inf')", "inf"),
    "huge": illegal("return 10**30", "10{30}"),
    "too-huge-to-print": illegal("return 10**6000", "<int>"),
    "below-words": illegal("return -2**63", "-9223372036854775808"),
    "unhashable": illegal("return [moves[0]]", r"\[\d+\]"),
    "all-moves": illegal("return moves", r"\[[\d, ]+\]"),
    "a-pair": illegal("return moves[0], 1", r"\(\d+, 1\)"),
    "nameless": illegal("return object()", "<object object at 0x…>"),
    "equal-to-anything": illegal(
        "return type('Odd', (int,), {'__eq__': lambda a, b: True, '__hash__': int.__hash__})(99)", "99"
    ),
    "a-text-equal-to-anything": illegal(
        "return type('Odd', (str,), {'__eq__': lambda a, b: True, '__hash__': str.__hash__})('x')", "'x'"
    ),
    "would-never-equal": illegal(  # which is not asked
        odd("'__eq__': lambda a, b: time.sleep(10**6)"), r"<faulty\.Odd object at 0x…>"
    ),
    "a-class": illegal("return int", "<class 'int'>"),
    "an-exception": illegal("return ValueError('no idea')", r"ValueError\('no idea'\)"),
    "an-array": illegal("return np.array([moves[0], 99])", r"array\(\[ ?\d+, 99\]\)"),
    "half-a-character": illegal("return '\\ud800'", r"'\\ud800'"),
    "long-text": Bad("return 'x' * 10**6", "illegal move", "'x{499}"),
    "incomparable": illegal(odd("'__eq__': lambda a, b: 1 / 0, '__repr__': lambda a: 'odd'"), "odd"),
    "incomparable-exit": illegal(
        odd("'__eq__': lambda a, b: sys.exit(), '__repr__': lambda a: 'odd'"), "odd"
    ),
    "unspeakable": illegal(odd("'__repr__': lambda a: sys.exit()"), "<Odd>"),
    "speaks-in-numbers": illegal(odd("'__repr__': lambda a: 7"), "<Odd>"),
    "speaks-lines": Bad(odd("'__repr__': lambda a: 'one\\ntwo'"), "illegal move", r"one\s+two in \S+"),
    "yields": illegal(choose("yield moves[0]"), r"<generator object \S+ at 0x…>"),
    "awaits": illegal(
        "async def choose(self, state, moves, rng): return moves[0]", r"<coroutine object \S+ at 0x…>"
    ),
    "a-function": illegal("return lambda: moves[0]", r"<function \S+ at 0x…>"),
    "of-another-position": illegal(
        "def prepare(self): self.first = None\n"
        "    def choose(self, state, moves, rng):\n"
        "        self.first = moves[0] if self.first is None else self.first\n"
        "        return self.first",
        r"\d+",
    ),
    "replaces-a-lost-move": illegal("moves[0] = 99; return 99", "99"),
    "stops-at-eight": illegal("return moves[0] if len(moves) > 8 else 'stop'", "'stop'"),
}

# what goes wrong before the first move
EARLY = {
    "fails-to-begin": crash("def begin(self, seat): 1 / 0", "ZeroDivisionError: division by zero"),
    "begins-otherwise": crash("def begin(self): pass", r"TypeError: \S+begin\(\) takes 1 .*"),
    "fails-to-prepare": crash("def prepare(self): 1 / 0", "ZeroDivisionError: division by zero"),
    "prepares-otherwise": crash("def prepare(self, game): pass", r"TypeError: \S+prepare\(\) missing .*"),
    "fails-to-be": crash("def __init__(self, game): 1 / 0", "ZeroDivisionError: division by zero"),
    "takes-nothing": crash("def __init__(self): pass", r"TypeError: \S+__init__\(\) takes 1 .*"),
    "dies-at-birth": crash("def prepare(self): os._exit(3)", status(3)),
    "leaves-at-birth": crash("def prepare(self): sys.exit('no')", "SystemExit: no"),
    "will-not-be-ready": crash("def ready(self): raise OSError('not yet')", "OSError: not yet"),
    "sets-nothing": crash(
        "def __setattr__(self, name, value): raise TypeError('frozen')", "TypeError: frozen"
    ),
    "is-abstract": crash(
        "@abc.abstractmethod\n    def think(self): pass\n    def prepare(self): self.think().best",
        "AttributeError: 'NoneType' object has no attribute 'best'",
    ),
    "recurses-at-birth": crash("def prepare(self): self.prepare()", "RecursionError: maximum recursion.*"),
    "allocates-at-birth": crash(
        "def prepare(self): np.zeros(10**16)", "_?ArrayMemoryError: .*|MemoryError.*"
    ),
}

# what `choose` may be in place of a method of three arguments
MISSHAPEN = {
    "chooses-by-state": crash("def choose(self, state): return 1", r"TypeError: \S+choose\(\) takes 2 .*"),
    "chooses-without-self": crash(
        "def choose(state, moves, rng): return moves[0]", r"TypeError: \S+choose\(\) takes 3 .*"
    ),
    "chooses-by-more": crash(
        "def choose(self, state, moves, rng, clock): return moves[0]",
        r"TypeError: \S+choose\(\) missing 1 .*",
    ),
    "chooses-by-name": crash(
        "def choose(self, *, state, moves, rng): return moves[0]", r"TypeError: \S+choose\(\) takes 1 .*"
    ),
    "choice-is-none": crash("choose = None", "TypeError: 'NoneType' object is not callable"),
    "choice-is-a-number": crash("choose = 3", "TypeError: 'int' object is not callable"),
    "choice-is-a-property": crash(
        "@property\n    def choose(self): raise LookupError('no choice')", "LookupError: no choice"
    ),
    "choice-is-not-there": crash("choose = Agent.choose", "NotImplementedError"),
    "is-not-itself": crash(
        "def __getattribute__(self, name): raise AttributeError('nobody')", "AttributeError: nobody"
    ),
}

# what takes its process down
DEADLY = {
    "exits-with-3": crash("os._exit(3)", status(3)),
    "exits-with-0": crash("os._exit(0)", status(0)),
    "segfaults": crash("ctypes.string_at(0)", "the process was ended by SIGSEGV"),
    "aborts": crash("ctypes.CDLL(None).abort()", "the process was ended by SIGABRT"),
    "kills-itself": crash("os.kill(os.getpid(), signal.SIGKILL)", "the process was ended by SIGKILL"),
    "terminates-itself": crash(
        choose("os.kill(os.getpid(), signal.SIGTERM)", "time.sleep(5)"), "the process was ended by SIGTERM"
    ),
    "hangs-up": crash(  # which nohup has processes ignore
        "signal.signal(signal.SIGHUP, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGHUP); time.sleep(5)",
        "the process was ended by SIGHUP",
    ),
    "closes-its-files": crash("os.closerange(3, 1000); os._exit(4)", status(4)),
    "alarms": crash("signal.alarm(1); time.sleep(5)", "the process was ended by SIGALRM"),
    "counts-its-time": crash(
        choose("signal.setitimer(signal.ITIMER_PROF, 0.01)", "while True: pass"),
        "the process was ended by SIGPROF",
    ),
    "runs-out-of-time": crash(
        choose("resource.setrlimit(resource.RLIMIT_CPU, (1, 1))", "while True: pass"),
        "the process was ended by SIG(KILL|XCPU)",
    ),
    "writes-too-far": crash(
        choose("buffer = ctypes.create_string_buffer(8)", "ctypes.memset(8, 255, 64)", "return moves[0]"),
        "the process was ended by SIGSEGV",
    ),
    "executes": crash("os.execv('/bin/false', ['false'])", status(1)),
    "dies-in-a-thread": crash(
        choose("threading.Thread(target=os._exit, args=(5,)).start()", "time.sleep(5)"), status(5)
    ),
    "closes-everything": crash("os.closerange(0, 1000)", "(OSError|the process ended itself|ValueError).*"),
    "closes-its-pipe": crash("os.closerange(3, 1000)", "(OSError|the process ended itself).*"),
    "writes-over-its-pipe": crash(
        choose(
            "for n in range(3, 1000):",
            "    try: os.dup2(1, n)",
            "    except OSError: pass",
            "return moves[0]",
        ),
        "(OSError|the process ended itself).*",
    ),
}

# what goes on for ever
STALLS = {
    "sleeps": stall("time.sleep(10**6)"),
    "loops": stall("while True: pass"),
    "searches-for-ever": stall("re.match('(a+)+$', 'a' * 64 + 'b')"),
    "counts-for-ever": stall("10 ** 10**8"),
    "will-not-stop": stall(
        choose(
            "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
            "while True:",
            "    try: time.sleep(10**6)",
            "    except BaseException: pass",
        )
    ),
    "waits-for-a-child": stall(f"subprocess.run(['sleep', '{LONG}'])"),
    "waits-for-itself": stall("lock = threading.Lock(); lock.acquire(); lock.acquire()"),
    "waits-for-nothing": stall("threading.Event().wait()"),
    "waits-for-its-pipe": stall("r, w = os.pipe(); os.read(r, 1)"),
    "waits-for-a-signal": stall("signal.pause()"),
    "stops-itself": stall("os.kill(os.getpid(), signal.SIGSTOP)"),
    "never-begins": stall("def begin(self, seat): time.sleep(10**6)"),
    "never-is-ready": stall("def prepare(self): time.sleep(10**6)"),
    "never-says": stall(odd("'__repr__': lambda a: time.sleep(10**6)")),
    "never-explains": stall("raise type('Long', (Exception,), {'__str__': lambda s: time.sleep(10**6)})"),
    "reads-another-pipe": stall("os.read(os.pipe()[0], 1)"),
    "never-gives-up": stall(
        choose("while True:", "    try: time.sleep(10**6)", "    except BaseException: continue")
    ),
}

# what may look like a fault and is none, for itself or for others: they play the first legal move
ODD = {
    "spoils-its-list": Bad("first = moves[0]; moves.clear(); return first"),
    "sorts-its-list": Bad("first = moves[0]; moves.sort(reverse=True); return first"),
    "prints": Bad("print('hello'); sys.stdout.write('{'); sys.stdout.flush()"),
    "prints-at-length": Bad("print('x' * 10**5)"),
    "prints-control-codes": Bad("print('\\x1b[2J\\x07', end='')"),
    "prints-half-characters": Bad("print(ascii('\\ud800'))"),
    "writes-to-file-1": Bad("os.write(1, b'[')"),
    "leaves-threads": Bad("threading.Thread(target=time.sleep, args=(10**6,)).start()"),
    "leaves-demons": Bad("threading.Thread(target=time.sleep, args=(10**6,), daemon=True).start()"),
    "leaves-busy-threads": Bad(
        "threading.Thread(target=lambda: [*map(self.game.moves, [state] * 9**5)]).start()"
    ),
    "leaves-timers": Bad("threading.Timer(0.01, lambda: None).start()"),
    "leaves-commands": Bad(f"subprocess.Popen(['sleep', '{LONG}'])"),
    "leaves-files-open": Bad(
        "self.opened = [*getattr(self, 'opened', ()), *(open('/dev/null') for _ in '12345')]"
    ),
    "leaves-pipes-open": Bad("os.pipe()"),
    "goes-elsewhere": Bad("os.chdir('/'); os.environ.clear()"),
    "masks": Bad("os.umask(0o777)"),
    "has-a-locale": Bad("locale.setlocale(locale.LC_ALL, 'C')"),
    "has-no-stdout": Bad("sys.stdout = None"),
    "has-no-stderr": Bad("sys.stderr = None"),
    "closes-stdout": Bad("sys.stdout.close()"),
    "closes-file-1": Bad(choose("try: os.close(1)", "except OSError: pass", "return moves[0]")),
    "closes-files-0-to-2": Bad("os.closerange(0, 3)"),
    "clears-its-path": Bad("sys.path.clear()"),
    "clears-its-arguments": Bad("sys.argv.clear()"),
    "forgets-modules": Bad("[sys.modules.pop(name) for name in [*sys.modules] if name.startswith('json')]"),
    "keeps-its-garbage": Bad("gc.disable(); gc.freeze()"),
    "collects": Bad("gc.set_threshold(1)"),
    "warns": Bad("warnings.simplefilter('always'); warnings.warn('odd')"),
    "is-strict": Bad("warnings.simplefilter('error')"),
    "is-strict-in-numpy": Bad("np.seterr(all='raise')"),
    "counts-roughly": Bad("decimal.getcontext().prec = 1"),
    "seeds-everything": Bad("random.seed(1); np.random.seed(1)"),
    "has-its-own-random": Bad("random.random = lambda: 0.5; random.Random.random = lambda self: 0.5"),
    "has-its-own-clock": Bad("time.time = lambda: 0.0"),
    "has-its-own-json": Bad("json.dumps = lambda *a, **k: 'mine'"),
    "has-its-own-pickle": Bad("pickle.dumps = lambda *a, **k: b'mine'"),
    "has-few-frames": Bad("sys.setrecursionlimit(120)"),
    "has-many-frames": Bad("sys.setrecursionlimit(10**6)"),
    "switches-seldom": Bad("sys.setswitchinterval(10)"),
    "traces": Bad("sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)"),
    "hooks": Bad("sys.excepthook = sys.unraisablehook = threading.excepthook = lambda *a: None"),
    "handles-faults": Bad("faulthandler.enable(); faulthandler.dump_traceback_later(10**6)"),
    "sets-alarms": Bad("signal.signal(signal.SIGALRM, lambda *_: 1 / 0); signal.setitimer(0, 0.01)"),
    "sets-later-alarms": Bad("signal.signal(signal.SIGALRM, lambda *_: 1 / 0); signal.alarm(100)"),
    "blocks-signals": Bad("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))"),
    "ignores-signals": Bad("[signal.signal(n, signal.SIG_IGN) for n in (2, 13, 15, 17)]"),
    "hangs-at-exit": Bad("atexit.register(time.sleep, 10**6)"),
    "raises-at-exit": Bad("atexit.register(lambda: 1 / 0)"),
    "raises-when-gone": Bad("def __del__(self): raise ValueError('gone')"),
    "hangs-when-gone": Bad("def __del__(self): time.sleep(10**6)"),
    "forks": Bad("os.fork()"),
    "forks-and-sleeps": Bad(choose("if not os.fork(): time.sleep(10**6)", "return moves[0]")),
    "raises-in-a-thread": Bad("threading.Thread(target=lambda: 1 / 0).start()"),
    "returns-a-float": Bad("return float(moves[0])"),
    "returns-numpys-number": Bad("return np.int64(moves[0])"),
    "returns-numpys-small-number": Bad("return np.uint8(moves[0])"),
    "returns-one-in-an-array": Bad("return np.array(moves[0])"),
    "returns-a-true-move": Bad("return moves[0] == 1 or moves[0]"),
    "returns-what-hashes-badly": Bad(
        "return type('Odd', (int,), {'__hash__': None, '__repr__': lambda a: 1 / 0})(moves[0])"
    ),
    "has-slots": Bad("__slots__ = ('best',)\n    def choose(self, state, moves, rng): return moves[0]"),
    "keeps-what-it-saw": Bad(
        "def prepare(self): self.seen = []\n"
        "    def choose(self, state, moves, rng): self.seen.append((state, moves)); return moves[0]"
    ),
    "fills-its-memory": Bad("self.much = bytearray(10**8)"),
    "changes-its-game": Bad("self.game.moves = lambda state: [99]"),
    "changes-its-games-class": Bad("type(self.game).extra = 1"),
    "forgets-its-game": Bad("self.game = None"),
    "raises-and-catches": Bad(choose("try: 1 / 0", "except ZeroDivisionError: return moves[0]")),
    "leaves-pools": Bad(
        "import concurrent.futures as f; self.pool = f.ThreadPoolExecutor(2); self.pool.submit(len, ())"
    ),
    "begins-a-loop": Bad("self.loop = asyncio.new_event_loop()"),
}

# what no process that it shares with others can be saved from, nor its own pipe: what it does is on purpose
DELIBERATE = {
    "rewrites-the-rules": Bad("type(self.game).moves = lambda self, state: [99]"),
    "makes-all-agents-lose": Bad("Agent.begin = lambda self, seat: 1 / 0"),
    "speaks-for-itself": Bad(
        "[os.write(n, b'{}') for n in range(3, 20) if os.path.exists(f'/proc/self/fd/{n}')]"
    ),
    "kills-its-parent": Bad("os.kill(os.getppid(), signal.SIGKILL)"),
}

TABLES = (RAISES, ILLEGAL, EARLY, MISSHAPEN, DEADLY, STALLS, ODD)
AGENTS: dict[str, Bad] = {name: bad for table in TABLES for name, bad in table.items()}
TYPICAL = (
    "raises", "leaves", "recurses", "off-the-board", "unspeakable", "yields", "fails-to-begin",
    "chooses-by-state", "exits-with-0", "segfaults", "prints", "spoils-its-list",
    "closes-stdout", "forks", "raises-in-a-thread", "sets-the-stream",
)  # fmt: skip


def class_name(name: str) -> str:
    return name.title().replace("-", "")


def plugin_source(tables: dict[str, Bad]) -> str:
    """A plugin of these agents."""
    lines = [IMPORTS, "@hookimpl", "def register_agents(register):"]
    lines += [f"    register({name!r}, 'faulty:{class_name(name)}')" for name in tables]
    for name, bad in tables.items():
        methods = bad.methods()
        if "choose" not in methods:
            methods += "\n    def choose(self, state, moves, rng): return moves[0]"
        lines.append(f"class {class_name(name)}(Agent):\n    {methods}")
    return "\n".join(lines)
