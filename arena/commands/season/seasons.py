"""The functions of `arena.seasons`: query a season, undo its last update, or delete a player."""

from __future__ import annotations

import csv
import io
import shutil
from contextlib import closing
from pathlib import Path

from arena.commands.season.call import locked, standings
from arena.commands.season.deletion import delete as deleted
from arena.commands.season.facts import defeat_of, facts_of, faults_of, news_of
from arena.commands.season.result import PlayerStatus, SeasonHistory, SeasonStandings
from arena.commands.season.settings import DATABASE, FILE, code_folder, find
from arena.commands.season.update import rated
from arena.commands.season.view import SeasonView
from arena.errors import ArenaError
from arena.storage import season as records
from arena.storage.database import Store

__all__ = ("delete", "export", "history", "player", "rollback", "status")  # public

MOST_FAULTS = 20


def database_at(db: str | Path | None) -> Path:
    """Return the path of a season's database: `db`, or the one in `season.toml`, or `season.db`.

    Raises:
        ArenaError: If the file does not exist.
    """
    path = Path(DATABASE) if db is None else Path(db)
    if db is None and Path(FILE).is_file():
        path = find(None, None, {}).db
    if not path.exists():
        raise ArenaError(f"there is no {path}; begin a season: arena season FOLDER, or use another db")
    return path


def status(db: str | Path | None = None) -> SeasonStandings:
    """Return the standings of a season after its last update.

    Args:
        db: Path of the database. Default: as stated in `season.toml`, or `season.db`.

    Raises:
        ArenaError: If the database has no season.
    """
    with closing(Store(database_at(db))) as store:
        return standings(store)


def player(name: str, db: str | Path | None = None) -> PlayerStatus:
    """Return the details of a player: versions, results, and why matches were forfeited.

    Args:
        name: Name of the player.
        db: Path of the database, as in `status`.

    Raises:
        ArenaError: If there is no such player.
    """
    with closing(Store(database_at(db))) as store:
        view = SeasonView.of(store)
        state = view.state(name)
        row = next(row for row in view.rows if row.player == name)
        own = [one for one in view.versions if one.player == state.player.id]
        met = view.by_opponent.get(state.version.original, {}) if state.version else {}
        results = [
            {
                "opponent": view.called(other),
                "won": counts.wins,
                "drawn": counts.draws,
                "lost": counts.losses,
                "score": (counts.wins + counts.draws / 2) / counts.matches,
            }
            for other, counts in met.items()
            if counts.matches
        ]
        results.sort(key=lambda one: (-float(str(one["score"])), str(one["opponent"])))
        return PlayerStatus(
            row,
            [facts_of(view, one) for one in reversed(own)],
            results,
            [fault for one in own for fault in faults_of(store, view, one)][:MOST_FAULTS],
            [f"{date[:10]} {line}" for _, date, line in reversed(news_of(view, name))],
            defeat_of(store, view, state.version) if state.version else None,
        )


def history(player: str | None = None, db: str | Path | None = None) -> SeasonHistory:
    """Return the events of a season, or of one of its players, the oldest first.

    Args:
        player: Name of the player. Default: all.
        db: Path of the database, as in `status`.

    Raises:
        ArenaError: If there is no such player.
    """
    with closing(Store(database_at(db))) as store:
        view = SeasonView.of(store)
        ratings: list[dict[str, object]] = []
        if player is not None:
            id = view.state(player).player.id
            ratings = [
                {
                    "update": one.update,
                    "date": view.dates[one.update],
                    "version": view.roster.versions[one.version].number,
                    "rating": one.rating,
                    "low": one.low,
                    "high": one.high,
                }
                for one in view.ratings
                if view.roster.versions[one.version].player == id
            ]
        return SeasonHistory(player, news_of(view, player), ratings)


def rollback(db: str | Path | None = None) -> int:
    """Undo the last update of a season: remove its matches, ratings, new players and new versions.

    The next update uses the folder as it is then.

    Args:
        db: Path of the database, as in `status`.

    Returns:
        The number of the update.

    Raises:
        ArenaError: If there is no update.
    """
    path = database_at(db)
    with closing(Store(path)) as store:  # raises if it does not exist
        SeasonView.of(store)
    with locked(path), closing(Store(path, write=True)) as store:
        view = SeasonView.of(store)
        if view.last is None:
            raise ArenaError(f"the season in {path} has no update to roll back")
        records.forget_update(store, view.last.number, view.last.tournament)
        rerate(store)
        for version in view.versions:
            if version.since == view.last.number and version.file:
                shutil.rmtree((code_folder(path) / version.file).parent, ignore_errors=True)
        return view.last.number


def delete(player: str, db: str | Path | None = None) -> int:
    """Delete a player: its versions with their code, all its matches, and all mentions of its name.

    Ratings are recomputed without these matches. The next update enters the player again if its file is still
    there, and removes it from the web pages.

    Args:
        player: Name of the player.
        db: Path of the database, as in `status`.

    Returns:
        The number of matches that were deleted.

    Raises:
        ArenaError: If there is no such player, it is a baseline, or an update is unfinished.
    """
    path = database_at(db)
    with closing(Store(path)) as store:  # raises if it does not exist
        SeasonView.of(store)
    with locked(path), closing(Store(path, write=True)) as store:
        view = SeasonView.of(store)
        state = view.state(player)
        if state.player.baseline:
            raise ArenaError(f"{player} is a baseline, and ratings are relative to it; begin another season")
        if view.last and view.last.ended is None:
            raise ArenaError(f"update {view.last.number} is unfinished; complete it first, or roll it back")
        own = [one for one in view.versions if one.player == state.player.id]
        found = deleted(store, view.season.game, state.player, own)
        rerate(store)
        shutil.rmtree(code_folder(path) / player, ignore_errors=True)
        return found


def rerate(store: Store) -> None:
    """Recompute the ratings of all versions for the last update that has ratings."""
    view = SeasonView.of(store)
    rates = [one.number for one in view.updates if one.tournament is not None and one.ended is not None]
    if rates:
        ratings, _ = rated(store, view.season.game, rates[-1], view.roster)
        with store.transaction():
            records.put_ratings(store, ratings)


def export(db: str | Path | None = None) -> str:
    """Return all ratings over time as CSV: update, date, player, version, rating, interval and matches.

    Args:
        db: Path of the database, as in `status`.

    Raises:
        ArenaError: If the database has no season.
    """
    with closing(Store(database_at(db))) as store:
        view = SeasonView.of(store)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["update", "date", "player", "version", "rating", "low", "high", "matches"])
        for one in view.ratings:
            version = view.roster.versions[one.version]
            ends = ("" if x is None else f"{x:.1f}" for x in (one.low, one.high))
            facts = one.update, view.dates[one.update], view.names[version.player], version.number
            writer.writerow([*facts, f"{one.rating:.1f}", *ends, f"{one.matches:g}"])
        return text.getvalue()
