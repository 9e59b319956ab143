"""What is typed at the terminal, and the move that it means."""

from __future__ import annotations

import io

import pytest

from arena import Game
from arena.api.rulings import GameFault
from arena.registry.plugins import registry
from arena.show.terminal.dialogue import Dialogue, Quit
from arena.show.terminal.screen import Screen

HOSTILE = "a\x1b[31mb"


class Named(Game):
    """One move of each name."""

    sides = ("me\x1b[2J", "you")

    def __init__(self, *names):
        super().__init__()
        self.names = names

    def initial(self):
        return 0

    def moves(self, state):
        return [] if state else [*range(len(self.names))]

    def play(self, state, move):
        return 1

    def to_move(self, state):
        return 0

    def value(self, state):
        return 0

    def move_text(self, move):
        return self.names[move]

    def board_text(self, state):
        return HOSTILE + "\n" + "x" * 300


def asked(monkeypatch, game, state, *lines):
    """What is made of some lines, Quit for their end, and what is seen."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    seen = io.StringIO()
    try:
        return Dialogue(Screen(seen)).ask(game, state), seen.getvalue()
    except Quit:
        return Quit, seen.getvalue()


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("e2e4", 0),  # as it is written
        ("e2e", None),  # e2e3 begins so, too
        ("E2E4", 0),  # but for the case
        ("g", 2),  # the one that begins so
        ("help", None),  # a command
        ("q", Quit),  # and its beginning
        ("h", None),  # help and h2h3
        ("h2", 3),
    ],
)
def test_a_beginning_is_enough_if_it_is_of_one_alone(monkeypatch, typed, move):
    game = Named("e2e4", "e2e3", "g1f3", "h2h3")
    found, seen = asked(monkeypatch, game, 0, typed)
    if move is None:
        assert found is Quit  # the lines have come to their end
        assert ("type more of it" in seen) == (typed in ("e2e", "h"))
    else:
        assert found == move


def test_a_move_comes_before_a_command_of_the_same_name(monkeypatch):
    assert asked(monkeypatch, Named("help", "moves"), 0, "moves")[0] == 1


def test_the_game_itself_may_know_other_ways_to_write_a_move(monkeypatch):
    game = registry().spec("game", "checkers").make()
    state = game.read_position("B:W14,23:B9")
    found, _ = asked(monkeypatch, game, state, "9x18")
    assert game.move_text(found).startswith("9x")


def test_what_a_game_says_is_shown_as_text(monkeypatch):
    _, seen = asked(monkeypatch, Named("a", "b"), 0, "moves", "board", "zzz", "flip")
    assert "\x1b" not in seen
    assert r"a\x1b[31mb" in seen


def test_a_game_that_fails_is_told_as_such(monkeypatch):
    class Failing(Named):
        def moves(self, state):
            raise ValueError("worn out")

    with pytest.raises(GameFault, match="failed: ValueError: worn out"):
        asked(monkeypatch, Failing("a"), 0, "a")


class Narrow(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [10, 60, 80])
def test_what_is_too_wide_ends_in_a_mark(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    seen = Narrow()
    Screen(seen).board(Named("a"), 0)
    lines = seen.getvalue().splitlines()
    assert max(map(len, lines)) == columns
    assert lines[-1] == "x" * (columns - 1) + "…"
