"""Connect four: helper class Board with bits."""

# ruff: noqa
# mypy: ignore-errors

from arena import Agent


class Board:
    """A board of connect four, unpacked from the bits."""

    def __init__(self, state):
        own, every = state
        self.cells = [0] * 42
        self.heights = [0] * 7
        for column in range(7):
            for row in range(6):
                bit = 1 << (7 * column + row)
                if every & bit:
                    self.cells[column * 6 + row] = 1 if own & bit else -1
                    self.heights[column] = row + 1

    def at(self, column, row):
        return self.cells[column * 6 + row]

    def windows(self):
        for column in range(7):
            for row in range(6):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    if 0 <= column + 3 * dx < 7 and 0 <= row + 3 * dy < 6:
                        yield [self.at(column + i * dx, row + i * dy) for i in range(4)]


class WindowCounter(Agent):
    """Connect four by counting windows, one ply."""

    GAME = "connect-four"

    def score(self, state):
        board = Board(state)
        total = 0
        for window in board.windows():
            mine, theirs = window.count(1), window.count(-1)
            if mine and theirs:
                continue
            if mine:
                total += 10**mine
            elif theirs:
                total -= 10**theirs
        return total

    def choose(self, state, moves, rng):
        best, choices = None, []
        for move in moves:
            score = self.score(self.game.play(state, move))
            if best is None or score < best:
                best, choices = score, [move]
            elif score == best:
                choices.append(move)
        return rng.choice(choices)
