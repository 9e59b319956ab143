"""The settings of a season: the file `season.toml`, and the paths of a season."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from arena.api.options import is_named
from arena.errors import ArenaError, did_you_mean
from arena.file_io import read_given
from arena.results.settings import Settings, check_range
from arena.rng import read_seed
from arena.sandbox.limits import Most
from arena.texts import call

FILE = "season.toml"
DATABASE = "season.db"
BOTS = "bots"  # default folder of the players, next to the file


class SeasonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings in `season.toml`."""

    game: str | None = None
    bots: str | None = None  # folder of the players, relative to the file's folder
    db: str | None = None
    site: str | None = None  # folder of web pages
    baselines: list[str] = []  # installed agents that play and anchor the ratings
    rounds: int = 5  # matches per pairing of versions and seat
    within: float | None = None  # target half-width of rating intervals in Elo points; see `needed_for`
    matches: int | None = None  # maximum number of matches of an update
    minutes: float | None = None  # time limit for the matches of an update
    forfeits: int = 3  # number of forfeits after which a version is withdrawn
    training_seconds: float = 120.0  # time limit for training a learner
    coach_seconds: float = 60.0  # time limit of an update for coaching on the web pages; 0: no coaching
    trust: bool = False  # play without a sandbox
    memory_mb: int = 4096  # limits of a player's sandbox
    processor_seconds: int = 3600
    disk_mb: int = 64
    threads: int = 64
    faults: Literal["public", "hidden"] = "public"  # whether the web pages say why matches were forfeited
    players: dict[str, str] = {}  # names of players by file name
    seed: int | str | None = None
    openings: str = "none"
    max_plies: int | None = None
    move_seconds: float = 0.0
    clock: str | None = None
    stall_seconds: float | None = None


RANGES = {
    "rounds": (1, 10**6),
    "within": (5, 4000),
    "matches": (1, 10**9),
    "minutes": (0.01, 10**6),
    "forfeits": (1, 10**6),
    "training_seconds": (1, 10**7),
    "coach_seconds": (0, 10**7),
    "memory_mb": (256, 1 << 20),
    "processor_seconds": (1, 10**7),
    "disk_mb": (1, 1 << 20),
    "threads": (1, 1 << 16),
}
TAKES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list of texts",
    "object": "a table of texts",
}


@dataclass(frozen=True)
class Place:
    """Paths of a season's players and of its results.

    Attributes:
        bots: Folder of the players.
        db: Path of the database.
        settings: The settings.
        file: Whether the settings are from a `season.toml`.
    """

    bots: Path
    db: Path
    settings: SeasonSettings
    file: bool

    @property
    def folder(self) -> str:
        """The folder of the players relative to the database, so that both can be moved together."""
        return Path(os.path.relpath(self.bots, self.db.parent)).as_posix()

    @property
    def code(self) -> Path:
        """The folder with the code of all versions, next to the database."""
        return code_folder(self.db)


def code_folder(db: Path | str) -> Path:
    """Return the folder in which a season keeps the code of all versions."""
    path = Path(db)
    return path.with_name(f"{path.stem}-code")


def find(folder: str | Path | None, db: str | Path | None, given: dict[str, Any]) -> Place:
    """Return the paths and settings of a season.

    Args:
        folder: The folder with `season.toml`, or the folder of the players, or the file itself. Default: the
            current folder, which must have a `season.toml`.
        db: Path of the database. Default: as stated in the file, or `season.db`.
        given: Settings that take precedence over those in the file, by name.

    Raises:
        ArenaError: If the folder does not exist, or a setting is invalid.
    """
    asked = Path(folder) if folder is not None else Path()
    if asked.name == FILE:
        asked = asked.parent
    if not asked.is_dir():
        raise ArenaError(f"there is no folder {asked}; pass the folder of the players, or one with {FILE}")
    file = next((place / FILE for place in (asked, asked / "..") if (place / FILE).is_file()), None)
    settings = read(file) if file else SeasonSettings()
    home = Path()
    if file:
        home = asked if file.parent == asked else Path(folder or "").parent
        bots = home / (settings.bots or (BOTS if (home / BOTS).is_dir() else "."))
        if file.parent != asked and bots.resolve() != asked.resolve():  # a file for another folder
            file, settings, home = None, SeasonSettings(), Path()
    if not file:
        if folder is None:
            begin = call("new", "season", "autumn")
            raise ArenaError(f"there is no {FILE} here; pass the folder of the players, or run '{begin}'")
        bots = asked
    settings = checked(replace(settings, **typed(given)), "")
    if not bots.is_dir():
        raise ArenaError(f"{file}: bots is {settings.bots!r}, and there is no such folder; create {bots}")
    found = Path(db) if db is not None else home / (settings.db or DATABASE)
    if settings.site is not None and given.get("site") is None:
        settings = replace(settings, site=str(home / settings.site))
    return Place(bots, found, settings, file is not None)


