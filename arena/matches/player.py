"""An agent that plays in a process of its own: what goes on there.

It is asked through a pipe, in pickles, and answers in JSON: whoever asked never unpickles what it says.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from json import dumps  # as it is before an agent's module has a `json.dumps` of its own
from multiprocessing.connection import Connection
from pickle import loads
from time import perf_counter
from typing import Any

from arena.api.agent import Agent, said_overdue
from arena.api.game import Move
from arena.api.spec import Spec
from arena.compiler import Host, cache, host, plainly, wanted, with_compiled_rules
from arena.errors import ArenaError, Reported, one_line, safe_text
from arena.matches.frames import told
from arena.matches.limits import Limits, tell_limits
from arena.matches.match import choice, is_stream, tell_opening
from arena.matches.opening import OWN_START, Opening
from arena.matches.printed import NoTerminal, Printed, Tail, hearing
from arena.results.usage import taken
from arena.rng import Rng
from arena.workers.processes import follow_parent
from arena.workers.sandbox import confine
from arena.workers.unheard import tell_unheard

OVERDUE, PRINTED = "\nOverdue:\n", "\nPrinted:\n"  # what parts the three
PLAIN_SECONDS = 1.0  # that an agent may think as plain Python; to compile it takes about as long


class ToldHost(Host):
    """Has the other end say what the compiler has to say, and wait while it works."""

    def __init__(self, pipe: Connection, keeps: bool) -> None:
        super().__init__()
        self.pipe, self.keeps = pipe, keeps

    def say(self, text: str) -> None:
        tell(self.pipe, say=text)

    def waiting(self) -> AbstractContextManager[None]:
        return self.at_it("waiting")

    def comparing(self) -> AbstractContextManager[None]:
        return self.at_it("comparing")

    @contextmanager
    def at_it(self, doing: str) -> Iterator[None]:
        """Tell when this begins and ends."""
        tell(self.pipe, **{doing: True})
        try:
            yield
        finally:
            tell(self.pipe, **{doing: False})


def tell(pipe: Connection, **said: Any) -> None:
    pipe.send_bytes(dumps(said).encode())


def tell_overdue(pipe: Connection, player: Player) -> None:
    """Say what the agent waits for and what it printed, after where this process is that has to be ended."""
    said = said_overdue(player.agent)
    with suppress(OSError):
        os.write(pipe.fileno(), (OVERDUE + said + PRINTED + player.tail.text()).encode(errors="replace"))


def live(pipe: Connection, spec: Spec, game: Spec, limits: Limits, folder: str) -> None:
    """The life of such a process.

    limits: of matches; where moves are timed everything is compiled before the first one. folder: where alone
    it may write, behind the walls of `arena.workers.sandbox`; without walls if it is empty.
    """
    parent = follow_parent(group=False)
    if hasattr(signal, "pthread_sigmask"):  # so that a parent that forgot it can end it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    if folder:
        from arena.storage import endings, keys  # which takes its time

        # which depend on where the user is at home, and on where this process is
        os.environ["ARENA_MODELS"] = os.path.abspath(keys.folder())
        os.environ["ARENA_ENDINGS"] = os.path.abspath(endings.default_folder())
        os.environ["ARENA_CACHE"] = os.path.abspath(cache())
        confine(folder, pipe.fileno(), parent)
    tell_unheard()
    host.set(ToldHost(pipe, keeps=not folder))
    player, myself = Player(spec, game, limits, slowly=bool(folder)), os.getpid()
    hearing.tail = player.tail
    sys.stdout, sys.stderr = Printed(sys.stdout, aloud=False), Printed(sys.stderr, aloud=False)
    sys.stdin = NoTerminal()
    if hasattr(faulthandler, "register"):  # not on Windows
        signal.signal(signal.SIGUSR1, lambda *_: tell_overdue(pipe, player))
        faulthandler.register(signal.SIGUSR1, pipe.fileno(), all_threads=False, chain=True)
    with suppress(BaseException):  # which comes again when it is made
        for each in (game, *game.nested(), spec, *spec.nested()):
            each.cls  # noqa: B018, which imports it
    with suppress(OSError):
        tell(pipe, waiting=False)  # it has begun
    while True:
        try:
            asked = loads(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        try:
            answer = player.answer(*asked)
        except BaseException as error:
            place, traceback = told(error)
            answer = {"crash": safe_text(one_line, error)[:2000], "stream": player.stream}
            answer |= {"place": place, "traceback": traceback, "printed": player.tail.text()}
            answer |= player.usage()
        if os.getpid() != myself:  # the agent forked, and its child came back here
            os._exit(1)
        with suppress(Exception):  # an agent may have closed it
            sys.stdout.flush()
        try:
            tell(pipe, **answer)
        except OSError:
            os._exit(1)


def check_chooses(agent: Any) -> None:
    """Reported unless an agent has a way to choose moves of its own."""
    if isinstance(agent, Agent) and type(agent).choose is Agent.choose:
        raise Reported("it has no method 'choose'")


class Player:
    """The agent, made when its first match begins."""

    def __init__(self, spec: Spec, game: Spec, limits: Limits, slowly: bool) -> None:
        """slowly: whether it is plain Python until it has thought for some time."""
        self.spec, self.game, self.limits = spec, game, limits
        self.agent: Agent | None = None
        self.rng = Rng()
        self.tail = Tail()
        self.thought, self.compiled = 0.0, limits.timed or not slowly

    @property
    def stream(self) -> list[int]:
        """Its random numbers as they are now, none if the agent has spoilt them."""
        stream: list[int] = getattr(self.rng, "stream", [])
        return stream if is_stream(stream) else []

    def as_it_runs(self) -> AbstractContextManager[None]:
        """Around what the agent does: as plain Python, till it has thought for long."""
        return nullcontext() if self.compiled else plainly()

    def answer(
        self, asked: str, state: Any, moves: list[Move], stream: list[int], clock: Sequence[float] = ()
    ) -> dict[str, Any]:
        """To the beginning of a match in a seat, or to a position: the number of a move, and its stream.

        Or to the questions what was printed last, whether it can choose moves, and for a module of it.
        clock: seconds left to it and to its opponent, if there is one.
        """
        if asked == "printed":
            return {"printed": self.tail.text()}
        if asked == "export":
            return self.exported(state)
        self.rng = Rng()
        self.rng.stream[:] = stream
        if asked in ("begin", "check"):
            seat, start = state
            self.begin(seat, Opening(tuple(moves), start))
            if asked == "check":
                check_chooses(self.agent)
            return {}
        assert self.agent is not None
        if clock:
            self.agent.clock_seconds, self.agent.opponent_seconds = clock
        began = perf_counter()
        with self.as_it_runs():
            move = choice(self.agent, state, moves, self.rng)
        seconds = perf_counter() - began
        self.thought += seconds
        self.compiled |= self.thought > PLAIN_SECONDS
        try:
            number = moves.index(move)
            return {"move": number, "stream": self.stream, "seconds": seconds, **self.usage()}
        except BaseException:  # comparing what is no move may raise anything
            return {"illegal": safe_text(repr, move)[:2000], "stream": self.stream, **self.usage()}

    def exported(self, most: int) -> dict[str, Any]:
        """The agent as WebAssembly, of so many bytes at most, with what its note says; or why not."""
        from arena.wasm.module import module_of

        self.begin(0)
        assert self.agent is not None
        try:
            made = module_of(self.agent, most)
        except ArenaError as error:
            return {"refused": str(error)[:1000]}
        return {
            "code": made.code,
            "memory": made.memory,
            "about": made.about,
            "data": b64encode(made.data).decode(),
        }

    def usage(self) -> dict[str, Any]:
        """What the last move took, if the agent says so."""
        amounts = taken(self.agent)
        return {"usage": amounts} if amounts else {}

    def begin(self, seat: int, opening: Opening = OWN_START) -> None:
        if self.agent is None:
            self.agent = self.spec.make(with_compiled_rules(self.game.make()))
            tell_limits(self.agent, self.limits)  # before it is compiled
            if self.limits.timed and wanted():
                from arena.compiler.seats import seat_of

                seat_of(self.agent)
        tell_limits(self.agent, self.limits)
        tell_opening(self.agent, opening)
        self.tail.clear()
        with self.as_it_runs():
            self.agent.begin(seat)
