"""Usage that an agent reports for a move: tokens, nodes or tries; and readings: a score or a clock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from math import nan
from typing import Any, NamedTuple

NAMES = 16  # at most, for one move
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
LARGEST = 2.0**53  # whole numbers up to this are exact as float
SCORE = "score"  # value of the move for the side to move, may be negative
READINGS = frozenset({SCORE, "clock", "depth"})  # numbers whose sums are meaningless
ATTRIBUTE = "move_usage"  # the attribute in which an agent reports it


class Used(NamedTuple):
    """Usage of one move.

    Attributes:
        ply: Number of the ply, from 1.
        seat: Who moved, 0 or 1.
        amounts: Amounts by name.
    """

    ply: int
    seat: int
    amounts: Mapping[str, float]


def taken(agent: object) -> dict[str, float]:
    """Take the usage that an agent reported for its last move, sorted by name, and clear it."""
    try:
        said = vars(agent).pop(ATTRIBUTE, None)
    except BaseException:  # an agent may be of any class
        return {}
    return bounded(said) if type(said) is dict else {}


def bounded(said: Mapping[object, object]) -> dict[str, float]:
    """Return what can be recorded: numbers from 0 to `LARGEST` among the first `NAMES` names, sorted by name.

    A score may be negative, down to -`LARGEST`.
    """
    amounts = {}
    for name, number in islice(said.items(), NAMES):
        amount = amount_of(number)
        least = -LARGEST if name == SCORE else 0
        if type(name) is str and NAME.fullmatch(name) and least <= amount <= LARGEST:
            amounts[name] = amount
    return dict(sorted(amounts.items()))


def amount_of(number: Any) -> float:
    """Convert a number to float; anything else is NaN."""
    try:
        return nan if isinstance(number, str | bytes) else float(number)
    except BaseException:  # it may be anything
        return nan


def plain(amount: float) -> float:
    """Return a float as an int if it is a whole number."""
    return int(amount) if amount == int(amount) else amount
