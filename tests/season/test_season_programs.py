"""Players of a season that are programs."""

from __future__ import annotations

import json
import sys

import pytest

import arena
from season_term import HEAD, met

HOW = {"progress": False, "executor": "serial"}
BOT = """import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"id": asked["id"], "protocol": 1}), flush=True)
    elif asked["type"] == "move":
        print(json.dumps({"id": asked["id"], "move": asked["moves"][PLACE]}), flush=True)
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="programs and the sandbox")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "season.toml").write_text(
        'game = "tic-tac-toe"\nbaselines = ["random"]\nrounds = 1\nseed = 5\nopenings = "random:1"\n'
    )
    program(tmp_path, "cleo", BOT.replace("PLACE", "0"))
    return tmp_path


def program(home, name, text):
    folder = home / "bots" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.sh").write_text(f"#!/bin/sh\nexec {sys.executable} bot.py\n")
    (folder / "bot.py").write_text(text)


def status(found):
    return {row.player: (row.version, row.status) for row in found.rows}


@pytest.mark.slow
def test_a_folder_with_run_sh_is_a_player_whose_other_files_are_its_code(home):
    found = arena.season(**HOW)
    assert status(found)["cleo"] == (1, "plays")
    assert (found.played, arena.seasons.player("cleo").faults) == (2, [])
    program(home, "cleo", BOT.replace("PLACE", "-1"))
    program(home, "dan", BOT.replace("PLACE", "0"))  # cleo's old code, and her run.sh
    found = arena.season(**HOW)
    assert status(found) == {"random": (1, "plays"), "cleo": (2, "plays"), "dan": (1, "plays")}
    assert set(met(home / "season.db").values()) == {1}
    assert arena.season(**HOW).updated is False


def test_a_program_plays_in_the_sandbox_and_reads_its_own_folder_alone(home):
    secret = home / "season.toml"
    peek = (
        f"import sys\n\nopen('bot.py')\ntry:\n    open({json.dumps(str(secret))})\n"
        "except OSError:\n    pass\nelse:\n    sys.exit('read it')\n"
    )
    program(home, "spy", BOT.replace("PLACE", "0").replace("import sys\n", peek))
    found = arena.season(**HOW)
    assert status(found)["spy"] == (1, "plays")
    assert arena.seasons.player("spy").faults == []


def test_the_same_program_under_two_names_plays_once(home):
    arena.season(**HOW)
    program(home, "alf", BOT.replace("PLACE", "0"))
    found = arena.season(**HOW)
    assert status(found)["alf"][1] == "broken"
    assert "same code" in found.news[0]


@pytest.mark.slow
def test_a_program_that_cannot_start_is_unable(home):
    program(home, "eve", "import sys\n\nsys.exit('no')\n")
    found = arena.season(**HOW)
    assert status(found)["eve"][1] in ("unable", "out")
    assert any("eve" in line and "ended with status 1" in line for line in found.news)


def test_a_link_out_of_the_folder_is_not_followed(home):
    (home / "secret.txt").write_text("secret")
    (home / "bots" / "cleo" / "secret.txt").symlink_to(home / "secret.txt")
    arena.season(**HOW)
    (copy,) = (home / "season-code" / "cleo").iterdir()
    assert (copy / "secret.txt").is_symlink()


@pytest.mark.slow
def test_the_file_of_settings_states_what_a_player_may_use(home):
    file, toml = home / "bots" / "hugo.py", home / "season.toml"
    file.write_text(f"{HEAD}        return moves[bytes(1 << 30)[0]]\n")
    text = toml.read_text()
    toml.write_text(f"{text}memory_mb = 1024\n")
    arena.season(**HOW)
    assert {fault["reason"] for fault in arena.seasons.player("hugo").faults} == {"crash"}
    toml.write_text(text)
    file.write_text(f"{HEAD}        return moves[bytes(1 << 30)[1]]\n")
    arena.season(**HOW)
    assert [fault["version"] for fault in arena.seasons.player("hugo").faults if fault["version"] == 2] == []


def test_a_limit_out_of_range_is_an_error(home):
    toml = home / "season.toml"
    toml.write_text(f"{toml.read_text()}disk_mb = 0\n")
    with pytest.raises(arena.ArenaError, match="disk_mb"):
        arena.season(**HOW)
