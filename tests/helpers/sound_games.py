"""Small sound games, which tests spoil."""

from __future__ import annotations

import re

from arena import ArenaError, Game


# Sound games, to be spoilt below
class Heap(Game):
    """Take one coin or two from a heap of five; who takes the last has won."""

    max_plies = 5

    def initial(self):
        return (5, 0)

    def moves(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class Row(Game):
    """A coin goes on one of five cells in a row, beside no other coin; who cannot move has lost."""

    sides = ("X", "O")
    max_plies = 3
    # none or one coin 1 + 5; two apart 6 ways, each X first or O first; three 1 way, O any of them
    reachable = 1 + 5 + 12 + 3
    symmetries = 2
    cells = tuple((x, 0) for x in range(5))
    feature_names = ("coins", "gaps")

    def initial(self):
        return "....."

    def moves(self, state):
        return [cell for cell in range(5) if set(f".{state}."[cell : cell + 3]) == {"."}]

    def play(self, state, move):
        return state[:move] + "XO"[self.to_move(state)] + state[move + 1 :]

    def to_move(self, state):
        return (5 - state.count(".")) % 2

    def value(self, state):
        return -1

    def position_text(self, state):
        return state

    def read_position(self, text):
        if not re.fullmatch("[XO.]{5}", text):
            raise ArenaError(f"{text!r} is not five of X, O and '.'")
        return text

    def evaluate(self, state):
        return float(len(self.moves(state)) % 2)

    def image(self, state, i):
        return state[::-1] if i else state

    def image_move(self, move, i):
        return 4 - move if i else move

    def piece(self, state, cell):
        return ".XO".index(state[cell])

    def anchor(self, state, move):
        return move

    def shape(self, state, move):
        return 1

    def features(self, state):
        return [5.0 - state.count("."), float(state.count("."))]


class Lettered(Row):
    """The row with letters on its coins, one of them as wide as two, and the first player's light."""

    dark = 1

    def piece_text(self, piece):
        return ("x", "歩")[piece - 1]


class Ring(Row):
    """The row closed to a ring."""

    max_plies = 2
    reachable = 1 + 5 + 2 * 5  # of ten pairs of cells five are apart
    symmetries = 5

    def moves(self, state):
        return [cell for cell in range(5) if {state[cell - 1], state[cell], state[cell - 4]} == {"."}]

    def image(self, state, i):
        return state[i:] + state[:i]

    def image_move(self, move, i):
        return (move - i) % 5


class Walk(Game):
    """A token is moved by turns to the left or to the right; who brings it to an end has won."""

    repetition = 3

    def initial(self):
        return (3, 0)

    def moves(self, state):
        return [-1, 1] if 0 < state[0] < 6 else []

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class YieldingHeap(Heap):
    """The heap once more, whose moves come one at a time."""

    alternating = True
    feature_names = ("coins", "pairs")

    def moves(self, state):
        for coins in (1, 2):
            if coins <= state[0]:
                yield coins

    def features(self, state):
        yield float(state[0])
        yield float(state[0] // 2)
