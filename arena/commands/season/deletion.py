"""Deletion of a player of a season: its versions, its matches, and all mentions of its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from msgspec import structs

from arena.api.format import Stage
from arena.commands.season.pairings import Stages
from arena.errors import ArenaError
from arena.ledger.ledger import SNAPSHOTS
from arena.plan.schedule import Schedule
from arena.ratings.elo import EloRatings
from arena.results.records import KINDS, Records, kinds_of
from arena.results.settings import Settings
from arena.results.tally import CHANCE, FIXED, Replays
from arena.storage import checksums
from arena.storage import season as records
from arena.storage.corrections import drop_entry, drop_fits, drop_unused
from arena.storage.database import Store, Tournament
from arena.storage.season import Player, Version
from arena.texts import call


def delete(store: Store, game: str, player: Player, versions: Sequence[Version]) -> int:
    """Delete a player with all versions and matches, and return the number of deleted matches.

    The other matches of its tournaments are kept, with new numbers. A tournament without matches is
    removed.

    Args:
        store: The database.
        game: The game of the season, with its options.
        player: The player.
        versions: Its versions.

    Raises:
        ArenaError: If the player is in a tournament that is not part of the season.
    """
    own = {(version.entry, version.code) for version in versions}
    theirs = [
        (found, {entry for entry, _ in gone})
        for found in store.tournaments("game = ?", (game,))
        if (gone := own & found.codes.items())
    ]
    for found, _ in theirs:
        if not found.settings.stages:
            raise ArenaError(
                f"{player.name} is in tournament {found.id}, which the season did not play; first run "
                + call("tournaments remove", found.id)
            )
    store.db.execute("PRAGMA secure_delete = ON")  # overwrite deleted content
    for found, out in theirs:
        if not stages_without(found, out):
            with store.transaction():
                records.leave_without(store, found.id)
            store.remove(found.id)
    left = 0
    with store.transaction():
        for found, out in theirs:
            if stages := stages_without(found, out):
                left += delete_from(store, found, out, stages)
        drop_unused(store)
        records.forget_player(store, player)
        for event in records.events(store):
            if re.search(rf"(?<!\w){re.escape(player.name)}(?!\w)", event.detail):
                records.add_events(store, [event._replace(detail="")])
    return sum(found.played for found, _ in theirs) - left


def delete_from(store: Store, found: Tournament, gone: Collection[str], stages: Stages) -> int:
    """Delete the matches of some entries from a tournament, and return the number of matches left."""
    kept = [name for name in found.settings.entries or () if name not in gone]
    schedule = Schedule.of(*(Stage(pairings, rounds) for rounds, pairings in stages))
    ids = store.entry_ids(found.game)
    with checksums.restated(store, found.id):
        drop_fits(store, found.id)
        for name in gone:
            drop_entry(store, found.id, ids[name])
        settings = without(found.settings, kept, stages, schedule.rounds)
        versions = {
            of: version
            for of, version in found.versions.items()
            if not any(of.startswith(f"{name} ") for name in gone)
        }
        records.restage(store, found.id, settings, versions, schedule.matches)
    return rerated(store, found.id, [ids[name] for name in kept], schedule)


def stages_without(found: Tournament, gone: Collection[str]) -> Stages:
    """Return the stages of a tournament with only the pairings of remaining entries, renumbered."""
    stays = [name not in gone for name in found.settings.entries or ()]
    place = {i: sum(stays[:i]) for i, there in enumerate(stays) if there}
    left = (
        (rounds, [(place[a], place[b]) for a, b in pairings if a in place and b in place])
        for rounds, pairings in found.settings.stages or ()
    )
    return [(rounds, pairings) for rounds, pairings in left if pairings]


def without(settings: Settings, kept: Sequence[str], stages: Stages, rounds: int) -> Settings:
    """Return the settings of a tournament with only some of its entries."""
    isolate = settings.isolate
    return structs.replace(
        settings,
        entries=[*kept],
        stages=stages,
        rounds=rounds,
        isolate=[name for name in isolate if name in kept] if isinstance(isolate, list) else isolate,
        files={name: path for name, path in (settings.files or {}).items() if name in kept} or None,
    )


def rerated(store: Store, tournament: int, ids: Sequence[int], schedule: Schedule) -> int:
    """Recompute the Elo ratings of a tournament, and return its number of matches."""
    elo, replays = EloRatings(len(ids)), Replays()
    step = -(-schedule.rounds // SNAPSHOTS) or 1
    found = [*store.matches(tournament, {id: i for i, id in enumerate(ids)})]
    before = 0
    for round in [*range(step, schedule.rounds, step), schedule.rounds]:
        stop = schedule.start_of(round)
        some = Records.of(found[before:stop])
        kinds = kinds_of(some.facts, some.digests, replays)
        rated = [
            one
            for one, kind in zip(found[before:stop], kinds.tolist(), strict=True)
            if KINDS[kind] in (CHANCE, FIXED)
        ]
        elo.play((one.first, one.second, one.result) for one in rated)
        store.add_elo(tournament, ids, round, elo.ratings)
        before = stop
    return len(found)
