"""The animated image of a match: at each moment it shows what the image of that position shows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import arena
from arena.errors import ArenaError
from arena.show.board import svg
from commands import arena as command
from tiers import slow

SVG = "{http://www.w3.org/2000/svg}"
HELD = 4  # times that a position is shown, for the last one
HEAPS = """
from arena import Game


class Heaps(Game):
    \"\"\"Take one or two of seven; who takes the last has won.\"\"\"

    def initial(self):
        return 7, 0

    def to_move(self, state):
        return state[1]

    def moves(self, state):
        return [taken for taken in (1, 2) if taken <= state[0]]

    def play(self, state, move):
        return state[0] - move, 1 - state[1]

    def value(self, state):
        return -1
"""


def recorded(folder, game="tic-tac-toe", entries=("first", "greedy")):
    db = folder / "a.db"
    found = arena.tournament([*entries], game=game, rounds=1, seed=1, openings="random:2", db=db)
    return arena.replay(found.number, db=db)


def hidden_at(drawing, moment):
    """Return the classes that the style sheet hides at a moment, given as a share of the whole time."""
    style = ElementTree.fromstring(drawing).find(f"{SVG}style").text
    animated = style.partition("@media (prefers-reduced-motion: no-preference)")[2]
    hidden = set()
    for name, frames in re.findall(r"@keyframes (\w+)\{((?:[\d.]+%\{[^}]*\})+)\}", animated):
        steps = [(float(at), what) for at, what in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", frames)]
        if [what for at, what in steps if at <= 100 * moment][-1] == "hidden":
            hidden.add(name)
    return hidden


def drawn(drawing, hidden=frozenset()):
    """Return the visible elements without children in a board's image, with the transformations around them.

    Captions, the paper, and the group that centres the board are left out.
    """
    found = Counter()

    def look(element, around):
        if element.get("class") in hidden or element.tag in (f"{SVG}title", f"{SVG}style"):
            return
        if len(element):
            for child in element:
                look(child, (*around, *filter(None, [element.get("transform")])))
        else:
            if element.get("font-size") == "12" or (
                "x" not in element.attrib and element.tag == f"{SVG}rect"
            ):
                return
            facts = tuple(sorted(element.attrib.items()))
            around = tuple(one for one in around if not re.fullmatch(r"translate\([\d.]+ 0\)", one))
            found[element.tag, facts, element.text, around] += 1

    look(ElementTree.fromstring(drawing), ())
    return found


GAMES = ["tic-tac-toe", *slow("connect-four", "checkers-4x4", "checkers")]


@pytest.mark.parametrize("game", GAMES)
def test_each_moment_shows_the_image_of_its_position(tmp_path, game):
    replay = recorded(tmp_path, game)
    drawing, states = replay.svg(), replay.states
    whole = len(states) - 1 + HELD
    for number, state in enumerate(states):
        before = states[number - 1] if number else None
        hidden = hidden_at(drawing, (number + 0.5) / whole)
        assert drawn(drawing, hidden) == drawn(svg(replay.game, state, before))
    assert hidden_at(drawing, 0.999) == hidden


def test_where_nothing_moves_the_last_position_is_shown(tmp_path):
    drawing = recorded(tmp_path).svg()
    style = ElementTree.fromstring(drawing).find(f"{SVG}style").text
    still = style.partition("@media")[0]
    assert {*re.findall(r"\.(\w+)\{visibility:hidden\}", still)} == hidden_at(drawing, 0.999)


def test_a_game_without_a_drawing_is_shown_as_text(tmp_path):
    (tmp_path / "heaps.py").write_text(HEAPS)
    replay = recorded(tmp_path, str(tmp_path / "heaps.py"), ("first", "random"))
    drawing = replay.svg()
    for number, state in enumerate(replay.states):
        hidden = hidden_at(drawing, (number + 0.5) / (len(replay.states) - 1 + HELD))
        assert drawn(drawing, hidden) == drawn(svg(replay.game, state))


def test_names_are_text_and_long_ones_are_cut(tmp_path):
    replay = recorded(tmp_path)
    name = "<script>alert(1)</script>" * 9
    named = replace(replay, names={replay.entries[0]: name})
    root = ElementTree.fromstring(named.svg())
    assert not list(root.iter(f"{SVG}script"))
    title = [element.text for element in root.iter(f"{SVG}text")][-1]
    assert title.startswith("<script>")
    assert title.endswith("…")
    assert root.get("width") == "480"


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), 1000])
def test_a_time_must_be_sensible(tmp_path, seconds):
    with pytest.raises(ArenaError, match=r"must be between 0\.05 and 60"):
        recorded(tmp_path).svg(seconds)


def test_the_command_writes_it(tmp_path):
    drawing = recorded(tmp_path).svg()
    assert command(tmp_path, "replay", "--db", "a.db", "--svg", "-").stdout == drawing
    assert command(tmp_path, "replay", "--db", "a.db", "--svg", "m.svg").stdout == ""
    assert (tmp_path / "m.svg").read_text() == drawing
    refused = command(tmp_path, "replay", "--db", "a.db", "--svg", "none/m.svg", status=1).stderr
    assert refused == "Error: cannot write none/m.svg: No such file or directory\n"
    both = command(tmp_path, "replay", "--db", "a.db", "--svg", "m.svg", "--json", status=2).stderr
    assert "choose one of --json and --svg" in both
