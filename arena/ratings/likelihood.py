"""The likelihood of results, given ratings, the first-move advantage and a draw parameter.

Parameters are float64 [..., n + 2] for n entries: their ratings, the first-move advantage and the draw
parameter, all in log odds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]


class Derivatives(NamedTuple):
    """A log likelihood and its derivatives by all parameters.

    Attributes:
        value: float64 [...]. The log likelihood.
        gradient: float64 [..., n + 2]. The first derivatives.
        information: float64 [..., n + 2, n + 2]. The negated second derivatives.
    """

    value: Floats
    gradient: Floats
    information: Floats


class Likelihood:
    """The log likelihood of results, with a normal prior.

    Args:
        counts: float64 [3, n, n]. Wins, draws and losses of the row's entry moving first.
        precision: Precision of the prior of each parameter, 1 / variance; 0 for no prior.
    """

    def __init__(self, counts: Floats, precision: float) -> None:
        self.counts, self.precision = counts, precision
        self.entries = counts.shape[1]
        self.played = counts.sum(axis=0) > 0

    def at(self, values: Floats) -> Derivatives:
        """Return the value and the derivatives at parameters whose ratings sum to 0.

        The information matrix includes a term that fixes the sum of the ratings, about which matches contain
        no information.

        Args:
            values: float64 [..., n + 2]. The parameters.
        """
        n, tau = self.entries, self.precision
        value, gradient, information = derivatives(self.counts, values)
        information += tau * np.eye(n + 2)
        information[..., :n, :n] += 1  # keeps the sum of the ratings at 0
        return Derivatives(value - tau / 2 * (values**2).sum(axis=-1), gradient - tau * values, information)

    def damped(self, step: Floats) -> Floats:
        """Damp a Newton step so that it increases the likelihood.

        The step is multiplied by log(1 + b) / b, where b is the largest change of the log odds between two
        outcomes of any match. The step then always ascends, without a line search, and the iteration
        converges from any start (Sun & Tran-Dinh 2019, generalized self-concordance of order 2).

        Args:
            step: float64 [..., n + 2].
        """
        n = self.entries
        change = np.abs(step[..., :n, None] - step[..., None, :n] + step[..., n, None, None])
        b = np.maximum(change, change / 2 + np.abs(step[..., -1, None, None]))
        most = b.max(axis=(-2, -1), initial=0.0, where=self.played)[..., None]
        shortened: Floats = step * np.where(most > 0, np.log1p(most) / np.where(most > 0, most, 1), 1)
        return shortened

    def maximum(self) -> tuple[Floats, Floats]:
        """Return the parameters at the maximum and their covariance, with ratings that sum to 0.

        Returns:
            float64 [n + 2] and float64 [n + 2, n + 2].

        Raises:
            LinAlgError: If there is no finite maximum. This does not happen with a prior.
        """
        n = self.entries
        values = np.zeros(n + 2)
        for _ in range(200):
            _, gradient, information = self.at(values)
            step = np.linalg.solve(information, gradient)
            values = values + self.damped(step)
            if gradient @ step < 1e-9:  # squared length of the step, in standard errors
                break
        else:  # with a prior, this happens only due to rounding of huge totals, and is harmless
            if not self.precision:
                raise np.linalg.LinAlgError("no convergence")
        centre = np.eye(n + 2)
        centre[:n, :n] -= 1 / max(n, 1)
        covariance = centre @ np.linalg.inv(information) @ centre
        # a standard error of 17,000 points means that a parameter diverges
        if not self.precision and np.abs(covariance).max() > 1e4:
            raise np.linalg.LinAlgError("no finite maximum")
        return centre @ values, covariance

    def centred(self, covariance: Floats) -> Floats:
        """Return the covariance of parameters after subtracting the mean rating; n must be at least 1.

        Args:
            covariance: float64 [n + 2, n + 2].
        """
        n = self.entries
        found = covariance.copy()
        found[:n] -= found[:n].mean(axis=0)
        found[:, :n] -= found[:, :n].mean(axis=1, keepdims=True)
        return found

    def unbounded(self) -> tuple[Flags, Flags]:
        """Return which parameters results do not bound above, and which not below, bool [n + 2] each.

        If such a parameter went to infinity while all others stayed fixed, no result would become less
        likely.
        """
        others = self.counts * (1 - np.eye(self.entries))
        wins, draws, losses = others.sum(axis=2) + others[::-1].sum(axis=1)
        first_wins, all_draws, first_losses = self.counts.sum(axis=(1, 2))
        against = [*(draws + losses), all_draws + first_losses, first_wins + first_losses]
        in_favour = [*(wins + draws), first_wins + all_draws, all_draws]
        return np.array(against) == 0, np.array(in_favour) == 0


def derivatives(counts: Floats, values: Floats) -> Derivatives:
    """Return the log likelihood and its derivatives, without a prior.

    Derivatives are computed from products of probabilities, because differences would lose all precision
    after a shut-out.

    Args:
        counts: float64 [..., n, n] each of wins, draws and losses of the row's entry moving first.
        values: float64 [..., n + 2]. The parameters.
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
    """Return the probabilities of win, draw and loss, and the log of the normalising constant.

    Args:
        x: float64 [...]. Log odds of a win against a loss.
        draws: The draw parameter of the model, in log odds.

    Returns:
        float64 [3, ...] and float64 [...].
    """
    weights = np.stack([x / 2, np.broadcast_to(draws, x.shape), -x / 2])
    most = weights.max(axis=0)
    shares = np.exp(weights - most)
    total = shares.sum(axis=0)
    return shares / total, most + np.log(total)


def over_all(terms: Floats) -> Floats:
    """Return the sum over all pairings, by seat."""
    total: Floats = terms.sum(axis=(-2, -1))
    return total


def over_players(terms: Floats) -> Floats:
    """Return derivatives by the rating of each entry, float64 [..., n], from derivatives by x.

    Args:
        terms: float64 [..., n, n]. Derivatives by x, the first player's rating minus the second's.
    """
    difference: Floats = terms.sum(axis=-1) - terms.sum(axis=-2)
    return difference
