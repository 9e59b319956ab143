"""An example of a game plugin: chess keeps the promises of a game, is searched, installs and uninstalls."""

from __future__ import annotations

import re

import pytest

from arena import Rng
from arena.registry.plugins import registry
from arena.testing import check_game
from arena_agents.engines.uci import START
from chess_example import BLACK_BEGINS, COUNTS, needs_chess
from paths import CHESS, ROOT


@needs_chess
@pytest.mark.parametrize("options", [{}, {"chess960": 0}, {"start": BLACK_BEGINS}], ids=str)
def test_it_keeps_the_promises_of_a_game(chess, options):
    check_game(chess(**options), matches=3, positions=60)


@needs_chess
@pytest.mark.slow
def test_it_keeps_them_in_many_positions(chess):
    check_game(chess)


def test_it_is_no_part_of_arena_which_does_without_the_package():
    """The package is under a licence of its own."""
    assert "chess" not in registry().offers["game"]
    for source in [*(ROOT / "arena").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]:
        assert not re.search(r"^\s*(import|from) chess\b", source.read_text(encoding="utf-8"), re.MULTILINE)


@needs_chess
def test_a_position_is_worth_as_much_to_the_other_side(chess):
    """Turned over, with colours exchanged, and with the other to move."""
    import chess as package

    game = chess()
    assert game.evaluate(game.initial()) == 0
    for position, _ in COUNTS:
        board = package.Board(position)
        there, turned = (game.read_position(text) for text in (board.fen(), board.mirror().fen()))
        assert game.evaluate(there) == game.evaluate(turned)
        board.turn = not board.turn
        if board.is_valid():
            assert game.evaluate(game.read_position(board.fen())) == -game.evaluate(there)


@needs_chess
@pytest.mark.parametrize(("piece", "worth"), [("q", 9), ("r", 5), ("b", 3), ("n", 3), ("p", 1)])
def test_a_piece_is_worth_what_shannon_says(chess, piece, worth):
    """In pawns, within half a pawn for the place that it leaves."""
    game = chess()
    without = game.read_position(START.replace(piece, "1", 1).replace("KQkq", "KQ"))
    assert game.evaluate(without) == pytest.approx(100 * worth, abs=50)


@needs_chess
@pytest.mark.parametrize("entry", ["alpha-beta:depth=3,wins=soonest", "minimax:depth=3,wins=soonest"])
def test_a_search_finds_a_mate_in_two(chess, entry):
    """By Paul Morphy: 1. Ra6."""
    game = chess(start="kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    agent = registry().spec("agent", entry).make(game)
    assert agent.choose(game.initial(), game.moves(game.initial()), Rng(0)) == "a1a6"


@needs_chess
@pytest.mark.slow
def test_the_example_game_installs_is_checked_plays_elsewhere_and_uninstalls(installed):
    installed.run("python", "-m", "pip", "install", "--quiet", str(CHESS))
    (said,) = installed.told("games", "chess")
    assert (said["distribution"], said["capabilities"]) == ("arena-chess", ["evaluation"])
    assert installed.run("arena", "perft", "chess", "3").stdout == "1 20\n2 400\n3 8902\n"
    installed.run("arena", "check", "chess")
    entries = ("--entry", "greedy", "--entry", "random")
    installed.run("arena", "tournament", "--game", "chess", *entries, "--rounds", "3", "--seed", "7")
    board = installed.told("leaderboard")
    assert [row["entry"] for row in board] == ["greedy", "random"]

    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-chess")
    assert "chess" not in [game["name"] for game in installed.told("games")]
    assert installed.told("leaderboard") == board
    refused = installed.run("arena", "match", "greedy", "random", "--game", "chess", status=1)
    assert refused.stderr.startswith("Error: no game called 'chess'")
    assert len(refused.stderr.splitlines()) == 1
