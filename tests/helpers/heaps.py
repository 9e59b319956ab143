"""A game for learners."""

from __future__ import annotations

from arena import Game


class Heap(Game):
    """Take one coin, two or three from a heap of seven; who takes the last has won."""

    max_plies = 7

    def initial(self):
        return (7, 0)

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1
