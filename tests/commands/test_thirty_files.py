"""A folder of thirty agents, some of which fail in every way there is, played by one command."""

from __future__ import annotations

import json
import os

import pytest

from commands import arena
from records import check_sums, query

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="needs signals")]

SOUND = """
from arena import Agent

class Bot(Agent):
    def choose(self, state, moves, rng):
        if rng.below(30) < {skill}:
            for move in moves:
                after = self.game.play(state, move)
                if not self.game.moves(after) and self.game.value(after) < 0:
                    return move
        return rng.choice(moves)
"""
CHOOSE = "from arena import Agent\n\nclass Bot(Agent):\n    def choose(self, state, moves, rng):\n        "
BAD = {
    "raises": CHOOSE + "return moves[len(moves)]\n",
    "hangs": "import time\n" + CHOOSE + "time.sleep(10**6)\n",
    "prints": CHOOSE + "while True: print('x' * 1000)\n",
    "cut": "from arena import Agent\n\nclass Bot(Agent:\n",
    "imports": "import arena\nimport nothing_there\n",
    "nonsense": CHOOSE + "return 'the middle'\n",
    "ends": "import os\n" + CHOOSE + "os._exit(3)\n",
}
LEFT_OUT = ("cut", "imports")
SKILLS = range(30 - len(BAD))


def play(folder, bots, compiled):
    """The records by the names of both sides and the round, and what was said."""
    (folder / "bots").mkdir(parents=True)
    for name, source in bots.items():
        (folder / "bots" / f"{name}.py").write_text(source)
    files = [f"bots/{name}.py" for name in bots]
    args = ("--game", "connect-four", "--rounds", "1", "--seed", "1", "--json")
    done = arena(folder, "tournament", *files, *args, ARENA_COMPILED=compiled)
    sql = "SELECT first, second, round, result, reason, detail, moves FROM results"
    return {tuple(row[:3]): row[3:] for row in query(folder / "arena.db", sql)}, done


def test_thirty_files_are_played_and_what_is_wrong_with_each_is_told(tmp_path):
    sound = {f"bot{skill:02}": SOUND.format(skill=skill) for skill in SKILLS}
    records, done = play(tmp_path / "all", {**sound, **BAD}, compiled="1")
    assert len(json.loads(done.stdout)["settings"]["entries"]) == 28
    check_sums(tmp_path / "all" / "arena.db")
    said = done.stderr
    assert "bots/cut.py:3: SyntaxError: " in said
    assert "bots/imports.py:2: ModuleNotFoundError: No module named 'nothing_there'" in said
    for name, what in {
        "raises": "IndexError: list index out of range, at raises.py:5 in choose",
        "hangs": "no move within 10 s, at hangs.py:6 in choose",
        "nonsense": "'the middle'",
        "ends": "status 3",
        "prints": "no move within 10 s, at prints.py:5 in choose",
    }.items():
        (told,) = [line for line in said.splitlines() if line.startswith(f"Warning: {name}.py ")]
        assert what in told
    assert "Traceback" not in said
    harmless = {name: CHOOSE + "return moves[0]\n" for name in BAD if name not in LEFT_OUT}
    undisturbed, _ = play(tmp_path / "harmless", {**sound, **harmless}, compiled="0")
    sides = {f"{name}.py" for name in sound}
    among = {key: row for key, row in records.items() if {*key[:2]} <= sides}
    assert len(among) == len(SKILLS) * (len(SKILLS) - 1)
    assert among == {key: undisturbed[key] for key in among}
