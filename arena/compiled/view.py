"""What Python calls of compiled rules and agents. `G`, the rules, is a constant here: an argument that costs
nothing, where one of its own type would cost more than most of these functions."""

from __future__ import annotations

from typing import Any

from arena.kernel import Float, Floats, Int, Ints, State, ask, pointer

G: Any = None


def moves(s: State, buf: Ints) -> Int:
    n: int = G.moves(s, pointer(buf), 0)
    return n


def play(s: State, m: Int) -> State:
    return G.play(s, m)


def value(s: State) -> Int:
    value: int = G.value(s)
    return value


def progress(s: State, m: Int) -> Int:
    step: int = G.progress(s, m)
    return step


def evaluate(s: State) -> Float:
    value: float = G.evaluate(s)
    return value


def features(s: State, buf: Floats) -> Int:
    n: int = G.features(s, pointer(buf), 0)
    return n


def choose(kernel: Int, s: State, n: Int, work: Ints, stream: Ints, arrays: Ints) -> Int:
    """What the kernel at an address says."""
    return ask(kernel, G, s, n, pointer(work), pointer(stream), pointer(arrays))
