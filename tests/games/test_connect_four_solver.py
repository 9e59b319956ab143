"""The solver of connect four against the rules themselves, another program, and what is published."""

from __future__ import annotations

import random
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from arena import ArenaError
from arena.analysis.solving import Searched, Worth
from arena_games import connect_four_book
from arena_games.connect_four import ConnectFour
from arena_games.connect_four_solver import FEWEST, ConnectFourSolver
from paths import ROOT
from tiers import slow, tiers

GAME = ConnectFour()
# random positions after 12 plies, and their values by BitBully 0.0.79's `mtdf`
BITBULLY = {
    "532144764564": 0,
    "634422434624": -6,
    "764311646624": -6,
    "671346613546": 10,
    "656251256446": 5,
    "677551562672": 2,
    "474521144115": 1,
    "542536424375": 3,
    "537276512512": -2,
    "554326566531": 4,
    "766111427771": 7,
    "762222421243": 6,
    "432345644463": 3,
    "556524472222": 4,
    "373721733625": -2,
    "142717323271": -2,
    "547122214133": 0,
    "343627136762": 0,
    "613273773453": 0,
    "563765562734": 6,
    "366472736477": -6,
    "333261464516": 4,
    "662774643354": -15,
    "746264742566": -15,
    "165637232422": 0,
    "541324315747": 11,
    "311153532314": -3,
    "223173312625": -3,
    "235541545622": 10,
    "142566564473": -1,
    "717523666215": -3,
    "454713245414": -5,
    "562563461343": -3,
    "261355745444": -2,
    "166362324171": 3,
    "212672651335": 3,
    "727615631542": 1,
    "534535345242": 12,
    "561336744574": -4,
    "677311762751": 0,
    "235161347716": 2,
    "121176367667": 0,
    "774716711113": 3,
    "444315427264": -2,
    "427416641641": 2,
    "125747531733": 4,
    "611346355111": 13,
    "312516522274": 4,
}
# who wins, 1 the first player: John Tromp, https://tromp.github.io/c4/c4.html
PUBLISHED = {
    (4, 4): 0, (5, 4): 0, (6, 4): -1, (7, 4): 0,
    (4, 5): 0, (5, 5): 0, (6, 5): 0,
    (4, 6): 0, (5, 6): 0,
}  # fmt: skip
LARGER = {  # from C. Steininger's table, which has Tromp's too
    (8, 4): -1, (9, 4): -1, (7, 5): 0, (6, 6): -1, (4, 7): 0, (5, 7): 0, (4, 8): 0, (5, 8): 0,
    (4, 9): 0, (4, 10): 0, (4, 11): 0,
}  # fmt: skip
# positions after each ply that are won, drawn and lost for the first player (M. Böck 2025)
WON_DRAWN_LOST = {
    4: (690, 200, 230), 5: (1080, 697, 2486), 6: (10889, 1943, 3590), 7: (17507, 5944, 31408),
    8: (124624, 14676, 44975),
}  # fmt: skip


def solver(columns=7, rows=6):
    return ConnectFourSolver(game=GAME, columns=columns, rows=rows, places=FEWEST, book=False)


def state_of(line, rows):
    """The position after these columns, from 0, and who has not won there as seen by `Slow`."""
    own = other = 0
    heights = {}
    for column in line:
        own |= 1 << column * (rows + 1) + heights.get(column, 0)
        heights[column] = heights.get(column, 0) + 1
        own, other = other, own
    return own, own | other


class Slow:
    """Follows the rules and nothing else: columns as texts, lines looked for coin by coin."""

    def __init__(self, columns, rows):
        self.columns, self.rows, self.known = columns, rows, {}

    def has_won(self, board, column):
        row, coin = len(board[column]) - 1, board[column][-1]

        def run(dx, dy):
            x, y, found = column + dx, row + dy, 0
            while 0 <= x < self.columns and 0 <= y < len(board[x]) and board[x][y] == coin:
                x, y, found = x + dx, y + dy, found + 1
            return found

        return any(run(dx, dy) + run(-dx, -dy) >= 3 for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)))

    def worth(self, board, mover="X"):
        """For who is to move: 1, 0 or -1, and plies to a win that hurries."""
        if board not in self.known:
            found = []
            for column in range(self.columns):
                if len(board[column]) < self.rows:
                    after = (*board[:column], board[column] + mover, *board[column + 1 :])
                    if self.has_won(after, column):
                        found.append((1, 1))
                    else:
                        value, plies = self.worth(after, "O" if mover == "X" else "X")
                        found.append((-value, plies + 1))
            # of wins the soonest, else draws, else the loss that takes longest
            self.known[board] = max(found, key=lambda f: (f[0], -f[0] * f[1]), default=(0, 0))
        return self.known[board]

    def played(self, line):
        """The board after a line; None if somebody has won there."""
        board = ("",) * self.columns
        for ply, column in enumerate(line):
            board = (*board[:column], board[column] + "XO"[ply % 2], *board[column + 1 :])
            if self.has_won(board, column):
                return None
        return board


