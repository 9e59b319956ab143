"""Kernels of Q-learning by back-propagation: from self-play, each side's moves walked backwards from the end.

The table holds moves with a value other than 0, each with the position it is made in; a position is known if
it has any. Algorithm 1 of "Prior State Voting (PSV): Predicting unknown move states from prior states in
Q-table reinforcement learning", one table for both sides.
"""

from __future__ import annotations

from arena.index import LOW, may_be, place_for, put, seek
from arena.kernel import (
    Arrays,
    Float,
    FloatPointer,
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
    widen,
)

__all__ = ["choose", "enter", "learn", "widen"]

CAPTURE = 2  # as `Game.progress` calls it

# what a variant of this module may change
FORWARDS = 0  # 1: each side's moves are walked from the first on, as the document's program does
CAPTURES = 0  # 1: moves that capture have a reward of their own
OVERLAY = 0  # 1: the table lies over another, which is left as it is

# the agent's arrays after the table's. PAST to CAPTURED are of a match: each position and its hash, the move
# made in it, who made it, how many moves there were, whether it captured
RATES, SCORES, PAST, HASHES, PLAYED, MOVERS, COUNTS, CAPTURED = range(OWN, OWN + 8)
BELOW = OWN + 8  # where those of another table begin: with OVERLAY the one below, or one to merge
MET = BELOW + OWN  # of each entry, in how many tables that were merged it was

# settings after the table's: ties, episodes, how many moves were known of the position recalled last
TIES_PICKED, EPISODES, KNOWN = range(OWN_SETTINGS, OWN_SETTINGS + 3)

# rates: learning rate, exploration, discount before the first episode and after the last, reward for captures
ALPHA, EPSILON, GAMMA_FIRST, GAMMA_LAST, BONUS = range(5)


def recall(s: State, hashed: Int, n: Int, work: IntPointer, at: Int, arrays: Arrays, table: Int) -> Int:
    """Put the values of a position's `n` moves into SCORES, 0 for one without; gives how many have one.

    The moves stand in `work` from `at` on. table: where its arrays begin among all.
    """
    index, states = ints(arrays, table + INDEX), ints(arrays, table + STATES)
    moves, values = ints(arrays, table + MOVES), floats(arrays, table + VALUES)
    mask, scores = ints(arrays, table + SETTINGS)[MASK], floats(arrays, SCORES)
    for i in range(n):
        scores[i] = 0.0
    place = hashed & mask
    known = 0
    while index[place] != 0:
        if may_be(index[place], hashed):
            entry = (index[place] & LOW) - 1
            if is_state(states, entry, s):
                for i in range(n):
                    if work[at + i] == moves[entry]:
                        scores[i] = values[entry]
                        known += 1
        place = (place + 1) & mask
    ints(arrays, SETTINGS)[KNOWN] = known
    return known


def recall_all(s: State, hashed: Int, n: Int, work: IntPointer, at: Int, arrays: Arrays) -> Int:
    """The same of the table, and where that does not know the position of the one it overlays."""
    known = recall(s, hashed, n, work, at, arrays, 0)
    if OVERLAY and known == 0:
        known = recall(s, hashed, n, work, at, arrays, BELOW)
    return known


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    if recall(s, hash_state(s), n, work, 0, arrays, 0) == 0:
        return below(stream, n)
    return pick_best(floats(arrays, SCORES), n, ints(arrays, SETTINGS)[TIES_PICKED], stream)


def add(s: State, hashed: Int, m: Int, value: Float, arrays: Arrays) -> Int:
    """Enter a move of a position; gives its entry, or -1 where a table that lies over another is full."""
    settings, entry = ints(arrays, SETTINGS), ints(arrays, SETTINGS)[TAKEN]
    if OVERLAY and entry == settings[ROOM]:
        return -1
    put(place_for(hashed, entry), ints(arrays, INDEX), settings[MASK])
    put_state(ints(arrays, STATES), entry, s)
    ints(arrays, MOVES)[entry] = m
    floats(arrays, VALUES)[entry] = value
    settings[TAKEN] += 1
    return entry


def lay_over(s: State, hashed: Int, arrays: Arrays) -> Int:
    """Enter what the table below knows of a position, if nothing was; gives how many entries there are."""
    if seek(hashed, s, ints(arrays, SETTINGS)[MASK], ints(arrays, INDEX), ints(arrays, STATES)) >= 0:
        return 0
    index, states = ints(arrays, BELOW + INDEX), ints(arrays, BELOW + STATES)
    moves, values = ints(arrays, BELOW + MOVES), floats(arrays, BELOW + VALUES)
    mask = ints(arrays, BELOW + SETTINGS)[MASK]
    place = hashed & mask
    known = 0
    while index[place] != 0:
        entry = (index[place] & LOW) - 1
        if may_be(index[place], hashed) and is_state(states, entry, s):
            add(s, hashed, moves[entry], values[entry], arrays)
            known += 1
        place = (place + 1) & mask
    return known


