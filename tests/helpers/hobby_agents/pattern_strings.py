"""Position as a string, by dictionary."""

# ruff: noqa
# mypy: ignore-errors

from arena import Agent

WIN_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class PatternStrings(Agent):
    """Turns the board into a string, as in the tutorial, and looks patterns up."""

    PATTERNS = {
        "XX.": 50,
        "X.X": 50,
        ".XX": 50,
        "OO.": -40,
        "O.O": -40,
        ".OO": -40,
        "X..": 5,
        ".X.": 5,
        "..X": 5,
    }

    def board_string(self, state):
        own, other = state
        text = ""
        for cell in range(9):
            if own >> cell & 1:
                text += "X"
            elif other >> cell & 1:
                text += "O"
            else:
                text += "."
        return text

    def score(self, state):
        board = self.board_string(state)
        total = 0
        for a, b, c in WIN_LINES:
            total += self.PATTERNS.get(board[a] + board[b] + board[c], 0)
        return total

    def choose(self, state, moves, rng):
        return min(moves, key=lambda m: self.score(self.game.play(state, m)))
