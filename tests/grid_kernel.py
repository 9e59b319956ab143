"""A kernel that asks rules with a grid for all they say of a position."""

from __future__ import annotations

from arena.kernel import Int, Ints, Rules, State, pointer


def grid(G: Rules, s: State, cells: Int, work: Ints, out: Ints) -> Int:
    """The pieces cell by cell, then anchor and shape of each move, written to `out`; how many they are."""
    moves = pointer(work)
    for cell in range(cells):
        out[cell] = G.piece(s, cell)
    written = cells
    for i in range(G.moves(s, moves, 0)):
        out[written] = G.anchor(s, moves[i])
        out[written + 1] = G.shape(s, moves[i])
        written += 2
    return written
