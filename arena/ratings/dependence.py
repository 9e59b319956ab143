"""How far ratings vary where matches begin with the same openings, and so depend on each other.

Summed over an opening's matches, the gradient of the log likelihood says by how much this opening moves the
maximum. From opening to opening the gradients are independent, and how far they differ is seen: the sandwich
(Liang & Zeger 1986). Of few openings they are too small, for the maximum follows each of them. They are made
as large as they would be on average if the model were right, and their spread is known with so many degrees
of freedom (Bell & McCaffrey 2002; in the terms of a likelihood Kauermann & Carroll 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arena.ratings.likelihood import Flags, Floats, Likelihood, derivatives

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

PSEUDO = 1.0  # openings that vary as the model says, and are added where those seen vary less
NUMBERS = 1 << 20  # of a block of openings or contrasts in an array
SINGULAR = 1e-9  # up to which a share of information is none


class Dependence:
    """What matches of an opening share, of a fit.

    likelihood, values: the fit, at its maximum. rows: results by opening, int64 [rows, 6], at least one row;
    results that are in the likelihood and in none of the rows are independent. What is said of openings holds
    for anything that matches share, the seed of a learner say.
    """

    def __init__(self, likelihood: Likelihood, values: Floats, rows: ByOpening) -> None:
        self.likelihood = likelihood
        # in these coordinates the information of all results is 1 in every direction
        self.inverse_root = np.linalg.inv(np.linalg.cholesky(likelihood.at(values).information))
        gradients, informations = self.sums(values, rows)
        self.shares: Floats = self.inverse_root @ informations @ self.inverse_root.T
        """Of the information, what is each opening's, float64 [openings, n + 2, n + 2]."""
        sizes, directions = np.linalg.eigh(self.shares)
        left = 1 - sizes
        grow = np.where(left > SINGULAR, 1 / np.sqrt(np.maximum(left, SINGULAR)), 0.0)
        self.growth: Floats = (directions * grow[:, None]) @ directions.swapaxes(1, 2)
        """The root of the reciprocal of what the others' information is, float64 [openings, n + 2, n + 2]."""
        turned = gradients @ self.inverse_root.T
        self.moves: Floats = (self.growth @ turned[:, :, None])[:, :, 0]
        """By how much each opening moves the maximum, float64 [openings, n + 2]."""

    def sums(self, values: Floats, rows: ByOpening) -> tuple[Floats, Floats]:
        """Gradients [openings, n + 2] and informations [openings, n + 2, n + 2] of openings."""
        n = self.likelihood.entries
        numbers, opening = np.unique(rows[:, 0], return_inverse=True)
        order = np.argsort(opening, kind="stable")
        opening, rows = opening[order], rows[order]
        size = max(NUMBERS // (6 * (n + 2) ** 2), 1)
        gradients, informations = [], []
        for begin in range(0, len(numbers), size):
            block = slice(*np.searchsorted(opening, (begin, begin + size)))
            openings = min(size, len(numbers) - begin)
            place = ((opening[block] - begin) * n + rows[block, 1]) * n + rows[block, 2]
            counts = [np.bincount(place, rows[block, k], openings * n * n) for k in (3, 4, 5)]
            found = derivatives(
                np.reshape(counts, (3, openings, n, n)), np.broadcast_to(values, (openings, n + 2))
            )
            gradients.append(found.gradient)
            informations.append(found.information)
        return np.concatenate(gradients), np.concatenate(informations)

    def of(self, contrasts: Floats, open: Flags | None = None) -> tuple[Floats, Floats]:
        """Of each contrast its variance over the one that the model has, and the degrees of freedom.

        contrasts: float64 [contrasts, n + 2], see `arena.ratings.profile`. open: bool [contrasts], those with
        an interval that has an open end.

        Where openings vary less than the model has it, `PSEUDO` openings are added that vary so: of few, or
        few that tell anything, none may have come that differs. Beside a shut-out none has, and the ratio is
        that of the rating with the largest, or 1.
        """
        ratios, freedom = np.ones(len(contrasts)), np.full(len(contrasts), np.inf)
        size = max(NUMBERS // self.moves.size, 1)
        for begin in range(0, len(contrasts), size):
            block = slice(begin, begin + size)
            ratios[block], freedom[block] = self.of_block(contrasts[block] @ self.inverse_root.T)
        if open is not None and open.any():
            ratios[open] = self.largest
        return ratios, freedom

    @cached_property
    def largest(self) -> float:
        """The largest ratio among the ratings that results bound on either side; at least 1."""
        n = self.likelihood.entries
        above, below = self.likelihood.unbounded()
        about_mean = np.eye(n, n + 2)
        about_mean[:, :n] -= 1 / max(n, 1)
        bounded = about_mean[~(above | below)[:n]]
        return max(float(self.of(bounded)[0].max(initial=1.0)), 1.0)

    def of_block(self, lines: Floats) -> tuple[Floats, Floats]:
        """The same of contrasts in the coordinates of the information, float64 [contrasts, n + 2]."""
        of_model = (lines**2).sum(axis=1)
        grown = self.growth @ lines.T  # [openings, n + 2, contrasts]
        weights = self.shares @ grown
        own = (grown * weights).sum(axis=1)  # [openings, contrasts]
        # if the model is right, an opening's move along a contrast has this covariance with another's:
        # own on the diagonal, less the product of their weights
        less = (weights**2).sum(axis=1)
        expected = (own - less).sum(axis=0)
        by_contrast = np.ascontiguousarray(weights.transpose(2, 0, 1))
        if len(self.moves) > lines.shape[1]:
            products = by_contrast.swapaxes(1, 2) @ by_contrast
        else:
            products = by_contrast @ by_contrast.swapaxes(1, 2)
        squares = (own**2 - 2 * own * less).sum(axis=0) + (products**2).sum(axis=(1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.where(squares > 0, np.maximum(expected**2 / squares, 1.0), np.inf)
            seen = ((self.moves @ lines.T) ** 2).sum(axis=0)
            pseudo = np.minimum(PSEUDO / freedom, 1.0)
            seen += pseudo * np.maximum(expected - seen, 0)
            # what is of no opening, and what the prior says, is as the model has it
            variance = np.maximum(of_model - expected, 0) + seen
            ratio = np.where(of_model > 0, variance / of_model, 1.0)
            freedom = np.where(seen > 0, freedom * (variance / seen) ** 2, np.inf)
        return ratio, freedom


def combined(found: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Of contrasts the ratio of variances and its degrees of freedom, with all that matches share.

    found: the same of one thing each that they share. What each adds to the model's variance is added up;
    the sum has as many degrees of freedom as Satterthwaite (1946) gives it.
    """
    ratios, freedoms = (np.array(each) for each in zip(*found, strict=True))
    ratio = np.maximum(1 + (ratios - 1).sum(axis=0), ratios.min(axis=0))
    unsure = (ratios**2 / freedoms).sum(axis=0)
    freedom = np.divide(ratio**2, unsure, out=np.full(ratio.shape, np.inf), where=unsure > 0)
    return ratio, freedom
