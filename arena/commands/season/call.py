"""The function `arena.season`, which updates a season from a folder of players."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout
from msgspec import structs

from arena.calls.execution import Execution, ExecutorEntry
from arena.commands.season.programs import for_players
from arena.commands.season.result import SeasonPreview, SeasonStandings
from arena.commands.season.settings import Place, SeasonSettings, find, most_of, typed
from arena.commands.season.update import Keeper, Preview
from arena.commands.season.view import SeasonView
from arena.errors import ArenaError
from arena.plan.entries import default_game
from arena.registry.plugins import registry
from arena.rng import new_seed
from arena.storage import season as records
from arena.storage.database import Store, now
from arena.storage.season import Season
from arena.workers.pools import ending_at_once
from arena.workers.worker import own_watch

BUDGETS = ("matches", "minutes", "site", "bots", "db")  # settings of one call only, unless in a file


def season(
    folder: str | Path | None = None,
    *,
    game: str | None = None,
    baselines: Sequence[str] | None = None,
    rounds: int | None = None,
    matches: int | None = None,
    minutes: float | None = None,
    seed: int | str | None = None,
    openings: str | None = None,
    site: str | Path | None = None,
    dry_run: bool = False,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> SeasonStandings | SeasonPreview:
    """Update a season: find new and changed players in a folder, and play the missing matches.

    A season is a permanent ladder. The first call begins it. Each later call is an update: it finds which
    files are new, changed or gone, plays the missing matches of new versions, and rates all versions
    together. An update that was interrupted is completed first, with the files of that update.

    Arguments take precedence over `season.toml`. Without that file, they apply to later calls too, except
    `matches`, `minutes` and `site`.

    Args:
        folder: The folder with the players' files, or one with a `season.toml`. Default: the current folder,
            which must have a `season.toml`.
        game: The game. Default: the first installed.
        baselines: Installed agents that play too. Their ratings have a mean of 1500.
        rounds: Matches of each pairing from each seat. Default: 5.
        matches: Maximum number of matches of this update. The next update plays the rest.
        minutes: Time after which no more matches are started.
        seed: Seed of all random numbers. Default: a new seed when the season begins.
        openings: Openings of the matches, as in `arena.tournament`.
        site: Folder in which to write web pages.
        dry_run: Only return what would be played, without playing or recording anything.
        db: Path of the database. Default: `season.db`.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The standings; with `dry_run`, what the next update would do.

    Raises:
        ArenaError: If a setting is invalid, or another process is updating the season.
        Stopped: If the update was stopped. The next call continues it.
    """
    given: dict[str, Any] = {
        "game": game,
        "baselines": None if baselines is None else [*baselines],
        "rounds": rounds,
        "matches": matches,
        "minutes": minutes,
        "seed": seed,
        "openings": openings,
        "site": None if site is None else str(site),
    }
    place = find(folder, db, given)
    how = Execution.of(registry(), workers, executor, progress, stop)
    if dry_run:
        return previewed(place, given, how)
    most = most_of(place.settings)
    with locked(place.db), for_players(place.code, most), closing(Store(place.db, write=True)) as store:
        keeper = keeper_of(store, place, given, how)
        check_clock(store)
        updated = keeper.complete_last() is not None
        with how.busy("Reading the players"):
            preview = keeper.preview()
        if not preview.is_empty:
            keeper.carry_out(preview)
            updated = True
        kept = "Stopped before the standings were complete; matches are kept, and the same command continues."
        if keeper.settings.site:
            from arena.commands.season.coaching import coach_players

            coach_players(Path(keeper.settings.site), store, how, keeper.settings.coach_seconds)
        with how.busy("Writing the standings"), ending_at_once(how.stop, kept):
            found = replace(standings(store, missing_after(keeper, preview)), updated=updated)
            if keeper.settings.site:
                from arena.commands.season.site import write_site

                write_site(keeper.settings.site, store, keeper.settings.faults == "public")
                found = replace(found, site=keeper.settings.site)
        return found


def missing_after(keeper: Keeper, preview: Preview) -> int:
    """Return the number of matches that will still be missing after an update."""
    return keeper.planned(preview.number + 1, preview.news, keeper.roster()).missing


def check_clock(store: Store) -> None:
    """Print a warning if the last update began later than now, by the clock of this computer."""
    last, time = records.updates(store)[-1:], now()
    if last and last[0].begun > time:
        shown = [of[:16].replace("T", " ") for of in (time, last[0].begun)]
        own_watch.say(
            f"Warning: the clock shows {shown[0]} UTC, but the last update began at {shown[1]} UTC; the next "
            "update follows it all the same, with the date of the clock"
        )


@contextmanager
def locked(db: Path) -> Iterator[None]:
    """Hold the lock of a season in this context; raise ArenaError if another process holds it."""
    file = f"{db}-season.lock"
    lock = FileLock(file)
    try:
        db.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise ArenaError(
            f"another process is updating the season in {db}; wait until it has finished"
        ) from None
    except OSError as error:
        raise ArenaError(f"cannot write {file}: {error.strerror or error}") from error
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(file)
        lock.release()


def keeper_of(store: Store, place: Place, given: dict[str, Any], how: Execution) -> Keeper:
    """Return the keeper of the season in a database, or of a new one.

    Raises:
        ArenaError: If the season in the database has another game, folder or seed.
    """
    begun = records.read_season(store)
    settings = settled(place, begun, given)
    game = settings.game or (begun.game if begun else default_game(registry()))
    game = registry().spec("game", game).text
    if begun and game != begun.game:
        raise ArenaError(f"the season in {place.db} is of {begun.game}, not of {game}; use another db")
    settings = structs.replace(settings, game=game, bots=place.folder)
    if begun and not place.file and (last := begun.settings.get("bots")) != place.folder:
        raise ArenaError(
            f"the season in {place.db} is of the folder {last}, not of {place.folder}; use another db"
        )
    if not begun:
        seed = settings.seed if isinstance(settings.seed, int) else new_seed()
        begun = Season(game, seed, structs.asdict(settings), now())
    elif settings.seed is not None and settings.seed != begun.seed:
        raise ArenaError(f"the season in {place.db} was begun with another seed; leave seed out")
    return Keeper(store, begun, structs.replace(settings, seed=None), place.bots, place.code, how)


def settled(place: Place, begun: Season | None, given: dict[str, Any]) -> SeasonSettings:
    """Return the settings; without a settings file, those of the last update apply unless overridden."""
    if place.file or begun is None:
        return place.settings
    last = {name: value for name, value in begun.settings.items() if name not in BUDGETS}
    try:
        return structs.replace(msgspec.convert(last, SeasonSettings), **typed(given))
    except msgspec.ValidationError as error:
        raise ArenaError(f"{place.db}: the season: {error}") from error


def previewed(place: Place, given: dict[str, Any], how: Execution) -> SeasonPreview:
    """Return what the next update would do, without writing anything."""
    with tempfile.TemporaryDirectory(prefix="arena-season-") as folder:
        path = place.db if place.db.exists() else Path(folder) / "season.db"
        with closing(Store(path, write=path != place.db)) as store:
            keeper = keeper_of(store, place, given, how)
            updates = records.updates(store) if records.read_season(store) else []
            code = Path(folder) / "code"
            with how.busy("Reading the players"), for_players(code, most_of(place.settings)):
                preview = keeper.preview(code)
            view = SeasonView(store, keeper.season, preview.news)
            played = sum(store.tournament(one.tournament).played for one in updates if one.tournament)
            spent = sum(one.seconds for one in updates)
            return SeasonPreview(
                keeper.season.game,
                preview.number,
                len(preview.matches),
                preview.missing,
                spent / played * len(preview.matches) if played and spent else None,
                view.news(preview.number),
                bool(updates) and updates[-1].ended is None,
            )


def standings(store: Store, missing: int = 0) -> SeasonStandings:
    """Return the standings of the season in a database."""
    view = SeasonView.of(store)
    last = view.last
    played = [one.tournament for one in view.updates[-1:] if one.tournament is not None]
    return SeasonStandings(
        view.season.game,
        store.path,
        last.number if last else 0,
        last.begun if last else view.season.created,
        None,
        sum(store.tournament(number).played for number in played),
        last.seconds if last else 0.0,
        missing,
        last.stopped if last else None,
        view.rows,
        view.news(),
        interrupted=last is not None and last.ended is None,
    )
