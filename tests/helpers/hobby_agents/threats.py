"""An evaluation with itertools and all/any."""

# ruff: noqa
# mypy: ignore-errors

import itertools

from arena import Evaluation

WIN_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Threats(Evaluation):
    """Open threats at tic-tac-toe: lines with two of one side and a free cell."""

    def evaluate(self, state):
        own, other = state
        cells = [1 if own >> i & 1 else 2 if other >> i & 1 else 0 for i in range(9)]
        score = 0
        for line in WIN_LINES:
            values = [cells[i] for i in line]
            if values.count(1) == 2 and values.count(0) == 1:
                score += 10
            elif values.count(2) == 2 and values.count(0) == 1:
                score -= 10
            elif not any(v == 2 for v in values):
                score += 1
            elif all(v != 1 for v in values):
                score -= 1
        for a, b in itertools.combinations((0, 2, 6, 8), 2):
            if cells[a] == cells[b] == 1:
                score += 0.5
        return score
