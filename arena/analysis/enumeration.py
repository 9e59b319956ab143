"""A solver for small games: all positions that play can reach, solved by retrograde analysis."""

from __future__ import annotations

from arena.analysis.graph import LIMIT, Explorer
from arena.analysis.solution import solve
from arena.api.component import compiled
from arena.api.game import Game, State
from arena.api.solver import Solver


class Enumeration(Solver):
    """Knows what each position is worth that play can reach from the start.

    worths: int64 [positions], `longest` for a win in one ply, one less for two, and so on.
    """

    exact = True

    def __init__(self, game: Game, explorer: Explorer) -> None:
        """From an explorer that is done."""
        solution = solve(explorer.graph())
        self.game, self.found, self.visited = game, explorer.found, explorer.found.size
        self.longest = int(solution.plies.max(initial=1))
        self.worths = solution.values * (self.longest + 1 - solution.plies)

    @classmethod
    def of(cls, game: Game, memory: int) -> Enumeration:
        """All positions of a game; TooManyPositions if there are over a million, whatever the memory."""
        explorer = Explorer(game)
        while not explorer.done:
            explorer.go_on(LIMIT)
        return cls(game, explorer)

    @compiled
    def attempt(self, state: State, least: int, visits: int) -> int:
        """What it is worth; 0 for what cannot be reached."""
        place = self.found.find(state)
        return int(self.worths[place]) if place >= 0 else 0

    def most(self, state: State) -> int:
        return self.longest

    def plies(self, state: State, value: int) -> int:
        return self.longest + 1 - abs(value)

    def knows(self, state: State) -> bool:
        """Whether play can reach a position."""
        return bool(self.found.find(state) >= 0)
