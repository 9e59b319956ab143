"""Coaching of the players of a season, whose findings are stored next to the web pages."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from arena.analysis.blunders import judging_of
from arena.api.plugin_guard import quiet
from arena.api.reasons import WITHDRAWN
from arena.calls.execution import Execution
from arena.commands.coach.call import FEWEST_NODES, game_as_played, judged_by
from arena.commands.coach.matches import Matches, Played
from arena.commands.coach.result import Coaching
from arena.commands.season.update import Deadline
from arena.commands.season.view import SeasonView
from arena.errors import ArenaError, Stopped
from arena.file_io import draft_of
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.settings import STALL_SECONDS
from arena.storage.database import Store
from arena.storage.season import Version
from arena.workers.pools import ending_at_once
from arena.workers.worker import own_watch

KEPT = "; what was played is kept, and the same command continues."


@dataclass(frozen=True)
class Findings:
    """The findings of the coach about a player.

    Attributes:
        version: Id of the version.
        matches: Number of its matches that were judged.
        found: The result of `arena.coach`.
    """

    version: int
    matches: int
    found: Coaching


def findings_in(path: Path) -> Findings | None:
    """Return the findings stored in a file; None if the file is missing or cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Findings)
    except (OSError, msgspec.MsgspecError):
        return None


def coach_players(folder: Path, store: Store, how: Execution, seconds: float) -> None:
    """Judge the matches of players with new results, until the time is up, and store the findings.

    Only the rules of the game are run, in workers, and none of the players' code. Players without findings
    come first, then those with the most new matches. Players for whom no time is left are judged in the next
    update.

    Args:
        folder: Folder of the players' web pages.
        store: The database.
        how: How to execute the work.
        seconds: Time limit; 0 to judge nothing.

    Raises:
        Stopped: If the user stopped it.
    """
    view = SeasonView.of(store)
    changed = [*changed_players(folder, view)] if seconds else []
    if not changed:
        return
    known, matches = registry(), matches_of(view, [version for _, version in changed])
    in_time = replace(how, stop=Deadline(how.stop, time.monotonic() + seconds), progress=False)
    ratings = {view.called(id): one.rating for id, one in view.by_version.items()}
    try:
        with (
            suppress(Stopped),
            quiet(),
            ending_at_once(how.stop, ""),
            in_time.opened() as pool,
            how.showing("Coaching", "players") as tell,
        ):
            spec = game_as_played(matches[changed[0][1].id], known)
            judging = judging_of(spec, STALL_SECONDS, FEWEST_NODES, pool, in_time.showing)
            for done, (path, version) in enumerate(changed):
                tell(done, len(changed))
                if judging is None or in_time.stop.is_set():
                    break
                played = matches[version.id]
                one = judged_by(judging, pool, played, known, in_time, None, ratings)
                keep(path, Findings(version.id, len(played.played), one))
    except ArenaError as error:  # an error in the game's rules; the pages are still written
        own_watch.say(f"Warning: not all players were coached: {error}")
    if how.stop.is_set():
        raise Stopped(f"Stopped before all players were coached{KEPT}")


def findings_file(folder: Path, player: str) -> Path:
    """Return the path of the file with the findings about a player."""
    return folder / f"players/{page_of(player)}.json"


def page_of(player: str) -> str:
    """Return the name of a player's page without `.html`; special characters are encoded as `~` and hex."""
    return re.sub(r"[^A-Za-z0-9_.-]", lambda found: f"%{ord(found[0]):x}".replace("%", "~"), player)


def keep(path: Path, found: Findings) -> None:
    """Write findings to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path) as file:
        file.write(msgspec.json.encode(found))


def changed_players(folder: Path, view: SeasonView) -> Iterator[tuple[Path, Version]]:
    """Yield the findings file and version of each player with unjudged matches, those with most first."""
    new: list[tuple[bool, int, Path, Version]] = []
    for name, state in view.roster.states.items():
        version = state.version
        if version is None:
            continue
        played = round(sum(counts.matches for counts in view.by_opponent.get(version.id, {}).values()))
        path = findings_file(folder, name)
        kept = findings_in(path)
        seen = kept.matches if kept and kept.version == version.id else 0
        if played not in (0, seen):
            new.append((kept is None, played - seen, path, version))
    for _, _, path, version in sorted(new, key=lambda one: one[:2], reverse=True):
        yield path, version


def matches_of(view: SeasonView, versions: Sequence[Version]) -> dict[int, Matches]:
    """Return the matches of some versions under the current rules of the game, by id of the version."""
    store, game, ids = view.store, view.season.game, {(one.entry, one.code): one.id for one in view.versions}
    entries = store.entry_ids(game)
    found: dict[int, list[Played]] = {one.id: [] for one in versions}
    tournaments = [t for t in store.tournaments() if not t.exact and t.game == game and t.code == view.rules]
    for t in tournaments:
        here = {number: ids.get((name, t.codes.get(name, ""))) for name, number in entries.items()}
        if not found.keys() & {*here.values()}:
            continue
        for record in store.matches(t.id, {number: number for number in entries.values()}):
            if record.reason != WITHDRAWN:
                for one, played in played_by(view, t.id, record, here):
                    if one in found:
                        found[one].append(played)
    return {id: Matches(view.called(id), game, tournaments, played, {}) for id, played in found.items()}


def played_by(
    view: SeasonView, tournament: int, record: Record, ids: dict[int, int | None]
) -> Iterator[tuple[int, Played]]:
    """Yield the id of each version in a match, and the match from that version's seat."""
    pair = ids[record.first], ids[record.second]
    for seat, (one, other) in enumerate((pair, pair[::-1])):
        if one is not None and other is not None and one != other:
            yield one, Played(tournament, record, seat, view.called(other))
