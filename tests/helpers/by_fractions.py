"""Tic-tac-toe once more, apart from arena: boards as texts of nine characters, chances as fractions.

A policy gives the chances of squares on a board, or nothing where it forfeits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

START = "." * 9
ROWS = ("012", "345", "678", "036", "147", "258", "048", "246")
FIELDS = ("win", "draw", "loss", "first_forfeit", "second_forfeit", "plies")
FIELDS += ("first_moves", "second_moves", "first_blunders", "second_blunders")


def to_move(board):
    return "XO"[board.count("O") < board.count("X")]


def squares(board):
    """Those where a move can be made; none where the game is over."""
    ended = any({board[int(i)] for i in row} in ({"X"}, {"O"}) for row in ROWS)
    return [] if ended else [i for i in range(9) if board[i] == "."]


def after(board, square):
    return board[:square] + to_move(board) + board[square + 1 :]


@cache
def worth(board):
    """For the player to move: 1 won, 0 drawn, -1 lost."""
    if free := squares(board):
        return max(-worth(after(board, i)) for i in free)
    return -1 if any({board[int(i)] for i in row} in ({"X"}, {"O"}) for row in ROWS) else 0


@cache
def length(board):
    """Plies left if the winner hurries and the loser delays, drawn positions aside."""
    kept = [length(after(board, i)) for i in squares(board) if -worth(after(board, i)) == worth(board)]
    return 1 + (min if worth(board) > 0 else max)(kept) if kept else 0


def alike(chosen):
    return {i: Fraction(1, len(chosen)) for i in chosen}


def anyhow(board):
    return alike(squares(board))


def keepers(board):
    return [i for i in squares(board) if -worth(after(board, i)) == worth(board)]


def best(board):
    """Any of the best moves: what minimax makes."""
    return alike(keepers(board))


def first_best(board):
    """The first of them: minimax:ties=first."""
    return alike(keepers(board)[:1])


def perfect(board):
    """Of the best moves those that win soonest, or hold out longest."""
    kept = keepers(board)
    if worth(board):
        ends = [length(after(board, i)) for i in kept]
        kept = [i for i, end in zip(kept, ends, strict=True) if end == (min, max)[worth(board) < 0](ends)]
    return alike(kept)


@cache
def course(first, second, board=START, left=9):
    """What a match from here comes to between two policies, if it goes on for `left` plies: see FIELDS."""
    seat = to_move(board) == "O"
    if not squares(board) or not left:
        value = worth(board) if not squares(board) else 0
        won = value if not seat else -value
        return tuple(map(Fraction, (won == 1, won == 0, won == -1, *[0] * 7)))
    chances = (first, second)[seat](board)
    if not chances:
        return tuple(map(Fraction, (seat, 0, not seat, not seat, seat, *[0] * 5)))
    blunder = sum(chance for i, chance in chances.items() if -worth(after(board, i)) < worth(board))
    own = (0, 0, 0, 0, 0, 1, not seat, seat, 0 if seat else blunder, blunder if seat else 0)
    later = [[p * x for x in course(first, second, after(board, i), left - 1)] for i, p in chances.items()]
    return tuple(map(sum, zip(own, *later, strict=True)))


def match(first, second, opening=0, most=9):
    """The same from the start, after so many random plies on which a match goes on."""
    boards = opened(opening)
    parts = [[p * x for x in course(first, second, b, max(0, most - opening))] for b, p in boards.items()]
    found = dict(zip(FIELDS, map(sum, zip(*parts, strict=True)), strict=True))
    found["plies"] += opening
    return found


@cache
def opened(plies):
    """The chances of boards after so many random plies, those left out where the game is over."""
    boards = {START: Fraction(1)}
    for _ in range(plies):
        later = {}
        for board, p in boards.items():
            for i in squares(board):
                later[after(board, i)] = later.get(after(board, i), 0) + p / len(squares(board))
        boards = later
    going = {board: p for board, p in boards.items() if squares(board)}
    all_of_them = sum(going.values())
    return {board: p / all_of_them for board, p in going.items()}


def score(found):
    return found["win"] + found["draw"] / 2
