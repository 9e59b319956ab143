"""The result of `arena.compare`: scores of methods over training seeds, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.ratings import over_seeds
from arena.ratings.comparison import holm
from arena.ratings.likelihood import Floats
from arena.ratings.over_seeds import Interval, mean_of
from arena.ratings.power import POWER, detectable, seeds_needed
from arena.ratings.verdict import signed
from arena.rng import derive, seed_in_json, seed_text
from arena.show import figures
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Line, Part, Shown
from arena.texts import argument, call, either

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EACH_OTHER = "each other"  # name of the opponent in matches among the methods
SHARES = (0.25, 0.5, 0.75, 0.9)  # thresholds of the profile in the table
STEPS = 20  # number of thresholds of the profile in JSON
FEW = 10  # seeds below which percentile intervals of the bootstrap are too narrow
SCORE, IMPROVEMENT, PROFILE = range(3)  # indices of the random streams of the bootstrap


@dataclass(frozen=True)
class GamePoints:
    """The points of all methods at one game.

    Attributes:
        game: The game.
        opponents: Opponents in order; `each other` for matches among the methods.
        points: float64 [methods, seeds, opponents, rounds], the mean score of a round, from 0 to 1.
        tournament: Number under which the matches are recorded.
    """

    game: str
    opponents: Sequence[str]
    points: Floats
    tournament: int

    @property
    def scores(self) -> Floats:
        """The mean scores, float64 [methods, seeds, opponents]."""
        found: Floats = self.points.mean(axis=3)
        return found


@dataclass(frozen=True)
class MethodScore:
    """The scores of a method over seeds and games, from 0 to 1, each with its 95 % interval.

    Attributes:
        method: The method.
        mean: Mean over games, with an interval by Student's t over seeds.
        middle: Interquartile mean over all seeds, games and opponents, with an interval by Student's t
            and the bootstrap's standard error.
        above: Share of these scores above each threshold of the profile.
    """

    method: str
    mean: Interval
    middle: Interval
    above: Mapping[float, float]


@dataclass(frozen=True)
class MethodDifference:
    """The difference of two methods' mean scores, paired by seed.

    Attributes:
        first: The first method.
        second: The second method.
        difference: Score of the first method minus that of the second, from -1 to 1.
        low: Lower end of the 95 % interval.
        high: Upper end of the 95 % interval.
        p_value: P-value of the two-sided test of no difference.
        adjusted: The p-value adjusted for the number of pairs of methods (Holm 1979).
        improvement: Probability that the first method, trained with a random seed, scores more than the
            second, trained with a random seed; with its 95 % interval.
        from_matches: Share of the variance between seeds that comes from matches and openings; None if
            unknown.
        detectable: Smallest difference that this number of seeds shows in 80 % of comparisons.
        seeds_needed: Number of seeds that show a difference of `detect` in 80 % of comparisons; None if above
            100,000.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    adjusted: float
    improvement: Interval
    from_matches: float | None
    detectable: float
    seeds_needed: int | None

    @property
    def decided(self) -> bool:
        """Whether the interval excludes 0."""
        return not self.low <= 0 <= self.high


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """A comparison of methods over training seeds.

    Attributes:
        methods: The methods, as entries.
        games: The points of the methods, for each game.
        seeds: Number of training seeds.
        rounds: Number of rounds against each opponent, for each seed.
        seed: Seed of all random numbers.
        detect: Difference of scores for which `seeds_needed` is computed.
        db: Path of the database.
        names: Short names, by method.
        forfeits: Number of matches that were forfeited.
        copies: Number of matches that repeat others of the same seed move for move.
    """

    frame_columns: ClassVar[Columns] = {
        "method": Column(str, "The entry compared."),
        "game": Column(str, "The game."),
        "opponent": Column(str, "The opponent; `each other` for matches among the methods."),
        "seed": Column(int, "Number of the training seed, from 0."),
        "score": Column(float, "Mean score against the opponent, from 0 to 1."),
    }

    methods: Sequence[str]
    games: Sequence[GamePoints]
    seeds: int
    rounds: int
    seed: int
    detect: float
    db: str
    names: Mapping[str, str] = field(default_factory=dict)
    forfeits: int = 0
    copies: int = 0

    def scores_of(self, method: int) -> list[Floats]:
        """Return the scores of a method for each game, float64 [seeds, opponents]."""
        return [one.scores[method] for one in self.games]

    @cached_property
    def scores(self) -> list[MethodScore]:
        """The scores of each method."""
        return [self.score_of(i) for i in range(len(self.methods))]

    def score_of(self, method: int) -> MethodScore:
        """Return the scores of a method by its index, with their intervals."""
        games = self.scores_of(method)
        mean = mean_of([one.mean(axis=1) for one in games], 0.0, 1.0)
        middle = over_seeds.studentized(
            lambda sample: over_seeds.interquartile_mean(over_seeds.pooled(sample)),
            games,
            seed=derive(self.seed, SCORE, method),
        )
        shares = over_seeds.profile(over_seeds.pooled(games), np.array(SHARES)).tolist()
        above = dict(zip(SHARES, shares, strict=True))
        return MethodScore(self.methods[method], Interval(mean.value, mean.low, mean.high), middle, above)

    @cached_property
    def differences(self) -> list[MethodDifference]:
        """The difference of each pair of methods, in the order of the methods."""
        pairs = [*combinations(range(len(self.methods)), 2)]
        means = [mean_of(self.paired(a, b), -1.0, 1.0) for a, b in pairs]
        adjusted = holm([mean.p_value for mean in means])
        found = []
        for (a, b), mean, p_value in zip(pairs, means, adjusted, strict=True):
            rounds = [(one.points[a] - one.points[b]).mean(axis=1) for one in self.games]
            improvement = over_seeds.bootstrap(
                over_seeds.improvement,
                self.scores_of(a),
                self.scores_of(b),
                seed=derive(self.seed, IMPROVEMENT, a, b),
            )
            games = mean.freedom / (self.seeds - 1)
            found.append(
                MethodDifference(
                    first=self.methods[a],
                    second=self.methods[b],
                    difference=mean.value,
                    low=mean.low,
                    high=mean.high,
                    p_value=mean.p_value,
                    adjusted=p_value,
                    improvement=improvement,
                    from_matches=over_seeds.share_of_matches(rounds),
                    detectable=detectable(self.seeds, mean.spread, games),
                    seeds_needed=seeds_needed(self.detect, mean.spread, games) if mean.spread else None,
                )
            )
        return found

    def paired(self, first: int, second: int) -> list[Floats]:
        """Return the differences of two methods by seed, for each game, float64 [seeds]."""
        return [(one.scores[first] - one.scores[second]).mean(axis=1) for one in self.games]

    def profile(self, method: str, thresholds: Sequence[float]) -> list[Interval]:
        """Return the share of a method's scores above each threshold, with pointwise 95 % intervals.

        The scores are those of all seeds, games and opponents; the intervals are by bootstrap.
        """
        number = self.methods.index(method)
        seed = derive(self.seed, PROFILE, number)
        ends = over_seeds.band(self.scores_of(number), np.array(thresholds), seed)
        return [Interval(*values) for values in zip(*(one.tolist() for one in ends), strict=True)]

    # --- output -----------------------------------------------------------------------------------------

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for one in self.games:
            against = ", ".join(one.opponents)
            yield (
                f"{one.game}, {self.seeds} training seeds, {self.rounds:,} rounds of 2 matches against "
                f"{against}, seed {seed_text(self.seed)}, tournament {one.tournament} in {self.db}"
            )
        columns = ["entry", "score", "95 %", "IQM", "95 %", *(f"> {100 * share:.0f} %" for share in SHARES)]
        rows = [
            [
                self.name(one.method), f"{100 * one.mean.value:.1f} %", ends(one.mean),
                f"{100 * one.middle.value:.1f} %", ends(one.middle),
                *(f"{100 * share:.0f} %" for share in one.above.values()),
            ]
            for one in self.scores
        ]  # fmt: skip
        spare = [f"> {100 * share:.0f} %" for share in (SHARES[0], SHARES[2], SHARES[1], SHARES[3])]
        yield Grid(columns, rows, spare=spare)
        yield ""
        yield self.differences_grid()
        yield ""
        for difference in self.differences:
            yield Line(self.verdict(difference))
        for difference in self.differences:
            yield Line(self.outlook(difference))

    def differences_grid(self) -> Grid:
        """Return the table of differences."""
        adjusted = len(self.methods) > 2
        columns = ["first", "second", "difference", "95 %", "p", "adjusted", "P(first > second)", "95 %"]
        rows = [
            [
                self.name(one.first), self.name(one.second), signed(100 * one.difference, 1),
                f"({signed(100 * one.low, 1)} to {signed(100 * one.high, 1)})",
                p_text(one.p_value), p_text(one.adjusted),
                f"{one.improvement.value:.2f}", f"({one.improvement.low:.2f} to {one.improvement.high:.2f})",
            ]
            for one in self.differences
        ]  # fmt: skip
        grid = Grid(columns, rows, left=2, spare=["adjusted", "p"])
        return grid if adjusted else grid.without(["adjusted"])

    def name(self, method: str) -> str:
        """Return the name of a method in tables."""
        return self.names.get(method, method)

    def verdict(self, one: MethodDifference) -> str:
        """Return the difference of two methods in words."""
        first, second = self.name(one.first), self.name(one.second)
        if not one.decided:
            return f"No significant difference between {first} and {second}."
        better, worse = (first, second) if one.difference > 0 else (second, first)
        return f"{better} is better than {worse}."

    def outlook(self, one: MethodDifference) -> str:
        """Return a sentence about what more seeds or matches would show."""
        if not one.detectable:
            return "All seeds have the same score, so the number of seeds needed is unknown."
        many = "over 100,000" if one.seeds_needed is None else f"{one.seeds_needed:,}"
        found = (
            f"With {self.seeds} seeds, a difference of {100 * one.detectable:.1f} points is shown in "
            f"{100 * POWER:.0f} % of comparisons; {100 * self.detect:g} points would take {many} seeds."
        )
        if len(self.methods) > 2:
            found = f"{self.name(one.first)} and {self.name(one.second)}: {found[0].lower()}{found[1:]}"
        if one.from_matches is None:
            return found
        share = f"{100 * one.from_matches:.0f} %"
        return f"{found} Matches and openings make {share} of the variance between seeds."

    def remarks(self) -> list[str]:
        """Return warnings about few seeds, forfeits, and matches that repeat others."""
        found = []
        if self.seeds < FEW:
            found.append(
                f"with {self.seeds} seeds the intervals of probabilities, by bootstrap, are too narrow; "
                "those of scores, IQM and differences hold"
            )
        if self.forfeits:
            number = self.games[0].tournament
            faults = either(
                call("tournaments show", number, faults=True, db=self.db),
                call("tournaments faults", number, db=self.db),
            )
            found.append(f"{self.forfeits:,} matches were forfeited and count as lost; see {faults}")
        if self.copies:
            found.append(
                f"{self.copies:,} matches repeat others of the same seed move for move; "
                f"{argument('openings', 'random:N')} makes them differ"
            )
        return found

    def hints(self) -> list[str]:
        """Return an explanation of the columns."""
        return [
            "score: mean over seeds, opponents and games. IQM: mean of the middle half of these scores.",
            "difference: in points, hundredths of a score, paired by seed. P(first > second): probability "
            "that a seed of the first scores more than one of the second.",
            "> 50 %: share of these scores above 50 %; "
            f"{either('--json', 'profile()')} has the full profile.",
        ]

    # --- data -------------------------------------------------------------------------------------------

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the mean score of each method, with its 95 % interval over seeds.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        drawn = {
            self.name(one.method): figures.Interval(*(100 * share for share in one.mean))
            for one in self.scores
        }
        return figures.intervals(drawn, "score (%), 95 % interval over training seeds", ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a row for each method, game, opponent and training seed, with its score from 0 to 1."""
        return [
            {"method": method, "game": one.game, "opponent": opponent, "seed": seed, "score": score}
            for one in self.games
            for m, method in enumerate(self.methods)
            for o, opponent in enumerate(one.opponents)
            for seed, score in enumerate(one.scores[m, :, o].tolist())
        ]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        thresholds = [i / STEPS for i in range(STEPS)]
        return {
            "methods": [
                {
                    "method": one.method,
                    "name": self.name(one.method),
                    "score": one.mean._asdict(),
                    "iqm": one.middle._asdict(),
                    "profile": [
                        {"above": threshold, **share._asdict()}
                        for threshold, share in zip(
                            thresholds, self.profile(one.method, thresholds), strict=True
                        )
                    ],
                }
                for one in self.scores
            ],
            "differences": [
                {**asdict(one), "improvement": one.improvement._asdict(), "decided": one.decided}
                for one in self.differences
            ],
            "seeds": self.seeds,
            "rounds": self.rounds,
            "seed": seed_in_json(self.seed),
            "detect": self.detect,
            "forfeits": self.forfeits,
            "copies": self.copies,
            "db": self.db,
            "tournaments": {one.game: one.tournament for one in self.games},
            "scores": self.to_dicts(),
        }


def ends(interval: Interval) -> str:
    """Return the ends of an interval of scores as text."""
    return f"({100 * interval.low:.1f} to {100 * interval.high:.1f})"


def p_text(p_value: float) -> str:
    """Return a p-value as text."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
