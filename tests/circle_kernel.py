"""Kernels that call each other in a circle: lines of play, counted by three that take turns."""

from __future__ import annotations

from arena.kernel import Int, Ints, Rules, State


def one(G: Rules, s: State, depth: Int, work: Ints, k: Int) -> Int:
    n: int = G.moves(s, work, k)
    if depth == 1:
        return n
    total = 0
    for i in range(n):
        total += two(G, G.play(s, work[k + i]), depth - 1, work, k + n)
    return total


def two(G: Rules, s: State, depth: Int, work: Ints, k: Int) -> Int:
    n: int = G.moves(s, work, k)
    if depth == 1:
        return n
    total = 0
    for i in range(n):
        after = G.play(s, work[k + i])
        total += one(G, after, depth - 1, work, k + n) if i % 2 else three(G, after, depth - 1, work, k + n)
    return total


def three(G: Rules, s: State, depth: Int, work: Ints, k: Int) -> Int:
    n: int = G.moves(s, work, k)
    if depth == 1:
        return n
    total = 0
    for i in range(n):
        after = G.play(s, work[k + i])
        if i % 3:
            total += one(G, after, depth - 1, work, k + n)
        else:
            total += two(G, after, depth - 1, work, k + n)
    return total


def twice(G: Rules, s: State, depth: Int, work: Ints) -> Int:
    """From outside the circle into it."""
    return 2 * three(G, s, depth, work, 0)
