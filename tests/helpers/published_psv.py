"""Positions and moves as the published program writes them."""

from __future__ import annotations

from itertools import pairwise

from arena_games.checkers.game_8x8 import Checkers


def published_state(text):
    sides = [sum(1 << i for i, piece in enumerate(text[2:]) if piece in of) for of in ("bB", "wW")]
    kings = sum(1 << i for i, piece in enumerate(text[2:]) if piece in "BW")
    turn = "bw".index(text[0])
    return (sides[turn], sides[1 - turn], kings, turn)


def published_move(move):
    start, end = move
    hops = [(None, end)] if isinstance(end, int) else end
    cells = [start, *(cell for _, cell in hops)]
    path = 0
    for i, ((x, y), (right, below)) in enumerate(pairwise(Checkers.cells[cell] for cell in cells)):
        path |= ((right > x) + 2 * (below > y)) << 2 * i
    captured = sum(1 << taken for taken, _ in hops if taken is not None)
    return path << 42 | captured << 10 | start << 5 | cells[-1]
