"""Complete a tournament's settings with all defaults, and create its plan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import lcm
from typing import TypeVar

from msgspec.structs import replace

from arena.api.endings import pieces_kept
from arena.api.format import FixedFormat, Format, Stage
from arena.api.game import Game
from arena.api.limits import Clock, Limits
from arena.api.plugin_guard import Failed, foreign, quiet
from arena.api.rulings import blaming
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.plan.entries import (
    check_distinct,
    default_game,
    entered,
    is_interactive,
    isolated_entries,
    make_game,
    together,
)
from arena.plan.opening_book import texts_of
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule, checked
from arena.plan.sequential import of_two_alone
from arena.plan.shards import Shard, part_of
from arena.registry.files import FileSpec, files_in, references, trusted
from arena.registry.plugins import Registry
from arena.registry.trusted import is_trusted
from arena.results.settings import STALL_SECONDS, Settings, check_range, renamed
from arena.rng import LARGEST_SEED, NEWEST, SCHEMES, Streams, largest, new_seed, seed_text
from arena.texts import either

LEAST_TO_BEGIN = 1.0  # minimum time limit in seconds for a game to reach its first position
STALL_SECONDS_OF_FILES = 10.0  # replaces STALL_SECONDS if agents from files play
WITHDRAW_AFTER = 3  # crashes and stalls after which an entry is withdrawn; 0 = never
RANGES = {
    "rounds": (1, 10**9),
    "max_plies": (1, 10**6),
    "move_seconds": (0, 10**6),
    "equal_time": (1e-6, 10**6),
    "stall_seconds": (0, 10**6),
    "withdraw_after": (0, 10**9),
}
Value = TypeVar("Value")


def complete(settings: Settings, registry: Registry, trusting: bool = False) -> tuple[Settings, Plan]:
    """Fill in all defaults of settings; return the complete settings and the plan.

    Args:
        settings: The incomplete settings.
        registry: Installed games, agents and formats.
        trusting: Whether the settings come directly from the user and not from a database. If so, files run
            unsandboxed unless the settings sandbox them; otherwise only files that the user has trusted
            before run unsandboxed.

    Raises:
        ArenaError: If the settings are invalid.
    """
    game_spec = registry.spec("game", settings.game or default_game(registry))
    stall = settings.stall_seconds
    if stall is not None:
        check_range("stall_seconds", stall, 0, 10**6)
    game = make_game(game_spec, STALL_SECONDS if stall is None else stall and max(stall, LEAST_TO_BEGIN))
    settings, specs = entered(settings, game, registry)
    settings = with_defaults(settings, game, [spec.text for spec in specs if files_in(spec)])
    if settings.adjudicate:
        settings = replace(settings, adjudicate=pieces_of(settings, game))
    openings, book = openings_of(settings, game)
    settings = replace(
        settings,
        game=game_spec.text,
        entries=[spec.text for spec in specs],
        files=files_of((game_spec, *specs)),
        book=book,
    )
    settings, schedule, limit, format = scheduled(settings, registry)
    if settings.shard is not None:
        schedule = sharded(settings, schedule)
    settings = replace(settings, optional_stopping=bool(format and format.cls.optional_stopping))
    settings, isolated = isolated_entries(settings, registry)
    streams = streams_of(settings)
    untrusted = untrusted_of(specs, isolated, streams)
    if not settings.exact:
        specs, isolated = sandboxed(specs, isolated, trusting)
    settings = with_published(settings, registry)
    plan = Plan(
        game=game_spec,
        entries=specs,
        schedule=schedule,
        streams=streams,
        openings=openings,
        limits=limits_of(settings),
        isolated=isolated,
        untrusted=untrusted,
        withdraw_after=settings.withdraw_after or 0,
        stall_once=frozenset(i for i, spec in enumerate(specs) if settings.stall_once and files_in(spec)),
        format=format,
        rounds=settings.rounds or 0,
        limit=limit,
        interactive=frozenset(i for i, spec in enumerate(specs) if is_interactive(spec)),
    )
    if settings.exact and plan.interactive:
        text = plan.entries[min(plan.interactive)].text
        raise ArenaError(
            f"{text} plays at the terminal and cannot be evaluated exactly; leave it out, or play matches"
        )
    return settings, plan


def sandboxed(
    specs: tuple[Spec, ...], isolated: frozenset[int], trusting: bool
) -> tuple[tuple[Spec, ...], frozenset[int]]:
    """Return the entries, and the indices of those that are sandboxed.

    These include entries from files that are not trusted.

    Args:
        specs: The entries.
        isolated: The entries that the settings sandbox.
        trusting: Whether to trust all files.
    """
    found = list(specs)
    more = set(isolated)
    for i, spec in enumerate(specs):
        if i not in isolated and (files := files_in(spec)):
            if trusting or all(part.trusted or is_trusted(part.file) for part in files):
                found[i] = trusted(spec)
            else:
                more.add(i)
    return tuple(found), frozenset(more)


def untrusted_of(specs: Sequence[Spec], isolated: frozenset[int], streams: Streams) -> frozenset[int]:
    """Return the entries from files or in a sandbox: their random draws do not decide which matches count.

    They depend only on recorded data and not on the files trusted on this machine, so that they are the same
    when the tournament is verified elsewhere. Under scheme 1 there are none.
    """
    if streams.scheme == 1:
        return frozenset()
    return isolated | {i for i, spec in enumerate(specs) if references(spec.text)}


def with_defaults(settings: Settings, game: Game, from_files: list[str]) -> Settings:
    """Return settings with None replaced by defaults.

    Args:
        settings: The incomplete settings.
        game: The game.
        from_files: The entries that are from files.

    Raises:
        ArenaError: If a value is out of range.
    """
    streams = or_default(settings.streams, NEWEST)
    check_range("streams", streams, SCHEMES[0], NEWEST)
    clock = clock_of(settings)
    stall = clock.base + (STALL_SECONDS_OF_FILES if from_files else STALL_SECONDS)
    filled = replace(
        settings,
        streams=streams,
        seed=new_seed(streams) if settings.seed is None else settings.seed,
        clock=str(clock) if clock.base else None,
        stall_seconds=or_default(settings.stall_seconds, stall),
        isolate=or_default(settings.isolate, False if settings.exact else from_files or False),
        max_plies=or_default(settings.max_plies, game.max_plies),
        stall_once=or_default(settings.stall_once, settings.withdraw_after is None and bool(from_files)),
        withdraw_after=or_default(settings.withdraw_after, WITHDRAW_AFTER),
    )
    check_seed(filled.seed or 0, streams)
    for name, (low, high) in RANGES.items():
        if (value := getattr(filled, name)) is not None:
            check_range(name, value, low, high)
    return filled


def or_default(value: Value | None, default: Value) -> Value:
    """Return a value, or the default if it is None."""
    return default if value is None else value


def pieces_of(settings: Settings, game: Game) -> int:
    """Return the maximum number of pieces of the endings by which matches are adjudicated.

    Raises:
        ArenaError: If these endings are not stored, or results are exact.
    """
    wanted = settings.adjudicate or 0
    if settings.exact:
        raise ArenaError("exact results need each match to be played to its end; leave adjudicate out")
    if wanted is True:
        return pieces_kept(game)
    check_range("adjudicate", wanted, 1, 32)
    return pieces_kept(game, wanted)


def check_seed(seed: int, scheme: int) -> None:
    """Raise ArenaError unless a seed is in the range of the scheme."""
    if 0 <= seed <= largest(scheme):
        return
    shown = str(seed) if -LARGEST_SEED <= seed <= LARGEST_SEED else "larger than 128 bits"
    raise ArenaError(f"seed is {shown}, but must be from 0 to {seed_text(largest(scheme))}")


def streams_of(settings: Settings) -> Streams:
    """Return the random streams of completed settings."""
    assert settings.seed is not None
    assert settings.streams is not None
    return Streams(settings.seed, settings.streams)


def clock_of(settings: Settings) -> Clock:
    """Return the clock of each player, or raise ArenaError."""
    return Clock() if settings.clock is None else Clock.read(settings.clock)


def limits_of(settings: Settings) -> Limits:
    """Return the limits of completed settings."""
    assert settings.max_plies is not None
    assert settings.stall_seconds is not None
    pieces = int(settings.adjudicate or 0)
    return Limits(
        settings.max_plies, settings.move_seconds, settings.stall_seconds, clock_of(settings), pieces
    )


def openings_of(settings: Settings, game: Game) -> tuple[Openings, list[str] | None]:
    """Return the openings, and the lines of the book if there is one.

    Raises:
        ArenaError: If they do not fit the game or the settings.
    """
    with quiet(), blaming(game):
        openings = Openings.of(
            settings.openings, settings.book, game, streams_of(settings), settings.max_plies or 0,
            settings.shared_openings,
        )  # fmt: skip
        book = texts_of(openings.book, game) if openings.book else None
    if settings.exact and any(opening.start is not None for opening in openings.book):
        raise ArenaError(
            f"openings {settings.openings} have positions, but exact results are for matches from the "
            "initial position; leave the positions out"
        )
    return openings, book


def scheduled(settings: Settings, registry: Registry) -> tuple[Settings, Schedule, int, Spec | None]:
    """Return the schedule of completed settings.

    Returns:
        The settings with the number of rounds or matches; the schedule, empty if it depends on results; and,
        if so, the maximum number of matches and the format, otherwise 0 and None.
    """
    if settings.two_entries:
        return of_two(settings, registry)
    if settings.sprt:
        raise of_two_alone()
    check_distinct(settings.entries or [], settings.left_out)
    if settings.stages:
        entries = len(settings.entries or ())
        schedule = Schedule.of(*(checked(Stage(each, rounds), entries) for rounds, each in settings.stages))
        return replace(settings, rounds=schedule.rounds), schedule, 0, None
    spec = registry.spec("format", settings.format)
    try:
        with foreign(ArenaError):
            schedule, limit, rounds = planned_by(spec, settings)
    except Failed as error:
        raise ArenaError(f"format {spec.text} failed: {error}") from error
    settings = replace(settings, format=spec.text, rounds=rounds)
    return settings, schedule, limit, None if schedule.stages else spec


def sharded(settings: Settings, schedule: Schedule) -> Schedule:
    """Return the matches of a tournament's shard.

    Raises:
        ArenaError: If the tournament cannot be played in shards.
    """
    shard = Shard.read(settings.shard or "")
    if settings.exact:
        raise ArenaError("exact plays no matches, so it has no shards; leave out one of them")
    if settings.two_entries:
        raise ArenaError("a match between two entries has no shards; play a tournament with these entries")
    if not schedule.stages:
        raise ArenaError(
            f"format {settings.format!r} depends on results, which other shards have; leave shard out"
        )
    return part_of(schedule, shard.numbers(schedule.matches))


def of_two(settings: Settings, registry: Registry) -> tuple[Settings, Schedule, int, Spec | None]:
    """Return the schedule of a match between two entries, as `scheduled` does.

    The number of matches is fixed or depends on a sequential test.
    """
    matches, sprt = settings.matches or 0, settings.sprt
    check_range("matches", matches, 1, 10**9)
    if not sprt:
        both_seats = Stage(((0, 1), (1, 0)), -(-matches // 2))
        return settings, Schedule.of(both_seats, matches=matches), 0, None
    matches += matches % 2
    settings = replace(settings, matches=matches, withdraw_after=0)  # forfeits count as losses in the test
    low, high, alpha, beta = sprt
    test = registry.spec("format", f"sprt:low={low!r},high={high!r},alpha={alpha!r},beta={beta!r}")
    return settings, Schedule(), matches, test


def files_of(specs: Iterable[Spec]) -> dict[str, str] | None:
    """Return the paths of the files that contain specs' classes, by file name; None if there are none."""
    parts = [part for spec in specs for part in spec.walk() if isinstance(part, FileSpec)]
    return {part.file.name: os.path.relpath(part.file.path) for part in parts} or None