def credit(
    s: State, hashed: Int, m: Int, n: Int, reward: Float, gamma: Float, later: Float, arrays: Arrays
) -> Float:
    """Learn the value of a move, `later` being that of the next own position; gives this position's.

    n: how many moves the position has. Its value is the greatest of theirs.
    """
    if OVERLAY:
        lay_over(s, hashed, arrays)
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
            add(s, hashed, m, now, arrays)
    best = max(best, now)
    return max(best, 0.0) if valued < n else best


def play_and_learn(
    G: Rules, s: State, gamma: Float, work: IntPointer, at: Int, stream: IntPointer, arrays: Arrays
) -> Int:
    """Play a match from a position, both sides by the table, and learn from it; gives 1 if player 0 won.

    Moves are written to `work` from `at` on.
    """
    settings, rates = ints(arrays, SETTINGS), floats(arrays, RATES)
    past, hashes, played = ints(arrays, PAST), ints(arrays, HASHES), ints(arrays, PLAYED)
    movers, counts, captured = ints(arrays, MOVERS), ints(arrays, COUNTS), ints(arrays, CAPTURED)
    plies = 0
    n: int = G.moves(s, work, at)
    while n > 0 and plies < settings[MAX_PLIES]:
        hashed = hash_state(s)
        known = recall_all(s, hashed, n, work, at, arrays)
        if known > 0 and (draw(stream) >> 10) * 2.0**-53 >= rates[EPSILON]:
            i = pick_best(floats(arrays, SCORES), n, settings[TIES_PICKED], stream)
        else:
            i = below(stream, n)
        m: int = work[at + i]
        put_state(past, plies, s)
        hashes[plies] = hashed
        played[plies] = m
        movers[plies] = G.to_move(s)
        counts[plies] = n
        if CAPTURES:
            captured[plies] = 1 if progress(G, s, m) == CAPTURE else 0
        s = G.play(s, m)
        plies += 1
        n = G.moves(s, work, at)
    won = 0  # 1 if player 0 won, -1 if player 1 did
    if n == 0:
        value: int = G.value(s)
        won = value if G.to_move(s) == 0 else -value

    later0 = 0.0  # the value of either player's next own position
    later1 = 0.0
    for step in range(plies):
        ply = step if FORWARDS else plies - 1 - step
        before = state_at(past, ply, s)
        reward = float(won if movers[ply] == 0 else -won)
        if CAPTURES:
            reward += rates[BONUS] * captured[ply]
            if ply + 1 < plies and movers[ply + 1] != movers[ply]:
                reward -= rates[BONUS] * captured[ply + 1]
        later = later0 if movers[ply] == 0 else later1
        later = credit(before, hashes[ply], played[ply], counts[ply], reward, gamma, later, arrays)
        if FORWARDS:
            later = max(later, 0.0)
        if movers[ply] == 0:
            later0 = later
        else:
            later1 = later
    return won


def rising(n: Int, games: Int, rates: FloatPointer) -> Float:
    """The discount before game `n` of so many."""
    return rates[GAMMA_FIRST] + (rates[GAMMA_LAST] - rates[GAMMA_FIRST]) * n / games


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings = ints(arrays, SETTINGS)
    if settings[TAKEN] + settings[MAX_PLIES] > settings[ROOM]:
        return FULL
    gamma = rising(n, settings[EPISODES], floats(arrays, RATES))
    return play_and_learn(G, s, gamma, work, 0, stream, arrays)


def absorb(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Add the values of the first `n` entries of another table to this one's; gives n."""
    index, states, moves = ints(arrays, INDEX), ints(arrays, STATES), ints(arrays, MOVES)
    values, met, mask = floats(arrays, VALUES), ints(arrays, MET), ints(arrays, SETTINGS)[MASK]
    for other in range(n):
        known = state_at(ints(arrays, BELOW + STATES), other, s)
        m = ints(arrays, BELOW + MOVES)[other]
        hashed = hash_state(known)
        place = hashed & mask
        own = -1
        while own < 0 and index[place] != 0:
            entry = (index[place] & LOW) - 1
            if may_be(index[place], hashed) and moves[entry] == m and is_state(states, entry, known):
                own = entry
            place = (place + 1) & mask
        if own < 0:
            own = add(known, hashed, m, 0.0, arrays)
        values[own] += floats(arrays, BELOW + VALUES)[other]
        met[own] += 1
    return n


def average(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Divide each of the first `n` values by the number of tables it comes from; gives n."""
    values, met = floats(arrays, VALUES), ints(arrays, MET)
    for entry in range(n):
        values[entry] /= met[entry]
    return n
