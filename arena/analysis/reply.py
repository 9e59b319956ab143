"""The best response to an entry in a small game, computed exactly from the entry's policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.graph import Ints, Outline
from arena.analysis.solution import Floats

ROUNDING = 1e-12  # scores that differ by less are equal
Scores = tuple[Floats, Floats]  # float64 [positions] each: probabilities that the response wins, and loses


class Layers:
    """A number for each combination of position and plies left; only changes are stored.

    Attributes:
        places: By layer, int32 indices of the positions whose number changed; None if all are stored.
        numbers: By layer, the numbers of these positions.
        last: The numbers in the last layer.
    """

    def __init__(self) -> None:
        self.places: list[NDArray[np.int32] | None] = []
        self.numbers: list[NDArray[Any]] = []
        self.last: NDArray[Any] | None = None

    def add(self, numbers: NDArray[Any]) -> None:
        """Add a layer: the numbers with one more ply left."""
        changed = None if self.last is None else np.flatnonzero(numbers != self.last).astype(np.int32)
        if changed is not None and 2 * len(changed) > len(numbers):
            changed = None
        self.places.append(changed)
        self.numbers.append(numbers if changed is None else numbers[changed])
        self.last = numbers

    def at(self, left: int, position: int) -> Any:
        """Return the number of a position with `left` plies left, or the number in the last layer."""
        for places, numbers in zip(self.places[left::-1], self.numbers[left::-1], strict=True):
            if places is None:
                return numbers[position]
            i = np.searchsorted(places, position)
            if i < len(places) and places[i] == position:
                return numbers[i]
        raise IndexError(position)


@dataclass(frozen=True)
class Reply:
    """The best response from one seat, which maximises the expected score.

    If there are more plies left than layers, the last layer applies.

    Attributes:
        seat: The response's seat, 0 or 1.
        win: Probability of winning, from the start.
        loss: Probability of losing, from the start.
        wins: float32, probability of winning from each position, by plies left.
        choices: int32, index of the response's move in each position, by plies left after the move; -1 if the
            response is not to move.
    """

    seat: int
    win: float
    loss: float
    wins: Layers
    choices: Layers

    @property
    def score(self) -> float:
        """The expected score, from 0 to 1."""
        return (1 + self.win - self.loss) / 2

    def choice(self, position: int, left: int) -> int:
        """Return the index of the response's move in a position, with `left` plies left after it."""
        return int(self.choices.at(left, position))

    def chances(self, positions: Ints, left: int) -> NDArray[np.float32]:
        """Return the probabilities, float32, of winning from positions with `left` plies left."""
        return np.array([self.wins.at(left, int(position)) for position in positions], np.float32)


def best_reply(graph: Outline, policy: Floats, seat: int, plies: int) -> Reply:
    """Return the best response from a seat to a policy in the other seat.

    Backward induction over the plies left (Puterman 1994, section 4.5), until nothing changes.

    Args:
        graph: The game's graph.
        policy: float64 [moves], probabilities in each position; all 0 where the entry forfeits.
        seat: The response's seat, 0 or 1.
        plies: Plies after which a match is a draw.
    """
    return Induction(graph, policy, seat).reply(plies)


class Induction:
    """Backward induction from matches that have no plies left."""

    def __init__(self, graph: Outline, policy: Floats, seat: int) -> None:
        self.graph, self.policy, self.seat = graph, policy, seat
        self.before = graph.before
        self.own = ~graph.over & (graph.movers == seat)
        self.others = ~graph.over & (graph.movers != seat)
        self.own_moves = np.flatnonzero(self.own[self.before])
        self.starts = np.searchsorted(self.before[self.own_moves], np.flatnonzero(self.own))
        self.forfeits = self.others & (np.bincount(self.before, policy, len(graph)) == 0)

    def reply(self, plies: int) -> Reply:
        """Return the best response with `plies` plies left."""
        outcomes = np.where(self.graph.movers == self.seat, self.graph.values, -self.graph.values)
        known = (outcomes > 0).astype(float), (outcomes < 0).astype(float)
        wins, choices = Layers(), Layers()
        wins.add(known[0].astype(np.float32))
        choice = np.full(len(self.graph), -1)
        before: Ints | None = None
        for _ in range(plies):
            gains = known[0] - known[1]
            choice = self.chosen(gains[self.graph.after], choice)
            later = self.a_ply_earlier(known, choice)
            same = before is not None and np.array_equal(choice, before)
            if same and all(map(np.array_equal, later, known)):
                break
            known, before = later, choice
            choices.add(choice.astype(np.int32))
            wins.add(known[0].astype(np.float32))
        return Reply(self.seat, float(known[0][0]), float(known[1][0]), wins, choices)

    def chosen(self, gains: Floats, kept: Ints) -> Ints:
        """Return the best move of each position, int64 [positions].

        Args:
            gains: float64 [moves], the gain after each move.
            kept: The choices with one ply less left, which stay the same if they are equally good.
        """
        found = np.full(len(self.graph), -1)
        if not len(self.own_moves):
            return found
        best = np.full(len(self.graph), -np.inf)
        best[self.own] = np.maximum.reduceat(gains[self.own_moves], self.starts)
        good: NDArray[np.bool_] = gains >= best[self.before] - ROUNDING
        able = self.own_moves[good[self.own_moves]][::-1]  # reversed, so that the first move prevails
        found[self.before[able]] = able
        again = (kept >= 0) & good[kept]
        found[again] = kept[again]
        return found

    def a_ply_earlier(self, known: Scores, choice: Ints) -> Scores:
        """Return the probabilities of winning and losing with one more ply left."""
        win, loss = (self.earlier(one, choice) for one in known)
        win[self.forfeits] = 1.0
        return win, loss

    def earlier(self, known: Floats, choice: Ints) -> Floats:
        """Return a probability with one more ply left."""
        found = known.copy()
        found[self.own] = known[self.graph.after[choice[self.own]]]
        met = np.bincount(self.before, self.policy * known[self.graph.after], len(self.graph))
        found[self.others] = met[self.others]
        return found
