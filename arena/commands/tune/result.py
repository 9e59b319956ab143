"""What `arena.tune` gives: the values it has found, and whether they are better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.analysis.spsa import Parameter
from arena.analysis.tuning import Confirmation, score_of
from arena.ratings.verdict import elo_of, signed
from arena.show.grid import Grid
from arena.show.presentation import Line, Part, Shown
from arena.wording import argument

NEAR = 0.02  # of a range, within which a value lies at its end


@dataclass(frozen=True, repr=False)
class Tuned(Shown):
    """What was found for an entry's options.

    entry: as it was. tuned: with the values found, `best`. course: where the search began, and was after each
    iteration; scores: in each, what the values above have scored against those below, from 0 to 1. matches:
    of all iterations. confirmation: the test of what was found against the start, None if that was not begun.
    forfeits: of any matches, and the first of them in words. stopped: whether it was, before its end.
    """

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
        """What was found, by option."""
        return {one.name: value for one, value in zip(self.parameters, self.best, strict=True)}

    @property
    def better(self) -> bool:
        """Whether the test says that what was found is better than the start."""
        return self.confirmation is not None and self.confirmation.decision == "high"

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
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
        """What the test says, in words."""
        test = self.confirmation
        if self.tuned == self.entry:
            return f"No gain was found: the best values known are those of {self.entry}."
        if test is None or not test.played:
            return f"{self.tuned} has not been held against {self.entry} yet."
        score = score_of(test.counts)
        facts = f"scores {100 * score:.1f} % against {self.entry} in {2 * test.played:,} other matches"
        if test.decision is None:
            return f"No gain was shown: {self.tuned} {facts}, which decides nothing yet."
        middle, low, high = test.test.estimate(test.counts)
        facts += f": normalised Elo {signed(middle)}, 95 % from {signed(low)} to {signed(high)}"
        if test.decision == "low":
            return f"No gain was shown: {self.tuned} {facts}."
        return f"Better: {self.tuned} {facts}; Elo {signed(elo_of(score))}."

    def remarks(self) -> list[str]:
        """Return the sentences that are printed below."""
        found = [
            f"{one.name} {value:g} is at the end of {one.low:g}..{one.high:g}; a wider range may have better"
            for one, value in zip(self.parameters, self.best, strict=True)
            if not NEAR <= (value - one.low) / one.width <= 1 - NEAR
            and (not one.whole or value in (one.low, one.high))
        ]
        if self.forfeits:
            found.append(f"{self.forfeits:,} matches were forfeited, the first by {self.fault}")
        return found

    def hints(self) -> list[str]:
        """Return what to type or call next."""
        plot, matches = argument("plot", "FILE.svg"), argument("matches")
        return [f"Whether values have settled is seen with {plot}; more {matches} take them further."]

    def to_dicts(self) -> list[dict[str, object]]:
        """A dictionary for each iteration, with what was known before the first."""
        names = [one.name for one in self.parameters]
        scores = [None, *self.scores]
        return [
            {"iteration": i, "score": score, **dict(zip(names, values, strict=True))}
            for i, (score, values) in enumerate(zip(scores, self.course, strict=True))
        ]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
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
