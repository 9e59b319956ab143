"""What users call an entry is what they see of it, wherever it is shown; results stay under its text."""

from __future__ import annotations

import json

import pytest

import arena
from arena import Agent
from commands import inside
from page_data import page_text


class Broken(Agent):
    """Plays the first move, and fails late in a match."""

    def choose(self, state, moves, rng):
        self.move_usage = {"nodes": 3}
        if len(moves) < 6:
            raise ValueError("lost")
        return moves[0]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with a tournament of three entries with names, and what came of it."""
    folder = tmp_path_factory.mktemp("names")
    entries = {"Alpha": "minimax:ties=first", "Dice": "random", "Oops": Broken}
    found = arena.tournament(
        entries, game="tic-tac-toe", rounds=2, seed=1, db=folder / "arena.db", withdraw_after=2,
        executor="serial", progress=False,
    )  # fmt: skip
    return folder, found


def without_settings(text):
    """Lines but for those that say which entry a name stands for, and what is on record as it was entered."""
    legend = ("Alpha: ", "Dice: ", "Oops: ", "  entries: ", "  names: ", "  code: ", "  versions: ")
    return [line for line in text.splitlines() if not line.startswith(legend)]


TEXTS = ("minimax", "random", "broken")


@pytest.mark.parametrize(
    "command",
    [
        ("leaderboard",),
        ("tournaments", "show", "1"),
        ("tournaments", "show", "1", "--usage"),
        ("tournaments", "show", "1", "--faults"),
        ("replay", "1"),
        ("replay", "1", "--lost-by", "Oops"),
        ("replay", "1", "--lost-by", "Dice"),
    ],
    ids=" ".join,
)
def test_commands_show_names(played, command):
    folder, _ = played
    said = without_settings(inside(folder, *command).stdout)
    assert any(name in line for line in said for name in ("Alpha", "Dice", "Oops"))
    assert not [line for line in said if any(text in line.lower() for text in TEXTS)]


def test_warnings_and_notes_show_names(played):
    _, found = played
    said = [*found.remarks(), *found.leaderboard.notes, *found.notes]
    assert any(line.startswith("Oops forfeited 2, the first match ") for line in said)
    assert [(one.shown, one.why) for one in found.leaderboard.unrated] == [
        ("Oops", "withdrawn after 2 crashes")
    ]
    assert not [line for line in said if any(text in line.split(" at ")[0].lower() for text in TEXTS)]


def test_exports_have_names(tmp_path):
    named = ("--entry", "Alpha=first", "--entry", "random", "--rounds", "1", "--seed", "1")
    inside(tmp_path, "tournament", "--game", "checkers", *named, "--max-plies", "4", "--executor", "serial")
    text = inside(tmp_path, "tournaments", "export", "1", "--notation").stdout
    players = [line for line in text.splitlines() if line.startswith(("[White", "[Black"))]
    assert sorted(players) == ['[Black "Alpha"]', '[Black "random"]', '[White "Alpha"]', '[White "random"]']
    for line in inside(tmp_path, "tournaments", "export", "1").stdout.splitlines():
        match = json.loads(line)
        assert {match["first"], match["second"]} == {"first", "random"}
        seat = "first" if match["first"] == "first" else "second"
        assert match[f"{seat}_name"] == "Alpha"
        assert not {"first_name", "second_name"} <= {*match}


@pytest.mark.slow
def test_the_page_shows_names(played, tmp_path):
    folder, _ = played
    inside(folder, "leaderboard", "--html", str(tmp_path / "page.html"))
    page = page_text((tmp_path / "page.html").read_text())
    assert '"names":["Alpha","Dice","Oops"]' in page
