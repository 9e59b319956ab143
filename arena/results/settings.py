"""The settings of a tournament: everything that decides it besides the code that plays."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.errors import ArenaError
from arena.streams import LARGEST, read_seed, seed_in_json


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a pairing went elsewhere, in per cent of its matches, from the first player's side."""

    first: str
    second: str
    wins: float
    draws: float
    losses: float


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a tournament file may say. None stands for a default that depends on the rest.

    Nothing changes settings: `msgspec.structs.replace` makes others of them.
    """

    game: str | None = None
    entries: list[str] | None = None  # each `minimax:depth=2`, `A=minimax:depth=2`, or a table as below
    names: dict[str, str] | None = None  # what tables call entries, by their texts
    seeds: dict[str, list[str]] | None = None  # learners that were entered with several, which are entries
    format: str = "round-robin"
    rounds: int | None = None  # None: as the format has it
    optional_stopping: bool = False  # whether that ends once differences are clear; not for users to say
    added: list[int] | None = None  # how many entries there were before each time that some were added
    matches: int | None = None  # of a match between two, in place of rounds
    sprt: list[float] | None = None  # of such a match: low, high, alpha, beta
    seed: int | None = None  # or a text, `0x…`; None: a new one of 128 bits
    streams: int | None = None  # 1 repeats what was played before seeds had 128 bits; None: the newest scheme
    shard: str | None = None  # `3/8`: of the matches those of the third of eight machines
    openings: str = "none"  # or `random:N`, or a book: `FILE`, `FILE:N` for the first N plies of each line
    book: list[str] | None = None  # the lines of that, once they have been read
    max_plies: int | None = None
    adjudicate: bool | int | None = None  # by endings of up to so many pieces; true: as many as are kept
    move_seconds: float = 0.0
    clock: str | None = None  # `60+0.6`: seconds for a match, and what each move adds
    equal_time: float | None = None  # seconds that a move of each entry with a budget was to take
    stall_seconds: float | None = None
    isolate: bool | str | list[str] | None = None  # entries in the sandbox; `strict`: all; None: from files
    withdraw_after: int | None = None  # crashes and stalls, 0 = never; None: 3
    stall_once: bool | None = None  # one from a file is withdrawn by its first stall; None: if that is None
    exact: bool = False  # evaluated, and not played
    published: list[Published] | None = None  # to be shown beside the results
    files: dict[str, str] | None = None  # where agents and games lie that are called `alice.py`
    left_out: dict[str, str] | None = None  # files and agents that do not play, and why

    @property
    def two_entries(self) -> bool:
        """Whether it is a match between two entries, from `arena match`, and not a tournament."""
        return self.format == "match"

    @property
    def pairs(self) -> float:
        """How many times two entries meet from both seats."""
        return (self.matches or 0) / 2 if self.two_entries else self.rounds or 0

    def stated(self) -> dict[str, Any]:
        """Return what is set, by name, as JSON takes it and as it is recorded."""
        found = {name: value for name, value in msgspec.to_builtins(self).items() if value is not None}
        return found | {"seed": seed_in_json(found["seed"])} if "seed" in found else found


def recorded(values: dict[str, Any]) -> Settings:
    """Return settings that a database has, also one of an earlier version.

    Args:
        values: What was recorded, by name. Names that this version does not know are left out.

    Raises:
        msgspec.ValidationError: If a value is of the wrong type.
        ArenaError: If a number is negative, or larger than any seed.
    """
    known = {name: values[name] for name in Settings.__struct_fields__ if name in values}
    if isinstance(seed := known.get("seed"), str):
        known["seed"] = read_seed(seed)
    known.setdefault("streams", 1)  # before schemes of streams were recorded
    known.setdefault("withdraw_after", 0)  # before entries were withdrawn
    for name, value in known.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, int | float) and not 0 <= number <= LARGEST for number in numbers):
            raise ArenaError(f"{name} is {value}")
    return msgspec.convert(known, Settings)
