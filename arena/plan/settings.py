"""Read and check a tournament's settings, from the command line or a TOML file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.errors import ArenaError, did_you_mean
from arena.file_io import read_given
from arena.registry.short_names import check_name
from arena.results.settings import Settings
from arena.rng import read_seed
from arena.texts import argument, either

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
    """An entry with a short name, which tables show."""

    agent: str  # with its options: `minimax:depth=2`
    name: str


def read_file(path: str) -> dict[str, Any]:
    """Return the settings in a tournament file, checked field by field.

    Raises:
        ArenaError: If the file cannot be read, or has settings that are wrong or not for a tournament.
    """
    try:
        values: dict[str, object] = tomllib.loads(read_given(path).decode("utf-8-sig"))
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}; name a tournament in TOML") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path} is not a text in UTF-8: {error.reason} at byte {error.start}") from error
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
        raise ArenaError(f"{path}: 'shard' differs from machine to machine; give it with {argument('shard')}")
    if "optional_stopping" in values:
        raise ArenaError(f"{path}: 'optional_stopping' is decided by the format; leave it out")
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
    """Return settings in which `isolate` and `published` call entries by other texts.

    Args:
        settings: The settings.
        now: The new texts by the old ones; others stay.
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
    """Return a number as Python's own type, for example one of numpy's; anything else unchanged."""
    if isinstance(value, str | bool) or type(value) in (int, float):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def error_text(error: msgspec.ValidationError, values: Any) -> str:
    """Return an error of msgspec in terms of settings: `rounds takes a whole number, not 'many'`."""
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
        raise ArenaError(f"{name} is {value}, and must be from {low} to {high}")
