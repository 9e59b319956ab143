"""The tasks of the C yardstick as arena does them, compiled, with the same results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from playouts import Playouts

from arena.analysis.perft import Lines
from arena.api.game import Game
from arena.compiler import is_compiled
from arena.registry.plugins import registry
from arena.rng import Rng
from arena_agents.verdicts import WIN

sys.path.append(str(Path(__file__).parents[1] / "plugins" / "arena-mcts"))  # which need not be installed
from arena_mcts.mcts import MCTS

DEEPEST = 64
PLAIN = f"alpha-beta:depth={DEEPEST},ordering=false"  # nothing but alpha-beta, as the yardstick's is
YARDSTICK_WIN = 1_000_000
MEMORY = 4000  # megabytes that a tree may take, so that it is never full


class Tasks:
    """Compiled tasks in a registered game."""

    def __init__(self, name: str) -> None:
        self.game = registry().spec("game", name).make()
        self.lines, self.matches = Lines(self.game), Playouts(self.game)
        self.search = registry().spec("agent", PLAIN).make(self.game).search
        self.agents: dict[int, MCTS] = {}  # by playouts
        if not all(map(is_compiled, (self.lines, self.matches, self.search))):
            raise SystemExit(f"{name} is not compiled here: is ARENA_COMPILED set to 0?")

    def perft(self, depth: int) -> list[int]:
        """Return the number of lines of play, in a list."""
        return [self.lines.count(self.game.initial(), depth)]

    def alpha_beta(self, depth: int, state: Any) -> list[int]:
        """Return the value of a position and the number of nodes."""
        value = int(self.search.value(state, depth))
        if abs(value) >= WIN:  # the yardstick's is a smaller number
            value = (abs(value) - WIN + YARDSTICK_WIN) * (1 if value > 0 else -1)
        return [value, self.search.visited]

    def playouts(self, matches: int, seed: int) -> list[int]:
        """Return the number of plies and the sum of results of random matches."""
        self.matches.play(matches, seed, Rng())
        return [self.matches.plies, self.matches.results]

    def uct(self, playouts: int, seed: int, state: Any) -> list[int]:
        """Return the number of playouts and how many of them began with each move."""
        agent = self.agents.setdefault(playouts, MCTS(self.game, playouts=playouts, memory=MEMORY))
        moves = self.game.moves(state)
        agent.weigh(state, moves, Rng(seed))
        return [playouts, *agent.visits[: len(moves)].tolist()]


def opening(game: Game, plies: int, seed: int) -> list[Any]:
    """Return random moves to a position in which the game is not over and no move ends it."""
    rng = Rng(seed)
    while True:
        played: list[Any] = []
        state = game.initial()
        while len(played) < plies and (moves := game.moves(state)):
            played.append(moves[rng.below(len(moves))])
            state = game.play(state, played[-1])
        after = [game.play(state, move) for move in game.moves(state)]
        if after and all(map(game.moves, after)):
            return played


def reached(game: Game, played: list[Any]) -> Any:
    """Return the position after some moves."""
    state = game.initial()
    for move in played:
        state = game.play(state, move)
    return state
