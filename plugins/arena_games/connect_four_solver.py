"""A solver of connect four for boards of any size that fit into 62 bits.

It is an alpha-beta search with null windows. These measures keep the tree small:

- Forced moves, which block a threat, are played without counting as a position of the search.
- The positions after all moves are examined before the first is searched; one may already decide the value.
- Examining a position yields bounds of its value: a player who cannot complete a four cannot win; and on
  boards of even height the second player can answer each coin with the one above it (Allis 1988), and does
  not lose if the first player cannot complete a four then. A first player's threat on an odd row reverses
  this.
- Results are stored by exact position; those that took the most work are kept longest.
- Threads share the table, and prefer moves that no other thread searches (T. Kerrigan's simplified ABDADA);
  if another thread solves a position on a thread's path, that thread returns to it.

Values are those of Pascal Pons's solver: 1 if the player to move wins with its last coin, 2 if with the coin
before, and so on; negative for losses, and 0 for a draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena import ArenaError, Game, Solver, State, compiled, lowest, popcount, unchecked
from arena_games import connect_four_book

MOST_BITS = 62
FEWEST = 1 << 19  # minimum number of places, so that the rest of a key besides its place fits into an entry
BITS = 7  # number of bits of a bound in an entry of the table, which is stored plus 64
LEVELS = 16  # number of levels of work, each four times the previous one
BEGUN = 1 << 12  # number of places for positions being searched; only a few are used
SMALL = 10  # number of free cells from which on threads ignore each other
NEVER = -1000  # less than any value


@dataclass(eq=False, kw_only=True)
class ConnectFourSolver(Solver):
    """Finds the values of positions.

    A position is (own, all), as in `arena_games.connect_four`, with `rows + 1` bits for each column.

    places: the number of table entries of 8 bytes, even and at least `FEWEST`. book: whether to look up
    positions after eight plies on the standard board.
    """

    game: Game
    columns: int = 7
    rows: int = 6
    places: int = 1 << 24
    book: bool = True

    def __post_init__(self) -> None:
        self.prepare()

    @classmethod
    def of(cls, game: Game, memory: int) -> ConnectFourSolver:
        return cls(game=game, places=max(memory // 16 * 2, FEWEST))

    def prepare(self) -> None:
        """Allocate the table and working memory; raise ArenaError if the board is too large."""
        columns, rows = self.columns, self.rows
        self.height = rows + 1  # number of bits of a column
        if columns * self.height > MOST_BITS or min(columns, rows) < 1:
            raise ArenaError(
                f"a board of {columns}x{rows} is too large for the solver, whose limit is {MOST_BITS} bits"
            )
        self.cells = columns * rows
        self.column = (1 << rows) - 1
        self.bottom = sum(1 << column * self.height for column in range(columns))
        self.board = self.bottom * self.column
        self.even_rows = self.bottom * sum(1 << row for row in range(1, rows, 2))  # the second, the fourth …
        self.odd_rows = self.board ^ self.even_rows
        self.even_height = rows % 2 == 0
        self.mirrored_until = self.cells // 3  # number of coins up to which mirror images share an entry
        self.outwards = np.array(sorted(range(columns), key=lambda column: abs(2 * column - columns + 1)))
        self.buckets = self.places // 2 - 1
        self.table = np.zeros(self.places, np.int64)
        self.together = False  # whether other threads search as well
        self.alone_from = self.cells - SMALL
        self.begun = np.zeros(BEGUN, np.int64)  # positions that some thread is searching, by place
        self.line = np.zeros((self.cells + 1, 2), np.int64)  # path: key and `least` of each position
        # the length of the path; the index of a position on it that another thread has solved, and its value
        self.depth, self.back, self.bound = 0, -1, 0
        # by number of coins, for each move of a position: own, all, safe, key, turned, rank
        self.found = np.zeros((self.cells + 1, columns, 6), np.int64)
        self.order = np.zeros((self.cells + 1, columns), np.int64)
        # the result of `look`: the position after forced moves, if it is open
        self.open = self.turned = False
        self.own = self.all = self.safe = self.key = 0
        self.visited = self.limit = 0
        self.stopped = False
        self.booked = -1  # number of coins of positions in the book; -1 without a book
        self.book_keys, self.book_values = np.zeros(0, np.int64), np.zeros(0, np.int8)
        if self.book and (columns, rows) == (7, 6):
            self.booked = connect_four_book.PLIES
            self.book_keys, self.book_values = connect_four_book.read()

    def helper(self) -> ConnectFourSolver:
        found = ConnectFourSolver(
            game=self.game, columns=self.columns, rows=self.rows, places=FEWEST, book=False
        )
        found.places, found.buckets = self.places, self.buckets
        found.table, found.begun = self.table, self.begun
        found.booked, found.book_keys, found.book_values = self.booked, self.book_keys, self.book_values
        found.together = self.together = True
        return found

    # --- lines of four --------------------------------------------------------------------------------------

    def has_four(self, coins: int) -> bool:
        """Return whether these coins have four in a line."""
        d = self.height
        pairs = coins & (coins >> 1)
        found = pairs & (pairs >> 2)
        pairs = coins & (coins >> d)
        found |= pairs & (pairs >> (2 * d))
        pairs = coins & (coins >> (d - 1))
        found |= pairs & (pairs >> (2 * d - 2))
        pairs = coins & (coins >> (d + 1))
        return (found | (pairs & (pairs >> (2 * d + 2)))) != 0

    def threats(self, coins: int, free: int) -> int:
        """Return the free cells that would complete four of these coins."""
        found = (coins << 1) & (coins << 2) & (coins << 3)
        for d in range(self.height - 1, self.height + 2):
            pair = (coins << d) & (coins << (2 * d))
            found |= pair & ((coins << (3 * d)) | (coins >> d))
            pair = (coins >> d) & (coins >> (2 * d))
            found |= pair & ((coins >> (3 * d)) | (coins << d))
        return found & free

    # --- the search -----------------------------------------------------------------------------------------

    @compiled
    def attempt(self, state: State, least: int, visits: int) -> int:
        own, coins = state
        self.limit = self.visited + visits
        self.stopped = False
        self.depth, self.back = 0, -1
        if self.threats(own, self.board & ~coins) & (coins + self.bottom) != 0:
            return (self.cells + 1 - popcount(coins)) // 2
        value = self.look(own, coins, least)
        if not self.open:
            return value
        if self.turned:
            return -self.expand(self.own, self.all, self.safe, self.key, 1 - least)
        return self.expand(self.own, self.all, self.safe, self.key, least)

    @unchecked
    def look(self, own: int, coins: int, least: int) -> int:
        """Return a bound that shows whether a position's value is `least` or more, if no search is needed.

        Otherwise set `open` to True, `own`, `all`, `safe` and `key` to the position after forced moves, and
        `turned` to whether the opponent is to move there. The player to move must not be able to win at once.
        """
        self.visited += 1
        self.open = False
        turned = False
        other = own ^ coins
        count = popcount(coins)
        while True:
            if count == self.booked:
                value = self.in_book(self.key_of(own, coins, count))
                if value == 0 or (value > 0 and least <= 1) or (value < 0 and least >= 0):
                    return -value if turned else value
            free, playable = self.board & ~coins, (coins + self.bottom) & self.board
            danger = self.threats(other, free)
            safe = playable & ~(danger >> 1)
            forced = playable & danger
            if forced != 0:
                safe = safe & forced if forced & (forced - 1) == 0 else 0
            if safe == 0 and count < self.cells:
                lost = -((self.cells - count) // 2)
                return -lost if turned else lost
            if count >= self.cells - 2:
                return 0
            if safe & (safe - 1) != 0:
                break
            coins |= safe
            own, other = other, own | safe
            count += 1
            turned = not turned
            least = 1 - least
        low, high = -((self.cells - 2 - count) // 2), (self.cells - 1 - count) // 2
        if high > 0 and not self.has_four(own | free):
            high = 0
        if low < 0 and not self.has_four(other | free):
            low = 0
        key = self.key_of(own, coins, count)
        entry = self.kept(key)
        if entry != 0:
            low, high = max(low, low_of(entry)), min(high, high_of(entry))
        if self.even_height and low < least <= high:
            if count & 1 == 0:
                low, high = self.answered(own, other, free, playable, low, high)
            else:
                low, high = self.answering(own, other, free, playable, low, high)
        if low >= least:
            return -low if turned else low
        if high < least:
            return -high if turned else high
        self.open = True
        self.own, self.all, self.safe, self.key, self.turned = own, coins, safe, key, turned
        return 0

    @unchecked
    def in_book(self, key: int) -> int:
        """Return the value of a position in the book: 1 won, 0 drawn, -1 lost."""
        low, high = 0, len(self.book_keys)
        while low < high - 1:
            middle = (low + high) // 2
            if self.book_keys[middle] <= key:
                low = middle
            else:
                high = middle
        return self.book_values[low]

    @unchecked
    def expand(self, own: int, coins: int, safe: int, key: int, least: int) -> int:
        """Search an open position; return a bound that shows whether its value is `least` or more."""
        if self.visited >= self.limit:
            self.stopped = True
            return 0
        start, count = self.visited, popcount(coins)
        other, free = own ^ coins, self.board & ~coins
        found, order = self.found[count], self.order[count]
        moves, best = 0, NEVER
        for i in range(self.columns):
            move = safe & (self.column << (self.outwards[i] * self.height))
            if move != 0:
                value = -self.look(other, coins | move, 1 - least)
                if not self.open:
                    best = max(best, value)
                    if value >= least:
                        break
                else:
                    rank = self.columns * popcount(self.threats(own | move, free ^ move)) - i
                    row = found[moves]
                    row[0], row[1], row[2], row[3] = self.own, self.all, self.safe, self.key
                    row[4], row[5] = int(self.turned), rank
                    j = moves
                    while j > 0 and found[order[j - 1], 5] < rank:
                        order[j] = order[j - 1]
                        j -= 1
                    order[j] = moves
                    moves += 1
        if best < least:
            together = self.together and count < self.alone_from
            depth = self.depth
            if together:
                self.line[depth, 0], self.line[depth, 1] = key, least
                if self.overtaken(depth):
                    return 0
                self.depth = depth + 1
            for i in range(moves):
                if together:
                    if i > 0:
                        self.choose_next(found, order, i, moves)
                    self.mark(found[order[i], 3], True)
                row = found[order[i]]
                if row[4] == 1:
                    value = self.expand(row[0], row[1], row[2], row[3], least)
                else:
                    value = -self.expand(row[0], row[1], row[2], row[3], 1 - least)
                if together:
                    self.mark(row[3], False)
                    if self.back >= 0:
                        if self.back < depth:
                            return 0
                        self.back, self.depth = -1, depth
                        return self.bound
                if self.stopped:
                    return 0
                best = max(best, value)
                if value >= least:
                    break
            if together:
                self.depth = depth
        if best >= least:
            self.keep(key, best, self.cells, self.visited - start)
        else:
            self.keep(key, -self.cells, best, self.visited - start)
        return best

    @unchecked
    def choose_next(self, found: np.ndarray, order: np.ndarray, i: int, moves: int) -> None:
        """Swap a move that no other thread searches into place `i`, if there is one at or after `i`."""
        for j in range(i, moves):
            key = found[order[j], 3]
            if self.begun[key % BEGUN] != key:
                order[i], order[j] = order[j], order[i]
                break

    @unchecked
    def overtaken(self, depth: int) -> bool:
        """Return whether another thread solved a position on this path, and set `back` and `bound` if so."""
        for i in range(depth):
            least, entry = self.line[i, 1], self.kept(self.line[i, 0])
            if entry != 0 and (low_of(entry) >= least or high_of(entry) < least):
                self.back = i
                self.bound = low_of(entry) if low_of(entry) >= least else high_of(entry)
                return True
        return False

    @unchecked
    def mark(self, key: int, begun: bool) -> None:
        """Tell other threads that the search of a position begins or ends."""
        self.begun[key % BEGUN] = key if begun else 0

    def most(self, state: State) -> int:
        return self.cells // 2

    def plies(self, state: State, value: int) -> int:
        """Return the number of plies left, without those after the win."""
        count = popcount(state[1])
        left = self.cells - count
        spared = 2 * (abs(value) - 1) + ((left & 1 == 0) == (value > 0))
        return left - spared if value else left

    # --- bounds by answering in the same column -------------------------------------------------------------

    def answered(
        self, own: int, other: int, free: int, playable: int, low: int, high: int
    ) -> tuple[int, int]:
        """Return bounds of a position's value for the first player, who is to move.

        The second player may answer in the same column. In columns with an even number of coins it then gets
        the even rows. In the other columns, whose number is even, the next cell is on an even row: either
        player may get such a cell, because a coin there is answered by a coin in another such column. Cells
        above a threat of the second player on an even row are never filled, because it wins there.
        """
        open_cells = playable & self.even_rows
        odd = free & self.odd_rows & ~self.above(self.threats(other, free) & self.even_rows)
        if high > 0 and not self.has_four(own | odd | open_cells):
            high = -1 if self.has_four(other | (free & self.even_rows & ~open_cells)) else 0
        if low < 1 and self.first_wins(own, other, free, playable, True):
            low = 1
        return low, high

    def answering(
        self, own: int, other: int, free: int, playable: int, low: int, high: int
    ) -> tuple[int, int]:
        """Return bounds of the value for the second player, who is to move and takes an open cell."""
        open_cells = playable & self.even_rows
        if open_cells & (open_cells - 1) == 0:
            open_cells = 0
        odd = free & self.odd_rows & ~self.above(self.threats(own, free) & self.even_rows)
        if low < 1 and not self.has_four(other | odd | open_cells):
            low = max(low, 1 if self.has_four(own | (free & self.even_rows & ~open_cells)) else 0)
        if high > -1 and self.first_wins(other, own, free, playable, False):
            high = -1
        return low, high

    def first_wins(self, first: int, second: int, free: int, playable: int, its_turn: bool) -> bool:
        """Return whether the first player wins by answering, because of its threat on an odd row.

        Neither player wants to fill the cell below the threat. Without these two cells and the cells above
        them, the number of free cells is odd, so that the first player can always answer: it gets the even
        rows, and the odd ones below the threat, until the second player has to fill the cell below the
        threat.
        """
        threats = self.threats(first, free)
        left = threats & self.odd_rows & ~playable
        odd = 0
        if left != 0:
            odd = free & self.odd_rows & ~self.above(threats & self.even_rows)
        while left != 0:
            threat = left & -left
            left ^= threat
            under = threat >> 1
            column = self.column << (lowest(threat) // self.height * self.height)
            below = column & (under - 1)
            open_cells = (playable & self.even_rows & ~column) | (playable & self.odd_rows & below)
            if its_turn and open_cells & (open_cells - 1) == 0:
                open_cells = 0
            seconds = (odd & ~column) | (free & self.even_rows & below) | open_cells | under
            if not self.has_four(second | seconds):
                return True
        return False

    def above(self, cells: int) -> int:
        """Return all cells above the given cells in their columns."""
        found = (cells << 1) & self.board
        for _ in range(self.rows - 2):
            found |= (found << 1) & self.board
        return found

    # --- the table ------------------------------------------------------------------------------------------

    def key_of(self, own: int, coins: int, count: int) -> int:
        """Return a unique number of a position; mirror images share it while there are few coins."""
        key = own + coins + self.bottom
        if count < self.mirrored_until:
            key = min(key, self.mirrored(own) + self.mirrored(coins) + self.bottom)
        return key

    def mirrored(self, coins: int) -> int:
        """Return the coins with left and right exchanged."""
        found = 0
        for column in range(self.columns):
            moved = self.height * (self.columns - 1 - column)
            found |= ((coins >> (self.height * column)) & self.column) << moved
        return found

    @unchecked
    def kept(self, key: int) -> int:
        """Return the table entry of a position, 0 if there is none."""
        place, tag = key % self.buckets * 2, key // self.buckets + 1
        entry = self.table[place]
        if entry >> (2 * BITS + 4) == tag:
            return entry
        entry = self.table[place + 1]
        return entry if entry >> (2 * BITS + 4) == tag else 0

    @unchecked
    def keep(self, key: int, low: int, high: int, work: int) -> None:
        """Store bounds of a position: in the first of two places if they took more work, else the second."""
        level = 0
        while work > 3 and level < LEVELS - 1:
            work >>= 2
            level += 1
        place, tag = key % self.buckets * 2, key // self.buckets + 1
        first, second = self.table[place], self.table[place + 1]
        same = first if first >> (2 * BITS + 4) == tag else second if second >> (2 * BITS + 4) == tag else 0
        if same != 0:
            low, high = max(low, low_of(same)), min(high, high_of(same))
            level = max(level, level_of(same))
        entry = (((((tag << 4) | level) << BITS) | (high + 64)) << BITS) | (low + 64)
        if first == same or level >= level_of(first):
            if first != same:
                self.table[place + 1] = first
            self.table[place] = entry
        else:
            self.table[place + 1] = entry


def low_of(entry: int) -> int:
    """Return the lower bound of the value."""
    return (entry & 127) - 64


def high_of(entry: int) -> int:
    """Return the upper bound of the value."""
    return ((entry >> BITS) & 127) - 64


def level_of(entry: int) -> int:
    """Return the level of work of a result: the power of four in the number of positions visited."""
    return (entry >> (2 * BITS)) & (LEVELS - 1)
