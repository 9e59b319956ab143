"""Heaps whose rules fail near the end, small enough to be imported by a worker process in no time."""

from __future__ import annotations

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


class HangsLate(Heap):
    def moves(self, state):
        while state[0] == 1 and state[1]:
            pass
        return [n for n in (1, 2, 3) if n <= state[0]]
