"""With which probabilities an agent chooses: found out by trying all that chance could bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.rng import Rng

Choose = Callable[[Any, list[Any], Rng], Any]  # an agent's `choose`: state, moves, random numbers -> move

MOST = 10_000  # ways that chance can take in a position
LONGEST = 1_000  # choices in one of them


class Endless(Exception):
    """A way that does not end, such as a choice again and again until it is another one."""


class Ways(Rng):
    """Random numbers that follow a way: which of its possibilities each choice of one among several takes.

    Beyond the way's end it is the first. taken: all of them, with the number of possibilities. A draw of
    another kind, a fraction say, has no few possibilities, and is an ordinary one, which `stream` counts.
    """

    def __init__(self, way: Sequence[int]) -> None:
        super().__init__()
        self.way = way
        self.taken: list[tuple[int, int]] = []

    def below(self, n: int) -> int:
        step = len(self.taken)
        if step == LONGEST:
            raise Endless
        chosen = self.way[step] if step < len(self.way) else 0
        self.taken.append((chosen, n))
        return chosen

    _randbelow = below  # by which `random.Random` makes other choices: randrange, say

    def following(self) -> list[int] | None:
        """The next way, or None if this was the last."""
        for step in reversed(range(len(self.taken))):
            chosen, n = self.taken[step]
            if chosen + 1 < n:
                return [earlier for earlier, _ in self.taken[:step]] + [chosen + 1]
        return None


def found_out(choose: Choose, state: Any, moves: list[Any]) -> list[float] | None:
    """The probability of each move, or None if there is other chance in it than choices among several."""
    chances = [0.0] * len(moves)
    rng = Rng()
    move = choose(state, list(moves), rng)
    if not rng.stream[1]:  # no chance at all
        chances[moves.index(move)] = 1.0
        return chances
    way: list[int] | None = []
    ways = 0
    while way is not None:
        rng = Ways(way)
        ways += 1
        try:
            move = choose(state, list(moves), rng)
        except Endless:
            return None
        if rng.stream[1] or ways > MOST:
            return None
        weight = 1.0
        for _, n in rng.taken:
            weight /= n
        chances[moves.index(move)] += weight
        way = rng.following()
    return chances
