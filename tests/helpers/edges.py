"""Values at the edges of types, and methods called with all combinations of them, compiled and plain.

`which` numbers the branches of a method, so that one compilation serves many operations. Not compared is what
plain Python computes with ints of more than 64 bits.
"""

from __future__ import annotations

import itertools
import math
import warnings
from inspect import signature

from arena import Rng
from arena.compiler import plainly
from both_ways import GROUND, compiled, compiles, outcome, same, unlike

EDGES = [-(2**63), -(2**63) + 1, -(2**62), -(2**32), -(2**31) - 1, -(2**31), -(2**15) - 1, -129,
         -128, -65, -64, -63, -17, -5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 31, 39, 40, 41, 63, 64,
         65, 127, 128, 255, 256, 1000, 2**15, 2**16 - 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
         2**53, 2**62, 2**63 - 1]  # fmt: skip
FLOATS = [math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, 1.0, -1.0, 1.5, 2.5, -0.5, -2.5, 3.0,
          -7.25, 5e-324, 1e-310, -1e-310, 1e-160, 1e154, 1e308, -1e308, 9.3e18, -9.3e18, 3.5e38,
          2.0**53, 1e22, 709.9, 0.1]  # fmt: skip
POOLS = {
    "which": lambda cls, name: range(getattr(cls, name).plain.branches),
    "int": lambda *_: EDGES,
    "Small": lambda *_: [-41, -5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 39, 40, 41],
    "float": lambda *_: FLOATS,
    "bool": lambda *_: [False, True],
    "Rng": lambda *_: [7],
}
Small = int  # an int that is about as large as a list may be long


def branches(n):
    """Mark a method whose `which` goes from 0 up to `n`."""

    def marked(method):
        method.branches = n
        return compiled(method)

    return marked


def given(cls, name):
    """All combinations of arguments of a method, by the names and annotations of its parameters."""
    parameters = list(signature(getattr(cls, name)).parameters.values())[1:]
    kinds = ["which" if one.name == "which" else one.annotation for one in parameters]
    return itertools.product(*(POOLS[kind](cls, name) for kind in kinds))


def too_large(result) -> bool:
    """Whether a result has an int of more than 64 bits."""
    if isinstance(result, tuple | list):
        return any(map(too_large, result))
    return isinstance(result, int) and not -(2**63) <= result < 2**63


def differences(cls, name, step):
    """The arguments of a method, each `step`-th of all, for which compiled code does not do the same."""
    plain, fast, found = cls(GROUND), cls(GROUND), []
    compiles(fast, name)
    drawn = "rng" in signature(getattr(cls, name)).parameters
    for args in itertools.islice(given(cls, name), 0, None, step):
        ones, others = (
            [Rng(arg) if drawn and i == 1 else arg for i, arg in enumerate(args)] for _ in range(2)
        )
        with (
            plainly(),
            warnings.catch_warnings(action="ignore"),
        ):  # numpy warns of floats too large for float32
            expected = outcome(plain, name, ones)
        result = outcome(fast, name, others)
        if not too_large(expected[0]) and not same(result, expected):
            found.append(f"{name}{args} compiled: {result}, plainly: {expected}")
        if difference := unlike(plain, fast):
            found.append(f"{name}{args} leaves {difference}")
            plain, fast = cls(GROUND), cls(GROUND)
    return found


def cases(*classes):
    """The classes and names of all methods that are compiled."""
    return [(cls, name) for cls in classes for name, method in vars(cls).items() if hasattr(method, "plain")]
