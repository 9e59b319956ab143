"""The value of openings for the first player, from recorded matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.ratings.likelihood import Flags, Floats, outcomes
from arena.ratings.statistics import POINTS
from arena.results.record import Record

PRIOR = 1000.0  # standard deviation of the prior of an opening's value, in Elo points
DROP = 1.920729  # drop of the log likelihood at the ends of a 95 % interval: half of 1.96 squared
DECIDED = 200.0  # Elo points above which an opening is decisive: a score of 76 % between equal entries
WIDEST = 12.0  # log odds, about 2,100 points, to which ends are searched
STEPS = 60  # steps of each bisection

# wins, draws and losses by start position and moves, and by the indices of both entries
Opened = Mapping[tuple[str | None, str], Mapping[tuple[int, int], Sequence[int]]]


@dataclass(frozen=True)
class OpeningWorth:
    """The value of an opening for the first player, between entries of equal rating.

    Attributes:
        moves: Its moves, preceded by the start position if that is not the game's own.
        matches: Number of rated matches that began with it.
        wins: Number of matches that the first player won.
        draws: Number of draws.
        losses: Number of matches that the first player lost.
        worth: Advantage of the first player in Elo points, including the first-move advantage.
        low: Lower end of its 95 % interval, which does not hold simultaneously with those of other openings.
        high: Upper end of its 95 % interval.
        from_start: Whether it begins at the start of the game.
    """

    moves: str
    matches: int
    wins: int
    draws: int
    losses: int
    worth: float
    low: float
    high: float
    from_start: bool = True

    @property
    def decides(self) -> bool:
        """Whether its value for one side is significantly above 200 points, 76 % between equal entries."""
        return self.low > DECIDED or self.high < -DECIDED

    @property
    def score(self) -> float:
        """Mean score of the first player, from 0 to 1."""
        return (self.wins + self.draws / 2) / self.matches


def opening_worths(records: Iterable[Record], values: Floats) -> list[OpeningWorth]:
    """Estimate the value of each opening, given the ratings.

    Matches of all pairings that began with the same moves count towards the same opening.

    Args:
        records: The rated matches, with entries identified by index.
        values: float64 [n + 2]. Ratings, first-move advantage and draw parameter in log odds, see `Fit`.

    Returns:
        The openings, sorted from best to worst for the first player. Empty if no match had an opening.
    """
    opened = by_moves(records)
    if not opened:
        return []
    ends = np.array(Openings(opened, values).ends()) * POINTS
    found = []
    for ((start, moves), each), (worth, low, high) in zip(opened.items(), ends.T.tolist(), strict=True):
        wins, draws, losses = map(sum, zip(*each.values(), strict=True))
        text = moves if start is None else f"{start} {moves}".rstrip()
        counts = wins + draws + losses, wins, draws, losses
        found.append(OpeningWorth(text, *counts, worth, low, high, start is None))
    return sorted(found, key=lambda one: (-one.worth, one.moves))


def by_moves(records: Iterable[Record]) -> Opened:
    """Return wins, draws and losses of the first player by opening and by both entries."""
    found: dict[tuple[str | None, str], dict[tuple[int, int], list[int]]] = {}
    for record in records:
        if not record.opening and record.start is None:
            continue
        moves = " ".join(record.moves.split(" ", record.opening)[: record.opening])
        counts = found.setdefault((record.start, moves), {}).setdefault(
            (record.first, record.second), [0, 0, 0]
        )
        counts[1 - record.result] += 1
    return found


class Openings:
    """The likelihood of each opening's value, given the ratings.

    Args:
        opened: Wins, draws and losses of the first player, by opening and by the indices of both entries.
        values: float64 [n + 2]. Ratings, first-move advantage and draw parameter, in log odds.
    """

    def __init__(self, opened: Opened, values: Floats) -> None:
        rows = [
            (i, one, other, *counts)
            for i, each in enumerate(opened.values())
            for (one, other), counts in each.items()
        ]
        self.opening, first, second, *counts = np.array(rows).T
        self.wins, self.draws, self.losses = np.array(counts, np.float64)
        self.apart = values[first] - values[second]
        self.first_move, self.draw = values[-2:]
        self.precision = (POINTS / PRIOR) ** 2

    def total(self, terms: Floats) -> Floats:
        """Return the sums of terms by opening, float64 [openings]."""
        return np.bincount(self.opening, terms)

    def slope(self, worths: Floats) -> Floats:
        """Return the derivative of each opening's log likelihood by its value, float64 [openings]."""
        (win, draw, loss), _ = outcomes(self.apart + worths[self.opening], self.draw)
        gain = self.wins * (loss + draw / 2) - self.losses * (win + draw / 2) - self.draws * (win - loss) / 2
        slope: Floats = self.total(gain) - self.precision * (worths - self.first_move)
        return slope

    def value(self, worths: Floats) -> Floats:
        """Return the log likelihood of each opening's results, with its prior, float64 [openings]."""
        x = self.apart + worths[self.opening]
        _, log_total = outcomes(x, self.draw)
        played = self.wins + self.draws + self.losses
        value: Floats = (self.wins - self.losses) * x / 2 + self.draws * self.draw - played * log_total
        height: Floats = self.total(value) - self.precision / 2 * (worths - self.first_move) ** 2
        return height

    def ends(self) -> tuple[Floats, Floats, Floats]:
        """Return the values and the ends of their 95 % intervals in log odds, float64 [openings] each."""
        widest = np.full(int(self.opening.max()) + 1, WIDEST)
        best = bisected(lambda worths: self.slope(worths) > 0, -widest, widest)
        lowest = self.value(best) - DROP
        low = bisected(lambda worths: self.value(worths) < lowest, -widest, best)
        high = bisected(lambda worths: self.value(worths) > lowest, best, widest)
        return best, low, high


def bisected(before: Callable[[Floats], Flags], low: Floats, high: Floats) -> Floats:
    """Return the point between two ends up to which each condition holds, float64 [openings]."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        held = before(middle)
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    return (low + high) / 2
