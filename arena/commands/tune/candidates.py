"""Candidate values of a learner's options, from lists such as `alpha=0.1|0.4` or from ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from arena.api.spec import Spec
from arena.commands.tune.ranges import changed, found_at, number_type, parameter_of
from arena.errors import ArenaError
from arena.registry.plugins import Registry
from arena.rng import Rng, derive

FORM = "write NAME=LOW..HIGH or NAME=VALUE|VALUE, such as alpha=0.05|0.1|0.2"
MOST = 1000  # maximum number of candidates
WIDE = 10  # ranges with at least this ratio of their ends have a logarithmic scale

Choice = Mapping[str, Any]  # a value for each option


class Range(NamedTuple):
    """A range of values of an option.

    Attributes:
        low: Smallest value.
        high: Largest value.
        whole: Whether values are integers.
    """

    low: float
    high: float
    whole: bool

    def at(self, share: float) -> float:
        """Return the value at a fraction of the range, to three digits; a wide range has a log scale."""
        if self.low > 0 and self.high >= WIDE * self.low:
            value = self.low * math.exp(share * math.log(self.high / self.low))
        else:
            value = self.low + share * (self.high - self.low)
        if self.whole:
            return int(value + 0.5)
        return min(max(float(f"{value:.3g}"), self.low), self.high)


def choices_of(spec: Spec, over: object, candidates: int, seed: int, known: Registry) -> list[Choice]:
    """Return the candidates, each with a value for each option.

    If all options have lists of values, the candidates are all combinations. Otherwise they are a Latin
    hypercube sample: `candidates` values from each range are combined at random, so that each occurs once
    (McKay, Beckman & Conover 1979).

    Args:
        spec: The entry.
        over: The values or ranges, by option name or as text.
        candidates: Number of candidates if there is a range.
        seed: Seed of the random numbers.
        known: The registry of plugins.

    Raises:
        ArenaError: If an option cannot be tuned, or there are fewer than two candidates.
    """
    asked = read(over) if isinstance(over, str) else over
    if not isinstance(asked, Mapping) or not asked:
        raise ArenaError(f"no range is given; {FORM}")
    fields = {}
    for name, values in asked.items():
        path = name.replace("-", "_")
        fields[path] = values_of(spec, path, values, name)
    if all(isinstance(values, list) for values in fields.values()):
        rows: list[Sequence[Any]] = [*product(*fields.values())]
    else:
        columns = [column(values, candidates, seed, i) for i, values in enumerate(fields.values())]
        rows = [*zip(*columns, strict=True)]
    found: list[Choice] = [dict(zip(fields, row, strict=True)) for row in dict.fromkeys(map(tuple, rows))]
    if not 2 <= len(found) <= MOST:
        raise ArenaError(f"there are {len(found):,} candidates, but must be from 2 to {MOST:,}; {FORM}")
    for choice in found:
        with_choice(spec, choice, known)  # raises if the agent's class rejects it
    return found


def read(text: str) -> dict[str, object]:
    """Parse values or ranges from the command line, and return them by option name; or raise ArenaError."""
    found: dict[str, object] = {}
    for piece in text.split(","):
        parts = re.fullmatch(r"\s*([^=\s]+)\s*=\s*(\S+)\s*", piece)
        if not parts:
            raise ArenaError(f"{piece.strip()!r} is not a range; {FORM}")
        name, values = parts.groups()
        if name in found:
            raise ArenaError(f"{name} has two ranges; leave out one")
        ends = re.fullmatch(r"(.+?)\.\.(.+)", values)
        found[name] = ends.groups() if ends else values.split("|")
    return found


def values_of(spec: Spec, path: str, values: object, name: str) -> list[Any] | Range:
    """Return the values or the range of an option, parsed as the option's type, or raise ArenaError."""
    keys = path.split(".")
    part, option = found_at(spec, keys, name)
    if keys[-1] in ("seed", "seeds", "checkpoint", "checkpoints"):
        raise ArenaError(f"{name} determines the trainings and cannot be tuned; name another option")
    if isinstance(values, list):
        try:
            return [option.read(value) for value in values]
        except ValueError as error:
            raise ArenaError(f"{name} of {spec.text} takes {option.describe()}; use such values") from error
    one = parameter_of(spec, part, option, keys, values)
    return Range(one.low, one.high, number_type(option.type) is int)


def column(values: list[Any] | Range, many: int, seed: int, number: int) -> list[Any]:
    """Return `many` values of option `number`, shuffled except for the first option."""
    if isinstance(values, Range):
        found: list[Any] = [values.at(i / (many - 1)) for i in range(many)]
    else:
        found = [values[i * len(values) // many] for i in range(many)]
    if number:
        Rng(derive(seed, number)).shuffle(found)
    return found


def with_choice(spec: Spec, choice: Choice, known: Registry) -> Spec:
    """Return the entry with the values of a candidate, or raise ArenaError if they are invalid."""
    for name, value in choice.items():
        spec = changed(spec, name.split("."), value)
    return known.spec("agent", spec.text)


def text_of(choice: Choice) -> str:
    """Return the values of a candidate as text, such as `alpha=0.1, epsilon=0.5`."""
    return ", ".join(f"{name}={shown(value)}" for name, value in choice.items())


def shown(value: object) -> str:
    """Return a value as text; a float has up to six digits."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:g}"
    return value.text if isinstance(value, Spec) else str(value)
