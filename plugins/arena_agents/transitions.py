"""Kernels of Q-learning over transitions, each from the abstract state before an own move to the one after.

`G.abstract(s, player)` says what of a position a player goes by. Learning follows the document
"Checkers-Reinforcement-Learning": a transition is worth what it gains up to the own next turn, by the game's
evaluation, and a share of the best that is to be had then.
"""

from __future__ import annotations

from arena.index import LOW, may_be, place_for, put
from arena.kernel import (
    Arrays,
    Float,
    Int,
    IntPointer,
    Rules,
    State,
    consult,
    floats,
    hash_move,
    ints,
    tell_begin,
)
from arena.learner import FULL
from arena.rng import below, draw
from arena_agents.ties import pick_best

# what a variant of this module may change
KNOWN = 0  # 1: what counts later is the best of all that is known from an abstract state, as published
REPLIES = 0  # 1: where a transition leads says also what the other player can gain there at once
TARGET = 0  # 1: the end of a match is what a transition's value moves towards, and not added to it

# the agent's arrays. BEFORES, AFTERS and VALUES are the table, in the order its transitions were met. The
# index goes by the abstract state before, so that all transitions from there are in one run of places
SETTINGS, INDEX, BEFORES, AFTERS, VALUES, RATES = range(6)

# of a position: for each move which of the position's transitions it makes, and for each of these where it
# leads, its entry or -1, and its value
MADE, LEADS, ENTRIES, SCORES = range(6, 10)
TRAINER = 10

# settings: places of the index - 1 (they are a power of two), entries, entries that there is room for, that a
# match may bring, plies that end a match, seat or BOTH, ties, how many transitions `look` found
MASK, TAKEN, ROOM, BROUGHT, MAX_PLIES, SEAT, TIES_PICKED, FOUND = range(8)
BOTH = 2

# rates: learning rate, discount, exploration, first value, reward for a win; the best value that `look` met
ALPHA, DISCOUNT, EPSILON, FIRST_VALUE, WIN, BEST = range(6)
NOTHING = -1e300  # the best of none

STEPS = 64  # of what a reply gains: 0, 1, 2, …, and the last is that much or more


