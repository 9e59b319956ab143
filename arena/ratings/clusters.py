"""Clusters of matches, and the directions in which they move ratings.

A cluster affects few directions of the parameter space. The matches of one pairing affect three: the
difference between the two ratings, the first-move advantage and the draw parameter. The cost of the
computation therefore grows with the number of pairings, instead of the number of clusters times the square of
the number of parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.ratings.likelihood import Flags, Floats, outcomes
from arena.results.opening_order import Ints, numbered

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

NUMBERS = 1 << 20  # maximum size of an array for a block of contrasts
SINGULAR = 1e-9  # minimum share of the information in a direction that must come from other results
ABSORBED = 0.1  # the same for clusters of one pairing; with a single cluster only the prior contributes


@dataclass(frozen=True)
class Rows:
    """Results by cluster, with the derivatives of their log likelihood at the maximum.

    Attributes:
        cluster: int64 [rows]. The cluster, from 0.
        first: int64 [rows]. The entry in the first seat.
        second: int64 [rows]. The entry in the second seat.
        matches: int64 [rows]. The number of matches.
        slopes: float64 [rows, 2]. The first derivatives, by the rating difference and by the draw parameter.
        curves: float64 [rows, 3]. The negated second derivatives: twice by the difference, by both, and twice
            by the draw parameter.
        peaks: float64 [rows]. The fourth cumulant of the derivative by the difference; it is large if one
            result is rare.
    """

    cluster: Ints
    first: Ints
    second: Ints
    matches: Ints
    slopes: Floats
    curves: Floats
    peaks: Floats

    @classmethod
    def of(cls, rows: ByOpening, values: Floats) -> Rows:
        """Return the rows of `Results.openings`, with rows of the same cluster and seats added up.

        Args:
            rows: int64 [rows, 6], see `Results.openings`.
            values: float64 [n + 2]. The parameters at the maximum of the likelihood.
        """
        cluster, first, second = rows[:, :3].T
        which = numbered(cluster, first, second)
        sums = np.stack([np.bincount(which, rows[:, k]) for k in (3, 4, 5)])
        some = np.zeros(len(sums[0]), np.int64)
        some[which] = np.arange(len(rows))  # one row of each cluster and seats
        cluster, first, second = numbered(cluster[some]), first[some], second[some]
        x = values[first] - values[second] + values[-2]
        (win, draw, loss), _ = outcomes(x, values[-1])
        wins, draws, losses = sums
        matches = sums.sum(axis=0)
        slope_x = wins * (loss + draw / 2) - losses * (win + draw / 2) - draws * (win - loss) / 2
        slope_d = draws * (win + loss) - (wins + losses) * draw
        curves = win * loss + draw * (win + loss) / 4, draw * (loss - win) / 2, draw * (win + loss)
        fourth = win * (loss + draw / 2) ** 4 + loss * (win + draw / 2) ** 4 + draw * ((win - loss) / 2) ** 4
        return cls(
            cluster, first, second, matches.astype(np.int64),
            np.stack([slope_x, slope_d], axis=1),
            np.stack(curves, axis=1) * matches[:, None],
            (fourth - 3 * curves[0] ** 2) * matches,
        )  # fmt: skip

    def some(self, kept: Flags) -> Rows:
        """Return some of the rows, with clusters renumbered from 0."""
        return Rows(
            numbered(self.cluster[kept]), self.first[kept], self.second[kept], self.matches[kept],
            self.slopes[kept], self.curves[kept], self.peaks[kept],
        )  # fmt: skip

    @property
    def of_one_pairing(self) -> Flags:
        """Flags of the rows in clusters of a single pairing of two different entries; bool [rows]."""
        pairing = numbered(np.minimum(self.first, self.second), np.maximum(self.first, self.second))
        size = int(self.cluster.max(initial=-1)) + 1
        lowest, highest = np.full(size, len(self.first)), np.full(size, -1)
        np.minimum.at(lowest, self.cluster, pairing)
        np.maximum.at(highest, self.cluster, pairing)
        mirrored = np.zeros(size, bool)
        mirrored[self.cluster[self.first == self.second]] = True
        alone: Flags = (lowest == highest) & ~mirrored
        return alone[self.cluster]


def moves_of(
    sizes: Floats, shares: Floats, squares: Floats, least: float = SINGULAR
) -> tuple[Floats, Floats, Floats]:
    """Return how clusters move the maximum of the likelihood, by pattern.

    A pattern is a set of clusters with the same pairings and numbers of matches, but possibly different
    results. All arrays are float64 [patterns, k, k], in k coordinates in which the information of all results
    is the identity.

    Args:
        sizes: float64 [patterns]. The number of clusters.
        shares: The share of the information that one cluster contributes.
        squares: The outer products of gradients with themselves, summed over clusters.
        least: Directions are left out if all other results contribute at most this share of the information.

    Returns:
        The root of the inverse of the information of all other results; the squares of the moves, summed over
        clusters, as observed; and their expected values if matches were independent.
    """
    found, directions = np.linalg.eigh(shares)
    left = 1 - found
    grow = np.where(left > least, 1 / np.sqrt(np.maximum(left, least)), 0.0)
    growth: Floats = (directions * grow[:, None]) @ directions.swapaxes(1, 2)
    seen: Floats = growth @ squares @ growth
    expected: Floats = sizes[:, None, None] * (growth @ (shares - shares @ shares) @ growth)
    return growth, seen, expected


class OfPairings:
    """Clusters whose matches are all of one pairing, by pattern.

    They affect three directions: the difference between the two ratings, the first-move advantage and the
    draw parameter.

    Attributes:
        low: int64 [patterns]. The entry with the lower index.
        high: int64 [patterns]. The entry with the higher index.
        sizes: float64 [patterns]. The number of clusters.
        expected: float64 [patterns, 3, 3]. The expected squares of a cluster's moves if matches were
            independent, as a quadratic form in the three directions.
    """

    def __init__(self, rows: Rows, covariance: Floats) -> None:
        n = len(covariance) - 2
        low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
        ahead = rows.first == low
        sign = np.where(ahead, 1.0, -1.0)
        size = int(rows.cluster.max()) + 1
        matches = [np.bincount(rows.cluster, rows.matches * seat, size) for seat in (ahead, ~ahead)]
        one, other = np.zeros(size, np.int64), np.zeros(size, np.int64)
        one[rows.cluster], other[rows.cluster] = low, high
        pattern = numbered(one, other, *(each.astype(np.int64) for each in matches))
        patterns = int(pattern.max()) + 1
        example = np.zeros(patterns, np.int64)
        example[pattern] = np.arange(size)
        self.low, self.high = one[example], other[example]
        by_x, by_d = rows.slopes.T
        gradient = np.stack(
            [np.bincount(rows.cluster, each, size) for each in (sign * by_x, by_x, by_d)], axis=1
        )
        xx, xd, dd = rows.curves.T
        parts = [[xx, sign * xx, sign * xd], [sign * xx, xx, xd], [sign * xd, xd, dd]]
        information = np.array(
            [[np.bincount(rows.cluster, each, size)[example] for each in row] for row in parts]
        )
        squares = np.array(
            [
                [np.bincount(pattern, gradient[:, i] * gradient[:, j], patterns) for j in range(3)]
                for i in range(3)
            ]
        )
        i, j, h, d = self.low, self.high, n, n + 1
        c = covariance
        among = np.array(
            [
                [c[i, i] + c[j, j] - 2 * c[i, j], c[i, h] - c[j, h], c[i, d] - c[j, d]],
                [c[i, h] - c[j, h], np.full(patterns, c[h, h]), np.full(patterns, c[h, d])],
                [c[i, d] - c[j, d], np.full(patterns, c[h, d]), np.full(patterns, c[d, d])],
            ]
        )
        root = np.linalg.cholesky(np.moveaxis(among, 2, 0))
        turned, inverse = root.swapaxes(1, 2), np.linalg.inv(root)
        self.sizes = np.bincount(pattern).astype(np.float64)
        _, seen, expected = moves_of(
            self.sizes,
            turned @ np.moveaxis(information, 2, 0) @ root,
            turned @ np.moveaxis(squares, 2, 0) @ root,
            ABSORBED,
        )
        seen, expected = (inverse.swapaxes(1, 2) @ each @ inverse for each in (seen, expected))
        self.seen_by_all, self.expected_of_all = self.whole(seen, n), self.whole(expected, n)
        self.expected: Floats = expected / self.sizes[:, None, None]

    def whole(self, parts: Floats, n: int) -> Floats:
        """Return the sum of quadratic forms as a quadratic form in all parameters, float64 [n + 2, n + 2].

        Args:
            parts: float64 [patterns, 3, 3].
            n: The number of entries.
        """
        (dd, dh, de), (_, hh, he), (_, _, ee) = np.moveaxis(parts, 0, 2)
        apart = np.bincount(self.low * n + self.high, dd, n * n).reshape(n, n)
        apart = apart + apart.T
        found = np.zeros((n + 2, n + 2))
        found[:n, :n] = np.diag(apart.sum(axis=1)) - apart
        for column, each in ((n, dh), (n + 1, de)):
            found[:n, column] = np.bincount(self.low, each, n) - np.bincount(self.high, each, n)
            found[column, :n] = found[:n, column]
        found[n:, n:] = [[hh.sum(), he.sum()], [he.sum(), ee.sum()]]
        return found

    def of_a_cluster(self, apart: Floats, first_move: Floats, draws: Floats) -> Floats:
        """Return the expected contribution of a cluster to a variance, with patterns along the last axis.

        Args:
            apart: float64 [..., patterns]. Weight of the rating difference in a contrast.
            first_move: float64 [..., patterns or 1]. Weight of the first-move advantage.
            draws: float64 [..., patterns or 1]. Weight of the draw parameter.
        """
        (dd, dh, de), (_, hh, he), (_, _, ee) = np.moveaxis(self.expected, 0, 2)
        found: Floats = (
            (dd * apart + 2 * (dh * first_move + de * draws)) * apart
            + (hh * first_move + 2 * he * draws) * first_move
            + ee * draws**2
        )
        return found

    def spread(self, ways: Floats) -> Floats:
        """Return the expected contributions of clusters to the variances of contrasts.

        Args:
            ways: float64 [contrasts, n + 2]. The covariance times each contrast.

        Returns:
            float64 [3, contrasts]: the expected contribution, half of its variance, and the sum of squares of
            the contributions of the clusters.
        """
        own = self.of_a_cluster(ways[:, self.low] - ways[:, self.high], ways[:, -2, None], ways[:, -1, None])
        expected, squares = own @ self.sizes, own**2 @ self.sizes
        return np.stack([expected, less_one(expected, squares), squares])

    def spread_of_entries(self, covariance: Floats) -> Floats:
        """Return the expected contributions of clusters to the variances of ratings.

        Only an entry's own matches contribute.

        Returns:
            float64 [3, n], see `spread`.
        """
        n = len(covariance) - 2
        expected, squares = np.zeros(n), np.zeros(n)
        for seat in (self.low, self.high):
            apart = covariance[seat, self.low] - covariance[seat, self.high]
            own = self.of_a_cluster(apart, covariance[seat, n], covariance[seat, n + 1])
            expected += np.bincount(seat, self.sizes * own, n)
            squares += np.bincount(seat, self.sizes * own**2, n)
        return np.stack([expected, less_one(expected, squares), squares])


def less_one(expected: Floats, squares: Floats) -> Floats:
    """Return the sum of squares with one degree of freedom removed for the fitted mean; at least one is left.

    Args:
        expected: Sums of the expected contributions of clusters.
        squares: Sums of the squares of these contributions.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(squares > 0, expected**2 / squares, np.inf)
        less: Floats = expected**2 / np.maximum(freedom - 1, 1.0)
    return less


