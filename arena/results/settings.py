"""Read and check the settings of a tournament.

Settings and code together determine a tournament. An entry may have a short name for tables:
`A=alpha-beta:depth=6`, or `name` in a tournament file. Results are stored under the full text of an entry,
whatever its short name.
"""

from __future__ import annotations

import operator
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, SupportsIndex

import msgspec
from msgspec.structs import replace

from arena.errors import ArenaError, did_you_mean, safe_text
from arena.file_io import read_given
from arena.rng import LARGEST_SEED, read_seed, seed_in_json
from arena.texts import argument, either

LACKING = ", which the game does not offer"  # suffix of the reason why an agent is left out


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A published result of a pairing, in per cent of its matches, from the first player's side."""

    first: str
    second: str
    wins: float
    draws: float
    losses: float


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings in a tournament file. None means a default that depends on the other settings.

    Settings are immutable; `msgspec.structs.replace` returns changed copies.
    """

    game: str | None = None
    entries: list[str] | None = None  # `minimax:depth=2`, `A=minimax:depth=2`, or a table like `Named`
    names: dict[str, str] | None = None  # short names for tables, by the entries' texts
    seeds: dict[str, list[str]] | None = None  # the entries created from each learner with several seeds
    format: str = "round-robin"
    rounds: int | None = None  # None: the format's default
    optional_stopping: bool = False  # whether the format stops once differences are clear; set by arena
    added: list[int] | None = None  # number of entries before each addition of entries
    matches: int | None = None  # for a match between two entries, instead of rounds
    sprt: list[float] | None = None  # for a match between two entries: low, high, alpha, beta
    seed: int | None = None  # or a text `0x…`; None: a new seed of 128 bits
    streams: int | None = None  # 1: the scheme before 128-bit seeds; None: the newest scheme
    shard: str | None = None  # `3/8`: the matches for the third of eight machines
    openings: str = "none"  # or `random:N`, or a book: `FILE`, `FILE:N` for the first N plies of each line
    book: list[str] | None = None  # the lines of the book, once they have been read
    shared_openings: bool = False  # whether all pairings have the same opening in a round
    max_plies: int | None = None
    adjudicate: bool | int | None = None  # by endings with up to this many pieces; true: all stored endings
    move_seconds: float = 0.0
    clock: str | None = None  # `60+0.6`: seconds for a match, and for each move
    equal_time: float | None = None  # seconds per move for which budgets were set
    stall_seconds: float | None = None
    isolate: bool | str | list[str] | None = None  # sandboxed entries; `strict`: all; None: those from files
    withdraw_after: int | None = None  # crashes and stalls, 0 = never; None: 3
    stall_once: bool | None = None  # withdraw entries from files after one stall; None: if not withdraw_after
    exact: bool = False  # whether results are computed exactly instead of played
    published: list[Published] | None = None  # shown beside the results
    files: dict[str, str] | None = None  # paths of agents and games from files, by name
    stages: list[tuple[int, list[tuple[int, int]]]] | None = None  # for seasons: rounds and pairings
    left_out: dict[str, str] | None = None  # files and agents that are left out, with the reason

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
    """Return the settings recorded in a database, possibly by an earlier version.

    Args:
        values: The recorded values by name. Unknown names are ignored.

    Raises:
        msgspec.ValidationError: If a value has the wrong type.
        ArenaError: If a number is negative, or larger than any seed.
    """
    known = {name: values[name] for name in Settings.__struct_fields__ if name in values}
    if isinstance(seed := known.get("seed"), str):
        known["seed"] = read_seed(seed)
    known.setdefault("streams", 1)  # recorded before stream schemes existed
    known.setdefault("withdraw_after", 0)  # recorded before withdrawal existed
    known.setdefault("shared_openings", True)  # recorded before pairings had their own openings
    for name, value in known.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, int | float) and not 0 <= number <= LARGEST_SEED for number in numbers):
            raise ArenaError(f"{name} is {value}")
    return msgspec.convert(known, Settings)


SEEDS = 2**63
STALL_SECONDS = 60.0  # default time limit after which an agent or game is stopped
TAKES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list of texts",
}


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An entry with a short name for use in tables."""

    agent: str  # with its options: `minimax:depth=2`
    name: str


def read_file(path: str) -> dict[str, Any]:
    """Return the settings in a tournament file, checked field by field.

    Raises:
        ArenaError: If the file cannot be read, or has settings that are invalid or not for tournaments.
    """
    try:
        values: dict[str, object] = tomllib.loads(read_given(path).decode("utf-8-sig"))
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}; name a tournament in TOML") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{path} is not TOML: {error}") from error
    try:
        if isinstance(entries := values.get("entries"), list):
            values["entries"] = [in_one_text(entry) for entry in entries]
        settings_of(values)
    except ArenaError as error:
        raise ArenaError(f"{path}: {error}") from error
    for name in ("matches", "sprt"):
        if name in values:
            match = either("arena match", "arena.match")
            raise ArenaError(f"{path}: {name!r} is for '{match}'; a tournament has 'rounds'")
    if "shard" in values:
        raise ArenaError(f"{path}: 'shard' differs from machine to machine; set it with {argument('shard')}")
    if "optional_stopping" in values:
        raise ArenaError(f"{path}: 'optional_stopping' is determined by the format; leave it out")
    if "stages" in values:
        raise ArenaError(f"{path}: 'stages' is for seasons only; set a 'format'")
    if "book" in values:
        raise ArenaError(f"{path}: 'book' cannot be set; write it to a file, and set openings = 'FILE'")
    return values


