"""Games as students write them, whose positions are texts or bytes, or contain them."""

from __future__ import annotations

from typing import NamedTuple

from arena import Game

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip
EMPTY = "."


class Text(Game):
    """Tic-tac-toe on a text."""

    max_moves = 9
    max_plies = 9

    def initial(self):
        return "." * 9

    def to_move(self, state):
        return 0 if state.count("X") == state.count("O") else 1

    def won(self, state):
        for a, b, c in LINES:
            if state[a] == state[b] == state[c] != ".":
                return True
        return False

    def moves(self, state):
        if self.won(state):
            return []
        return [i for i, c in enumerate(state) if c == "."]

    def play(self, state, move):
        return state[:move] + "XO"[self.to_move(state)] + state[move + 1 :]

    def value(self, state):
        return -1 if self.won(state) else 0

    def evaluate(self, state):
        return float(state.count("X") - state.count("O")) if state[4] == "X" else 0.5


class Lines(Text):
    """Slices as lines, compared with three in a row, and a player that is a text."""

    def player(self, state):
        return "X" if state.count(EMPTY) % 2 == 1 else "O"

    def to_move(self, state):
        return "XO".index(self.player(state))

    def won(self, state):
        rows = [state[i : i + 3] for i in range(0, 9, 3)]
        columns = [state[c] + state[c + 3] + state[c + 6] for c in range(3)]
        diagonals = [state[0] + state[4] + state[8], state[2] + state[4] + state[6]]
        for own in "XO":
            if own * 3 in columns or own * 3 in diagonals or any(row == own * 3 for row in rows):
                return True
        return False

    def moves(self, state):
        if "." not in state or self.won(state):
            return []
        return [i for i in range(len(state)) if state[i] not in "XO"]

    def play(self, state, move):
        cells = list(state)
        cells[move] = self.player(state)
        return "".join(cells)


class Winner(Text):
    """The winner is a text or None, and the board is made by a comprehension."""

    def winner(self, state):
        for line in LINES:
            first = state[line[0]]
            if first != EMPTY and all(state[i] == first for i in line):
                return first
        return None

    def won(self, state):
        return self.winner(state) is not None

    def value(self, state):
        winner = self.winner(state)
        if winner is None:
            return 0
        return 1 if winner == "XO"[self.to_move(state)] else -1

    def play(self, state, move):
        own = {0: "X", 1: "O"}[self.to_move(state)]
        return "".join(own if i == move else state[i] for i in range(9))


class Pair(Text):
    """A text and the player to move."""

    def initial(self):
        return ".........", 0

    def to_move(self, state):
        return state[1]

    def won(self, state):
        board, _ = state
        return any(board[a] != "." and board[a] == board[b] and board[b] == board[c] for a, b, c in LINES)

    def moves(self, state):
        board, _player = state
        if self.won(state):
            return []
        return [i for i in range(9) if board[i] == "."]

    def play(self, state, move):
        board, player = state
        board = board[:move] + ("X" if player == 0 else "O") + board[move + 1 :]
        return board, 1 - player

    def evaluate(self, state):
        return 0.1 * state[0].count("XO"[state[1]])


class Marks(Pair):
    """A text, and the mark of the player to move; marks beyond ASCII."""

    def initial(self):
        return "_" * 9, "×"

    def to_move(self, state):
        return 0 if state[1] == "×" else 1

    def won(self, state):
        board, mark = state
        other = "○" if mark == "×" else "×"
        return any(board[a] == other and board[b] == other and board[c] == other for a, b, c in LINES)

    def moves(self, state):
        if self.won(state):
            return []
        moves = []
        for i, mark in enumerate(state[0]):
            if mark == "_":
                moves.append(i)
        return moves

    def play(self, state, move):
        board, mark = state
        return board[:move] + mark + board[move + 1 :], {"×": "○", "○": "×"}[mark]

    def evaluate(self, state):
        return float(ord(state[1]) - ord(state[0][0]))


class Place(NamedTuple):
    board: str
    player: int = 0


