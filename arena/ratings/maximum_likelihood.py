"""Ratings from results by maximum likelihood, with intervals.

A result is from the first player's side: 1 win, 0 draw, -1 loss. Ratings are in Elo points: 400 more
mean ten wins to a loss.
"""

from __future__ import annotations

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
from arena.ratings.statistics import POINTS, error_text
from arena.ratings.student import quantile

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

NUMBERS = 1 << 21  # of a block of contrasts in an array
CLOSE = 1.5  # times a difference that is just shown, or that part of one, where the whole likelihood decides
MOST = 2000  # close differences up to which it does
STOPPED = "Intervals are wider, as matches ended once differences were clear."
SHARED = "Intervals take into account what matches with the same opening share."


class Fit:
    """What maximum likelihood found, in Elo points.

    values: float64 [entries + 2], the ratings, the first move, the draws. The ratings sum to a constant, and
        their intervals are about that.
    covariance: float64 [entries + 2, entries + 2], of these, as the curvature at the maximum has it.
    Intervals are from the profile likelihood, made when they are asked for. rows: results by opening, as in
        `Results.openings`; intervals then take into account what matches of an opening share. seeds: results
        by seed, as in `Results.seeds`, and what those of a seed share. always: whether intervals hold
        whenever one looks.
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
        """What matches of an opening share, and those of a seed of each learner with several."""
        shared = [(rows, False) for rows in self.seeds.values()]
        if self.rows is not None:
            shared.insert(0, (self.rows, True))
        return [
            Dependence(self.likelihood, self.maximum[0], rows, pooled) for rows, pooled in shared if len(rows)
        ]

    @cached_property
    def near(self) -> NearMaximum | None:
        """What intervals of many entries are made with."""
        return NearMaximum(self.likelihood, self.maximum[0]) if self.likelihood.entries >= MANY else None

    def dependent(self, contrasts: Floats, open: Flags | None = None) -> tuple[Floats, Floats]:
        """Of each contrast its variance over the model's, and the degrees of freedom; see `Dependence`."""
        if not self.dependences:
            return np.ones(len(contrasts)), np.full(len(contrasts), np.inf)
        return combined([found.of(contrasts, open) for found in self.dependences])

    def spreads(self) -> dict[int, Spread]:
        """Of each learner with several seeds, how far they are apart."""
        return {
            entry: spread_between(self.likelihood, self.maximum[0], entry, rows)
            for entry, rows in self.seeds.items()
        }

    @property
    def values(self) -> Floats:
        values = POINTS * self.maximum[0]
        values[: self.likelihood.entries] += self.mean
        return values

    @property
    def covariance(self) -> Floats:
        return POINTS**2 * self.maximum[1]

    @cached_property
    def ratings(self) -> list[Rating]:
        """One for each entry."""
        n = self.likelihood.entries
        about_mean = np.eye(n, n + 2)
        about_mean[:, :n] -= 1 / max(n, 1)
        above, below = (flags[:n] for flags in self.unbounded)
        return self.intervals(self.mean, about_mean, above, below)

    def from_anchor(self, anchor: int, at: float) -> list[Rating]:
        """One for each entry, from an entry whose rating is `at` by agreement."""
        n = self.likelihood.entries
        contrasts = np.eye(n, n + 2)
        contrasts[:, anchor] -= 1
        above, below = (flags[:n] for flags in self.unbounded)
        return self.intervals(at, contrasts, above | below[anchor], below | above[anchor])

    @cached_property
    def first_move(self) -> Rating:
        """What moving first is worth; added to the first player's rating it makes up for the seat."""
        return self.parameter(-2)

    @cached_property
    def draw(self) -> Rating:
        """How common draws are. 400 more mean ten times the odds of a draw; at 0, with equal players, a win,
        a draw and a loss are equally likely."""
        return self.parameter(-1)

    def difference(self, one: int, other: int) -> Rating:
        """How far one entry is above the other. Its interval is not the sum of theirs."""
        unit = np.eye(self.likelihood.entries + 2)
        above, below = self.unbounded
        higher, lower = above[one] or below[other], below[one] or above[other]
        return self.intervals(0.0, [unit[one] - unit[other]], [higher], [lower])[0]

    def ranks(self) -> list[tuple[int, int]]:
        """Return the best and the worst rank of each entry, all together with a probability of at least 95 %.

        They count who is shown to be above and who below (Al Mohamad, Goeman & van Zwet 2022).
        """
        n = self.likelihood.entries
        best, worst = 1 + self.above.sum(axis=0), n - self.above.sum(axis=1)
        return list(zip(best.tolist(), worst.tolist(), strict=True))

    @property
    def unsure(self) -> float:
        """The level of each test of a difference, for all of them together to hold with 95 % (Šidák 1967)."""
        n = self.likelihood.entries
        return float(1 - CONFIDENCE ** (1 / max(n * (n - 1) // 2, 1)))

    @cached_property
    def above(self) -> Flags:
        """Which entries are shown to be above which, rows above columns, all together; bool [n, n].

        By the curvature at the maximum where that is clear. In close cases, and beside a shut-out, the whole
        likelihood decides, as for intervals.
        """
        n, values = self.likelihood.entries, self.maximum[0]
        errors, freedom = self.errors
        apart = (values[:n, None] - values[:n]) / errors / quantile(1 - self.unsure / 2, freedom)
        above: Flags = apart > 1
        highest, lowest = (flags[:n] for flags in self.unbounded)
        shut = highest[:, None] | lowest
        close = (apart > 1 / CLOSE) & (apart < CLOSE)
        open = shut & (apart > 0) & ~above
        ones, others = np.nonzero(close | open if close.sum() <= MOST else open)
        size = max(NUMBERS // (n + 2), 1)
        for begin in range(0, len(ones), size):
            one, other = ones[begin : begin + size], others[begin : begin + size]
            above[one, other] = self.is_above(one, other, shut[one, other], shut[other, one], self.unsure)
        return closed(above)

    def times_to_halve_ranks(self) -> int | None:
        """Return how many times as many matches would halve ranges of ranks that are wide.

        None if they are narrower than half of all ranks on average, if a hundred times would not do, or if
        matches ended once the order was clear.
        """
        n = self.likelihood.entries
        errors, freedom = self.errors
        apart = (self.maximum[0][:n, None] - self.maximum[0][:n]) / errors

        def width(times: int) -> float:
            above = apart * times**0.5 > quantile(1 - self.unsure / 2, freedom * times)
            return float(n - above.sum() * 2 / n)

        if n < 3 or self.always or width(1) <= n / 2:
            return None
        return next((times for times in range(2, 101) if width(times) <= width(1) / 2), None)

    def is_above(
        self, ones: Places, others: Places, open_above: Flags, open_below: Flags, unsure: float
    ) -> Flags:
        """Whether the profile likelihood says that each of these entries is above the other, bool [pairs].

        unsure: with what probability it may be wrong. open_above, open_below: the intervals with open ends.
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
        )
        found[left] = lows > 0
        return found

    @cached_property
    def errors(self) -> tuple[Floats, Floats]:
        """Standard errors of how far rows are above columns, in log odds, and their degrees of freedom.

        float64 [entries, entries] each.
        """
        n = self.likelihood.entries
        covariance = self.maximum[1][:n, :n]
        own = np.diag(covariance)
        errors = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
        freedom = np.full((n, n), np.inf)
        if not self.dependences:
            return errors, freedom
        unit = np.eye(n, n + 2)
        for one in range(n - 1):
            others = slice(one + 1, n)
            ratios, degrees = self.dependent(unit[one] - unit[others])
            errors[one, others] *= np.sqrt(ratios)
            freedom[one, others] = degrees
            errors[others, one], freedom[others, one] = errors[one, others], degrees
        return errors, freedom

    def parameter(self, place: int) -> Rating:
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
        """Each contrast with its 95 % interval, in Elo points from `origin`."""
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


def closed(above: Flags) -> Flags:
    """Return which entries follow to be above which: above one that is above another; bool [n, n]."""
    while True:
        further = above | (above.astype(np.float32) @ above.astype(np.float32) > 0)
        if (further == above).all():
            return above
        above = further


class MaximumLikelihood(RatingSystem):
    """The ratings that make the results most likely, with 95 % intervals.

    Bradley-Terry with Davidson's draws (1970) and a first-move effect (Davidson & Beaver 1977). With r
    the ratings, h the first move and d the draws, in logs, the first player's
    win : draw : loss = exp(r1 + h/2) : exp((r1 + r2)/2 + d) : exp(r2 - h/2).

    Each r about the mean, h and d also have a normal prior of standard deviation `prior`, so that all
    stay finite after a shut-out, without draws, or between groups that never met. At 1000 points it
    allows for a range of 4000, about that from random play to the best at chess, and ten matches between
    entries 200 points apart outweigh it a hundred to one.

    An interval is what the profile of the likelihood, prior included, does not rule out, and need not be as
    far to either side. It is open where no result bounds it, above an entry that won all its matches or
    below one that lost all.

    Where matches begin with the same opening, intervals are as much wider or narrower as ratings vary more or
    less from opening to opening than independent matches would make them. Where matches ended once an order
    was sure, intervals hold whenever one looks.

    An entry against itself tells of h and d, and is used for them.
    """

    name = "maximum-likelihood"

    prior: int = option(1000, "standard deviation of the prior in Elo points; 0 = none", low=0, high=10000)
    mean: float = option(1500.0, "the mean of the ratings")
    anchor: str = option("", "an entry whose rating is `at`, from which the others' differ")
    at: float = option(0.0, "the anchor's rating")

    # what was fitted last, and to what
    last: tuple[Results, list[tuple[int, int, float, float, float]], Fit] | None = None

    def rate(self, results: Results) -> list[Rating]:
        fit = self.fit(results)
        place = self.place(results)
        if results.exact:
            values = fit.values[: len(results.entries)]
            shift = 0.0 if place is None else self.at - values[place]
            return [Rating(value) for value in (values + shift).tolist()]
        return fit.ratings if place is None else fit.from_anchor(place, self.at)

    def place(self, results: Results) -> int | None:
        """Where the anchor is among the entries, None without one; ArenaError if it is none of them."""
        if not self.anchor:
            return None
        if self.anchor not in results.entries:
            raise ArenaError(f"the anchor {self.anchor!r} is not in the table; name one of its entries")
        return results.entries.index(self.anchor)

    def ranks(self, results: Results) -> list[tuple[int, int]] | None:
        return None if results.exact else self.fit(results).ranks()

    def notes(self, results: Results) -> list[str]:
        fit = self.fit(results)
        first_move = Rating(float(fit.values[-2])) if results.exact else fit.first_move
        points = f"{round(first_move.value)}".replace("-", "−")
        worth, error = f"Moving first is worth {points}", error_text(first_move)
        openings = [SHARED] if fit.rows is not None and len(fit.rows) else []
        openings += [STOPPED] if fit.always else []
        if not results.exact and (times := fit.times_to_halve_ranks()):
            openings.append(f"{times} times as many matches would halve the ranges of ranks.")
        if first_move.low is None or first_move.high is None:
            return [f"{worth} points ({error})." if error else f"{worth} points.", *openings]
        return [f"{worth} {error} points.", *openings]

    def spreads(self, results: Results) -> dict[int, Spread]:
        return {} if results.exact else self.fit(results).spreads()

    def fit(self, results: Results) -> Fit:
        """Ratings, first-move advantage and draws. Takes as long as the entries, not the matches, require."""
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
                "no finite ratings fit these results best (a shut-out, no draws, or groups that never met); "
                "set a prior, such as maximum-likelihood:prior=1000"
            ) from None
        self.last = results, totals, fit
        return fit


def counts_of(totals: Sequence[tuple[int, int, float, float, float]], entries: int) -> Floats:
    """Wins, draws and losses of the row's entry moving first, float64 [3, entries, entries]."""
    if not totals:
        return np.zeros((3, entries, entries))
    first, second, *outcomes = zip(*totals, strict=True)
    place = np.array(first) * entries + np.array(second)
    sums = [np.bincount(place, np.array(of, np.float64), entries**2) for of in outcomes]
    return np.reshape(sums, (3, entries, entries))
