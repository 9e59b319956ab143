"""Types that authors write are checked: a helper under `mypy --strict`, and mistakes that it finds."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import typed_nim
from arena import Agent, Evaluation, Game, Learner, Rng
from arena.compiler import is_compiled, with_compiled_rules
from paths import ROOT

MISTAKES = """
from arena import Agent, Game, Rng


class Texts(Game[tuple[int, int], int]):
    def moves(self, state: tuple[int, int]) -> list[str]:
        return []


class Mixed(Agent[tuple[int, int], int]):
    def choose(self, state: tuple[int, int], moves: list[int], rng: Rng) -> int:
        return self.game.play(state, "x")
"""


def checked(path, cwd):
    environ = {**os.environ, "MYPYPATH": os.pathsep.join(map(str, (ROOT, ROOT / "plugins")))}
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        "",
        "--follow-imports",
        "silent",
        path,
    ]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environ)


@pytest.mark.slow
def test_what_authors_write_with_types_is_clean_and_mistakes_are_found(tmp_path):
    pytest.importorskip("mypy")
    done = checked(str(ROOT / "tests" / "helpers" / "typed_nim.py"), tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    done = checked("mistakes.py", tmp_path)
    found = [line.partition("error: ")[2] for line in done.stdout.splitlines() if "error: " in line]
    assert [text.rpartition("[")[2] for text in found] == ["override]", "return-value]", "arg-type]"]


def test_a_class_is_the_same_with_and_without_types():
    assert Game[int, int] is Game
    assert Agent[int, int] is Agent
    assert Learner[int, int] is Learner
    assert Evaluation[int] is Evaluation
    assert typed_nim.Nim.__mro__[1] is Game


def test_a_game_and_agents_with_types_are_compiled():
    game = with_compiled_rules(typed_nim.Nim())
    assert is_compiled(game)
    for cls in (typed_nim.Eager, typed_nim.Lazy, typed_nim.Learns):
        agent = cls(game)
        assert is_compiled(agent)
        assert agent.choose((5, 0), [1, 2, 3], Rng(1)) in (1, 2, 3)


@pytest.mark.slow
def test_what_calls_give_back_has_types(tmp_path):
    assert typed_nim.results(str(tmp_path / "arena.db"))[0] == "eager"
