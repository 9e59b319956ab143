"""Heaps whose rules fail near the end, small enough to be imported by a worker process in no time."""

from __future__ import annotations

from arena import Agent
from heaps import Heap


class Divides(Heap):
    def value(self, state):
        return -1 // state[0]


class GivesNothing(Heap):
    def value(self, state):
        return None


class Leaves(Heap):
    def moves(self, state):
        if state[0] <= 3:
            raise SystemExit(3)
        return [1, 2, 3]


class DividesInEvaluation(Heap):
    def evaluate(self, state):
        return 1 / (state[0] - 3)


class DividesAtTheEnd(Heap):
    def evaluate(self, state):
        return 1 / state[0]


class HangsLate(Heap):
    def moves(self, state):
        while state[0] == 1 and state[1]:
            pass
        return [n for n in (1, 2, 3) if n <= state[0]]


class HangsCompiled(Heap):
    def play(self, state, move):
        while state[0] == 3 and move == 2:
            move = move + state[1] - state[1]
        return (state[0] - move, 1 - state[1])


class PastTheEnd(Agent):
    def choose(self, state, moves, rng):
        return moves[len(moves)]
