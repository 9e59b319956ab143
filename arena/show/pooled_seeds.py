"""Pairings in which the seeds of a learner are pooled into one entry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from arena.ratings.statistics import wilson
from arena.ratings.student import quantile
from arena.show.table import Pairing

COUNTED = ("wins", "draws", "losses", "forfeits", "copies", "unplayed")
SEATS = ("first", "second")
HELD = 0.975  # probability below the upper end of a 95 % interval


def pooled(pairings: Sequence[Pairing], seeds: Mapping[str, Sequence[str]]) -> list[Pairing]:
    """Pool the pairings between seeds of the same entries, in order of their first pairing.

    Numbers of matches are added up; for exact results, a pooled pairing has the mean. A pooled pairing has an
    additional value `interval`, the confidence interval of its score.

    Args:
        pairings: Pairings of single entries.
        seeds: The entries of the seeds of each learner.
    """
    entered = {one: name for name, each in seeds.items() for one in each}
    found: dict[tuple[str, ...], list[Pairing]] = {}
    for row in pairings:
        found.setdefault(tuple(entered.get(name, name) for name in seats([row])), []).append(row)
    return [
        {**together(rows), **dict(zip(SEATS, names, strict=True))}
        if entered.keys() & {*seats(rows)}
        else rows[0]
        for names, rows in found.items()
    ]


def seats(rows: Sequence[Pairing]) -> list[str]:
    """Return the names of the first and second player of each pairing."""
    return [row[seat] for row in rows for seat in SEATS]


def together(rows: Sequence[Pairing]) -> Pairing:
    """Pool pairings into one."""
    found: dict[str, object] = {}
    for name in {name: None for row in rows for name in row}:
        values = [row[name] for row in rows if row.get(name) is not None]
        if name == "published":
            found[name] = values[0]
        elif name not in SEATS:
            counted = name in COUNTED and "plies" not in rows[0]
            found[name] = (sum(values) if counted else fmean(values)) if values else None
    return {**found, "interval": interval(rows)}


def interval(rows: Sequence[Pairing]) -> tuple[float, float]:
    """Return the 95 % interval of the first player's score if one or both players have several seeds.

    The variance is clustered by the seeds of both players (Cameron, Gelbach & Miller 2011), with Student's t
    and one degree of freedom less than the smaller number of seeds. The interval is never narrower than that
    of the same number of independent matches, not counting copies (Wilson 1927).
    """
    exact = "plies" in rows[0]
    played = np.array([1 if exact else sum(row[name] for name in COUNTED[:3]) for row in rows], float)
    won = np.array([row["wins"] + row["draws"] / 2 for row in rows], float)
    mean = float(won.sum() / max(played.sum(), 1))
    off = won - mean * played
    groups = [{name: i for i, name in enumerate(dict.fromkeys(row[seat] for row in rows))} for seat in SEATS]
    several = [(group, seat) for group, seat in zip(groups, SEATS, strict=True) if len(group) > 1]
    variance = 0.0
    for group, seat in several:
        sums = np.bincount([group[row[seat]] for row in rows], off, len(group))
        variance += float(sums @ sums) * len(group) / (len(group) - 1)
    if len(several) > 1:  # both sums include the variance of single pairings
        variance = max(variance - float(off @ off), variance / 2)
    half = 0.0
    if several:
        freedom = min(len(group) for group, _ in several) - 1
        half = float(quantile(HELD, freedom)) * math.sqrt(variance) / max(played.sum(), 1)
    apart = 0 if exact else int(played.sum()) - sum(row["copies"] for row in rows)
    low, high = wilson(mean, apart) if apart > 0 else (mean, mean)
    return max(min(low, mean - half), 0.0), min(max(high, mean + half), 1.0)
