"""Programs made at random, run as plain Python and compiled."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from arena import Rng
from arena.compiler import plainly
from arena.compiler.errors import CannotCompile
from both_ways import LIMIT, compiles, outcome, same, unlike
from programs import Outside, look, watched

GIVEN = [(3, 0.5), (0, -2.25), (-7, 4.0)]


def module(text: str, folder: Path, name: str) -> Any:
    """A module with this text, which compiled code can look up."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def watching(text: str, name: str) -> Any:
    """A module with this text in which all numbers are looked at; it never compiles, so it has no file."""
    made = sys.modules[name] = ModuleType(name)
    exec(compile(watched(text), name, "exec"), vars(made))
    vars(made)["look_at_it"] = look
    return made


def unset(one: Any, other: Any) -> bool:
    """Whether both raise that a variable is not set, which comprehensions say otherwise in other versions of Python."""
    return {one[1], other[1]} == {"UnboundLocalError", "NameError"} and same(one[2], other[2])


def trial(text: str, folder: Path, name: str) -> str:
    """What became of a program: `compiled`, without difference; `refused: …`; or `outside` what it reckons.

    AssertionError if it does otherwise compiled.
    """
    found = module(text, folder, name)
    watch = watching(text, name + "_watched")
    try:
        refused = ""
        try:
            compiles(found.Made(), "run")
        except CannotCompile as error:
            refused = f"refused: {error}"
        ran = 0
        for seed, args in enumerate(GIVEN):
            with plainly():
                try:
                    watch.Made().run(*args, Rng(seed))
                except Outside:
                    continue
                except Exception:
                    pass
                plain, given = found.Made(), Rng(seed)
                expected = outcome(plain, "run", (*args, given))
            if refused:
                continue
            fast = found.Made()
            result = outcome(fast, "run", (*args, Rng(seed)), limits=True)
            if result[1] == LIMIT:  # as documented, plain Python goes on
                continue
            assert same(result, expected) or unset(result, expected), (
                f"{args} compiled: {result}, plainly: {expected}"
            )
            difference = unlike(plain, fast)
            assert not difference, f"{args} leaves {difference}"
            ran += 1
        return refused or ("compiled" if ran else "outside")
    finally:
        for each in (name, name + "_watched"):
            del sys.modules[each]
