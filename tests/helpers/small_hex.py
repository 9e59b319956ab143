"""Hex on a board of three by three, as a stranger would write it."""

from __future__ import annotations

from arena import Game, Hexagons, popcount

N = 3


def joined(stones: int, player: int) -> bool:
    """Whether stones join top and bottom, or for player 1 left and right."""
    seen = [cell for cell in range(N * N) if stones >> cell & 1 and (cell // N, cell % N)[player] == 0]
    for cell in seen:
        row, column = divmod(cell, N)
        if (row, column)[player] == N - 1:
            return True
        for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            if 0 <= row + y < N and 0 <= column + x < N:
                near = (row + y) * N + column + x
                if stones >> near & 1 and near not in seen:
                    seen.append(near)
    return False


class SmallHex(Game):
    """The first player joins top and bottom, the other left and right."""

    sides = ("black", "white")
    alternating = True
    max_plies = N * N
    drawing = Hexagons(N, N, sides=True)

    def piece(self, state, cell):
        return (state[0] >> cell & 1) + 2 * (state[1] >> cell & 1)

    def initial(self):
        return (0, 0)

    def moves(self, state):
        if joined(state[0], 0) or joined(state[1], 1):
            return []
        return [cell for cell in range(N * N) if not (state[0] | state[1]) >> cell & 1]

    def play(self, state, move):
        if self.to_move(state) == 0:
            return (state[0] | 1 << move, state[1])
        return (state[0], state[1] | 1 << move)

    def to_move(self, state):
        return popcount(state[0] | state[1]) & 1

    def value(self, state):
        return -1

    def move_text(self, move):
        return "abc"[move % N] + str(move // N + 1)
