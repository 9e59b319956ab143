"""Functions of numba in compiled methods: the same results as in plain Python, where numba runs them."""

from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pytest

from arena import Rng
from arena.compiler import jit, plainly, reason
from arena.compiler.errors import CannotCompile
from arena.registry.plugins import registry
from both_ways import Part, both_cases, claims, compiled, compiles
from language import told
from paths import ROOT
from tiers import slow, tiers

numba = pytest.importorskip("numba", exc_type=ImportError)


@numba.njit
def simple(x, n):
    """Compiled from its source."""
    total = 0
    for i in range(n):
        total += i * x
    return total


@numba.njit
def counted(values, low):
    n = 0
    for i in range(len(values)):
        if values[i] > low and simple(i, 2) >= 0:
            n += 1
    return n


@numba.njit
def summed(values):
    """Adds in another order than numpy."""
    return np.sum(np.exp(values)) + values.mean() ** 3


@numba.njit
def layer(weights, x, bias):
    out = np.empty(len(bias))
    for i in range(len(bias)):
        out[i] = np.tanh(np.sum(weights[i] * x) + bias[i])
    return out


@numba.njit(fastmath=True)
def fast(values):
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@numba.njit
def several(n, x, yes):
    return n + 1, np.sqrt(x * x), not yes


@numba.njit
def shifted(values, by):
    values += np.roll(values, 1) * by


@numba.njit
def checked(n):
    if n > 4:
        raise ValueError("too large")
    return np.int64(n) * 2


@numba.njit
def divided(n):
    return np.abs(7) // n


@numba.njit
def outer(n):
    return np.outer(np.arange(n), np.ones(3))


@numba.njit
def listed(n):
    return [n, n]


class Jitted(Part):
    def prepare(self):
        self.x = np.linspace(-1, 1, 57)
        self.w = np.arange(12.0).reshape(3, 4) / 5 - 1
        self.b = np.array([0.5, -0.5, 0.25])

    @compiled
    def from_source(self, a: int):
        return simple(a, 7), simple(a, abs(a)), counted(self.x, a / 10)

    @compiled
    def by_address(self, a: int, b: float):
        return (
            summed(self.x * b / 1e9),
            fast(self.x),
            several(a, b, a > 2),
            told(np.array(several(3, b, True)[:1])),
        )

    @compiled
    def networks(self, a: int):
        h = layer(self.w, np.arange(4) * a / 3, self.b)
        h = layer(self.w, np.ones(4) * h[0], h)
        return h[0], h[1], h[2], len(h)

    @compiled
    def matrices(self, a: int):
        m = outer(abs(a))
        return m.sum(), m.shape

    @compiled
    def changes_an_array(self, b: float):
        shifted(self.x, b)
        y = np.ones(5)
        shifted(y, b)
        return y.sum()

    @compiled
    def exceptions(self, a: int):
        return checked(a)

    @compiled
    def divisions(self, a: int):
        return divided(a)

    @compiled
    def lists(self, a: int):
        return len(listed(a))


QUICK = [(Jitted, name) for name in ("from_source", "exceptions")]


@pytest.mark.parametrize(
    ("cls", "name"), tiers([case for case in claims(Jitted) if case.values[1] != "lists"], quick=QUICK)
)
def test_functions_of_numba(cls, name):
    both_cases(cls, name)


@numba.vectorize
def doubled(x):
    return x * 2.0


@numba.cfunc("float64(float64)")
def halved(x):
    return x / 2


class OtherDecorators(Part):
    """Functions of numba that are not made by `@njit`."""

    @compiled
    def by_vectorize(self, a: float):
        return float(doubled(a))

    @compiled
    def by_cfunc(self, a: float):
        return float(halved(a))


@pytest.mark.parametrize("name", ["by_vectorize", "by_cfunc"])
def test_what_other_decorators_make_is_refused_and_njit_is_named(name):
    with pytest.raises(CannotCompile, match=r"does not compile; of numba's decorators, only @njit does"):
        compiles(OtherDecorators(), name)


def test_lists_of_numba_are_refused():
    with pytest.raises(CannotCompile, match=r"listed returns list; from numba, compiled code takes only"):
        compiles(Jitted(), "lists")


@numba.njit
def writes(values):
    values[0] = np.round(1.5)
    return 1


CONSTANT = np.ones(3)


class Writing(Part):
    @compiled
    def writes(self, a: int):
        return writes(CONSTANT)


def test_a_constant_array_is_not_written_to():
    with pytest.raises(CannotCompile, match="numba does not compile writes"):
        compiles(Writing(), "writes")


@pytest.mark.parametrize("command", [["--help"], *slow(["agents", "greedy"], ["match", "random", "first"])])
def test_numba_is_imported_only_by_authors(command):
    text = f"""
import sys
from arena.cli import main
try:
    main({command!r})
except SystemExit:
    pass
sys.exit("numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=120).returncode == 0


@pytest.mark.slow
def test_the_agent_of_the_guide_runs_compiled_and_plays_the_same(tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    page = (ROOT / "docs" / "how-to" / "use-numba.md").read_text(encoding="utf-8")
    (tmp_path / "arena_windows.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    monkeypatch.syspath_prepend(tmp_path)
    game = registry().spec("game", "connect-four").make()
    agent = importlib.import_module("arena_windows").Windows(game)
    assert reason(agent) is None
    rng, state, compared = Rng(3), game.initial(), 0
    while moves := list(game.moves(state)):
        with plainly():
            expected = agent.choose(state, moves, Rng(1))
        assert agent.choose(state, moves, Rng(1)) == expected
        state, compared = game.play(state, rng.choice(moves)), compared + 1
    assert compared > 6


def test_what_is_compiled_from_its_source():
    assert jit.is_translatable(simple)
    assert jit.is_translatable(counted)
    assert not any(map(jit.is_translatable, (summed, fast, layer, several)))
