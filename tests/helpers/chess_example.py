"""The example's chess: what its tests need, matches by script, and the package as a reference."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import pytest

from arena.api.limits import Limits
from arena.matches.match import play_match
from arena.plan.opening_book import Opening
from arena.workers.worker import Watch
from arena_agents.engines.uci import START
from paths import ROOT
from records import rows

ENGINE = f"{sys.executable} {ROOT / 'tests' / 'helpers' / 'uci_engine.py'}"

needs_chess = pytest.mark.skipif(not find_spec("chess"), reason="the package chess is not installed")
needs_programs = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="programs can play only on Linux and macOS"
)


class Scripted:
    """Plays these moves."""

    def __init__(self, game, moves):
        self.game, self.moves = game, iter(moves)

    def begin(self, seat):
        pass

    def choose(self, state, moves, rng):
        return self.game.read_move(state, next(self.moves))


def match(game, first, second):
    agents = first, second
    return play_match(
        game, lambda seat: agents[seat], (0, 0, 0, 1), (1, 2), Opening(), Limits(0, 0, 0), Watch()
    )


def played(game, line):
    """The record of a match by script."""
    moves = line.split()
    return match(game, Scripted(game, moves[::2]), Scripted(game, moves[1::2]))


def after(game, line):
    """The position after moves from the start."""
    state = game.initial()
    for text in line.split():
        state = game.play(state, game.read_move(state, text))
    return state


BLACK_BEGINS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1"

COUNTS = [  # of the Chess Programming Wiki, Perft Results: from 1 ply on
    (START, [20, 400, 8902, 197281, 4865609]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        [48, 2039, 97862, 4085603],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812, 43238, 674624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467, 422333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486, 62379, 2103487]),
]

ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def replayed(database):
    """Holds recorded matches against the package; the reasons for which they ended."""
    import chess

    reasons = set()
    for record in rows(database)["matches"]:
        result, reason, moves = record[4], record[5], record[9].split()
        board = chess.Board()
        for move in moves:
            assert not over(board)
            board.push(board.parse_uci(move))
        assert over(board) == {"rules": "over", "no capture": "fifty"}.get(reason, reason)
        winner = board.outcome().winner if board.is_game_over() else None
        assert result == {None: 0, chess.WHITE: 1, chess.BLACK: -1}[winner]
        reasons.add(reason)
    return reasons


def over(board):
    """Why a game is over."""
    if board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material():
        return "over"
    if board.is_repetition(3):
        return "repetition"
    return "fifty" if board.halfmove_clock >= 100 else ""
