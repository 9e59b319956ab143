"""Coaching of the players of a season, whose findings are stored next to the web pages."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
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
    come first, then those with the most new matches, and baselines last. Players for whom no time is left are
    judged in the next update.

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
    known = registry()
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
            spec = game_as_played(view.season.game, view.tournaments, known)
            judging = judging_of(spec, STALL_SECONDS, FEWEST_NODES, pool, in_time.showing)
            for done, (path, version) in enumerate(changed):
                tell(done, len(changed))
                if judging is None or in_time.stop.is_set():
                    break
                played = matches_of(view, version)
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
    """Yield the findings file and version of each player with unjudged matches, in the order of judging."""
    new: list[tuple[bool, bool, int, Path, Version]] = []
    for name, state in view.roster.states.items():
        version = state.version
        if version is None:
            continue
        played = round(sum(counts.matches for counts in view.by_opponent.get(version.original, {}).values()))
        path = findings_file(folder, name)
        kept = findings_in(path)
        seen = kept.matches if kept and kept.version == version.id else 0
        if played not in (0, seen):
            new.append((not state.player.baseline, kept is None, played - seen, path, version))
    for *_, path, version in sorted(new, key=lambda one: one[:3], reverse=True):
        yield path, version


def matches_of(view: SeasonView, version: Version) -> Matches:
    """Return the matches of a version under the current rules of the game."""
    store, game, ids = view.store, view.season.game, {(one.entry, one.code): one.id for one in view.versions}
    entries = store.entry_ids(game)
    number = entries[version.entry]
    index = {one: one for one in entries.values()}
    alike = {id for id, one in view.roster.versions.items() if one.original == version.original}
    own = [t for t in view.tournaments if ids.get((version.entry, t.codes.get(version.entry, ""))) in alike]
    played: list[Played] = []
    for t in own:
        here = {one: ids.get((name, t.codes.get(name, ""))) for name, one in entries.items()}
        for record in store.matches(t.id, index, of=[number]):
            seat = int(record.first != number)
            other = here[record.first if seat else record.second]
            if record.reason != WITHDRAWN and other is not None and other not in alike:
                played.append(Played(t.id, record, seat, view.called(other)))
    return Matches(view.called(version.id), game, own, played, {})
