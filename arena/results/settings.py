"""The settings of a tournament: everything that decides it besides the code that plays."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.errors import ArenaError
from arena.streams import LARGEST, read_seed, seed_in_json

LACKING = ", which the game does not offer"  # ends the reason why an agent that needs more is left out


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A published result of a pairing, in per cent of its matches, from the first player's side."""

    first: str
    second: str
    wins: float
    draws: float
    losses: float


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings in a tournament file. None stands for a default that depends on the other settings.

    Settings are immutable; `msgspec.structs.replace` returns changed copies.
    """

    game: str | None = None
    entries: list[str] | None = None  # each `minimax:depth=2`, `A=minimax:depth=2`, or a table as below
    names: dict[str, str] | None = None  # names for entries in tables, by the entries' texts
    seeds: dict[str, list[str]] | None = None  # the entries made of each learner given with several seeds
    format: str = "round-robin"
    rounds: int | None = None  # None: the format's default
    optional_stopping: bool = False  # whether the format stops once differences are clear; set by arena
    added: list[int] | None = None  # number of entries before each addition of entries
    matches: int | None = None  # of a match between two entries, instead of rounds
    sprt: list[float] | None = None  # of such a match: low, high, alpha, beta
    seed: int | None = None  # or a text `0x…`; None: a new seed of 128 bits
    streams: int | None = None  # 1: as before seeds had 128 bits; None: the newest scheme
    shard: str | None = None  # `3/8`: the matches of the third of eight machines
    openings: str = "none"  # or `random:N`, or a book: `FILE`, `FILE:N` for the first N plies of each line
    book: list[str] | None = None  # the lines of the book, once they have been read
    shared_openings: bool = False  # whether all pairings have the same opening in a round
    max_plies: int | None = None
    adjudicate: bool | int | None = None  # by endings of up to so many pieces; true: all that are stored
    move_seconds: float = 0.0
    clock: str | None = None  # `60+0.6`: seconds for a match, and for each move
    equal_time: float | None = None  # seconds per move to which entries with a budget were set
    stall_seconds: float | None = None
    isolate: bool | str | list[str] | None = None  # sandboxed entries; `strict`: all; None: those from files
    withdraw_after: int | None = None  # crashes and stalls, 0 = never; None: 3
    stall_once: bool | None = None  # withdraw entries from files after one stall; None: if withdraw_after is
    exact: bool = False  # evaluated exactly instead of played
    published: list[Published] | None = None  # shown beside the results
    files: dict[str, str] | None = None  # paths of agents and games from files, by name
    left_out: dict[str, str] | None = None  # files and agents that do not play, with the reason

    @property
    def two_entries(self) -> bool:
        """Whether this is a match between two entries, from `arena match`, rather than a tournament."""
        return self.format == "match"

    @property
    def pairs(self) -> float:
        """The number of times that two entries meet from both seats."""
        return (self.matches or 0) / 2 if self.two_entries else self.rounds or 0

    def stated(self) -> dict[str, Any]:
        """Return the settings that are not None, by name, as JSON types."""
        found = {name: value for name, value in msgspec.to_builtins(self).items() if value is not None}
        return found | {"seed": seed_in_json(found["seed"])} if "seed" in found else found


def recorded(values: dict[str, Any]) -> Settings:
    """Return the settings in a database, which may be of an earlier version.

    Args:
        values: The recorded values by name. Unknown names are ignored.

    Raises:
        msgspec.ValidationError: If a value has the wrong type.
        ArenaError: If a number is negative, or larger than any seed.
    """
    known = {name: values[name] for name in Settings.__struct_fields__ if name in values}
    if isinstance(seed := known.get("seed"), str):
        known["seed"] = read_seed(seed)
    known.setdefault("streams", 1)  # before schemes of streams were recorded
    known.setdefault("withdraw_after", 0)  # before entries were withdrawn
    known.setdefault("shared_openings", True)  # before pairings had openings of their own
    for name, value in known.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, int | float) and not 0 <= number <= LARGEST for number in numbers):
            raise ArenaError(f"{name} is {value}")
    return msgspec.convert(known, Settings)
