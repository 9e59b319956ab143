"""Profile likelihoods of many contrasts at once, from properties of the maximum.

Near its maximum a log likelihood is nearly quadratic, and the quadratic part is the same for all contrasts.
The terms of matches of the one or two entries that dominate a contrast, its *main entries*, deviate most from
the quadratic part; they are computed exactly. The terms of all other matches are computed exactly if there
are few pairings, and otherwise to third order, with a bound on the error. A step therefore multiplies all
contrasts by one covariance matrix, and does not need an information matrix for each contrast.

In this module x is the log odds of a win of the first player against a loss, and n is the number of entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.likelihood import Flags, Floats, Likelihood, outcomes
from arena.ratings.statistics import POINTS

Places = NDArray[np.integer[Any]]
NUMBERS = 1 << 18  # maximum size of an array for a block of contrasts
TURNS = 40
NEAR, PRECISE = 1e-3, 1e-8  # tolerances in log odds and in the root of twice the drop
CLOSE = 1e-5  # distance in log odds up to which the terms of other matches are not recomputed
DENSE = 20  # with at most this many pairings per entry, all terms are computed exactly from the start
ALLOWED = 2e-4  # maximum error of an interval's end in Elo points, by a conservative bound


class Nonlinear(NamedTuple):
    """The difference between the exact terms of the main entries' matches and their quadratic part.

    Attributes:
        value: float64 [contrasts]. Addition to the log likelihood.
        gradient: float64 [contrasts, n + 2]. Its derivatives by all parameters.
        bend: float64 [contrasts, 2]. For each main entry, the curvature at the maximum minus the current one.
    """

    value: Floats
    gradient: Floats
    bend: Floats


@dataclass
class Search:
    """The state of the search for the ends of some contrasts.

    Attributes:
        contrasts: float64 [contrasts, n + 2].
        focus: int [contrasts, 2]. The main entries, see `NearMaximum.focus_of`.
        shown: bool [contrasts, 2]. Whether the contrast uses each of its main entries.
        wanted: float64 [contrasts]. Root of twice the drop at the end.
        ways: float64 [contrasts, n + 2]. The covariance times each contrast.
        variance: float64 [contrasts]. Variance of each contrast.
        slope: float64 [contrasts]. Slope of the profile along each contrast, positive downhill.
        moved: float64 [contrasts, n + 2]. Distance of the parameters from the maximum: the covariance times
            `pull`.
        pull: float64 [contrasts, n + 2]. The gradient vector that the covariance maps to `moved`.
        place: float64 [contrasts, n + 2]. Value of `moved` when `rest` was last recomputed.
        rest: float64 [contrasts, n + 2]. Gradient, at `place`, of the terms of other matches beyond the
            quadratic part.
        rest_value: float64 [contrasts]. Value of these terms at `place`.
    """

    contrasts: Floats
    focus: Places
    shown: Flags
    wanted: Floats
    ways: Floats
    variance: Floats
    slope: Floats
    moved: Floats
    pull: Floats
    place: Floats
    rest: Floats
    rest_value: Floats

    def only(self, kept: Flags) -> Search:
        """Return the search for some of the contrasts."""
        return self if kept.all() else Search(*(getattr(self, one.name)[kept] for one in fields(self)))

    def since(self, moved: Floats) -> Floats:
        """Return the largest distance of a parameter from `place`, float64 [contrasts]."""
        return np.abs(moved - self.place).max(axis=1)

    def fall(self, beyond: Nonlinear) -> Floats:
        """Return the drop of the log likelihood below its maximum, float64 [contrasts]."""
        rest = self.rest_value + dot(self.rest, self.moved - self.place)
        fall: Floats = dot(self.moved, self.pull) / 2 - beyond.value - rest
        return fall


class NearMaximum:
    """A log likelihood near its maximum.

    Args:
        likelihood: The log likelihood.
        values: float64 [n + 2]. The parameters at its maximum.

    Attributes:
        covariance: float64 [n + 2, n + 2]. Covariance of the parameters at the maximum; the one from
            `Likelihood.maximum` belongs to the preceding Newton step.
    """

    def __init__(self, likelihood: Likelihood, values: Floats) -> None:
        self.n = likelihood.entries
        self.covariance: Floats = likelihood.centred(np.linalg.inv(likelihood.at(values).information))
        self.matches = likelihood.counts.sum(axis=0)
        ratings = values[: self.n]
        self.x, self.draws = ratings[:, None] - ratings + values[self.n], float(values[-1])
        (win, draw, loss), self.log_total = outcomes(self.x, self.draws)
        self.score, self.draw = (win - loss) / 2, draw
        self.curve_xx = win * loss + draw * (win + loss) / 4
        self.curve_xd = draw * (loss - win) / 2
        self.curve_dd = draw * (win + loss)
        self.arrays = (
            self.x, self.log_total, self.score, self.draw, self.curve_xx, self.curve_xd, self.curve_dd
        )  # fmt: skip
        self.by_seat = [(array, np.ascontiguousarray(array.T)) for array in (self.matches, *self.arrays)]

    # --- the ends of intervals -------------------------------------------------------------------------

    def upper_ends(self, contrasts: Floats, drop: Floats) -> tuple[Floats, Flags]:
        """Find the largest value of each contrast at which its profile is `drop` below the maximum.

        Args:
            contrasts: float64 [contrasts, n + 2].
            drop: float64 [contrasts].

        Returns:
            The differences of these values from those at the maximum, float64 [contrasts], and which of them
            are accurate, bool [contrasts].
        """
        ends, right = np.zeros(len(contrasts)), np.zeros(len(contrasts), bool)
        wanted = np.sqrt(2 * drop)
        for exactly in (False, True) if len(self.played[0]) > DENSE * self.n else (True,):
            left = np.flatnonzero(~right)
            numbers = max(len(self.played[0]), self.n) if exactly else self.n
            size = max(NUMBERS // numbers, 1)
            for block in np.split(left, range(size, len(left), size)):
                ends[block], right[block] = self.ends_of_block(contrasts[block], wanted[block], exactly)
        return ends, right

    def ends_of_block(self, contrasts: Floats, wanted: Floats, exactly: bool) -> tuple[Floats, Flags]:
        """Find the upper ends of a block of contrasts, see `upper_ends`.

        Args:
            contrasts: float64 [contrasts, n + 2].
            wanted: float64 [contrasts]. Root of twice the drop at the end.
            exactly: Whether the terms of all matches are computed exactly, and not only those of the main
                entries.
        """
        ends, right = np.zeros(len(contrasts)), np.zeros(len(contrasts), bool)
        if not len(contrasts):
            return ends, right
        found = self.begin(contrasts, wanted)
        going = np.arange(len(contrasts))
        for _ in range(TURNS):
            beyond = self.beyond(found.moved, found.focus, found.shown)
            at = dot(found.contrasts, found.moved)
            root = np.sqrt(np.maximum(2 * found.fall(beyond), 0.0))
            short = found.wanted - root
            downhill = (found.slope > 0) & (root > 0)
            rate = np.where(downhill, root, 0.0) / np.where(downhill, found.slope, 1.0)
            most = np.maximum(3.0, found.wanted / 8) * np.sqrt(found.variance)
            before = found.moved.copy()
            reach = self.step(found, beyond, at + np.clip(short * rate, -most, most))
            near = (np.abs(short) < PRECISE) & (reach < PRECISE)
            done = near & (found.since(before) < CLOSE)
            if done.any():
                ends[going[done]] = at[done]
                right[going[done]] = exactly or self.is_right(found, done)
            left = ~done & downhill & np.isfinite(reach)
            found, going = found.only(left), going[left]
            if not len(going):
                break
            stale = (
                (np.abs(short[left]) < NEAR) & (reach[left] < NEAR) & (found.since(found.moved) > CLOSE / 2)
            )
            if stale.any():
                self.refresh(found, stale, exactly)
        return ends, right

    def may_be(self, contrasts: Floats, at: Floats, drop: Floats) -> Flags:
        """Return whether a single point proves that the end of an interval is beyond `at`.

        The point is where the profile would be if the log likelihood were quadratic. If the log likelihood
        there is less than `drop` below the maximum, the end is beyond `at`. False means unknown, also if
        there are too many pairings to compute.

        Args:
            contrasts: float64 [contrasts, n + 2].
            at: float64 [contrasts]. Value of each contrast minus its value at the maximum.
            drop: float64 [contrasts]. Drop of the profile at the end.

        Returns:
            bool [contrasts].
        """
        if len(self.played[0]) > DENSE * self.n:
            return np.zeros(len(contrasts), bool)
        ways = contrasts @ self.covariance
        slope = at / dot(ways, contrasts)
        fall = slope * at / 2
        size = max(NUMBERS // len(self.played[0]), 1)
        for begin in range(0, len(contrasts), size):
            block = slice(begin, begin + size)
            fall[block] -= self.value_of_all(slope[block, None] * ways[block])
        within: Flags = fall < drop
        return within

    def begin(self, contrasts: Floats, wanted: Floats) -> Search:
        """Return a search that starts from the ends of a quadratic log likelihood."""
        focus, shown = self.focus_of(contrasts)
        ways = contrasts @ self.covariance
        variance = dot(ways, contrasts)
        slope = wanted / np.sqrt(variance)
        moved, nothing = slope[:, None] * ways, np.zeros_like(contrasts)
        pull = slope[:, None] * contrasts
        return Search(
            contrasts, focus, shown, wanted, ways, variance, slope, moved, pull,
            nothing, nothing.copy(), np.zeros(len(contrasts)),
        )  # fmt: skip

    def refresh(self, found: Search, stale: Flags, exactly: bool) -> None:
        """Recompute the terms of other matches beyond the quadratic part, in place.

        Args:
            found: The search.
            stale: bool [contrasts]. The contrasts for which to recompute them.
            exactly: Whether these terms are computed exactly instead of to third order.
        """
        moved, focus, shown = found.moved[stale], found.focus[stale], found.shown[stale]
        if exactly:
            value, gradient = self.beyond_of_all(moved)
            own = self.beyond(moved, focus, shown)
            value, gradient = value - own.value, gradient - own.gradient
        else:
            gradient = self.third_order(moved, focus, shown)
            value = dot(gradient, moved) / 3
        found.place[stale], found.rest[stale], found.rest_value[stale] = moved, gradient, value

    def step(self, found: Search, beyond: Nonlinear, target: Floats) -> Floats:
        """Move to where the gradient is parallel to the contrast and the contrast has a target value.

        This is a step of Newton's method, with the current curvature for the main entries and the curvature
        at the maximum for all others. It updates `found`.

        Args:
            found: The search.
            beyond: The terms of the main entries' matches beyond the quadratic part.
            target: float64 [contrasts]. Target values of the contrasts.

        Returns:
            The largest change of a parameter in the full step, float64 [contrasts]. Steps longer than 1 are
            shortened.
        """
        pull = found.slope[:, None] * found.contrasts + beyond.gradient + found.rest
        rest = pull @ self.covariance - found.moved
        rows, each = self.covariance[found.focus], np.arange(len(pull))[:, None]
        among = rows[
            np.arange(len(pull))[:, None, None], np.arange(2)[None, :, None], found.focus[:, None, :]
        ]
        own, bend = found.ways[each, found.focus], beyond.bend
        system = np.empty((len(pull), 3, 3))
        system[:, :2, :2] = np.eye(2) - among * bend[:, None, :]
        system[:, :2, 2] = -own
        system[:, 2, :2] = own * bend
        system[:, 2, 2] = found.variance
        sides = np.empty((len(pull), 3))
        sides[:, :2] = rest[each, found.focus]
        sides[:, 2] = target - dot(found.contrasts, found.moved + rest)
        solved = np.linalg.solve(system, sides[:, :, None])[:, :, 0]
        more, steeper = bend * solved[:, :2], solved[:, 2]
        change = rest + steeper[:, None] * found.ways + (more[:, :, None] * rows).sum(axis=1)
        pull += steeper[:, None] * found.contrasts
        for k in (0, 1):
            pull[each[:, 0], found.focus[:, k]] += more[:, k]
        reach = np.abs(change).max(axis=1)
        part = np.where(reach > 1, np.log1p(reach) / np.maximum(reach, 1), 1.0)
        found.moved += part[:, None] * change
        found.pull += part[:, None] * (pull - found.pull)
        found.slope += part * steeper
        return reach

    def focus_of(self, contrasts: Floats) -> tuple[Places, Flags]:
        """Return the two main entries of each contrast, and whether each is used.

        An entry is used if its weight differs from the median of all entries.

        Returns:
            int [contrasts, 2] and bool [contrasts, 2].
        """
        weights = contrasts[:, : self.n]
        apart = np.abs(weights - np.median(weights, axis=1, keepdims=True))
        focus = np.argsort(-apart, axis=1, kind="stable")[:, :2]
        shown = np.take_along_axis(apart, focus, axis=1) > 1e-9
        return focus, shown

    # --- exact: matches of the main entries -------------------------------------------------------------

    def beyond(self, moved: Floats, focus: Places, shown: Flags) -> Nonlinear:
        """Return the terms of the main entries' matches beyond the quadratic part.

        Args:
            moved: float64 [contrasts, n + 2]. Distance of the parameters from the maximum.
            focus: int [contrasts, 2]. The main entries.
            shown: bool [contrasts, 2]. Whether the contrast uses each of its main entries.
        """
        value, gradient = np.zeros(len(moved)), np.zeros_like(moved)
        bend = np.zeros((len(moved), 2))
        each = np.arange(len(moved))
        for k in self.shown_in(shown):
            for first in (True, False):
                matches, dx, dd, base = self.of_focus(moved, focus, shown, k, first)
                left, by_x, by_d, bent = self.left_over(matches, dx, dd, base)
                value += left
                bend[:, k] += bent.sum(axis=1)
                self.add(gradient, by_x, by_d, each, focus[:, k], first)
        return Nonlinear(value, gradient, bend)

    def of_focus(
        self, moved: Floats, focus: Places, shown: Flags, k: int, first: bool
    ) -> tuple[Floats, Floats, Floats, list[Floats]]:
        """Return the matches of a main entry in one seat, by opponent.

        Matches between both main entries are assigned to the first of them only. Matches of an entry against
        itself are left out.

        Args:
            moved: float64 [contrasts, n + 2]. Distance of the parameters from the maximum.
            focus: int [contrasts, 2]. The main entries.
            shown: bool [contrasts, 2]. Whether the contrast uses each of its main entries.
            k: Index of the main entry, 0 or 1.
            first: Whether this entry moves first.

        Returns:
            The numbers of matches, float64 [contrasts, n]; the changes of x, float64 [contrasts, n], and of
            the draw parameter, float64 [contrasts, 1]; and the arrays of properties at the maximum, float64
            [contrasts, n] each.
        """
        own, n = focus[:, k], self.n
        matches, *base = (arrays[not first][own] for arrays in self.by_seat)
        matches *= shown[:, k, None]
        each = np.arange(len(own))
        matches[each, own] = 0
        if k:
            matches[each, focus[:, 0]] *= ~shown[:, 0]
        apart = moved[each, own][:, None] - moved[:, :n]
        dx = (apart if first else -apart) + moved[:, n, None]
        return matches, dx, moved[:, -1, None], base

    @staticmethod
    def shown_in(shown: Flags) -> list[int]:
        """Return which of the two main entries are used by any contrast."""
        return [k for k in (0, 1) if shown[:, k].any()]

    def add(
        self, gradient: Floats, by_x: Floats, by_d: Floats, each: Places, own: Places, first: bool
    ) -> None:
        """Add the derivatives of an entry's matches by x and by the draw parameter to `gradient`, in place.

        Args:
            gradient: float64 [contrasts, n + 2]. Modified in place.
            by_x: float64 [contrasts, n]. Derivatives by x, by opponent.
            by_d: float64 [contrasts, n]. Derivatives by the draw parameter, by opponent.
            each: int [contrasts]. Index of each contrast.
            own: int [contrasts]. The entry.
            first: Whether this entry moves first.
        """
        sign, n = (1 if first else -1), self.n
        total = by_x.sum(axis=1)
        gradient[:, :n] -= sign * by_x
        gradient[each, own] += sign * total
        gradient[:, n] += total
        gradient[:, -1] += by_d.sum(axis=1)

    # --- exact: all matches -----------------------------------------------------------------------------

    @cached_property
    def played(self) -> tuple[Places, Places]:
        """The first and the second entries of the pairings that were played, int [pairings] each."""
        first, second = np.nonzero(self.matches)
        return first, second

    @cached_property
    def base(self) -> tuple[Floats, list[Floats]]:
        """The numbers of matches of the pairings played, and their properties at the maximum.

        These are float64 [pairings] each, see `of_focus`.
        """
        return self.matches[self.played], [array[self.played] for array in self.arrays]

    def changes(self, moved: Floats) -> tuple[Floats, Floats]:
        """Return the changes of x and of the draw parameter.

        Returns:
            float64 [contrasts, pairings] and float64 [contrasts, 1].
        """
        first, second = self.played
        return moved[:, first] - moved[:, second] + moved[:, self.n, None], moved[:, -1, None]

    def value_of_all(self, moved: Floats) -> Floats:
        """Return the terms of all matches beyond the quadratic part, float64 [contrasts]."""
        matches, (x, log_total, score, draw, curve_xx, curve_xd, curve_dd) = self.base
        dx, dd = self.changes(moved)
        up = np.exp((x + dx) / 2)
        total = np.log(up + np.exp(self.draws + dd) + 1 / up)
        expected = (
            log_total + (score + curve_xx / 2 * dx + curve_xd * dd) * dx + (draw + curve_dd / 2 * dd) * dd
        )
        value: Floats = (expected - total) @ matches
        return value

    def beyond_of_all(self, moved: Floats) -> tuple[Floats, Floats]:
        """Return the terms of all matches beyond the quadratic part, and their gradient.

        Returns:
            float64 [contrasts] and float64 [contrasts, n + 2].
        """
        matches, base = self.base
        value, by_x, by_d, _ = self.left_over(matches, *self.changes(moved), base)
        first, second = self.played
        gradient = np.empty_like(moved)
        for k in range(len(moved)):
            gradient[k, : self.n] = np.bincount(first, by_x[k], self.n) - np.bincount(second, by_x[k], self.n)
        gradient[:, self.n], gradient[:, -1] = by_x.sum(axis=1), by_d.sum(axis=1)
        return value, gradient

    def left_over(
        self, matches: Floats, dx: Floats, dd: Floats, base: Sequence[Floats]
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the terms of pairings in the log likelihood beyond the quadratic part.

        Args:
            matches: float64 [..., pairings]. Number of matches.
            dx: float64 [contrasts, pairings]. Change of x.
            dd: float64 [contrasts, 1]. Change of the draw parameter.
            base: Properties at the maximum, see `of_focus`.

        Returns:
            The sum over pairings, float64 [contrasts]. Then float64 [contrasts, pairings] each: its
            derivatives by x and by the draw parameter, and the curvature by x at the maximum minus the
            current one.
        """
        x, log_total, score, draw, curve_xx, curve_xd, curve_dd = base
        up, even = np.exp((x + dx) / 2), np.exp(self.draws + dd)
        down = 1 / up
        total = up + even + down
        win, drawn, lost = up / total, even / total, down / total
        linear_x, linear_d = curve_xx * dx + curve_xd * dd, curve_xd * dx + curve_dd * dd
        expected = score * dx + draw * dd + (linear_x * dx + linear_d * dd) / 2
        value = -(matches * (np.log(total) - log_total - expected)).sum(axis=1)
        by_x = -matches * ((win - lost) / 2 - score - linear_x)
        by_d = -matches * (drawn - draw - linear_d)
        return value, by_x, by_d, matches * (curve_xx - win * lost - drawn * (win + lost) / 4)

    # --- third order: all other matches -----------------------------------------------------------------

    @cached_property
    def sums(self) -> Sums:
        """Third derivatives of all matches at the maximum, summed over pairings."""
        xxx, xxd, xdd, ddd = thirds_of(self.matches, self.score, self.draw)
        return Sums(
            odd=xxx - xxx.T,
            even=xxx + xxx.T,
            mixed=xxd + xxd.T,
            by_xxx=xxx.sum(axis=1) - xxx.sum(axis=0),
            by_xxd=xxd.sum(axis=1) - xxd.sum(axis=0),
            by_xdd=xdd.sum(axis=1) - xdd.sum(axis=0),
            xxx=float(xxx.sum()),
            xxd=float(xxd.sum()),
            xdd=float(xdd.sum()),
            ddd=float(ddd.sum()),
        )

    def third_order(self, moved: Floats, focus: Places, shown: Flags) -> Floats:
        """Return the gradient of the third-order terms of all other matches, [contrasts, n + 2]."""
        n, sums = self.n, self.sums
        ratings, move, drawn = moved[:, :n], moved[:, n, None], moved[:, -1, None]
        odd = sums.odd
        squares = ratings**2
        row_odd, row_even, row_mixed = odd.sum(axis=1), sums.even.sum(axis=1), sums.mixed.sum(axis=1)
        by_even, by_mixed = ratings @ sums.even, ratings @ sums.mixed
        apart_odd = squares * row_odd - 2 * ratings * (ratings @ odd.T) + squares @ odd.T
        apart_even, apart_mixed = ratings * row_even - by_even, ratings * row_mixed - by_mixed
        gradient = np.empty_like(moved)
        gradient[:, :n] = (
            (apart_odd + 2 * move * apart_even + move**2 * sums.by_xxx) / 2
            + drawn * (apart_mixed + move * sums.by_xxd)
            + drawn**2 * sums.by_xdd / 2
        )
        h, d = moved[:, n], moved[:, -1]
        by_xxx, by_xxd, by_xdd = (ratings @ one for one in (sums.by_xxx, sums.by_xxd, sums.by_xdd))
        all_xxx = dot(ratings, apart_even) + 2 * h * by_xxx + h**2 * sums.xxx
        all_xxd = dot(ratings, apart_mixed) + 2 * h * by_xxd + h**2 * sums.xxd
        all_x_xxd, all_x_xdd = by_xxd + h * sums.xxd, by_xdd + h * sums.xdd
        gradient[:, n] = all_xxx / 2 + d * all_x_xxd + d**2 * sums.xdd / 2
        gradient[:, -1] = all_xxd / 2 + d * all_x_xdd + d**2 * sums.ddd / 2
        return gradient - self.third_order_of_focus(moved, focus, shown)

    def third_order_of_focus(self, moved: Floats, focus: Places, shown: Flags) -> Floats:
        """Return the gradient of the third-order terms of the main entries' matches, [contrasts, n + 2]."""
        gradient, each = np.zeros_like(moved), np.arange(len(moved))
        for k in self.shown_in(shown):
            for first in (True, False):
                matches, dx, dd, (_, _, score, draw, *_) = self.of_focus(moved, focus, shown, k, first)
                xxx, xxd, xdd, ddd = thirds_of(matches, score, draw)
                by_x = (xxx * dx**2 + 2 * xxd * dx * dd + xdd * dd**2) / 2
                by_d = (xxd * dx**2 + 2 * xdd * dx * dd + ddd * dd**2) / 2
                self.add(gradient, by_x, by_d, each, focus[:, k], first)
        return gradient

    def is_right(self, found: Search, some: Flags) -> Flags:
        """Return whether terms of fourth and higher order move ends by at most `ALLOWED`, by an upper bound.

        Args:
            found: The search.
            some: bool [contrasts]. The contrasts to check.

        Returns:
            bool, one value for each of these contrasts.
        """
        moved, focus, shown = found.moved[some], found.focus[some], found.shown[some]
        quadratic = dot(moved, found.pull[some])
        for k in self.shown_in(shown):
            for first in (True, False):
                matches, dx, dd, base = self.of_focus(moved, focus, shown, k, first)
                *_, xx, xd, dd_curve = base
                quadratic -= (matches * (xx * dx**2 + 2 * xd * dx * dd + dd_curve * dd**2)).sum(axis=1)
        ratings = moved[:, : self.n].copy()
        other = np.median(ratings, axis=1)
        for k in (0, 1):
            each = np.flatnonzero(shown[:, k])
            ratings[each, focus[each, k]] = other[each]
        apart = ratings.max(axis=1) - ratings.min(axis=1) + np.abs(moved[:, self.n])
        reach = np.maximum(apart, apart / 2 + np.abs(moved[:, -1]))
        missed = np.maximum(quadratic, 0.0) * reach**2 * np.exp(reach) / 24
        right: Flags = POINTS * missed <= ALLOWED * found.slope[some]
        return right


