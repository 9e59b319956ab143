"""A game: Kayles with a tuple."""

# ruff: noqa
# mypy: ignore-errors

from arena import Game


class Kayles(Game):
    """Kayles: a row of pins; knock down one or two neighbours. Whoever takes the last pin wins."""

    max_moves = 32

    def __init__(self, pins: int = 9):
        self.pins = pins

    def initial(self):
        return (tuple([1] * self.pins), 0)

    def moves(self, state):
        pins, _ = state
        single = [i for i in range(len(pins)) if pins[i]]
        double = [100 + i for i in range(len(pins) - 1) if pins[i] and pins[i + 1]]
        return single + double

    def play(self, state, move):
        pins, player = state
        row = list(pins)
        row[move % 100] = 0
        if move >= 100:
            row[move % 100 + 1] = 0
        return (tuple(row), 1 - player)

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1
