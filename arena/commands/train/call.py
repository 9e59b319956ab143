"""The function `arena.train`, which trains a learner and stores its model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from arena.api.learner import Arrays, Learner
from arena.calls.arguments import Entry, GameEntry, agent_spec, game_spec, known_with
from arena.calls.execution import Execution, ExecutorEntry, train_first
from arena.errors import ArenaError, one_line
from arena.plan.entries import check_entries, make_game
from arena.results.settings import STALL_SECONDS, check_range
from arena.show.figures import Band, Curve, lines, shares
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown
from arena.show.rate import pace
from arena.storage import model_file
from arena.storage.model_file import About
from arena.training.learners import check_learns, learners, made_learner, shards_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN, LAST = 50, 5  # maximum number of rows of findings shown; number of these from the end
FACTS = ("agent", "game", "episodes", "wins", "draws", "losses", "seconds", "sha256")


@dataclass(frozen=True, repr=False)
class Trained(Shown):
    """A trained learner.

    Attributes:
        about: Description of the model.
        path: Path of the model.
        plays: Whether the learner's episodes are games.
        findings: Findings that the learner reports, as columns of a table by name; may be empty.
    """

    frame_columns: ClassVar[Columns] = {
        "model": Column(str, "Name of the model."),
        "agent": Column(str, "The learner."),
        "game": Column(str, "The game."),
        "episodes": Column(int, "Number of episodes."),
        "wins": Column(int, "Number of wins in training."),
        "draws": Column(int, "Number drawn."),
        "losses": Column(int, "Number lost."),
        "seconds": Column(float, "Training time, in seconds."),
        "bytes": Column(int, "Size of the model, in bytes."),
        "path": Column(str, "Path of the model."),
    }

    about: About
    path: Path
    plays: bool
    findings: Mapping[str, Sequence[float | str]]

    @property
    def score(self) -> float:
        """The score in the training games, from 0 to 1."""
        return (self.about.wins + self.about.draws / 2) / self.about.episodes

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        about = self.about
        if self.plays:
            speed = pace(about.episodes / max(about.seconds, 1e-9), "episodes")
            yield f"{about.agent} has learned {about.game} from {about.episodes:,} episodes, {speed}"
            ended = f"{about.wins:,} won, {about.draws:,} drawn, {about.losses:,} lost"
            yield f"  score in training: {100 * self.score:.1f} % ({ended})"
        else:
            yield f"{about.agent} has learned {about.game}, in {about.seconds:.2g} s"
        yield from findings_grid(self.findings)
        yield f"  model {about.key}, {self.path.stat().st_size / 1e6:,.3g} MB: {self.path}"

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the learner's findings against their first column, or without findings its training results.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        columns = {
            name: [float(cell) for cell in cells if not isinstance(cell, str)]
            for name, cells in self.findings.items()
        }
        columns = {name: cells for name, cells in columns.items() if cells}
        if len(columns) > 1:
            (first, at), *rest = columns.items()
            curves = [
                Curve(name, {x: [y] for x, y in zip(at, cells, strict=True)})
                for name, cells in rest
                if len(cells) == len(at)
            ]
            return lines(curves, (first, "as reported by the learner"), band=Band.NONE, ax=ax)
        about = self.about
        rows = {about.agent: (about.wins, about.draws, about.losses)}
        return shares(rows, "share of episodes (%)", ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [self.to_dict()]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        facts = {"model": self.about.key, **{name: getattr(self.about, name) for name in FACTS}}
        facts |= {"bytes": self.path.stat().st_size, "path": str(self.path)}
        return {**facts, **({"findings": self.findings} if self.findings else {})}


def train(
    entry: Entry,
    *,
    game: GameEntry = None,
    retrain: bool = False,
    stall_seconds: float = STALL_SECONDS,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Trained:
    """Train a learner and store its model, which later uses of the entry load.

    If it is interrupted, the same call continues from the last checkpoint, with the same result.

    >>> import arena
    >>> found = arena.train("q-table:episodes=200", game="tic-tac-toe")
    >>> found.about.episodes, found.about.wins + found.about.draws + found.about.losses
    (200, 200)

    Args:
        entry: The entry, as in `arena.match`.
        game: The game, as in `arena.match`. Default: the first installed.
        retrain: Train again even if there is a model.
        stall_seconds: Time limit in seconds for creating the learner, and for each episode; 0: no limit.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The model, and the findings of the learner.

    Raises:
        ArenaError: If the entry does not learn, or fails.
        Stopped: If `stop` was set before the end.
    """
    known = known_with([entry], game)
    how = Execution.of(known, workers, executor, progress, stop)
    spec, on = agent_spec(entry, known), game_spec(game, known)
    if not issubclass(spec.cls, Learner):
        named = [f"{one.text!r}, which it names" for one in learners([spec])]
        instead = named[-1] if named else "a learner such as 'q-table'"
        raise ArenaError(f"{spec.text!r} does not learn; train {instead}")
    made = make_game(on)
    check_entries([spec], made)
    check_learns(spec, on)
    check_range("stall_seconds", stall_seconds, 0, 10**6)
    path = model_file.path_of(model_file.about_spec(spec, made))
    if retrain:
        for each in (spec, *shards_of(spec)):
            model_file.path_of(model_file.about_spec(each, made)).unlink(missing_ok=True)
    train_first([spec], on, known, how, stall_seconds, strict=True)
    model = model_file.read(path)
    return Trained(model.about, path, spec.cls.plays, findings_of(made_learner(spec, on), model.arrays))


def findings_of(learner: Learner, arrays: Arrays) -> Mapping[str, Sequence[float | str]]:
    """Load a model into a learner, and return the learner's findings; empty if it reports none.

    Raises:
        ArenaError: If the learner fails to recall its model or to report, or its columns differ in length.
    """
    if type(learner).findings is Learner.findings:
        return {}
    try:
        learner._recall_packed(arrays)
    except Exception as error:
        raise ArenaError(f"{learner.name} fails to recall its model: {one_line(error)}") from error
    try:
        found = learner.findings()
    except Exception as error:
        raise ArenaError(f"{learner.name} fails to report its findings: {one_line(error)}") from error
    if len({len(column) for column in found.values()}) > 1:
        raise ArenaError(f"{learner.name} has findings of different lengths; return columns of one length")
    return found


def findings_grid(found: Mapping[str, Sequence[float | str]]) -> Iterator[Grid]:
    """Yield a table of findings, if there are any; rows in the middle of long tables are left out."""
    lines = zip(*found.values(), strict=True)
    rows = [[x if isinstance(x, str) else f"{x:.10g}" for x in line] for line in lines]
    if len(rows) > SHOWN:
        rows[SHOWN - LAST : -LAST] = [["…"] * len(found)]
    if rows:
        yield Grid(list(found), rows, left=sum(isinstance(column[0], str) for column in found.values()))
