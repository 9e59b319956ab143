"""Measure the coverage of 95 % intervals of ratings, in tournaments drawn from the model.

    python benchmarks/intervals.py [--repetitions N] [--only WORD…] [--write]

True ratings are evenly spaced about their mean, which is also mean of the ratings. Each regime has its
own seed, so its row is the same however many regimes are run. `--write` puts the table into
docs/explanation/ratings.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from page import put

from arena.api.rating import Results
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.statistics import SURE

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "ratings.md"
REPETITIONS = 2000
DRAWS = {"rare": -600, "some": -100, "common": 300}  # in Elo points

Matrix = NDArray[np.int64]


def everybody(entries: int, matches: int) -> Matrix:
    """Return the number of matches by first and second player, int64 [entries, entries]: all play all."""
    return matches * (1 - np.eye(entries, dtype=np.int64))


def chain(entries: int, matches: int) -> Matrix:
    """Return the number of matches if only neighbours in strength meet, see `everybody`."""
    place = np.arange(entries)
    return matches * (abs(place[:, None] - place) == 1).astype(np.int64)


def gauntlet(entries: int, matches: int) -> Matrix:
    """Return the number of matches if only the strongest meets the others, see `everybody`."""
    meet = everybody(entries, matches)
    meet[1:, 1:] = 0
    return meet


def two_groups(entries: int, matches: int) -> Matrix:
    """Return the number of matches of two halves by strength that one pair joins, see `everybody`."""
    meet, half = everybody(entries, matches), entries // 2
    meet[:half, half:] = meet[half:, :half] = 0
    meet[half - 1, half] = meet[half, half - 1] = 1
    return meet


class Regime(NamedTuple):
    """The conditions of simulated tournaments.

    Attributes:
        entries: Number of entries.
        apart: Range of the true ratings in points.
        matches: Number of matches of a pairing from each seat.
        draws: How common draws are, see `DRAWS`.
        first_move: First-move advantage in points.
        design: The tournament format.
    """

    entries: int
    apart: int
    matches: int
    draws: str = "some"
    first_move: int = 30
    design: Callable[[int, int], Matrix] = everybody

    @property
    def title(self) -> str:
        return self.design.__name__.replace("_", " ")


REGIMES = [
    Regime(2, 0, 5, "rare", 0),
    Regime(2, 100, 2, first_move=0),
    Regime(2, 300, 10),
    Regime(2, 600, 50, "rare"),
    Regime(2, 1200, 200, "rare"),
    Regime(2, 2500, 50),
    Regime(3, 0, 2, "common", 0),
    Regime(3, 600, 5, "rare"),
    Regime(4, 100, 50, "common"),
    Regime(4, 1200, 10),
    Regime(4, 2500, 10, "rare"),
    Regime(4, 2500, 200),
    Regime(6, 300, 2),
    Regime(6, 600, 10, "rare", 400),
    Regime(6, 2500, 5, first_move=0),
    Regime(10, 600, 2, "rare"),
    Regime(10, 1200, 5),
    Regime(10, 2500, 10, "rare"),
    Regime(20, 0, 2),
    Regime(20, 2500, 2),
    Regime(20, 1200, 10, "common"),
    Regime(6, 1200, 10, design=chain),
    Regime(10, 2500, 10, design=chain),
    Regime(10, 1200, 2, "rare", design=chain),
    Regime(8, 600, 10, design=gauntlet),
    Regime(8, 1200, 50, "rare", design=gauntlet),
    Regime(8, 600, 10, design=two_groups),
]
COLUMNS = [
    *("entries", "apart", "matches", "who meets", "draws", "first move"),
    *("held", "least", "open", "by curvature"),
]


class Coverage(NamedTuple):
    """Shares from 0 to 1.

    Attributes:
        held: Share of intervals that contain the true rating.
        least: Smallest such share of an entry.
        open: Share of intervals with an open end.
        curvature: Share of symmetric intervals, by the curvature at the maximum, that contain the true
            rating.
    """

    held: float
    least: float
    open: float
    curvature: float


def covered(regime: Regime, repetitions: int) -> Coverage:
    """Return the coverage of intervals over a number of tournaments."""
    n = regime.entries
    truth = np.linspace(regime.apart / 2, -regime.apart / 2, n)
    # Davidson & Beaver's form of the model (1977): in strengths, not in logs
    strength, seat, tie = (10 ** (np.array(p) / 400) for p in (truth, regime.first_move, DRAWS[regime.draws]))
    first, second = np.meshgrid(strength, strength, indexing="ij")
    probabilities = np.stack([first * seat**0.5, tie * (first * second) ** 0.5, second / seat**0.5], axis=-1)
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    meet = regime.design(n, regime.matches)
    names = [str(i) for i in range(n)]
    rng = np.random.default_rng(REGIMES.index(regime))
    held, opened, curved = [], [], []
    for _ in range(repetitions):
        outcomes = rng.multinomial(meet, probabilities).tolist()
        totals = [(i, j, *outcomes[i][j]) for i, j in zip(*np.nonzero(meet), strict=True)]
        fit = MaximumLikelihood(mean=0).fit(Results(names, totals, lambda: iter(())))
        low = np.array([-np.inf if r.low is None else r.low for r in fit.ratings])
        high = np.array([np.inf if r.high is None else r.high for r in fit.ratings])
        held.append((low <= truth) & (truth <= high))
        opened.append(np.isinf(low) | np.isinf(high))
        errors = np.sqrt(fit.covariance.diagonal()[:n])
        curved.append(abs(fit.values[:n] - truth) <= SURE * errors)
    shares = np.mean(held, axis=0)
    return Coverage(*map(float, (shares.mean(), shares.min(), np.mean(opened), np.mean(curved))))


def facts(regime: Regime) -> list[str]:
    """Return the cells that describe a regime."""
    entries, apart, matches, draws, first_move, _ = regime
    return [str(entries), str(apart), str(matches), regime.title, draws, str(first_move)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="tournaments of a regime")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="designs, such as: chain")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/ratings.md")
    options = parser.parse_args()
    if options.write and (options.only or options.repetitions < REPETITIONS):
        parser.error("--write puts down the whole: leave out --only and --repetitions")
    regimes = [r for r in REGIMES if not options.only or r.title in options.only]
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + " ---: |" * 3 + " --- | --- |" + " ---: |" * 5]
    print(*lines, sep="\n", flush=True)
    with ProcessPoolExecutor() as pool:
        for row in pool.map(row_of, regimes, [options.repetitions] * len(regimes)):
            print(row, flush=True)
            lines.append(row)
    if options.write:
        put(PAGE, "intervals.py", lines)


def row_of(regime: Regime, repetitions: int) -> str:
    """Return a line of the table."""
    shares = [f"{100 * share:.1f} %" for share in covered(regime, repetitions)]
    return f"| {' | '.join([*facts(regime), *shares])} |"


if __name__ == "__main__":
    main()
