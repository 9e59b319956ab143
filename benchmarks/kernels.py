"""The yardstick's work as arena's compiled kernels do it, with the same results."""

from __future__ import annotations

from typing import Any

import playouts

from arena.compiled import engine, perft
from arena.game import FastGame, Game
from arena.plugins import registry
from arena.rng import Rng
from arena_agents.alpha_beta import COUNTS, VISITED, WIN

DEEPEST = 64
PLAIN = f"alpha-beta:depth={DEEPEST},ordering=false"  # nothing but alpha-beta, as the yardstick's is
YARDSTICK_WIN = 1_000_000


class Kernels:
    """Compiled kernels for a game of the registry."""

    def __init__(self, name: str) -> None:
        game = registry().spec("game", name).make()
        found = engine(game)
        if found is None or not isinstance(game, FastGame):
            raise SystemExit(f"{name} is not compiled here: is ARENA_COMPILED set to 0?")
        self.game, self.engine = game, found
        self.work = found.ints(1 + DEEPEST * game.max_moves)
        self.agent = registry().spec("agent", PLAIN).make(game)
        self.search = found.kernels(self.agent.kernel, "search").search

    def perft(self, depth: int) -> list[int]:
        """Lines of play."""
        kernel = self.engine.kernels(perft).perft
        return [int(kernel(self.game.initial(), depth, self.work))]

    def alpha_beta(self, depth: int, state: Any) -> list[int]:
        """Value, nodes."""
        value = int(self.search(state, depth, self.agent.player.table))
        if abs(value) >= WIN:  # the yardstick's is a smaller number
            value = (abs(value) - WIN + YARDSTICK_WIN) * (1 if value > 0 else -1)
        return [value, int(self.agent.player.arrays[COUNTS][VISITED])]

    def playouts(self, matches: int, seed: int) -> list[int]:
        """Plies, results."""
        sums = self.engine.ints(2)
        self.engine.kernels(playouts).playouts(matches, seed, self.engine.ints(2), self.work, sums)
        return [int(sums[0]), int(sums[1])]


def opening(game: Game, plies: int, seed: int) -> list[Any]:
    """Random moves from the start to a position that is not the end, nor can become it by one move."""
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
    """The position after these moves."""
    state = game.initial()
    for move in played:
        state = game.play(state, move)
    return state