def with_published(settings: Settings, registry: Registry) -> Settings:
    """Return settings whose published results refer to entries by their texts.

    Raises:
        ArenaError: If one of these entries does not play.
    """
    named = {text for row in settings.published or () for text in (row.first, row.second)}
    texts = {text: registry.spec("agent", text).text for text in sorted(named)}
    for text in texts.values():
        if text not in (settings.entries or ()):
            raise ArenaError(f"published: {text!r} is not among the entries")
    return renamed(settings, texts)


def planned_by(spec: Spec, settings: Settings) -> tuple[Schedule, int, int]:
    """Return the schedule that a format plans.

    Returns:
        The schedule, empty if the format depends on results; if so, the maximum number of matches, otherwise
        0; and the number of rounds.
    """
    format: Format = spec.make()
    entries = settings.entries or []
    contestants = len(together(entries, settings.seeds or {}))
    if contestants < 2:
        raise ArenaError(
            f"a tournament needs at least two entries, but {entries[0]!r} and the other seeds of its "
            f"learner count as one; {either('add --entry NAME', 'name another')}"
        )
    format.check_entries(contestants)
    rounds = settings.rounds or format.usual_rounds(contestants)
    if isinstance(format, FixedFormat):
        return schedule_of(format, settings, rounds), 0, rounds
    if settings.exact:
        raise ArenaError(f"format {spec.text!r} depends on results, but exact plays no matches; leave it out")
    if settings.seeds:
        name = next(iter(settings.seeds))
        raise ArenaError(
            f"format {spec.text!r} takes no learner with several seeds, such as {name!r}; "
            "enter it with one seed, or play a round robin"
        )
    return Schedule(), format.limit(contestants, rounds), rounds