class OfSeveral:
    """Clusters of matches of several pairings, by pattern. They affect all directions.

    Attributes:
        root: float64 [n + 2, n + 2]. The Cholesky root of the information of all results.
        sizes: float64 [patterns]. The number of clusters.
        shares: float64 [patterns, n + 2, n + 2]. The share of the information that one cluster contributes,
            see `moves_of`.
        growth: float64 [patterns, n + 2, n + 2]. The root of the inverse of the information of all other
            results, see `moves_of`.
    """

    def __init__(self, rows: Rows, root: Floats) -> None:
        n = len(root) - 2
        self.root = root
        inverse = np.linalg.inv(root)
        order = np.lexsort((rows.second, rows.first, rows.cluster))
        size = int(rows.cluster.max()) + 1
        bounds = np.searchsorted(rows.cluster[order], np.arange(size + 1))
        matches = np.stack([rows.first, rows.second, rows.matches], axis=1)[order]
        patterns: dict[bytes, int] = {}
        pattern = np.array(
            [
                patterns.setdefault(matches[begin:end].tobytes(), len(patterns))
                for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
            ]
        )
        gradients = np.zeros((size, n + 2))
        by_x, by_d = rows.slopes.T
        np.add.at(gradients, (rows.cluster, rows.first), by_x)
        np.add.at(gradients, (rows.cluster, rows.second), -by_x)
        gradients[:, n], gradients[:, n + 1] = (
            np.bincount(rows.cluster, each, size) for each in (by_x, by_d)
        )
        turned = gradients @ inverse.T
        shares, squares = np.zeros((2, len(patterns), n + 2, n + 2))
        for k in range(len(patterns)):
            members = np.flatnonzero(pattern == k)
            example = order[bounds[members[0]] : bounds[members[0] + 1]]
            shares[k] = inverse @ information_of(rows, example, n) @ inverse.T
            squares[k] = turned[members].T @ turned[members]
        self.sizes, self.shares = np.bincount(pattern).astype(np.float64), shares
        self.growth, seen, expected = moves_of(self.sizes, shares, squares)
        self.seen_by_all, self.expected_of_all = (
            root @ each.sum(axis=0) @ root.T for each in (seen, expected)
        )

    def spread(self, ways: Floats) -> Floats:
        """Return the expected contributions of clusters to variances, see `OfPairings.spread`."""
        found = np.zeros((3, len(ways)))
        size = max(NUMBERS // self.shares.shape[0] // self.shares.shape[1], 1)
        for begin in range(0, len(ways), size):
            block = slice(begin, begin + size)
            grown = ((ways[block] @ self.root)[:, None, None] @ self.growth)[:, :, 0]
            weights = (grown[:, :, None] @ self.shares)[:, :, 0]
            less = (weights**2).sum(axis=2)
            own = (grown * weights).sum(axis=2) - less
            # the covariance of the moves of two clusters is minus the product of their weights
            scaled = weights * np.sqrt(self.sizes)[:, None]
            products = scaled @ scaled.swapaxes(1, 2)
            alone = own**2 @ self.sizes
            between = (products**2).sum(axis=(1, 2)) - less**2 @ self.sizes
            found[:, block] = own @ self.sizes, alone + between, alone
        return found

    def spread_of_entries(self, covariance: Floats) -> Floats:
        """Return the expected contributions of clusters to the variances of ratings, float64 [3, n]."""
        return self.spread(covariance[:-2])


def information_of(rows: Rows, some: Ints, n: int) -> Floats:
    """Return the information of some rows about all parameters, float64 [n + 2, n + 2]."""
    first, second = rows.first[some], rows.second[some]
    xx, xd, dd = rows.curves[some].T
    found = np.zeros((n + 2, n + 2))
    for one, other, sign in (
        (first, first, 1),
        (second, second, 1),
        (first, second, -1),
        (second, first, -1),
    ):
        np.add.at(found, (one, other), sign * xx)
    for column, each in ((n, xx), (n + 1, xd)):
        found[:n, column] = np.bincount(first, each, n) - np.bincount(second, each, n)
        found[column, :n] = found[:n, column]
    found[n:, n:] = [[xx.sum(), xd.sum()], [xd.sum(), dd.sum()]]
    return found
