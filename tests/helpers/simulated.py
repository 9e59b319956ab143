"""Tournaments of a format, drawn from true ratings at the level of counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.api.format import Stage, Standing
from arena.plan.certain_order import Order, blocks
from arena.plan.design import Questions, information, optimal
from arena.plan.evidence import variance_needed
from arena.plan.until_decided import Decided

POINTS = 400 / np.log(10)


@dataclass(frozen=True)
class Field:
    """True ratings and what moving first is worth, in Elo points; how many matches of equals are drawn."""

    ratings: tuple[float, ...]
    first_move: float = 0.0
    drawn: float = 0.3

    @property
    def probabilities(self):
        """float64 [n, n, 3], of win, draw and loss of the row's entry moving first."""
        r = np.array(self.ratings)
        x = (r[:, None] - r + self.first_move) / POINTS
        draws = np.full_like(x, 2 * self.drawn / (1 - self.drawn))
        weights = np.stack([np.exp(x / 2), draws, np.exp(-x / 2)], axis=-1)
        return weights / weights.sum(axis=-1, keepdims=True)


def evenly(entries: int, apart: float) -> tuple[float, ...]:
    return tuple(float(r) for r in np.linspace(apart / 2, -apart / 2, entries))


def by_gaps(*gaps: float) -> tuple[float, ...]:
    r = -np.cumsum([0.0, *gaps])
    return tuple(float(x) for x in r - r.mean())


# the gaps on the published board of checkers
CHECKERS = by_gaps(152, 57, 2, 137, 111, 217, 5, 144, 12, 214, 114, 1, 515, 44, 52, 33)


def nothing(entries: int, limit: int, seed: int = 0, withdrawn: frozenset[int] = frozenset()) -> Standing:
    """The standing before the first match."""
    square = (entries, entries)
    results, pairs = np.zeros((*square, 3), np.int64), np.zeros((*square, 5), np.int64)
    played, fresh = np.zeros(square, np.int64), np.zeros(square, np.int64)
    return Standing(entries, 1, seed, limit, 0, 0, results, played, fresh, pairs, withdrawn)


def after(standing: Standing, stage, probabilities, rng, repeats=frozenset()) -> Standing:
    """The standing after a stage. repeats: pairs of entries all of whose matches are alike."""
    results, played = standing.results.copy(), standing.played.copy()
    fresh = np.zeros_like(played)
    left = standing.limit - standing.matches
    pairings = list(stage.pairings)
    full, rest = divmod(min(left, len(pairings) * stage.rounds), len(pairings))
    planned: dict[tuple[int, int], int] = {}
    for k, pairing in enumerate(pairings):
        planned[pairing] = planned.get(pairing, 0) + full + (k < rest)
    for (a, b), times in planned.items():
        drawn = rng.multinomial(times, probabilities[a, b])
        if frozenset((a, b)) in repeats:
            drawn = np.eye(3, dtype=np.int64)[1] * int(not played[a, b] and times > 0)
        results[a, b] += drawn
        fresh[a, b] += drawn.sum()
        played[a, b] += times
    matches = standing.matches + full * len(pairings) + rest
    return Standing(
        standing.entries, standing.rounds, standing.seed, standing.limit, standing.stages + 1, matches,
        results, played, fresh, standing.pairs, standing.withdrawn,
    )  # fmt: skip


def play(format, field: Field, seed: int, limit: int = 3_000_000, look=None, repeats=frozenset()) -> Standing:
    """A whole tournament. look: called with each standing after a stage."""
    rng = np.random.default_rng(seed)
    probabilities = field.probabilities
    standing = nothing(len(field.ratings), limit, seed)
    while standing.matches < limit and (stage := format.next_stage(standing)) is not None:
        standing = after(standing, stage, probabilities, rng, repeats)
        if look:
            look(standing)
    return standing


def wrongly(order, field: Field, indifference: float) -> bool:
    """Whether anything that an order says is sure is wrong."""
    r = np.array(field.ratings)[order.fitted.entries]
    for i in range(len(r) - 1):
        if order.cuts[i] and r[: i + 1].min() <= r[i + 1 :].max():
            return True
        if order.close[i] and abs(r[i] - r[i + 1]) >= indifference:
            return True
    return False


class RoundRobin(Decided):
    """Everybody against everybody until the order is decided."""

    def next_stage(self, standing):
        if standing.stages and Order(standing, self.indifference).questions() is None:
            return None
        n = standing.entries
        rounds = max(round(0.05 * standing.matches / (n * (n - 1))), 1)
        return Stage([(a, b) for a in range(n) for b in range(n) if a != b], rounds)


class Informed(Decided):
    """The best of all designs that stay as they are, by the true ratings, until the order is decided."""

    def __init__(self, field: Field, **options) -> None:
        super().__init__(**options)
        n = len(field.ratings)
        r = np.array(field.ratings) / POINTS
        unit = self.indifference / POINTS
        order = Order(nothing(n, 1), self.indifference)
        gaps = np.abs(r[:-1] - r[1:])
        cuts = gaps >= unit / 2
        close = variance_needed(
            np.maximum(unit - gaps, 1e-3), order.wanted(np.maximum(blocks(cuts) - 1, 1)), unit
        )
        above = variance_needed(np.maximum(gaps, 1e-3), order.wanted(np.ones(len(gaps), int)), unit)
        contrasts = np.eye(n)[:-1] - np.eye(n)[1:]
        edges = np.array([(a, b) for a in range(n) for b in range(a + 1, n)])
        draws = np.log(2 * field.drawn / (1 - field.drawn))
        gains = information(r[edges[:, 0]] - r[edges[:, 1]], field.first_move / POINTS, draws)
        questions = Questions(contrasts, np.maximum(close, above))
        known = np.full((n, n), 1.0) + 1e-6 * np.eye(n)
        design = optimal(known, edges, gains, questions, 1.0, steps=3000)
        self.edges, self.shares, self.matches = edges, design.shares, 2 * design.units

    def next_stage(self, standing):
        if standing.stages and Order(standing, self.indifference).questions() is None:
            return None
        times = np.round(self.shares * max(0.05 * standing.matches / 2, 300)).astype(int)
        return Stage([seats for (a, b), k in zip(self.edges.tolist(), times, strict=True)
                      for seats in [(a, b), (b, a)] * int(k)])  # fmt: skip
