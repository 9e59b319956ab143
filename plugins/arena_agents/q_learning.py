"""Kernels of tabular Q-learning over afterstates, with one table or two.

A value belongs to the position after a move, for whoever made it, all its images under the board's
symmetries together; where nothing was learned it is 0. Learning follows Watkins & Dayan (1992), with two
tables van Hasselt (2010), walking each match backwards (Nested Software, "Tic-Tac-Toe with Tabular
Q-Learning").
"""

from __future__ import annotations

from arena.index import place_for, seek
from arena.kernel import (
    Arrays,
    Float,
    FloatPointer,
    Int,
    IntPointer,
    Rules,
    State,
    consult,
    floats,
    hash_state,
    image,
    ints,
    put_state,
    state_at,
    symmetries,
    tell_begin,
)
from arena.learner import FULL
from arena.rng import below, draw
from arena_agents.ties import FIRST, pick_best
from arena_agents.value_table import (
    INDEX,
    MASK,
    MAX_PLIES,
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

# what a variant of this module may change
TABLES = 1
ITSELF = 0  # 1: the learner plays both seats, and learns from both
FOLD = 1  # 0: symmetries are left alone

# the agent's arrays after the table's. AFTERS and ENTRIES are for every move that the learner can make in a
# match: the position after it, and what `seek` says of that. CHOSEN, MOVERS and BEGINNINGS are for each of
# its turns: which of these moves it made, who it was, where the turn's moves begin
RATES, SCORES, AFTERS, CHOSEN, MOVERS, BEGINNINGS, ENTRIES, TRAINER = range(OWN, OWN + 8)

# settings after the table's: ties, episodes, first episode as second player
TIES_PICKED, EPISODES, TURN = range(OWN_SETTINGS, OWN_SETTINGS + 3)

# rates: learning rate, discount, exploration at first, its drop after each tenth, its least, rewards
ALPHA, GAMMA, EPSILON, DROP, LEAST, LOST, DRAWN, WON = range(8)

BOTH = 2  # tables, their mean


def folded(G: Rules, s: State) -> State:
    """The least of a position's images, which stands for all of them."""
    least = s
    if FOLD:
        for i in range(1, symmetries(G)):
            other = image(G, s, i)
            if other < least:
                least = other
    return least


def find(G: Rules, s: State, n: Int, work: IntPointer, k: Int, arrays: Arrays) -> Int:
    """Put where each of the `n` moves in `work` leads to into AFTERS from `k` on, and its entry into ENTRIES.

    All are hashed before the first is looked up, so that memory is asked for several at a time.
    """
    index, states, afters = ints(arrays, INDEX), ints(arrays, STATES), ints(arrays, AFTERS)
    mask, entries = ints(arrays, SETTINGS)[MASK], ints(arrays, ENTRIES)
    for i in range(n):
        after = folded(G, G.play(s, work[i]))
        put_state(afters, k + i, after)
        entries[k + i] = hash_state(after)
    for i in range(n):
        entries[k + i] = seek(entries[k + i], state_at(afters, k + i, s), mask, index, states)
    return k + n


def entry_of(s: State, i: Int, arrays: Arrays) -> Int:
    """The entry of the move that has this number in AFTERS, or ~place; `s` is any position.

    A place that was free is still this move's if it is free now.
    """
    entries, index = ints(arrays, ENTRIES), ints(arrays, INDEX)
    if entries[i] < 0 and index[~entries[i]] != 0:
        after = state_at(ints(arrays, AFTERS), i, s)
        mask = ints(arrays, SETTINGS)[MASK]
        entries[i] = seek(hash_state(after), after, mask, index, ints(arrays, STATES))
    return entries[i]


def value_now(s: State, i: Int, which: Int, arrays: Arrays) -> Float:
    """The value of the move that has this number in AFTERS, in one table or the mean of BOTH."""
    entry = entry_of(s, i, arrays)
    if entry < 0:
        return 0.0
    values, at = floats(arrays, VALUES), entry * TABLES
    if TABLES == 1:
        return values[at]
    return (values[at] + values[at + 1]) / 2 if which == BOTH else values[at + which]


def weigh(s: State, n: Int, k: Int, which: Int, arrays: Arrays) -> Int:
    """Put the value of each of `n` moves into SCORES; gives n."""
    scores = floats(arrays, SCORES)
    for i in range(n):
        scores[i] = value_now(s, k + i, which, arrays)
    return n


def pick(s: State, n: Int, k: Int, stream: IntPointer, arrays: Arrays) -> Int:
    """The move to make, by the mean of the tables."""
    weigh(s, n, k, BOTH, arrays)
    return pick_best(floats(arrays, SCORES), n, ints(arrays, SETTINGS)[TIES_PICKED], stream)


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    find(G, s, n, work, 0, arrays)
    return pick(s, n, 0, stream, arrays)


def best_of(s: State, n: Int, k: Int, table: Int, stream: IntPointer, arrays: Arrays) -> Float:
    """The other table's value of the move that this table has for the best."""
    weigh(s, n, k, table, arrays)
    best = pick_best(floats(arrays, SCORES), n, FIRST, stream)
    if TABLES == 1:
        return floats(arrays, SCORES)[best]
    return value_now(s, k + best, 1 - table, arrays)


def learn_value(s: State, i: Int, first: Int, last: Int, target: Float, arrays: Arrays) -> Int:
    """Move a move's value towards a target in the tables from `first` to `last`; gives how many entries."""
    settings, alpha = ints(arrays, SETTINGS), floats(arrays, RATES)[ALPHA]
    values = floats(arrays, VALUES)
    entry = entry_of(s, i, arrays)
    if entry < 0:
        if alpha * target == 0:
            return settings[TAKEN]  # it stays 0
        after = state_at(ints(arrays, AFTERS), i, s)
        place, entry = ~entry, settings[TAKEN]
        ints(arrays, INDEX)[place] = place_for(hash_state(after), entry)
        put_state(ints(arrays, STATES), entry, after)
        for table in range(TABLES):
            values[entry * TABLES + table] = 0.0
        ints(arrays, ENTRIES)[i] = entry
        settings[TAKEN] += 1
    for table in range(first, last + 1):
        at = entry * TABLES + table
        values[at] = (1 - alpha) * values[at] + alpha * target
    return settings[TAKEN]


def exploration(n: Int, settings: IntPointer, rates: FloatPointer) -> Float:
    """The chance of a random move in episode `n`: it drops after each tenth of a seat's episodes."""
    begun, ended = 0, settings[EPISODES]
    if not ITSELF:
        if n < settings[TURN]:
            ended = settings[TURN]
        else:
            begun = settings[TURN]
    tenths = 10 * (n - begun) // (ended - begun)
    return max(rates[EPSILON] - rates[DROP] * tenths, rates[LEAST])


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings, rates = ints(arrays, SETTINGS), floats(arrays, RATES)
    chosen, movers, beginnings = ints(arrays, CHOSEN), ints(arrays, MOVERS), ints(arrays, BEGINNINGS)
    if settings[TAKEN] + settings[MAX_PLIES] > settings[ROOM]:
        return FULL
    epsilon = exploration(n, settings, rates)
    seat = 0 if n < settings[TURN] else 1
    if not ITSELF:
        tell_begin(arrays, TRAINER, G, s, 1 - seat, work, stream)

    own = 0  # moves to learn from
    beginnings[0] = 0
    won = 0  # 1 if player 0 won, -1 if player 1 did
    for _ in range(settings[MAX_PLIES]):
        k: int = G.moves(s, work, 0)
        if k == 0:
            break
        mover: int = G.to_move(s)
        if ITSELF or mover == seat:
            begin = beginnings[own]
            beginnings[own + 1] = find(G, s, k, work, begin, arrays)
            if (draw(stream) >> 10) * 2.0**-53 < epsilon:
                i = below(stream, k)
            else:
                i = pick(s, k, begin, stream, arrays)
            chosen[own] = begin + i
            movers[own] = mover
            own += 1
        else:
            i = consult(arrays, TRAINER, G, s, k, work, stream)
            if i < 0 or i >= k:  # no move, which loses
                won = 1 if seat == 0 else -1
                break
        s = G.play(s, work[i])
    if won == 0 and G.moves(s, work, 0) == 0:
        value: int = G.value(s)
        won = value if G.to_move(s) == 0 else -value

    later0 = -1  # of either player the next own move, -1 = none any more
    later1 = -1
    for at in range(own - 1, -1, -1):
        later = later0 if movers[at] == 0 else later1
        if later < 0:
            target = rates[DRAWN + won if movers[at] == 0 else DRAWN - won]
            first = 0
            last = TABLES - 1
        else:
            first = below(stream, TABLES) if TABLES > 1 else 0
            last = first
            begin = beginnings[later]
            moves = beginnings[later + 1] - begin
            best = best_of(s, moves, begin, first, stream, arrays)
            target = rates[GAMMA] * best
        learn_value(s, chosen[at], first, last, target, arrays)
        if movers[at] == 0:
            later0 = at
        else:
            later1 = at
    return won if ITSELF or seat == 0 else -won
