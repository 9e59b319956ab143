"""Features of tic-tac-toe counted slowly, from drawn boards."""

from __future__ import annotations

from collections import Counter


def lines(board):
    """Rows, columns and diagonals as three letters each, with what they are."""
    rows = [board[0:3], board[3:6], board[6:9]]
    for row in rows:
        yield "row", row
    for x in range(3):
        yield "column", "".join(row[x] for row in rows)
    yield "diagonal", "".join(rows[i][i] for i in range(3))
    yield "diagonal", "".join(rows[i][2 - i] for i in range(3))


def side_to_move(board):
    return "X" if board.count("X") == board.count("O") else "O"


def count_slowly(board):
    """Windows with coins of one side alone, by name; own minus the opponent's."""
    own = side_to_move(board)
    counts = Counter()
    for kind, line in lines(board):
        sides = set(line) - {"."}
        if len(sides) == 1:
            coins = 3 - line.count(".")
            name = {1: "one of three", 2: f"two in a {kind}", 3: "three"}[coins]
            counts[name.replace("in a diagonal", "on a diagonal")] += 1 if sides == {own} else -1
    return counts
