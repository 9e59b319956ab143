"""Types of the database's columns, checked on reading, since anyone may edit a database by hand."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from arena.errors import ArenaError
from arena.results.settings import Settings, recorded

Thing = TypeVar("Thing")

Count = Annotated[int, Meta(ge=0, lt=2**53)]
Seed = Annotated[int, Meta(ge=0)] | str  # text since migration 9
Mean = Annotated[float, Meta(ge=0, le=1e9)]
Probability = Annotated[float, Meta(ge=-1e-6, le=1 + 1e-6)]
Amount = Annotated[float, Meta(ge=0, le=1e300)]
Reading = Annotated[float, Meta(ge=-1e300, le=1e300)]  # usage of a move; scores may be negative
Rating = Annotated[float, Meta(ge=-1e9, le=1e9)]
Kind = Literal["chance", "fixed", "copy", "withdrawn"]


# settings that every tournament must record, since no default of `Settings` applies
STATED = ("entries", "format", "openings", "max_plies", "move_seconds")


# rows as the queries return them, column by column
TOURNAMENT = tuple[int, str, str, Seed, str, str, str, Count, str, str | None, Count, str]
CODE = tuple[int, str, str]
PAIRING = tuple[str, str, Kind, Count, Count, Count, Count, Count]
EXACT = tuple[
    str, str, Probability, Probability, Probability, Probability, Probability, Mean, Mean, Mean, Mean, Mean
]
AGAINST_PERFECT = tuple[str, Rating, Rating, str | None]
FORFEIT = tuple[str, Count, str, str]
FAULTS = tuple[str, Count, str, str, Count]
EFFORT = tuple[str, float, Count]
OPTIONS = tuple[str, str]
FAILURE = tuple[Count, Literal[-1, 0, 1], str]
RESULT = tuple[str, str, Literal[-1, 0, 1], str]
WHOLE = tuple[str, str, Literal[-1, 0, 1], str, str | None, Count, str, str | None]
NUMBER = tuple[Count]
USAGE = tuple[str, str, Reading]
USED = tuple[Count, Count, str, str, Reading]
USED_BY_ID = tuple[Count, Count, int, str, Reading]
LEARNED = tuple[str, str, str, Count, Amount]
STORY = tuple[Count, str, str, str, str, str, str]
MATCH = tuple[
    Count, Count, int, int, Literal[-1, 0, 1], str, str | None, Count, Count, str, Literal[0, 1, 2], float,
    float, str | None,
]  # fmt: skip
# of a match: number, round, result, plies, opening, chance, seconds of both, reason, detail
MATCH_NUMBERS = tuple[
    Count, Count, Literal[-1, 0, 1], Count, Count, Literal[0, 1, 2], float, float, str, str | None
]
CHECKED = tuple[str, str]
ELO = tuple[str, Rating]
ELO_AFTER = tuple[Count, int, Rating]
OUTCOME = tuple[Count, int, int, Literal[-1, 0, 1], Literal[0, 1], str, str | None]
MOVES = tuple[Count, str, str | None]
ENTRY = tuple[str, int]


def checked(rows: list[object], kind: Any, what: str) -> list[object]:
    """Return rows after validating each as `kind`; raise ArenaError naming `what` if one is invalid."""
    try:
        return msgspec.convert(rows, list[kind])
    except msgspec.ValidationError as error:
        raise altered(what, str(error)) from error


def decoded(text: str, kind: type[Thing], what: str) -> Thing:
    """Decode JSON from a column, validated as `kind`, without dropping unknown fields.

    Raises:
        ArenaError: If the text is not valid.
    """
    try:
        found: Thing = msgspec.json.decode(text)
        msgspec.convert(found, kind)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise altered(what, str(error)) from error
    return found


def settings_in(text: str, what: str) -> Settings:
    """Decode the settings in a tournament's row; raise ArenaError if they are invalid or incomplete."""
    values = decoded(text, dict[str, Any], what)
    if missing := [name for name in STATED if name not in values]:
        raise altered(what, f"its settings lack {missing[0]!r}")
    try:
        settings = recorded(values)
    except (msgspec.ValidationError, ArenaError) as error:
        raise altered(what, str(error)) from error
    if settings.pairs == 0:
        raise altered(what, "its settings do not give the number of matches")
    return settings


def altered(what: str, how: str) -> ArenaError:
    """Return the error for content that arena did not write."""
    return ArenaError(f"{what} was altered, or is damaged: {how}; restore it from a backup")
