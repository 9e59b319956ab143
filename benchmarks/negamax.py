"""Plain alpha-beta: the kernel that is measured against the yardstick's."""

from __future__ import annotations

from arena.kernel import Float, Int, IntPointer, Ints, Rules, State, number, pointer


def search(G: Rules, s: State, depth: Int, alpha: Float, beta: Float, work: IntPointer, k: Int) -> Float:
    """Fail-soft value of `s` for the player to move; moves go to `work` from `k` on, nodes to work[0]."""
    work[0] += 1
    n: int = G.moves(s, work, k)
    if n == 0:
        return float(G.value(s) * (1_000_000 + depth))
    if depth == 0:
        return float(G.evaluate(s))
    best = -2e6
    for i in range(n):
        value: float = -search(G, G.play(s, work[k + i]), depth - 1, -beta, -alpha, work, k + n)
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


def alpha_beta(G: Rules, s: State, depth: Int, work: Ints) -> Float:
    """Value at a full window; work: int64 [1 + (depth + 1) * G.MAX_MOVES], of which the first counts."""
    work[0] = 0
    return search(G, s, depth, -2e6, 2e6, pointer(work), number(1))
