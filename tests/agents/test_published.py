"""What the repository publishes is what comes out."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from arena import Agent, Game
from arena.registry.plugins import registry
from arena.testing import check_agent, check_game
from commands import arena_compiled as arena
from commands import inside
from page_data import data_of
from paths import ROOT

LEADERBOARDS = ROOT / "leaderboards"
sys.path.insert(0, str(LEADERBOARDS))

import publish  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
# minutes each; what one round of checkers with fewer seeds comes to is a slow test, in test_reproduce.py
LONG = ("checkers", "checkers-4x4", "checkers-4x4-stuck-draws", "connect-four")
PUBLISHED = [
    pytest.param(file, id=file.stem, marks=pytest.mark.campaign if file.stem in LONG else pytest.mark.slow)
    for file in publish.tournaments()
]


@pytest.mark.parametrize("file", PUBLISHED)
def test_a_published_leaderboard_comes_out_to_the_letter(tmp_path, file):
    (tmp_path / "leaderboards").mkdir()
    shutil.copy(file, tmp_path / "leaderboards")
    text = file.read_text(encoding="utf-8")
    tournament, board, pairings = re.findall("^#   arena (.*)$", text, re.MULTILINE)
    arena(tmp_path, *tournament.split())
    tables = [arena(tmp_path, *command.split()).stdout for command in (board, pairings)]
    assert publish.page_of(file, *tables) == results_of(file)
    arena(tmp_path, *board.replace("--markdown", "--html page.html --no-playable").split())
    here, there = (
        data_of(page.read_text(encoding="utf-8"))
        for page in (tmp_path / "page.html", file.with_suffix(".html"))
    )
    assert {**here[0], "playable": []} == {**there[0], "playable": []}
    assert there[0]["playable"]


def results_of(file: Path) -> str:
    """The page of a tournament, but for what it took."""
    return file.with_suffix(".md").read_text(encoding="utf-8").partition(f"\n{publish.COST}\n")[0]


@pytest.mark.parametrize("file", publish.tournaments(), ids=lambda file: file.stem)
def test_a_page_says_what_it_is_of_and_what_columns_mean_and_folds_pairings(file):
    text = results_of(file)
    table = text[text.index("| #") : text.index("\n## Both seats")]
    pairings = text[text.index("| first | second") : text.index("\n</details>")]
    assert publish.page_of(file, table, pairings) == text
    assert file.stem in publish.TITLES


@pytest.mark.parametrize("file", sorted(LEADERBOARDS.glob("*.html")), ids=lambda file: file.stem)
def test_a_published_page_is_of_what_is_published(file):
    """If not: `python leaderboards/publish.py`."""
    entries = tomllib.loads(file.with_suffix(".toml").read_text(encoding="utf-8"))["entries"]
    (data,) = data_of(file.read_text(encoding="utf-8"))
    assert sorted(data["names"]) == sorted(registry().spec("agent", entry).text for entry in entries)
    assert {len(match["moves"]) > 0 for match in data["matches"]} <= {True}
    assert file.stat().st_size < 4e6


def test_the_readmes_pictures_are_there():
    """If not: `python leaderboards/publish.py --pictures`."""
    page = ROOT / "docs" / "how-to" / "share-results-as-a-page.md"
    for file, number in ((ROOT / "README.md", 3), (page, 2)):
        pictures = re.findall(r'(?:src|srcset)="(.*?)"', file.read_text(encoding="utf-8"))
        assert len(pictures) == number
        for picture in pictures:
            begins = b"<svg " if picture.endswith(".svg") else b"\x89PNG\r\n\x1a\n"
            assert (file.parent / picture).read_bytes().startswith(begins)


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def guide(name: str) -> str:
    """The first block of Python in one of the guides."""
    page = (ROOT / "docs" / "how-to" / f"{name}.md").read_text(encoding="utf-8")
    return blocks("python", page)[0]


@pytest.mark.parametrize("block", blocks("text"), ids=["tournament"])
def test_the_readme_shows_what_commands_say(tmp_path, block):
    command, _, shown = block.partition("\n")
    shutil.copytree(ROOT / "leaderboards", tmp_path / "leaderboards")
    assert command.startswith("$ arena ")
    assert arena(tmp_path, *command.split()[2:]).stdout == shown


def test_the_readme_has_one_command_to_play_and_one_to_test():
    play, test = blocks("sh")
    for command in (play, test):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        assert command.count("\n") == 1
    assert play.endswith("arena tournament\n")
    assert test.endswith("pytest\n")


def test_the_readmes_commands_exist(tmp_path):
    for command in re.findall(r"`arena ([a-z]+)", README):
        inside(tmp_path, command, "--help")


@pytest.mark.slow
def test_the_readmes_agent_is_that_of_the_tutorial_and_plays_and_its_hook_is_one(tmp_path):
    agent, hook = blocks("python")
    body = agent.partition("class Eager(Agent):")[2]
    assert f"class Hasty(arena.Agent):{body}" in (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (tmp_path / "eager.py").write_text(agent)
    assert "eager.py" in arena(tmp_path, "match", "eager.py", "minimax", "--matches", "2").stdout
    exec(hook)


@pytest.mark.slow
def test_the_plugins_of_the_guides_pass_the_conformance_tests_and_play(tmp_path, monkeypatch):
    agent, learner, game = map(guide, ("write-an-agent", "write-a-learner", "write-a-game"))
    (learns,) = re.findall(r"^class .*?(?=\n\n\n)", learner, re.DOTALL | re.MULTILINE)
    assert learns in (ROOT / "examples" / "arena-monte-carlo" / "arena_monte_carlo.py").read_text()
    (tmp_path / "arena_centre.py").write_text(agent)
    (tmp_path / "arena_nim.py").write_text(game)
    for name in ("arena_centre", "arena_nim"):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[arena]\n{name} = {name}\n")
    said = arena(
        tmp_path,
        *("match", "centre:chance=0", "minimax", "--game", "nim", "--matches", "10", "--json"),
        PYTHONPATH=str(tmp_path),
    )
    assert '"forfeits": 0' in said.stdout
    assert said.stderr.count("Warning") == 0
    for words in (("games", "nim"), ("agents", "centre", "--game", "nim")):
        assert '"compiled": true' in arena(tmp_path, *words, "--json", PYTHONPATH=str(tmp_path)).stdout
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    from arena_centre import Centre
    from arena_nim import Nim

    assert issubclass(Centre, Agent)
    assert issubclass(Nim, Game)
    check_game(Nim())
    check_agent(Centre, Nim())