def in_one_text(entry: object) -> object:
    """Return a table entry of a file as one text, `A=minimax:depth=2`; other entries unchanged."""
    if not isinstance(entry, dict):
        return entry
    try:
        found = msgspec.convert(entry, Named)
    except msgspec.ValidationError as error:
        text = str(error).replace("`", "'")
        raise ArenaError(f"entries: {text}; an entry has 'agent' and 'name'") from error
    check_name(found.name)
    return f"{found.name}={found.agent}"


def settings_of(values: dict[str, object]) -> Settings:
    """Return settings from values by name, each converted to its type.

    Raises:
        ArenaError: If a name is unknown or a value has the wrong type.
    """
    values = {name: own_number(value) for name, value in values.items()}
    if isinstance(seed := values.get("seed"), str):
        values["seed"] = read_seed(seed)
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise ArenaError(error_text(error, values)) from error


def renamed(settings: Settings, now: Mapping[str, str]) -> Settings:
    """Return settings in which `isolate` and `published` refer to entries by new texts.

    Args:
        settings: The settings.
        now: The new texts, by old text; other texts are unchanged.
    """
    isolate = settings.isolate
    if isinstance(isolate, list):
        isolate = [now.get(text, text) for text in isolate]
    published = settings.published and [
        replace(row, first=now.get(row.first, row.first), second=now.get(row.second, row.second))
        for row in settings.published
    ]
    return replace(settings, isolate=isolate, published=published)


def own_number(value: object) -> Any:
    """Return a number, such as a numpy scalar, as a built-in type; other values unchanged."""
    if isinstance(value, str | bool) or type(value) in (int, float):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def error_text(error: msgspec.ValidationError, values: Any) -> str:
    """Return the text of a msgspec error in terms of settings: `rounds takes a whole number, not 'many'`."""
    text = str(error).replace("`", "'")
    if unknown := re.search(r"unknown field '(.+?)'", text):
        return f"unknown setting {unknown[1]!r}{did_you_mean(unknown[1], Settings.__struct_fields__)}"
    wrong = re.fullmatch(r"Expected '(\w+).*' - at '\$\.(\w+)(?:\[(\d+)\])?'", text)
    if not wrong or wrong[1] not in TAKES:
        return text
    wanted, name, index = wrong.groups()
    takes = "true or a number of pieces" if name == "adjudicate" else TAKES[wanted]
    value, place = (values[name], name) if index is None else (values[name][int(index)], f"{name}[{index}]")
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"{place} takes {takes}, not {shown}"


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise ArenaError unless low <= value <= high."""
    if not low <= value <= high:
        raise ArenaError(f"{name} is {value}, but must be from {low} to {high}")


def whole_number(name: str, value: SupportsIndex) -> int:
    """Return an integer as an int, or raise ArenaError."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise ArenaError(f"{name} takes a whole number, not {safe_text(repr, value)}") from error


SHORT_NAME = r"[^\W_](?:[\w .+#-]{0,22}[\w.+#-])?"
WITH_SHORT_NAME = re.compile(rf"({SHORT_NAME})=(.+)", re.DOTALL)


def split_name(text: str) -> tuple[str, str]:
    """Split a short name off an entry's text, and return both; the name is empty if there is none."""
    found = WITH_SHORT_NAME.fullmatch(text)
    return (found[1], found[2]) if found else ("", text)


def check_name(name: str) -> None:
    """Raise ArenaError unless a text is a valid short name."""
    if not re.fullmatch(SHORT_NAME, name):
        raise ArenaError(
            f"{name!r} is not a valid name of an entry; use 1 to 24 letters, digits, spaces and . + # - _, "
            "a letter or digit first"
        )


def check_names(texts: Sequence[str], names: Mapping[str, str]) -> None:
    """Raise ArenaError unless each short name is valid and refers to one entry.

    Args:
        texts: All entries.
        names: Short names, by entry.
    """
    for text, name in names.items():
        check_name(name)
        others = [other for other in texts if other != text and name in (other, names.get(other))]
        if others:
            raise ArenaError(f"{name!r} names both {text!r} and {others[0]!r}; use different names")


def names_by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return short names by entry, from pairs of name and entry; pairs with an empty name are left out.

    Raises:
        ArenaError: If an entry has two names.
    """
    found: dict[str, str] = {}
    for name, text in pairs:
        if name and found.setdefault(text, name) != name:
            raise ArenaError(f"entry {text!r} has two names, {found[text]!r} and {name!r}; leave one out")
    return found


def unambiguous(names: Mapping[str, str], texts: Sequence[str]) -> dict[str, str]:
    """Return the short names, by entry, that refer to a single entry and are not in `texts`."""
    times = Counter(names.values())
    return {text: name for text, name in names.items() if times[name] == 1 and name not in texts}
