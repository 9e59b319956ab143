"""Types of the rows that queries return, checked on reading, since anyone may edit a database by hand."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

Count = Annotated[int, Meta(ge=0, lt=2**53)]
Seed = Annotated[int, Meta(ge=0)] | str  # text since migration 9
Mean = Annotated[float, Meta(ge=0, le=1e9)]
Probability = Annotated[float, Meta(ge=-1e-6, le=1 + 1e-6)]
Amount = Annotated[float, Meta(ge=0, le=1e300)]
Reading = Annotated[float, Meta(ge=-1e300, le=1e300)]  # usage of a move; scores may be negative
Rating = Annotated[float, Meta(ge=-1e9, le=1e9)]
Kind = Literal["chance", "fixed", "copy", "withdrawn"]

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
