"""What a class of a script or notebook names: what lies outside, and not what is its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena.registry.source_classes import named_in

OWN = """
class Mine(Agent):
    def choose(self, state, moves, rng):
        {body}
"""
NAMES = ("Agent",)


@pytest.mark.parametrize(
    ("body", "others"),
    [
        ("return max(moves, key=lambda m: m)", ("max",)),
        ("return [m for m in moves][0]", ()),
        ("return {m: n for m, n in moves}", ()),
        ("for m in moves: return m", ()),
        ("return max(moves, key=lambda m: m + n)", ("max", "n")),
        ("return [m for m in m][0]", ("m",)),
        ("global m; m = 1", ("m",)),
        ("def inner(n): return n + k\n        k = 1; return inner(m)", ("m",)),
        ("with m as n: return n", ("m",)),
        ("try: pass\n        except m as n: return n", ("m",)),
        ("if (m := moves): return m", ()),
        ("return self.m[state.n]", ()),
    ],
)
def test_names_of_its_own_are_not_looked_up(body, others):
    assert sorted(named_in(OWN.format(body=body))) == sorted((*NAMES, *others))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@m\nclass Mine(n, metaclass=k):\n    pass", {"m", "n", "k"}),
        ("def mine(a=m, *, b: n = k) -> j:\n    return a", {"m", "n", "k", "j"}),
        ("class Mine:\n    m = m\n    other: n = option(k)", {"m", "n", "option", "k"}),
        ("class Mine:\n    def one(self): pass\n    two = one", {"one"}),
    ],
)
def test_names_of_its_making_are(text, names):
    assert {*named_in(text)} == names


SCRIPT = """
import sys, arena
from arena.registry.source_classes import source_of

class Best(arena.Agent):
    def choose(self, state, moves, rng):
        return max(moves, key=lambda m: m)

if __name__ == "__main__":
    m = open(__file__) if sys.argv[1] == "file" else int(sys.argv[1])
    print(source_of(Best).digest)
"""


@pytest.mark.slow
def test_a_class_is_the_same_whatever_else_is_called_like_its_variables(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    codes = {
        subprocess.run(
            [sys.executable, "script.py", m], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for m in ("1", "2", "file")
    }
    assert len(codes) == 1
