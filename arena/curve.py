"""Learning curves: how a learner does against chosen opponents, by the episodes it has learned from.

A curve's learners are taught anew, apart from the models kept, one for each seed. Each has a worker of its
own, which teaches it up to the next point and has it play there.
"""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

from arena import blocks
from arena.errors import ArenaError
from arena.learner import Learner
from arena.match import Limits
from arena.options import join_text
from arena.plugins import Registry, Spec
from arena.schedule import Plan
from arena.tally import Summary, Tally
from arena.tournament import working
from arena.training import failed, local, untaught

WAIT = 0.5  # seconds between looks at whether to stop


class Row(NamedTuple):
    """How a learner did at one point against one opponent from one seat, 1 or 2; `entry` has no seed."""

    entry: str
    game: str
    seed: int
    episodes: int
    opponent: str
    seat: int
    wins: int
    draws: int
    losses: int
    score: float


@dataclass
class Curve:
    """What is asked for: learners, after how many episodes they play, and whom they meet how often.

    matches: from either seat, at each point against each opponent.
    """

    entry: str  # the learner, without its seed
    game: Spec
    learners: Sequence[Spec]  # one for each seed
    points: Sequence[int]
    opponents: Sequence[Spec]
    matches: int
    max_plies: int


def seeded(registry: Registry, entry: Spec, seeds: int) -> list[Spec]:
    """The entry with its own seed and the ones after it."""
    name = entry.text.partition(":")[0]
    first = entry.values["seed"]
    return [respell(registry, name, {**entry.values, "seed": first + i}) for i in range(seeds)]


def respell(registry: Registry, name: str, values: Any) -> Spec:
    """The spec of an agent and its values."""
    offer = registry.offer("agent", name)
    return Spec(join_text(name, offer.load(), values, registry.spec), offer.target, values)


def spread(episodes: int, points: int) -> list[int]:
    """So many numbers of episodes up to all of them, and 0: each about as many times the one before."""
    ratio = episodes ** (1 / max(points, 1))
    return sorted({0, episodes, *(round(ratio**i) for i in range(1, points))})


def follow(
    curve: Curve, executor: Callable[[int], Executor], workers: int, stop: threading.Event
) -> Iterator[list[Row]]:
    """The rows of every learner at every point, as they come, or ArenaError if one fails."""
    waiting = list(curve.learners)
    running: dict[Future[list[Row]], tuple[Spec, int, Executor]] = {}
    with ExitStack() as pools:

        def submit(spec: Spec, at: int, pool: Executor) -> None:
            running[pool.submit(stretch, curve, spec, at)] = spec, at, pool

        while (waiting or running) and not stop.is_set():
            while waiting and len(running) < workers:
                pool = pools.enter_context(working(executor, 1))
                submit(waiting.pop(0), 0, pool)
            done, _ = wait(running, WAIT, FIRST_COMPLETED)
            for future in done:
                spec, at, pool = running.pop(future)
                try:
                    yield future.result()
                except ArenaError:
                    raise
                except Exception as error:  # the learner's own, or the end of its process
                    raise ArenaError(failed(spec, error)) from error
                if at + 1 < len(curve.points):
                    submit(spec, at + 1, pool)
                else:
                    pool.shutdown()


def stretch(curve: Curve, spec: Spec, at: int) -> list[Row]:
    """Teach a learner up to a point, from the one before if this thread knows it there, and have it play."""
    learner, known = getattr(local, "followed", {}).get(spec.text, (None, 0))
    if learner is None or at == 0 or known != curve.points[at - 1]:
        learner, known = untaught(spec, curve.game), 0
    learner.learn_many(range(known, curve.points[at]), [0, 0, 0])
    local.followed = {spec.text: (learner, curve.points[at])}
    return [
        row for opponent in curve.opponents for row in meet(curve, spec, learner, curve.points[at], opponent)
    ]


def meet(curve: Curve, spec: Spec, learner: Learner, episodes: int, opponent: Spec) -> Iterator[Row]:
    """How a learner does as it is."""
    limits = Limits(curve.max_plies, 0.0, 0.0)
    pairings = ((0, 1), (1, 0))
    plan = Plan(curve.game, (spec, opponent), pairings, 2 * curve.matches, episodes, "none", limits)
    blocks.lend(learner, spec, curve.game)
    tally = Tally()
    tally.add_summary(blocks.play_block(plan, range(plan.matches), Summary)[0])
    text, seed = curve.entry, spec.values["seed"]
    for seat, seats in enumerate(pairings):
        wins, draws, losses = (
            sum(getattr(counts, name) for (*met, _), counts in tally.counts.items() if tuple(met) == seats)
            for name in (("wins", "draws", "losses") if seat == 0 else ("losses", "draws", "wins"))
        )
        score = (wins + draws / 2) / curve.matches
        yield Row(text, curve.game.text, seed, episodes, opponent.text, seat + 1, wins, draws, losses, score)


def write(rows: Sequence[Row], path: str) -> None:
    """All rows as comma-separated values, or ArenaError."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([Row._fields, *sorted(rows)])
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from error
