"""Learning curves: the score of a learner against given opponents, by number of episodes.

The learners of a curve are trained independently of stored models: either one learner for each seed, which
plays at every point, or one for each seed and point, whose training ends at that point. The player is the
learner itself or an agent that contains it.
"""

from __future__ import annotations

import csv
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from arena.activity import activity
from arena.api.agent import Agent
from arena.api.format import Stage
from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.limits import Limits
from arena.api.options import join_text, name_in, read_options, replaced, with_options
from arena.api.spec import InstanceSpec, Spec
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError
from arena.file_io import draft_of
from arena.matches.block import forget_block, play_block
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.curve_row import Row
from arena.results.record import NO_OPENINGS, UNKNOWN_CODE
from arena.results.tally import Summary, Tally
from arena.rng import Streams
from arena.texts import argument
from arena.training.jobs import failure
from arena.training.learners import LEARNER, learn_watched, shards_of, untrained, untrained_at
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Workers, working
from arena.workers.worker import WorkerDied, this_worker

SEATS = (1, 2)


class Run(NamedTuple):
    """One of the learners of a curve.

    Attributes:
        learner: The learner.
        player: The agent that plays: the learner or an agent that contains it.
        points: Numbers of episodes after which it plays, ascending.
    """

    learner: Spec
    player: Spec
    points: Sequence[int]


@dataclass(frozen=True)
class Curve:
    """The specification of a learning curve.

    Attributes:
        entry: The entry that plays.
        learner: The entry, or the only learner within it.
        game: The game.
        seeds: Seeds of the learners.
        points: Numbers of episodes after which they play, ascending.
        opponents: The opponents.
        matches: Number of matches from each seat, at each point against each opponent.
        max_plies: Plies after which a match is a draw.
        fresh_per_point: Whether a separate learner is trained up to each point.
        codes: Digests of all code involved in matches against an opponent, by the opponent's text.
        stall_seconds: Time limit of a move and of an episode, in seconds; 0 for none.
        openings: The openings of matches.
        began_with: The openings as typed.
        timed: Whether rows include the training time.
    """

    entry: Spec
    learner: Spec
    game: Spec
    seeds: range
    points: Sequence[int]
    opponents: Sequence[Spec]
    matches: int
    max_plies: int
    fresh_per_point: bool
    codes: Mapping[str, str] = field(default_factory=dict)
    stall_seconds: float = 0.0
    openings: Openings = field(default_factory=Openings)
    began_with: str = NO_OPENINGS
    timed: bool = False

    @property
    def name(self) -> str:
        """The entry without the learner's seed, and with `n` for the episodes if `fresh_per_point` is set."""
        values = {**self.learner.values, "seed": self.learner.cls.options["seed"].default}
        if self.fresh_per_point:
            values["episodes"] = "n"
        text = join_text(name_in(self.learner.text), self.learner.cls, values)
        return replaced(self.entry, self.learner, self.learner.changed(text, values)).text


def geometric_points(episodes: int, points: int) -> list[int]:
    """Return 0 and `points` rounded numbers in geometric progression up to `episodes`, without duplicates."""
    ratio = episodes ** (1 / max(points, 1))
    return sorted({0, episodes, *(round(ratio**i) for i in range(1, points))})


def check(curve: Curve) -> None:
    """Raise ArenaError if the learner cannot reach the points or cannot have these seeds."""
    learner, first, last = curve.learner, curve.points[0], curve.points[-1]
    changed = {"seed": curve.seeds[-1], **({"episodes": first} if curve.fresh_per_point else {})}
    read_options(learner.cls, {**learner.values, **changed}, learner.text)
    if curve.fresh_per_point:
        shards_of(with_options(learner, episodes=first))
    elif shards_of(learner):
        raise ArenaError(
            f"{learner.text} learns in shards, which are merged at the end; "
            f"add {argument('fresh_per_point', True)}"
        )
    elif last > learner.values["episodes"]:
        raise ArenaError(
            f"point {last} is beyond the {learner.values['episodes']} episodes of {learner.text}; "
            f"set episodes={last}, or add {argument('fresh_per_point', True)}"
        )


