"""Estimate the variance of ratings if matches depend on each other because they share an opening.

Matches that share an opening, or anything else, form a *cluster*. The gradient of the log likelihood, summed
over a cluster, shows how far the cluster moves the maximum. The gradients of different clusters are
independent, and the variance of the ratings follows from their spread: the sandwich estimator (Liang & Zeger
1986). Because the maximum has been fitted to the same clusters, the gradients are too small. They are scaled
up to the size that they would have on average if matches were independent; the degrees of freedom of the
variance follow from the same computation (Bell & McCaffrey 2002; Kauermann & Carroll 2001 for likelihoods).

A few clusters contain little information about the variance of a single rating difference, but more about
that of all differences together. The ratio of the variance to that of independent matches is therefore shrunk
towards its mean over all differences, the more the ratios agree (Buehlmann 1967 for the weights; Smyth 2004
for variances).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arena.ratings.clusters import OfPairings, OfSeveral, Rows
from arena.ratings.likelihood import Flags, Floats, Likelihood

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

PSEUDO = 1.0  # number of pseudo-clusters with the model's variance, added if the observed clusters vary less
FEW = 1.5  # effective number of clusters up to which a single cluster may dominate
MOST = 2000  # maximum number of differences used to compute the mean ratio
MANY = 30  # with more entries than this, degrees of freedom are combined from those of the entries


class Dependence:
    """The dependence between matches that share an opening, in a fit.

    Args:
        likelihood: The log likelihood of all results.
        values: float64 [n + 2]. The parameters at its maximum.
        rows: The results by opening, at least one row, see `Results.openings`. Results in the likelihood that
            are not in any row are independent. Instead of an opening, the matches of a cluster may share
            something else, for example the seed of a learner.
        pooled: Whether clusters affect all ratings about equally, so that ratios are shrunk towards their
            mean. The seeds of a learner do not: they affect mainly its own rating.
    """

    def __init__(self, likelihood: Likelihood, values: Floats, rows: ByOpening, pooled: bool = True) -> None:
        self.likelihood, self.pooled = likelihood, pooled
        n = self.n = likelihood.entries
        root = np.linalg.cholesky(likelihood.at(values).information)
        inverse = np.linalg.inv(root)
        self.covariance: Floats = inverse.T @ inverse
        each = Rows.of(rows, values)
        place = each.first * n + each.second
        self.peaks: Floats = np.bincount(place, each.peaks, n * n).reshape(n, n)
        alone = each.of_one_pairing
        self.clusters: list[OfPairings | OfSeveral] = []
        if alone.any():
            self.clusters.append(OfPairings(each.some(alone), self.covariance))
        if not alone.all():
            self.clusters.append(OfSeveral(each.some(~alone), root))
        self.seen = self.as_covariance([part.seen_by_all for part in self.clusters])
        self.expected = self.as_covariance([part.expected_of_all for part in self.clusters])

    def as_covariance(self, parts: Sequence[Floats]) -> Floats:
        """Return sums of squares of gradients as a covariance of parameters, float64 [n + 2, n + 2]."""
        found: Floats = self.covariance @ np.sum(parts, axis=0) @ self.covariance
        return found

    def of(self, contrasts: Floats, open: Flags | None = None) -> tuple[Floats, Floats]:
        """Return each contrast's variance relative to independent matches, and its degrees of freedom.

        Args:
            contrasts: float64 [contrasts, n + 2], see `arena.ratings.profile`.
            open: bool [contrasts]. The contrasts whose interval has an open end. If an entry wins or loses
                all matches, all clusters are alike, so the largest ratio of any rating is used, at least 1.
        """
        ratios, freedom = self.with_matches_alone(contrasts, *self.moderated(contrasts))
        if open is not None and open.any():
            ratios[open] = self.largest
        return ratios, freedom

    def of_each(self, contrasts: Floats) -> tuple[Floats, Floats]:
        """Return each contrast's variance ratio and its degrees of freedom, without shrinkage.

        Args:
            contrasts: float64 [contrasts, n + 2].

        Returns:
            float64 [contrasts] each.
        """
        return self.with_matches_alone(contrasts, *self.alone(contrasts)[:3])

    def raw(self, contrasts: Floats) -> tuple[Floats, Floats, Floats, Flags]:
        """Return the contributions of clusters to the variances of contrasts.

        Returns:
            float64 [contrasts] each: the observed contribution, the expected one, and the degrees of freedom;
            and bool [contrasts]: whether more than one cluster contributes.
        """
        seen, expected = (quadratic(contrasts, form) for form in (self.seen, self.expected))
        if self.n > MANY:
            weights = contrasts[:, : self.n]
            weights = weights - np.median(weights, axis=1, keepdims=True)
            total, squares, alone = (
                weights**power @ of for power, of in zip((2, 4, 4), self.of_entries, strict=True)
            )
        else:
            ways = contrasts @ self.covariance
            total, squares, alone = np.sum([part.spread(ways) for part in self.clusters], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.where(squares > 0, np.maximum(total**2 / squares, 1.0), np.inf)
        return seen, expected, freedom, total**2 > FEW * alone

    @cached_property
    def of_entries(self) -> Floats:
        """Expected contributions of clusters to ratings' variances, float64 [3, n], see `OfPairings.spread`.

        Those for contrasts are combined from these by Satterthwaite's method (1946).
        """
        found: Floats = np.sum([part.spread_of_entries(self.covariance) for part in self.clusters], axis=0)
        return found

    @cached_property
    def usual(self) -> tuple[float, float]:
        """The mean variance ratio over all rating differences, and the variance of the true ratios.

        The latter is the variance of the estimated ratios minus the part due to the small number of clusters,
        plus one standard error, because a few ratios may be similar by chance.
        """
        ones, others = np.triu_indices(self.n, 1)
        if len(ones) < 2 or not self.pooled:
            return 1.0, np.inf
        step = max(len(ones) // MOST, 1)
        unit = np.eye(self.n, self.n + 2)
        seen, expected, freedom, several = self.raw(unit[ones[::step]] - unit[others[::step]])
        known = several & (expected > 0)
        if known.sum() < 2:
            return 1.0, np.inf
        seen, expected = seen[known], expected[known]
        mean = float(seen.sum() / expected.sum())
        chance = float((2 / freedom[known]).mean())  # the squared relative error of a ratio
        varied = float(((seen / expected - mean) ** 2).mean())
        error = chance * mean**2 * (2 / (self.n - 1)) ** 0.5  # of `varied`; n - 1 differences are independent
        return mean, max(varied - chance * mean**2, 0.0) / (1 + chance) + error

    def alone(self, contrasts: Floats) -> tuple[Floats, Floats, Floats, Flags]:
        """Return the ratio of the observed to the expected contributions of clusters.

        Returns:
            float64 [contrasts] each: the ratios, the expected contributions, and the degrees of freedom of
            the ratios; and bool [contrasts]: whether more than one cluster contributes.
        """
        seen, expected, freedom, several = self.raw(contrasts)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(expected > 0, seen / expected, 1.0)
        return ratios, expected, freedom, several

    def moderated(self, contrasts: Floats) -> tuple[Floats, Floats, Floats]:
        """Return shrunk ratios, expected contributions and degrees of freedom, float64 [contrasts] each.

        Ratios are shrunk towards the mean ratio. The degrees of freedom are limited to those of all entries
        but one together.
        """
        ratios, expected, freedom, several = self.alone(contrasts)
        mean, varied = self.usual
        if 0 < varied < np.inf:
            between = several & np.isfinite(freedom) & ~contrasts[:, self.n :].any(axis=1)
            d = freedom[between]
            more = np.minimum(2 * mean**2 / varied, (self.n - 2) * d)
            ratios[between] = (d * ratios[between] + more * mean) / (d + more)
            freedom[between] = d + more
        return ratios, expected, freedom

    def rarity(self, contrasts: Floats, expected: Floats) -> Floats:
        """Return half the relative variance that rare results add to observed contributions, [contrasts].

        If nearly all matches are won, the observed spread may come from only two clusters that differ.
        """
        if self.n > MANY:
            return np.zeros(len(contrasts))
        ways = contrasts @ self.covariance
        ratings = ways[:, : self.n]
        squares = (ratings[:, :, None] - ratings[:, None] + ways[:, self.n, None, None]) ** 2
        found = np.einsum("ijk,ijk,jk->i", squares, squares, self.peaks)
        with np.errstate(divide="ignore", invalid="ignore"):
            rare: Floats = np.where(expected > 0, np.maximum(found, 0) / (2 * expected**2), 0.0)
        return rare

    def with_matches_alone(
        self, contrasts: Floats, ratios: Floats, expected: Floats, freedom: Floats
    ) -> tuple[Floats, Floats]:
        """Return ratios and degrees of freedom that include the results outside all clusters.

        If clusters vary less than independent matches, `PSEUDO` clusters with the variance of independent
        matches are added: with few informative clusters, all of them may be similar by chance.
        """
        of_model = quadratic(contrasts, self.covariance)
        pseudo = np.minimum(PSEUDO * (1 / freedom + self.rarity(contrasts, expected)), 1.0)
        of_clusters = (ratios + pseudo * np.maximum(1 - ratios, 0)) * expected
        variance = np.maximum(of_model - expected, 0) + of_clusters
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(of_model > 0, variance / of_model, 1.0)
            freedom = np.where(of_clusters > 0, freedom * (variance / of_clusters) ** 2, np.inf)
        return ratio, freedom

    @cached_property
    def largest(self) -> float:
        """The largest ratio of any rating that results bound on both sides; at least 1."""
        n = self.n
        above, below = self.likelihood.unbounded()
        about_mean = np.eye(n, n + 2)
        about_mean[:, :n] -= 1 / max(n, 1)
        bounded = about_mean[~(above | below)[:n]]
        return max(float(self.of(bounded)[0].max(initial=1.0)), 1.0)


def quadratic(contrasts: Floats, form: Floats) -> Floats:
    """Return the quadratic form of each contrast, float64 [contrasts], at least 0."""
    found: Floats = np.maximum(np.einsum("ij,ij->i", contrasts @ form, contrasts), 0.0)
    return found


def combined(found: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return variance ratios and degrees of freedom for all sources of dependence together.

    The excess of each source over the variance of independent matches is added up. The degrees of freedom of
    the sum are those of Satterthwaite (1946).

    Args:
        found: For each source of dependence, such as openings, the ratios and degrees of freedom.
    """
    ratios, freedoms = (np.array(each) for each in zip(*found, strict=True))
    ratio = np.maximum(1 + (ratios - 1).sum(axis=0), ratios.min(axis=0))
    unsure = (ratios**2 / freedoms).sum(axis=0)
    freedom = np.divide(ratio**2, unsure, out=np.full(ratio.shape, np.inf), where=unsure > 0)
    return ratio, freedom
