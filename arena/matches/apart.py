"""Matches whose agents play in processes of their own, so that neither can do anything to the other.

This process has the rules and no agent; its children have one agent each. What goes wrong in a child is that
agent's fault alone.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import tempfile
import threading
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import msgspec

from arena.api.game import Game, Move, State
from arena.api.spec import Spec
from arena.compiler import wanted
from arena.errors import ArenaError, Reported
from arena.matches.block import clear, endings_of, game_of, instance_of, wanted_of
from arena.matches.frames import dumped
from arena.matches.limits import Limits
from arena.matches.match import Elsewhere, Player, Told, is_stream, play_match
from arena.matches.opening import OWN_START, Opening
from arena.matches.player import OVERDUE, PRINTED, live
from arena.matches.rules import game_fault
from arena.matches.schedule import Plan
from arena.results.record import FORFEITS, Record, with_first_stories
from arena.rng import Rng
from arena.wasm.module import Module
from arena.workers.pools import default_workers
from arena.workers.processes import PRELOADED, context, describe_exit, fresh_interpreters, waited_ns
from arena.workers.watch import RULES, Watch
from arena.workers.worker import COMPARING, this_worker

LONGEST = 1 << 18  # bytes of an answer
TICK, LONG_TICK = 0.2, 1.0  # seconds between looks at the time; what is longer this process stood still
START = 5.0  # seconds more for a process to begin, and to wait for a processor
GRACE = 10.0  # seconds after which this process itself is stopped, if it does not stop a child in time
SOON = 1.0  # seconds for a child to tell what else there is of a fault
KEPT = 64  # children that are kept for later matches, or more where there is room
SHARE, IDLE = 4, 8 << 20  # of the memory they may have a fourth; bytes that one takes
WORN = 1000.0  # seconds that one may have been asked for; then another takes its place
SAYINGS, PATIENCE = 20, 60.0  # lines that a child's compiler may have for the user, seconds it may work
# what a child imports behind walls, and that compiles
WALLED = ("arena.storage.endings", "arena.storage.keys", "arena.workers.sandbox")
COMPILED = ("arena.compiler.runtime", "arena.compiler.machine")
CHILDREN = "children"  # what a worker keeps them under


class Unknown:
    """What an agent elsewhere gave for a move, and is none, as text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class About(msgspec.Struct):
    """What is read here of a module's note."""

    functions: dict[str, list[str]]
    places: dict[str, int]
    all_move_texts: bool
    by_clock: bool
    approximate: list[str]


class Exported(msgspec.Struct):
    """An agent elsewhere as WebAssembly."""

    data: bytes
    code: int
    memory: int
    about: About


