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
    progress,
    put_state,
    state_at,
)
from arena.learner import FULL
from arena.rng import below, draw
from arena_agents.ties import pick_best
from arena_agents.value_table import (
    INDEX,
    LOW,
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
    enter,
    may_be,
    place_for,
    widen,
)

__all__ = ["choose", "enter", "learn", "widen"]

CAPTURE = 2  # as `Game.progress` calls it

# what a variant of this module may change
FORWARDS = 0  # 1: each side's moves are walked from the first on, as the document's program does
CAPTURES = 0  # 1: moves that capture have a reward of their own

# the agent's arrays after the table's. PAST to CAPTURED are of a match: each position and its hash, the move
# made in it, who made it, how many moves there were, whether it captured
RATES, SCORES, PAST, HASHES, PLAYED, MOVERS, COUNTS, CAPTURED = range(OWN, OWN + 8)

# settings after the table's: ties, episodes
TIES_PICKED, EPISODES = range(OWN_SETTINGS, OWN_SETTINGS + 2)

# rates: learning rate, exploration, discount before the first episode and after the last, reward for a capture
ALPHA, EPSILON, GAMMA_FIRST, GAMMA_LAST, BONUS = range(5)


def recall(s: State, hashed: Int, n: Int, work: IntPointer, arrays: Arrays) -> Int:
    """Put the values of a position's `n` moves into SCORES, 0 for one without; gives how many have one."""
    index, states, moves = ints(arrays, INDEX), ints(arrays, STATES), ints(arrays, MOVES)
    values, scores = floats(arrays, VALUES), floats(arrays, SCORES)
    mask = ints(arrays, SETTINGS)[MASK]
    for i in range(n):
        scores[i] = 0.0
    at = hashed & mask
    known = 0
    while index[at] != 0:
        if may_be(index[at], hashed):
            entry = (index[at] & LOW) - 1
            if is_state(states, entry, s):
                for i in range(n):
                    if work[i] == moves[entry]:
                        scores[i] = values[entry]
                        known += 1
        at = (at + 1) & mask
    return known


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    if recall(s, hash_state(s), n, work, arrays) == 0:
        return below(stream, n)
    return pick_best(floats(arrays, SCORES), n, ints(arrays, SETTINGS)[TIES_PICKED], stream)


def credit(
    s: State, hashed: Int, m: Int, n: Int, reward: Float, gamma: Float, later: Float, arrays: Arrays
) -> Float:
    """Learn the value of a move, `later` being that of the next own position; gives this position's.

    n: how many moves the position has. Its value is the greatest of theirs.
    """
    settings, alpha = ints(arrays, SETTINGS), floats(arrays, RATES)[ALPHA]
    index, states, moves = ints(arrays, INDEX), ints(arrays, STATES), ints(arrays, MOVES)
    values = floats(arrays, VALUES)
    at = hashed & settings[MASK]
    own = -1
    valued = 0
    best = -1e300
    while index[at] != 0:
        if may_be(index[at], hashed):
            entry = (index[at] & LOW) - 1
            if is_state(states, entry, s):
                valued += 1
                if moves[entry] == m:
                    own = entry
                else:
                    best = max(best, values[entry])
        at = (at + 1) & settings[MASK]
    before = values[own] if own >= 0 else 0.0
    now = before + alpha * (reward + gamma * later - before)
    if own >= 0:
        values[own] = now
    else:
        valued += 1
        if now != 0:
            own = settings[TAKEN]
            index[at] = place_for(hashed, own)
            put_state(states, own, s)
            moves[own] = m
            values[own] = now
            settings[TAKEN] += 1
    best = max(best, now)
    return max(best, 0.0) if valued < n else best


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings, rates = ints(arrays, SETTINGS), floats(arrays, RATES)
    past, hashes, played = ints(arrays, PAST), ints(arrays, HASHES), ints(arrays, PLAYED)
    movers, counts, captured = ints(arrays, MOVERS), ints(arrays, COUNTS), ints(arrays, CAPTURED)
    if settings[TAKEN] + settings[MAX_PLIES] > settings[ROOM]:
        return FULL
    rise = rates[GAMMA_LAST] - rates[GAMMA_FIRST]
    gamma = rates[GAMMA_FIRST] + rise * n / settings[EPISODES]
    plies = 0
    k: int = G.moves(s, work, 0)
    while k > 0 and plies < settings[MAX_PLIES]:
        hashed = hash_state(s)
        if recall(s, hashed, k, work, arrays) > 0 and (draw(stream) >> 10) * 2.0**-53 >= rates[EPSILON]:
            i = pick_best(floats(arrays, SCORES), k, settings[TIES_PICKED], stream)
        else:
            i = below(stream, k)
        put_state(past, plies, s)
        hashes[plies] = hashed
        played[plies] = work[i]
        movers[plies] = G.to_move(s)
        counts[plies] = k
        if CAPTURES:
            captured[plies] = 1 if progress(G, s, work[i]) == CAPTURE else 0
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
        reward = float(won if movers[at] == 0 else -won)
        if CAPTURES:
            reward += rates[BONUS] * captured[at]
            if at + 1 < plies and movers[at + 1] != movers[at]:
                reward -= rates[BONUS] * captured[at + 1]
        later = later0 if movers[at] == 0 else later1
        later = credit(before, hashes[at], played[at], counts[at], reward, gamma, later, arrays)
        if FORWARDS:
            later = max(later, 0.0)
        if movers[at] == 0:
            later0 = later
        else:
            later1 = later
    return won
