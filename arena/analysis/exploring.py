"""A game explored by a worker, where its rules may hang or crash, and Ctrl-C ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from time import perf_counter
from typing import NamedTuple

from arena.analysis.graph import LIMIT, Explorer, Graph, Outline, graph_of
from arena.api.spec import Spec
from arena.faults.rule_check import died_of
from arena.faults.time_limits import preparing
from arena.matches.block import instance_of
from arena.workers.jobs import Task, Work, work_off
from arena.workers.pools import Pool
from arena.workers.watch import RULES, WorkerDied
from arena.workers.worker import this_worker

SLICE_SECONDS = 0.3  # what a slice of exploring should take
FASTER = 8  # times as many positions in a slice as in the one before, at most


class Found(NamedTuple):
    """How far a worker has got.

    expanded: of how many positions it knows the moves. positions: how many it knows. outline: of the game,
    once that is whole. pace: seconds a position.
    """

    expanded: int
    positions: int
    outline: Outline | None
    pace: float


def explored(
    game: Spec,
    stall_seconds: float,
    remedy: str,
    pool: Pool,
    tell: Callable[[int, int], object],
    few: bool = False,
) -> Outline | None:
    """All positions of a game, as `graph_of` has them, found by a worker, which keeps them; None if stopped.

    few: TooManyPositions is raised as soon as it would take over some seconds.

    tell: called with how many positions have been looked at, and how many are known. ArenaError if the rules
    fail, or take longer than `stall_seconds`, unless that is 0.
    """
    exploring = Exploring(game, stall_seconds, remedy, few, pool.executor)
    for found in work_off(exploring, 1, pool.stop):
        tell(found.expanded, found.positions)
    return exploring.outline


class Exploring(Work[Found]):
    """A game's positions, found in slices of as many as take .3 seconds."""

    finishes = False

    def __init__(self, game: Spec, stall_seconds: float, remedy: str, few: bool, executor: Executor) -> None:
        super().__init__()
        self.game, self.stall_seconds, self.remedy, self.executor = game, stall_seconds, remedy, executor
        self.few = few
        self.expanded, self.size = 0, 1
        self.outline: Outline | None = None

    def next_task(self, stopping: bool) -> Task | None:
        if stopping or self.outline:
            return None
        slice = (self.game, self.expanded, self.size, self.stall_seconds, self.remedy, self.few)
        return Task(self.executor, explore, slice, self.expanded)

    def take(self, task: Task, answer: Found) -> Iterator[Found]:
        self.expanded, self.outline = answer.expanded, answer.outline
        wanted = int(SLICE_SECONDS / max(answer.pace, 1e-9))
        self.size = max(1, min(wanted, FASTER * self.size))
        yield answer

    def died(self, task: Task, death: WorkerDied) -> Iterator[Found]:
        if self.deaths.blame(task.of, death):
            raise died_of(self.game, death) from death
        yield from ()


def explore(game: Spec, expanded: int, size: int, stall_seconds: float, remedy: str, few: bool) -> Found:
    """In a worker: look at so many positions more than were looked at, there or by a worker that is gone."""
    worker = this_worker()
    watch = worker.watch
    watch.turn(expanded, RULES, preparing(stall_seconds))
    made = instance_of(game)
    watch.turn(expanded, RULES, stall_seconds)
    explorer = worker.keep(key_of("explorer", game), lambda: Explorer(made))
    here = explorer.expanded
    if here < expanded:  # another worker has been there, so that it does not hang
        watch.turn(expanded, RULES, 0.0)
    start = perf_counter()
    explorer.go_on(max(0, expanded - here) + size, explorer.few if few else LIMIT, remedy)
    pace = (perf_counter() - start) / max(1, explorer.expanded - here)
    outline = None
    if explorer.done:
        graph = worker.keep(key_of("graph", game), explorer.graph)
        outline = graph.outline
        worker.kept.pop(key_of("explorer", game))
    watch.clear()
    return Found(explorer.expanded, explorer.found.size, outline, pace)


def graph_here(game: Spec, remedy: str) -> Graph:
    """The graph of a game, made once a worker."""
    return this_worker().keep(key_of("graph", game), lambda: graph_of(instance_of(game), remedy=remedy))


def key_of(what: str, game: Spec) -> tuple[str, str, str]:
    return what, game.text, game.target
