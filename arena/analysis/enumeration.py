"""A solver for small games: all reachable positions, solved by retrograde analysis."""

from __future__ import annotations

from arena.analysis.graph import LIMIT, Explorer
from arena.analysis.solution import solve
from arena.api.component import compiled
from arena.api.game import Game, State
from arena.api.solver import Solver


class Enumeration(Solver):
    """Solves all positions that can be reached from the start.

    Attributes:
        worths: int64 [positions]: `longest` for a win in one ply, one less for a win in two plies, and so on;
            negative for losses.
        longest: Plies of the longest win or loss.
    """

    exact = True

    def __init__(self, game: Game, explorer: Explorer) -> None:
        """Solve the positions of a finished explorer."""
        solution = solve(explorer.graph())
        self.game, self.found, self.visited = game, explorer.found, explorer.found.size
        self.longest = int(solution.plies.max(initial=1))
        self.worths = solution.values * (self.longest + 1 - solution.plies)

    @classmethod
    def of(cls, game: Game, memory: int) -> Enumeration:
        """Enumerate and solve a game; raise TooManyPositions if it has over a million positions."""
        explorer = Explorer(game)
        while not explorer.done:
            explorer.go_on(LIMIT)
        return cls(game, explorer)

    @compiled
    def attempt(self, state: State, least: int, visits: int) -> int:
        """Return the value of a position, or 0 if it cannot be reached."""
        place = self.found.find(state)
        return int(self.worths[place]) if place >= 0 else 0

    def most(self, state: State) -> int:
        """Return the largest value."""
        return self.longest

    def plies(self, state: State, value: int) -> int:
        """Return the number of plies left for a value."""
        return self.longest + 1 - abs(value)

    def knows(self, state: State) -> bool:
        """Return whether a position can be reached."""
        return bool(self.found.find(state) >= 0)