class Child:
    """A process with an agent, and this end of its pipe. confined: whether it is behind walls."""

    def __init__(self, spec: Spec, game: Spec, limits: Limits, confined: bool) -> None:
        # for the first one, which begins the process that all are forked from
        context.set_forkserver_preload([*PRELOADED, *WALLED, *(COMPILED if wanted() else ())])
        self.folder = tempfile.mkdtemp(prefix="arena-") if confined else ""
        self.pipe, there = context.Pipe()
        arguments = (there, spec, game, limits, self.folder)
        # not a fork of this process, in which the other's random numbers could be found
        self.process = context.Process(target=live, args=arguments, name="arena-player", daemon=True)
        with fresh_interpreters():
            self.process.start()
        there.close()
        self.sayings, self.up = 0, False  # up: whether it has begun, until when it has longer
        self.asked = self.compiling = 0.0  # seconds

    def waited(self) -> float:
        """Seconds for which it has been ready to go on and no processor was free, where that is known."""
        return waited_ns(self.process.pid) / 1e9

    @contextmanager
    def at_work(self, watch: Watch) -> Iterator[None]:
        """Its compiler works meanwhile, and nobody is overdue."""
        begun = perf_counter()
        try:
            with watch.paused():
                yield
        finally:
            self.compiling += perf_counter() - begun

    def stalled(self, seconds: float) -> Told:
        """That it made no move in so many seconds: what it waits for, or else its line and the frames.

        And what was printed, as far as it says all this when it is asked. C code that goes on and on leaves
        it no more than to say where that is.
        """
        data = b""
        with suppress(OSError, ValueError, AttributeError):  # no such signals on Windows
            os.kill(self.process.pid, signal.SIGUSR1)
            while (
                self.pipe.poll(SOON)
                and len(data) < LONGEST
                and (more := os.read(self.pipe.fileno(), LONGEST))
            ):
                data += more
                if PRINTED.encode() in data and len(more) < LONGEST:
                    break
        where, _, rest = data.decode(errors="replace").partition(OVERDUE)
        doing, _, printed = rest.partition(PRINTED)
        place, frames = ("", "") if doing else dumped(where)
        because = f": {doing}" if doing else ""
        return Told(f"no move within {seconds:g} s{because}", "stall", place, frames, printed)

    def end(self) -> int | None:
        """End it, if it does not do so itself at once; its exit status."""
        self.process.join(2.0)
        self.process.kill()
        self.process.join()
        status: int | None = self.process.exitcode
        return status

    def close(self) -> None:
        """End it, and remove its folder."""
        self.pipe.close()
        self.process.kill()
        self.process.join()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


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
        self.pressed = pressed or threading.Event()
        self.failed = False
        self.move_usage: Any = None  # what the last move took, as its process says
        self.own_seconds = 0.0  # likewise, without the way there and back
        self.clock_seconds = self.opponent_seconds = 0.0
        self.longest = LONGEST
        self.opening = OWN_START

    def follow_opening(self, moves: Sequence[Move], start: str | None = None) -> None:
        """Keep the opening, which is sent when the match begins."""
        self.opening = Opening(tuple(moves), start)

    def begin(self, seat: int) -> None:
        self.check(self.ask("begin", (seat, self.opening.start), [*self.opening.moves], [0, 0]))

    def check_ready(self) -> None:
        """Reported unless it can be made and has a way to choose moves."""
        self.check(self.ask("check", (0, None), [], [0, 0]))

    def exported(self, most: int) -> Module:
        """The agent as WebAssembly, of so many bytes of data at most.

        ArenaError if it is larger, or plain Python; Reported if its process fails.
        """
        self.longest = 2 * most + LONGEST
        said = self.ask("export", most, [], [0, 0])
        self.check(said)
        if "refused" in said:
            raise ArenaError(str(said["refused"]))
        try:
            found = msgspec.convert({**said, "data": b64decode(said["data"], validate=True)}, Exported)
        except (KeyError, TypeError, ValueError, msgspec.ValidationError):
            raise Reported("its process answers with what is no module") from None
        return Module(found.data, found.code, found.memory, msgspec.to_builtins(found.about))

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        clock = (self.clock_seconds, self.opponent_seconds) if self.clock_seconds else ()
        said = self.ask("choose", state, moves, rng.stream, clock)
        stream = said.get("stream")
        rng.stream[:] = stream if is_stream(stream) else []
        self.move_usage = said.get("usage")
        took = said.get("seconds")
        self.own_seconds = took if type(took) is float and took >= 0 else 0.0
        self.check(said)
        if "illegal" in said:
            return Unknown(str(said["illegal"]))
        number = said.get("move")
        if type(number) is not int or not 0 <= number < len(moves) or not rng.stream:
            self.failed = True
            raise Reported("its process answers with what is no move")
        return moves[number]

    def check(self, said: dict[str, Any]) -> None:
        """Reported if the agent has raised something."""
        if "crash" in said:
            self.failed = True
            more = (str(said.get(name, "")) for name in ("place", "traceback", "printed"))
            raise Told(str(said["crash"]), "crash", *more)

    def ask(self, *asked: Any) -> dict[str, Any]:
        """An answer, or Reported if its process is gone or has gone on for too long."""
        self.watch.turn(*self.place, self.stall and 2 * (self.stall + START) + GRACE)
        try:
            self.child.pipe.send_bytes(pickle.dumps(asked))
            return self.answer()
        except TimeoutError:
            self.failed = True
            raise self.child.stalled(self.stall) from None
        except (EOFError, OSError):
            self.failed = True
            raise Reported(describe_exit(self.child.end())) from None

    def printed(self) -> str:
        """The last that it printed in this match; nothing if it does not say so soon."""
        if self.failed:
            return ""
        try:
            self.child.pipe.send_bytes(pickle.dumps(("printed", None, [], [0, 0])))
            said = read(self.child.pipe) if self.child.pipe.poll(SOON) else {}
        except (EOFError, OSError):
            said = {}
        self.failed = True  # or what it says late would be taken for a move
        return str(said.get("printed", ""))

    def answer(self) -> dict[str, Any]:
        """What it says next, but for what its compiler has to say; EOFError if it says nothing any more.

        TimeoutError after `stall` seconds, without those in which its process began, its compiler worked, it
        waited for a processor (up to as long again), or this process stood still; or after `COMPARING`
        seconds in which its compiler compares.
        """
        child = self.child
        left, spare = self.stall + (0.0 if child.up else START), self.stall + START
        waiting, waited, until = False, inf, inf
        with ExitStack() as pause:
            while True:
                began = perf_counter()
                while not child.pipe.poll(TICK):  # now and then, for Ctrl-C may come just before it waits
                    if self.pressed.is_set():
                        raise KeyboardInterrupt
                    now, before, waited = perf_counter(), waited, child.waited()
                    if not waiting:
                        took = now - began if now - began < LONG_TICK else TICK
                        free = min(took, spare, max(0.0, waited - before))
                        left, spare = left - took + free, spare - free
                    began = now
                    if self.stall and (left < 0 or now > until):
                        raise TimeoutError
                said = read(child.pipe, self.longest)
                if "say" in said and child.sayings < SAYINGS:
                    child.sayings += 1
                    self.watch.say(str(said["say"])[:1000])
                elif said.get("waiting") is True and child.compiling < PATIENCE:
                    pause.enter_context(child.at_work(self.watch))
                    waiting = True
                elif "comparing" in said:
                    until = perf_counter() + COMPARING if said["comparing"] is True else inf
                elif "waiting" in said:
                    pause.close()
                    waiting = False
                    left, child.up = left if child.up else self.stall, True
                elif "say" not in said:
                    return said


