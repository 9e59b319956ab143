"""Ratings from results: by maximum likelihood, with intervals, and Elo's match by match.

A result is from the first player's side: 1 win, 0 draw, -1 loss. Ratings are in Elo points: 400 more
mean ten wins to a loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.api.options import option
from arena.api.rating import Rating, RatingSystem, Results
from arena.errors import ArenaError
from arena.ratings.statistics import POINTS, interval

Floats = NDArray[np.float64]


@dataclass
class Fit:
    """What maximum likelihood found, in Elo points.

    ratings: one for each entry; they sum to a constant, and their intervals are about that.
    first_move: what moving first is worth; added to the first player's rating it makes up for the seat.
    draw: how common draws are. 400 more mean ten times the odds of a draw; at 0, with equal players, a
        win, a draw and a loss are equally likely.
    covariance: float64 [entries + 2, entries + 2], of the ratings, the first move and the draws.
    """

    ratings: list[Rating]
    first_move: Rating
    draw: Rating
    covariance: Floats

    def difference(self, one: int, other: int) -> Rating:
        """How far one entry is above the other. Its interval is not the sum of theirs."""
        c = self.covariance
        value = self.ratings[one].value - self.ratings[other].value
        return interval(value, float(c[one, one] + c[other, other] - 2 * c[one, other]))


class MaximumLikelihood(RatingSystem):
    """The ratings that make the results most likely, with 95 % intervals.

    Bradley-Terry with Davidson's draws (1970) and a first-move effect (Davidson & Beaver 1977). With r
    the ratings, h the first move and d the draws, in logs, the first player's
    win : draw : loss = exp(r1 + h/2) : exp((r1 + r2)/2 + d) : exp(r2 - h/2).

    Each r about the mean, h and d also have a normal prior of standard deviation `prior`, so that all
    stay finite after a shut-out, without draws, or between groups that never met. At 1000 points it
    allows for a range of 4000, about that from random play to the best at chess, and ten matches between
    entries 200 points apart outweigh it a hundred to one.

    An entry against itself tells of h and d, and is used for them.
    """

    prior: int = option(1000, "standard deviation of the prior in Elo points; 0 = none", low=0, high=10000)
    mean: float = option(1500.0, "the mean of the ratings")

    def rate(self, results: Results) -> list[Rating]:
        ratings = self.fit(results).ratings
        return [Rating(rating.value) for rating in ratings] if results.exact else ratings

    def notes(self, results: Results) -> list[str]:
        value, low, high = self.fit(results).first_move
        if results.exact:
            return [f"Moving first is worth {round(value)} points."]
        assert low is not None
        assert high is not None
        return [f"Moving first is worth {round(value)} ± {round((high - low) / 2)} points."]

    def fit(self, results: Results) -> Fit:
        """Ratings, first-move advantage and draws. Takes as long as the entries, not the matches, require."""
        n = len(results.entries)
        counts = np.zeros((3, n, n))
        for first, second, *outcomes in results.totals:
            counts[:, first, second] += outcomes
        try:
            values, covariance = maximum(counts, (POINTS / self.prior) ** 2 if self.prior else 0.0)
        except np.linalg.LinAlgError:
            raise ArenaError(
                "no finite ratings fit these results best (a shut-out, no draws, or groups that never met); "
                "set a prior, such as maximum-likelihood:prior=1000"
            ) from None
        values, covariance = POINTS * values, POINTS**2 * covariance
        values[:n] += self.mean
        *ratings, first_move, draw = map(interval, values.tolist(), covariance.diagonal().tolist())
        return Fit(ratings, first_move, draw, covariance)


def maximum(counts: Floats, precision: float) -> tuple[Floats, Floats]:
    """The most likely ratings, summing to 0, first move and draws, in log odds; and their covariance.

    counts: float64 [3, n, n], wins, draws and losses of the row's entry moving first. precision: of the
    prior, 1 / variance. LinAlgError if there is no maximum.

    Newton's method on a concave function. A step is multiplied by log(1 + b) / b, b the most by which it
    changes the log odds between two outcomes of a match: that always ascends, without a search, and
    reaches the maximum from anywhere (Sun & Tran-Dinh 2019, generalized self-concordance of order 2).
    """
    n = counts.shape[1]
    played = counts.sum(axis=0) > 0
    values = np.zeros(n + 2)
    for _ in range(200):
        gradient, information = derivatives(counts, values)
        gradient -= precision * values
        information += precision * np.eye(n + 2)
        information[:n, :n] += 1  # holds the sum of the ratings, of which the matches say nothing, at 0
        step = np.linalg.solve(information, gradient)
        change = np.abs(step[:n, None] - step[:n] + step[n])[played]
        b = np.maximum(change, change / 2 + abs(step[-1])).max(initial=0.0)
        values += step * (np.log1p(b) / b if b > 0 else 1.0)
        if gradient @ step < 1e-9:  # the square of the step in standard errors
            break
    else:  # with a prior only the rounding of huge totals comes here, harmless
        if not precision:
            raise np.linalg.LinAlgError("no convergence")
    centre = np.eye(n + 2)
    centre[:n, :n] -= 1 / max(n, 1)
    covariance = centre @ np.linalg.inv(information) @ centre
    if not precision and np.abs(covariance).max() > 1e4:  # an error of 17000 points: on its way to infinity
        raise np.linalg.LinAlgError("no finite maximum")
    return centre @ values, covariance


def derivatives(counts: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Gradient and information (minus the second derivatives) of the log likelihood at `values`.

    Written in products of probabilities, since differences lose all digits after a shut-out.
    """
    n = len(values) - 2
    x = values[:n, None] - values[:n] + values[n]  # log odds of a win against a loss
    weights = np.stack([x / 2, np.full((n, n), values[-1]), -x / 2])
    weights = np.exp(weights - weights.max(axis=0))
    win, draw, loss = weights / weights.sum(axis=0)
    wins, draws, losses = counts
    matches = counts.sum(axis=0)

    slope_x = wins * (loss + draw / 2) - losses * (win + draw / 2) - draws * (win - loss) / 2
    slope_d = draws * (win + loss) - (wins + losses) * draw
    curve_xx = matches * (win * loss + draw * (win + loss) / 4)
    curve_xd = matches * draw * (loss - win) / 2
    curve_dd = matches * draw * (win + loss)

    gradient = np.array([*over_players(slope_x), slope_x.sum(), slope_d.sum()])
    information = np.empty((n + 2, n + 2))
    information[:n, :n] = np.diag(curve_xx.sum(axis=1) + curve_xx.sum(axis=0)) - curve_xx - curve_xx.T
    information[:n, n] = information[n, :n] = over_players(curve_xx)
    information[:n, -1] = information[-1, :n] = over_players(curve_xd)
    information[n:, n:] = [[curve_xx.sum(), curve_xd.sum()], [curve_xd.sum(), curve_dd.sum()]]
    return gradient, information


def over_players(terms: Floats) -> Floats:
    """A derivative by x, the first's rating less the second's, as one by each player's rating."""
    difference: Floats = terms.sum(axis=1) - terms.sum(axis=0)
    return difference
