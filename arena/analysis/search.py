"""A general solver: values by search, for games with too many positions to enumerate.

Alpha-beta search with null windows over values that include how soon the game is won. Whether a position is
won within n plies can be decided by a search that is n plies deep, so the search deepens ply by ply. Its
results are valid even if other values remain unknown or positions can repeat; in games in which positions
repeat, draws are seldom proved, since all lines would have to end.

All children are looked up before the first is searched. They are ordered by the game's evaluation if it has
one, else by the number of replies, fewest first. Threads share the table: the first word of a slot is its key
XORed with the second, so that half-written slots are not mistaken for valid ones (Hyatt & Mann 2002).

If there are endings, lines end there. Without distances, a position won in the endings counts as won at once,
so the search only finds who wins, and not how soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.api.component import compiled, unchecked
from arena.api.game import Game, State
from arena.api.solver import Solver
from arena.rng import hash_state

LONGEST = 400  # maximum plies of a win; longer wins count as draws
BITS = 11  # number of bits of a bound in a slot, which is stored plus `ZERO`
ZERO = 1 << (BITS - 1)
LEVELS = 16  # number of levels of work, each four times the previous one
FEWEST = 1 << 10  # number of slots in the smallest table
BEGUN = 1 << 12  # number of slots for positions that are being searched; only a few are used
RANKS = 1 << 40  # greater than the absolute value of any rank


@dataclass(eq=False, kw_only=True)
class Search(Solver):
    """Finds values of positions: `longest` for a win in one ply, one less for a win in two, and so on.

    A position is identified by a 63-bit hash: for each lookup, the probability of a collision is about
    10**-18.

    Attributes:
        game: The game to solve.
        places: Slots of the table, 16 bytes each, a power of two.
        endings: Endings in memory at which lines end, or None.
        distances: Whether values show how soon lines that reach endings are won.
        longest: Plies of the longest win that is found, at most `LONGEST` in addition to the plies in
            endings.
    """

    endless = True
    uses = ("symmetries", "evaluation")

    game: Game
    places: int = 1 << 20
    endings: Any = None
    distances: bool = True

    def __post_init__(self) -> None:
        self.prepare()

    @classmethod
    def of(cls, game: Game, memory: int) -> Search:
        """Return a search whose table takes at most `memory` bytes."""
        kind = ByEvaluation if "evaluation" in game.capabilities else cls
        return kind(game=game, places=max(FEWEST, 1 << ((memory // 16).bit_length() - 1)))

    def prepare(self) -> None:
        """Allocate the table and working memory."""
        self.probing = self.endings is not None
        behind = self.endings.longest if self.probing and self.distances else 0
        self.longest = min(min(self.game.max_plies, LONGEST) + behind, ZERO - 2)
        self.table = np.zeros((self.places, 2), np.int64)
        self.begun = np.zeros(BEGUN, np.int64)
        self.together = False  # whether other threads search at the same time
        # by plies from the root: the moves of the position, and for each move key, rank and whether the turn
        # changes
        room = self.longest + 1, self.game.max_moves
        self.moves = np.zeros(room, np.int64 if self.game.flat else object)
        self.found = np.zeros((*room, 3), np.int64)
        self.order = np.zeros(room, np.int64)
        self.key, self.open = 0, False  # set by `look`: the position's key, and whether to search it
        self.visited = self.limit = 0
        self.stopped = False

    def helper(self) -> Search:
        """Return a search for another thread that shares the table."""
        endings = self.endings.helper() if self.probing else None
        found = type(self)(game=self.game, places=2, endings=endings, distances=self.distances)
        found.places, found.table, found.begun = self.places, self.table, self.begun
        found.together = self.together = True
        return found

    def most(self, state: State) -> int:
        """Return the largest value."""
        return self.longest

    def plies(self, state: State, value: int) -> int:
        """Return the plies left, given a value."""
        return self.longest + 1 - abs(value)

    # --- the search ---------------------------------------------------------------------------------------

    @compiled
    def attempt(self, state: State, least: int, visits: int) -> int:
        """Return a bound that shows whether a position's value is `least` or more; see `Solver.attempt`."""
        self.limit = self.visited + visits
        self.stopped = False
        key = self.key_of(state)
        low, high = self.kept(key)
        for plies in range(1, self.longest + 1):
            if low >= least or high < least:
                break
            won, lost = self.longest + 1 - plies, plies - self.longest
            low, high = self.narrowed(state, key, won, low, high)
            if not self.stopped and low < least <= high:
                low, high = self.narrowed(state, key, lost, low, high)
            if self.stopped:
                return 0
        return low if low >= least else high

    def narrowed(self, state: State, key: int, least: int, low: int, high: int) -> tuple[int, int]:
        """Return narrower bounds on a value, by a search that shows whether the value is `least` or more."""
        if low < least <= high:
            value = self.expand(state, key, least, 0)
            if value >= least:
                low = max(low, value)
            else:
                high = min(high, value)
        return low, high

    @unchecked
    def look(self, state: State, least: int) -> int:
        """Return a bound that shows whether a position's value is `least` or more, if known without search.

        Otherwise set `open`, and `key` to the position's key, and return 0.
        """
        self.visited += 1
        self.open = False
        if not self.game.moves(state):
            return self.game.value(state) * (self.longest + 1)
        if self.probing:
            code = self.endings.look(state)
            if code >= 0:
                return self.looked_up(code)
        if least <= -self.longest:
            return -self.longest
        if least > self.longest:
            return self.longest
        key = self.key_of(state)
        low, high = self.kept(key)
        if low >= least:
            return low
        if high < least:
            return high
        self.open, self.key = True, key
        return 0

    def looked_up(self, code: int) -> int:
        """Return the value of a position in the endings, given its code."""
        if code == 0:
            return 0
        plies = self.endings.plies(code) if self.distances else 0
        value = max(self.longest + 1 - plies, 0)
        return -value if code & 1 else value

    @unchecked
    def expand(self, state: State, key: int, least: int, ply: int) -> int:
        """Search a position with moves; return a bound that shows whether its value is `least` or more."""
        if self.visited >= self.limit:
            self.stopped = True
            return 0
        start, n, best = self.visited, 0, -self.longest - 1
        moves, found, order = self.moves[ply], self.found[ply], self.order[ply]
        for move in self.game.moves(state):
            after = self.game.play(state, move)
            turns = self.game.alternating or self.game.to_move(after) != self.game.to_move(state)
            value = seen(self.look(after, asked(least, turns)), turns)
            if not self.open:
                best = max(best, value)
                if value >= least:
                    break
            else:
                rank = self.rank(after) if turns else -RANKS
                moves[n] = move
                row = found[n]
                row[0], row[1], row[2] = self.key, rank, int(turns)
                j = n
                while j > 0 and found[order[j - 1], 1] > rank:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = n
                n += 1
        if best < least:
            for i in range(n):
                if self.together and i > 0:
                    self.choose_next(found, order, i, n)
                row = found[order[i]]
                if self.together:
                    self.begun[row[0] % BEGUN] = row[0]
                turns = row[2] == 1
                after = self.game.play(state, moves[order[i]])
                value = seen(self.expand(after, row[0], asked(least, turns), ply + 1), turns)
                if self.together:
                    self.begun[row[0] % BEGUN] = 0
                if self.stopped:
                    return 0
                best = max(best, value)
                if value >= least:
                    break
        if best >= least:
            self.keep(key, best, self.longest, self.visited - start)
        else:
            self.keep(key, -self.longest, best, self.visited - start)
        return best

    def rank(self, state: State) -> int:
        """Return the rank of a position in the move order, lowest first: here its number of moves."""
        return len(self.game.moves(state))

    @unchecked
    def choose_next(self, found: np.ndarray, order: np.ndarray, i: int, n: int) -> None:
        """Move a child that no other thread is searching to index `i`, if there is one at or after `i`."""
        for j in range(i, n):
            key = found[order[j], 0]
            if self.begun[key % BEGUN] != key:
                order[i], order[j] = order[j], order[i]
                break

    # --- the table ----------------------------------------------------------------------------------------

    def key_of(self, state: State) -> int:
        """Return a hash of a position, equal for its symmetric images."""
        key = hash_state(state)
        for i in range(1, self.game.symmetries):
            key = min(key, hash_state(self.game.image(state, i)))
        return key

    @unchecked
    def kept(self, key: int) -> tuple[int, int]:
        """Return the bounds in the table for a position with moves."""
        place = key & (self.places - 2)
        for i in range(place, place + 2):
            data = self.table[i, 1]
            if data != 0 and self.table[i, 0] ^ data == key:
                return low_of(data), high_of(data)
        return -self.longest, self.longest

    @unchecked
    def keep(self, key: int, low: int, high: int, work: int) -> None:
        """Store bounds of a position; the first of two slots is replaced only by at least as much work."""
        level = 0
        while work > 3 and level < LEVELS - 1:
            work >>= 2
            level += 1
        place = key & (self.places - 2)
        known_low, known_high = self.kept(key)
        low, high = max(low, known_low), min(high, known_high)
        first = self.table[place, 1]
        same = first != 0 and self.table[place, 0] ^ first == key
        data = (((level << BITS) | (high + ZERO)) << BITS) | (low + ZERO)
        if same or level >= first >> (2 * BITS):
            if not same:
                self.table[place + 1, 0], self.table[place + 1, 1] = self.table[place, 0], first
            self.table[place, 0], self.table[place, 1] = key ^ data, data
        else:
            self.table[place + 1, 0], self.table[place + 1, 1] = key ^ data, data


class ByEvaluation(Search):
    """A search ordered by the game's evaluation: positions that are worst for the opponent come first."""

    def rank(self, state: State) -> int:
        """Return the evaluation as an integer rank."""
        return int(min(max(self.game.evaluate(state), -1e6), 1e6) * 1000)


def asked(least: int, turns: bool) -> int:
    """Return the bound to test in the position after a move, to find whether the move's value is `least`.

    If the turn changes (`turns`), the test is from the opponent's side and its result must be negated.
    """
    if turns:
        least = 1 - least
    return least + 1 if least > 0 else least - 1


def seen(value: int, turns: bool) -> int:
    """Return the value of a move for the player who makes it, given the value of the position after it."""
    nearer = value - 1 if value > 0 else value + 1 if value < 0 else 0
    return -nearer if turns else nearer


def low_of(data: int) -> int:
    """Return the lower bound in a slot's data."""
    return (data & (2 * ZERO - 1)) - ZERO


def high_of(data: int) -> int:
    """Return the upper bound in a slot's data."""
    return ((data >> BITS) & (2 * ZERO - 1)) - ZERO
