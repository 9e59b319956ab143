"""The example of a game plugin: Othello, against published counts and rules written another way."""

from __future__ import annotations

from functools import cache, partial

import pytest

import arena
from arena import ArenaError, Rng
from arena.compiler import is_compiled, with_compiled_rules
from arena.testing import check_game
from paths import ROOT
from tiers import campaign, slow

OTHELLO = ROOT / "examples" / "arena-othello"
SIZES = (4, 6, 8)
# lines of so many plies, passes being plies: Aart Bik, "Perft for Reversi"
PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
OVER_AT_NINE = 228  # lines of nine plies that end there, which those tables count as lines of ten


@pytest.fixture
def othello(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(OTHELLO)
    from arena_othello import Othello

    return Othello


def squares(game, state):
    """Who has a disc where: 0 or 1 by row and column."""
    text, _, side = game.position_text(state).partition(" ")
    board = {
        (y, x): "XO".index(letter)
        for y, row in enumerate(text.split("/"))
        for x, letter in enumerate(row)
        if letter != "."
    }
    return board, "XO".index(side)


def turns(board, size, side, at):
    """The cells that a disc of a side turns, walking from it along each line."""
    found = []
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            row, (y, x) = [], at
            while (dy or dx) and board.get((y + dy, x + dx)) == 1 - side:
                y, x = y + dy, x + dx
                row.append((y, x))
            if board.get((y + dy, x + dx)) == side:
                found += row
    return found


def placed(board, size, side):
    """The cells where a side may put a disc, and what it turns there."""
    free = [(y, x) for y in range(size) for x in range(size) if (y, x) not in board]
    return {at: found for at in free if (found := turns(board, size, side, at))}


def name(at):
    return "abcdefgh"[at[1]] + str(at[0] + 1)


@pytest.mark.parametrize("size", SIZES)
def test_rules_are_those_of_a_board_of_squares(othello, size):
    game = othello(size=size)
    ends = passes = 0
    for seed in range(30):
        rng, state = Rng(seed), game.initial()
        while True:
            board, side = squares(game, state)
            assert side == game.to_move(state)
            may = placed(board, size, side)
            moves = {game.move_text(move): move for move in game.moves(state)}
            if not may:
                over = not placed(board, size, 1 - side)
                assert list(moves) == ([] if over else ["pass"])
                if over:
                    break
                passes += 1
                state = game.play(state, moves["pass"])
                assert squares(game, state) == (board, 1 - side)
                continue
            assert list(moves) == [name(at) for at in sorted(may)]
            at = rng.choice(sorted(may))
            state = game.play(state, moves[name(at)])
            after = board | dict.fromkeys([at, *may[at]], side)
            assert squares(game, state) == (after, 1 - side)
        more = 2 * sum(owner == side for owner in board.values()) - len(board)
        assert game.value(state) == (more > 0) - (more < 0)
        ends += 1
    assert ends == 30
    assert passes > 0


def test_lines_of_play_are_as_many_as_published(othello):
    assert arena.perft(othello, 7) == list(PERFT[:7])


@pytest.mark.slow
def test_lines_of_play_are_as_many_as_published_further_on(othello):
    found = arena.perft(othello, 10)
    assert found == [*PERFT, 24571284 - OVER_AT_NINE]


@pytest.mark.slow
def test_on_4_x_4_the_second_player_wins_by_11_to_3(othello):
    """As is known of perfect play there: Wikipedia, "Computer Othello", from 3 discs to 11."""
    game = with_compiled_rules(othello(size=4))

    @cache
    def margin(state):
        moves = game.moves(state)
        if not moves:
            discs = list(squares(game, state)[0].values())
            own = discs.count(game.to_move(state))
            return 2 * own - len(discs)
        return max(-margin(game.play(state, move)) for move in moves)

    assert margin(game.initial()) == 3 - 11


@pytest.mark.slow
def test_exactly_perfect_play_on_4_x_4_is_won_by_the_second_player(othello):
    found = arena.exact("minimax:depth=16", "random", game=partial(othello, size=4))
    minimax_first, minimax_second = found.to_dicts()
    assert minimax_second["losses"] == pytest.approx(1)
    assert minimax_first["wins"] < 1


@pytest.mark.parametrize("size", [*slow(4, 6), *campaign(8)])
def test_it_keeps_its_promises(othello, size):
    check_game(othello(size=size))
    assert is_compiled(with_compiled_rules(othello(size=size)))


def test_positions_are_read_as_they_are_written_and_as_cells(othello):
    game = othello()
    by_cells = game.read_position("d3c5 F6")
    rows = "......../......../...X..../...XX.../..OOX.../.....X../......../........ O"
    assert game.position_text(by_cells) == rows
    assert game.read_position(rows.lower()) == by_cells
    # the quickest game there is: nine discs, and none left to O
    over = game.read_position("e6f4e3f6g5d6e7f5c5")
    assert game.moves(over) == []
    assert game.value(over) == -1
    assert "O" not in game.position_text(over).partition(" ")[0]


def test_passes_may_be_left_out(othello):
    game = othello(size=4)
    for seed in range(20):
        rng, state, words = Rng(seed), game.initial(), []
        while moves := game.moves(state):
            move = rng.choice(moves)
            words.append(game.move_text(move))
            state = game.play(state, move)
        assert game.read_position("".join(words)) == state
        assert game.read_position(" ".join(word for word in words if word != "pass")) == state


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a1", "'a1': X cannot play 'a1' there"),
        ("d3pass", "'d3pass': O cannot play 'pass' there"),
        ("d3c", "'d3c': O cannot play 'c' there"),
        ("XO/OX X", "'XO/OX X' is not 8 rows of 8 of X, O and '.', parted by '/', and X or O"),
        ("/" * 7 + " X", "is not 8 rows of 8"),
    ],
)
def test_what_is_no_position_is_told_in_one_line(othello, text, said):
    with pytest.raises(ArenaError) as told:
        othello().read_position(text)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.slow
def test_players_that_look_at_cells_symmetries_and_features_play_it(othello):
    learners = ("psv:learner=(q-backprop:episodes=20)", "q-table:episodes=20", "sarsa:episodes=20")
    players = ["alpha-beta:depth=2", "random", *learners]
    found = arena.tournament(players, game=partial(othello, size=4), rounds=10, seed=3)
    assert {row["entry"] for row in found.to_dicts()} == set(players)
    assert all(row["forfeits"] == 0 for row in found.to_dicts())


def test_matches_are_exported_as_cells(othello):
    """Without passes, as they are read."""
    game = othello(size=4)
    state, moves = game.initial(), []
    rng = Rng(5)
    while legal := list(game.moves(state)):
        moves.append(rng.choice(legal))
        state = game.play(state, moves[-1])
    texts = [game.move_text(move) for move in moves]
    assert "pass" in texts
    text = game.match_text({}, texts)
    assert len(text) == 2 * len([word for word in texts if word != "pass"])
    assert game.read_position(text) == state
