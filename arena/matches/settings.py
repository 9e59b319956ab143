"""A tournament's settings, from the command line or a TOML file, checked before anything is played."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena.api.agent import check_needs, missing_capabilities, missing_needs
from arena.api.foreign import Failed, foreign
from arena.api.format import FixedFormat, Format, Stage
from arena.api.game import Game
from arena.api.options import required
from arena.api.quiet import quiet
from arena.api.rulings import blaming, check_declared, check_position
from arena.api.spec import Spec
from arena.errors import ArenaError, did_you_mean
from arena.matches.book import texts_of
from arena.matches.limits import Clock, Limits
from arena.matches.openings import Openings
from arena.matches.schedule import Plan, Schedule, checked
from arena.matches.seeds import apart, checkpoints, times, together
from arena.registry.files import FileSpec
from arena.registry.plugins import Registry
from arena.registry.short_names import check_name, check_names
from arena.texts import on_one_line

SEEDS = 2**63
STALL_SECONDS = 60.0  # after which who goes on and on is stopped, unless told otherwise
WITHDRAW_AFTER = 3  # crashes and stalls, after which an entry's other matches are not played; 0 = never
STALL_SECONDS_OF_FILES = 10.0  # likewise, where agents from files play
TAKES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list of texts",
}


class Published(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How a pairing went elsewhere, in per cent of its matches, from the first player's side."""

    first: str
    second: str
    wins: float
    draws: float
    losses: float


