"""The result of `arena.tune` for a learner: the values found, and whether they are better on new seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.analysis.halving import Round
from arena.api.spec import Spec
from arena.commands.tune.candidates import Choice, shown
from arena.ratings.over_seeds import Mean, mean_of
from arena.ratings.verdict import signed
from arena.show.figures import Interval, intervals
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Line, Part, Shown
from arena.texts import argument

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class TunedLearner(Shown):
    """The result of tuning a learner's options.

    Attributes:
        game: The game.
        entry: The entry with the initial values.
        tuned: The entry with the values found.
        values: The values found, by option.
        choices: The values of all candidates, by option.
        scores: The scores of each candidate by training seed, from 0 to 1.
        dropped: The round after which each candidate was dropped; 0 if it was not dropped.
        rounds: The rounds of sequential halving.
        against: The opponents.
        trainings: Number of training runs of the search.
        episodes: Number of episodes of these training runs.
        seed: Seed of the random numbers.
        fresh: Scores of the winner and of the initial entry, by new training seed.
        confirm: Number of new training seeds planned.
        forfeits: Number of matches that were forfeited.
        stopped: Whether tuning was stopped early.
    """

    frame_columns: ClassVar[Columns] = {
        "candidate": Column(int, "Number of the candidate, from 0."),
        "option": Column(str, "Name of the option."),
        "value": Column(str, "Its value for this candidate."),
        "seed": Column(int, "Number of the training seed, from 0."),
        "score": Column(float, "Mean score against the opponents, from 0 to 1."),
    }

    game: str
    entry: str
    tuned: str
    values: Choice
    choices: Sequence[Choice]
    scores: Sequence[Sequence[float]]
    dropped: Sequence[int]
    rounds: Sequence[Round]
    against: Sequence[str]
    trainings: int
    episodes: int
    seed: int
    fresh: tuple[Sequence[float], Sequence[float]]
    confirm: int
    forfeits: int = 0
    stopped: bool = False

    @property
    def confirmation(self) -> Mean | None:
        """The score of the values found minus that of the initial values on new seeds; None if incomplete."""
        one, other = (np.array(scores) for scores in self.fresh)
        if len(one) < self.confirm:
            return None
        return mean_of([one - other], -1.0, 1.0)

    @property
    def better(self) -> bool:
        """Whether the values found are significantly better than the initial values with new seeds."""
        return self.confirmation is not None and self.confirmation.low > 0

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield (
            f"{self.game}: {self.entry} tuned by {self.trainings:,} trainings of {len(self.choices):,} "
            f"candidates, {self.episodes:,} episodes, against {', '.join(self.against)}, seed {self.seed}"
        )
        order = sorted(range(len(self.choices)), key=lambda i: (-self.round_of(i), -self.score_of(i), i))
        names = [*self.choices[0]]
        rows = [
            [
                *(shown(self.choices[i][name]) for name in names),
                f"{100 * self.score_of(i):.1f} %" if self.scores[i] else "",
                f"{len(self.scores[i]):,}",
                str(self.dropped[i] or ""),
            ]
            for i in order
        ]
        yield Grid([*names, "score", "training seeds", "dropped in round"], rows, left=0)
        yield ""
        yield Line(self.verdict())

    def round_of(self, candidate: int) -> int:
        """Return the round after which a candidate was dropped; if it was not, the last round plus one."""
        return self.dropped[candidate] or len(self.rounds) + 1

    def score_of(self, candidate: int) -> float:
        """Return the mean score of a candidate over its training seeds; 0 without scores."""
        return fmean(self.scores[candidate] or [0.0])

    def verdict(self) -> str:
        """Return the result of the confirmation as a sentence."""
        if self.tuned == self.entry:
            return f"No improvement was found: the best known values are those of {self.entry}."
        mean = self.confirmation
        if mean is None:
            return f"{self.tuned} has not been compared with {self.entry} on fresh training seeds yet."
        value, low, high = (signed(100 * share, 1) for share in (mean.value, mean.low, mean.high))
        facts = (
            f"scores {value} points, 95 % from {low} to {high}, relative to {self.entry} on {self.confirm} "
            "fresh training seeds"
        )
        return f"{'Better' if self.better else 'No gain was shown'}: {self.tuned} {facts}."

    def remarks(self) -> list[str]:
        """Return warnings about values at the ends of their ranges, and about forfeits."""
        found = []
        for name, value in self.values.items():
            tried = {choice[name] for choice in self.choices if isinstance(choice[name], int | float)}
            if len(tried) > 2 and value in (min(tried), max(tried)):
                ends = f"{shown(min(tried))}..{shown(max(tried))}"
                found.append(
                    f"{name} {shown(value)} is at the end of {ends}; a wider range may contain better values"
                )
        if self.forfeits:
            found.append(f"{self.forfeits:,} matches were forfeited and count as lost")
        return found

    def hints(self) -> list[str]:
        """Return suggestions for the next run."""
        return [f"More {argument('trainings')} separate candidates that are close."]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each candidate, option and training seed."""
        return [
            {"candidate": i, "option": name, "value": shown(value), "seed": seed, "score": score}
            for i, (choice, scores) in enumerate(zip(self.choices, self.scores, strict=True))
            for seed, score in enumerate(scores)
            for name, value in choice.items()
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the mean score of each candidate, and a bar from its lowest to its highest seed.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        tried = [i for i, scores in enumerate(self.scores) if scores]
        tried.sort(key=lambda i: (-self.round_of(i), -self.score_of(i)))
        rows = {}
        for i in tried:
            name = ", ".join(f"{option}={shown(value)}" for option, value in self.choices[i].items())
            rows[name] = Interval(
                *(100 * share for share in (self.score_of(i), min(self.scores[i]), max(self.scores[i])))
            )
        return intervals(rows, "mean score (%), from the lowest to the highest seed", ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a row for each candidate and training seed, with its values and its score from 0 to 1."""
        return [
            {"candidate": i, "seed": seed, "score": score, **plain(choice)}
            for i, (choice, scores) in enumerate(zip(self.choices, self.scores, strict=True))
            for seed, score in enumerate(scores)
        ]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        mean, (one, other) = self.confirmation, self.fresh
        return {
            "game": self.game,
            "entry": self.entry,
            "tuned": self.tuned,
            "values": plain(self.values),
            "better": self.better,
            "against": [*self.against],
            "trainings": self.trainings,
            "episodes": self.episodes,
            "seed": self.seed,
            "stopped": self.stopped,
            "forfeits": self.forfeits,
            "confirmation": mean
            and {
                "difference": mean.value,
                "low": mean.low,
                "high": mean.high,
                "p_value": mean.p_value,
                "scores": [*one],
                "start_scores": [*other],
            },
            "rounds": [one._asdict() for one in self.rounds],
            "candidates": [
                {"values": plain(choice), "score": self.score_of(i), "dropped": self.dropped[i]}
                for i, choice in enumerate(self.choices)
            ],
            "scores": self.to_dicts(),
        }


def plain(choice: Choice) -> Mapping[str, object]:
    """Return the values of a candidate for JSON, with entries as text."""
    return {name: value.text if isinstance(value, Spec) else value for name, value in choice.items()}
