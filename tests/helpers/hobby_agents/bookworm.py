"""A book of openings in a dictionary."""

# ruff: noqa
# mypy: ignore-errors

from arena import Agent

WIN_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Bookworm(Agent):
    """Knows the first moves by heart, wins or blocks if it can, or else plays by a list of preferences."""

    BOOK = {(0, 0): 4, (0, 1): 4, (0, 16): 0, (0, 2): 4, (0, 256): 4}
    PREFERENCE = [4, 0, 2, 6, 8, 1, 3, 5, 7]

    def winning_cell(self, coins, free):
        for line in WIN_LINES:
            mine = [cell for cell in line if coins >> cell & 1]
            empty = [cell for cell in line if cell in free]
            if len(mine) == 2 and len(empty) == 1:
                return empty[0]
        return None

    def choose(self, state, moves, rng):
        if state in self.BOOK:
            return self.BOOK[state]
        own, other = state
        win = self.winning_cell(own, moves)
        if win is not None:
            return win
        block = self.winning_cell(other, moves)
        if block is not None:
            return block
        for cell in self.PREFERENCE:
            if cell in moves:
                return cell
        return rng.choice(moves)
