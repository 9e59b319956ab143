"""Encoding of positions as arrays and of moves as integers from 0, for policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arena.api.game import Game, Move, State
from arena.api.words import is_nested
from arena.errors import ArenaError
from arena.rng import Rng, derive

Observe = Callable[[Game, State, int], Any]  # returns an observation of a position for a player, 0 or 1
Actions = Literal["moves", "places"]

WORD = 64  # bits
MATCHES, PLIES = 8, 500  # random matches played to find the range of moves, and plies of each
TEXT = 512  # maximum number of bytes of a position's text


class Encoding:
    """The encoding of a game's positions and moves for a policy.

    Positions of a game with a grid are planes of zeros and ones: int8 [pieces + 1, height, width]. Planes 0,
    2, … contain the player's own pieces, one plane for each kind; planes 1, 3, … contain those of the
    opponent. The last plane is all ones for player 1. Other positions that are tuples of ints are encoded by
    their bits, int8 [words + 1, 64]; the last row is all ones for player 1. Any other position is encoded by
    its text, uint8 [513]: the bytes of the text, padded with zeros, and the number of the player.

    If moves are integers below `max_moves`, the actions are the moves. Otherwise an action is the index of a
    move in the list of legal moves.

    Args:
        game: The game.
        observe: Function that returns an array for a position, instead of the default encoding. It is called
            with the game, the position and the observing player, and its arrays must have the same shape and
            type.
        actions: "moves" or "places" (indices of legal moves). Default: determined from random matches.

    Attributes:
        count: The number of actions.
        low: The smallest value in an observation.
        high: The largest value in an observation.
    """

    def __init__(self, game: Game, observe: Observe | None = None, actions: Actions | None = None) -> None:
        self.game = game
        self.observe = observe or default_view(game)
        self.actions = actions or ("moves" if moves_are_small(game) else "places")
        self.count = game.max_moves
        first = self.observation(game.initial(), 0)
        self.shape, self.dtype = first.shape, first.dtype
        whole = np.issubdtype(self.dtype, np.integer)
        limits: Any = np.iinfo(self.dtype) if whole else np.finfo(self.dtype)
        bits = observe is None and self.dtype == np.int8
        self.low: float = 0 if bits else limits.min
        self.high: float = 1 if bits else limits.max

    def observation(self, state: State, player: int) -> NDArray[Any]:
        """Return a player's observation of a position."""
        return np.asarray(self.observe(self.game, state, player))

    def mask(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return the mask of legal actions: int8 [count], of zeros and ones."""
        mask = np.zeros(self.count, np.int8)
        mask[[self.action(moves, i) for i in range(len(moves))]] = 1
        return mask

    def action(self, moves: Sequence[Move], i: int) -> int:
        """Return the action for the legal move with index `i`."""
        found: int = moves[i] if self.actions == "moves" else i
        if not isinstance(found, int) or not 0 <= found < self.count:
            raise ArenaError(
                f"{self.game} has the move {found!r}, which is not an action from 0 to {self.count - 1}; "
                "pass actions='places'"
            )
        return found

    def move(self, moves: Sequence[Move], action: int) -> Move | None:
        """Return the legal move for an action; None if the action is illegal."""
        if self.actions == "moves":
            return next((move for move in moves if move == action), None)
        return moves[action] if 0 <= action < len(moves) else None


def moves_are_small(game: Game) -> bool:
    """Return whether all moves in some random matches are ints in range(max_moves)."""
    for seed in range(MATCHES):
        state, rng = game.initial(), Rng(derive(seed))
        for _ in range(PLIES):
            moves = game.moves(state)
            if not all(isinstance(move, int) and 0 <= move < game.max_moves for move in moves):
                return False
            if not moves:
                break
            state = game.play(state, rng.choice(moves))
    return True


def default_view(game: Game) -> Observe:
    """Return the default function that encodes positions of a game."""
    if "grid" in game.capabilities:
        return planes
    return words if game.flat and not is_nested(game.initial()) else text


def planes(game: Game, state: State, player: int) -> NDArray[np.int8]:
    """Return the pieces on a board by kind and owner: int8 [pieces + 1, height, width]."""
    width = 1 + max(x for x, _ in game.cells)
    height = 1 + max(y for _, y in game.cells)
    found = np.zeros((game.pieces + 1, height, width), np.int8)
    for cell, (x, y) in enumerate(game.cells):
        if piece := game.piece(state, cell):
            kind, owner = divmod(piece - 1, 2)
            found[2 * kind + (owner != player), y, x] = 1
    found[-1] = player
    return found


def words(game: Game, state: State, player: int) -> NDArray[np.int8]:
    """Return the bits of a position that is a tuple of ints: int8 [words + 1, 64]."""
    found = np.full((len(state) + 1, WORD), player, np.int8)
    for row, word in enumerate(state):
        found[row] = [int(word) >> bit & 1 for bit in range(WORD)]
    return found


def text(game: Game, state: State, player: int) -> NDArray[np.uint8]:
    """Return the bytes of a position's text, and the player: uint8 [TEXT + 1]."""
    written = game.position_text(state).encode()
    if len(written) > TEXT:
        raise ArenaError(
            f"a position of {game} has a text of {len(written)} bytes; pass a function `observe`"
        )
    return np.frombuffer(written.ljust(TEXT, b"\0") + bytes([player]), np.uint8)
