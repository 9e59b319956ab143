"""Games as students write them: positions are rows of a board, or a board and a player."""

from __future__ import annotations

from arena import Game


class Rows(Game):
    """Tic-tac-toe on a tuple of rows."""

    max_moves = 9
    max_plies = 9

    def initial(self):
        return ((0, 0, 0), (0, 0, 0), (0, 0, 0))

    def to_move(self, state):
        return sum(1 for row in state for cell in row if cell) % 2

    def winner(self, state):
        lines = list(state) + list(zip(*state, strict=True))
        lines.append((state[0][0], state[1][1], state[2][2]))
        lines.append((state[0][2], state[1][1], state[2][0]))
        for line in lines:
            if line[0] != 0 and line[0] == line[1] == line[2]:
                return line[0]
        return 0

    def moves(self, state):
        if self.winner(state):
            return []
        return [3 * r + c for r in range(3) for c in range(3) if state[r][c] == 0]

    def play(self, state, move):
        r, c = divmod(move, 3)
        board = [list(row) for row in state]
        board[r][c] = 1 + self.to_move(state)
        return tuple(tuple(row) for row in board)

    def value(self, state):
        return -1 if self.winner(state) else 0


class Slices(Rows):
    """The rows around the new one are slices."""

    def play(self, state, move):
        r, c = move // 3, move % 3
        row = state[r][:c] + (self.to_move(state) + 1,) + state[r][c + 1 :]
        return state[:r] + (row,) + state[r + 1 :]


class Mapped(Rows):
    """Lists made by `map`, and a board of lists at first."""

    def initial(self):
        board = [[0] * 3 for _ in range(3)]
        return tuple(tuple(row) for row in board)

    def play(self, state, move):
        rows = list(map(list, state))
        rows[move // 3][move % 3] = self.to_move(state) + 1
        return tuple(map(tuple, rows))


class Comprehended(Rows):
    """A comprehension within another, and `all` over rows and columns."""

    def play(self, state, move):
        at, own = divmod(move, 3), self.to_move(state) + 1
        return tuple(tuple(own if (r, c) == at else state[r][c] for c in range(3)) for r in range(3))

    def winner(self, state):
        for own in (1, 2):
            if any(all(cell == own for cell in row) for row in state):
                return own
            for column in zip(*state, strict=True):
                if column == (own, own, own):
                    return own
            if all(state[i][i] == own for i in range(3)) or all(state[i][2 - i] == own for i in range(3)):
                return own
        return 0


class Four(Game):
    """Connect four on a board of rows, and the number of whose turn it is."""

    max_moves = 7
    max_plies = 42

    def initial(self):
        return ((0,) * 7,) * 6, 1

    def to_move(self, state):
        return 0 if state[1] == 1 else 1

    def moves(self, state):
        if self.won(state[0], 3 - state[1]):
            return []
        return [c for c in range(7) if state[0][0][c] == 0]

    def won(self, board, own):
        for r in range(6):
            for c in range(7):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    inside = r + 3 * dr < 6 and 0 <= c + 3 * dc < 7
                    if inside and all(board[r + i * dr][c + i * dc] == own for i in range(4)):
                        return True
        return False

    def play(self, state, move):
        board, own = state
        for r in range(5, -1, -1):
            if board[r][move] == 0:
                row = board[r][:move] + (own,) + board[r][move + 1 :]
                return (board[:r] + (row,) + board[r + 1 :], 3 - own)
        raise ValueError("the column is full")

    def value(self, state):
        return -1 if self.won(state[0], 3 - state[1]) else 0


class FourByRows(Four):
    """Loops over rows and cells, and rows in a list."""

    def won(self, board, own):
        for r, row in enumerate(board):
            for c, cell in enumerate(row):
                if cell != own:
                    continue
                if c + 3 < 7 and row[c + 1] == own and row[c + 2] == own and row[c + 3] == own:
                    return True
                if r + 3 < 6:
                    for step in (-1, 0, 1):
                        if 0 <= c + 3 * step < 7 and all(board[r + i][c + step * i] == own for i in range(4)):
                            return True
        return False

    def play(self, state, move):
        board, own = state
        rows = [list(row) for row in board]
        for row in reversed(rows):
            if row[move] == 0:
                row[move] = own
                break
        return tuple(tuple(row) for row in rows), 3 - own


class FourByLines(Four):
    """Rows and columns in one list, and slices of them compared with four in a row."""

    def won(self, board, own):
        lines = [*board, *zip(*board, strict=True)]
        return any(line[i : i + 4] == (own,) * 4 for line in lines for i in range(len(line) - 3))

    def play(self, state, move):
        cells = [list(row) for row in state[0]]
        cells[max(r for r in range(6) if cells[r][move] == 0)][move] = state[1]
        return tuple(map(tuple, cells)), 2 if state[1] == 1 else 1


class Columns(Game):
    """A position is seven columns; whoever has more pieces in the end wins."""

    max_moves = 7
    max_plies = 42

    def initial(self):
        return tuple((0,) * 6 for _ in range(7))

    def to_move(self, state):
        return sum(6 - column.count(0) for column in state) % 2

    def moves(self, state):
        return [c for c in range(7) if 0 in state[c]]

    def play(self, state, move):
        column = list(state[move])
        column[state[move].index(0)] = self.to_move(state) + 1 if move else 1
        return state[:move] + (tuple(column),) + state[move + 1 :]

    def value(self, state):
        balance = sum(column.count(1) - column.count(2) for column in state)
        return 1 if balance > 0 else -1 if balance < 0 else 0


class Heaps(Game):
    """Nim: three heaps, and the player; a move is ten times the heap, and how many to take."""

    max_moves = 30

    def initial(self):
        return (3, 4, 5), 0

    def to_move(self, state):
        return state[1]

    def moves(self, state):
        heaps, _ = state
        return [10 * i + n for i, heap in enumerate(heaps) for n in range(1, heap + 1)]

    def play(self, state, move):
        (heaps, player), (i, n) = state, divmod(move, 10)
        return heaps[:i] + (heaps[i] - n,) + heaps[i + 1 :], 1 - player

    def value(self, state):
        return -1


class Uneven(Heaps):
    """A heap that is emptied is left out of the position: the length of its tuple varies."""

    def play(self, state, move):
        (heaps, player), (i, n) = state, divmod(move, 10)
        rest = heaps[:i] + (heaps[i] - n,) + heaps[i + 1 :]
        return tuple(heap for heap in rest if heap), 1 - player