class Sums(NamedTuple):
    """Third derivatives of the log likelihood at the maximum, summed over pairings.

    Attributes:
        odd: float64 [n, n]. Derivatives by x only for each pairing, minus those with seats exchanged.
        even: float64 [n, n]. Derivatives by x only for each pairing, plus those with seats exchanged.
        mixed: float64 [n, n]. Derivatives by x, x and the draw parameter, plus those with seats exchanged.
        by_xxx: float64 [n]. Derivatives by x only with the entry moving first, minus those with the entry
            moving second.
        by_xxd: float64 [n]. The same with derivatives by x, x and the draw parameter.
        by_xdd: float64 [n]. The same with derivatives by x and twice by the draw parameter.
        xxx: Sum over all pairings of the derivatives by x only.
        xxd: The same with derivatives by x, x and the draw parameter.
        xdd: The same with derivatives by x and twice by the draw parameter.
        ddd: The same with derivatives by the draw parameter only.
    """

    odd: Floats
    even: Floats
    mixed: Floats
    by_xxx: Floats
    by_xxd: Floats
    by_xdd: Floats
    xxx: float
    xxd: float
    xdd: float
    ddd: float


def thirds_of(matches: Floats, score: Floats, draw: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return third derivatives of log likelihoods by x and the draw parameter d: xxx, xxd, xdd and ddd.

    Args:
        matches: Number of matches.
        score: Expected score minus a half.
        draw: Probability of a draw.

    Returns:
        Arrays of the same shape.
    """
    high, low, even = 0.5 - score, -0.5 - score, 1 - draw
    win, loss = (even / 2 + score) * matches, (even / 2 - score) * matches
    drawn, square = draw * matches, score * score  # for numpy arrays, powers are far slower than products
    won, lost = win * high, loss * low
    squares = won * high + lost * low
    return (
        drawn * score * square - won * high * high - lost * low * low,
        draw * squares - drawn * even * square,
        drawn * even * even * score - draw * draw * (won + lost),
        draw * draw * draw * (win + loss) - drawn * even * even * even,
    )


def dot(one: Floats, other: Floats) -> Floats:
    """Return the scalar products over the last axis."""
    product: Floats = np.einsum("ij,ij->i", one, other)
    return product