def missing_runs(curve: Curve, rows: Iterable[Row]) -> list[Run]:
    """Return the runs of a curve whose rows are incomplete, longest first."""
    there = {(row.seed, row.episodes, row.opponent, row.seat) for row in rows}
    met = [(opponent.text, seat) for opponent in curve.opponents for seat in SEATS]
    found = []
    for seed in curve.seeds:
        left = [n for n in curve.points if not all((seed, n, *how) in there for how in met)]
        for points in [[n] for n in left] if curve.fresh_per_point else [left] if left else []:
            ends = {"episodes": points[-1]} if curve.fresh_per_point else {}
            learner = with_options(curve.learner, seed=seed, **ends)
            found.append(Run(learner, replaced(curve.entry, curve.learner, learner), points))
    return sorted(found, key=lambda run: -run.points[-1])


# --- training and playing ---------------------------------------------------------------------------------


def draw(
    curve: Curve,
    runs: Sequence[Run],
    workers: Workers,
) -> Iterator[list[Row]]:
    """Train and play the runs, and yield the rows of each point as it is finished.

    When the workers are asked to stop, points in progress are finished and no more are begun.

    Raises:
        ArenaError: If a learner fails.
    """
    with ExitStack() as pools:
        apart = min(workers.count, len(runs))
        free = [pools.enter_context(working(workers.executor, 1)) for _ in range(apart)]
        yield from work_off(Drawing(curve, runs, free), workers.count, workers.stop)


class Drawing(Work[list[Row]]):
    """The runs of a curve, point by point, each in its own worker."""

    def __init__(self, curve: Curve, runs: Sequence[Run], free: list[Executor]) -> None:
        super().__init__()
        self.curve, self.free = curve, free
        self.left = deque((run, 0) for run in runs)  # runs with the index of their next point
        self.going_on: deque[tuple[Run, int, Executor]] = deque()

    def next_task(self, stopping: bool) -> Task | None:
        if stopping:
            return None
        if self.going_on:
            run, at, pool = self.going_on.popleft()
        elif self.left and self.free:
            (run, at), pool = self.left.popleft(), self.free.pop()
        else:
            return None
        return Task(pool, play_at_point, (self.curve, run, run.points[at]), (run, at))

    def take(self, task: Task, answer: list[Row]) -> Iterator[list[Row]]:
        run, at = task.of
        if at + 1 < len(run.points):
            self.going_on.append((run, at + 1, task.pool))
        else:
            self.free.append(task.pool)
        yield answer

    def died(self, task: Task, death: WorkerDied) -> Iterator[list[Row]]:
        run, at = task.of
        if self.deaths.blame((run.learner.text, at), death):
            yield from self.failed(task, death)
        self.going_on.appendleft((run, at, task.pool))

    def failed(self, task: Task, error: Exception) -> Iterator[list[Row]]:
        if isinstance(error, ArenaError):
            raise error
        raise ArenaError(failure(task.of[0].learner, error, self.curve.stall_seconds)) from error


def play_at_point(curve: Curve, run: Run, point: int) -> list[Row]:
    """Train a learner up to a point, and play its matches there."""
    spec, watch = run.learner, this_worker().watch
    watch.turn(point, LEARNER, curve.stall_seconds)
    if curve.fresh_per_point:
        start = working_seconds()
        learner = trained_whole(spec, with_compiled_rules(curve.game.make()), curve.stall_seconds)
        seconds = working_seconds() - start
    else:
        learner, seconds = trained_up_to(point, curve, spec)
    around = replaced(run.player, spec, InstanceSpec(spec.text, spec.target, spec.values, learner))
    player = around.make(with_compiled_rules(curve.game.make()))
    rows = [row for opponent in curve.opponents for row in meet(curve, run, point, player, opponent)]
    if curve.timed:
        rows = [row._replace(seconds=round(seconds, 6)) for row in rows]
    forget_block()
    return rows


def working_seconds() -> float:
    """Return the time of a clock that is paused during compilation."""
    return perf_counter() - activity.compiling


def trained_whole(spec: Spec, game: Game, stall_seconds: float) -> Learner:
    """Return a fully trained learner, whose shards are trained one after the other."""
    learned = [trained_whole(shard, game, stall_seconds)._packed_model() for shard in shards_of(spec)]
    learner = untrained_at(spec, game)
    if learned:
        learner._merge_packed(learned)
    else:
        learn_watched(learner, range(learner.episodes), [0, 0, 0], stall_seconds)
    return learner


