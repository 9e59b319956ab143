"""Kernels that call each other in a circle: lines of play, counted by three together."""

from __future__ import annotations

from arena.kernel import Int, Ints, Rules, State


def lines(G: Rules, s: State, depth: Int, work: Ints, k: Int) -> Int:
    """Lines of play of `depth` plies, at least 1, from `s`; moves go to `work` from `k` on."""
    n: int = G.moves(s, work, k)
    if depth == 1:
        return n
    return after_all(G, s, depth, work, k, n)


def after_all(G: Rules, s: State, depth: Int, work: Ints, k: Int, n: Int) -> Int:
    """Those after `n` moves of `s`."""
    total = 0
    for i in range(n):
        total += after(G, s, depth, work, k + n, work[k + i])
    return total


def after(G: Rules, s: State, depth: Int, work: Ints, k: Int, m: Int) -> Int:
    """Those after one move of `s`."""
    if depth == 1:
        return 1
    return lines(G, G.play(s, m), depth - 1, work, k)


def twice(G: Rules, s: State, depth: Int, work: Ints, k: Int) -> Int:
    """From outside the circle into it."""
    return 2 * lines(G, s, depth, work, k)
