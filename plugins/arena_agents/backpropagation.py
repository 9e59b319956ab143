"""Kernels of Q-learning by back-propagation: from self-play, each side's moves walked backwards from the end.

The table holds moves with a value other than 0, each with the position it is made in; a position is known if
it has any. Algorithm 1 of "Prior State Voting (PSV): Predicting unknown move states from prior states in
Q-table reinforcement learning", one table for both sides.
"""

from __future__ import annotations

from arena.kernel import (
    Arrays,
    Float,
    Int,
    IntPointer,
    Rules,
    State,
    floats,
    hash_state,
    ints,
    is_state,
    put_state,
    state_at,
)
from arena.learner import FULL
from arena.rng import below, draw
from arena_agents.ties import pick_best
from arena_agents.value_table import (
    MASK,
    MAX_PLIES,
    MOVES,
    OWN,
    OWN_SETTINGS,
    ROOM,
    SETTINGS,
    STATES,
    TAKEN,
    VALUES,
    move_over,
)

__all__ = ["choose", "learn", "move_over"]

# what a variant of this module may change
FORWARDS = 0  # 1: each side's moves are walked from the first on, as the document's program does

# the agent's arrays after the table's. PAST to COUNTS are of a match: each position, the move made in it, who
# made it, how many moves there were
RATES, SCORES, PAST, PLAYED, MOVERS, COUNTS = range(OWN, OWN + 6)

# settings after the table's: ties, episodes
TIES_PICKED, EPISODES = range(OWN_SETTINGS, OWN_SETTINGS + 2)

# rates: learning rate, exploration, discount before the first episode and after the last
ALPHA, EPSILON, GAMMA_FIRST, GAMMA_LAST = range(4)


def recall(s: State, n: Int, work: IntPointer, arrays: Arrays) -> Int:
    """Put the values of a position's `n` moves into SCORES, 0 for one without; gives how many have one."""
    states, moves, values = ints(arrays, STATES), ints(arrays, MOVES), floats(arrays, VALUES)
    mask, scores = ints(arrays, SETTINGS)[MASK], floats(arrays, SCORES)
    for i in range(n):
        scores[i] = 0.0
    place = hash_state(s) & mask
    known = 0
    while values[place] == values[place]:
        if is_state(states, place, s):
            for i in range(n):
                if work[i] == moves[place]:
                    scores[i] = values[place]
                    known += 1
        place = (place + 1) & mask
    return known


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    if recall(s, n, work, arrays) == 0:
        return below(stream, n)
    return pick_best(floats(arrays, SCORES), n, ints(arrays, SETTINGS)[TIES_PICKED], stream)


def credit(s: State, m: Int, n: Int, reward: Float, gamma: Float, later: Float, arrays: Arrays) -> Float:
    """Learn the value of a move, `later` being that of the next own position; gives this position's.

    n: how many moves the position has. Its value is the greatest of theirs.
    """
    settings, alpha = ints(arrays, SETTINGS), floats(arrays, RATES)[ALPHA]
    states, moves, values = ints(arrays, STATES), ints(arrays, MOVES), floats(arrays, VALUES)
    place = hash_state(s) & settings[MASK]
    at = -1
    valued = 0
    best = -1e300
    while values[place] == values[place]:
        if is_state(states, place, s):
            valued += 1
            if moves[place] == m:
                at = place
            else:
                best = max(best, values[place])
        place = (place + 1) & settings[MASK]
    before = values[at] if at >= 0 else 0.0
    now = before + alpha * (reward + gamma * later - before)
    if at >= 0:
        values[at] = now
    else:
        valued += 1
        if now != 0:
            put_state(states, place, s)
            moves[place] = m
            values[place] = now
            settings[TAKEN] += 1
    best = max(best, now)
    return max(best, 0.0) if valued < n else best


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings, rates = ints(arrays, SETTINGS), floats(arrays, RATES)
    past, played = ints(arrays, PAST), ints(arrays, PLAYED)
    movers, counts = ints(arrays, MOVERS), ints(arrays, COUNTS)
    if settings[TAKEN] + settings[MAX_PLIES] > settings[ROOM]:
        return FULL
    rise = rates[GAMMA_LAST] - rates[GAMMA_FIRST]
    gamma = rates[GAMMA_FIRST] + rise * n / settings[EPISODES]
    plies = 0
    k: int = G.moves(s, work, 0)
    while k > 0 and plies < settings[MAX_PLIES]:
        if recall(s, k, work, arrays) > 0 and (draw(stream) >> 10) * 2.0**-53 >= rates[EPSILON]:
            i = pick_best(floats(arrays, SCORES), k, settings[TIES_PICKED], stream)
        else:
            i = below(stream, k)
        put_state(past, plies, s)
        played[plies] = work[i]
        movers[plies] = G.to_move(s)
        counts[plies] = k
        s = G.play(s, work[i])
        plies += 1
        k = G.moves(s, work, 0)
    won = 0  # 1 if player 0 won, -1 if player 1 did
    if k == 0:
        value: int = G.value(s)
        won = value if G.to_move(s) == 0 else -value

    later0 = 0.0  # the value of either player's next own position
    later1 = 0.0
    for step in range(plies):
        at = step if FORWARDS else plies - 1 - step
        before = state_at(past, at, s)
        if movers[at] == 0:
            later0 = credit(before, played[at], counts[at], float(won), gamma, later0, arrays)
            if FORWARDS:
                later0 = max(later0, 0.0)
        else:
            later1 = credit(before, played[at], counts[at], float(-won), gamma, later1, arrays)
            if FORWARDS:
                later1 = max(later1, 0.0)
    return won
