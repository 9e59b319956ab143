"""An agent in a process of its own, as the process sees it that asks it for moves.

It is asked through a pipe, in pickles, and answers in JSON, one message for each question. The agent may be
hostile: whatever it sends, and however slowly, a question is over when its time is.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from base64 import b64decode
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import msgspec

from arena.api.game import Move, State
from arena.api.options import hook
from arena.api.spec import Spec
from arena.compiler import wanted
from arena.errors import ArenaError, Reported
from arena.faults.time_limits import Limits
from arena.faults.tracebacks import dumped
from arena.matches.agent_process import OVERDUE, PRINTED, live
from arena.matches.match import Elsewhere, Told, is_stream
from arena.plan.opening import OWN_START, Opening
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
from arena.workers.watch import Watch

LONGEST = 1 << 18  # bytes of an answer
TICK, LONG_TICK = (
    0.2,
    1.0,
)  # seconds between looks at the time; what is longer, this process stood still
START = 5.0  # seconds more for a process to import what it needs, and to wait for a processor
ON_THE_WAY = 0.002  # processor seconds of a move that a child may spend on messages
GRACE = 10.0  # seconds after which this process itself is stopped, if it does not stop a child in time
ENDING = 0.9  # seconds for a child that has closed its pipe to end by itself
SOON = 0.7  # seconds for a child to say where it is, and what it printed
COMPILING = 20.0  # seconds for a child's compiler; an agent that takes longer stays plain Python
PLAIN_SECONDS = 1.0  # that an agent may think as plain Python; to compile it takes about as long
SAYINGS, SAYING = 20, 1000  # lines for the user that are passed on from a child, and characters of each
EARLY = "its process answers before it is asked"
NO_ANSWER = "its process answers with what is no answer"


class Unknown:
    """The repr of a value that a remote agent returned and that is not a legal move."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class About(msgspec.Struct):
    """The fields of an exported module's metadata that are used here."""

    functions: dict[str, list[str]]
    places: dict[str, int]
    all_move_texts: bool
    by_clock: bool
    approximate: list[str]


class Answer(msgspec.Struct):
    """The answer of an agent's process to one question.

    to: number of the question. move: index into the legal moves. illegal: repr of what the agent returned
    instead. stream: its random stream afterwards. seconds: how long it thought, as it says. crash: what it
    raised, with place, traceback and what it printed. say: lines for the user. The rest describes a module.
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
    refused: str | None = None
    data: str = ""
    code: int = 0
    memory: int = 0
    about: About | None = None


answers = msgspec.json.Decoder(Answer)


def live_unsandboxed(pipe: Connection, *arguments: Any) -> None:
    """Run an agent, and end with the process that asked for it."""
    follow_parent(group=False)
    if hasattr(signal, "pthread_sigmask"):  # so that a parent that forgot it can end it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    live(pipe, *arguments)


class Child:
    """A process with an agent. confined: whether it is sandboxed.

    Between questions a sandboxed one is stopped, so that it can neither think on nor slow others down.
    """

    def __init__(self, spec: Spec, game: Spec, limits: Limits, confined: bool) -> None:
        self.confined, self.limits, self.name = confined, limits, spec.text
        self.process: Sandboxed | Separate
        if confined:
            parts = [*game.walk(), *spec.walk()]
            # not within an entry from a file, which could name a program in order to read what that may read
            own = not any(part.is_confined for part in parts)
            starting = [part for part in spec.walk() if own and getattr(part.cls, "programs", False)]
            named = [path for part in starting for path in hook(part.cls, "readable")(part.values)]
            self.process = Sandboxed(
                live, spec, game, limits,
                targets=[part.target.partition(":")[0] for part in parts],
                programs=bool(starting),
                **sandboxed_with(named),
            )  # fmt: skip
        else:
            self.process = Separate("arena-player", live_unsandboxed, spec, game, limits)
        self.channel = self.process.channel
        self.sayings, self.asked = 0, 0.0  # asked: seconds
        self.number = 0  # of questions
        self.up = False  # whether it has imported what it needs
        self.plain = wanted()  # whether it is still to be compiled

    def waited(self) -> float:
        """Return for how many seconds it was ready to run and no processor was free; 0 if unknown."""
        return waited_ns(self.process.pid) / 1e9

    def ask(self, question: tuple[object, ...], seconds: float, asks: Asks) -> Answer:
        """Return the answer to a question.

        Args:
            question: What it is asked, see `arena.matches.agent_process.Player.answer`.
            seconds: The time it has, 0 for as long as it likes. Only what it spends on a processor or waiting
                for something counts, not what it waits for a processor, up to `seconds + START` of that.
            asks: Says whether to give up, and passes on what it says to the user.

        Raises:
            TimeoutError: If there is no answer in time.
            EOFError, OSError: If the process is gone.
            Garbled: If it answers with what is no answer to this question.
        """
        if not self.channel.quiet():
            raise Garbled(EARLY)
        self.number += 1
        limit = seconds or 1e9
        if self.confined:
            self.process.signal(signal.SIGCONT)
        began = perf_counter()
        self.channel.send(pickle.dumps((self.number, *question)), limit)
        data = self.wait(limit - (perf_counter() - began), asks)
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
            asks.say(f"{self.name}: {text[:SAYING]}" if self.confined else text)
        return answer

    def wait(self, limit: float, asks: Asks) -> bytes:
        """Return the next message; TimeoutError if it does not come in so many seconds, see `ask`."""
        left, spare = limit, limit + START
        began = perf_counter()
        waited = used = None
        while (data := self.channel.receive(min(TICK, max(left, 0.0)), asks.longest)) is None:
            asks.check()  # now and then, for Ctrl-C may come just before it waits
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
        """Return that it made no move in so many seconds: what it waits for, or else its line and the frames.

        And what was printed, as far as it says all this when it is asked. C code that goes on and on leaves
        it no more than to say where that is.
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
        """End it, if it does not do so itself at once; say how it ended."""
        if self.confined:
            self.process.signal(signal.SIGCONT)
        status = self.process.end(ENDING)
        return self.process.why or describe_exit(status)

    @property
    def is_orphan(self) -> bool:
        """Return whether it died with the server, the only case in which it has no exit status."""
        return self.process.is_orphan

    def close(self) -> None:
        """End it, and with it its folder."""
        self.process.close()


