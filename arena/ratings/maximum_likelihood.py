"""Ratings from results by maximum likelihood, with intervals.

A result is from the first player's side: 1 win, 0 draw, -1 loss. Ratings are in Elo points; a difference of
400 means odds of ten wins to one loss.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arena.api.options import option
from arena.api.rating import CONFIDENCE, Rating, RatingSystem, Results, Spread
from arena.errors import ArenaError
from arena.ratings.between_seeds import spread_between
from arena.ratings.dependence import Dependence, combined
from arena.ratings.likelihood import Flags, Floats, Likelihood
from arena.ratings.near_maximum import NearMaximum, Places
from arena.ratings.profile import MANY, drops, ends
from arena.ratings.statistics import POINTS
from arena.ratings.student import quantile
from arena.texts import error_text

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

NUMBERS = 1 << 21  # maximum size of an array for a block of contrasts
CLOSE = 1.5  # differences within this factor of the critical one are decided by the whole likelihood
MOST = 1000  # maximum number of such differences; each takes about a millisecond
STOPPED = "Intervals are wider because matches ended once differences were clear."
SHARED = "Intervals account for the correlation of matches with the same opening."


class Fit:
    """The result of a maximum-likelihood fit; ratings are in Elo points.

    Intervals are computed from the profile likelihood when they are needed.

    Attributes:
        likelihood: The likelihood of all results.
        mean: The mean of the ratings.
        rows: Results by opening, int64 [rows, 6], see `Results.openings`. Intervals account for the
            correlation of matches with the same opening. None if matches are independent.
        seeds: Results by seed, see `Results.seeds`, by index of the learner. Intervals account
            for the correlation of matches with the same seed.
        always: Whether intervals are anytime-valid: with 95 % confidence they hold at all times of the
            tournament.
        maximum: The parameters, float64 [n + 2], and their covariance, float64 [n + 2, n + 2], in log odds.
        unbounded: Which parameters results do not bound from above, and which they do not bound from below,
            bool [n + 2] each.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        mean: float,
        rows: ByOpening | None = None,
        seeds: Mapping[int, ByOpening] | None = None,
        always: bool = False,
    ) -> None:
        self.likelihood, self.mean, self.always = likelihood, mean, always
        self.rows, self.seeds = rows, seeds or {}
        self.maximum = likelihood.maximum()
        self.unbounded = likelihood.unbounded()

    @cached_property
    def dependences(self) -> list[Dependence]:
        """The dependence between matches of an opening, and, for each learner, between matches of a seed."""
        shared = [(rows, False) for rows in self.seeds.values()]
        if self.rows is not None:
            shared.insert(0, (self.rows, True))
        return [
            Dependence(self.likelihood, self.maximum[0], rows, pooled) for rows, pooled in shared if len(rows)
        ]

    @cached_property
    def near(self) -> NearMaximum | None:
        """Precomputed properties of the likelihood near its maximum; None if there are few entries."""
        return NearMaximum(self.likelihood, self.maximum[0]) if self.likelihood.entries >= MANY else None

    def dependent(self, contrasts: Floats, open: Flags | None = None) -> tuple[Floats, Floats]:
        """Return each contrast's variance relative to independent matches, and its degrees of freedom.

        Args:
            contrasts: float64 [contrasts, n + 2], see `arena.ratings.profile`.
            open: bool [contrasts]. The contrasts whose interval has an open end.

        Returns:
            float64 [contrasts] each.
        """
        if not self.dependences:
            return np.ones(len(contrasts)), np.full(len(contrasts), np.inf)
        return combined([found.of(contrasts, open) for found in self.dependences])

    def spreads(self) -> dict[int, Spread]:
        """Return the spread of ratings over the seeds of each learner with several, by its index."""
        return {
            entry: spread_between(self.likelihood, self.maximum[0], entry, rows)
            for entry, rows in self.seeds.items()
        }

    @property
    def values(self) -> Floats:
        """The ratings, the first-move advantage and the draw parameter, float64 [n + 2]."""
        values = POINTS * self.maximum[0]
        values[: self.likelihood.entries] += self.mean
        return values

    @property
    def covariance(self) -> Floats:
        """The covariance of `values`, from the curvature at the maximum, float64 [n + 2, n + 2]."""
        return POINTS**2 * self.maximum[1]

    @cached_property
    def ratings(self) -> list[Rating]:
        """A rating for each entry, with an interval relative to the mean of all ratings."""
        n = self.likelihood.entries
        about_mean = np.eye(n, n + 2)
        about_mean[:, :n] -= 1 / max(n, 1)
        above, below = (flags[:n] for flags in self.unbounded)
        return self.intervals(self.mean, about_mean, above, below)

    def from_anchor(self, anchor: int, at: float) -> list[Rating]:
        """Return a rating for each entry, relative to an entry whose rating is fixed.

        Args:
            anchor: Index of the entry with the fixed rating.
            at: The rating of this entry.
        """
        n = self.likelihood.entries
        contrasts = np.eye(n, n + 2)
        contrasts[:, anchor] -= 1
        above, below = (flags[:n] for flags in self.unbounded)
        return self.intervals(at, contrasts, above | below[anchor], below | above[anchor])

    @cached_property
    def first_move(self) -> Rating:
        """The first-move advantage: the rating points that moving first is worth."""
        return self.parameter(-2)

    @cached_property
    def draw(self) -> Rating:
        """The draw parameter. An increase of 400 points multiplies the odds of a draw by ten.

        At 0 a win, a draw and a loss are equally likely between equal players.
        """
        return self.parameter(-1)

    def difference(self, one: int, other: int) -> Rating:
        """Return the rating difference of two entries, with its own interval."""
        return self.differences(np.array([one]), np.array([other]))[0]

    def differences(self, ones: Places, others: Places) -> list[Rating]:
        """Return the rating difference of each pair, first minus second entry, see `difference`.

        Args:
            ones: int [pairs]. First entry of each pair.
            others: int [pairs]. Second entry of each pair.
        """
        unit = np.eye(self.likelihood.entries + 2)
        above, below = self.unbounded
        higher, lower = above[ones] | below[others], below[ones] | above[others]
        return self.intervals(0.0, unit[ones] - unit[others], higher, lower)

    def ranks(self, among: Places | None = None) -> list[tuple[int, int]]:
        """Return the best and the worst plausible rank of each entry.

        All ranges hold simultaneously with 95 % confidence. They follow from the numbers of entries that are
        significantly above and below each entry (Al Mohamad, Goeman & van Zwet 2022).

        Args:
            among: int [m]. The entries to rank among each other. Default: all.
        """
        above = self.above if among is None else self.above_among(among)
        best, worst = 1 + above.sum(axis=0), len(above) - above.sum(axis=1)
        return list(zip(best.tolist(), worst.tolist(), strict=True))

    @cached_property
    def above(self) -> Flags:
        """The result of `above_among` for all entries, bool [n, n]."""
        return self.above_among(np.arange(self.likelihood.entries))

    def above_among(self, places: Places) -> Flags:
        """Return which of some entries are significantly above which others, tested jointly.

        Clear differences are decided by the curvature at the maximum. Close differences, and those next to a
        shut-out, are decided by the whole likelihood, like intervals.

        Args:
            places: int [m]. The entries.

        Returns:
            bool [m, m]. Whether the row's entry is above the column's.
        """
        n, values, unsure = self.likelihood.entries, self.maximum[0][places], level_of(len(places))
        every = np.array_equal(places, np.arange(n))
        errors, freedom = self.errors if every else self.errors_among(places)
        apart = (values[:, None] - values) / errors / quantile(1 - unsure / 2, freedom)
        above: Flags = apart > 1
        highest, lowest = (flags[places] for flags in self.unbounded)
        shut = highest[:, None] | lowest
        close = (apart > 1 / CLOSE) & (apart < CLOSE)
        open = shut & (apart > 0) & ~above
        ones, others = np.nonzero(close | open if close.sum() <= MOST else open)
        size = max(NUMBERS // (n + 2), 1)
        for begin in range(0, len(ones), size):
            one, other = ones[begin : begin + size], others[begin : begin + size]
            above[one, other] = self.is_above(
                places[one], places[other], shut[one, other], shut[other, one], unsure
            )
        return closed(above)

    def times_to_halve_ranks(self) -> int | None:
        """Return the factor by which the number of matches must grow to halve wide ranges of ranks.

        Returns:
            The factor. None if ranges are narrower than half of all ranks on average, if a factor of 100
            would not suffice, or if the number of matches depended on the results.
        """
        n = self.likelihood.entries
        if n < 3 or self.always:
            return None
        errors, freedom = self.errors
        apart = (self.maximum[0][:n, None] - self.maximum[0][:n]) / errors

        def width(times: int) -> float:
            above = apart * times**0.5 > quantile(1 - level_of(n) / 2, freedom * times)
            return float(n - above.sum() * 2 / n)

        now = width(1)
        if now <= n / 2:
            return None
        times = 2 + bisect_left(range(2, 101), True, key=lambda times: width(times) <= now / 2)
        return times if times <= 100 else None

    def is_above(
        self, ones: Places, others: Places, open_above: Flags, open_below: Flags, unsure: float
    ) -> Flags:
        """Return whether the profile likelihood shows each pair's first entry above its second, bool [pairs].

        Args:
            ones: int [pairs]. First entry of each pair.
            others: int [pairs]. Second entry of each pair.
            open_above: bool [pairs]. Whether the interval of the difference is open above.
            open_below: bool [pairs]. Whether the interval of the difference is open below.
            unsure: The significance level of each test.
        """
        n, each = self.likelihood.entries, np.arange(len(ones))
        contrasts = np.zeros((len(ones), n + 2))
        contrasts[each, ones], contrasts[each, others] = 1, -1
        ratios, freedom = self.dependent(contrasts, open_above | open_below)
        left = np.ones(len(ones), bool)
        if self.near is not None:
            drop = drops(
                self.likelihood,
                self.maximum[1],
                contrasts,
                open_above,
                open_below,
                1 / ratios,
                unsure,
                freedom,
            )
            left = ~self.near.may_be(contrasts, -contrasts @ self.maximum[0], drop[1])
        found = np.zeros(len(ones), bool)
        lows, _ = ends(
            self.likelihood,
            *self.maximum,
            contrasts[left],
            open_above[left],
            open_below[left],
            1 / ratios[left],
            unsure,
            freedom[left],
            near=self.near,
            lower_only=True,
        )
        found[left] = lows > 0
        return found

    @cached_property
    def errors(self) -> tuple[Floats, Floats]:
        """The result of `errors_among` for all entries, float64 [n, n] each."""
        return self.errors_among(np.arange(self.likelihood.entries))

    def errors_among(self, places: Places) -> tuple[Floats, Floats]:
        """Return standard errors of rating differences and their degrees of freedom, float64 [m, m] each.

        Differences are row minus column, in log odds.

        Args:
            places: int [m]. The entries.
        """
        n, m = self.likelihood.entries, len(places)
        covariance = self.maximum[1][np.ix_(places, places)]
        own = np.diag(covariance)
        errors = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
        freedom = np.full((m, m), np.inf)
        if not self.dependences:
            return errors, freedom
        unit = np.eye(n, n + 2)[places]
        for one in range(m - 1):
            others = slice(one + 1, m)
            ratios, degrees = self.dependent(unit[one] - unit[others])
            errors[one, others] *= np.sqrt(ratios)
            freedom[one, others] = degrees
            errors[others, one], freedom[others, one] = errors[one, others], degrees
        return errors, freedom

    def parameter(self, place: int) -> Rating:
        """Return a parameter that is not a rating, with its interval.

        Args:
            place: Its index: -2 for the first-move advantage, -1 for the draw parameter.
        """
        above, below = self.unbounded
        contrast = np.eye(self.likelihood.entries + 2)[place]
        return self.intervals(0.0, [contrast], [above[place]], [below[place]])[0]

    def intervals(
        self,
        origin: float,
        contrasts: Floats | Sequence[Floats],
        above: Sequence[bool] | Flags,
        below: Sequence[bool] | Flags,
    ) -> list[Rating]:
        """Return the value of each contrast with its 95 % interval in Elo points.

        Args:
            origin: Added to the value and both ends, in Elo points.
            contrasts: float64 [contrasts, n + 2].
            above: bool [contrasts]. Which intervals are open above.
            below: bool [contrasts]. Which intervals are open below.
        """
        contrasts, above, below = np.asarray(contrasts), np.asarray(above, bool), np.asarray(below, bool)
        ratios, freedom = self.dependent(contrasts, above | below)
        lows, highs = ends(
            self.likelihood,
            *self.maximum,
            contrasts,
            above,
            below,
            1 / ratios,
            freedom=freedom,
            always=self.always,
            near=self.near,
        )
        values = contrasts @ self.maximum[0]
        return [
            Rating(
                origin + POINTS * value,
                origin + POINTS * low if np.isfinite(low) else None,
                origin + POINTS * high if np.isfinite(high) else None,
            )
            for value, low, high in zip(values.tolist(), lows.tolist(), highs.tolist(), strict=True)
        ]


def level_of(entries: int) -> float:
    """Return the significance level of each test, for 95 % confidence in all tests together (Šidák 1967).

    Args:
        entries: Number of entries; all pairs of entries are tested.
    """
    return float(1 - CONFIDENCE ** (1 / max(entries * (entries - 1) // 2, 1)))


def closed(above: Flags) -> Flags:
    """Return the transitive closure of a relation between entries, bool [n, n]."""
    while True:
        further = above | (above.astype(np.float32) @ above.astype(np.float32) > 0)
        if (further == above).all():
            return above
        above = further


class MaximumLikelihood(RatingSystem):
    """The ratings that make the results most likely, with 95 % intervals.

    The model is Bradley-Terry with Davidson's draws (1970) and a first-move effect (Davidson & Beaver 1977).
    With ratings r, first-move advantage h and draw parameter d, in log odds, the first player's win : draw :
    loss = exp(r1 + h/2) : exp((r1 + r2)/2 + d) : exp(r2 - h/2).

    Each r relative to the mean, h and d have a normal prior with the standard deviation `prior`. All
    parameters therefore stay finite if an entry wins or loses all matches, if there are no draws, or if
    groups of entries never met. The default of 1000 points allows for a range of about 4000 points, as from
    random play to the best chess, and ten matches between entries 200 points apart outweigh it a hundred to
    one.

    An interval contains the values that the profile likelihood, including the prior, does not rule out. It
    may be asymmetric. It is open on a side on which no result bounds it: above for an entry that won all its
    matches, below for one that lost them all.

    If matches share openings, intervals are adjusted for the variation of results between openings, which may
    be greater or smaller than for independent matches. If the tournament stops once its ranking is
    significant, intervals hold simultaneously at all times of the tournament.

    Matches of an entry against itself contribute to h and d.
    """

    name = "maximum-likelihood"

    prior: int = option(1000, "standard deviation of the prior in Elo points; 0 = none", low=0, high=10000)
    mean: float = option(1500.0, "mean of the ratings")
    anchor: str = option("", "an entry whose rating is fixed at `at`")
    at: float = option(0.0, "rating of the anchor")

    # the last results, a copy of their totals, and their fit
    last: tuple[Results, list[tuple[int, int, float, float, float]], Fit] | None = None

    def rate(self, results: Results) -> list[Rating]:
        """Return a rating for each entry, without intervals if results are exact."""
        fit = self.fit(results)
        place = self.place(results)
        if results.exact:
            values = fit.values[: len(results.entries)]
            shift = 0.0 if place is None else self.at - values[place]
            return [Rating(value) for value in (values + shift).tolist()]
        return fit.ratings if place is None else fit.from_anchor(place, self.at)

    def place(self, results: Results) -> int | None:
        """Return the index of the anchor among the entries, None if there is no anchor.

        Raises:
            ArenaError: If the anchor is not an entry.
        """
        if not self.anchor:
            return None
        if self.anchor not in results.entries:
            raise ArenaError(f"the anchor {self.anchor!r} is not in the table; name one of its entries")
        return results.entries.index(self.anchor)

    def ranks(self, results: Results) -> list[tuple[int, int]] | None:
        """Return the range of plausible ranks of each entry, None if results are exact."""
        return None if results.exact else self.fit(results).ranks()

    def notes(self, results: Results) -> list[str]:
        """Return sentences about the first-move advantage and about how intervals were computed."""
        fit = self.fit(results)
        first_move = Rating(float(fit.values[-2])) if results.exact else fit.first_move
        points = f"{round(first_move.value)}".replace("-", "−")
        worth, error = f"Moving first is worth {points}", error_text(*first_move)
        openings = [SHARED] if fit.rows is not None and len(fit.rows) else []
        openings += [STOPPED] if fit.always else []
        if not results.exact and (times := fit.times_to_halve_ranks()):
            openings.append(f"{times} times as many matches would halve the ranges of ranks.")
        if first_move.low is None or first_move.high is None:
            return [f"{worth} points ({error})." if error else f"{worth} points.", *openings]
        return [f"{worth} {error} points.", *openings]

    def spreads(self, results: Results) -> dict[int, Spread]:
        """Return the spread of ratings over the seeds of each learner; empty if results are exact."""
        return {} if results.exact else self.fit(results).spreads()

    def fit(self, results: Results) -> Fit:
        """Fit all parameters to results, or return the last fit if nothing changed.

        The time depends on the number of entries, not on the number of matches.

        Raises:
            ArenaError: If there is no finite maximum, which cannot happen with a prior.
        """
        totals = [*results.totals]
        if self.last and self.last[0] is results and self.last[1] == totals:
            return self.last[2]
        n = len(results.entries)
        counts = counts_of(totals, n)
        rows = results.openings() if results.openings and not results.exact else None
        try:
            likelihood = Likelihood(counts, (POINTS / self.prior) ** 2 if self.prior else 0.0)
            seeds = {} if results.exact else results.seeds
            fit = Fit(likelihood, self.mean, rows, seeds, always=results.optional_stopping)
        except np.linalg.LinAlgError:
            raise ArenaError(
                "no finite ratings maximise the likelihood (a shut-out, no draws, or groups that never met); "
                "set a prior, such as maximum-likelihood:prior=1000"
            ) from None
        self.last = results, totals, fit
        return fit


def counts_of(totals: Sequence[tuple[int, int, float, float, float]], entries: int) -> Floats:
    """Return wins, draws and losses of the row's entry moving first, float64 [3, entries, entries].

    Args:
        totals: (first, second, wins, draws, losses) for each pairing, see `Results.totals`.
        entries: Number of entries.
    """
    if not totals:
        return np.zeros((3, entries, entries))
    first, second, *outcomes = zip(*totals, strict=True)
    place = np.array(first) * entries + np.array(second)
    sums = [np.bincount(place, np.array(of, np.float64), entries**2) for of in outcomes]
    return np.reshape(sums, (3, entries, entries))
