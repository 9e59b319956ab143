"""The example game Thud!: against rules written another way, worked positions, and the promises of a game."""

from __future__ import annotations

import pytest

import arena
from arena import ArenaError, Rng
from arena.compiler import is_compiled, with_compiled_rules
from arena.testing import check_game
from paths import ROOT

WIDTHS = (5, 7, 9, 11, 13, 15, 15, 15, 15, 15, 13, 11, 9, 7, 5)
SQUARES = {(x, y) for y, width in enumerate(WIDTHS) for x in range((15 - width) // 2, (15 + width) // 2)}
SQUARES -= {(7, 7)}  # the stone
WAYS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


@pytest.fixture
def thud(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(ROOT / "examples" / "arena-thud")
    from arena_thud import Thud

    return Thud


# --- the rules from the squares where moves end, by sets --------------------------------------------------


def first_met(board, square, way):
    """The first square with a piece, and how far it is; None where the board or the stone comes first."""
    (x, y), steps = square, 1
    while (x + steps * way[0], y + steps * way[1]) in SQUARES:
        at = x + steps * way[0], y + steps * way[1]
        if at in board:
            return at, steps
        steps += 1
    return None


def line(board, square, way):
    """How many pieces of one kind stand without a gap from a square on."""
    kind, (x, y), count = board[square], square, 0
    while board.get((x + count * way[0], y + count * way[1])) == kind:
        count += 1
    return count


def beside(board, square, start):
    """The dwarfs beside a square."""
    around = {(square[0] + dx, square[1] + dy) for dx, dy in WAYS} - {start}
    return frozenset(at for at in around if board.get(at) == "d")


def moves_of(board, side):
    """All moves: the square left, the one reached, and what is taken."""
    found = set()
    for end in SQUARES:
        for way in WAYS:
            met = first_met(board, end, way)
            if met is None or board[met[0]] != side:
                continue
            start, steps = met
            if side == "d":
                if end not in board:
                    found.add((start, end, frozenset()))
                elif board[end] == "t" and line(board, start, way) >= steps:
                    found.add((start, end, frozenset([end])))
            elif end not in board:
                dwarfs = beside(board, end, start)
                if steps == 1:
                    found |= {(start, end, frozenset(taken)) for taken in ((), *((at,) for at in dwarfs))}
                if dwarfs and 2 <= line(board, start, way) >= steps:
                    found.add((start, end, dwarfs))
    return found


def played(board, move):
    start, end, taken = move
    after = {at: piece for at, piece in board.items() if at not in taken and at != start}
    return after | {end: board[start]}


def lines_of_play(board, side, plies):
    moves = moves_of(board, side)
    if plies == 1:
        return len(moves)
    return sum(lines_of_play(played(board, move), "dt"[side == "d"], plies - 1) for move in moves)


# --- the example beside them ------------------------------------------------------------------------------


def board_of(game, state):
    """What stands where, read from a position's text."""
    rows = game.position_text(state).split()[0].split("/")
    return {
        (x, y): letter
        for y, row in enumerate(rows)
        for x, letter in enumerate(row, (15 - len(row)) // 2)
        if letter in "dt"
    }


def meant(state, move):
    """A move of the example as above, by what is gone."""
    start, end = ((square % 15, square // 15) for square in (move & 255, move >> 8 & 255))
    return start, end


def check_position(game, state):
    """The moves listed are those of the sets, each once, and lead to the same boards."""
    board, side = board_of(game, state), "dt"[game.to_move(state)]
    wanted = {
        (start, end, taken): played(board, (start, end, taken)) for start, end, taken in moves_of(board, side)
    }
    found = {}
    for move in game.moves(state):
        after = board_of(game, game.play(state, move))
        (start, end), gone = meant(state, move), frozenset(board) - frozenset(after) - {meant(state, move)[0]}
        if board.get(end) == "t":
            gone = frozenset([end])
        assert (start, end, gone) not in found
        found[start, end, gone] = after
    assert found == wanted


def test_the_board_has_32_dwarfs_on_its_edge_and_8_trolls_round_the_stone(thud):
    game = thud()
    board = board_of(game, game.initial())
    trolls = {at for at, piece in board.items() if piece == "t"}
    assert trolls == {(7 + dx, 7 + dy) for dx, dy in WAYS}
    straight = {(7, 0), (7, 14), (0, 7), (14, 7)}
    on_edge = {
        (x, y)
        for x, y in SQUARES
        if {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} - SQUARES and abs(x - 7) + abs(y - 7) > 1
    }
    assert {at for at, piece in board.items() if piece == "d"} == on_edge - straight
    assert len(board) == 40
    assert len(game.cells) == len(SQUARES) == 164
    assert set(game.cells) == SQUARES
    assert game.value(game.initial()) == 0


def test_lines_of_play_are_as_many_as_by_the_sets(thud):
    game = thud()
    board = board_of(game, game.initial())
    assert arena.perft(thud, 1) == [lines_of_play(board, "d", 1)]


@pytest.mark.slow
def test_lines_of_two_plies_are_as_many_as_by_the_sets(thud):
    game = thud()
    board = board_of(game, game.initial())
    assert arena.perft(thud, 2)[1] == lines_of_play(board, "d", 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3])
def test_moves_are_those_of_the_sets_in_a_random_match(thud, seed):
    game = with_compiled_rules(thud())
    assert is_compiled(game)
    rng, state, captures = Rng(seed), game.initial(), 0
    for ply in range(242):
        moves = list(game.moves(state))
        if not moves:
            break
        if ply % 60 < 2:
            check_position(game, state)
        # captures are sought, so that lines and shoves come about
        taking = [move for move in moves if game.irreversible(state, move)]
        move = rng.choice(taking if taking and rng.below(2) else moves)
        captures += move in taking
        state = game.play(state, move)
    assert captures > 10


EMPTY = (
    "/".join("." * width for width in WIDTHS[:7])
    + "/.......o......./"
    + "/".join("." * n for n in WIDTHS[8:])
)


def placed(game, side, dwarfs=(), trolls=()):
    """A position with pieces on these squares alone."""
    rows = [list(row) for row in EMPTY.split("/")]
    for kind, squares in (("d", dwarfs), ("t", trolls)):
        for square in squares:
            x, y = "abcdefghjklmnop".index(square[0]), 15 - int(square[1:])
            rows[y][x - (15 - WIDTHS[y]) // 2] = kind
    return game.read_position(f"{'/'.join(map(''.join, rows))} {side} 0")


def texts(game, state, start):
    return {game.move_text(move) for move in game.moves(state) if game.move_text(move).startswith(start)}


def test_a_dwarf_is_hurled_as_far_as_its_line_is_long(thud):
    game = thud()
    for line_of, hurled in ((["f3"], False), (["f3", "f2"], False), (["f3", "f2", "f1"], True)):
        state = placed(game, "d", line_of, ["f6"])
        assert ("f3xf6" in texts(game, state, "f3")) == hurled
    check_position(game, placed(game, "d", ["f3", "f2", "f1", "e5"], ["f6", "g4", "g6"]))


def test_nobody_passes_the_stone(thud):
    game = thud()
    state = placed(game, "d", ["h4", "h5", "h6", "h7"], ["h9", "a8"])
    assert texts(game, state, "h7") & {"h7xh9", "h7h9"} == set()
    check_position(game, state)


def test_a_shove_needs_two_trolls_and_a_dwarf_to_take_unless_one_may(thud):
    dwarfs = ["k11", "l11", "m13"]
    lone, two = ["k9"], ["k9", "k8"]
    assert "k9k10x" not in texts(thud(), placed(thud(), "t", dwarfs, lone), "k9")
    assert "k9k10x" in texts(thud(lone_shove=True), placed(thud(), "t", dwarfs, lone), "k9")
    state = placed(thud(), "t", dwarfs, two)
    assert "k9k10x" in texts(thud(), state, "k9")
    after = thud().play(state, thud().read_move(state, "k9k10x"))
    assert sorted(board_of(thud(), after).values()) == ["d", "t", "t"]
    check_position(thud(), state)


def test_points_decide_when_no_piece_was_taken_for_long(thud):
    game = thud(quiet=3)
    state = placed(game, "d", ["f1", "g1", "h1"], ["d12"])
    for _ in range(3):
        assert game.moves(state)
        quiet = next(move for move in game.moves(state) if not game.irreversible(state, move))
        state = game.play(state, quiet)
    assert not list(game.moves(state))
    assert game.to_move(state) == 1
    assert game.value(state) == 1  # 4 points of a troll and 3 of the dwarfs


@pytest.mark.slow
def test_it_keeps_the_promises_of_a_game(thud):
    check_game(thud(quiet=20), matches=1, positions=4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not the 15 rows"),
        (f"{EMPTY} x 0", "does not end in d or t"),
        (f"{EMPTY} d -1", "does not end in d or t"),
        (f"{EMPTY.replace('.', '?', 1)} d 0", "has '\\?' at f15"),
        (f"{EMPTY.replace('o', 'd')} d 0", "a piece on h8"),
    ],
)
def test_what_is_no_position_is_told(thud, text, said):
    with pytest.raises(ArenaError, match=said):
        thud().read_position(text)