class Named(Pair):
    """A named tuple with a text."""

    def initial(self):
        return Place("." * 9)

    def to_move(self, state):
        return state.player

    def won(self, state):
        return any(state.board[a] == state.board[b] == state.board[c] != "." for a, b, c in LINES)

    def moves(self, state):
        return [] if self.won(state) else [i for i in range(9) if state.board[i] == "."]

    def play(self, state, move):
        left = state.board[:move]
        return Place(left + "XO"[state.player] + state.board[move + 1 :], 1 - state.player)

    def evaluate(self, state):
        return float(state.board.find("X"))


class Replaced(Named):
    """`_replace`, and a helper function that returns a text."""

    def put(self, board, at, mark):
        return board[:at] + mark + board[at + 1 :]

    def play(self, state, move):
        board = self.put(state.board, move, "X" if state.player == 0 else "O")
        return state._replace(board=board, player=1 - state.player)


class Four(Game):
    """Connect four on bytes, column by column."""

    max_moves = 7
    max_plies = 42

    def initial(self):
        return bytes(42)

    def to_move(self, state):
        return (42 - state.count(0)) % 2

    def won(self, state, own):
        for c in range(7):
            for r in range(6):
                for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if c + 3 * dc < 7 and 0 <= r + 3 * dr < 6:
                        at, step = 6 * c + r, 6 * dc + dr
                        if all(state[at + i * step] == own for i in range(4)):
                            return True
        return False

    def moves(self, state):
        if self.won(state, 2 - self.to_move(state)):
            return []
        return [c for c in range(7) if state[6 * c + 5] == 0]

    def play(self, state, move):
        at = 6 * move
        while state[at]:
            at += 1
        return state[:at] + bytes([self.to_move(state) + 1]) + state[at + 1 :]

    def value(self, state):
        return -1 if self.won(state, 2 - self.to_move(state)) else 0

    def evaluate(self, state):
        return sum(cell == 1 for cell in state[18:24]) - 0.5 * state[18:24].count(2)


class FourChanged(Four):
    """A bytearray that is changed."""

    def play(self, state, move):
        board = bytearray(state)
        for at in range(6 * move, 6 * move + 6):
            if board[at] == 0:
                board[at] = self.to_move(state) + 1
                break
        return bytes(board)


class FourText(Game):
    """Connect four on rows in one text, which is replaced by texts."""

    max_moves = 7
    max_plies = 42
    marks = "xo"

    def initial(self):
        return 42 * " ", "x"

    def to_move(self, state):
        return self.marks.index(state[1])

    def won(self, board, own):
        for r in range(6):
            row = board[7 * r : 7 * r + 7]
            if own * 4 in row:
                return True
        for step in (6, 7, 8):
            for at in range(21):
                column = at % 7
                if (step == 6 and column < 3) or (step == 8 and column > 3):
                    continue
                if board[at] == board[at + step] == board[at + 2 * step] == board[at + 3 * step] == own:
                    return True
        return False

    def other(self, mark):
        if mark == "x":
            return "o"
        return "x"

    def moves(self, state):
        board, mark = state
        if self.won(board, self.other(mark)):
            return []
        return [c for c in range(7) if board[c] == " "]

    def play(self, state, move):
        board, mark = state
        at = 35 + move
        while board[at] != " ":
            at -= 7
        made = ""
        for i, c in enumerate(board):
            made += mark if i == at else c
        return made, self.other(mark)

    def value(self, state):
        return -1 if self.won(state[0], self.other(state[1])) else 0

    def evaluate(self, state):
        return 0.1 * state[0][21:].count(state[1])


class Stones(Game):
    """Take one or two stones of a text that becomes no shorter."""

    max_moves = 2

    def initial(self):
        return "ooooooo", 0

    def to_move(self, state):
        return state[1]

    def moves(self, state):
        return [n for n in (1, 2) if state[0].count("o") >= n]

    def play(self, state, move):
        return state[0].replace("o", "-", move), 1 - state[1]

    def value(self, state):
        return -1


class Shrinking(Stones):
    """The text becomes shorter."""

    def play(self, state, move):
        return state[0][move:], 1 - state[1]

    def moves(self, state):
        return [n for n in (1, 2) if len(state[0]) > n]
