"""What moves are called: a table of texts, since what makes them is plain Python, which stays behind."""

from __future__ import annotations

from contextlib import suppress

from arena.api.game import Game, positions
from arena.api.rulings import notation
from arena.rng import Rng, derive

FEW = 20_000  # positions of a game, up to which all of them are visited
MANY = 500_000  # positions of random matches that are visited in others, or FEW if moves are small numbers
PLIES = 1000  # of a match, about, after which another begins
SMALL = 1 << 12  # numbers of moves below it are small


def move_texts(game: Game) -> tuple[dict[int, str], bool]:
    """The texts of a game's moves, and whether these are sure to be all."""
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
    """Whether moves are small numbers, so that all of these can be tried."""
    return min(moves, default=0) >= 0 and max(moves, default=0) < SMALL


def texts(game: Game, moves: set[int]) -> dict[int, str]:
    """Of moves the texts, of those that have one."""
    found = {}
    for move in sorted(moves):
        with suppress(Exception):  # of a number that is no move
            found[move] = notation(game, move)
    return found
