"""Recorded matches held against the exact solution of their game."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from itertools import islice

from arena.analysis.exploring import explored, graph_here
from arena.analysis.graph import Graph, graph_of
from arena.analysis.solution import solve
from arena.api.game import Game
from arena.api.rulings import blaming
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.ratings.statistics import SURE
from arena.results.record import Record
from arena.workers.jobs import Task, Work, work_off
from arena.workers.pools import working
from arena.workers.watch import RULES, WorkerDied
from arena.workers.worker import this_worker

REMEDY = "leave --blunders out"
CHUNK = 2000  # matches that a worker is given at a time


@dataclass
class BlunderCounts:
    """An entry's moves and blunders, which are moves that give away value, summed over matches.

    moves_squared, blunders_squared, product: sums over matches of moves², blunders² and moves × blunders.
    """

    moves: int = 0
    blunders: int = 0
    moves_squared: int = 0
    blunders_squared: int = 0
    product: int = 0

    def add(self, moves: int, blunders: int) -> None:
        """One more match."""
        self.moves += moves
        self.blunders += blunders
        self.moves_squared += moves * moves
        self.blunders_squared += blunders * blunders
        self.product += moves * blunders

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


def count_blunders(game: Game, records: Iterable[Record], entries: int) -> list[BlunderCounts]:
    """Of each entry the moves that it chose itself, and how many of them give away value.

    Matches that the rules do not know, of another version say, count up to there. ArenaError if the game has
    too many positions to be solved.
    """
    counter = BlunderCounter(graph_of(game, remedy=REMEDY))
    totals = [BlunderCounts() for _ in range(entries)]
    for record in records:
        counter.add(record, totals)
    return totals


class BlunderCounter:
    """Holds matches against the solution of their game.

    moves_by_text: of positions: the numbers of their moves.
    """

    def __init__(self, graph: Graph) -> None:
        solution = solve(graph)
        self.graph, self.values, self.given_away = graph, solution.values, solution.given_away
        self.moves_by_text: dict[int, dict[str, int]] = {}

    def add(self, record: Record, totals: list[BlunderCounts]) -> None:
        """Count a match to what its entries have."""
        seen = [0, 0], [0, 0]  # of either seat: moves, and blunders
        i = 0
        for ply, text in enumerate(record.moves.split()):
            k = self.moves_of(i).get(text)
            if k is None:
                break
            if ply >= record.opening:
                counts = seen[self.graph.movers[i]]
                counts[0] += 1
                counts[1] += bool(self.given_away[k])
            i = int(self.graph.after[k])
        totals[record.first].add(*seen[0])
        totals[record.second].add(*seen[1])

    def worth(self, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Of each move of a line from the start what its position is worth to the mover, and gives away.

        It ends with the first move that the rules do not know.
        """
        i = 0
        for text in texts:
            k = self.moves_of(i).get(text)
            if k is None:
                return
            yield int(self.values[i]), int(self.given_away[k])
            i = int(self.graph.after[k])

    def moves_of(self, i: int) -> dict[str, int]:
        """The numbers of a position's moves, by their texts."""
        if i not in self.moves_by_text:
            numbers = range(int(self.graph.first[i]), int(self.graph.first[i + 1]))
            with blaming(self.graph.game):
                texts = [self.graph.game.move_text(move) for move in self.graph.moves_of(i)]
            self.moves_by_text[i] = dict(zip(texts, numbers, strict=True))
        return self.moves_by_text[i]


# --- in a worker, as the game's rules may hang -------------------------------------------------------------


def blunders_of(
    game: Spec,
    records: Iterable[Record],
    entries: int,
    stall_seconds: float,
    executor: Callable[[int], Executor],
    stop: threading.Event,
    tell: Callable[[int, int], object],
) -> list[BlunderCounts] | None:
    """The same as `count_blunders`, counted by a worker; None if stopped.

    tell: called with how many positions of the game have been looked at, and how many are known.
    """
    with working(executor, 1) as pool:
        if explored(game, stall_seconds, REMEDY, pool, stop, tell) is None:
            return None
        counting = Counting(game, records, entries, stall_seconds, pool)
        for _ in work_off(counting, 2, stop):
            pass
    return None if stop.is_set() else counting.totals


class Counting(Work[None]):
    """Matches of a game, some at a time, whose blunders a worker counts."""

    finishes = False

    def __init__(
        self, game: Spec, records: Iterable[Record], entries: int, stall_seconds: float, executor: Executor
    ) -> None:
        super().__init__()
        self.game, self.stall_seconds, self.executor = game, stall_seconds, executor
        self.totals = [BlunderCounts() for _ in range(entries)]
        self.records, self.again = iter(records), list[list[Record]]()

    def next_task(self, stopping: bool) -> Task | None:
        some = self.again.pop() if self.again else list(islice(self.records, CHUNK))
        if stopping or not some:
            return None
        return Task(self.executor, count, (self.game, some, len(self.totals), self.stall_seconds), some)

    def take(self, task: Task, answer: list[BlunderCounts]) -> Iterator[None]:
        for total, counts in zip(self.totals, answer, strict=True):
            total += counts
        yield

    def died(self, task: Task, death: WorkerDied) -> Iterator[None]:
        if self.deaths.blame(death.number, death):
            raise ArenaError(f"game {self.game.text} failed: {death.fault}") from death
        self.again.append(task.of)
        yield


def count(game: Spec, records: list[Record], entries: int, stall_seconds: float) -> list[BlunderCounts]:
    """The blunders of some matches."""
    worker = this_worker()
    worker.watch.turn(0, RULES, 0.0)  # which takes as long as it took to begin with
    graph = graph_here(game, REMEDY)
    counter = worker.keep(("blunders", game.text, game.target), lambda: BlunderCounter(graph))
    totals = [BlunderCounts() for _ in range(entries)]
    for number, record in enumerate(records):
        worker.watch.turn(number, RULES, stall_seconds)
        counter.add(record, totals)
    worker.watch.clear()
    return totals
