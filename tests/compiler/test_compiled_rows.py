"""Lists of lists: the same compiled as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from both_ways import Part, both, both_cases, claims, compiled
from language import told


class Rows(Part):
    """Boards as lists of rows."""

    @compiled
    def set_and_read(self, a: int, b: int):
        board = [[0] * 4 for _ in range(3)]
        board[a % 3][b % 4] = a
        board[-1][0] += b
        for r in range(3):
            board[r][r] -= 1
        return board[0][0], board[a % 3][b % 4], sum(board[2]), len(board), len(board[0]), max(board[1])

    @compiled
    def loops(self, a: int):
        board = [[r * c + a for c in range(4)] for r in range(5)]
        total = 0
        for row in board:
            for x in row:
                total = total * 3 + x
            row[1] = total % 7
        for r, row in enumerate(board):
            total += r * row[1]
        for one, other in zip(board, board[1:], strict=False):
            total -= one[0] * other[1]
        return (
            total,
            [x for row in board for x in row][7],
            sum(sum(row) for row in board),
            any(4 in row for row in board),
        )

    @compiled
    def copies(self, a: int):
        board = [[a, 1], [2, 3]]
        deep = [row[:] for row in board]
        shallow = board[:]
        same = [list(row) for row in board]
        deep[0][0] = -1
        shallow[1][1] = 9
        shallow[0] = [5, 6]
        return board[0][0], board[1][1], deep[0][0], shallow[0][1], same[1][1]

    @compiled
    def names_of_one_row(self, a: int):
        board = [[0, 1, 2]] * 2
        row = board[0]
        row[a % 3] = a
        other = board[0] if a > 1 else board[1]
        other[2] += 1
        board[0], board[1] = board[1], [7, 7, 7]
        return board[0][a % 3], board[1][0], row[2], board[0][2]

    @compiled
    def columns(self, a: int):
        board = [[a, 1, 0], [0, a, 1], [1, 1, 1]]
        down = [sum(board[r][c] for r in range(3)) for c in range(3)]
        across = sum(board[i][2 - i] for i in range(3))
        turned = [[board[r][c] for r in range(3)] for c in range(3)]
        return told(down), across, turned[2][1], board[0].count(a), board[2].index(1), told(board[1])

    @compiled
    def made_and_changed_by_methods(self, a: int):
        board = self.empty(3)
        self.put(board, a % 3, 1, a)
        self.replace(board, 2, a)
        return (
            told(board[a % 3]),
            told(board[2]),
            self.count(board),
            told(self.row(board, 2)),
            self.deeper(board, 4),
        )

    def empty(self, n):
        return [[0] * n for _ in range(n)]

    def put(self, board, r, c, x):
        board[r][c] = x

    def replace(self, board, r, a):
        board[r] = [a, a + 1, a + 2]

    def row(self, board, r):
        return board[r]

    def count(self, board):
        return sum(1 for row in board for x in row if x)

    def deeper(self, board, n) -> int:
        if n == 0:
            return sum(board[1])
        other = [row[:] for row in board]
        other[n % 3][1] += n
        return self.deeper(other, n - 1) + self.deeper(board, n - 1)

    @compiled
    def many(self, a: int):
        total = 0
        for i in range(300):
            board = self.empty(30)
            board[i % 30][5] = a + i
            total += sum(board[7])
        return total

    @compiled
    def appended(self, a: int):
        board = []
        for r in range(4):
            board.append([a] * r)
        board.append([x for x in board[3]])
        last = board.pop()
        return len(board), sum(board[3]), len(last), sum(map_lengths(board))

    @compiled
    def of_pairs_and_floats(self, a: int, b: float):
        pairs = [[(a, b), (i, 0.5)] for i in range(3)]
        weights = [[0.5, b], [b, 1.0]]
        weights[1][0] *= 2
        pairs[1][0] = (7, b)
        return pairs[1][0], pairs[2][1], weights[1][0] + weights[0][1]

    @compiled
    def three_deep(self, a: int):
        cube = [[[i + j + k for k in range(3)] for j in range(2)] for i in range(2)]
        cube[1][0][a % 3] = a
        return cube[1][0][2], cube[0][1][1], sum(sum(row) for row in cube[1])

    @compiled
    def as_array(self, a: int):
        board = [[r * c * a for c in range(4)] for r in range(3)]
        m = np.array(board)
        return m.sum(), m[2, 3], m.shape, np.array([[1.5, a], [2, 3]])[1, 0]

    @compiled
    def beyond(self, a: int):
        board = [[0] * 3 for _ in range(3)]
        return board[a][0]

    @compiled
    def beyond_a_row(self, a: int):
        board = [[0] * 3 for _ in range(3)]
        board[1][a] = 1
        return sum(board[1])


def map_lengths(board):
    return [len(row) for row in board]


@pytest.mark.parametrize(("cls", "name"), claims(Rows))
def test_lists_of_lists(cls, name):
    both_cases(cls, name)


class Searching(Part):
    @compiled
    def search(self, a: int):
        return self.below([[0] * 8 for _ in range(8)], 5)

    def below(self, board, n) -> int:
        if n == 0:
            return sum(board[3])
        best = -1000
        for c in range(4):
            other = [row[:] for row in board]
            other[3][c] += n - c
            best = max(best, -self.below(other, n - 1))
        return best


def test_a_search_frees_the_rows_it_has_made():
    import resource

    both(Searching, "search", 0)
    thing = Searching()
    thing.search(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(300):
        thing.search(0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
