"""What is removed is asked for, where there is somebody to ask."""

from __future__ import annotations

import pytest

import arena
from commands import arena as command
from recording import recorded
from records import query


@pytest.fixture
def folder(tmp_path):
    arena.tournament(
        ["random", "first"], rounds=3, seed=1, db=tmp_path / "arena.db", progress=False, executor="serial"
    )
    return tmp_path


def left(folder):
    return query(folder / "arena.db", "SELECT count(*) FROM tournaments")[0][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "said", "stay"), [("n\n", "Nothing was removed.", 1), ("y\n", "with 6 m", 0)]
)
def test_somebody_at_a_terminal_is_asked_and_no_is_no_error(folder, answer, said, stay):
    seen = recorded(folder, "tournaments", "remove", "1", keys=[("[y/N]", answer)])
    assert seen.status == 0
    assert "Remove tournament 1 of tic-tac-toe with 6 matches? [y/N]: " in seen.text
    assert said in seen.text.split("[y/N]")[1]
    assert left(folder) == stay


@pytest.mark.slow
def test_without_a_terminal_it_needs_yes(folder):
    done = command(folder, "tournaments", "remove", "1", status=2)
    assert done.stderr == (
        "Error: cannot ask whether to remove tournament 1 of tic-tac-toe with 6 matches: "
        "not at a terminal; use --yes (see 'arena tournaments remove --help')\n"
    )
    assert left(folder) == 1
    assert command(folder, "tournaments", "remove", "1", "--yes").stderr.startswith("Removed tournament 1")
    assert left(folder) == 0


@pytest.mark.slow
def test_models_likewise(tmp_path):
    env = {"ARENA_MODELS": str(tmp_path / "models")}
    training = ("train", "q-table:episodes=10", "--game", "tic-tac-toe")
    command(tmp_path, *training, **env)
    done = command(tmp_path, "models", "remove", "--all", status=2, **env)
    assert done.stderr.startswith("Error: cannot ask whether to remove 1 model, ")
    assert len(list((tmp_path / "models").iterdir())) == 1
    command(tmp_path, "models", "remove", "--all", "--yes", **env)
    assert list((tmp_path / "models").iterdir()) == []
