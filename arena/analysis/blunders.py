"""Recorded matches held against perfect play: how many moves give away value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from itertools import islice

from arena.analysis.endings import most_pieces, probe
from arena.analysis.exploring import explored, graph_here
from arena.analysis.graph import TooManyPositions, graph_of
from arena.analysis.move_grading import GraphJudge, Judge, Judged, SearchJudge
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
from arena.wording import argument
from arena.workers.jobs import Task, Work, work_off
from arena.workers.pools import Workers
from arena.workers.watch import RULES, WorkerDied
from arena.workers.worker import this_worker

CHUNK = 2000  # matches that a worker is given at a time
ENDINGS = "endings"  # what a worker keeps them by
SEARCHED = 50  # the same where each position is searched


@dataclass
class Seat:
    """One player's moves in a match, see `BlunderCounts`."""

    moves: int = 0
    blunders: int = 0
    given: int = 0
    unsolved: int = 0


@dataclass
class BlunderCounts:
    """An entry's moves and blunders, which are moves that give away value, summed over matches.

    moves_squared, blunders_squared, product: sums over matches of moves², blunders² and moves × blunders.
    given: value given away, 1 from won to drawn or from drawn to lost. unsolved: moves of which it is not
    known; they are not among `moves`.
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
        """One more match."""
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
        """The share of moves that give away value; None if there are no moves."""
        return self.blunders / self.moves if self.moves else None

    @property
    def error(self) -> float | None:
        """Half the 95 % interval of `rate`, matches being the samples; None if there are no moves."""
        if not self.moves:
            return None
        rate = self.blunders / self.moves
        spread = self.blunders_squared - 2 * rate * self.product + rate * rate * self.moves_squared
        return SURE * math.sqrt(max(spread, 0.0)) / self.moves

    @property
    def loss(self) -> float | None:
        """What a match's moves gave away of its score, which is from 0 to 1; None if there are no matches."""
        return self.given / 2 / self.matches if self.matches else None


def count_blunders(game: Game, records: Iterable[Record], entries: int) -> list[BlunderCounts]:
    """Of each entry the moves that it chose itself, and how many of them give away value.

    Matches that the rules do not know, of another version say, count up to there. ArenaError if the game has
    too many positions to be enumerated.
    """
    judge = GraphJudge(graph_of(game, remedy=remedy()))
    totals = [BlunderCounts() for _ in range(entries)]
    for record in records:
        count(judge.moves(record.moves.split(), record.start), record, totals)
    return totals


def remedy() -> str:
    """What to do where moves cannot be judged."""
    return f"leave {argument('blunders', True)} out"


def count(found: Iterable[Judged], record: Record, totals: list[BlunderCounts]) -> None:
    """Count a match's moves, those that its entries chose, to what they have."""
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
    """How matches are judged. nodes: positions looked at to solve one; None if all are enumerated.

    pieces: up to how many there are endings of the game, 0 for none.
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
    showing: Callable[[str, str], AbstractContextManager[Callable[..., object]]],
) -> tuple[list[BlunderCounts], Judging] | None:
    """The same as `count_blunders`, counted by workers, and by what; None if stopped.

    A game with a solver, or with too many positions, is searched: as many of each position as `nodes` says,
    up to endings of the game if such are kept. showing: shows how far that is, by what is done and the unit
    of it.
    """
    searched = class_of_solver(game.make(), registry()) is not None
    with workers.opened() as pool:
        if not searched:
            try:
                with showing(f"Exploring {game.text}", "positions") as tell:
                    outline = explored(game, stall_seconds, remedy(), pool, tell, few=True)
            except TooManyPositions:
                searched = True
            else:
                if outline is None:
                    return None
        judging = Judging(game, stall_seconds, None)
        if searched:
            pieces = most_pieces(game.make(), default_folder(), registry())
            judging = Judging(game, stall_seconds, nodes, pieces)
        counting = Counting(judging, records, entries, pool.executor)
        with showing(f"Judging {game.text}", "matches") as tell:
            for done in work_off(counting, 2 * pool.count, pool.stop):
                tell(done, 0)
    return None if workers.stop.is_set() else (counting.totals, judging)


class Counting(Work[int]):
    """Matches of a game, some at a time, whose blunders workers count."""

    finishes = False

    def __init__(self, judging: Judging, records: Iterable[Record], entries: int, executor: Executor) -> None:
        super().__init__()
        self.judging, self.executor = judging, executor
        self.chunk = CHUNK if judging.nodes is None else SEARCHED
        self.totals = [BlunderCounts() for _ in range(entries)]
        self.records, self.again, self.done = iter(records), list[list[Record]](), 0

    def next_task(self, stopping: bool) -> Task | None:
        some = self.again.pop() if self.again else list(islice(self.records, self.chunk))
        if stopping or not some:
            return None
        return Task(self.executor, count_some, (self.judging, some, len(self.totals)), some)

    def take(self, task: Task, answer: list[BlunderCounts]) -> Iterator[int]:
        for total, counts in zip(self.totals, answer, strict=True):
            total += counts
        self.done += len(task.of)
        yield self.done

    def died(self, task: Task, death: WorkerDied) -> Iterator[int]:
        if self.deaths.blame(death.number, death):
            raise died_of(self.judging.game, death) from death
        self.again.append(task.of)
        yield from ()


def count_some(judging: Judging, records: list[Record], entries: int) -> list[BlunderCounts]:
    """The blunders of some matches. What a search says depends on these alone: each time it begins anew."""
    worker, game = this_worker(), judging.game
    worker.watch.turn(0, RULES, 0.0)  # which takes as long as it took to begin with
    judge: Judge
    if judging.nodes is None:
        graph = graph_here(game, remedy())
        judge = worker.keep(("blunders", game.text, game.target), lambda: GraphJudge(graph))
    else:
        rules, pieces = rules_of(game), judging.pieces
        endings = worker.keep((ENDINGS, game.text), lambda: probe(rules, pieces)) if pieces else None
        judge = SearchJudge(rules, judging.nodes, endings)
    totals = [BlunderCounts() for _ in range(entries)]
    for number, record in enumerate(records):
        worker.watch.turn(number, RULES, judging.stall_seconds)
        count(judge.moves(record.moves.split(), record.start), record, totals)
    worker.watch.clear()
    return totals


def rules_of(game: Spec) -> Game:
    """A game, whose rules run compiled if they can."""
    made: Game = instance_of(game)
    return with_compiled_rules(made) if made.flat else made
