"""Results in PDN of English draughts, held against published endings and the exact values of these."""

from __future__ import annotations

import json
import os
import re

import pytest

import arena
from arena import Rng
from arena.api.endings import probe
from arena.registry.plugins import registry
from paths import DATA

ENDINGS = [line.split("\t") for line in (DATA / "checkers_endings.tsv").read_text().splitlines()]
RESULTS = {"black": 1, "draw": 0, "white": -1}  # by the winner, from the first player's side, black's
TOKENS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}  # as tags of `match_text` have results
TAGS = {"event": "", "date": "2026.01.31", "round": "1", "first": "b", "second": "w", "termination": "rules"}


def written(game, result, moves=()):
    """The tag Result and the last word of a match in PDN."""
    text = registry().spec("game", game).make().match_text({**TAGS, "result": TOKENS[result]}, moves)
    return re.search(r'\[Result "(.*)"\]', text)[1], text.split()[-1]


@pytest.mark.parametrize("game", ["checkers", "checkers-4x4"])
def test_results_are_written_as_published_pdn_has_them(game):
    for _, token, winner in ENDINGS:
        assert written(game, RESULTS[winner]) == (token, token)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 300))])
def test_another_reader_of_pdn_finds_the_same_match(seed):
    """Of moves at random, with what agents say of them: by pydraughts, which leaves backslashes in tags."""
    draughts = pytest.importorskip("draughts")
    from draughts.PDN import PDNReader

    game, rng = registry().spec("game", "checkers").make(), Rng(seed)
    state, moves = game.initial(), []
    while (legal := list(game.moves(state))) and len(moves) < 120:
        move = rng.choice(legal)
        moves.append(game.move_text(move))
        state = game.play(state, move)
    said = [
        {"ply": ply, "seat": 1 - ply % 2, "score": ply, "clock": 1.5} for ply in range(1, 9, seed % 3 + 1)
    ]
    result = TOKENS[seed % 3 - 1]
    tags = {**TAGS, "result": result, "first": 'a "b" \\ c', "second": "Ω", "usage": json.dumps(said)}
    (found,) = PDNReader(pdn_text=game.match_text(tags, moves)).games
    assert (found.tags["Black"], found.tags["White"]) == (r"a \"b\" \\ c", "Ω")
    assert (found.tags["Result"], found.game_ending, found.variant) == (result, result, "english")
    assert found.moves == moves
    board = draughts.Board(variant="english")
    for text in found.moves:
        fits = [move for move in board.legal_moves() if same(move, text)]
        assert fits, text
        board.push(fits[0])


def same(move, text):
    """Whether a move of pydraughts is one in PDN, by the squares that it goes from and to, and over."""
    squares = [int(square) for square in re.split("[-x]", text)]
    return squares in ([*map(int, re.split("[-x]", move.pdn_move))], [*move.steps_move])


@pytest.mark.slow
def test_published_results_are_those_of_perfect_play(tmp_path_factory):
    """With four pieces: both sides play the best move by exact values until one cannot move."""
    folder = tmp_path_factory.mktemp("endings")
    arena.endings("checkers", pieces=4, to=folder)
    game = registry().spec("game", "checkers").make()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "ARENA_ENDINGS", str(folder))
        found = probe(game, 4)
    played = 0
    for position, token, _ in ENDINGS:
        state, moves = game.read_position(position), []
        if (value := found.value(state)) == 2:  # five pieces
            continue
        while value and (legal := list(game.moves(state))):
            codes = {move: found.look(game.play(state, move)) for move in legal}
            good = [move for move in legal if found.value(game.play(state, move)) == -value]
            move = sorted(good, key=lambda move: value * found.plies(codes[move]))[0]
            moves.append(game.move_text(move))
            state, value = game.play(state, move), -value
        black = value if game.to_move(state) == 0 else -value
        assert written("checkers", black, moves) == (token, token), position
        played += 1
    assert played == 32
