"""A solver of connect four, on boards of any size that 62 bits hold.

A search by alpha-beta with null windows. What makes it small:

- Forced moves are followed before a position counts as one: who must block has no choice.
- All moves' positions are looked at before the first is searched, and one that settles the matter ends it.
- Looking at a position finds bounds of its value: nobody wins who can complete no four any more; and on
  boards of even height the second player may answer each coin with one above it (Allis 1988), and does not
  lose if that leaves the first player no four. A threat of the first player's on an odd row turns that round.
- What was found out is kept by the position itself, what took most work longest.
- Threads share that table, and each prefers moves that no other is at (as T. Kerrigan's simplified ABDADA);
  once another has solved a position that it is in, it goes back there.

The value is a count as Pascal Pons's solver has it: 1 if the player to move wins with the last coin it has,
2 with the one before, and so on, the same below 0 for losses, 0 for a draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena import ArenaError, Game, Solver, State, compiled, lowest, popcount, unchecked
from arena_games import connect_four_book

MOST_BITS = 62
FEWEST = 1 << 19  # places, so that what a key has besides its place fits into an entry
BITS = 7  # of a bound in an entry of the table, which is 64 more than it is
LEVELS = 16  # of work, each four times the one before
BEGUN = 1 << 12  # places, a few of which are in use
SMALL = 10  # cells left, from when on threads take no notice of each other
NEVER = -1000  # less than any value


@dataclass(eq=False, kw_only=True)
class ConnectFourSolver(Solver):
    """Finds what positions are worth.

    A position is (own, all), as in `arena_games.connect_four`, with `rows + 1` bits for each column.

    places: of the table, 8 bytes each; an even number from `FEWEST`. book: whether to look up what positions
    after eight plies are worth, on the usual board.
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
        """Make what it works on. ArenaError for a board that is too large."""
        columns, rows = self.columns, self.rows
        self.height = rows + 1  # bits of a column
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
        self.mirrored_until = self.cells // 3  # coins, up to when a position and its mirror image are one
        self.outwards = np.array(sorted(range(columns), key=lambda column: abs(2 * column - columns + 1)))
        self.buckets = self.places // 2 - 1
        self.table = np.zeros(self.places, np.int64)
        self.together = False  # with others, in threads of their own
        self.alone_from = self.cells - SMALL
        self.begun = np.zeros(BEGUN, np.int64)  # positions that somebody searches, by place
        self.line = np.zeros((self.cells + 1, 2), np.int64)  # key and `least` of those that this thread is in
        # how many these are; which of them another thread has solved, and what it is worth
        self.depth, self.back, self.bound = 0, -1, 0
        # of the moves of a position with so many coins: own, all, safe, key, turned, rank
        self.found = np.zeros((self.cells + 1, columns, 6), np.int64)
        self.order = np.zeros((self.cells + 1, columns), np.int64)
        # what `look` found: where forced moves lead, if that is open
        self.open = self.turned = False
        self.own = self.all = self.safe = self.key = 0
        self.visited = self.limit = 0
        self.stopped = False
        self.booked = -1  # so many coins, no position has
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
        """Return a bound that tells whether a position is worth `least` or more, if no search is needed.

        Else `open` is True, and `own`, `all`, `safe` and `key` are where forced moves lead; `turned`: whether
        it is the other's turn there. Who is to move must not be able to win at once.
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
        """Return whether a position of the book is won, 1, drawn, 0, or lost, -1."""
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
        """Return a bound that tells whether an open position that was looked at is worth `least` or more."""
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
        """Put a move that no other thread searches in place i, if one is left there or later."""
        for j in range(i, moves):
            key = found[order[j], 3]
            if self.begun[key % BEGUN] != key:
                order[i], order[j] = order[j], order[i]
                break

    @unchecked
    def overtaken(self, depth: int) -> bool:
        """Return whether another thread has solved a position on this path: `back` is which, `bound` what."""
        for i in range(depth):
            least, entry = self.line[i, 1], self.kept(self.line[i, 0])
            if entry != 0 and (low_of(entry) >= least or high_of(entry) < least):
                self.back = i
                self.bound = low_of(entry) if low_of(entry) >= least else high_of(entry)
                return True
        return False

    @unchecked
    def mark(self, key: int, begun: bool) -> None:
        """Say to other threads that a position is being searched, or is no more."""
        self.begun[key % BEGUN] = key if begun else 0

    def most(self, state: State) -> int:
        return self.cells // 2

    def plies(self, state: State, value: int) -> int:
        """Return the coins that are left, but for those that the winner does not need."""
        count = popcount(state[1])
        left = self.cells - count
        spared = 2 * (abs(value) - 1) + ((left & 1 == 0) == (value > 0))
        return left - spared if value else left

    # --- bounds by answering --------------------------------------------------------------------------------

    def answered(
        self, own: int, other: int, free: int, playable: int, low: int, high: int
    ) -> tuple[int, int]:
        """Bounds of what a position is worth to the first player, who is to move.

        The second player may answer in the same column. In columns with an even number of coins that gives it
        the even rows. The others, of which there is an even number, have an even row next: those cells either
        may get, for a coin there is answered by one in another such column. Above a threat of its own on an
        even row nothing is played any more: there it wins.
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
        """Return bounds of the value to the second player, who is to move and takes one of the open cells."""
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
        """Return whether a threat of the first player's on an odd row makes it win by answering.

        Nobody wants to fill the cell under it. Without these two and what is above them an odd number of
        cells is left, so it is the first player who can always answer: it gets the even rows, and the odd
        ones below the threat, and in the end the second player has nothing left but that cell.
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
        """Return the cells above these, up to the tops of their columns."""
        found = (cells << 1) & self.board
        for _ in range(self.rows - 2):
            found |= (found << 1) & self.board
        return found

    # --- the table ------------------------------------------------------------------------------------------

    def key_of(self, own: int, coins: int, count: int) -> int:
        """Return a number for each position, the same for its mirror image while coins are few."""
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
        """Return the entry of a position, or 0."""
        place, tag = key % self.buckets * 2, key // self.buckets + 1
        entry = self.table[place]
        if entry >> (2 * BITS + 4) == tag:
            return entry
        entry = self.table[place + 1]
        return entry if entry >> (2 * BITS + 4) == tag else 0

    @unchecked
    def keep(self, key: int, low: int, high: int, work: int) -> None:
        """Put down bounds of a position: in the first place of two what took most work, else in the other."""
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
    """Return the level of a result, by the powers of four in the number of positions it took."""
    return (entry >> (2 * BITS)) & (LEVELS - 1)