def random_lines(columns, rows, plies, count, seed):
    """Lines of so many plies after which nobody has won."""
    rng, slow, found = random.Random(seed), Slow(columns, rows), []
    while len(found) < count:
        line = []
        while len(line) < plies:
            line.append(rng.choice([c for c in range(columns) if line.count(c) < rows]))
        if slow.played(line):
            found.append(line)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "rows", "plies"),
    [
        (4, 4, 5),
        (6, 4, 13),
        *slow((4, 4, 0), (5, 4, 9), (4, 5, 9), (5, 5, 14), (4, 6, 12), (7, 6, 30), (8, 5, 28)),
    ],
)
def test_values_and_distances_are_those_of_the_rules(columns, rows, plies):
    """Boards of even and odd height, on which answering above works and does not."""
    slow, made = Slow(columns, rows), solver(columns, rows)
    most = made.most((0, 0))
    for line in random_lines(columns, rows, plies, 1 if plies == 0 else 25, columns * rows):
        state = state_of(line, rows)
        bounds = [made.attempt(state, least, 1 << 40) for least in range(-most, most + 2)]
        told = [found >= least for least, found in zip(range(-most, most + 2), bounds, strict=True)]
        assert told == sorted(told, reverse=True), line
        value = told.count(True) - 1 - most  # the last that it is worth
        won, plies_left = slow.worth(slow.played(line), "XO"[plies % 2])
        assert (value > 0) - (value < 0) == won, line
        if won:
            assert made.plies(state, value) == plies_left, line


@pytest.mark.slow
def test_values_are_those_of_another_program():
    searched = Searched(solver(), True, lambda visited: None)
    for text, value in BITBULLY.items():
        state = GAME.read_position(text)
        plies = searched.solver.plies(state, value) if value else None
        assert searched.worth(state) == Worth((value > 0) - (value < 0), plies), text


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), tiers(PUBLISHED, quick=[(4, 4), (7, 4), (6, 5)]))
def test_boards_of_other_sizes_are_worth_what_is_published(columns, rows):
    found = solver(columns, rows)
    win, draw = (found.attempt((0, 0), least, 1 << 40) >= least for least in (1, 0))
    assert (1 if win else 0 if draw else -1) == PUBLISHED[columns, rows]


@pytest.mark.parametrize(("columns", "rows"), tiers(LARGER, slow=[(8, 4), (7, 5), (4, 7), (4, 8), (4, 9)]))
def test_larger_boards_are_worth_what_is_published(columns, rows):
    found = ConnectFourSolver(game=GAME, columns=columns, rows=rows, places=1 << 23)
    win, draw = (found.attempt((0, 0), least, 1 << 40) >= least for least in (1, 0))
    assert (1 if win else 0 if draw else -1) == LARGER[columns, rows]


def script():
    """The one that makes the book."""
    spec = spec_from_file_location("book", ROOT / "leaderboards" / "connect-four" / "book.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_as_many_positions_are_won_drawn_and_lost_as_published():
    """By the book after eight plies, and before that by a search that ends there."""
    made = script()
    counts = made.counted(made.levels(connect_four_book.PLIES))
    assert {ply: counts[ply] for ply in WON_DRAWN_LOST} == WON_DRAWN_LOST


@pytest.mark.slow
def test_the_book_says_what_a_search_without_it_finds():
    """Of those positions where that is quick."""
    keys, values = connect_four_book.read()
    book = dict(zip(keys.tolist(), values.tolist(), strict=True))
    without = ConnectFourSolver(game=GAME, places=1 << 22, book=False)
    search, rng, found = Searched(without, False, nodes=300_000), random.Random(4), []
    while len(found) < 40:
        line = random_lines(7, 6, 8, 1, rng.random())[0]
        state = state_of(line, 6)
        worth = search.worth(state).value
        if worth is not None:
            found.append(worth)
            assert book[without.key_of(*state, 8)] == worth
    assert {1, -1} <= set(found)


@pytest.mark.slow
def test_it_goes_on_where_it_gave_up():
    state = GAME.read_position("4444433")
    at_once, by_and_by = solver(), solver()
    value = at_once.attempt(state, 1, 1 << 40)
    tries = 0
    while True:
        found = by_and_by.attempt(state, 1, 2000)
        if not by_and_by.stopped:
            break
        tries += 1
    assert (found >= 1) == (value >= 1)
    assert tries > 3
    assert by_and_by.visited < 3 * at_once.visited


def test_a_position_and_its_mirror_image_are_worth_the_same():
    rng = random.Random(5)
    one, other = solver(), solver()
    for _ in range(20):
        line = random_lines(7, 6, 14, 1, rng.random())[0]
        mirrored = [6 - column for column in line]
        for least in (0, 1):
            values = [
                s.attempt(state_of(it, 6), least, 1 << 40) for s, it in ((one, line), (other, mirrored))
            ]
            assert (values[0] >= least) == (values[1] >= least)


def test_compiled_it_does_the_same(monkeypatch):
    state = GAME.read_position("4444433225566")
    compiled = solver()
    value = compiled.attempt(state, 1, 1 << 40)
    monkeypatch.setenv("ARENA_COMPILED", "0")
    plain = solver()
    assert plain.attempt(state, 1, 1 << 40) == value
    assert plain.visited == compiled.visited > 100


def test_a_board_that_is_too_large_is_refused():
    with pytest.raises(ArenaError, match="8x8 is too large"):
        solver(8, 8)
