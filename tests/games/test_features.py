"""Features of connect four and checkers against counts by coordinates, and on boards counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from arena import Rng
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry
from arena.rng import derive


def game(text):
    return registry().spec("game", text).make()


def rows(board):
    return [line.split() for line in board.strip().split("\n")]


def features_of(played, state):
    return dict(zip(played.feature_names, played.features(state), strict=True))


# --- connect four: many boards at once, int8 [boards, 6, 7] of 0, 1 for X, 2 for O, row 0 at the top --------

FOUR = game("connect-four")
LINES = {
    "row": [[(r, c + i) for i in range(4)] for r in range(6) for c in range(4)],
    "column": [[(r + i, c) for i in range(4)] for r in range(3) for c in range(7)],
    "diagonal": [[(r + i, c + i) for i in range(4)] for r in range(3) for c in range(4)]
    + [[(r + i, c - i) for i in range(4)] for r in range(3) for c in range(3, 7)],
}
THREATS = ("X's even threats", "X's odd threats", "O's even threats", "O's odd threats")


def threatened(boards, coin):
    """Of each cell whether a coin there would be the fourth: bool [boards, 6, 7]."""
    found = np.zeros(boards.shape, bool)
    for line in (line for lines in LINES.values() for line in lines):
        cells = np.stack([boards[:, r, c] for r, c in line], axis=1)
        three = ((cells == coin).sum(axis=1) == 3) & ((cells == 0).sum(axis=1) == 1)
        for (r, c), coins in zip(line, cells.T, strict=True):
            found[:, r, c] |= three & (coins == 0)
    return found


def count(boards, coin):
    """By name what a player has: int [boards]."""
    other = 3 - coin
    having = {}
    for kind, lines in LINES.items():
        own = np.zeros((5, len(boards)), int)  # lines with so many coins of the player's, and none else
        for line in lines:
            cells = np.stack([boards[:, r, c] for r, c in line], axis=1)
            coins = (cells == coin).sum(axis=1)
            for n in range(5):
                own[n] += (coins == n) & ~(cells == other).any(axis=1)
        having[kind] = own
    threats, theirs = threatened(boards, coin), threatened(boards, other)
    return {
        "one of four": sum(own[1] for own in having.values()),
        "two in a row": having["row"][2],
        "two in a column": having["column"][2],
        "two on a diagonal": having["diagonal"][2],
        "three in a row": having["row"][3],
        "three in a column": having["column"][3],
        "three on a diagonal": having["diagonal"][3],
        "even": threats[:, [0, 2, 4]].sum(axis=(1, 2)),
        "odd": threats[:, [1, 3, 5]].sum(axis=(1, 2)),
        "threat over own threat": (threats[:, :-1] & threats[:, 1:]).sum(axis=(1, 2)),
        "threat over other's threat": (threats[:, :-1] & theirs[:, 1:]).sum(axis=(1, 2)),
        "four": sum(own[4] for own in having.values()),
    }


def counted(boards):
    """All features, as the player to move sees them: int [boards, 14]."""
    x, o = count(boards, 1), count(boards, 2)
    sign = 1 - 2 * ((boards != 0).sum(axis=(1, 2)) % 2)
    own_minus_other = {name: sign * (x[name] - o[name]) for name in x}
    by_row = dict(zip(THREATS, (x["even"], x["odd"], o["even"], o["odd"]), strict=True))
    return np.stack([{**own_minus_other, **by_row}[name] for name in FOUR.feature_names], axis=1)


def state_of(board):
    """The position of a board, coins in the air and all; which bit is which cell, the module draws."""
    bits = {(r, c): 1 << (7 * c + 5 - r) for r in range(6) for c in range(7)}
    x, o = (sum(bits[cell] for cell in bits if board[cell] == coin) for coin in (1, 2))
    return ((o if (board != 0).sum() % 2 else x), x | o)


def board_of(letters):
    return np.array([[".XO".index(letter) for letter in row] for row in letters], np.int8)


def played_boards(number, seed):
    """Boards that come about in random matches, all plies of them."""
    found, match = [], 0
    while len(found) < number:
        rng, heights, board = Rng(derive(seed, match)), [0] * 7, np.zeros((6, 7), np.int8)
        state = FOUR.initial()
        while moves := FOUR.moves(state):
            move = moves[rng.below(len(moves))]
            state = FOUR.play(state, move)
            board[5 - heights[move], move] = 1 + sum(heights) % 2
            heights[move] += 1
            found.append(board.copy())
        match += 1
    return np.array(found[:number])


def heaped_boards(number, seed):
    """Boards with columns of any height and coins of any colour, so with many threats."""
    rng = np.random.default_rng(seed)
    height = rng.integers(0, 7, (number, 1, 7))
    filled = np.arange(6, 0, -1)[None, :, None] <= height
    return (rng.integers(1, 3, (number, 6, 7)) * filled).astype(np.int8)


def check_boards(boards):
    quick = with_compiled_rules(game("connect-four"))
    expected = counted(boards)
    found = np.array([quick.features(state_of(board)) for board in boards])
    wrong = np.argwhere(found != expected)
    assert not len(wrong), (
        FOUR.position_text(state_of(boards[wrong[0][0]])),
        FOUR.feature_names[wrong[0][1]],
    )
    return found


def check_many(number):
    """Half of them from matches, half heaped up."""
    for boards in (played_boards(number // 2, 1), heaped_boards(number // 2, 1)):
        for part in np.array_split(boards, max(1, number // 10_000)):
            check_boards(part)


@pytest.mark.slow
def test_features_of_connect_four_agree_with_counts_by_coordinates():
    check_many(5_000)


@pytest.mark.slow
def test_features_of_connect_four_agree_in_a_hundred_thousand_positions():
    check_many(100_000)


def test_boards_of_these_tests_are_the_games_positions():
    for board in played_boards(300, 2):
        text = "/".join("".join(".XO"[coin] for coin in row) for row in board)
        assert FOUR.read_position(text) == state_of(board)


def test_every_feature_is_met_in_both_signs():
    found = check_boards(np.concatenate([played_boards(2_000, 3), heaped_boards(2_000, 3)]))
    assert (found.max(axis=0) > 0).all()
    assert [name in THREATS for name in FOUR.feature_names] == (found.min(axis=0) == 0).tolist()


def test_plain_and_compiled_count_the_same():
    quick = with_compiled_rules(game("connect-four"))
    for board in [*played_boards(500, 4), *heaped_boards(500, 4)]:
        assert list(FOUR.features(state_of(board))) == quick.features(state_of(board))


def test_with_the_colours_exchanged_features_change_their_sign_and_threats_their_owner():
    neutral = [FOUR.neutral_features >> f & 1 for f in range(14)]
    assert [name in THREATS for name in FOUR.feature_names] == list(map(bool, neutral))
    for board in [*played_boards(500, 5), *heaped_boards(500, 5)]:
        seen = features_of(FOUR, state_of(board))
        exchanged = features_of(FOUR, state_of((3 - board) % 3))
        for name, value in seen.items():
            if name in THREATS:
                assert exchanged["XO"["XO".index(name[0]) - 1] + name[1:]] == value
            else:
                assert exchanged[name] == -value


# Boards counted by hand: what X has and what O has. "even" and "odd" are threats in such rows.
DRAWN = {
    "a coin in the corner, in three windows": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X . . . . . .
        """,
        {"one of four": (3, 0)},
    ),
    "a coin in the middle, in seven": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . X . . .
        """,
        {"one of four": (7, 0)},
    ),
    "two in a row, in two windows, and two with a gap, in one": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X . X . . . .
        O X X . . . .
        """,
        # of the last row the windows from the second and the third column; only that from the second has both
        {"two in a row": (1 + 1, 0), "two in a column": (1, 0), "two on a diagonal": (1, 0)},
    ),
    "two in a column, in one window with the bottom": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        O . . . . . .
        X . . . . . .
        X . . . O . .
        """,
        {"two in a column": (0, 0), "one of four": (2 + 2, 3 + 5)},
    ),
    "two on a diagonal": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . X . . . . .
        X O . . . . .
        """,
        {"two on a diagonal": (1, 0), "two in a column": (0, 0), "two in a row": (0, 0)},
    ),
    "three in a row with a gap": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X X . X . . .
        """,
        {"three in a row": (1, 0), "two in a row": (1, 0), "even": (0, 0), "odd": (1, 0)},
    ),
    "three in a row, open on both sides": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . O O O . .
        . . X O X . .
        """,
        {"three in a row": (0, 2), "two in a row": (0, 2), "even": (0, 2), "odd": (0, 0)},
    ),
    "three in a column": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . X
        . . . . . . X
        . . . . . . X
        """,
        {"three in a column": (1, 0), "two in a column": (1, 0), "even": (1, 0), "odd": (0, 0)},
    ),
    "three on a diagonal": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . X . . . .
        . X O . . . .
        X O O . . . .
        """,
        {"three on a diagonal": (1, 0), "even": (1, 0), "odd": (0, 0)},
    ),
    "three on a diagonal, X's with a gap": (
        """
        . . . . . . .
        . . . . . . .
        . . . X . . .
        . . . O . . .
        . X O X . . .
        X O X O . . .
        """,
        # X's gap is in row 3; O's is the end of its diagonal, in row 2
        {"three on a diagonal": (1, 1), "even": (0, 1), "odd": (1, 0), "four": (0, 0)},
    ),
    "a cell that both threaten": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X X X . O O O
        """,
        {"three in a row": (1, 1), "even": (0, 0), "odd": (1, 1), "threat over other's threat": (0, 0)},
    ),
    "threat over own threat": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X X X . . . .
        X X X . . . .
        """,
        {
            "three in a row": (2, 0),
            "even": (1, 0),
            "odd": (1, 0),
            "threat over own threat": (1, 0),
            "threat over other's threat": (0, 0),
        },
    ),
    "threat over the other's threat": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . X
        X X X . . . O
        O O O . . . X
        """,
        {
            "even": (1, 0),
            "odd": (0, 1),
            "threat over own threat": (0, 0),
            "threat over other's threat": (1, 0),
        },
    ),
    "three threats in a column, the lowest one the other's": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X X X . . . .
        X X X . . . .
        O O O . . . .
        """,
        {
            "even": (1, 0),
            "odd": (1, 1),
            "threat over own threat": (1, 0),
            "threat over other's threat": (1, 0),
        },
    ),
    "two threats on one cell are one, and over the other's": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        O O O . O O O
        X X X . X X X
        """,
        {
            "three in a row": (4, 4),
            "even": (0, 1),
            "odd": (1, 0),
            "threat over other's threat": (0, 1),
        },
    ),
    "four": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X X X X O O O
        """,
        {"four": (1, 0), "three in a row": (0, 0), "odd": (0, 0)},
    ),
    "five in a row hold two windows, and threaten a cell": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        O O O . . . .
        X X X X X . .
        """,
        {"four": (2, 0), "three in a row": (1, 1), "even": (0, 1), "odd": (1, 0)},
    ),
}


@pytest.mark.parametrize("exchanged", [False, True], ids=["", "exchanged"])
@pytest.mark.parametrize("case", DRAWN)
def test_features_of_boards_of_connect_four_counted_by_hand(case, exchanged):
    letters, wanted = DRAWN[case]
    board = board_of(rows(letters))
    if exchanged:
        board, wanted = (3 - board) % 3, {name: pair[::-1] for name, pair in wanted.items()}
    sign = -1 if (board != 0).sum() % 2 else 1
    expected = {}
    for name, (x, o) in wanted.items():
        if name in ("even", "odd"):
            expected |= {f"X's {name} threats": x, f"O's {name} threats": o}
        else:
            expected[name] = sign * (x - o)
    assert features_of(FOUR, state_of(board)).items() >= expected.items()


def test_drawn_boards_have_every_feature_for_either_player():
    seen = {name for _, wanted in DRAWN.values() for name, (x, o) in wanted.items() if x != o}
    assert seen >= {*count(board_of(["......."] * 6)[None], 1)}


# --- checkers: men and kings of either side by coordinates (x, y), y from the bottom ------------------------

SIZES = {"checkers": 8, "checkers-4x4": 4}


def squares(name, state):
    """(men, kings) of the side below, who moves first, and of the other, taken from the position's text."""
    white, black = (
        part[1:].split(",") if part[1:] else [] for part in game(name).position_text(state).split(":")[1:]
    )
    return tuple(
        tuple(
            {where(name, int(text.strip("K"))) for text in side if ("K" in text) == kinged}
            for kinged in (0, 1)
        )
        for side in (black, white)
    )