def trained_up_to(point: int, curve: Curve, spec: Spec) -> tuple[Learner, float]:
    """Return a learner after `point` episodes, continued from an earlier point if the worker still has it.

    Returns:
        The learner, and its training time in seconds.
    """
    kept = this_worker().kept
    key = ("learner of a curve", spec.text, spec.target, curve.game.text)
    learner: Learner
    learner, learned, seconds = kept.pop(key, (None, point + 1, 0.0))
    if learned > point:
        learner, learned, seconds = untrained(spec, curve.game), 0, 0.0
    start = working_seconds()
    learn_watched(learner, range(learned, point), [0, 0, 0], curve.stall_seconds)
    seconds += working_seconds() - start if point > learned else 0.0
    if point < curve.points[-1]:
        kept[key] = learner, point, seconds
    return learner, seconds


def meet(curve: Curve, run: Run, point: int, player: Agent, opponent: Spec) -> Iterator[Row]:
    """Play a trained player against an opponent, and yield a row for each seat."""
    limits = Limits(curve.max_plies, 0.0, curve.stall_seconds)
    pairings = ((0, 1), (1, 0))
    entry = InstanceSpec(run.player.text, run.player.target, run.player.values, player)
    schedule = Schedule.of(Stage(pairings, curve.matches))
    plan = Plan(curve.game, (entry, opponent), schedule, Streams(point, 1), curve.openings, limits)
    tally = Tally()
    tally.add_summary(play_block(plan, range(plan.matches), Summary, None).played)
    name, seed = curve.name, run.learner.values["seed"]
    for seat, seats in zip(SEATS, pairings, strict=True):
        wins, draws, losses = (
            sum(getattr(counts, name) for (*met, _), counts in tally.counts.items() if tuple(met) == seats)
            for name in (("wins", "draws", "losses") if seat == 1 else ("losses", "draws", "wins"))
        )
        score = (wins + draws / 2) / curve.matches
        code = curve.codes.get(opponent.text, UNKNOWN_CODE)
        yield Row(
            entry=name,
            game=curve.game.text,
            seed=seed,
            episodes=point,
            opponent=opponent.text,
            seat=seat,
            wins=wins,
            draws=draws,
            losses=losses,
            score=score,
            code=code,
            openings=curve.began_with,
        )


# --- files ------------------------------------------------------------------------------------------------


def check_rows(curve: Curve, rows: Iterable[Row], path: str) -> None:
    """Raise ArenaError unless the rows of a file belong to this curve."""
    wanted: dict[str, Sequence[object]] = {
        "entry": [curve.name],
        "game": [curve.game.text],
        "seed": curve.seeds,
        "episodes": curve.points,
        "opponent": [opponent.text for opponent in curve.opponents],
        "matches": [curve.matches],
        "openings": [curve.began_with],
    }
    for row in rows:
        has = {**row._asdict(), "matches": row.matches}
        for name, values in wanted.items():
            if has[name] not in values:
                raise ArenaError(
                    f"{path} is of another curve, with {name} {has[name]!r}; remove it, or name another file"
                )
        if row.code not in (UNKNOWN_CODE, curve.codes.get(row.opponent, row.code)):
            raise ArenaError(
                f"{path} was computed with different code of {row.entry}, {row.opponent} or {row.game}; "
                "remove it, name another file, or restore that code"
            )


def write(rows: Iterable[Row], path: str) -> None:
    """Write rows to a CSV file atomically; raise ArenaError if that fails.

    Columns with defaults are left out if all rows have the default value.
    """
    file = Path(os.path.realpath(path))
    if file.exists() and not file.is_file():
        raise ArenaError(f"cannot write {path}: it is not a file")
    lines = sorted(rows)
    defaults = Row._field_defaults
    left_out = {name for name, value in defaults.items() if all(getattr(row, name) == value for row in lines)}
    columns = [name for name in Row._fields if name not in left_out]
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [columns, *([getattr(row, name) for name in columns] for row in lines)]
    )
    with draft_of(file, path) as to:
        to.write(text.getvalue().encode())
