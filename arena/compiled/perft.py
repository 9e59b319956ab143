"""Counting lines of play."""

from __future__ import annotations

from arena.kernel import Int, IntPointer, Ints, Rules, State, number, pointer


def lines(G: Rules, s: State, depth: Int, work: IntPointer, k: Int) -> Int:
    """Lines of play of `depth` plies, at least 1, from `s`; moves go to `work` from `k` on."""
    n: int = G.moves(s, work, k)
    if depth == 1:
        return n
    total = 0
    for i in range(n):
        total += lines(G, G.play(s, work[k + i]), depth - 1, work, k + n)
    return total


def perft(G: Rules, s: State, depth: Int, work: Ints) -> Int:
    """The same; work: int64 [depth * G.MAX_MOVES]."""
    return lines(G, s, depth, pointer(work), number(0))
