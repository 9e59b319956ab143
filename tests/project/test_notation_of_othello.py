"""Transcripts of Othello are read as people and programs write them."""

from __future__ import annotations

import pytest

from arena import ArenaError, Rng
from arena.commands.play.start import start_of
from arena.plan.opening_book import read_book
from books import moves_of
from paths import ROOT


@pytest.fixture
def othello(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(ROOT / "examples" / "arena-othello")
    from arena_othello import Othello

    return Othello


def texts(game, moves):
    return [*map(game.move_text, moves)]


def line(game, text):
    return texts(game, start_of(game, None, text).moves)


@pytest.mark.parametrize(
    "text",
    [
        "d3c5f6f5e6e3",
        "D3C5F6F5E6E3",
        "D3 C5 F6 F5 E6 E3",
        "1. d3 c5 2. f6 f5 3. e6 e3",
        "1.d3 2.c5 3.f6 4.f5 5.e6 6.e3",
        "1. D3c5 f6F5! e6 e3",
    ],
)
def test_a_transcript_is_its_cells_in_any_case_with_or_without_blanks(othello, tmp_path, text):
    wanted = ["d3", "c5", "f6", "f5", "e6", "e3"]
    game = othello()
    assert line(game, text) == wanted
    assert game.read_position(text) == start_of(game, None, text).states[-1]
    for written in (f"{text}\n", f'[Event "a"]\n\n{text} 33-31\n', f"{text} # tiger\n"):
        (tmp_path / "t.txt").write_text(written)
        (found,) = moves_of(read_book(str(tmp_path / "t.txt"), 6), game, 120)
        assert texts(game, found) == wanted


def with_passes(game, most):
    """Random matches in which somebody passes, up to so many."""
    found = []
    seed = 0
    while len(found) < most:
        state, moves, rng = game.initial(), [], Rng(seed)
        seed += 1
        while legal := [*game.moves(state)]:
            moves.append(legal[rng.below(len(legal))])
            state = game.play(state, moves[-1])
        if "pass" in texts(game, moves):
            found.append(texts(game, moves))
    return found


@pytest.mark.parametrize(("size", "most"), [(4, 8), (6, 1), pytest.param(8, 8, marks=pytest.mark.slow)])
def test_passes_may_be_left_out_or_written_in_several_ways(othello, size, most):
    game = othello(size=size)
    for moves in with_passes(game, most):
        for way in ("", "pass", "PASS", "--", "pa", "PA", "PS"):
            words = [way if move == "pass" else move for move in moves]
            for text in ("".join(words), "".join(words).upper(), " ".join(words)):
                # what a match ends with, a pass is no more than
                assert line(game, text) == moves[: len(moves) if way or moves[-1] != "pass" else -1]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("d3d3", "move 2: .* has no move 'd3' here"),
        ("d3z9", "move 2: .* has no move 'z9' here"),
        ("d3 -- c5", "move 2: .* has no move 'pass' here"),
        ("d3c5 nonsense", "move 3: .* has no move 'nonsense' here"),
    ],
)
def test_what_is_no_move_is_named(othello, text, error):
    with pytest.raises(ArenaError, match=error):
        line(othello(), text)