def memory() -> int:
    """Bytes that this machine has, 0 where that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows, say
        return 0


def read(pipe: Connection, longest: int = LONGEST) -> dict[str, Any]:
    """An answer, empty if it is none, or EOFError or OSError."""
    data = pipe.recv_bytes(longest)
    with suppress(ValueError, RecursionError):
        said = json.loads(data)
        if isinstance(said, dict):
            return said
    return {}


class Children:
    """The processes that a worker keeps for matches to come, those asked last at the end."""

    def __init__(self) -> None:
        self.kept: dict[tuple[Any, ...], Child] = {}
        self.most = max(KEPT, memory() // SHARE // default_workers() // IDLE)

    def child(self, plan: Plan, entry: int, seat: int) -> Child:
        """The process of an entry in a seat, begun if there is none."""
        spec, confined = plan.entries[entry], entry in plan.isolated
        timed = plan.limits.move_seconds, plan.limits.clock
        key = (spec.text, spec.target, plan.game.text, seat, confined, *timed)
        child = self.kept.pop(key, None) or Child(spec, plan.game, plan.limits, confined)
        self.kept[key] = child
        return child

    def tidy(self) -> None:
        """End those that have been asked for long, and all but some that were asked last."""
        for child in list(self.kept.values())[: -self.most]:
            self.drop(child)
        for child in [child for child in self.kept.values() if child.asked > WORN]:
            self.drop(child)

    def drop(self, child: Child) -> None:
        """End one."""
        child.close()
        self.kept = {key: other for key, other in self.kept.items() if other is not child}

    def close(self) -> None:
        """End all."""
        for child in list(self.kept.values()):
            self.drop(child)


def play_apart(
    plan: Plan, numbers: range, keep: bool, left_out: frozenset[int] = frozenset()
) -> tuple[list[Record], range, float]:
    """Play some matches in this process, with the rules and whoever asks at the terminal, and its children.

    Returns records in the order of their numbers, what is left to be played, for it stops after a stall, and
    seconds. Entries in `plan.isolated` are behind walls. keep: whether children are kept for later matches.
    left_out: entries whose matches are not to be played.
    """
    worker = this_worker()
    watch = worker.watch
    children: Children = worker.keep(CHILDREN, Children)
    worker.close = children.close
    try:
        game = game_of(plan, numbers[0], watch)
    except BaseException as error:
        raise game_fault(plan.game, [], error, watch, numbers[0]) from error
    start = perf_counter()
    records: list[Record] = []
    told: Counter[int] = Counter()
    left = numbers[:0]
    for number in wanted_of(plan, numbers, left_out):
        record, remotes = play_one(plan, game, number, children, watch)
        records += with_first_stories([record], told)
        for seat, remote in remotes.items():
            remote.child.asked += record.second_seconds if seat else record.first_seconds
            forfeited = record.reason in FORFEITS and record.loser == plan.fixture(number)[2 + seat]
            if remote.failed or forfeited:
                children.drop(remote.child)
        children.tidy()
        if record.reason == "stall":
            left = numbers[number + 1 - numbers.start :]
            break
    if not keep:
        children.close()
    watch.clear()
    return records, left, perf_counter() - start


def play_one(
    plan: Plan, game: Game, number: int, children: Children, watch: Watch
) -> tuple[Record, dict[int, Remote]]:
    """The record of a match, and who stood for the agents by seat."""
    fixture = plan.fixture(number)
    watch.turn(number, RULES, plan.limits.stall_seconds)
    try:
        opening = plan.opening(game, fixture.round)
    except Exception as error:
        raise game_fault(game, [], error, watch, number) from error
    remotes: dict[int, Remote] = {}

    def make(seat: int) -> Player:
        if fixture[2 + seat] in plan.interactive:
            agent: Player = instance_of(plan.entries[fixture[2 + seat]], plan.game, seat)
            return agent
        with watch.paused():  # to start processes takes a while, of which no agent is guilty
            child = children.child(plan, fixture[2 + seat], seat)
        remotes[seat] = Remote(child, watch, (number, seat), plan.limits.stall_seconds)
        return remotes[seat]

    seed, endings = plan.match_seed(number), endings_of(plan, game, number, watch)
    cleared = partial(clear, plan, fixture)
    record = play_match(game, make, fixture, seed, opening, plan.limits, watch, endings, cleared)
    return record, remotes
