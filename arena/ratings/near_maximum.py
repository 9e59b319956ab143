"""Profile likelihoods of many contrasts at once, from what is known at the maximum.

Near the maximum a log likelihood is nearly quadratic, and the quadratic part is the same for all contrasts.
The matches of the one or two entries that a contrast is about, its focus, depart most from it. They are
computed exactly. All others are too where pairings are few, and else to the third order, with a bound on the
error. So a step multiplies all contrasts by one covariance matrix, and needs no information matrix for each.
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
NUMBERS = 1 << 18  # in the arrays of a block of contrasts
TURNS = 40
NEAR, PRECISE = 1e-3, 1e-8  # in log odds and in the root of twice the fall
CLOSE = 1e-5  # in log odds: between two points from which the same follows for matches not in focus
DENSE = 20  # pairings an entry, up to which they are followed exactly from the start
ALLOWED = 2e-4  # Elo points by which an end may be off; the bound on it is far above what it is off


class Nonlinear(NamedTuple):
    """What the matches of the entries in focus add beyond the quadratic part.

    value: of the log likelihood, [contrasts]. gradient: of it, [contrasts, n + 2]. bend: of each entry in
    focus, minus the curvature that it has here, plus that at the maximum, [contrasts, 2].
    """

    value: Floats
    gradient: Floats
    bend: Floats


@dataclass
class Search:
    """Where the search for the ends of some contrasts has got to.

    contrasts: [contrasts, n + 2]. focus, shown: as `focus_of` gives them. wanted: the root of twice the fall.
    ways: the covariance times each contrast. variance: of each. slope: of the profile, downhill, along each.
    moved: from the maximum, [contrasts, n + 2], which is the covariance times `pull`. rest: the gradient of
    what matches out of focus add beyond the quadratic part, as it was at `place`; rest_value: its value
    there.
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
        """Some of them."""
        return self if kept.all() else Search(*(getattr(self, one.name)[kept] for one in fields(self)))

    def since(self, moved: Floats) -> Floats:
        """How far away from `place` the furthest parameter is, [contrasts]."""
        return np.abs(moved - self.place).max(axis=1)

    def fall(self, beyond: Nonlinear) -> Floats:
        """How far the log likelihood is below its maximum, [contrasts]."""
        rest = self.rest_value + dot(self.rest, self.moved - self.place)
        fall: Floats = dot(self.moved, self.pull) / 2 - beyond.value - rest
        return fall


class NearMaximum:
    """A log likelihood about its maximum.

    values: the maximum. covariance: of these, where `Likelihood.maximum` has it a step before.
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
        """The largest value of each contrast, less that at the maximum, where its profile is `drop` lower.

        Returns:
            The values, [contrasts], and which of them are right, bool [contrasts].
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
        """The same of a few contrasts.

        wanted: the root of twice the fall. exactly: compute all matches exactly, not only those in focus.
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
        """Whether a single point shows that a contrast may be off by `at`: there the fall is below `drop`.

        It is the point where the profile would be were the log likelihood quadratic. False says nothing, and
        is what comes where there are too many pairings to look. bool [contrasts].
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
        """Where the ends would be if the log likelihood were quadratic."""
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
        """Work out for some contrasts what matches have beyond the quadratic part that are not in focus."""
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
        """Go to where the gradient is along the contrast, which has the value `target` there.

        Newton's method in the entries in focus, and with the curvature of the maximum in all others. Returns
        how far the furthest parameter moved, [contrasts].
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
        """The two entries that each contrast is most about, int [contrasts, 2], and which of them count."""
        weights = contrasts[:, : self.n]
        apart = np.abs(weights - np.median(weights, axis=1, keepdims=True))
        focus = np.argsort(-apart, axis=1, kind="stable")[:, :2]
        shown = np.take_along_axis(apart, focus, axis=1) > 1e-9
        return focus, shown

    # --- the matches of the entries in focus, exactly ---------------------------------------------------

    def beyond(self, moved: Floats, focus: Places, shown: Flags) -> Nonlinear:
        """What their matches add beyond the quadratic part. moved: from the maximum, [contrasts, n + 2]."""
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
        """Of the matches of an entry in focus, moving first or second, against each: how many there are.

        And by how much x and the draws have moved, and what holds at the maximum. Matches between two entries
        in focus are of the first of them alone, and those of an entry against itself of none.
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
        """Which of the two places in focus any contrast has an entry in."""
        return [k for k in (0, 1) if shown[:, k].any()]

    def add(
        self, gradient: Floats, by_x: Floats, by_d: Floats, each: Places, own: Places, first: bool
    ) -> None:
        """Add derivatives by x and draws of an entry's matches to those by all parameters."""
        sign, n = (1 if first else -1), self.n
        total = by_x.sum(axis=1)
        gradient[:, :n] -= sign * by_x
        gradient[each, own] += sign * total
        gradient[:, n] += total
        gradient[:, -1] += by_d.sum(axis=1)

    # --- all matches, exactly ---------------------------------------------------------------------------

    @cached_property
    def played(self) -> tuple[Places, Places]:
        """First and second entries of the pairings that were played."""
        first, second = np.nonzero(self.matches)
        return first, second

    @cached_property
    def base(self) -> tuple[Floats, list[Floats]]:
        """How many matches these pairings have, and what holds of them at the maximum, see `of_focus`."""
        return self.matches[self.played], [array[self.played] for array in self.arrays]

    def changes(self, moved: Floats) -> tuple[Floats, Floats]:
        """By how much x and the draws have moved, [contrasts, pairings] and [contrasts, 1]."""
        first, second = self.played
        return moved[:, first] - moved[:, second] + moved[:, self.n, None], moved[:, -1, None]

    def value_of_all(self, moved: Floats) -> Floats:
        """What all matches add to the log likelihood beyond the quadratic part, [contrasts]."""
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
        """The same, and its gradient, [contrasts, n + 2]."""
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
        """What pairings add beyond the quadratic part.

        The sum of values [contrasts]; then [contrasts, pairings]: the slopes by x and by the draws, and by
        how much the curvature by x has fallen. base: what holds of them at the maximum, see `of_focus`.
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

    # --- all other matches, to the third order ----------------------------------------------------------

    @cached_property
    def sums(self) -> Sums:
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
        """The gradient of the third-order part of all other matches, [contrasts, n + 2]."""
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
        """The same of the matches of the entries in focus."""
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
        """Whether what is left out of the fourth order cannot move ends by more than is allowed."""
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
    """Third derivatives of all pairings, added up.

    odd, even: by x alone, less and plus those with seats changed, [n, n]. mixed: by x, x and draws, plus
    those with seats changed. by_xxx, by_xxd, by_xdd: of an entry moving first, less moving second, [n]. The
    others: of all.
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
    """The third derivatives of log likelihoods, by x, x and x; x, x, draws; x, draws, draws; and draws alone.

    score, draw: what is expected of half a point less a half, and of a draw.
    """
    high, low, even = 0.5 - score, -0.5 - score, 1 - draw
    win, loss = (even / 2 + score) * matches, (even / 2 - score) * matches
    drawn, square = draw * matches, score * score  # a power of an array is far slower than products
    won, lost = win * high, loss * low
    squares = won * high + lost * low
    return (
        drawn * score * square - won * high * high - lost * low * low,
        draw * squares - drawn * even * square,
        drawn * even * even * score - draw * draw * (won + lost),
        draw * draw * draw * (win + loss) - drawn * even * even * even,
    )


def dot(one: Floats, other: Floats) -> Floats:
    """Scalar products over the last axis."""
    product: Floats = np.einsum("ij,ij->i", one, other)
    return product
