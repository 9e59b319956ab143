"""Whatever is shown fits the terminal it is shown at."""

from __future__ import annotations

import pytest

import arena
from terminal import at_terminal
from tiers import tiers

ENTRIES = [
    *("random", "first", "greedy", "minimax:depth=2,ties=first", "minimax:depth=2,ties=random,wins=soonest"),
    "alpha-beta:depth=3,ordering=false,table=1024,deepening=true",
]
COMMANDS = (
    *(
        "leaderboard",
        "tournaments list",
        "tournaments show 1",
        "tournaments show 1 --seats",
        "agents",
        "games",
    ),
    *("match first random --matches 4 --seed 1", "tournaments show 2", "agents alpha-beta", "plugins"),
    *("tournaments show 1", "replay 1 --all", "replay 1 --lost-by first --all --explain greedy", "watch 1"),
    *("play alpha-beta:depth=2 --game checkers", "play first --game connect-four", "position checkers"),
    *("tournament --entry first --entry minimax:depth=2,ties=first --rounds 2 --seed 1", "models list"),
)
WIDTHS = (60, 80, 120, 200)
CASES = [(words, columns) for words in COMMANDS for columns in WIDTHS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("widths")
    db = folder / "arena.db"
    arena.tournament(ENTRIES, game="tic-tac-toe", rounds=3, seed=1, db=db, progress=False, executor="serial")
    arena.tournament(ENTRIES[:2], game="tic-tac-toe", exact=True, db=db, progress=False, executor="serial")
    return folder


@pytest.mark.parametrize(
    ("words", "columns"),
    tiers(
        CASES,
        quick=[
            ("leaderboard", 60),
            ("agents", 60),
            ("plugins", 80),
            ("play alpha-beta:depth=2 --game checkers", 120),
        ],
        slow=[
            ("tournaments list", 80),
            ("tournaments show 1", 120),
            ("tournaments show 2", 200),
            ("games", 80),
            ("replay 1 --lost-by first --all --explain greedy", 60),
            ("play first --game connect-four", 200),
            ("tournament --entry first --entry minimax:depth=2,ties=first --rounds 2 --seed 1", 80),
        ],
    ),
)
def test_no_line_is_longer_than_the_terminal_is_wide(folder, words, columns):
    typed = "help\nmoves\nexplain greedy\nq\n" if words.startswith("play") else ""
    status, seen = at_terminal(folder, *words.split(), columns=columns, typed=typed)
    assert status == 0, seen
    assert [line for line in seen.split("\n") if len(line) > columns] == []


@pytest.mark.slow
def test_wide_shows_all_and_elsewhere_nothing_is_left_out(folder):
    _, seen = at_terminal(folder, "leaderboard", "--wide", columns=60)
    assert ENTRIES[-1] in seen
    assert "forfeits" in seen
    _, seen = at_terminal(folder, "leaderboard", columns=64)
    assert "Not shown: " in seen
    assert f"{ENTRIES[-1]}\n" in seen  # below the table
