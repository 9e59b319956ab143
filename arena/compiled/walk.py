"""A match at random, written down: what compiled rules are compared with plain ones by."""

from __future__ import annotations

from arena.kernel import Int, Ints, Rules, pointer
from arena.rng import below


def walk(G: Rules, stream: Ints, work: Ints, trace: Ints) -> Int:
    """Play at random from the start; the number of plies.

    stream: int64 [2], of random numbers. work: int64 [G.MAX_MOVES]. trace: int64 [2 * plies], for each
    ply how many moves there were and which was played. Ends where the match does or the trace is full.
    """
    s = G.initial()
    moves = pointer(work)
    ply = 0
    while 2 * ply < len(trace):
        n = G.moves(s, moves, 0)
        if n == 0:
            return ply
        move = moves[below(stream, n)]
        trace[2 * ply] = n
        trace[2 * ply + 1] = move
        s = G.play(s, move)
        ply += 1
    return ply


def outcome(G: Rules, trace: Ints, plies: Int) -> Int:
    """Where such a match ended: 4 * player to move + value + 1, or -1 if it goes on."""
    s = G.initial()
    for ply in range(plies):
        s = G.play(s, trace[2 * ply + 1])
    if G.moves(s, pointer(trace), 0) > 0:
        return -1
    mover: int = G.to_move(s)
    value: int = G.value(s)
    return 4 * mover + value + 1
