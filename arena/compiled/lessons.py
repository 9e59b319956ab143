"""Many episodes of a learner's kernel in one go."""

from __future__ import annotations

from arena.kernel import Int, Ints, Rules, ask, pointer
from arena.rng import mix


def learn(
    G: Rules,
    kernel: Int,
    start: Int,
    stop: Int,
    seed: Int,
    work: Ints,
    stream: Ints,
    arrays: Ints,
    tally: Ints,
) -> Int:
    """Learn from the episodes from `start` up to `stop`, or to one without room; the number after the last.

    kernel: the address of the learner's `learn`. tally: counts of those lost, drawn and won are added to it.
    """
    for episode in range(start, stop):
        stream[0] = mix(mix(mix(seed) ^ episode))
        stream[1] = 0
        ended = ask(kernel, G, G.initial(), episode, pointer(work), pointer(stream), pointer(arrays))
        if ended < -1 or ended > 1:
            return episode
        tally[ended + 1] += 1
    return stop