class Named(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An entry with a short name, by which tables call it."""

    agent: str  # with its options: `minimax:depth=2`
    name: str


class Settings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What a tournament file may say. None stands for a default that depends on the rest."""

    game: str | None = None
    entries: list[str] | None = None  # each `minimax:depth=2`, `A=minimax:depth=2`, or a table as below
    names: dict[str, str] | None = None  # what tables call entries, by their texts
    seeds: dict[str, list[str]] | None = None  # learners that were entered with several, which are entries
    format: str = "round-robin"
    rounds: int | None = None  # None: as the format has it
    added: list[int] | None = None  # how many entries there were before each time that some were added
    matches: int | None = None  # of a match between two, in place of rounds
    sprt: list[float] | None = None  # of such a match: low, high, alpha, beta
    seed: int | None = None
    openings: str = "none"  # or `random:N`, or a book: `FILE`, `FILE:N` for the first N plies of each line
    book: list[str] | None = None  # the lines of that, once they have been read
    max_plies: int | None = None
    move_seconds: float = 0.0
    clock: str | None = None  # `60+0.6`: seconds for a match, and what each move adds
    equal_time: float | None = None  # seconds that a move of each entry with a budget was to take
    stall_seconds: float | None = None
    isolate: bool | list[str] | None = None  # all entries, or these, behind walls; None: those from files
    withdraw_after: int | None = None  # crashes and stalls, 0 = never; None: 3
    stall_once: bool | None = None  # one from a file is withdrawn by its first stall; None: if that is None
    exact: bool = False  # evaluated, and not played
    published: list[Published] | None = None  # to be shown beside the results
    files: dict[str, str] | None = None  # where agents and games lie that are called `alice.py`
    left_out: dict[str, str] | None = None  # files of which nothing plays, and why


def read_file(path: str) -> dict[str, Any]:
    """What a tournament file says, checked field by field, or ArenaError."""
    try:
        values: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
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
            raise ArenaError(f"{path}: {name!r} is for 'arena match'; a tournament has 'rounds'")
    if "book" in values:
        raise ArenaError(f"{path}: 'book' is read of a file; write its lines to one, and openings = 'FILE'")
    return values


def in_one_text(entry: Any) -> Any:
    """`A=minimax:depth=2` of an entry that a file names by a table."""
    if not isinstance(entry, dict):
        return entry
    try:
        found = msgspec.convert(entry, Named)
    except msgspec.ValidationError as error:
        text = str(error).replace("`", "'")
        raise ArenaError(f"entries: {text}; an entry has 'agent' and 'name'") from error
    check_name(found.name)
    return f"{found.name}={found.agent}"


def settings_of(values: dict[str, Any]) -> Settings:
    """Settings by name, each of its type, or ArenaError."""
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise ArenaError(error_text(error, values)) from error


def error_text(error: msgspec.ValidationError, values: Any) -> str:
    """msgspec's error in a user's words: `rounds takes a whole number, not 'many'`."""
    text = str(error).replace("`", "'")
    if unknown := re.search(r"unknown field '(.+?)'", text):
        return f"unknown setting {unknown[1]!r}{did_you_mean(unknown[1], Settings.__struct_fields__)}"
    wrong = re.fullmatch(r"Expected '(\w+).*' - at '\$\.(\w+)(?:\[(\d+)\])?'", text)
    if not wrong or wrong[1] not in TAKES:
        return text
    wanted, name, index = wrong.groups()
    value, place = (values[name], name) if index is None else (values[name][int(index)], f"{name}[{index}]")
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"{place} takes {TAKES[wanted]}, not {shown}"


def complete(settings: Settings, registry: Registry) -> tuple[Settings, Plan]:
    """The settings with every default filled in, and the plan they make. ArenaError if they make none."""
    game_spec = registry.spec("game", settings.game or default_game(registry))
    game = make_game(game_spec)
    if settings.entries is None:
        settings.entries = all_entries(game, registry)
    specs = tuple(registry.spec("agent", text) for text in settings.entries)
    check_entries(specs, game)
    texts = {entered: spec.text for entered, spec in zip(settings.entries, specs, strict=True)}
    use_names(settings, {**{name: name for name in settings.seeds or {}}, **texts})
    if settings.format == "match":
        specs = check_single(specs)
    else:
        for text in settings.names or {}:
            if any(spec.text == text and len(checkpoints(spec)) > 1 for spec in specs):
                raise ArenaError(
                    f"{text!r} is several entries, which cannot share a short name; leave that out"
                )
        specs, fresh = apart(specs)
        settings.seeds = with_seeds(settings, [spec.text for spec in specs], fresh)
    if settings.seed is None:
        settings.seed = int.from_bytes(os.urandom(4), "big")
    from_files = [spec.text for spec in specs if isinstance(spec, FileSpec)]
    clock = Clock() if settings.clock is None else Clock.read(settings.clock)
    settings.clock = str(clock) if clock.base else None
    if settings.stall_seconds is None:
        settings.stall_seconds = clock.base + (STALL_SECONDS_OF_FILES if from_files else STALL_SECONDS)
    if settings.isolate is None:
        settings.isolate = False if settings.exact else from_files or False
    if settings.max_plies is None:
        settings.max_plies = game.max_plies
    check_range("seed", settings.seed, 0, SEEDS - 1)
    if settings.rounds is not None:
        check_range("rounds", settings.rounds, 1, 10**9)
    check_range("max_plies", settings.max_plies, 1, 10**6)
    check_range("move_seconds", settings.move_seconds, 0, 10**6)
    if settings.equal_time is not None:
        check_range("equal_time", settings.equal_time, 1e-6, 10**6)
    check_range("stall_seconds", settings.stall_seconds, 0, 10**6)
    if settings.stall_once is None:
        settings.stall_once = settings.withdraw_after is None and bool(from_files)
    if settings.withdraw_after is None:
        settings.withdraw_after = WITHDRAW_AFTER
    check_range("withdraw_after", settings.withdraw_after, 0, 10**9)
    with quiet(), blaming(game):
        openings = Openings.of(settings.openings, settings.book, game, settings.seed, settings.max_plies)
        settings.book = texts_of(openings.book, game) or None
    schedule, limit, format_spec = Schedule(), 0, None
    if settings.format == "match":
        check_range("matches", settings.matches or 0, 1, 10**9)
        matches = settings.matches or 0
        if settings.sprt:
            settings.withdraw_after, matches = 0, matches + matches % 2  # what fails loses the test
            settings.matches = limit = matches
            low, high, alpha, beta = settings.sprt
            text = f"sprt:low={low!r},high={high!r},alpha={alpha!r},beta={beta!r}"
            format_spec = registry.spec("format", text)
        else:
            schedule = Schedule.of(Stage(((0, 1), (1, 0)), -(-matches // 2)), matches=matches)
    else:
        if settings.sprt:
            raise ArenaError("sprt is a test between two; play 'arena match A B --sprt LOW,HIGH'")
        check_distinct([spec.text for spec in specs])
        format_spec = registry.spec("format", settings.format)
        settings.format = format_spec.text
        try:
            with foreign(ArenaError):
                schedule, limit = planned_by(format_spec, settings, [spec.text for spec in specs])
        except Failed as error:
            raise ArenaError(f"format {settings.format} failed: {error}") from error
        if schedule.stages:
            format_spec = None
    settings.game, settings.entries = game_spec.text, [spec.text for spec in specs]
    parts = [part for spec in (game_spec, *specs) for part in spec.walk() if isinstance(part, FileSpec)]
    settings.files = {part.file.name: os.path.relpath(part.file.path) for part in parts} or None
    isolated = isolated_entries(settings, registry)
    if isolated and settings.exact:
        raise ArenaError("isolate is for matches that are played; leave it out, or leave exact out")
    for row in settings.published or ():
        row.first, row.second = (registry.spec("agent", text).text for text in (row.first, row.second))
        for text in (row.first, row.second):
            if text not in settings.entries:
                raise ArenaError(f"published: {text!r} is not among the entries")
    limits = Limits(settings.max_plies, settings.move_seconds, settings.stall_seconds, clock)
    plan = Plan(
        game_spec, specs, schedule, settings.seed, openings, limits, isolated,
        settings.withdraw_after,
        frozenset(i for i, spec in enumerate(specs) if settings.stall_once and isinstance(spec, FileSpec)),
        format_spec, settings.rounds or 0, limit,
    )  # fmt: skip
    if settings.exact and plan.interactive:
        text = plan.entries[min(plan.interactive)].text
        raise ArenaError(f"{text} asks at the terminal, and cannot be evaluated; leave it out, or play it")
    return settings, plan


def check_single(specs: tuple[Spec, ...]) -> tuple[Spec, ...]:
    """The specs of a match between two, or ArenaError if one enters several."""
    for spec, found in zip(specs, map(times, specs), strict=True):
        if found > 1:
            raise ArenaError(f"{spec.text!r} enters {found} learners; play a tournament, or give it one seed")
    return specs


def with_seeds(
    settings: Settings, entries: Sequence[str], fresh: Mapping[str, list[str]]
) -> dict[str, list[str]] | None:
    """Learners that are entered with several seeds, those of before and fresh ones, as far as they play.

    `isolate` that names one then names what was entered.
    """
    found = {**(settings.seeds or {}), **fresh}
    found = {name: [text for text in texts if text in entries] for name, texts in found.items()}
    if isinstance(settings.isolate, list):
        settings.isolate = [one for text in settings.isolate for one in found.get(text, [text])]
    return {name: texts for name, texts in found.items() if texts} or None


def planned_by(spec: Spec, settings: Settings, entries: Sequence[str]) -> tuple[Schedule, int]:
    """All matches of a fixed format; or none yet, and how many there are at most. It settles the rounds."""
    format: Format = spec.make()
    contestants = len(together(entries, settings.seeds or {}))
    if contestants < 2:
        raise ArenaError(
            f"a tournament needs at least two entries, and {entries[0]!r} and those trained apart "
            "from it are one; add --entry NAME"
        )
    format.check_entries(contestants)
    settings.rounds = settings.rounds or format.usual_rounds(contestants)
    if isinstance(format, FixedFormat):
        return schedule_of(format, settings, entries), 0
    if settings.exact:
        raise ArenaError(f"format {spec.text!r} goes by results, and exact plays nothing; leave it out")
    if settings.seeds:
        name = next(iter(settings.seeds))
        raise ArenaError(
            f"format {spec.text!r} takes no learner of several seeds, as {name!r}; "
            "enter it with one seed, or play a round robin"
        )
    return Schedule(), format.limit(contestants, settings.rounds)


def schedule_of(format: FixedFormat, settings: Settings, entries: Sequence[str]) -> Schedule:
    """What a fixed format has planned: first without the entries that were added, then what these play.

    Of a learner that is entered with several seeds each plays what the format has planned for it.
    """
    stages: list[Stage] = []
    planned: set[tuple[int, int]] = set()
    for so_many in [*(settings.added or ()), len(entries)]:
        each = together(entries[:so_many], settings.seeds or {})
        stage = checked(format.stage(len(each), settings.rounds or 1), len(each))
        pairings = [(i, j) for first, second in stage.pairings for i in each[first] for j in each[second]]
        stages.append(Stage([pairing for pairing in pairings if pairing not in planned], stage.rounds))
        planned.update(pairings)
    return Schedule.of(*stages)


def isolated_entries(settings: Settings, registry: Registry) -> frozenset[int]:
    """The entries that play behind walls, which the settings then name as they are called."""
    entries = settings.entries or []
    if settings.isolate is not None and not isinstance(settings.isolate, bool):
        settings.isolate = [registry.spec("agent", text).text for text in settings.isolate]
        for text in settings.isolate:
            if text not in entries:
                raise ArenaError(f"isolate: {text!r} is not among the entries")
    named = entries if settings.isolate is True else settings.isolate or []
    for text in named:
        for part in registry.spec("agent", text).walk():
            if getattr(part.cls, "interactive", False):
                raise ArenaError(
                    f"isolate: {text!r} asks at the terminal, of which there is none behind walls; "
                    "name the others: isolate = [...]"
                )
            if not getattr(part.cls, "confinable", True):
                raise ArenaError(
                    f"isolate: {text!r} needs a program or a network, of which there is none behind walls; "
                    "name the others: isolate = [...]"
                )
    return frozenset(i for i, text in enumerate(entries) if text in named)


def use_names(settings: Settings, texts: Mapping[str, str]) -> None:
    """Have names stand by the texts that results know; `isolate` and `published` may have used them.

    texts: those, by how entries were entered. ArenaError for a name that is not one entry's alone.
    """
    names = {texts[entered]: name for entered, name in (settings.names or {}).items() if entered in texts}
    check_names([*texts.values()], names)
    meant = {name: text for text, name in names.items()}
    if isinstance(settings.isolate, list):
        settings.isolate = [meant.get(text, text) for text in settings.isolate]
    for row in settings.published or ():
        row.first, row.second = meant.get(row.first, row.first), meant.get(row.second, row.second)
    settings.names = names or None


def default_game(registry: Registry) -> str:
    """The first one installed, or ArenaError."""
    if not registry.offers["game"]:
        raise ArenaError("no game is installed (see 'arena plugins')")
    return next(iter(registry.offers["game"]))


def make_game(spec: Spec) -> Game:
    """The game, which has shown that it can begin, or ArenaError that names it."""
    try:
        with foreign():
            game: Game = spec.make()
            check_declared(game)
            check_position(game, game.initial())
    except Failed as error:
        raise ArenaError(f"game {spec.text} cannot be made: {error}") from error
    return game


def all_entries(game: Game, registry: Registry) -> list[str]:
    """Every agent installed that can play the game, with its default options.

    One that needs an option is left out, one that is interactive, and one that cannot be loaded, with a
    warning.
    """
    names = []
    for name in registry.offers["agent"]:
        try:
            cls = registry.cls("agent", name)
            if required(cls) or getattr(cls, "interactive", False):
                continue
            spec = registry.spec("agent", name)
        except ArenaError as error:
            print(on_one_line(f"Warning: {error}; it is left out"), file=sys.stderr)
            continue
        playable = not any(missing_needs(part.cls, game) for part in with_needs(spec))
        if playable and not missing_capabilities(spec.cls.default_needs, game):
            names.append(name)
    return names


def check_entries(specs: Iterable[Spec], game: Game) -> None:
    """ArenaError if the game lacks what one of the entries, or what it names, needs."""
    for spec in specs:
        for part in with_needs(spec):
            where = "" if part is spec else f" in {spec.text}"
            check_needs(part.cls, game, part.text + where)


def with_needs(spec: Spec) -> list[Spec]:
    """A spec and those within it, as far as they are of classes that may need something of the game."""
    return [part for part in spec.walk() if hasattr(part.cls, "needs")]


def check_distinct(texts: list[str]) -> None:
    """ArenaError unless there are two entries or more, each named once."""
    if len(texts) < 2:
        entries = f"only {texts[0]!r}" if texts else "none"
        raise ArenaError(f"a tournament needs at least two entries, and there is {entries}; add --entry NAME")
    for text in texts:
        if texts.count(text) > 1:
            raise ArenaError(f"entry {text!r} is named twice; give one of them other options or take it out")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """ArenaError unless low <= value <= high."""
    if not low <= value <= high:
        raise ArenaError(f"{name} is {value}, and must be from {low} to {high}")
