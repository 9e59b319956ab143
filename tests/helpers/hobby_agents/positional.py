"""An evaluation with numpy."""

# ruff: noqa
# mypy: ignore-errors

import numpy as np

from arena import Evaluation, option


class Positional(Evaluation):
    """Tic-tac-toe or connect four by a table of squares."""

    weight: float = option(0.1, "worth of a square")
    centre: float = option(2.0, "how much more the middle is worth")

    def prepare(self):
        cells = np.arange(64)
        distance = np.abs(cells % 8 - 3.5) + np.abs(cells // 8 - 3.5)
        self.squares = self.centre * (7 - distance) / 7

    def evaluate(self, state):
        own = np.array([(state[0] >> i) & 1 for i in range(64 - 1)])
        other = np.array([(state[1] >> i) & 1 for i in range(64 - 1)])
        return float(self.weight * np.dot(self.squares[:63], own - other))
