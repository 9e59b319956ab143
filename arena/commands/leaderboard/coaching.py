"""Judged matches and the findings of the coach, for a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from arena.analysis.blunders import judging_of
from arena.analysis.match_marks import Line, Marking, Marks, marks_of
from arena.analysis.move_grading import GraphJudge, judge_of
from arena.api.plugin_guard import Failed, foreign, quiet
from arena.calls.execution import Execution
from arena.commands.coach.call import FEWEST_NODES, MOST_NODES, OTHER_RULES, STOPPED, coached
from arena.commands.coach.matches import SAMPLE, matches_of
from arena.commands.coach.result import Coaching
from arena.errors import ArenaError, Stopped, did_you_mean
from arena.plan.entries import make_game
from arena.ratings.leaderboard import Leaderboard
from arena.registry.digests import code_of
from arena.registry.files import without_paths
from arena.registry.plugins import Registry
from arena.results.record import UNKNOWN_CODE
from arena.results.settings import STALL_SECONDS
from arena.show.page.event import Event
from arena.storage.database import Store, Tournament
from arena.workers.loop import work_off
from arena.workers.pools import ending_at_once

SMALL = 20_000  # largest number of positions of a game whose matches are always judged


class Coached(NamedTuple):
    """The coach's findings about the entries of one game.

    Attributes:
        found: The findings, by entry.
    """

    found: Mapping[str, Coaching]

    @property
    def matches(self) -> set[tuple[int, int]]:
        """Tournament and number of each match that the findings refer to."""
        found = {
            (one.tournament, one.match)
            for each in self.found.values()
            for one in (*each.mistakes, *each.repeated)
        }
        quick = [each.shortest for each in self.found.values() if each.shortest]
        return found | {(one.tournament, one.match) for one in quick}


def coached_entries(
    store: Store,
    board: Leaderboard,
    group: Sequence[Tournament],
    entries: Iterable[str],
    known: Registry,
    how: Execution,
) -> Coached:
    """Return the coach's findings about the given entries that have matches on a leaderboard."""
    if board.exact:
        return Coached({})
    found = {}
    number = group[0].id if len(group) == 1 else None
    for entry in meant(board, entries):
        with quiet():
            matches = matches_of(store, entry, board.game, number, None, SAMPLE)
            found[entry] = coached(store, matches, known, how, None, None)
    return Coached(found)


def meant(board: Leaderboard, entries: Iterable[str]) -> Iterator[str]:
    """Yield the entries of a leaderboard with these texts or short names."""
    names = {one.shown: one.entry for one in board.entered} | {one.entry: one.entry for one in board.entered}
    wanted = [entry if entry in names else without_paths(entry) for entry in entries]
    yield from dict.fromkeys(names[entry] for entry in wanted if entry in names)


def check_entries_of(boards: Sequence[Leaderboard], entries: Iterable[str]) -> None:
    """Raise ArenaError if any of the entries is on none of the leaderboards."""
    names = [name for board in boards for one in board.entered for name in (one.shown, one.entry)]
    for entry in entries:
        if not {entry, without_paths(entry)} & {*names}:
            meant = did_you_mean(entry, dict.fromkeys(names))
            raise ArenaError(f"no leaderboard has an entry {entry!r} to coach{meant}")


def with_marks(
    event: Event,
    group: Sequence[Tournament],
    known: Registry,
    how: Execution | None,
    closely: Collection[tuple[int, int]] = (),
) -> Event:
    """Return the content of a page with the moves of its matches judged, if possible.

    Args:
        event: The content.
        group: The tournaments.
        known: The registry of plugins.
        how: How to execute the judging of matches; None to judge only matches of small games, in this
            process.
        closely: Tournament and number of matches to judge at least as closely as the coach does.
    """
    lines = [Line(one.tournament, one.number, one.moves, one.start, one.opening) for one in event.matches]
    if event.game is None or not lines:
        return event
    if how is not None:
        return replace(event, marks=judged(lines, group, known, how, closely))
    if event.game.reachable is None or event.game.reachable > SMALL:
        return event
    with suppress(ArenaError, Failed), foreign(ArenaError):
        judge = judge_of(event.game, FEWEST_NODES)
        if isinstance(judge, GraphJudge):
            marks = {(one.tournament, one.match): marks_of(judge, event.game, one) for one in lines}
            return replace(event, marks=marks)
    return event


def judged(
    lines: Sequence[Line],
    group: Sequence[Tournament],
    known: Registry,
    how: Execution,
    closely: Collection[tuple[int, int]],
) -> Mapping[tuple[int, int], Marks]:
    """Return the judgements of the moves of matches, by tournament and match number.

    Raises:
        ArenaError: If the rules of the game have changed.
        Stopped: If the user stopped the analysis.
    """
    spec = known.spec("game", group[0].game)
    if not {t.code for t in group} <= {UNKNOWN_CODE, code_of(spec)}:
        raise ArenaError(OTHER_RULES.format(spec.text))
    make_game(spec)
    near = [one for one in lines if (one.tournament, one.match) in closely]
    rest = [one for one in lines if (one.tournament, one.match) not in closely]
    found: dict[tuple[int, int], Marks] = {}
    with quiet(), ending_at_once(how.stop, STOPPED), how.opened() as pool:
        judging = judging_of(spec, STALL_SECONDS, FEWEST_NODES, pool, how.showing)
        if judging is not None:
            with how.showing(f"Judging {spec.text} for the page", "matches") as tell:
                tell(0, len(lines))
                for some, nodes in ((near, MOST_NODES), (rest, FEWEST_NODES)):
                    by = judging if judging.nodes is None else replace(judging, nodes=nodes)
                    work = Marking(by, some, pool.executor)
                    for done in work_off(work, 2 * pool.count, pool.stop):
                        tell(len(found) + done, len(lines))
                    found |= work.found
    if judging is None or how.stop.is_set():
        raise Stopped(STOPPED)
    return found
