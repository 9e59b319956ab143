"""Each of many ways in which a game goes wrong is told as the game's, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from tempfile import mkdtemp

import pytest

from bad_games import GAMES, plugin_source
from records import check_sums
from running import Running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals and /proc")

WHERE = r"(failed( in match \d+)?( at the start| after the moves [^:]*)?|cannot be created): (ValueError: )?"


@pytest.mark.parametrize(
    ("form", "compiled", "step"),
    [
        pytest.param("flat", "1", 3, marks=pytest.mark.slow),
        *(
            pytest.param(*case, 1, marks=pytest.mark.campaign)
            for case in (("flat", "1"), ("texts", "0"), ("flat", "0"), ("texts", "1"))
        ),
    ],
)
def test_a_games_fault_is_told_as_its_own(plugin, tmp_path, form, compiled, step):
    """step: of so many games one is played."""
    games = {name: game for name, game in [*GAMES.items()][::step] if form in game.forms}
    temporary = Path(mkdtemp(prefix="games-"))  # a short path, as sockets in it have to have
    env = {**plugin(games=plugin_source(games, form)), "ARENA_COMPILED": compiled, "TMPDIR": str(temporary)}
    wanted = [f"{name}={game.stall}" for name, game in games.items()]
    command = Running(tmp_path, "play-all", *wanted, **env)
    done = command.ended(500)
    assert command.nothing_left()
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert not [*temporary.iterdir()]
    said = dict(map(json.loads, done.stdout.splitlines()))
    assert said.keys() == games.keys()
    for name, game in games.items():
        expected = f"game {name} {WHERE}({game.detail})(, at games.py:.*)?" if game.detail else ""
        assert re.fullmatch(expected, said[name]), (name, said[name])
    for database in tmp_path.glob("*.db"):
        check_sums(database)
