"""Run an agent in a separate process: the code that runs in the agent's process.

Requests arrive through a pipe as pickles. Answers are JSON, so that the other process never unpickles
anything from an agent.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from base64 import b64encode
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import copy
from json import dumps  # before an agent's module can replace `json.dumps`
from multiprocessing.connection import Connection
from pickle import loads
from time import perf_counter, thread_time
from types import ModuleType
from typing import Any

from arena.api.agent import Agent, said_overdue
from arena.api.component import Component
from arena.api.game import Move
from arena.api.limits import Limits, tell_limits
from arena.api.rulings import place_of
from arena.api.spec import Spec
from arena.compiler import Host, advise, host, plainly, wanted, with_compiled_rules
from arena.errors import ArenaError, one_line, safe_text
from arena.faults.captured_output import NoTerminal, Printed, Tail, hearing
from arena.faults.tracebacks import told
from arena.matches.agent_state import AgentState, own_modules
from arena.matches.match import check_chooses, choice, is_stream, taken, tell_opening
from arena.matches.module_state import ModuleState
from arena.plan.opening_book import OWN_START, Opening
from arena.rng import Rng
from arena.sandbox import confined
from arena.workers.unraisable import tell_unheard

# CPU seconds, and seconds, after which the remaining positions are left for the next request
SLICE, LONG_SLICE = 0.02, 0.2
SLOW = 0.01  # an agent whose creation takes more seconds plays its matches one at a time
DEAR = 0.001  # so does an agent whose modules take more seconds to examine for changes
CHECKED = 32  # number of first moves after each of which the state is examined; later once per request
OVERDUE, PRINTED = "\nOverdue:\n", "\nPrinted:\n"  # separators in the output of `tell_overdue`


class Listening(Host):
    """Collects the compiler's messages for the next answer.

    Attributes:
        keeps: Whether the compiler may write to the cache.
        said: The messages.
    """

    def __init__(self, keeps: bool) -> None:
        super().__init__()
        self.keeps = keeps
        self.said: list[str] = []

    def say(self, text: str) -> None:
        if text not in self.told:
            self.told.add(text)
            self.said.append(text[:2000])


def tell(pipe: Connection, **said: object) -> None:
    """Send an answer as JSON."""
    pipe.send_bytes(dumps(said).encode())


def tell_overdue(pipe: Connection, player: Player) -> None:
    """Send what the agent is waiting for and its printed text, after faulthandler has sent the stack."""
    said = said_overdue(player.agent)
    with suppress(OSError):
        os.write(pipe.fileno(), (OVERDUE + said + PRINTED + player.tail.text()).encode(errors="replace"))


def load_game(game: Spec) -> None:
    """Import a game and its compiled rules."""
    for spec in game.walk():
        spec.load()
    with_compiled_rules(game.make())


def live(pipe: Connection, spec: Spec, game: Spec, limits: Limits) -> None:
    """Create a player for an agent, and answer requests until the other end of the pipe is closed.

    Args:
        pipe: The pipe. A request is a pickle of a number, which the answer repeats, and the arguments of
            `Player.answer`.
        spec: The agent.
        game: The game.
        limits: The limits of matches.
    """
    tell_unheard()
    listening = Listening(keeps=not confined())
    host.set(listening)
    player, myself = Player(spec, game, limits), os.getpid()
    hearing.tail = player.tail
    sys.stdout, sys.stderr = Printed(sys.stdout, aloud=False), Printed(sys.stderr, aloud=False)
    sys.stdin = NoTerminal()
    if hasattr(faulthandler, "register"):  # not on Windows
        signal.signal(signal.SIGUSR1, lambda *_: tell_overdue(pipe, player))
        faulthandler.register(signal.SIGUSR1, pipe.fileno(), all_threads=False, chain=True)
    while True:
        try:
            number, *asked = loads(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        try:
            answer = player.answer(*asked)
        except BaseException as error:
            place, traceback = told(error)
            answer = {"crash": safe_text(one_line, error)[:2000], "stream": player.stream}
            answer |= {"place": place, "traceback": traceback, "printed": player.tail.text()}
            answer |= player.usage()
        if os.getpid() != myself:  # the agent forked, and its child has returned here
            os._exit(1)
        with suppress(Exception):  # the agent may have closed it
            sys.stdout.flush()
        if listening.said:
            answer["say"], listening.said = listening.said, []
        try:
            tell(pipe, to=number, **answer)
        except OSError:
            os._exit(1)


def runs_compiled(agent: Agent) -> bool:
    """Return whether an agent has compiled methods, or parts that may have compiled methods."""
    runners = vars(agent).get("_runners", {}).values()
    parts = [part for part in vars(agent).values() if isinstance(part, Component)]
    return bool(parts) or any(program for runner in runners for program in runner.codes.values())


class Player:
    """Answers the requests to an agent, which is created when its first match begins.

    Attributes:
        compiled: Whether the agent, or a part of it, has been compiled.
        agent: The agent that plays matches one at a time.
        others: The agents that play several matches at a time, by slot.
        state: The state of the agent's modules when it was created.
        own: The state of the agent's attributes when it was created.
        states: The initial states of the attributes of `others`, by slot.
        rngs: The random numbers of `others` in their current matches, by slot.
        alone: Whether it can play only one match at a time.
        moves: Number of moves that it has chosen in simultaneous matches.
    """

    def __init__(self, spec: Spec, game: Spec, limits: Limits) -> None:
        self.spec, self.game, self.limits = spec, game, limits
        self.agent: Agent | None = None
        self.others: dict[int, Agent] = {}
        self.state: ModuleState | None = None
        self.own: AgentState | None = None
        self.states: dict[int, AgentState] = {}
        self.rngs: dict[int, Rng] = {}
        self.before: set[str] = set()  # names of the modules imported before those of the agent
        self.alone = False
        self.moves = 0
        self.rng = Rng()
        self.tail = Tail()
        self.compiled = False

    @property
    def stream(self) -> list[int]:
        """The state of the agent's random number generator; empty if the agent has corrupted it."""
        stream: list[int] = getattr(self.rng, "stream", [])
        return stream if is_stream(stream) else []

    def as_it_runs(self) -> AbstractContextManager[None]:
        """Return a context in which the agent runs as plain Python unless it has been compiled."""
        return nullcontext() if self.compiled else plainly()

    def answer(
        self, asked: str, state: Any, moves: list[Move], stream: list[int], clock: Sequence[float] = ()
    ) -> dict[str, object]:
        """Return the answer to a request, as fields of `arena.matches.remote_agent.Answer`.

        Args:
            asked: The kind of request: `choose` a move, `begin` a match, continue several matches `together`,
                `check` that the agent can choose moves, `import` its modules, `compile` it, `export` it as
                WebAssembly, or return its `printed` text.
            state: For `choose` the position; for `begin` and `check` the seat and the text of the start; for
                `together` its items, see `together`; for `export` the maximum number of bytes.
            moves: For `choose` the legal moves, for `begin` those of the opening.
            stream: The state of the random numbers, see `Rng.stream`.
            clock: Seconds left for the agent and its opponent, if there is a clock.
        """
        if asked == "printed":
            return {"printed": self.tail.text()}
        if asked == "import":
            return self.imported()
        if asked == "compile":
            return self.compile()
        if asked == "export":
            return self.exported(state)
        if asked == "together":
            return self.together(state)
        if asked in ("begin", "check"):
            self.rng = Rng()
            if not self.is_as_created():
                return {"worn": True}
            seat, start = state
            self.begin(seat, Opening(tuple(moves), start))
            if asked == "check":
                check_chooses(self.agent)
            return {}
        assert self.agent is not None
        if clock:
            self.agent.clock_seconds, self.agent.opponent_seconds = clock
        self.rng.stream = stream
        began = perf_counter()
        with self.as_it_runs():
            move = choice(self.agent, state, moves, self.rng)
        seconds = perf_counter() - began
        try:
            number = place_of(moves, move)
            return {"move": number, "stream": self.stream, "seconds": seconds, **self.usage()}
        except BaseException:  # comparing an object that is not a move may raise anything
            return {"illegal": safe_text(repr, move)[:2000], "stream": self.stream, **self.usage()}

    def imported(self) -> dict[str, object]:
        """Import the modules of the agent and the game, ignoring errors, which recur on creation."""
        for spec in (self.game, *self.game.nested()):
            with suppress(BaseException):
                spec.load()
        self.before = {*sys.modules}
        for spec in (self.spec, *self.spec.nested()):
            with suppress(BaseException):
                spec.load()
        return {}

    def compile(self) -> dict[str, object]:
        """Create the agent, and compile all its methods that arena calls."""
        agent = self.make()
        self.compiled = True
        self.compile_entries(agent)
        self.compiled = runs_compiled(agent)
        for other in self.others.values():
            self.compile_entries(other)
        if confined():
            advise(agent)
        return {}

    def compile_entries(self, agent: Agent) -> None:
        """Compile all methods of an agent that arena calls, if it runs compiled."""
        if self.compiled and wanted():
            from arena.compiler.seats import compile_entries

            compile_entries(agent)

    def exported(self, most: int) -> dict[str, object]:
        """Return the agent as WebAssembly with its metadata, or why it cannot be exported.

        Args:
            most: Maximum number of bytes.
        """
        from arena.wasm.module import module_of

        self.compiled = True
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

    def usage(self) -> dict[str, object]:
        """Return the usage of the last move, if the agent reports it."""
        amounts = taken(self.agent)
        return {"usage": amounts} if amounts else {}

    def make(self) -> Agent:
        """Return the agent, after creating it if needed."""
        if self.agent is None:
            game = with_compiled_rules(self.game.make())
            began = thread_time()
            self.agent = self.spec.make(game)
            self.alone = thread_time() - began > SLOW
            self.own = AgentState(self.agent)
            self.state = ModuleState(self.modules())
            began = thread_time()
            self.is_changed()
            self.alone = self.alone or thread_time() - began > DEAR
        tell_limits(self.agent, self.limits)
        return self.agent

    def is_as_created(self) -> bool:
        """Undo all changes of the agent's state since its creation, and return whether this was possible."""
        if self.state is None or self.own is None:
            return True
        return (not self.state.is_changed() or self.state.restore()) and self.own.restore()

    def modules(self) -> list[ModuleType]:
        """Return the imported modules of the agent, without those of the game."""
        names = own_modules(name for name in [*sys.modules] if name not in self.before)
        found = {*names, type(self.agent).__module__}
        return [sys.modules[name] for name in sorted(found) if name in sys.modules]

    def begin(self, seat: int, opening: Opening = OWN_START) -> None:
        """Begin a match in a seat."""
        agent = self.make()
        tell_opening(agent, opening)
        self.tail.clear()
        with self.as_it_runs():
            agent.begin(seat)

    def together(self, items: Sequence[tuple[int, Any, Any, list[Move], list[int]]]) -> dict[str, object]:
        """Continue several matches, each with its own agent; a fault in one does not end the others.

        Args:
            items: For each match its slot; the seat, the start and the opening if it begins, else None; the
                position, the legal moves (empty if no move is requested) and the random numbers.

        Returns:
            `done`, for as many items as fit into a time slice: the index of the move, -1 after a fault, the
            state of the random numbers, and microseconds; `used`, the usage by index of the item; and
            `alone`, whether the agent has to play one match at a time.
        """
        if self.agent is None:
            self.imported()
        beginning = ((item[0], item[1] is not None) for item in items)
        agents = {slot: self.one_of_several(slot, begins) for slot, begins in beginning}
        began, used_before = perf_counter(), thread_time()
        done: list[list[int]] = []
        usage: dict[int, object] = {}
        with self.as_it_runs():
            for number, (slot, beginning, state, moves, stream) in enumerate(items):
                took = perf_counter() - began
                if took > SLICE and (took > LONG_SLICE or thread_time() - used_before > SLICE) and done:
                    break
                if self.alone:
                    break
                agent = agents[slot]
                try:
                    done.append(self.move(slot, agent, beginning, state, moves, stream))
                except BaseException:
                    done.append([-1, 0, 0, 0])
                if amounts := taken(agent):
                    usage[number] = amounts
                if beginning is not None or self.moves < CHECKED:
                    self.alone = self.is_changed()
                self.moves += 1
        self.alone = self.alone or self.is_changed()
        return {"done": done, "used": usage, "alone": self.alone}

    def one_of_several(self, slot: int, begins: bool) -> Agent:
        """Return the agent in a slot, after creating it if needed; if it begins a match, it is reset."""
        if slot not in self.others or (begins and not self.states[slot].restore()):
            agent = self.make()
            game = copy(agent.game)
            vars(game).update(vars(agent.game))  # compiled rules are not copied
            made: Agent = self.spec.make(game)
            tell_limits(made, self.limits)
            self.states[slot] = AgentState(made)
            self.compile_entries(made)
            self.others[slot] = made
            self.alone = self.alone or self.is_changed()
        return self.others[slot]

    def move(
        self,
        slot: int,
        agent: Agent,
        beginning: tuple[int, str | None, tuple[Move, ...]] | None,
        state: Any,
        moves: list[Move],
        stream: list[int],
    ) -> list[int]:
        """Return the index of an agent's move, the state of its random numbers, and the microseconds used."""
        if beginning is not None:
            seat, start, opening = beginning
            self.rngs[slot] = Rng()
            self.tail.clear()
            tell_opening(agent, Opening(opening, start))
            agent.begin(seat)
        if not moves:
            return [0, *stream, 0]
        rng = self.rng = self.rngs[slot]
        rng.stream = stream
        began = perf_counter()
        move = choice(agent, state, moves, rng)
        seconds = perf_counter() - began
        return [place_of(moves, move), *rng.stream, int(1e6 * seconds)]

    def is_changed(self) -> bool:
        """Return whether the agent's modules have changed, or the agent has started threads."""
        return self.state is None or self.state.is_changed() or threading.active_count() > 1
