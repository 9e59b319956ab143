"""Facts about the versions of a player, for the terminal and for web pages."""

from __future__ import annotations

from arena.commands.season.view import SeasonView
from arena.storage import season as records
from arena.storage.database import Store
from arena.storage.season import Fault, Version


def facts_of(view: SeasonView, version: Version) -> dict[str, object]:
    """Return a version's rating, matches and code, as a dictionary for JSON."""
    rated = view.by_version.get(version.id)
    return {
        "version": version.number,
        "same_as": view.roster.versions[version.original].number if version.same_as else None,
        "since": view.dates[version.since],
        "update": version.since,
        "rating": rated and rated.rating,
        "low": rated and rated.low,
        "high": rated and rated.high,
        "matches": rated.matches if rated else 0.0,
        "entry": version.entry,
        "code": version.code,
        "file": version.file,
    }


def faults_of(store: Store, view: SeasonView, version: Version) -> list[dict[str, object]]:
    """Return the forfeited matches of a version, the newest first."""

    def told(one: Fault) -> dict[str, object]:
        return {"version": version.number, **one._asdict()}

    found = records.faults(store, view.season.game, version.entry)
    return [told(one) for one in found if one.code == version.code]


def defeat_of(store: Store, view: SeasonView, version: Version) -> dict[str, object] | None:
    """Return the last match that a version lost without a fault; None if there is none."""
    alike = [one for one in view.versions if one.original == version.original]
    ids = {(one.entry, one.code): one.id for one in view.versions}
    found = records.last_defeat(store, view.season.game, alike)
    if found is None or found[2:] not in ids:
        return None
    tournament, match, entry, code = found
    return {
        "db": store.path,
        "tournament": tournament,
        "match": match,
        "opponent": view.called(ids[entry, code]),
    }


def news_of(view: SeasonView, player: str | None, detail: int | None = None) -> list[tuple[int, str, str]]:
    """Return the update, date and sentence of each event, or of a player's events only.

    Args:
        view: The season.
        player: Name of the player; None for all.
        detail: See `SeasonView.news`.
    """
    found: list[tuple[int, str, str]] = []
    for update in view.updates:
        lines = view.news(update.number, player, detail)
        if player is None and update.stopped:
            lines.append(update.stopped)
        found += [(update.number, update.begun, line) for line in lines]
    return found
