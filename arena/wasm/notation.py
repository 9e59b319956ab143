"""A table of the texts of moves, since the method that creates these texts does not compile."""

from __future__ import annotations

from contextlib import suppress

from arena.api.game import Game, positions
from arena.api.rulings import notation
from arena.rng import Rng, derive

FEW = 20_000  # a game with at most this many positions is visited completely
MANY = 500_000  # positions of random matches to visit in other games; FEW if moves are small numbers
PLIES = 1000  # approximate number of plies after which a new random match begins
SMALL = 1 << 12  # limit below which numbers are small


def move_texts(game: Game) -> tuple[dict[int, str], bool]:
    """Return the texts of a game's moves, by move, and whether they are certainly complete."""
    if game.reachable is not None and game.reachable <= FEW:
        met = {move for state in positions(game) for move in game.moves(state)}
        return texts(game, met), True
    met = set()
    visited = match = 0
    while visited < (FEW if is_small(met) else MANY):
        rng, state = Rng(derive(match)), game.initial()
        while moves := game.moves(state):
            met.update(moves)
            state = game.play(state, rng.choice(moves))
            visited += 1
            if visited % PLIES == 0:
                break
        match += 1
        visited += 1
    if is_small(met):
        met = set(range(max(met, default=-1) + 1))
    return texts(game, met), False


def is_small(moves: set[int]) -> bool:
    """Return whether all moves are small numbers, so that every number up to the largest one can be tried."""
    return min(moves, default=0) >= 0 and max(moves, default=0) < SMALL


def texts(game: Game, moves: set[int]) -> dict[int, str]:
    """Return the texts of moves, by move; numbers that are not moves are omitted."""
    found = {}
    for move in sorted(moves):
        with suppress(Exception):  # some numbers are not moves
            found[move] = notation(game, move)
    return found
