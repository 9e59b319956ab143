"""A sandboxed process that calls functions on behalf of this process and returns data.

The functions belong to arena, but they work with code that is not trusted. Answers are never unpickled; they
are decoded as the type that the caller expects: numbers, texts and arrays of numbers.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, TypeVar
from weakref import finalize

import msgspec

from arena.api.answers import Unsaid
from arena.compiler import host
from arena.compiler.switch import with_name
from arena.errors import ArenaError, Reported, Untrained, one_line, safe_text
from arena.sandbox import Sandboxed
from arena.sandbox.channel import Garbled
from arena.texts import on_one_line
from arena.workers.processes import describe_exit, undisturbed
from arena.workers.unraisable import tell_unheard
from arena.workers.worker import NOBODY, RULES, CompilerHost, Watch, Worker, current, this_worker

Answer = TypeVar("Answer")

LONGEST = 1 << 20  # maximum number of bytes of an answer, unless the caller allows more
SAID, LONGEST_SAID = 20, 300  # maximum numbers of messages for the user, and of characters of each
COMPILING = 120.0  # seconds of compiling that are not counted as thinking time
SEATS, MOST_TURNS = (0, 1, RULES), 10**9
SENDING = 60.0  # time limit for sending a request
TICK = 0.2  # seconds between checks for Ctrl-C
KINDS = "biufcUS"  # numpy's kinds of dtypes that an array may have: numbers and texts
ERRORS = {"ArenaError": ArenaError, "Untrained": Untrained, "Unsaid": Unsaid}


class Value(msgspec.Struct, tag="value"):
    """The encoded return value of a function."""

    value: bytes


class Raised(msgspec.Struct, tag="raised"):
    """An exception raised by a function.

    Attributes:
        kind: A key of `ERRORS`, or empty.
        text: Message.
        notes: Notes of the exception.
    """

    kind: str
    text: str
    notes: list[str]


class Compiling(msgspec.Struct, tag="compiling"):
    """A message that the compiler in the sandbox starts or stops."""

    on: bool


class Turn(msgspec.Struct, tag="turn"):
    """A message that a turn begins in the sandbox; see `Watch.turn`."""

    number: int
    seat: int


class Say(msgspec.Struct, tag="say"):
    """A message for the user."""

    text: str


Message = Value | Raised | Compiling | Turn | Say


class Array(msgspec.Struct):
    """An array of numbers or texts.

    Attributes:
        dtype: Type of the elements, as numpy's `dtype.str`.
        shape: Shape.
        data: Elements in C order.
    """

    dtype: str
    shape: list[int]
    data: bytes

    @classmethod
    def of(cls, array: Any) -> Array:
        return cls(array.dtype.str, list(array.shape), array.tobytes())

    def array(self) -> object:
        """Return the numpy array, or raise ValueError if dtype, shape and data do not fit together."""
        import numpy as np

        dtype = np.dtype(self.dtype)
        if dtype.kind not in KINDS or math.prod(self.shape) * dtype.itemsize != len(self.data):
            raise ValueError("no such array")
        return np.frombuffer(self.data, dtype).reshape(self.shape).copy()


class Overdue(Exception):
    """An answer took too long."""


class SandboxedWorker:
    """A sandboxed process that calls functions one at a time and keeps its state between calls.

    Between calls it is suspended, so that it does not slow down other processes.

    Args:
        name: Name of the agent that runs there, for messages.
        targets: Names of modules that it needs, some of which may not be installed.
        files: Files and folders that it may read besides those of installed distributions.
        known: Folders whose files it may read by name, but may not list.
        environment: Environment variables to set besides those for the language and those of arena.
    """

    def __init__(
        self,
        name: str,
        targets: Sequence[str] = (),
        files: Sequence[str] = (),
        known: Sequence[str] = (),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.name, self.said, self.compiling = name, 0, 0.0
        self.number, self.seat = NOBODY, NOBODY  # number and seat of the last turn
        with undisturbed():
            self.process = Sandboxed(
                serve, targets=targets, files=files, known=known, environment=environment
            )
        self.close = finalize(self, self.process.close)

    @property
    def ended(self) -> bool:
        """Return whether the process has ended."""
        return not self.close.alive

    def call(
        self,
        type: type[Answer],
        function: Callable[..., object],
        *arguments: object,
        seconds: float = 0.0,
        longest: int = LONGEST,
        turn: float | None = None,
    ) -> Answer:
        """Call a function in the sandbox and return its result.

        Args:
            type: Type of the result, as msgspec decodes it; `Array` for arrays.
            function: The function, which is pickled by name.
            arguments: Its arguments, which are pickled.
            seconds: Time limit, not counting compilation; 0 for no limit.
            longest: Largest size of the answer in bytes.
            turn: Time limit in seconds for each turn that the function marks; the turn is also marked in this
                process. None to ignore turns.

        Raises:
            ArenaError: If the function raises one.
            Reported: If the function raises anything else, or the process has ended. Also if there is no
                valid answer in time, in which case the process is ended.
        """
        if self.ended:
            raise Reported("its process has ended")
        asked = pickle.dumps((function, arguments))
        try:
            self.process.signal(signal.SIGCONT)
            self.process.channel.send(asked, SENDING)
            with ExitStack() as pause:
                found = self.answer(seconds, longest, turn, pause)
            self.process.signal(signal.SIGSTOP)
            if isinstance(found, Value):
                return msgspec.msgpack.decode(found.value, type=type)
        except (Overdue, TimeoutError):
            self.close()
            raise Reported("no answer in time") from None
        except (EOFError, OSError):
            status = self.process.end(1.0)
            self.close()
            raise Reported(describe_exit(status)) from None
        except (msgspec.MsgspecError, ValueError, RecursionError, Garbled):
            self.close()
            raise Reported("its process sent an invalid answer") from None
        except BaseException:  # Ctrl-C: a late answer would be mistaken for that to the next call
            self.close()
            raise
        raised = ERRORS.get(found.kind, Reported)(on_one_line(found.text[:2000]))
        for note in found.notes[:3]:
            raised.add_note(on_one_line(note[:500]))
        raise raised

    def answer(self, seconds: float, longest: int, turn: float | None, pause: ExitStack) -> Value | Raised:
        """Return the result of a call; only compilation extends the deadline."""
        watch, deadline, since = this_worker().watch, monotonic() + seconds, 0.0
        self.number, self.seat = NOBODY, NOBODY
        while True:
            until = deadline + COMPILING - self.compiling if since else deadline
            data = self.receive(longest, until if seconds else math.inf)
            said: Message = msgspec.msgpack.decode(data, type=Message)
            if isinstance(said, Say):
                if self.said < SAID:
                    self.said += 1
                    watch.say(with_name(self.name, on_one_line(said.text[:LONGEST_SAID])))
            elif isinstance(said, Compiling):
                if said.on and not since and self.compiling < COMPILING:
                    since = monotonic()
                    pause.enter_context(watch.paused())
                elif since and not said.on:
                    took, since = monotonic() - since, 0.0
                    pause.close()
                    deadline += min(took, COMPILING - self.compiling)
                    self.compiling += took
            elif isinstance(said, Turn):
                if turn is not None and self.number < said.number < MOST_TURNS:
                    self.number, self.seat = said.number, said.seat if said.seat in SEATS else RULES
                    watch.turn(self.number, self.seat, turn)
            else:
                return said

    def receive(self, longest: int, deadline: float) -> bytes:
        """Return the next message, or raise Overdue after the deadline."""
        while (left := deadline - monotonic()) > 0:
            if (data := self.process.channel.receive(min(TICK, left), longest)) is not None:
                return data
        raise Overdue


# --- in the sandboxed process ------------------------------------------------------------------------------


class Told(Watch):
    """A watch that reports turns and messages to the calling process."""

    expendable = True

    def __init__(self, pipe: Connection) -> None:
        super().__init__(lambda text: tell(pipe, Say(text)))
        self.pipe = pipe

    def turn(self, number: int, seat: int, seconds: float) -> None:
        tell(self.pipe, Turn(number, seat))

    @contextmanager
    def paused(self, seconds: float = 0.0) -> Iterator[None]:
        tell(self.pipe, Compiling(True))
        try:
            yield
        finally:
            tell(self.pipe, Compiling(False))


class TellingHost(CompilerHost):
    """A compiler host that reports to the calling process, which measures the time itself."""

    keeps = False

    def comparing(self) -> AbstractContextManager[None]:
        return nullcontext()


def tell(pipe: Connection, message: Message) -> None:
    pipe.send_bytes(msgspec.msgpack.encode(message))


def encoded(thing: object) -> object:
    """Encode an array, as msgspec's `enc_hook`."""
    if hasattr(thing, "dtype"):
        import numpy as np

        array = np.asarray(thing, order="C")
        return Array.of(array) if array.shape else array.item()
    raise TypeError(f"{type(thing).__name__} is not an answer")


def serve(pipe: Connection) -> None:
    """Call the functions requested through a pipe until it is closed."""
    tell_unheard()
    watch = Told(pipe)
    current.set(Worker(watch))
    host.set(TellingHost(watch))
    while True:
        try:
            asked = pipe.recv_bytes()
        except (EOFError, OSError):
            os._exit(0)
        try:
            function, arguments = pickle.loads(asked)
            message: Value | Raised = Value(msgspec.msgpack.encode(function(*arguments), enc_hook=encoded))
        except BaseException as error:
            message = raised_by(error)
        with suppress(Exception):
            sys.stdout.flush()
        try:
            tell(pipe, message)
        except OSError:
            os._exit(1)


def raised_by(error: BaseException) -> Raised:
    """Return the description of an exception that is sent to the caller."""
    kind = type(error).__name__ if type(error).__name__ in ERRORS and isinstance(error, ArenaError) else ""
    text = safe_text(str, error) if kind else safe_text(one_line, error)
    return Raised(kind, text[:2000], [str(note)[:500] for note in getattr(error, "__notes__", ())])
