"""Kernels of Sarsa over a linear score: on-policy TD(0), moves being chosen by alpha-beta search with it.

"4 in a row" (Samuel & Kalev), after Sutton & Barto (1998). A state is a position in which the learner is to
move, the next one that after the opponent's reply. A state that is won scores 1, and one that is lost -1.
"""

from __future__ import annotations

from arena.kernel import Arrays, Float, Int, IntPointer, Rules, State, floats, ints
from arena.rng import below, draw
from arena_agents.alpha_beta import DEPTH, SETTINGS, WEIGHTS
from arena_agents.alpha_beta import choose as search
from arena_agents.linear import DRAW, ROOM, VECTOR

# what a variant of this module may change
FEATURES = 0  # how many there are

# the agent's arrays after those of the search. BEFORE: features of the learner's last state. PHASES: of each
# the first episode after it, the learner's depth and the opponent's, and ALPHAS its learning rate. UPDATES:
# how many there were of either player's weights
NUMBERS, RATES, BEFORE, PHASES, ALPHAS, UPDATES = range(10, 16)

MAX_PLIES, PLAY_DEPTH = range(2)  # numbers
FLOOR, GAMMA, REWARD = range(3)  # rates
UNTIL, OWN_DEPTH, OTHER_DEPTH = range(3)  # of a phase


def live(player: Int) -> Int:
    """Where among the weights a player's vector is."""
    return ROOM + FEATURES * (1 + player)


def frozen(player: Int) -> Int:
    """Where it is as it was when the iteration began, for the opponent to play by."""
    return ROOM + FEATURES * (3 + player)


def look(
    G: Rules, s: State, n: Int, depth: Int, vector: Int, work: IntPointer, stream: IntPointer, arrays: Arrays
) -> Int:
    """The index of the best of `n` moves by a search with the vector that begins there."""
    floats(arrays, WEIGHTS)[VECTOR] = vector
    ints(arrays, SETTINGS)[DEPTH] = depth
    return search(G, s, n, work, stream, arrays)


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    player: int = G.to_move(s)
    return look(G, s, n, ints(arrays, NUMBERS)[PLAY_DEPTH], live(player), work, stream, arrays)


def step(player: Int, target: Float, alpha: Float, arrays: Arrays) -> Float:
    """Move the score of the state before towards a target; gives by how much it was off."""
    weights, before = floats(arrays, WEIGHTS), floats(arrays, BEFORE)
    vector = live(player)
    score = 0.0
    for f in range(FEATURES):
        score += weights[vector + f] * before[f]
    error = target - score
    for f in range(FEATURES):
        weights[vector + f] += alpha * error * before[f]
    ints(arrays, UPDATES)[player] += 1
    return error


def learn(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    weights, rates, before = floats(arrays, WEIGHTS), floats(arrays, RATES), floats(arrays, BEFORE)
    phases, updates = ints(arrays, PHASES), ints(arrays, UPDATES)
    player = n % 2
    if player == 0:  # an iteration begins
        for f in range(2 * FEATURES):
            weights[frozen(0) + f] = weights[live(0) + f]
    phase = 0
    while n >= phases[3 * phase + UNTIL]:
        phase += 1
    alpha = floats(arrays, ALPHAS)[phase]
    plies = 0
    started = 0  # 1 once there is a state before
    k: int = G.moves(s, work, 0)
    while k > 0 and plies < ints(arrays, NUMBERS)[MAX_PLIES]:
        mover: int = G.to_move(s)
        if mover != player:
            i = look(G, s, k, phases[3 * phase + OTHER_DEPTH], frozen(mover), work, stream, arrays)
        else:
            G.features(s, weights, ROOM)
            if started:
                score = 0.0
                for f in range(FEATURES):
                    score += weights[live(player) + f] * weights[ROOM + f]
                step(player, rates[REWARD] + rates[GAMMA] * score, alpha, arrays)
            for f in range(FEATURES):
                before[f] = weights[ROOM + f]
            started = 1
            epsilon = max(rates[FLOOR], 1.0 / max(updates[player], 1))
            if (draw(stream) >> 10) * 2.0**-53 < epsilon:
                i = below(stream, k)
            else:
                i = look(G, s, k, phases[3 * phase + OWN_DEPTH], live(player), work, stream, arrays)
        s = G.play(s, work[i])
        plies += 1
        k = G.moves(s, work, 0)
    won: int = 0
    if k == 0:
        won = G.value(s) if G.to_move(s) == player else -G.value(s)
    if started:
        score = weights[DRAW] if won == 0 else float(won)
        step(player, rates[REWARD] + rates[GAMMA] * score, alpha, arrays)
    return won
