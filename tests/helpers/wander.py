"""A game on a random graph, in which players may move twice and ends are anybody's; and its endings."""

from __future__ import annotations

from random import Random

import numpy as np

from arena import Endings, Game, Slice


class Wander(Game):
    """From place to place; each has who is to move, and places without a way out have a value.

    Places from 0 on are in slices of ten, and no way leads to a later one. The last is the start, and the one
    before it leads to all that are in its slice.
    """

    max_moves = 60

    def __init__(self, seed, slices=4):
        super().__init__()
        rng = Random(seed)
        self.places = 10 * slices
        ways = []
        for place in range(self.places):
            end = (place // 10 + 1) * 10
            if rng.random() < 0.2:
                ways.append([])
            else:
                ways.append(sorted(rng.sample(range(end), min(end, rng.randrange(1, 5)))))
        ways[-1] = list(range(self.places - 1))
        self.first = np.cumsum([0, *map(len, ways)])
        self.to = np.array([to for those in ways for to in those])
        self.movers = np.array([rng.randrange(2) for _ in ways])
        self.values = np.array([rng.randrange(-1, 2) for _ in ways])

    def initial(self):
        return (self.places - 1,)

    def moves(self, state):
        yield from range(self.first[state[0]], self.first[state[0] + 1])

    def play(self, state, move):
        return (self.to[move],)

    def to_move(self, state):
        return self.movers[state[0]]

    def value(self, state):
        return self.values[state[0]]


class WanderEndings(Endings):
    """Numbers places within their slices. back: int64 [ways], from where they come, by where they lead to."""

    def __init__(self, game, pieces):
        self.game, self.pieces = game, pieces
        places = range(game.places)
        ways = [(place, game.play((place,), way)[0]) for place in places for way in game.moves((place,))]
        kept = sorted((to, place) for place, to in ways if to // 10 == place // 10)
        self.back = np.array([place for _, place in kept])
        self.before = np.cumsum([0, *(sum(to == place for to, _ in kept) for place in places)])

    @classmethod
    def of(cls, game, pieces):
        return cls(game, pieces)

    def rules(self):
        return "wander"

    def slices(self):
        return [Slice(f"tens-{i}", 10, tuple(range(i))) for i in range(self.game.places // 10)]

    def slice(self, state):
        return state[0] // 10

    def number(self, state):
        return state[0] % 10

    def position(self, slice, number):
        return (10 * slice + number,)

    def unmoves(self, state):
        for i in range(self.before[state[0]], self.before[state[0] + 1]):
            yield (self.back[i],)