def enter(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """Enter the first `n` transitions into an empty index; gives n."""
    index, befores, mask = ints(arrays, INDEX), ints(arrays, BEFORES), ints(arrays, SETTINGS)[MASK]
    for entry in range(n):
        put(place_for(hash_move(befores[entry]), entry), index, mask)
    return n


def worth(G: Rules, s: State, player: Int) -> Float:
    """The evaluation of a position for a player."""
    value: float = G.evaluate(s)
    return value if G.to_move(s) == player else -value


def lead(G: Rules, s: State, player: Int, work: IntPointer, k: Int) -> Int:
    """Where a transition leads that ends in this position. Moves go to `work` from `k` on."""
    packed: int = G.abstract(s, player)
    if REPLIES:
        now = worth(G, s, player)
        most = 0.0
        n: int = G.moves(s, work, k)
        for i in range(n):
            most = max(most, now - worth(G, G.play(s, work[k + i]), player))
        return packed * STEPS + int(min(most, STEPS - 1.0))
    return packed


def look(G: Rules, s: State, n: Int, work: IntPointer, arrays: Arrays) -> Int:
    """Find the transitions that the `n` moves in `work` make; gives the abstract state that they start from.

    They are numbered in the order in which moves first make them. One that is not known has the first value.
    """
    settings, rates = ints(arrays, SETTINGS), floats(arrays, RATES)
    made, leads = ints(arrays, MADE), ints(arrays, LEADS)
    entries, scores = ints(arrays, ENTRIES), floats(arrays, SCORES)
    player: int = G.to_move(s)
    found = 0
    for i in range(n):
        after = lead(G, G.play(s, work[i]), player, work, n)
        j = 0
        while j < found and leads[j] != after:
            j += 1
        if j == found:
            leads[j] = after
            entries[j] = -1
            scores[j] = rates[FIRST_VALUE]
            found += 1
        made[i] = j
    settings[FOUND] = found

    index, befores, afters = ints(arrays, INDEX), ints(arrays, BEFORES), ints(arrays, AFTERS)
    values = floats(arrays, VALUES)
    now: int = G.abstract(s, player)
    hashed = hash_move(now)
    place = hashed & settings[MASK]
    best = NOTHING
    while index[place] != 0:
        entry = (index[place] & LOW) - 1
        if may_be(index[place], hashed) and befores[entry] == now:
            best = max(best, values[entry])
            for j in range(found):
                if afters[entry] == leads[j]:
                    entries[j] = entry
                    scores[j] = values[entry]
        place = (place + 1) & settings[MASK]
    rates[BEST] = best
    return now


def add_met(now: Int, arrays: Arrays) -> Int:
    """Enter those of the transitions found that are not known; gives how many entries there are."""
    settings, entries = ints(arrays, SETTINGS), ints(arrays, ENTRIES)
    for j in range(settings[FOUND]):
        if entries[j] < 0:
            entry = settings[TAKEN]
            put(place_for(hash_move(now), entry), ints(arrays, INDEX), settings[MASK])
            ints(arrays, BEFORES)[entry] = now
            ints(arrays, AFTERS)[entry] = ints(arrays, LEADS)[j]
            floats(arrays, VALUES)[entry] = floats(arrays, RATES)[FIRST_VALUE]
            entries[j] = entry
            settings[TAKEN] += 1
    return settings[TAKEN]


def best_later(arrays: Arrays) -> Float:
    """What the own next move is worth, its transitions having been found; NOTHING if that is not known."""
    if KNOWN:
        return floats(arrays, RATES)[BEST]
    scores = floats(arrays, SCORES)
    best: float = scores[0]
    for j in range(ints(arrays, SETTINGS)[FOUND]):
        best = max(best, scores[j])
    return best


def pick_move(transition: Int, n: Int, stream: IntPointer, arrays: Arrays) -> Int:
    """The index of one of the `n` moves that make a transition, uniformly."""
    made = ints(arrays, MADE)
    count = 0
    for i in range(n):
        if made[i] == transition:
            count += 1
    wanted = below(stream, count) if count > 1 else 0
    for i in range(n):
        if made[i] == transition:
            if wanted == 0:
                return i
            wanted -= 1
    return 0


def pick(stream: IntPointer, arrays: Arrays) -> Int:
    """The transition to make, of those found."""
    settings = ints(arrays, SETTINGS)
    return pick_best(floats(arrays, SCORES), settings[FOUND], settings[TIES_PICKED], stream)


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    look(G, s, n, work, arrays)
    return pick_move(pick(stream, arrays), n, stream, arrays)


def gain(entry: Int, reward: Float, later: Float, arrays: Arrays) -> Float:
    """Learn what a transition has brought up to the own next turn; gives its value."""
    values, rates = floats(arrays, VALUES), floats(arrays, RATES)
    if later == NOTHING:
        values[entry] += rates[ALPHA] * reward
    else:
        values[entry] += rates[ALPHA] * (reward + rates[DISCOUNT] * later - values[entry])
    return values[entry]


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings, rates = ints(arrays, SETTINGS), floats(arrays, RATES)
    entries, scores, values = ints(arrays, ENTRIES), floats(arrays, SCORES), floats(arrays, VALUES)
    if settings[TAKEN] + settings[BROUGHT] > settings[ROOM]:
        return FULL
    seat = n % 2 if settings[SEAT] == BOTH else settings[SEAT]
    tell_begin(arrays, TRAINER, G, s, 1 - seat, work, stream)

    last = -1  # the entry of the own last transition
    before = 0.0  # what the position was worth in which it was made
    won = 0
    plies = 0
    k: int = G.moves(s, work, 0)
    while k > 0 and plies < settings[MAX_PLIES]:
        if G.to_move(s) == seat:
            now = look(G, s, k, work, arrays)
            later = best_later(arrays)
            add_met(now, arrays)
            here = worth(G, s, seat)
            if last >= 0:
                gain(last, here - before, later, arrays)
                for j in range(settings[FOUND]):
                    scores[j] = values[entries[j]]
            if (draw(stream) >> 10) * 2.0**-53 < rates[EPSILON]:
                transition = below(stream, settings[FOUND])
            else:
                transition = pick(stream, arrays)
            i = pick_move(transition, k, stream, arrays)
            last = entries[transition]
            before = here
        else:
            i = consult(arrays, TRAINER, G, s, k, work, stream)
            if i < 0 or i >= k:  # no move, which loses
                won = 1
                break
        s = G.play(s, work[i])
        plies += 1
        k = G.moves(s, work, 0)
    if k == 0:
        value: int = G.value(s)
        won = value if G.to_move(s) == seat else -value
    if last >= 0:
        reward = worth(G, s, seat) - before + rates[WIN] * won
        gain(last, reward, 0.0 if TARGET else NOTHING, arrays)
    return won
