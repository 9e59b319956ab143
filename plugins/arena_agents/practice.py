"""Kernels of an agent that goes on learning where it knows nothing, for the length of a match."""

from __future__ import annotations

from arena.kernel import Arrays, Int, IntPointer, Rules, State, floats, hash_state, ints
from arena_agents.backpropagation import (
    EPISODES,
    RATES,
    SCORES,
    TIES_PICKED,
    play_and_learn,
    recall_all,
    rising,
)
from arena_agents.ties import pick_best
from arena_agents.value_table import INDEX, MASK, MAX_PLIES, ROOM, SETTINGS, TAKEN


def clear(arrays: Arrays) -> Int:
    """Forget all that the table has; gives how many entries there were."""
    settings, index = ints(arrays, SETTINGS), ints(arrays, INDEX)
    taken = settings[TAKEN]
    if taken:
        for at in range(settings[MASK] + 1):
            index[at] = 0
    settings[TAKEN] = 0
    return taken


def begin(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    return clear(arrays)


def choose(G: Rules, s: State, n: Int, work: IntPointer, stream: IntPointer, arrays: Arrays) -> Int:
    settings = ints(arrays, SETTINGS)
    if recall_all(s, hash_state(s), n, work, 0, arrays) == 0:
        games = settings[EPISODES]
        for game in range(games):
            if settings[TAKEN] + settings[MAX_PLIES] > settings[ROOM]:
                clear(arrays)
            play_and_learn(G, s, rising(game, games, floats(arrays, RATES)), work, n, stream, arrays)
        recall_all(s, hash_state(s), n, work, 0, arrays)
    return pick_best(floats(arrays, SCORES), n, settings[TIES_PICKED], stream)
