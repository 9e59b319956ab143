"""The plugins of the document on compiling compile as they stand, and play the same compiled and plain."""

from __future__ import annotations

import json
import re

import pytest

from arena.registry.plugins import registry
from commands import arena_compiled as arena
from paths import ROOT
from records import query, rows
from tiers import slow

DOCUMENT = (ROOT / "docs" / "compiling.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(plugin):
    """The plugins of the document, by the file names that stand before them."""
    return plugin(**dict(re.findall(r"`(arena_\w+)\.py`:\n\n```python\n(.*?)```", DOCUMENT, re.DOTALL)))


@pytest.mark.parametrize("game", ["tic-tac-toe", *slow("checkers-4x4", "checkers")])
@pytest.mark.parametrize("name", ["stifler", *slow("hashed")])
def test_the_agents_of_the_document_compile(tmp_path, written, name, game):
    (said,) = json.loads(arena(tmp_path, "agents", name, "--game", game, "--json", **written).stdout)
    assert (said["reason"], said["compiled"]) == (None, True)


@pytest.mark.parametrize("game", ["tic-tac-toe", "checkers"])
@pytest.mark.slow
def test_the_agent_of_the_document_plays_the_same_compiled_and_plain(tmp_path, written, game):
    found = []
    for compiled in ("1", "0"):
        folder = tmp_path / compiled
        folder.mkdir()
        args = ("--game", game, "--matches", "6", "--seed", "2", "--record", "--db", "arena.db")
        said = arena(folder, "match", "stifler:noise=20", "random", *args, ARENA_COMPILED=compiled, **written)
        assert "Warning" not in said.stderr
        found.append(rows(folder / "arena.db"))
    assert found[0] == found[1]


@pytest.mark.slow
def test_the_agent_of_the_document_does_what_it_says(tmp_path, written):
    """Each of its moves leaves as few replies as any other would."""
    args = ("--game", "checkers", "--matches", "6", "--seed", "2", "--record", "--db", "arena.db")
    arena(tmp_path, "match", "stifler", "random", *args, **written)
    found = rows(tmp_path / "arena.db")
    names = dict(query(tmp_path / "arena.db", "SELECT id, name FROM entries"))
    game = registry().spec("game", "checkers").make()
    chosen = 0
    for match in found["matches"]:
        seat = [names[match[2]], names[match[3]]].index("stifler")
        state = game.initial()
        for text in match[9].split():
            move = game.read_move(state, text)
            if game.to_move(state) == seat:
                replies = {m: len(game.moves(game.play(state, m))) for m in game.moves(state)}
                assert replies[move] == min(replies.values())
                chosen += 1
            state = game.play(state, move)
    assert chosen > 50


@pytest.mark.slow
def test_the_evaluation_of_the_document_is_found_by_name(tmp_path, written):
    args = ("--matches", "2", "--seed", "2")
    entry = "alpha-beta:depth=3,evaluation=(pieces:weight=2)"
    arena(tmp_path, "match", entry, "random", "--game", "checkers", *args, **written)
    refused = arena(tmp_path, "match", entry, "random", "--game", "connect-four", *args, status=1, **written)
    assert "pieces:weight=2" in refused.stderr
    assert "needs enemy_half" in refused.stderr


def test_the_document_shows_what_is_said_of_an_agent_that_does_not_compile(tmp_path, plugin):
    """With `print` in the line that the document names."""
    source = re.search(r"`arena_stifler\.py`:\n\n```python\n(.*?)```", DOCUMENT, re.DOTALL)[1]
    (shown,) = re.findall(r"^    runs in plain Python at checkers: .*$", DOCUMENT, re.MULTILINE)
    number = int(re.search(r"line (\d+)", shown)[1])
    lines = source.split("\n")
    indent = re.match(" *", lines[number - 1])[0]
    lines.insert(number - 1, f"{indent}print(state)")
    env = plugin(arena_stifler="\n".join(lines))
    said = arena(tmp_path, "agents", "stifler", "--game", "checkers", **env).stdout
    assert shown in said.splitlines()


def test_the_document_names_settings_that_exist():
    sources = ROOT.glob("arena/**/*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    for name in set(re.findall(r"ARENA_[A-Z]+", DOCUMENT)):
        assert f'"{name}"' in text


def test_the_document_on_the_compiler_lists_its_files():
    document = (ROOT / "docs" / "compiler.md").read_text(encoding="utf-8")
    listed = re.findall(r"^(\w+\.py) ", document, re.MULTILINE)
    there = {path.name for path in (ROOT / "arena" / "compiler").glob("*.py")} - {"__init__.py", "errors.py"}
    assert set(listed) == there
    assert len(listed) == len(there)
