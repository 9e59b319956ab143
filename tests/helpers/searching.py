"""Games and agents that search, by name."""

from __future__ import annotations

from arena import Agent, Rng
from arena.api.game import Game
from arena.registry.plugins import registry
from arena.rng import derive

WIN = 1e15


def game_called(name: str) -> Game:
    return registry().spec("game", name).make()


def agent(text: str, game: Game) -> Agent:
    return registry().spec("agent", text).make(game)


def positions(game: Game, number: int, seed: int = 1):
    """Positions of random matches that are not over, each from a match of its own."""
    found = 0
    for match in range(10 * number):
        rng = Rng(derive(seed, match))
        state = game.initial()
        for _ in range(rng.below(min(game.max_plies, 60))):
            if not (moves := game.moves(state)):
                break
            state = game.play(state, moves[rng.below(len(moves))])
        if game.moves(state):
            found += 1
            yield state
        if found == number:
            return


def value(game: Game, state, depth: int, judge=None) -> float:
    """Minimax by its definition: for player to move; the sooner a win the more it is worth."""
    moves = game.moves(state)
    if not moves:
        return game.value(state) * (WIN + depth)
    if depth == 0:
        return game.evaluate(state) if judge is None else judge(state)
    return max(value_of(game, state, move, depth, judge) for move in moves)


def value_of(game: Game, state, move, depth: int, judge=None) -> float:
    after = game.play(state, move)
    found = value(game, after, depth - 1, judge)
    return found if game.to_move(after) == game.to_move(state) else -found
