"""Blunders in recorded matches: moves that lose value compared with perfect play."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

from arena.analysis.endings import most_pieces, probe
from arena.analysis.exploring import explored, graph_here
from arena.analysis.graph import TooManyPositions, graph_of
from arena.analysis.move_grading import GraphJudge, Judged, SearchJudge
from arena.analysis.solvers import class_of_solver
from arena.api.game import Game
from arena.api.spec import Spec
from arena.compiler import with_compiled_rules
from arena.faults.rule_check import died_of
from arena.matches.block import instance_of
from arena.ratings.statistics import SURE
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.storage.endings import default_folder
from arena.texts import argument
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Pool, Workers
from arena.workers.worker import RULES, WorkerDied, this_worker

Item = TypeVar("Item")
Answer = TypeVar("Answer")
CHUNK = 2000  # number of matches in a task
ENDINGS = "endings"  # key under which a worker caches endings
SEARCHED = 50  # number of matches in a task if each position is searched

Showing: TypeAlias = Callable[[str, str], AbstractContextManager[Callable[..., object]]]


@dataclass
class Seat:
    """One player's moves in a match, see `BlunderCounts`."""

    moves: int = 0
    blunders: int = 0
    given: int = 0
    unsolved: int = 0


@dataclass
class BlunderCounts:
    """An entry's moves and blunders, which are moves that lose value, summed over matches.

    Attributes:
        matches: Number of matches.
        moves: Number of moves whose value is known.
        blunders: Number of blunders.
        moves_squared: Sum over matches of moves².
        blunders_squared: Sum over matches of blunders².
        product: Sum over matches of moves × blunders.
        given: Total value lost: 1 for each step from won to drawn or from drawn to lost.
        unsolved: Number of moves whose value is unknown.
    """

    matches: int = 0
    moves: int = 0
    blunders: int = 0
    moves_squared: int = 0
    blunders_squared: int = 0
    product: int = 0
    given: int = 0
    unsolved: int = 0

    def add(self, seat: Seat) -> None:
        """Add a match."""
        moves, blunders = seat.moves, seat.blunders
        self.matches += 1
        self.moves += moves
        self.blunders += blunders
        self.moves_squared += moves * moves
        self.blunders_squared += blunders * blunders
        self.product += moves * blunders
        self.given += seat.given
        self.unsolved += seat.unsolved

    def __iadd__(self, other: BlunderCounts) -> BlunderCounts:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    @property
    def rate(self) -> float | None:
        """The share of moves that are blunders; None without moves."""
        return self.blunders / self.moves if self.moves else None

    @property
    def error(self) -> float | None:
        """Half of the 95 % confidence interval of `rate`, with matches as samples; None without moves."""
        if not self.moves:
            return None
        rate = self.blunders / self.moves
        spread = self.blunders_squared - 2 * rate * self.product + rate * rate * self.moves_squared
        return SURE * math.sqrt(max(spread, 0.0)) / self.moves

    @property
    def loss(self) -> float | None:
        """The mean score lost by moves per match, from 0 to 1; None without matches."""
        return self.given / 2 / self.matches if self.matches else None


def count_blunders(game: Game, records: Iterable[Record], entries: int) -> list[BlunderCounts]:
    """Count the blunders of each entry among the moves that it chose itself.

    A match with an illegal move, for example from another version of the rules, counts up to that move.

    Args:
        game: The game, whose positions are all enumerated.
        records: The matches.
        entries: Number of entries.

    Returns:
        The counts, by index of the entry.

    Raises:
        ArenaError: If the game has too many positions.
    """
    judge = GraphJudge(graph_of(game, remedy=remedy()))
    totals = [BlunderCounts() for _ in range(entries)]
    for record in records:
        count(judge.moves(record.moves.split(), record.start), record, totals)
    return totals


def remedy() -> str:
    """Return advice for error messages if moves cannot be judged."""
    return f"leave {argument('blunders', True)} out"


def count(found: Iterable[Judged], record: Record, totals: list[BlunderCounts]) -> None:
    """Add the moves that the entries of a match chose to their totals."""
    seen = Seat(), Seat()
    for ply, move in enumerate(found):
        if ply >= record.opening:
            seat = seen[move.seat]
            if move.given is None:
                seat.unsolved += 1
            else:
                seat.moves += 1
                seat.blunders += move.given > 0
                seat.given += move.given
    for entry, seat in zip((record.first, record.second), seen, strict=True):
        totals[entry].add(seat)


# --- in a worker, as the game's rules may hang -------------------------------------------------------------


@dataclass(frozen=True)
class Judging:
    """How moves are judged, with all settings.

    Attributes:
        game: The game.
        stall_seconds: Time limit for a match in seconds; 0 for none.
        nodes: Maximum number of positions searched to solve a position; None if all positions are enumerated.
        pieces: Use endings with up to this many pieces; 0 for none.
    """

    game: Spec
    stall_seconds: float
    nodes: int | None
    pieces: int = 0


