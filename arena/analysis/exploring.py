"""Explore a game in a worker, since its rules may hang or crash and Ctrl-C must work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from time import perf_counter
from typing import NamedTuple

from arena.analysis.graph import LIMIT, Explorer, Graph, Outline, graph_of
from arena.api.limits import preparing
from arena.api.spec import Spec
from arena.faults.rule_check import died_of
from arena.matches.block import instance_of
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Pool
from arena.workers.worker import RULES, WorkerDied, this_worker

SLICE_SECONDS = 0.3  # target seconds for a slice
FASTER = 8  # largest factor by which a slice grows from one to the next


class Found(NamedTuple):
    """The state of an exploration.

    Attributes:
        expanded: Number of positions whose moves are known.
        positions: Number of known positions.
        outline: The graph's outline, once it is complete.
        pace: Seconds per position.
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
    """Explore a game in a worker, which caches the graph.

    Args:
        game: The game.
        stall_seconds: Time limit of a slice in seconds; 0 for none.
        remedy: Advice for the error if there are too many positions.
        pool: The worker.
        tell: Called with the numbers of expanded and of known positions.
        few: Whether to allow only as many positions as can be explored within seconds.

    Returns:
        The outline of the graph; None if stopped.

    Raises:
        TooManyPositions: If there are more positions than allowed.
        ArenaError: If the rules fail or take too long.
    """
    exploring = Exploring(game, stall_seconds, remedy, few, pool.executor)
    for found in work_off(exploring, 1, pool.stop):
        tell(found.expanded, found.positions)
    return exploring.outline


class Exploring(Work[Found]):
    """Explores a game in slices of about 0.3 seconds."""

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
    """Expand `size` positions after the first `expanded`, which this worker may have to expand as well."""
    worker = this_worker()
    watch = worker.watch
    watch.turn(expanded, RULES, preparing(stall_seconds))
    made = instance_of(game)
    watch.turn(expanded, RULES, stall_seconds)
    explorer = worker.keep(key_of("explorer", game), lambda: Explorer(made))
    here = explorer.expanded
    if here < expanded:  # another worker has expanded these positions, so the rules do not hang there
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
    """Return the graph of a game, computed once in each worker."""
    return this_worker().keep(key_of("graph", game), lambda: graph_of(instance_of(game), remedy=remedy))


def key_of(what: str, game: Spec) -> tuple[str, str, str]:
    """Return the key under which a worker caches an object of a game."""
    return what, game.text, game.target