def schedule_of(format: FixedFormat, settings: Settings, rounds: int) -> Schedule:
    """Return the schedule of a fixed format; the matches of entries added later come last.

    Each seed of a learner with several seeds plays all matches planned for the learner, unless the seeds
    rotate.

    Raises:
        ArenaError: If entries were added to a format in which seeds rotate or are paired.
    """
    if (format.turns or format.in_step) and settings.added:
        how = settings.format if format.in_step else "turns=true"
        raise ArenaError(f"with {how} no entry can join later; begin a tournament of all entries")
    entries = settings.entries or []
    stages: list[Stage] = []
    planned: set[tuple[int, int]] = set()
    for so_many in [*(settings.added or ()), len(entries)]:
        each = together(entries[:so_many], settings.seeds or {})
        stage = checked(format.stage(len(each), rounds), len(each))
        if format.in_step:
            return in_step(stage, each)
        if format.turns:
            return in_turn(stage, each)
        pairings = [(i, j) for first, second in stage.pairings for i in each[first] for j in each[second]]
        stages.append(Stage([pairing for pairing in pairings if pairing not in planned], stage.rounds))
        planned.update(pairings)
    return Schedule.of(*stages)


def in_step(stage: Stage, each: Sequence[Sequence[int]]) -> Schedule:
    """Return the schedule of a stage for the first seeds of all contestants, then the second, and so on.

    Each seed has its own openings, which all matches of the seed share if the settings say so.

    Raises:
        ArenaError: If learners have different numbers of seeds.
    """
    numbers = sorted({len(seeds) for seeds in each} - {1}) or [1]
    if len(numbers) > 1:
        raise ArenaError(
            f"one learner has {numbers[0]} seeds and another {numbers[-1]}; use the same number for all"
        )
    schedule = Schedule()
    for seed in range(numbers[0]):
        pairings = [(each[a][seed % len(each[a])], each[b][seed % len(each[b])]) for a, b in stage.pairings]
        schedule = schedule.then(Stage(pairings, stage.rounds), by_stage=True)
    return schedule


def in_turn(stage: Stage, each: Sequence[Sequence[int]]) -> Schedule:
    """Return the schedule of a stage in which the seeds of contestants rotate, so that all of them meet.

    Each round has its own opening.
    """
    turns = min(lcm(*(len(each[a]) * len(each[b]) for a, b in stage.pairings)), stage.rounds)
    schedule = Schedule()
    for turn in range(turns):
        pairings = [seeds_of(each[a], each[b], turn, a < b) for a, b in stage.pairings]
        rounds = stage.rounds // turns + (turn < stage.rounds % turns)
        schedule = schedule.then(Stage(pairings, rounds), by_stage=True)
    return schedule


def seeds_of(first: Sequence[int], second: Sequence[int], turn: int, in_order: bool) -> tuple[int, int]:
    """Return which seeds of two contestants meet in a turn.

    Args:
        first: The entries of the contestant in the first seat.
        second: The entries of the contestant in the second seat.
        turn: The number of the turn, from 0.
        in_order: Whether the first contestant comes before the second in the list of entries.
    """
    shift = turn // lcm(len(first), len(second))  # otherwise the same seeds would always meet
    a, b = (turn, turn + shift) if in_order else (turn + shift, turn)
    return first[a % len(first)], second[b % len(second)]
