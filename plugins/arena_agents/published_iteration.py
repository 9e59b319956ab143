"""Kernels of value iteration as the program published with "Math of Turn-Based Strategy Games" does it.

It goes on from the move made with another one of the learner's own in place of the opponent's reply. A move
that wins at once lets all moves of its position earn the reward. No value is less than 0, and none is final.
"""

from __future__ import annotations

from arena.index import seek
from arena.kernel import Arrays, Float, Int, IntPointer, Rules, State, floats, hash_state, ints, state_at
from arena_agents.sweeps import (
    AFTER,
    BEST,
    CONVERGED,
    DRAWN,
    FIRST,
    GAMMA,
    INDEX,
    MASK,
    MOVERS,
    OTHER,
    OWN,
    POSITIONS,
    RATES,
    SCORES,
    SETTINGS,
    STATES,
    VALUES,
    choose,
    write_down,
)
from arena_agents.value_table import enter

__all__ = ["choose", "enter", "learn"]


def reward(i: Int, arrays: Arrays) -> Float:
    """Of position `i`: that of a win, if a move wins at once."""
    first, after, movers = ints(arrays, FIRST), ints(arrays, AFTER), ints(arrays, MOVERS)
    values, rates = ints(arrays, VALUES), floats(arrays, RATES)
    for k in range(first[i], first[i + 1]):
        child = after[k]
        if first[child] == first[child + 1]:
            value = values[child] if movers[child] == movers[i] else -values[child]
            if value == 1:
                return rates[DRAWN + 1]
    return 0.0


def replied(G: Rules, s: State, work: IntPointer, n: Int, arrays: Arrays) -> Float:
    """What a position after the learner's move adds to that: the discounted mean of values after another.

    Moves are written to `work` from `n` on.
    """
    mask, index, states = ints(arrays, SETTINGS)[MASK], ints(arrays, INDEX), ints(arrays, STATES)
    own, gamma = floats(arrays, OWN), floats(arrays, RATES)[GAMMA]
    again = G.null_move(s)
    replies: int = G.moves(again, work, n)
    total = 0.0
    for j in range(replies):
        later = G.null_move(G.play(again, work[n + j]))
        entry = seek(hash_state(later), later, mask, index, states)
        if entry >= 0:
            total += 1.0 / replies * (gamma * own[entry])
    return total


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """A sweep over all positions, by the values of the sweep before; always a draw."""
    settings, states, first = ints(arrays, SETTINGS), ints(arrays, STATES), ints(arrays, FIRST)
    own, other = floats(arrays, OWN), floats(arrays, OTHER)
    best, scores = ints(arrays, BEST), floats(arrays, SCORES)
    positions = settings[POSITIONS]
    if settings[CONVERGED]:
        return 0
    if n == 0:
        for i in range(positions):
            best[i] = -1
            own[i] = 0.0
    for i in range(positions):
        other[i] = 0.0
        before = state_at(states, i, s)
        given = reward(i, arrays)
        moves: int = G.moves(before, work, 0)
        for j in range(moves):
            value = given + replied(G, G.play(before, work[j]), work, moves, arrays)
            scores[first[i] + j] = value
            other[i] = max(other[i], value)
            if own[i] < value:
                best[i] = j
    change = 0.0
    for i in range(positions):
        change = max(change, abs(other[i] - own[i]))
        own[i] = other[i]
    write_down(n, change, 1, 1 if change == 0 else 0, arrays)
    return 0
