"""Kernels of dynamic programming over all positions of a game: value iteration and policy iteration.

The learner's decisions are a Markov decision process as long as the opponent moves by known chances: Bellman
(1957) for value iteration, Howard (1960) for policy iteration. Where the opponent is the best there is, it is
a zero-sum game of perfect information: Shapley (1953), Hoffman & Karp (1966). Either seat has its process,
and both stand in the same arrays.
"""

from __future__ import annotations

from arena.index import seek
from arena.kernel import Arrays, Float, Int, IntPointer, Rules, State, floats, hash_state, ints
from arena.rng import below
from arena_agents.value_table import enter

__all__ = ["choose", "enter", "learn"]

# what a variant of this module may change
POLICY = 0  # 1: policy iteration, in place of value iteration
OPTIMAL = 0  # 1: the opponent makes the move that is worst for the learner

# the agent's arrays; the first three as `enter` expects them. FIRST, and AFTER, MOVERS and VALUES, which only
# learning takes, are the graph's (`arena.graph`). BEST: of each position the number of the move that is made,
# -1 for any. SCORES: the value of each move. OWN and OTHER: of each position its value for the learner if it
# is to move, and if the opponent is. CHANCES: with which the opponent makes each move
SETTINGS, INDEX, STATES, FIRST, BEST, SCORES, OWN, OTHER, COURSE = range(9)
RATES, AFTER, MOVERS, VALUES, CHANCES = range(9, 14)

# settings: places of the index - 1, positions, sweeps or rounds done, 1 if there is nothing left to do,
# the position asked about last, below 0 if it is none of these
MASK, POSITIONS, DONE, CONVERGED, ASKED = range(5)

# COURSE: the largest change of a value, or how many moves were changed; sweeps; the first position's value
CHANGE, SWEEPS, START = range(3)
COLUMNS = 3

GAMMA, THRESHOLD, LOST, DRAWN, WON = range(5)  # rates
MOST_SWEEPS = 100_000  # in a round
ENOUGH_SWEEPS = 2_000  # after which changes of the last digits do not count
ROUNDING = 2.0**-49  # of the largest reward, what these come to


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    mask, index, states = ints(arrays, SETTINGS)[MASK], ints(arrays, INDEX), ints(arrays, STATES)
    entry = seek(hash_state(s), s, mask, index, states)
    ints(arrays, SETTINGS)[ASKED] = entry
    best = ints(arrays, BEST)[entry] if entry >= 0 else -1
    return best if best >= 0 else below(stream, n)


def score(i: Int, arrays: Arrays) -> Int:
    """Find the value of each move of position `i` for the learner; gives the number of the first best one."""
    first, after, movers = ints(arrays, FIRST), ints(arrays, AFTER), ints(arrays, MOVERS)
    own, other, scores = floats(arrays, OWN), floats(arrays, OTHER), floats(arrays, SCORES)
    gamma = floats(arrays, RATES)[GAMMA]
    best = first[i]
    for k in range(first[i], first[i + 1]):
        child = after[k]
        value = own[child] if movers[child] == movers[i] else other[child]
        scores[k] = value if first[child] == first[child + 1] else gamma * value
        if scores[k] > scores[best]:
            best = k
    return best - first[i]


def reply(i: Int, arrays: Arrays) -> Float:
    """The value of position `i` for the learner if the opponent is to move there."""
    first, after, movers = ints(arrays, FIRST), ints(arrays, AFTER), ints(arrays, MOVERS)
    own, other, chances = floats(arrays, OWN), floats(arrays, OTHER), floats(arrays, CHANCES)
    total = 0.0
    for k in range(first[i], first[i + 1]):
        child = after[k]
        value = other[child] if movers[child] == movers[i] else own[child]
        if OPTIMAL:
            total = value if k == first[i] else min(total, value)
        else:
            total += chances[k] * value
    return total


