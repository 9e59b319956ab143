"""Engines play the example's chess by UCI, and are told its moves and positions."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from arena import Rng
from arena.api.limits import Limits
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.registry.plugins import registry
from arena.workers.worker import Watch
from arena_agents.engines.uci import UCI
from chess_example import ENGINE, Scripted, match, needs_chess, needs_programs, replayed
from commands import arena
from records import rows


@needs_chess
@needs_programs
@pytest.mark.parametrize(
    ("options", "start", "line", "answers"),
    [
        ({}, "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "", "a1a8"),
        ({}, "5k2/8/8/8/8/4R1R1/8/4K2R w K - 0 1", "", "e1g1"),  # mate by castling
        ({}, "8/P6k/8/8/8/8/8/K7 w - - 0 1", "h7g7", "a7a8q a8"),
        ({}, "r3k2r/8/8/8/8/8/8/K7 w kq - 0 1", "e8g8 g8", "a1"),
        ({}, "4k3/2p5/8/1P6/8/8/8/4K3 w - - 0 1", "c7c5", "e1 b5c6"),  # en passant
        ({"chess960": 518}, "5k2/8/8/8/8/4R1R1/8/4K2R w K - 0 1", "", "e1h1"),
    ],
)
def test_an_engine_plays_chess(chess, options, start, line, answers):
    """It finds the mate, castles, promotes, takes in passing; and understands castling, which it checks."""
    game = chess(start=start, **options)
    engine = UCI(game, command=ENGINE, depth=2)
    engine.begin(0)
    state, replies = game.initial(), iter(line.split())
    for answer in answers.split():
        move = engine.choose(state, game.moves(state), Rng(0))
        assert move.startswith(answer)
        state = game.play(state, move)
        if (reply := next(replies, None)) and game.moves(state):
            state = game.play(state, next(move for move in game.moves(state) if move.startswith(reply)))


@needs_chess
@needs_programs
def test_an_engine_is_told_moves_and_positions_of_chess(chess, tmp_path):
    """As UCI has them: castling by the king's move, promotion by a letter."""
    start = "r3k2r/6P1/8/8/8/8/8/1K6 b kq - 0 1"
    game = chess(start=start)
    engine = UCI(game, command=f"{ENGINE} {tmp_path}/told", depth=1, setoption=("strength=1",))
    record = match(game, Scripted(game, ["e8c8", "c8b7", "b7a6"]), engine)
    assert record.moves.startswith("e8c8 g7h8q c8b7 h8d8 b7a6")
    told = (tmp_path / "told").read_text().splitlines()
    assert "setoption name Strength value 1" in told
    said = [line for line in told if line.startswith("position")]
    assert said[0] == f"position fen {start} moves e8c8"
    assert said[1] == f"position fen {start} moves e8c8 g7h8q c8b7"


@needs_chess
@needs_programs
@pytest.mark.parametrize(("options", "castled"), [({}, "e1g1"), ({"chess960": 518}, "e1h1")], ids=str)
def test_an_engine_is_told_the_moves_of_a_book(chess, tmp_path, options, castled):
    """The Ruy Lopez up to castling: from the start of chess, which UCI calls startpos."""
    game = chess(**options)
    state, book = game.initial(), []
    for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"]:
        book.append(game.read_move(state, san))
        state = game.play(state, book[-1])
    engine = UCI(game, command=f"{ENGINE} {tmp_path}/told", depth=1)
    agents = Scripted(game, []), engine
    play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(tuple(book)), Limits(10, 0, 0), Watch()
    )
    told = (tmp_path / "told").read_text().splitlines()
    moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6"
    assert f"position startpos moves {moves} {castled}" in told
    assert ("setoption name UCI_Chess960 value true" in told) == bool(options)


@needs_chess
@needs_programs
@pytest.mark.skipif(not shutil.which("stockfish"), reason="stockfish is not installed")
@pytest.mark.slow
def test_stockfish_castles_in_chess960(tmp_path, offered):
    entries = [f"uci:command=stockfish,nodes={nodes}" for nodes in (300, 200)]
    args = ("--matches", "4", "--seed", "1", "--max-plies", "60", "--json", "--record", "--db", "arena.db")
    said = arena(tmp_path, "match", *entries, "--game", "chess:chess960=518", *args, **offered)
    assert sum(row["forfeits"] for row in json.loads(said.stdout)["pairings"]) == 0
    castled = [row for row in rows(tmp_path / "arena.db")["matches"] if re.search(r"\be1[ah]1\b", row[9])]
    assert castled


@needs_chess
@needs_programs
def test_an_engine_at_two_strengths_plays_a_rated_match_of_chess(tmp_path, offered):
    weaker, stronger = (f"uci:command={ENGINE},nodes=400,setoption=Strength={plies}" for plies in (1, 3))
    rated(tmp_path, offered, weaker, stronger, matches=8)


def rated(folder, offered, weaker, stronger, matches):
    """Has two entries play a rated match, and looks at what comes of it."""
    entries = [registry().spec("agent", entry).text for entry in (stronger, weaker)]
    words = [word for entry in entries for word in ("--entry", entry)]
    # shared, since openings of a pairing's own are drawn by its entries' names, which have the folder in them
    openings = ("--openings", "random:4", "--shared-openings")
    args = ("--rounds", str(matches // 2), "--seed", "1", *openings, "--json")
    arena(folder, "tournament", "--game", "chess", *words, *args, "--db", "arena.db", **offered)
    board = json.loads(arena(folder, "leaderboard", "--json", "--db", "arena.db", **offered).stdout)
    assert sum(row["forfeits"] for row in board) == 0
    assert [row["matches"] for row in board] == [matches] * 2
    assert [row["entry"] for row in board] == entries
    assert board[0]["rating"] > board[1]["rating"]
    replayed(folder / "arena.db")


@needs_chess
@needs_programs
@pytest.mark.skipif(not shutil.which("stockfish"), reason="stockfish is not installed")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("Skill Level=0", "Skill Level=20"),
        ("UCI_LimitStrength=true,UCI_Elo=1350", "UCI_LimitStrength=true,UCI_Elo=2850"),
    ],
)
def test_stockfish_at_two_strengths_plays_a_rated_match_of_chess(tmp_path, offered, weaker, stronger):
    entries = (f"uci:command=stockfish,nodes=2000,setoption=({way})" for way in (weaker, stronger))
    rated(tmp_path, offered, *entries, matches=20)


@needs_chess
@needs_programs
@pytest.mark.parametrize("seat", [0, 1])
def test_an_engine_is_told_the_position_with_its_counts_and_the_moves_since(chess, tmp_path, seat):
    game = chess()
    start = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
    engine = UCI(game, command=f"{ENGINE} {tmp_path}/told", depth=1)
    agents = [Scripted(game, ["a7a6", "a6a5"] if seat == 0 else ["e1g1"])] * 2
    agents[seat] = engine
    opening = Opening(("f8c5",), start)
    play_match(game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), opening, Limits(3, 0, 0), Watch())
    told = (tmp_path / "told").read_text().splitlines()
    said = [line for line in told if line.startswith("position")]
    assert said[0] == f"position fen {start} moves f8c5" + (" e1g1" if seat else "")
