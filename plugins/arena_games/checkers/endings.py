"""The numbering of endings of English draughts, by numbers and positions of men and kings.

If white is to move, the board is rotated and colours are swapped. Own men are on cells 0 to 27, the
opponent's men on cells 4 to 31. A position's number combines the number of the placement of men, that of own
kings among the remaining cells, and that of the opponent's kings among the cells that then remain. Sets of
cells of the same size are ordered as binary numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import comb

import numpy as np

from arena import ArenaError, Endings, Game, Slice, bits, lowest, popcount
from arena_games.checkers.draughts import State
from arena_games.checkers.game_8x8 import FULL, Checkers, capturers, movers, step

MOST = 7  # maximum number of pieces; a material has three bits for each kind
MATERIALS = 1 << 12
LAST = 28  # number of cells on which men of one side can be


def material(own_men: int, own_kings: int, other_men: int, other_kings: int) -> int:
    """Return a material: the numbers of men and kings of both sides, packed into an integer."""
    return own_men << 9 | own_kings << 6 | other_men << 3 | other_kings


def swapped(packed: int) -> int:
    """Return the material with the players swapped."""
    return (packed & 63) << 6 | packed >> 6


def letters(packed: int) -> str:
    """Return material as text such as `KKM-K`; 0 for none."""
    men, kings, other_men, other_kings = ((packed >> shift) & 7 for shift in (9, 6, 3, 0))
    return f"{'K' * kings + 'M' * men or 0}-{'K' * other_kings + 'M' * other_men or 0}"


def sets(size: int, cells: int) -> np.ndarray:
    """Return all sets of `size` of the lowest `cells` cells as bits, in increasing order; uint32 [n]."""
    found = np.zeros(1, np.uint32)
    for n in range(1, size + 1):
        found = np.concatenate(
            [found[: comb(cell, n - 1)] | np.uint32(1 << cell) for cell in range(n - 1, cells)]
        )
    return found


def turned(cells: int) -> int:
    """Return cells on the board rotated by 180 degrees."""
    cells = (cells >> 1) & 0x55555555 | (cells & 0x55555555) << 1
    cells = (cells >> 2) & 0x33333333 | (cells & 0x33333333) << 2
    cells = (cells >> 4) & 0x0F0F0F0F | (cells & 0x0F0F0F0F) << 4
    cells = (cells >> 8) & 0x00FF00FF | (cells & 0x00FF00FF) << 8
    return cells >> 16 | (cells & 0xFFFF) << 16


def without(cells: int, taken: int) -> int:
    """Renumber cells among the cells that are not taken."""
    while taken != 0:
        bit = taken & -taken
        cells -= (cells & -bit) >> 1
        taken = (taken ^ bit) >> 1
    return cells


def among(cells: int, taken: int) -> int:
    """Return cells with their own numbers, given their numbers among cells not taken: inverts `without`."""
    while taken != 0:
        bit = taken & -taken
        cells += cells & -bit
        taken ^= bit
    return cells


class CheckersEndings(Endings):
    """Endings of checkers.

    Each slice contains a material and then the same material with players swapped. choose: int64 [33, 8],
    binomial coefficients. By material: which, the slice; base, the number of its first position; own_sets,
    other_sets, the number of ways to place the kings; first_men, its first index in `men`, which has for each
    set of own men the number of placements of men before it. By slice: one, two, the materials; half, the
    number of the first position of material `two`.
    """

    game: Checkers
    paired = True

    def __init__(self, game: Checkers, pieces: int) -> None:
        self.game, self.pieces = game, pieces
        self.choose = np.array([[comb(n, k) for k in range(MOST + 1)] for n in range(33)])
        kinds = [sets(size, 32) for size in range(pieces + 1)]
        self.sets = np.concatenate(kinds)
        self.first_set = np.cumsum([0, *map(len, kinds)])
        self.which = np.full(MATERIALS, -1)
        self.base, self.own_sets, self.other_sets, self.first_men = (
            np.zeros(MATERIALS, np.int64) for _ in range(4)
        )
        materials = list(self.materials())
        self.one, self.two, self.half = (np.zeros(len(materials), np.int64) for _ in range(3))
        self.sizes: dict[int, int] = {}
        self.number_men()
        for i, packed in enumerate(materials):
            self.one[i], self.two[i], self.half[i] = packed, swapped(packed), self.sizes[packed]
            self.which[[packed, swapped(packed)]] = i
            if packed != swapped(packed):
                self.base[swapped(packed)] = self.sizes[packed]
        self.last_men = self.last_own = self.last_other = -1  # the men looked up last, and their key

    @classmethod
    def of(cls, game: Game, pieces: int) -> CheckersEndings:
        if not 1 <= pieces <= MOST:
            raise ArenaError(f"endings of {game} have 1 to {MOST} pieces, not {pieces}")
        assert isinstance(game, Checkers)
        return cls(game, pieces)

    def rules(self) -> str:
        return "checkers:capture_to_win=true" if self.game.capture_to_win else "checkers"

    def materials(self) -> Iterator[int]:
        """Yield the first material of each slice, ordered by number of pieces, then by number of men."""
        found = [
            material(*counts)
            for counts in product(range(self.pieces + 1), repeat=4)
            if 1 <= sum(counts) <= self.pieces
        ]

        def order(packed: int) -> tuple[int, int, int]:
            a, b, c, d = ((packed >> shift) & 7 for shift in (9, 6, 3, 0))
            return a + b + c + d, a + c, -packed

        def larger(packed: int) -> bool:
            a, b, c, d = ((packed >> shift) & 7 for shift in (9, 6, 3, 0))
            return (a + b, b, a) >= (c + d, d, c)

        yield from sorted(filter(larger, found), key=order)

    def number_men(self) -> None:
        """Compute `men`, and the arrays by material."""
        parts, filled = [], 0
        for own, other in product(range(self.pieces + 1), repeat=2):
            if own + other > self.pieces:
                continue
            overlap = np.bitwise_count(sets(own, LAST) >> np.uint32(4)).astype(int)
            ways = self.choose[LAST - overlap, other]
            parts.append(np.concatenate([[0], np.cumsum(ways)]))
            for kings, others in product(range(self.pieces + 1 - own - other), repeat=2):
                if own + other + kings + others <= self.pieces:
                    packed, free = material(own, kings, other, others), 32 - own - other
                    self.first_men[packed] = filled
                    self.own_sets[packed] = comb(free, kings)
                    self.other_sets[packed] = comb(free - kings, others)
                    self.sizes[packed] = int(ways.sum()) * comb(free, kings) * comb(free - kings, others)
            filled += len(parts[-1])
        self.men = np.concatenate(parts)

    def slices(self) -> list[Slice]:
        found = []
        for i, packed in enumerate(self.one.tolist()):
            both = {packed, swapped(packed)}
            leads = {int(self.which[to]) for one in both for to in self.reached(one)} - {i}
            found.append(Slice(letters(packed), sum(self.sizes[one] for one in both), tuple(sorted(leads))))
        return found

    def reached(self, packed: int) -> Iterator[int]:
        """Yield the materials to which moves of a material may lead."""
        men, kings, other_men, other_kings = ((packed >> shift) & 7 for shift in (9, 6, 3, 0))
        for crowned in range((men + kings > 0) + (men > 0)):
            for left_men, left_kings in product(range(other_men + 1), range(other_kings + 1)):
                yield material(left_men, left_kings, men - crowned, kings + crowned)

    # --- numbers --------------------------------------------------------------------------------------------

    def rank(self, cells: int) -> int:
        """Return the number of a set of cells among the sets of its size."""
        found = size = 0
        while cells != 0:
            size += 1
            found += self.choose[lowest(cells), size]
            cells &= cells - 1
        return found

    def slice(self, state: State) -> int:
        own, other, kings, _ = state
        if popcount(own) + popcount(other) > self.pieces:
            return -1
        return self.which[
            material(
                popcount(own & ~kings),
                popcount(own & kings),
                popcount(other & ~kings),
                popcount(other & kings),
            )
        ]

    def number(self, state: State) -> int:
        own, other, kings, side = state
        if side == 1:
            own, other, kings = turned(own), turned(other), turned(kings)
        own_men, own_kings, other_men, other_kings = own & ~kings, own & kings, other & ~kings, other & kings
        packed = material(popcount(own_men), popcount(own_kings), popcount(other_men), popcount(other_kings))
        men = self.men[self.first_men[packed] + self.rank(own_men)]
        men += self.rank(without(other_men >> 4, own_men >> 4))
        own_number = self.rank(without(own_kings, own_men | other_men))
        other_number = self.rank(without(other_kings, own_men | other_men | own_kings))
        found = (men * self.own_sets[packed] + own_number) * self.other_sets[packed] + other_number
        return self.base[packed] + found

    def position(self, slice: int, number: int) -> State:
        packed = self.one[slice]
        if number >= self.half[slice]:
            number -= self.half[slice]
            packed = self.two[slice]
        ways = self.other_sets[packed]
        left = number // ways
        other_kings = self.sets[self.first_set[packed & 7] + number - left * ways]
        ways = self.own_sets[packed]
        men = left // ways
        own_kings = self.sets[self.first_set[(packed >> 6) & 7] + left - men * ways]
        own_men, other_men = self.men_with(packed, men)
        taken = own_men | other_men
        own_kings = among(own_kings, taken)
        other_kings = among(other_kings, taken | own_kings)
        return (own_men | own_kings, other_men | other_kings, own_kings | other_kings, 0)

    def men_with(self, packed: int, number: int) -> tuple[int, int]:
        """Return own men and the opponent's men of a material, given the number of their placement."""
        own, other = packed >> 9, (packed >> 3) & 7
        first = self.first_men[packed]
        if self.last_men == number << 12 | packed:
            return self.last_own, self.last_other
        low, high = 0, self.choose[LAST, own]
        while high - low > 1:
            middle = (low + high) >> 1
            if self.men[first + middle] <= number:
                low = middle
            else:
                high = middle
        own_men = self.sets[self.first_set[own] + low]
        other_men = self.sets[self.first_set[other] + number - self.men[first + low]]
        other_men = among(other_men, own_men >> 4) << 4
        self.last_men, self.last_own, self.last_other = number << 12 | packed, own_men, other_men
        return own_men, other_men

    # --- moves taken back -----------------------------------------------------------------------------------

    def unmoves(self, state: State) -> Iterator[State]:
        """Yield the positions from which the player not to move made a step, when no capture was possible."""
        own, other, kings, side = state
        empty = FULL & ~(own | other)
        back = 2 if side == 1 else 0  # the first direction in which the opponent's men retract moves
        for cell in bits(other):
            at = 1 << cell
            king = kings & at
            for direction in range(4):
                if king or direction & 2 == back:
                    start = step(at, direction) & empty
                    if start:
                        before = other ^ at ^ start
                        crowned = kings ^ (at ^ start) if king else kings
                        up, down = movers(before, crowned, 1 - side)
                        if not capturers(up, down, own, empty ^ at ^ start):
                            yield (before, own, crowned, 1 - side)