def where(name, square):
    """Squares go from black's right, or from RED's left."""
    if name == "checkers":
        y, place = divmod(square - 1, 4)
        return 2 * (3 - place) + y % 2, y
    y, place = divmod(square - 1, 2)
    return 2 * place + y % 2, 3 - y


def of_side(size, side, own, other):
    """What a side has: by name."""
    men, kings = own
    theirs = other[0] | other[1]
    taken = men | kings | theirs
    up = 1 if side == 0 else -1

    def on_board(x, y):
        return 0 <= x < size and 0 <= y < size

    def gone(y):
        return y if side == 0 else size - 1 - y

    steps = capturers = 0
    for x, y in men | kings:
        ways = [(dx, dy) for dx in (-1, 1) for dy in ((up,) if (x, y) in men else (-1, 1))]
        steps += sum(on_board(x + dx, y + dy) and (x + dx, y + dy) not in taken for dx, dy in ways)
        capturers += any(
            (x + dx, y + dy) in theirs
            and on_board(x + 2 * dx, y + 2 * dy)
            and (x + 2 * dx, y + 2 * dy) not in taken
            for dx, dy in ways
        )
    return {
        "men": len(men),
        "kings": len(kings),
        "men in the opponent's half": sum(gone(y) >= size // 2 for _, y in men),
        "men on the home row": sum(gone(y) == 0 for _, y in men),
        "pieces at the edge": sum(x in (0, size - 1) for x, _ in men | kings),
        "pieces in the centre": sum(2 <= x <= 5 and 2 <= y <= 5 for x, y in men | kings),
        "rows advanced by men": sum(gone(y) for _, y in men),
        "steps": steps,
        "pieces that can capture": capturers,
    }


def random_states(played, number, seed):
    """Positions of random matches, the last of each too."""
    match = 0
    while number > 0:
        rng, state = Rng(derive(seed, match)), played.initial()
        for _ in range(played.max_plies):
            yield state
            number -= 1
            if not (moves := played.moves(state)) or number == 0:
                break
            state = played.play(state, moves[rng.below(len(moves))])
        match += 1


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.slow
def test_features_of_checkers_agree_with_counts_by_coordinates(name):
    played, quick = game(name), with_compiled_rules(game(name))
    signs = {feature: set() for feature in played.feature_names}
    for state in random_states(quick, 3_000, 1):
        sides = squares(name, state)
        below, above = (of_side(SIZES[name], side, sides[side], sides[1 - side]) for side in (0, 1))
        sign = 1 - 2 * played.to_move(state)
        seen = features_of(played, state)
        assert seen == {feature: sign * (below[feature] - above[feature]) for feature in played.feature_names}
        assert list(seen.values()) == quick.features(state)
        for feature, value in seen.items():
            signs[feature].add(np.sign(value))
    assert all(found == {-1, 0, 1} for found in signs.values())


@pytest.mark.parametrize("name", SIZES)
def test_features_of_checkers_change_their_sign_with_the_player_to_move(name):
    played = game(name)
    assert played.neutral_features == 0
    for own, other, kings, side in random_states(played, 1_000, 2):
        passed = (other, own, kings, 1 - side)
        assert played.features(passed) == [-value for value in played.features((own, other, kings, side))]
        if name == "checkers-4x4":
            assert played.null_move((own, other, kings, side)) == passed


# b and B against w and W, or r and R: what the side below has, and what the other has.
CHECKERS = [
    (
        "checkers",
        """
        . w . w . B . .
        w . b . . . . .
        . . . . . B . .
        . . . . w . . .
        . . . b . . . b
        . . . . . . W .
        . b . . . . . b
        b . . . . . . .
        """,
        {
            "men": (6, 4),
            "kings": (2, 1),
            "men in the opponent's half": (1, 0),
            "men on the home row": (1, 2),
            "pieces at the edge": (3, 1),
            "pieces in the centre": (2, 1),
            "rows advanced by men": (0 + 1 + 1 + 3 + 3 + 6, 0 + 0 + 1 + 3),
            "steps": (1 + 2 + 1 + 3 + 2, 1 + 1 + 1 + 2),
            "pieces that can capture": (1, 3),
        },
    ),
    (
        "checkers-4x4",
        """
        r . B .
        . b . .
        . . r .
        . . . b
        """,
        {
            "men": (2, 2),
            "kings": (1, 0),
            "men in the opponent's half": (1, 1),
            "men on the home row": (1, 1),
        },
    ),
    (
        "checkers-4x4",
        """
        . . r .
        . R . .
        b . r .
        . R . r
        """,
        {
            "men": (1, 3),
            "kings": (0, 2),
            "men in the opponent's half": (0, 2),
            "men on the home row": (0, 1),
        },
    ),
]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("name", "board", "wanted"), CHECKERS)
def test_features_of_boards_of_checkers_counted_by_hand(name, board, wanted, side):
    played, letters = game(name), rows(board)
    own = other = kings = 0
    for cell, (x, y) in enumerate(played.cells):
        if (letter := letters[y][x]) != ".":
            kings |= letter.isupper() << cell
            below = letter in "bB"
            own, other = (own | below << cell, other | (not below) << cell)
    if side == 1:
        own, other = other, own
    assert features_of(played, (own, other, kings, side)) == {
        feature: (1 - 2 * side) * (below - above) for feature, (below, above) in wanted.items()
    }
