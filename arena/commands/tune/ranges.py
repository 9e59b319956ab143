"""Options of an entry to tune, with their ranges, such as `depth=2..6,evaluation.king=1..20`."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, Union, get_args, get_origin

from arena.analysis.spsa import Parameter
from arena.api.options import Option, name_in, with_options
from arena.api.spec import Spec
from arena.errors import ArenaError, did_you_mean
from arena.registry.plugins import Registry

Over: TypeAlias = str | Mapping[str, tuple[float, float]]

FORM = "write NAME=LOW..HIGH, such as evaluation.king=1..20"


def parameters_of(spec: Spec, over: Over, known: Registry) -> list[Parameter]:
    """Return the options of an entry to tune, with their ranges.

    Raises:
        ArenaError: If a name is not an option that takes a number, or a range is invalid.
    """
    ranges = read(over) if isinstance(over, str) else dict(over)
    if not ranges:
        raise ArenaError(f"no range is given; {FORM}")
    found = []
    for name, ends in ranges.items():
        path = name.replace("-", "_").split(".")
        part, option = found_at(spec, path, name)
        parameter = parameter_of(spec, part, option, path, ends)
        for value in (parameter.low, parameter.high):
            with_values(spec, [parameter], [value], known)  # raises if the agent's class rejects it
        found.append(parameter)
    if twice := [one.name for one in found if sum(one.name == other.name for other in found) > 1]:
        raise ArenaError(f"{twice[0]} has two ranges; leave out one")
    return found


def read(text: str) -> dict[str, tuple[float, float]]:
    """Parse ranges from the command line, and return them by option name; or raise ArenaError."""
    found: dict[str, tuple[float, float]] = {}
    for piece in text.split(","):
        parts = re.fullmatch(r"\s*([^=\s]+)\s*=\s*(\S+?)\.\.(\S+)\s*", piece)
        try:
            name, low, high = parts.groups() if parts else ("", "", "")
            ends = float(low), float(high)
        except ValueError as error:
            raise ArenaError(f"{piece.strip()!r} is not a range; {FORM}") from error
        if name in found:
            raise ArenaError(f"{name} has two ranges; leave out one")
        found[name] = ends
    return found


def found_at(spec: Spec, path: Sequence[str], name: str) -> tuple[Spec, Option]:
    """Return the entry or nested entry at a path, and its option; or raise ArenaError."""
    part = spec
    for i, key in enumerate(path):
        if key not in part.cls.options:
            what = f"{name!r} is not an option of {spec.text!r}: " if len(path) > 1 else ""
            raise ArenaError(
                f"{what}{name_in(part.text)} has no option {key!r}{did_you_mean(key, part.cls.options)}"
            )
        if i < len(path) - 1:
            if not isinstance(within := part.values[key], Spec):
                raise ArenaError(
                    f"{name!r}: option {key} of {part.text!r} is {within!r}, and has no options to tune"
                )
            part = within
    return part, part.cls.options[path[-1]]


def parameter_of(spec: Spec, part: Spec, option: Option, path: Sequence[str], ends: Any) -> Parameter:
    """Return an option with its range as a parameter to tune, or raise ArenaError."""
    name, kind = ".".join(path), number_type(option.type)
    if kind is None:
        raise ArenaError(f"{name} of {spec.text} takes {option.describe()}; tune one that takes a number")
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError) as error:
        raise ArenaError(f"{name} has the range {ends!r}; use two numbers, LOW and HIGH") from error
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ArenaError(f"{name}={low:g}..{high:g}: LOW must be below HIGH")
    try:
        low, high = (kind(option.read(end)) for end in (low, high))
    except ValueError as error:
        raise ArenaError(f"{name}={low:g}..{high:g}: {name} takes {option.describe()}") from error
    value = part.values[path[-1]]
    start = (low + high) / 2 if value is None else value
    return Parameter(name, low, high, start, kind is int)


def number_type(stated: Any) -> Any:
    """Return int or float if an option has that type, also if it may be None; otherwise None."""
    if get_origin(stated) in (Union, types.UnionType):
        arms = [arm for arm in get_args(stated) if arm is not types.NoneType]
        return number_type(arms[0]) if len(arms) == 1 else None
    return stated if stated in (int, float) else None


def with_values(
    spec: Spec, parameters: Sequence[Parameter], values: Sequence[float], known: Registry
) -> Spec:
    """Return the entry with other values of the parameters, or raise ArenaError if they are invalid."""
    for one, value in zip(parameters, values, strict=True):
        spec = changed(spec, one.name.split("."), value)
    return known.spec("agent", spec.text)


def changed(spec: Spec, path: Sequence[str], value: float) -> Spec:
    """Return a spec with another value of the option at a path."""
    key, *rest = path
    return with_options(spec, **{key: changed(spec.values[key], rest, value) if rest else value})