def sweep(improve: Int, arrays: Arrays) -> Float:
    """Bring all values up to date, the last found positions first; gives the largest change.

    improve: 1 if the learner makes the best move from now on, 0 if it makes those it made.
    """
    first, best = ints(arrays, FIRST), ints(arrays, BEST)
    own, other, scores = floats(arrays, OWN), floats(arrays, OTHER), floats(arrays, SCORES)
    positions = ints(arrays, SETTINGS)[POSITIONS]
    change = 0.0
    for j in range(positions):
        i = positions - 1 - j
        if first[i] < first[i + 1]:
            found = score(i, arrays)
            if improve and scores[first[i] + found] > scores[first[i] + best[i]]:
                best[i] = (
                    found  # among equals the one found first, which gets on where a later one may turn back
                )
            value = scores[first[i] + best[i]]
            replied = reply(i, arrays)
            change = max(change, abs(value - own[i]), abs(replied - other[i]))
            own[i] = value
            other[i] = replied
    return change


def set_up(arrays: Arrays) -> Int:
    """What comes before the first sweep: every move is the first, all values but those of ends are 0."""
    first, best, values = ints(arrays, FIRST), ints(arrays, BEST), ints(arrays, VALUES)
    own, other, rates = floats(arrays, OWN), floats(arrays, OTHER), floats(arrays, RATES)
    positions = ints(arrays, SETTINGS)[POSITIONS]
    for i in range(positions):
        over = first[i] == first[i + 1]
        best[i] = 0
        own[i] = rates[DRAWN + values[i]] if over else 0.0
        other[i] = rates[DRAWN - values[i]] if over else 0.0
    return positions


def write_down(n: Int, change: Float, sweeps: Int, converged: Int, arrays: Arrays) -> Int:
    """Note what a sweep, or round, came to; gives how many there were."""
    settings, course = ints(arrays, SETTINGS), floats(arrays, COURSE)
    course[COLUMNS * n + CHANGE] = change
    course[COLUMNS * n + SWEEPS] = sweeps
    course[COLUMNS * n + START] = floats(arrays, OWN)[0]
    settings[DONE] = n + 1
    settings[CONVERGED] = converged
    return n + 1


def iterate_values(n: Int, arrays: Arrays) -> Int:
    """Sweep `n` of value iteration."""
    change = sweep(1, arrays)
    return write_down(n, change, 1, 1 if change <= floats(arrays, RATES)[THRESHOLD] else 0, arrays)


def largest_reward(arrays: Arrays) -> Float:
    """Of those for a win, a draw and a loss, sign aside."""
    rates = floats(arrays, RATES)
    return max(abs(rates[LOST]), abs(rates[DRAWN]), abs(rates[WON]))


def iterate_policy(n: Int, arrays: Arrays) -> Int:
    """Round `n` of policy iteration: the values of the moves made so far, then better moves by these.

    A move gives way to one that is better by more than the threshold, or rounding, and at the end to one that
    is better at all.
    """
    first, best, scores = ints(arrays, FIRST), ints(arrays, BEST), floats(arrays, SCORES)
    positions, threshold = ints(arrays, SETTINGS)[POSITIONS], floats(arrays, RATES)[THRESHOLD]
    close = max(threshold, ROUNDING * largest_reward(arrays))
    sweeps = 1
    change = sweep(0, arrays)
    while change > (threshold if sweeps < ENOUGH_SWEEPS else close) and sweeps < MOST_SWEEPS:
        change = sweep(0, arrays)
        sweeps += 1
    changed = 0
    for i in range(positions):
        if first[i] < first[i + 1]:
            found = score(i, arrays)
            if scores[first[i] + found] > scores[first[i] + best[i]] + close:
                best[i] = found
                changed += 1
    if changed == 0:
        for i in range(positions):
            if first[i] < first[i + 1]:
                found = score(i, arrays)
                if scores[first[i] + found] > scores[first[i] + best[i]]:
                    best[i] = found
    return write_down(n, changed, sweeps, 1 if changed == 0 else 0, arrays)


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    """A sweep, or a round; always a draw, for nothing is played."""
    if ints(arrays, SETTINGS)[CONVERGED] == 0:
        if n == 0:
            set_up(arrays)
        if POLICY:
            iterate_policy(n, arrays)
        else:
            iterate_values(n, arrays)
    return 0
