"""The rules of the example's chess, against published counts, the laws of chess and the package."""

from __future__ import annotations

import pytest

from arena.analysis.perft import perft
from arena.api.limits import Limits
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.workers.worker import Watch
from arena_agents.engines.uci import START
from chess_example import COUNTS, ROOKS, Scripted, needs_chess, played, replayed
from commands import arena


@needs_chess
@pytest.mark.parametrize(("position", "counts"), COUNTS)
def test_lines_of_play_are_as_many_as_published(chess, position, counts):
    game = chess()
    depth = 4 if position == START else 3
    assert list(perft(game, game.read_position(position), depth)) == counts[:depth]


@needs_chess
@pytest.mark.parametrize(("position", "counts"), COUNTS)
@pytest.mark.slow
def test_a_ply_further_they_are_as_many_as_published(chess, position, counts):
    game = chess()
    assert list(perft(game, game.read_position(position), len(counts))) == counts


@needs_chess
@pytest.mark.parametrize(
    ("position", "counts"),
    [  # of the Chess Programming Wiki, Chess960 Perft Results, the first two
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", [21, 528, 12189]),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", [21, 807, 18002]),
    ],
)
def test_so_are_those_of_chess960(chess, position, counts):
    game = chess(chess960=518)
    assert list(perft(game, game.read_position(position), 3)) == counts


@needs_chess
def test_arena_counts_them(tmp_path, offered):
    said = arena(tmp_path, "perft", "chess", "3", "--position", COUNTS[1][0], **offered).stdout
    assert said == "1 48\n2 2039\n3 97862\n"


@needs_chess
@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -1),  # the fool's mate
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),  # stalemate
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", 0),  # dead positions (Laws of Chess, 5.2.2): kings alone,
        ("8/8/4k3/8/8/4K3/8/7B w - - 0 1", 0),  # one with a bishop,
        ("8/8/4k3/8/8/4K3/8/7N b - - 0 1", 0),  # or a knight,
        ("b7/8/4k3/8/8/4K3/8/7B w - - 0 1", 0),  # bishops on squares of one colour
    ],
)
def test_a_game_that_is_over_has_no_moves(chess, position, value):
    game = chess()
    state = game.read_position(position)
    assert (game.moves(state), game.value(state)) == ([], value)


@needs_chess
@pytest.mark.parametrize("position", ["b7/8/4k3/8/8/4K3/8/6B1 w - - 0 1", "8/8/4k3/8/8/4K3/8/6NN w - - 0 1"])
def test_a_position_in_which_mate_can_be_had_is_played_on(chess, position):
    """Bishops on squares of both colours, two knights: by help of the other."""
    assert chess().moves(chess().read_position(position))


@needs_chess
@pytest.mark.parametrize(
    ("start", "line", "plies"),
    [
        ("", "g1f3 g8f6 f3g1 f6g8", 8),
        (ROOKS, "a1b1 a8b8 b1a1 b8a8", 10),  # not 8: at the start both might castle on that side
        ("4k3/8/8/8/7p/8/P7/4K3 w - - 0 1", "a2a4 e8d8 e1d1 d8e8 d1e1", 9),
        ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", "a2a4 e8d8 e1d1 d8e8 d1e1", 10),  # once Black could take it
    ],
)
def test_the_third_time_that_a_position_is_there_draws(chess, start, line, plies):
    """Counted by hand. The same position has the same moves (Laws of Chess, 9.2.3)."""
    first, *rest = line.split() if start.startswith("4k3") else ["", *line.split()]
    record = played(chess(start=start), " ".join([first, *rest * 3]))
    assert (record.result, record.reason, record.plies) == (0, "repetition", plies)


@needs_chess
@pytest.mark.parametrize(
    ("line", "shuffle", "plies"),
    [
        ("a1b1 a8b8", "b1a1 e8d8 a1b1 d8e8", 6),
        ("a1b1 h7h6", "b1a1 e8d8 a1b1 d8e8", 8),  # a pawn moved on ply 2
        ("a1a8 e8e7", "e1d1 e7d7 d1e1 d7e7", 7),  # a rook was taken on ply 1
    ],
)
def test_so_many_plies_without_a_capture_or_a_pawns_move_draw(chess, line, shuffle, plies):
    game = chess(start="r3k3/7p/8/8/8/8/7P/R3K3 w - - 0 1", quiet_plies=6, repetition=0)
    record = played(game, f"{line} {shuffle} {shuffle}")
    assert (record.result, record.reason, record.plies) == (0, "no capture", plies)


@needs_chess
def test_fifty_moves_draw(chess):
    game = chess(start="r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", repetition=0)
    record = played(game, "a1b1 a8b8 b1a1 b8a8 " * 30)
    assert (record.reason, record.plies) == ("no capture", 100)


@needs_chess
def test_a_mate_on_the_last_of_them_wins(chess):
    """Laws of Chess, 9.6.2."""
    record = played(chess(start="7k/8/6K1/8/8/8/8/R7 w - - 0 1", quiet_plies=1), "a1a8")
    assert (record.result, record.reason) == (1, "rules")


@needs_chess
def test_results_are_those_that_the_package_finds(tmp_path, offered):
    """Of matches at random, which the package plays again with a board of its own."""
    args = ("--matches", "12", "--seed", "5", "--record", "--db", "arena.db")
    arena(tmp_path, "match", "random", "random", "--game", "chess", *args, **offered)
    assert replayed(tmp_path / "arena.db") >= {"rules", "repetition", "no capture"}


@needs_chess
def test_white_is_the_first_player_and_fifty_moves_are_counted_from_the_position(chess):
    game = chess()
    start = "4k3/8/8/8/8/8/8/4K2R b - - 96 80"
    agents = Scripted(game, ["h1h2", "h2h1"]), Scripted(game, ["e8e7", "e7e8"])
    record = play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening((), start), Limits(0, 0, 0), Watch()
    )
    assert (record.moves, record.reason) == ("e8e7 h1h2 e7e8 h2h1", "no capture")
