"""How likely results are, by the ratings of who met, what moving first is worth, and how common draws are.

Parameters are float64 [..., entries + 2]: ratings, first move, draws, in log odds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]


class Derivatives(NamedTuple):
    """A log likelihood [...], its gradient [..., n + 2], its information [..., n + 2, n + 2].

    Information is minus the second derivatives.
    """

    value: Floats
    gradient: Floats
    information: Floats


class Likelihood:
    """The log likelihood of results, less the penalty of a normal prior.

    counts: float64 [3, n, n], wins, draws and losses of the row's entry moving first. precision: of the
    prior of each parameter, 1 / variance.
    """

    def __init__(self, counts: Floats, precision: float) -> None:
        self.counts, self.precision = counts, precision
        self.entries = counts.shape[1]
        self.played = counts.sum(axis=0) > 0

    def at(self, values: Floats) -> Derivatives:
        """Value and derivatives where the ratings sum to 0. Of that sum the information is n squared."""
        n, tau = self.entries, self.precision
        value, gradient, information = derivatives(self.counts, values)
        information += tau * np.eye(n + 2)
        information[..., :n, :n] += 1  # holds the sum of the ratings, of which the matches say nothing, at 0
        return Derivatives(value - tau / 2 * (values**2).sum(axis=-1), gradient - tau * values, information)

    def damped(self, step: Floats) -> Floats:
        """Newton's step, shortened so that it ascends.

        It is multiplied by log(1 + b) / b, b the most by which it changes the log odds between two outcomes
        of a match: that always ascends, without a search, and reaches the maximum from anywhere (Sun &
        Tran-Dinh 2019, generalized self-concordance of order 2).
        """
        n = self.entries
        change = np.abs(step[..., :n, None] - step[..., None, :n] + step[..., n, None, None])
        b = np.maximum(change, change / 2 + np.abs(step[..., -1, None, None]))
        most = b.max(axis=(-2, -1), initial=0.0, where=self.played)[..., None]
        shortened: Floats = step * np.where(most > 0, np.log1p(most) / np.where(most > 0, most, 1), 1)
        return shortened

    def maximum(self) -> tuple[Floats, Floats]:
        """The most likely parameters, the ratings summing to 0; and their covariance.

        LinAlgError if there is no maximum, which a prior prevents.
        """
        n = self.entries
        values = np.zeros(n + 2)
        for _ in range(200):
            _, gradient, information = self.at(values)
            step = np.linalg.solve(information, gradient)
            values = values + self.damped(step)
            if gradient @ step < 1e-9:  # the square of the step in standard errors
                break
        else:  # with a prior only the rounding of huge totals comes here, harmless
            if not self.precision:
                raise np.linalg.LinAlgError("no convergence")
        centre = np.eye(n + 2)
        centre[:n, :n] -= 1 / max(n, 1)
        covariance = centre @ np.linalg.inv(information) @ centre
        # an error of 17000 points: on its way to infinity
        if not self.precision and np.abs(covariance).max() > 1e4:
            raise np.linalg.LinAlgError("no finite maximum")
        return centre @ values, covariance

    def centred(self, covariance: Floats) -> Floats:
        """The covariance of parameters with ratings about their mean, of one entry or more."""
        n = self.entries
        found = covariance.copy()
        found[:n] -= found[:n].mean(axis=0)
        found[:, :n] -= found[:, :n].mean(axis=1, keepdims=True)
        return found

    def unbounded(self) -> tuple[Flags, Flags]:
        """Which parameters no result bounds from above, and which from below: bool [n + 2] each.

        Were such a one infinite, the others being what they are, nothing that happened would be less likely.
        """
        others = self.counts * (1 - np.eye(self.entries))
        wins, draws, losses = others.sum(axis=2) + others[::-1].sum(axis=1)
        first_wins, all_draws, first_losses = self.counts.sum(axis=(1, 2))
        against = [*(draws + losses), all_draws + first_losses, first_wins + first_losses]
        in_favour = [*(wins + draws), first_wins + all_draws, all_draws]
        return np.array(against) == 0, np.array(in_favour) == 0


def derivatives(counts: Floats, values: Floats) -> Derivatives:
    """The log likelihood at `values`, without a prior.

    Written in products of probabilities, since differences lose all digits after a shut-out.
    """
    n = values.shape[-1] - 2
    ratings, first_move, draws_odds = values[..., :n], values[..., n, None, None], values[..., -1, None, None]
    x = ratings[..., :, None] - ratings[..., None, :] + first_move  # log odds of a win against a loss
    (win, draw, loss), log_total = outcomes(x, draws_odds)
    wins, draws, losses = counts
    matches = counts.sum(axis=0)

    value = (wins - losses) * x / 2 + draws * draws_odds - matches * log_total
    slope_x = wins * (loss + draw / 2) - losses * (win + draw / 2) - draws * (win - loss) / 2
    slope_d = draws * (win + loss) - (wins + losses) * draw
    curve_xx = matches * (win * loss + draw * (win + loss) / 4)
    curve_xd = matches * draw * (loss - win) / 2
    curve_dd = matches * draw * (win + loss)

    gradient = np.empty(values.shape)
    gradient[..., :n] = over_players(slope_x)
    gradient[..., n], gradient[..., -1] = over_all(slope_x), over_all(slope_d)
    information = np.empty((*values.shape, n + 2))
    information[..., :n, :n] = -curve_xx - curve_xx.swapaxes(-2, -1)
    entry = np.arange(n)
    information[..., entry, entry] += curve_xx.sum(axis=-1) + curve_xx.sum(axis=-2)
    information[..., :n, n] = information[..., n, :n] = over_players(curve_xx)
    information[..., :n, -1] = information[..., -1, :n] = over_players(curve_xd)
    information[..., n, n], information[..., -1, -1] = over_all(curve_xx), over_all(curve_dd)
    information[..., n, -1] = information[..., -1, n] = over_all(curve_xd)
    return Derivatives(over_all(value), gradient, information)


def outcomes(x: Floats, draws: Floats | float) -> tuple[Floats, Floats]:
    """Probabilities of win, draw and loss [3, ...], and the log of what they were divided by [...].

    x: log odds of a win against a loss. draws: those of a draw, as a parameter of the model.
    """
    weights = np.stack([x / 2, np.broadcast_to(draws, x.shape), -x / 2])
    most = weights.max(axis=0)
    shares = np.exp(weights - most)
    total = shares.sum(axis=0)
    return shares / total, most + np.log(total)


def over_all(terms: Floats) -> Floats:
    total: Floats = terms.sum(axis=(-2, -1))
    return total


def over_players(terms: Floats) -> Floats:
    """A derivative by x, the first's rating less the second's, as one by each player's rating."""
    difference: Floats = terms.sum(axis=-1) - terms.sum(axis=-2)
    return difference
