"""Matches at random: the kernel that is measured against the yardstick's playouts."""

from __future__ import annotations

from arena.kernel import Int, IntPointer, Ints, Rules, pointer
from arena.rng import below, mix


def playout(G: Rules, stream: IntPointer, work: IntPointer, sums: IntPointer) -> Int:
    """Play one match, of at most 10,000 plies, and add its plies and result to `sums`."""
    s = G.initial()
    ply = 0
    n = G.moves(s, work, 0)
    while n > 0 and ply < 10_000:
        s = G.play(s, work[below(stream, n)])
        ply += 1
        n = G.moves(s, work, 0)
    if n == 0:
        value: int = G.value(s)
        sums[1] += value if G.to_move(s) == 0 else -value
    sums[0] += ply
    return ply


def playouts(G: Rules, matches: Int, seed: Int, stream: Ints, work: Ints, sums: Ints) -> Int:
    """Play matches 0, 1, … of a seed; the plies of the last.

    stream: int64 [2], match i's is `derive(seed, i)`. work: int64 [G.MAX_MOVES]. sums: int64 [2], of
    the plies, and of the results from the first player's side.
    """
    plies = 0
    for match in range(matches):
        stream[0] = mix(mix(mix(seed) ^ match))
        stream[1] = 0
        plies = playout(G, pointer(stream), pointer(work), pointer(sums))
    return plies