def read(file: Path) -> SeasonSettings:
    """Return the settings in a file.

    Raises:
        ArenaError: If the file cannot be read or a setting is invalid.
    """
    try:
        values = tomllib.loads(read_given(file).decode("utf-8-sig"))
    except OSError as error:
        raise ArenaError(f"cannot read {file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{file} is not TOML: {error}") from error
    try:
        return checked(msgspec.convert(typed(values), SeasonSettings), f"{file}: ")
    except msgspec.ValidationError as error:
        raise ArenaError(f"{file}: {error_text(error, values)}") from error


def typed(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are not None, with a seed that is text converted to a number."""
    found = {name: value for name, value in values.items() if value is not None}
    if isinstance(seed := found.get("seed"), str):
        found["seed"] = read_seed(seed)
    return found


def checked(settings: SeasonSettings, where: str) -> SeasonSettings:
    """Return the settings; raise ArenaError, with a message that begins with `where`, if one is invalid."""
    try:
        for name, (low, high) in RANGES.items():
            if (value := getattr(settings, name)) is not None:
                check_range(name, value, low, high)
        for file, player in settings.players.items():
            check_player(player, f"players: {file}")
    except ArenaError as error:
        raise ArenaError(f"{where}{error}") from error
    return settings


def check_player(name: str, where: str) -> None:
    """Raise ArenaError unless a name is valid for a player. where: source of the name, for the message."""
    if not re.fullmatch(r"[^\W\d][\w.-]{0,59}", name) or not is_named(f"{name}.py") or name.endswith("."):
        raise ArenaError(
            f"{where} is {name!r}, which is not a valid player name; use a letter followed by up to "
            "59 letters, digits, '.', '-' and '_'"
        )


def error_text(error: msgspec.ValidationError, values: dict[str, Any]) -> str:
    """Return an error of msgspec as a message, such as `rounds takes a whole number, not 'many'`."""
    text = str(error).replace("`", "'")
    if unknown := re.search(r"unknown field '(.+?)'", text):
        return f"unknown setting {unknown[1]!r}{did_you_mean(unknown[1], SeasonSettings.__struct_fields__)}"
    if "faults" in text:
        return f"faults takes 'public' or 'hidden', not {values['faults']!r}"
    wrong = re.fullmatch(r"Expected '(\w+).*' - at '\$\.(\w+).*'", text)
    if not wrong or wrong[1] not in TAKES:
        return text
    value = values[wrong[2]]
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"{wrong[2]} takes {TAKES[wrong[1]]}, not {shown}"


def most_of(settings: SeasonSettings) -> Most:
    """Return the limits of players' sandboxes."""
    memory, disk = settings.memory_mb << 20, settings.disk_mb << 20
    return Most(memory, settings.processor_seconds, disk, settings.threads)


def seed_of(seed: int, update: int) -> int:
    """Return the seed of an update of a season, derived one-way from the seed of the season."""
    return int.from_bytes(blake2b(f"season {seed} {update}".encode(), digest_size=16).digest(), "big")


def of_tournament(settings: SeasonSettings, game: str, seed: int) -> Settings:
    """Return the settings of an update's tournament, without its entries and stages."""
    return Settings(
        game=game,
        format="season",
        seed=seed,
        openings=settings.openings,
        max_plies=settings.max_plies,
        move_seconds=settings.move_seconds,
        clock=settings.clock,
        stall_seconds=settings.stall_seconds,
        withdraw_after=settings.forfeits,
        stall_once=True,
    )
