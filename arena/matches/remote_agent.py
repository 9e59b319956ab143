"""Communicate with an agent in a separate process: the code in the process that requests moves.

Requests are sent through a pipe as pickles. Answers are JSON, one message for each request. The agent may be
hostile: whatever it sends, and however slowly, a request ends when its time is up.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import msgspec

from arena.api.agent import agent_class
from arena.api.game import Move, State
from arena.api.limits import Limits
from arena.api.options import hook
from arena.api.spec import Spec
from arena.compiler import wanted
from arena.compiler.switch import with_name
from arena.errors import ArenaError, Reported
from arena.faults.tracebacks import dumped
from arena.matches.agent_process import OVERDUE, PRINTED, live, load_game
from arena.matches.match import Elsewhere, Told, is_stream
from arena.plan.opening_book import OWN_START, Opening
from arena.registry.files import files_in
from arena.rng import Rng
from arena.sandbox import Sandboxed
from arena.sandbox.channel import Garbled
from arena.sandbox.separate import Separate
from arena.storage.folders import sandboxed_with
from arena.wasm.module import Module
from arena.workers.processes import (
    describe_exit,
    follow_parent,
    waited_ns,
)
from arena.workers.worker import Watch

LONGEST = 1 << 18  # maximum size of an answer in bytes
# seconds between checks of the time; if more than LONG_TICK passes between two checks, this process has been
# suspended
TICK, LONG_TICK = 0.2, 1.0
START = 5.0  # additional seconds in which a process may import modules, or wait for a CPU
ON_THE_WAY = 0.002  # CPU seconds per move that a child may spend on messages
GRACE = 10.0  # seconds after which this process is killed if it does not stop a child in time
ENDING = 0.9  # seconds for a child that has closed its pipe to end by itself
SOON = 0.7  # seconds for a child to report its stack and its printed text
COMPILING = 20.0  # seconds in which a child must compile its agent
PLAIN_SECONDS = 1.0  # thinking time in plain Python after which an agent is compiled
SAYINGS, SAYING = 20, 1000  # maximum number of lines from a child for the user, and characters of each
EARLY = "its process sent an answer before a request"
NO_ANSWER = "its process sent an invalid answer"


# slot; for a match that begins, seat, start and opening; position, legal moves, and random numbers
Item = tuple[int, tuple[int, str | None, tuple[Move, ...]] | None, State, list[Move], list[int]]


class Unknown:
    """Placeholder for a value from a remote agent that is not a legal move, with the same repr."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class About(msgspec.Struct):
    """The fields of an exported module's metadata that are used in this module."""

    functions: dict[str, list[str]]
    places: dict[str, int]
    all_move_texts: bool
    by_clock: bool
    approximate: list[str]


class Answer(msgspec.Struct):
    """The answer of an agent's process to one request.

    Attributes:
        to: The number of the request that it answers.
        move: Index of the chosen move in the legal moves.
        illegal: The repr of the returned value, if it is not a legal move.
        stream: The state of the agent's random numbers afterwards.
        seconds: The thinking time that the process reports.
        usage: The usage that the agent reports for the move.
        crash: The exception that the agent raised, on one line.
        place: The line of the agent's code that raised the exception.
        traceback: The traceback of the exception.
        printed: The end of the agent's printed text.
        say: Lines to print for the user.
        refused: Why the agent cannot be exported.
        done: For simultaneous matches, see `arena.matches.agent_process.Player.together`.
        used: See `done`.
        alone: See `done`.
        worn: Whether the agent needs a new process before another match.
        data: The exported module in base64.
        code: The module's code size, see `arena.wasm.module.Module`.
        memory: The module's memory, see the same class.
        about: The module's metadata.
    """

    to: int
    move: int | None = None
    illegal: str | None = None
    stream: list[int] = []
    seconds: float = 0.0
    usage: Any = None
    crash: str | None = None
    place: str = ""
    traceback: str = ""
    printed: str = ""
    say: list[str] = []
    done: list[list[int]] = []
    used: dict[int, Any] = {}
    alone: bool = False
    worn: bool = False
    refused: str | None = None
    data: str = ""
    code: int = 0
    memory: int = 0
    about: About | None = None


answers = msgspec.json.Decoder(Answer)


def live_unsandboxed(pipe: Connection, spec: Spec, game: Spec, limits: Limits) -> None:
    """Run an agent in this process, which ends when the process that started it ends."""
    follow_parent(group=False)
    if hasattr(signal, "pthread_sigmask"):  # so that SIGTERM ends it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    live(pipe, spec, game, limits)


