"""Zobrist keys and a table of arrays."""

# ruff: noqa
# mypy: ignore-errors

import numpy as np

from arena import Agent, option


class Zobrist(Agent):
    """Negamax at connect four with Zobrist keys into numpy arrays."""

    GAME = "connect-four"
    depth: int = option(3, "plies")
    bits: int = option(12, "size of the table")

    def prepare(self):
        numbers = np.random.default_rng(2024)
        self.keys = numbers.integers(0, 2**62, size=(2, 49), dtype=np.int64)
        size = 1 << self.bits
        self.mask = size - 1
        self.table_key = np.zeros(size, dtype=np.int64)
        self.table_value = np.zeros(size)
        self.table_depth = np.full(size, -1)

    def key(self, state):
        own, every = state
        h = 0
        for square in range(49):
            if every >> square & 1:
                h ^= self.keys[0 if own >> square & 1 else 1, square]
        return int(h)

    def search(self, state, depth):
        key = self.key(state)
        i = key & self.mask
        if self.table_key[i] == key and self.table_depth[i] >= depth:
            return self.table_value[i]
        moves = list(self.game.moves(state))
        if not moves:
            v = self.game.value(state) * 1e6
        elif depth == 0:
            v = self.game.evaluate(state)
        else:
            v = max(-self.search(self.game.play(state, m), depth - 1) for m in moves)
        self.table_key[i], self.table_value[i], self.table_depth[i] = key, v, depth
        return v

    def choose(self, state, moves, rng):
        scored = [(-self.search(self.game.play(state, m), self.depth - 1), -abs(m - 3), m) for m in moves]
        return max(scored)[2]