def blunders_of(
    game: Spec,
    records: Iterable[Record],
    entries: int,
    stall_seconds: float,
    nodes: int,
    workers: Workers,
    showing: Showing,
) -> tuple[list[BlunderCounts], Judging] | None:
    """Count blunders in workers.

    If the game has a solver or too many positions to enumerate, positions are searched, down to stored
    endings.

    Args:
        game: The game.
        records: The matches.
        entries: Number of entries.
        stall_seconds: Time limit for a match in seconds; 0 for none.
        nodes: Maximum number of positions searched to solve a position.
        workers: The workers to use.
        showing: Function that returns a context manager that shows progress, given a description and a unit.

    Returns:
        The counts by index of the entry, and how moves were judged; None if stopped.
    """
    with workers.opened() as pool:
        judging = judging_of(game, stall_seconds, nodes, pool, showing)
        if judging is None:
            return None
        counting = Counting(judging, records, entries, pool.executor)
        with showing(f"Judging {game.text}", "matches") as tell:
            tell(0, 0)
            for done in work_off(counting, 2 * pool.count, pool.stop):
                tell(done, 0)
    return None if workers.stop.is_set() else (counting.totals, judging)


def judging_of(game: Spec, stall_seconds: float, nodes: int, pool: Pool, showing: Showing) -> Judging | None:
    """Return the best way of judging the moves of a game; None if stopped. See `blunders_of`."""
    searched = class_of_solver(game.make(), registry()) is not None
    if not searched:
        try:
            with showing(f"Exploring {game.text}", "positions") as tell:
                outline = explored(game, stall_seconds, remedy(), pool, tell, few=True)
        except TooManyPositions:
            searched = True
        else:
            return None if outline is None else Judging(game, stall_seconds, None)
    pieces = most_pieces(game.make(), default_folder(), registry())
    return Judging(game, stall_seconds, nodes, pieces)


class JudgingWork(Work[int], Generic[Item, Answer]):
    """Judges the moves of matches in chunks, in worker processes.

    Attributes:
        judging: How moves are judged.
        done: Number of matches judged so far.
    """

    finishes = False

    def __init__(self, judging: Judging, items: Iterable[Item], chunk: int, executor: Executor) -> None:
        super().__init__()
        self.judging, self.executor = judging, executor
        self.items, self.again, self.chunk, self.done = iter(items), list[list[Item]](), chunk, 0

    def question(self, some: list[Item]) -> tuple[Callable[..., Answer], tuple[object, ...]]:
        """Return the function that judges some matches in a worker, and its arguments."""
        raise NotImplementedError  # subclasses implement it

    def put(self, some: list[Item], answer: Answer) -> None:
        """Store the result of the function for some matches."""
        raise NotImplementedError  # subclasses implement it

    def next_task(self, stopping: bool) -> Task | None:
        some = self.again.pop() if self.again else list(islice(self.items, self.chunk))
        if stopping or not some:
            return None
        return Task(self.executor, *self.question(some), some)

    def take(self, task: Task, answer: Answer) -> Iterator[int]:
        self.put(task.of, answer)
        self.done += len(task.of)
        yield self.done

    def died(self, task: Task, death: WorkerDied) -> Iterator[int]:
        if self.deaths.blame(death.number, death):
            raise died_of(self.judging.game, death) from death
        self.again.append(task.of)
        yield from ()


class Counting(JudgingWork[Record, list[BlunderCounts]]):
    """Counts blunders in chunks of matches."""

    def __init__(self, judging: Judging, records: Iterable[Record], entries: int, executor: Executor) -> None:
        super().__init__(judging, records, CHUNK if judging.nodes is None else SEARCHED, executor)
        self.totals = [BlunderCounts() for _ in range(entries)]

    def question(self, some: list[Record]) -> tuple[Callable[..., list[BlunderCounts]], tuple[object, ...]]:
        return count_some, (self.judging, some, len(self.totals))

    def put(self, some: list[Record], answer: list[BlunderCounts]) -> None:
        for total, counts in zip(self.totals, answer, strict=True):
            total += counts


def count_some(judging: Judging, records: list[Record], entries: int) -> list[BlunderCounts]:
    """Count the blunders of some matches, in a worker.

    A search starts with an empty table each time, so that the result depends only on these matches.
    """
    worker = this_worker()
    worker.watch.turn(0, RULES, 0.0)  # no limit, as it takes as long as the first time
    judge = judge_here(judging)
    totals = [BlunderCounts() for _ in range(entries)]
    for number, record in enumerate(records):
        worker.watch.turn(number, RULES, judging.stall_seconds)
        count(judge.moves(record.moves.split(), record.start), record, totals)
    worker.watch.clear()
    return totals


def judge_here(judging: Judging) -> GraphJudge | SearchJudge:
    """Return the judge of this worker: the cached judge by the graph, or a search with an empty table."""
    worker, game = this_worker(), judging.game
    if judging.nodes is None:
        graph = graph_here(game, remedy())
        return worker.keep(("blunders", game.text, game.target), lambda: GraphJudge(graph))
    rules, pieces = rules_of(game), judging.pieces
    endings = worker.keep((ENDINGS, game.text), lambda: probe(rules, pieces)) if pieces else None
    return SearchJudge(rules, judging.nodes, endings)


def rules_of(game: Spec) -> Game:
    """Return a game, with compiled rules if it is flat."""
    made: Game = instance_of(game)
    return with_compiled_rules(made) if made.flat else made
