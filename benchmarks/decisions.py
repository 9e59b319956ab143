"""Many decisions of an agent in one go, as compiled matches ask for them."""

from __future__ import annotations

from arena.kernel import Int, Ints, Rules, ask, pointer, state_at


def decide(
    G: Rules, kernel: Int, n: Int, states: Ints, work: Ints, stream: Ints, arrays: Ints, chosen: Ints
) -> Int:
    """Choose in each of `n` positions, by finding its moves and asking the agent; gives n.

    kernel: the address of the agent's `choose`. states: int64 [n, words]. chosen: int64 [n], gets the moves.
    """
    for i in range(n):
        s = state_at(pointer(states), i, G.initial())
        moves = G.moves(s, pointer(work), 0)
        chosen[i] = work[ask(kernel, G, s, moves, pointer(work), pointer(stream), pointer(arrays))]
    return n
