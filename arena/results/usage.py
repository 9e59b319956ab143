"""What a move took by its agent's own count: tokens, nodes, tries; and readings: a score, a clock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from math import nan
from typing import Any, NamedTuple

NAMES = 16  # that one move may have
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
LARGEST = 2.0**53  # up to which whole numbers are exact
SCORE = "score"  # what the move is worth to the mover, which may be negative
READINGS = frozenset({SCORE, "clock", "depth"})  # numbers that sums say nothing of
ATTRIBUTE = "move_usage"  # in which an agent says it


class Used(NamedTuple):
    """What one move took. ply: 1 is the first of the match. seat: 0 or 1. amounts: by name."""

    ply: int
    seat: int
    amounts: Mapping[str, float]


def taken(agent: object) -> dict[str, float]:
    """What an agent has said of its last move, in the order of names; from then on it has said nothing."""
    try:
        said = vars(agent).pop(ATTRIBUTE, None)
    except BaseException:  # an agent may be of any class
        return {}
    return bounded(said) if type(said) is dict else {}


def bounded(said: Mapping[object, object]) -> dict[str, float]:
    """Return what of this can be recorded: the first `NAMES` names, with numbers from 0 to `LARGEST`.

    A score may be as far below 0.
    """
    amounts = {}
    for name, number in islice(said.items(), NAMES):
        amount = amount_of(number)
        least = -LARGEST if name == SCORE else 0
        if type(name) is str and NAME.fullmatch(name) and least <= amount <= LARGEST:
            amounts[name] = amount
    return dict(sorted(amounts.items()))


def amount_of(number: Any) -> float:
    """Return a number as a float, NaN for what is none."""
    try:
        return nan if isinstance(number, str | bytes) else float(number)
    except BaseException:  # it may be anything
        return nan


def plain(amount: float) -> float:
    """A whole number as an int."""
    return int(amount) if amount == int(amount) else amount
