"""The result of `arena.tune`: the values found, and whether they are better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.spsa import Parameter
from arena.analysis.tuning import Confirmation, score_of
from arena.ratings.verdict import elo_of, signed
from arena.show.figures import Band, Curve, lines
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Line, Part, Shown
from arena.texts import argument

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAR = 0.02  # values within this share of a range from its end are reported


@dataclass(frozen=True, repr=False)
class Tuned(Shown):
    """The result of tuning an entry's options.

    Attributes:
        game: The game.
        entry: The entry with the initial values.
        tuned: The entry with the values found.
        parameters: The options, with their ranges.
        best: The values found.
        course: Initial values, and values after each iteration.
        scores: Score of the first of two perturbed points against the second in each iteration, from 0 to 1.
        matches: Number of matches of the search.
        seed: Seed of the random numbers.
        confirmation: The test of the values found against the initial values; None if it has not begun.
        forfeits: Number of matches that were forfeited.
        fault: Description of the first forfeit; empty without one.
        stopped: Whether tuning was stopped early.
    """

    frame_columns: ClassVar[Columns] = {
        "iteration": Column(int, "Number of the iteration; 0 is the start."),
        "option": Column(str, "Name of the option."),
        "value": Column(float, "Its value after the iteration."),
        "score": Column(float, "Score in the iteration, from 0 to 1, of the first of two perturbed points."),
    }

    game: str
    entry: str
    tuned: str
    parameters: Sequence[Parameter]
    best: Sequence[float]
    course: Sequence[Sequence[float]]
    scores: Sequence[float]
    matches: int
    seed: int
    confirmation: Confirmation | None = None
    forfeits: int = 0
    fault: str = ""
    stopped: bool = False

    @property
    def values(self) -> dict[str, float]:
        """The values found, by option."""
        return {one.name: value for one, value in zip(self.parameters, self.best, strict=True)}

    @property
    def better(self) -> bool:
        """Whether the values found are significantly better than the initial values in the test."""
        return self.confirmation is not None and self.confirmation.decision == "high"

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        played = f"{self.matches:,} matches in {len(self.scores):,} iterations, seed {self.seed}"
        yield f"{self.game}: {self.entry} tuned by {played}"
        rows = [
            [one.name, f"{one.low:g}", f"{one.high:g}", f"{one.start:g}", f"{value:g}"]
            for one, value in zip(self.parameters, self.best, strict=True)
        ]
        yield Grid(["option", "low", "high", "start", "found"], rows)
        yield ""
        yield Line(self.verdict())

    def verdict(self) -> str:
        """Return the result of the test as a sentence."""
        test = self.confirmation
        if self.tuned == self.entry:
            return f"No improvement was found: the best known values are those of {self.entry}."
        if test is None or not test.played:
            return f"{self.tuned} has not been tested against {self.entry} yet."
        score = score_of(test.counts)
        facts = f"scores {100 * score:.1f} % against {self.entry} in {2 * test.played:,} other matches"
        if test.decision is None:
            return f"No gain was shown: {self.tuned} {facts}, which is not yet conclusive."
        middle, low, high = test.test.estimate(test.counts)
        facts += f": normalised Elo {signed(middle)}, 95 % from {signed(low)} to {signed(high)}"
        if test.decision == "low":
            return f"No gain was shown: {self.tuned} {facts}."
        return f"Better: {self.tuned} {facts}; Elo {signed(elo_of(score))}."

    def remarks(self) -> list[str]:
        """Return warnings about values at the ends of their ranges, and about forfeits."""
        found = [
            f"{one.name} {value:g} is at the end of {one.low:g}..{one.high:g}; "
            f"a wider range may have better values"
            for one, value in zip(self.parameters, self.best, strict=True)
            if not NEAR <= (value - one.low) / one.width <= 1 - NEAR
            and (not one.whole or value in (one.low, one.high))
        ]
        if self.forfeits:
            found.append(f"{self.forfeits:,} matches were forfeited, the first by {self.fault}")
        return found

    def hints(self) -> list[str]:
        """Return suggestions for the next run."""
        plot, matches = argument("plot", "FILE.svg"), argument("matches")
        return [f"{plot} shows whether the values have converged; more {matches} continue the search."]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for the initial value of each option, and for its value after each iteration."""
        return [
            {"iteration": i, "option": one.name, "value": value, "score": score}
            for i, (score, values) in enumerate(zip([None, *self.scores], self.course, strict=True))
            for one, value in zip(self.parameters, values, strict=True)
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the value of each option over the iterations, as a share of its range.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        courses = [
            Curve(
                f"{one.name} ({one.low:g} to {one.high:g})",
                {i: [100 * (values[place] - one.low) / one.width] for i, values in enumerate(self.course)},
            )
            for place, one in enumerate(self.parameters)
        ]
        titles = "iteration", "place in the range (%)"
        return lines(courses, titles, band=Band.NONE, limits=(0, 100), ax=ax, logarithmic=False)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for the initial values and for each iteration."""
        names = [one.name for one in self.parameters]
        scores = [None, *self.scores]
        return [
            {"iteration": i, "score": score, **dict(zip(names, values, strict=True))}
            for i, (score, values) in enumerate(zip(scores, self.course, strict=True))
        ]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        test = self.confirmation
        return {
            "game": self.game,
            "entry": self.entry,
            "tuned": self.tuned,
            "values": self.values,
            "better": self.better,
            "matches": self.matches,
            "seed": self.seed,
            "stopped": self.stopped,
            "forfeits": self.forfeits,
            "confirmation": test
            and {
                "low": test.test.low,
                "high": test.test.high,
                "accepts": test.decision,
                "matches": 2 * test.played,
                "pairs": test.counts,
                "score": score_of(test.counts),
            },
            "course": self.to_dicts(),
        }
