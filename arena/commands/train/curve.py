"""The function `arena.curve`, which measures how learners perform as they learn."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

from arena.api.options import name_in
from arena.api.protocol import Protocol
from arena.api.spec import Spec
from arena.calls.arguments import (
    ConditionKeywords,
    Conditions,
    Entry,
    GameEntry,
    agent_spec,
    conditions_of,
    game_spec,
    known_with,
)
from arena.calls.execution import Execution, ExecutorEntry, train_first
from arena.errors import ArenaError, Stopped, did_you_mean
from arena.plan.entries import check_entries, make_game
from arena.plan.openings import Openings, in_text
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.curve_row import Row
from arena.results.record import NO_OPENINGS
from arena.results.settings import STALL_SECONDS, check_range, whole_number
from arena.rng import Streams
from arena.show.curve import read, read_one, several_codes
from arena.show.curve_figure import Kind, Over, curve_figure
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown
from arena.texts import either, percent
from arena.training import curve as curves
from arena.training.learners import check_learns, learner_in, shards_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TAKES = ("openings", "stall_seconds")  # the conditions that apply
MOST_POINTS = 100  # maximum number of points; a larger number is probably meant as a number of episodes


@dataclass(frozen=True, repr=False)
class LearningCurve(Shown):
    """The scores of learners after given numbers of training episodes, read from a file.

    Attributes:
        path: Path of the file.
        rows: Rows of the file.
        seeds: Number of learners, which have different seeds.
        points: Numbers of episodes at which the learners were measured.
    """

    frame_columns: ClassVar[Columns] = {
        "entry": Column(str, "The learner, without its seed."),
        "game": Column(str, "The game."),
        "seed": Column(int, "Seed of the learner."),
        "episodes": Column(int, "Number of training episodes."),
        "opponent": Column(str, "The opponent."),
        "seat": Column(int, "Seat of the learner: 1 if it moves first, else 2."),
        "matches": Column(int, "Number of matches."),
        "wins": Column(int, "Number of wins of the learner."),
        "draws": Column(int, "Number of draws."),
        "losses": Column(int, "Number lost."),
        "score": Column(float, "Score of the learner, from 0 to 1."),
        "training_seconds": Column(float, "Training time so far, in seconds, if recorded.", True),
    }

    path: Path
    rows: list[Row]
    seeds: int
    points: Sequence[int]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        learned = "1 seed" if self.seeds == 1 else f"{self.seeds} seeds"
        along = f"{len(self.points)} points up to {self.points[-1]:,} episodes"
        yield f"{self.path}: {len(self.rows):,} rows, {learned}, {along}"
        yield self.grid()

    def grid(self) -> Grid:
        """Return a table of mean scores against each opponent, at the first and the last point."""
        columns = ["entry", "opponent", "episodes", "score", "best seed", "worst seed"]
        cells = []
        for entry, opponent in dict.fromkeys((row.entry, row.opponent) for row in self.rows):
            these = [row for row in self.rows if (row.entry, row.opponent) == (entry, opponent)]
            for point in sorted({min(r.episodes for r in these), max(r.episodes for r in these)}):
                of_seed: dict[int, list[float]] = {}
                for row in these:
                    if row.episodes == point:
                        of_seed.setdefault(row.seed, []).append(row.score)
                scores = [fmean(seats) for seats in of_seed.values()]
                shown = (percent(score, 1) for score in (fmean(scores), max(scores), min(scores)))
                cells.append([entry, opponent, f"{point:,}", *shown])
        return Grid(columns, cells, left=2, spare=("worst seed", "best seed"))

    @classmethod
    def read(cls, *files: str | Path) -> LearningCurve:
        """Read learning curves of one or more learners from files, as one result.

        Args:
            files: Paths of CSV files that `arena.curve` has written.

        Raises:
            ArenaError: If a file cannot be read, is not a learning curve, or contradicts another.
        """
        if not files:
            raise ArenaError("there are no files to read; name files written by arena.curve")
        rows = sorted(read([str(file) for file in files]))
        points = sorted({row.episodes for row in rows})
        return cls(Path(files[0]), rows, len({row.seed for row in rows}), points)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each seed, point, opponent and seat."""
        return [
            {**row._asdict(), "matches": row.matches, "training_seconds": row.seconds or None}
            for row in self.rows
        ]

    def plot(
        self,
        *others: LearningCurve,
        kind: Kind = "score",
        over: Over = "episodes",
        against: str | None = None,
        band: Literal["interval", "range", "none"] = "interval",
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the curves of this and of other learners in one figure.

        Both seats are pooled. The legend shows the training cost of each learner.

        Args:
            others: Learning curves at the same game.
            kind: "score" against opponents, or "rating": Elo points by maximum likelihood from all results.
            over: What the x-axis shows: "episodes" of training, or "seconds" if times were recorded.
            against: The opponent to show; for ratings, the opponent whose rating is 0. Default: a curve for
                each opponent; for ratings, the first.
            band: "interval", the 95 % interval of the mean over seeds; "range", from the lowest to the
                highest seed; or "none".
            ax: Axes of matplotlib to draw on. Default: those of a new figure.

        Raises:
            ArenaError: If the curves are of several games, there is no such opponent, times are missing, or
                matplotlib is not installed.
        """
        rows = [row for one in (self, *others) for row in one.rows]
        return curve_figure(rows, kind, over=over, against=against, band=band, ax=ax)

    def remarks(self) -> list[str]:
        """Return a warning for each learner and opponent whose rows are from several versions of the code."""
        return [f"{self.path}: {line}" for line in several_codes(self.rows)]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [row._asdict() for row in self.rows]


def curve(
    entry: Entry,
    file: str | Path,
    *,
    game: GameEntry = None,
    against: Sequence[Entry] | str | None = None,
    seeds: int | None = None,
    points: int | Sequence[int] | None = None,
    matches: int | None = None,
    fresh_per_point: bool = False,
    cost: bool = False,
    protocol: str | None = None,
    conditions: Conditions | None = None,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
    **keywords: Unpack[ConditionKeywords],
) -> LearningCurve:
    """Write a learning curve as CSV: the scores of learners after given numbers of episodes.

    The learners are trained separately, with the seed of the entry and the following seeds, and store no
    models. If only a part of the entry learns, the entry plays with that part trained. An existing file is
    completed.

    Args:
        entry: The entry, as in `arena.match`.
        file: Path of the CSV file.
        game: The game, as in `arena.match`. Default: the first installed.
        against: The opponents. Default: `random`.
        seeds: Number of learners. Default: 5.
        points: Number of points, up to 100, or the numbers of episodes. Default: 20.
        matches: Number of matches at each point, against each opponent, from either seat. Default: 500.
        conditions: openings, which are the same for all learners at a point, and stall_seconds, the time
            limit for creating an agent, for an episode and for a move.
        fresh_per_point: Train a new learner for each point, with its option `episodes` set to the number of
            episodes at the point.
        cost: Also record the training time up to each point, which differs from run to run.
        protocol: Name of a protocol of the entry, whose settings replace arguments that are not passed.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.
        **keywords: Conditions one by one, such as `clock="60+0.6"`.

    Returns:
        The rows of the file.

    Raises:
        Stopped: If `stop` was set before the end.
        ArenaError: If the learner fails.
    """
    under = conditions_of("curve", conditions, keywords, TAKES)
    against = [against] if isinstance(against, str) else against
    known = known_with([entry, *(against or ())], game)
    how = Execution.of(known, workers, executor, progress, stop)
    spec = agent_spec(entry, known)
    found = protocol_of(spec, protocol) if protocol else None
    on = game_spec(game or (found.game if found else None), known)
    asked = asked_for(
        spec=spec,
        game=on,
        known=known,
        against=list(against or (found.against if found else ("random",))),
        seeds=(found.seeds if found else 5) if seeds is None else seeds,
        points=(found.points if found else 20) if points is None else points,
        matches=(found.matches if found else 500) if matches is None else matches,
        openings=str(in_text(NO_OPENINGS if under.openings is None else under.openings)),
        fresh_per_point=fresh_per_point or bool(found and found.fresh_per_point),
        stall_seconds=STALL_SECONDS if under.stall_seconds is None else under.stall_seconds,
        cost=cost,
    )
    rows = draw(asked, Path(file), known, how)
    return LearningCurve(Path(file), sorted(rows), len(asked.seeds), asked.points)


def asked_for(
    spec: Spec,
    game: Spec,
    known: Registry,
    against: Sequence[Entry],
    seeds: int,
    points: int | Sequence[int],
    matches: int,
    openings: str,
    fresh_per_point: bool,
    stall_seconds: float,
    cost: bool,
) -> curves.Curve:
    """Return the description of a learning curve to measure, or raise ArenaError."""
    seeds, matches = whole_number("seeds", seeds), whole_number("matches", matches)
    asked_points: Any = points
    one = hasattr(points, "__index__") and not hasattr(points, "__len__")
    points = index(asked_points) if one else ascending(asked_points)
    for name, number in {"seeds": seeds, "matches": matches, "points": points}.items():
        if isinstance(number, int) and number < 1:
            raise ArenaError(f"{name} is {number}, but must be at least 1")
    check_range("stall_seconds", stall_seconds, 0, 10**6)
    made = make_game(game)
    check_entries([spec], made)
    learner = learner_in(spec)
    check_learns(learner, game)
    opponents = [agent_spec(one, known) for one in against]
    check_entries(opponents, made)
    if isinstance(points, int):
        if points > MOST_POINTS:
            or_typed = either(f"--points '{points},' or ", "")
            raise ArenaError(
                f"points is {points}, but at most {MOST_POINTS} points are possible; "
                f"for a single point after {points} episodes pass {or_typed}points=[{points}]"
            )
        least = len(shards_of(learner)) or 1 if fresh_per_point else 0
        points = [n for n in curves.geometric_points(learner.values["episodes"], points) if n >= least]
    first = learner.values["seed"]
    asked = curves.Curve(
        entry=spec,
        learner=learner,
        game=game,
        seeds=range(first, first + seeds),
        points=points,
        opponents=opponents,
        matches=matches,
        max_plies=made.max_plies,
        fresh_per_point=fresh_per_point,
        codes={one.text: code_of(spec, one, game) for one in opponents},
        stall_seconds=stall_seconds,
        openings=Openings.of(openings, None, made, Streams(0), made.max_plies),
        began_with=openings,
        timed=cost,
    )
    curves.check(asked)
    return asked


def ascending(points: Sequence[int]) -> list[int]:
    """Return numbers of episodes in ascending order, without duplicates, or raise ArenaError."""
    try:
        found = sorted({index(point) for point in points})
    except TypeError:
        found = []
    if not found or found[0] < 0:
        raise ArenaError(
            f"points is {points!r}; pass the number of points, or episodes from 0, such as [10, 100, 1000]"
        )
    return found


def draw(asked: curves.Curve, file: Path, known: Registry, how: Execution) -> list[Row]:
    """Compute the missing rows of a curve, write them to the file, and return all rows; or raise Stopped."""
    rows = written(file)
    curves.check_rows(asked, rows, str(file))
    curves.write(rows, str(file))  # raises early if the file cannot be written
    missing = curves.missing_runs(asked, rows)
    if missing:
        needed = [*asked.opponents, *asked.learner.nested()]
        train_first(needed, asked.game, known, how, asked.stall_seconds, strict=True)
    planned = len(asked.seeds) * len(asked.points)
    done = planned - sum(len(run.points) for run in missing)
    with how.showing(f"Curve of {asked.name}", "points") as tell:
        tell(done, planned)
        for more in curves.draw(asked, missing, how):
            rows = list({*rows, *more})
            done += 1
            curves.write(rows, str(file))
            tell(done, planned)
    if done < planned:
        there = f"{file} keeps them, and the same command continues"
        raise Stopped(f"Stopped after {done} of {planned} points; {there}.")
    return rows


def written(file: Path) -> list[Row]:
    """Return the rows in the file of a learning curve, none if it does not exist; or raise ArenaError."""
    if not os.path.isfile(file) or not os.path.getsize(file):
        return []
    return read_one(str(file))


def protocol_of(spec: Spec, name: str) -> Protocol:
    """Return an agent's protocol by name, or raise ArenaError."""
    protocols, agent = spec.cls.protocols, name_in(spec.text)
    if name not in protocols:
        remedy = did_you_mean(name, protocols) or "; it has none; pass the settings"
        raise ArenaError(f"{agent} has no protocol called {name!r}{remedy}")
    found: Protocol = protocols[name]
    return found