class Child:
    """A process that runs an agent.

    Between requests a sandboxed process is stopped, so that it can neither continue thinking nor slow others
    down.

    Attributes:
        confined: Whether it is sandboxed.
        asked: Total thinking time of the agent in seconds.
        number: The number of requests so far.
        up: Whether the agent's modules are imported.
        plain: Whether the agent has not been compiled yet.
    """

    def __init__(self, spec: Spec, game: Spec, limits: Limits, confined: bool) -> None:
        self.confined, self.limits, self.name = confined, limits, spec.text
        self.process: Sandboxed | Separate
        if confined:
            parts = [*game.walk(), *spec.walk()]
            # not for entries from files, which could otherwise get read permissions by naming a program
            own = not any(part.is_confined for part in parts)
            starting = [part for part in spec.walk() if own and agent_class(part).programs]
            named = [path for part in starting for path in hook(part.cls, "readable")(part.values)]
            self.process = Sandboxed(
                live, spec, game, limits,
                targets=[part.target.partition(":")[0] for part in parts],
                programs=bool(starting),
                # the memory of later processes, for other games too, must not contain the user's own files
                work=() if files_in(game) else (load_game, game),
                **sandboxed_with(named),
            )  # fmt: skip
        else:
            self.process = Separate("arena-player", live_unsandboxed, spec, game, limits)
        self.channel = self.process.channel
        self.sayings, self.asked = 0, 0.0
        self.number = 0
        self.up = False
        self.plain = wanted()

    def waited(self) -> float:
        """Return for how many seconds the process was runnable without a free CPU; 0 if unknown."""
        return waited_ns(self.process.pid) / 1e9

    def ask(self, question: tuple[object, ...], seconds: float, asks: Asks) -> Answer:
        """Send a request and return the answer.

        Args:
            question: The request, see `arena.matches.agent_process.Player.answer`.
            seconds: Time limit, 0 = none. Up to `seconds + START` of waiting for a free CPU do not count.
            asks: Checks for Ctrl-C, and passes lines from the process to the user.

        Raises:
            TimeoutError: If there is no answer in time.
            EOFError: If the process has ended.
            OSError: If the process has ended.
            Garbled: If the answer is not a valid answer to this request.
        """
        began = perf_counter()
        self.send(question, seconds)
        return self.answer(seconds and seconds - (perf_counter() - began), asks)

    def send(self, question: tuple[object, ...], seconds: float) -> None:
        """Send a request as `ask` does, without waiting for the answer."""
        if not self.channel.quiet():
            raise Garbled(EARLY)
        self.number += 1
        if self.confined:
            self.process.signal(signal.SIGCONT)
        self.channel.send(pickle.dumps((self.number, *question)), seconds or 1e9)

    def answer(self, seconds: float, asks: Asks) -> Answer:
        """Return the answer to the request that was sent, as `ask` does."""
        data = self.wait(seconds or 1e9, asks)
        if self.confined:
            self.process.signal(signal.SIGSTOP)
        try:
            answer = answers.decode(data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise Garbled(NO_ANSWER) from None
        if answer.to != self.number:
            raise Garbled(NO_ANSWER)
        for text in answer.say[: SAYINGS - self.sayings]:
            self.sayings += 1
            asks.say(with_name(self.name, text[:SAYING]) if self.confined else text)
        return answer

    def wait(self, limit: float, asks: Asks) -> bytes:
        """Return the next message.

        Raises:
            TimeoutError: If it does not arrive within `limit` seconds, counted as in `ask`.
        """
        left, spare = limit, limit + START
        began = perf_counter()
        waited = used = None
        while (data := self.channel.receive(min(TICK, max(left, 0.0)), asks.longest)) is None:
            asks.check()  # repeatedly, since Ctrl-C may be pressed just before the wait
            now, before, used_before = perf_counter(), waited, used
            waited, used = self.waited(), self.process.processor_seconds()
            took = now - began if now - began < LONG_TICK else TICK
            free = 0.0
            if before is not None and used_before is not None:
                free = min(took, spare, max(0.0, min(waited - before, took - (used - used_before))))
            left, spare, began = left - took + free, spare - free, now
            if left <= 0:
                raise TimeoutError
        return data

    def stalled(self, seconds: float) -> Told:
        """Return the fault of an agent that did not move in time.

        The fault contains what the agent is waiting for, or else its current line with the stack, and its
        printed text. The process reports these; while it runs C code, it can report only the stack.
        """
        data = b""
        with suppress(OSError, ValueError, AttributeError):  # no such signals on Windows
            self.process.signal(signal.SIGUSR1)
            data = self.channel.drain(SOON, LONGEST, PRINTED.encode())
        where, _, rest = data.decode(errors="replace").partition(OVERDUE)
        doing, _, printed = rest.partition(PRINTED)
        place, frames = ("", "") if doing else dumped(where)
        because = f": {doing}" if doing else ""
        return Told(f"no move within {seconds:g} s{because}", "stall", place, frames, printed)

    def end(self) -> str:
        """End the process, by killing it if necessary, and return how it ended."""
        if self.confined:
            self.process.signal(signal.SIGCONT)
        status = self.process.end(ENDING)
        return self.process.why or describe_exit(status)

    @property
    def is_orphan(self) -> bool:
        """Whether the process died together with the server that started it, without an exit status."""
        return self.process.is_orphan

    def close(self) -> None:
        """End the process and remove its folder."""
        self.process.close()


class Asks:
    """What the caller of a child process does while it waits: check for Ctrl-C, and print lines for the user.

    Attributes:
        watch: Passes lines to the user.
        pressed: Event that is set by Ctrl-C.
        longest: Maximum size of an answer in bytes.
    """

    def __init__(self, watch: Watch, pressed: threading.Event) -> None:
        self.watch, self.pressed, self.longest = watch, pressed, LONGEST

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C has been pressed."""
        if self.pressed.is_set():
            raise KeyboardInterrupt

    def say(self, text: str) -> None:
        """Pass a line to the user."""
        self.watch.say(text)


class Remote(Elsewhere):
    """Proxy of an agent in a separate process, for one match.

    Args:
        child: The agent's process.
        watch: Records whose turn it is.
        place: The number of the match and the seat.
        stall: Seconds after which the agent is stopped, 0 = never.
        pressed: Event that is set by Ctrl-C, in case KeyboardInterrupt is lost, as in callbacks of the
            interpreter.
        renewed: Returns a new process for the agent, if it needs one for each match.

    Attributes:
        failed: Whether the process must be ended.
        patience: Seconds to wait for the answer to the current request.
        move_usage: The usage that the agent reports for its last move.
        own_seconds: The time of the last move in seconds, without the time for messages.
    """

    def __init__(
        self,
        child: Child,
        watch: Watch,
        place: tuple[int, int],
        stall: float,
        pressed: threading.Event | None = None,
        renewed: Callable[[], Child] | None = None,
    ) -> None:
        self.renewed = renewed
        self.child, self.watch, self.place, self.stall = child, watch, place, stall
        self.asks = Asks(watch, pressed or threading.Event())
        self.failed = False
        self.patience = 0.0
        self.move_usage: object = None
        self.own_seconds = 0.0
        self.clock_seconds = self.opponent_seconds = 0.0
        self.opening = OWN_START

    def follow_opening(self, moves: Sequence[Move], start: str | None = None) -> None:
        """Store the opening, which is sent when the match begins."""
        self.opening = Opening(tuple(moves), start)

    def begin(self, seat: int) -> None:
        if self.begun(seat).worn and self.renewed is not None:
            self.child = self.renewed()
            self.begun(seat)

    def begun(self, seat: int) -> Answer:
        """Begin a match in the current process."""
        self.get_ready()
        if self.child.plain and (self.child.limits.timed or not self.child.confined):
            self.compile()
        return self.ask("begin", (seat, self.opening.start), [*self.opening.moves], [0, 0])

    def check_ready(self) -> None:
        """Raise Reported unless the agent can be created and can choose moves."""
        self.get_ready()
        self.ask("check", (0, None), [], [0, 0])

    def get_ready(self) -> None:
        """Import the agent's modules in its process, once."""
        if not self.child.up:
            self.ask("import", None, [], [0, 0], more=START)
            self.child.up = True

    def compile(self) -> None:
        """Compile the agent in its process, under a separate time limit."""
        self.child.plain = False
        self.ask("compile", None, [], [0, 0], limit=self.stall and max(COMPILING, self.stall))

    def exported(self, most: int) -> Module:
        """Return the agent as WebAssembly.

        Args:
            most: Maximum number of bytes of data.

        Raises:
            ArenaError: If it is larger, or the agent does not compile.
            Reported: If its process fails.
        """
        self.asks.longest = 2 * most + LONGEST
        self.get_ready()
        said = self.ask("export", most, [], [0, 0])
        if said.refused is not None:
            raise ArenaError(said.refused)
        try:
            data = b64decode(said.data, validate=True)
        except ValueError:
            data = b""
        if not data or said.about is None:
            raise Reported("its process sent an invalid module")
        return Module(data, said.code, said.memory, msgspec.to_builtins(said.about))

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        if self.child.plain and self.child.asked > PLAIN_SECONDS:
            self.compile()
        clock = (self.clock_seconds, self.opponent_seconds) if self.clock_seconds else ()
        self.move_usage, self.own_seconds = None, 0.0
        stream, rng.stream[:] = [*rng.stream], []
        began, used = perf_counter(), self.child.process.processor_seconds()
        said = self.ask("choose", state, moves, stream, clock, rng=rng)
        self.child.asked += perf_counter() - began
        used = self.child.process.processor_seconds() - used
        self.own_seconds = max(0.0, said.seconds, used - ON_THE_WAY)  # in this order, the result is never NaN
        if said.illegal is not None:
            return Unknown(said.illegal)
        if said.move is None or not 0 <= said.move < len(moves) or not rng.stream:
            self.failed = True
            raise Reported("its process sent an invalid move")
        return moves[said.move]

    def send(self, items: list[Item], patience: float) -> None:
        """Send the agent a request to continue several matches.

        Args:
            items: See `arena.matches.agent_process.Player.together`.
            patience: Seconds after which the process is stopped.
        """
        if self.child.plain and (self.child.asked > PLAIN_SECONDS or not self.child.confined):
            self.get_ready()
            self.compile()
        self.patience = patience if self.child.up else patience + START
        self.child.up = True  # the process imports the agent's modules at the first request
        with self.faults_told(self.patience):
            self.child.send(("together", items, [], []), self.patience)

    def receive(self) -> Answer:
        """Wait for the answer to the request that was sent, and return it."""
        with self.faults_told(self.patience):
            said = self.child.answer(self.patience, self.asks)
        self.check_crash(said)
        return said

    def ask(
        self, *asked: object, more: float = 0.0, limit: float | None = None, rng: Rng | None = None
    ) -> Answer:
        """Send a request and return the answer.

        Args:
            asked: The request.
            more: Seconds in addition to the stall limit.
            limit: Seconds instead of the stall limit.
            rng: Random numbers, whose state is set to that in which the agent has left them.

        Raises:
            Told: If the agent raises an exception or takes too long.
            Reported: If its process fails.
        """
        seconds = (self.stall + more if self.stall else 0.0) if limit is None else limit
        with self.faults_told(seconds):
            said = self.child.ask(asked, seconds, self.asks)
        if rng is not None:
            rng.stream[:] = said.stream if is_stream(said.stream) else []
            self.move_usage = said.usage
        self.check_crash(said)
        return said

    @contextmanager
    def faults_told(self, seconds: float) -> Iterator[None]:
        """Return a context that records the agent's turn, and raises faults of its process as `ask` does."""
        self.watch.turn(*self.place, seconds and 2 * (seconds + START) + GRACE)
        try:
            yield
        except TimeoutError:
            self.failed = True
            raise self.child.stalled(seconds) from None
        except Garbled as error:
            self.failed = True
            raise Reported(str(error)) from None
        except (EOFError, OSError):
            self.failed = True
            how = self.child.end()
            if self.child.is_orphan and self.watch.expendable:
                self.watch.clear()
                os._exit(1)  # no agent is to blame, and another worker plays the match again
            raise Reported(how) from None

    def check_crash(self, said: Answer) -> None:
        """Raise Told if the agent has raised an exception."""
        if said.crash is not None:
            self.failed = True
            raise Told(said.crash, "crash", said.place, said.traceback, said.printed)

    def printed(self) -> str:
        """Return the end of the agent's printed text in this match; empty if it is not reported soon."""
        if self.failed:
            return ""
        self.failed = True  # a late answer must not be mistaken for a move
        with self.watch.paused():  # the game does not run in the meantime
            try:
                return self.child.ask(("printed", None, [], [0, 0]), SOON, self.asks).printed
            except (TimeoutError, Garbled, EOFError, OSError):
                return ""