class Asks:
    """The caller of a child. longest: maximum bytes of an answer. pressed: set by Ctrl-C."""

    def __init__(self, watch: Watch, pressed: threading.Event) -> None:
        self.watch, self.pressed, self.longest = watch, pressed, LONGEST

    def check(self) -> None:
        """KeyboardInterrupt once Ctrl-C was pressed."""
        if self.pressed.is_set():
            raise KeyboardInterrupt

    def say(self, text: str) -> None:
        """Pass a line on to the user."""
        self.watch.say(text)


class Remote(Elsewhere):
    """Stands for an agent in a process of its own, while a match lasts. failed: whether that is to go.

    place: the match's number and the seat. stall: seconds after which it is stopped, 0 = never. pressed: set
    by Ctrl-C, should KeyboardInterrupt be lost, as it is in what Python calls by the way.
    """

    def __init__(
        self,
        child: Child,
        watch: Watch,
        place: tuple[int, int],
        stall: float,
        pressed: threading.Event | None = None,
    ) -> None:
        self.child, self.watch, self.place, self.stall = child, watch, place, stall
        self.asks = Asks(watch, pressed or threading.Event())
        self.failed = False
        self.move_usage: object = None  # what the last move took, as its process says
        self.own_seconds = 0.0  # likewise, without the way there and back
        self.clock_seconds = self.opponent_seconds = 0.0
        self.opening = OWN_START

    def follow_opening(self, moves: Sequence[Move], start: str | None = None) -> None:
        """Keep the opening, which is sent when the match begins."""
        self.opening = Opening(tuple(moves), start)

    def begin(self, seat: int) -> None:
        self.get_ready()
        if self.child.plain and (self.child.limits.timed or not self.child.confined):
            self.compile()
        self.ask("begin", (seat, self.opening.start), [*self.opening.moves], [0, 0])

    def check_ready(self) -> None:
        """Reported unless it can be made and has a way to choose moves."""
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
        """Return the agent as WebAssembly, of so many bytes of data at most.

        ArenaError if it is larger, or plain Python; Reported if its process fails.
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
            raise Reported("its process answers with what is no module")
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
        self.own_seconds = max(0.0, said.seconds, used - ON_THE_WAY)  # in this order, for it may be NaN
        if said.illegal is not None:
            return Unknown(said.illegal)
        if said.move is None or not 0 <= said.move < len(moves) or not rng.stream:
            self.failed = True
            raise Reported("its process answers with what is no move")
        return moves[said.move]

    def ask(
        self, *asked: object, more: float = 0.0, limit: float | None = None, rng: Rng | None = None
    ) -> Answer:
        """Return an answer; Told or Reported if it fails, or its process does, or it takes too long.

        Args:
            asked: The question.
            more: Seconds that it has besides the stall limit.
            limit: Seconds that it has in place of that.
            rng: What gets the random numbers as the agent has left them.
        """
        seconds = (self.stall + more if self.stall else 0.0) if limit is None else limit
        self.watch.turn(*self.place, seconds and 2 * (seconds + START) + GRACE)
        try:
            said = self.child.ask(asked, seconds, self.asks)
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
                os._exit(1)  # which is nobody's fault, so that another worker plays the match again
            raise Reported(how) from None
        if rng is not None:
            rng.stream[:] = said.stream if is_stream(said.stream) else []
            self.move_usage = said.usage
        if said.crash is not None:
            self.failed = True
            raise Told(said.crash, "crash", said.place, said.traceback, said.printed)
        return said

    def printed(self) -> str:
        """Return the last that it printed in this match; nothing if it does not say so soon."""
        if self.failed:
            return ""
        self.failed = True  # or what it says late would be taken for a move
        with self.watch.paused():  # nor is the game at work meanwhile
            try:
                return self.child.ask(("printed", None, [], [0, 0]), SOON, self.asks).printed
            except (TimeoutError, Garbled, EOFError, OSError):
                return ""
