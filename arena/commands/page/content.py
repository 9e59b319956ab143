"""HTML pages of leaderboards, with data from a database."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from arena.api.game import Game
from arena.api.plugin_guard import Failed, foreign
from arena.api.reasons import WITHDRAWN
from arena.calls.costs import costs_of, with_costs
from arena.calls.recorded_files import known_to
from arena.calls.results import Leaderboard, as_recorded
from arena.errors import ArenaError, Stopped
from arena.file_io import draft_of
from arena.plan.entries import apart, make_game
from arena.ratings.contestants import Which
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.pool import Pool, exact_results, expected_counts, pool_of, totals_of
from arena.registry.digests import code_of
from arena.registry.plugins import Registry, registry
from arena.results.curve_row import Row
from arena.results.record import UNKNOWN_CODE
from arena.show.curve import Plot, plots
from arena.show.page import page
from arena.show.page.event import Event, Played
from arena.storage.database import Store, Tournament
from arena.texts import call
from arena.workers.pools import ending_at_once

if TYPE_CHECKING:
    from arena.wasm.module import Module

EVERY = 5.0  # minimum number of seconds between updates of a page, except at the beginning
MOST_MATCHES = 2_000  # maximum number of matches on the page
MOST_PLAYABLE = 10  # maximum number of entries to play against on the page, the best ones
MODULE = 1_000_000  # maximum size of a module in bytes
MODULES = 2_000_000  # maximum size of all modules together in bytes
MOST_FORFEITED = 100  # maximum number of forfeited matches in addition to the first matches
QUICK = 200  # maximum number of matches for which a page is written in a fraction of a second
RUNNING = re.compile(r'<p class="running".*?</p>')
ENDED = "Playing has ended. Matches that were played after this page was written are not on it."


def write(
    path: str | Path,
    events: Sequence[Event],
    results: Sequence[Row] = (),
    title: str | None = None,
    running: bool = False,
) -> None:
    """Write leaderboards and learning curves as a page.

    An existing file is replaced atomically, so that readers never see an incomplete page.

    Args:
        path: Path of the page.
        events: Leaderboards with their details.
        results: Results of learning curves.
        title: The headline. Default: only the games.
        running: Whether the matches are still being played, so that the page reloads itself.

    Raises:
        ArenaError: If the page cannot be written.
    """
    events = [replace(event, curves=curves_of(event, results)) for event in events]
    put(path, page(events, plots(results), title=title, running=2 * EVERY if running else None))


def put(path: str | Path, text: str) -> None:
    """Write the text of a page; see `write`."""
    place = Path(path).resolve()
    if not place.exists() or place.is_file():
        with draft_of(place, path) as file:
            file.write(text.encode())
        return
    try:  # not a regular file, for example a pipe
        place.write_bytes(text.encode())
    except OSError as error:
        raise ArenaError(f"cannot write {path}: {error.strerror}") from error


def curves_of(event: Event, results: Sequence[Row]) -> dict[str, list[Plot]]:
    """Return the learning curves of a leaderboard's entries, by entry."""
    here = [result for result in results if result.game == event.board.game]
    entries = {result.entry for result in here} & {row.entry for row in event.board.rows}
    return {entry: plots([result for result in here if result.entry == entry]) for entry in entries}


class TournamentPage:
    """The page of a tournament, rewritten while it is played.

    Args:
        path: Path of the page.
        store: The database.
        number: Number of the tournament.
        known: The registry.
        stop: Event that is set when the tournament is stopped.
    """

    def __init__(
        self, path: str | Path, store: Store, number: int, known: Registry, stop: threading.Event
    ) -> None:
        self.path, self.store, self.number, self.known, self.stop = path, store, number, known, stop
        self.begun = self.due = time.monotonic()
        self.text = ""  # of the page as it was written last
        self.shown = 0  # number of matches that it covers

    def update(self) -> None:
        """Write the page if it is due; writing takes at most a twentieth of the total time.

        At first it is due more often than every `EVERY` seconds. Ctrl-C ends writing at once.
        """
        begun = time.monotonic()
        if begun >= self.due and not self.stop.is_set():
            with suppress(Stopped), ending_at_once(self.stop, ""):
                self.write(running=True, playable=False)
            done = time.monotonic()
            self.due = done + max(min(EVERY, done - self.begun), 20 * (done - begun))

    def write(self, board: Leaderboard | None = None, running: bool = False, playable: bool = True) -> None:
        """Write the page with the current results, or raise ArenaError.

        Args:
            board: The leaderboard. Default: computed from the database.
            running: Whether matches are still being played. Then nothing is written once `stop` is set.
            playable: Whether to include entries to play against, which takes about a second each.
        """
        found = self.store.tournament(self.number)
        if board is None:
            rated = leaderboard(self.store, found.game, [found], MaximumLikelihood())
            board = Leaderboard.of(rated)
        event = event_of(self.store, board, [found], "latest", playable, self.known)
        text = page([event], running=2 * EVERY if running else None)
        if not (running and self.stop.is_set()):
            put(self.path, text)
            self.text, self.shown = text, found.played

    def end_early(self) -> list[str]:
        """Make the page one of a tournament that was stopped, without delay.

        Only a page of few matches is computed again; any other keeps the results of its last update.

        Returns:
            A remark if the page lacks matches.
        """
        played = self.store.played(self.number)
        if played <= QUICK or not self.text:
            self.write(playable=False)
            return []
        self.text = RUNNING.sub(f'<p class="note">{ENDED}</p>', self.text)
        put(self.path, self.text)
        if played == self.shown:
            return []
        again = call("leaderboard", tournament=self.number, html=str(self.path), db=str(self.store.path))
        return [f"{self.path} shows the first {self.shown:,} of {played:,} matches; {again} shows all."]


def event_of(
    store: Store,
    board: Leaderboard,
    group: Sequence[Tournament],
    code: Which,
    playable: bool = False,
    known: Registry | None = None,
    also: Collection[tuple[int, int]] = (),
) -> Event:
    """Return the leaderboard of tournaments of one game with its details.

    Args:
        store: The database.
        board: The leaderboard.
        group: The tournaments.
        code: Which versions of code count as one contestant.
        playable: Whether to include entries to play against.
        known: The registry of plugins. Default: everything installed.
        also: Tournament and number of each match to include in addition to the first ones.
    """
    known = known or registry()
    pool = pool_of(store, group, code)
    costs = costs_of(store, pool)
    board = with_costs(board, costs)
    if board.exact:
        pairings = expected_counts(exact_results(store, pool.tournaments, pool.contestants))
    else:
        pairings = totals_of(pool.results)
    game = game_of(pool.tournaments, known)
    return Event(
        board,
        board.hints(),
        game,
        pairings,
        [*matches_of(store, pool, also)],
        pool.played,
        [*forfeits_of(store, pool)],
        costs,
        options_of(store, pool),
        [*map(as_recorded, pool.tournaments)],
        *(modules_of(board, pool, known_to(pool.tournaments, known)) if playable and game else ()),
    )


def game_of(tournaments: Sequence[Tournament], known: Registry) -> Game | None:
    """Return the game as it was played, or None if that version is not installed."""
    try:
        with foreign(ArenaError):
            spec = known.spec("game", tournaments[0].game)
            if not {t.code for t in tournaments} <= {UNKNOWN_CODE, code_of(spec)}:
                return None
            return make_game(spec)
    except (ArenaError, Failed):
        return None


def matches_of(store: Store, pool: Pool, also: Collection[tuple[int, int]] = ()) -> Iterator[Played]:
    """Yield some matches of each tournament: the requested ones, some forfeited ones, and the first ones.

    Because of the order of the schedule, all pairs of entries occur about equally often among them.
    """
    ids = store.entry_ids(pool.tournaments[0].game)
    each = MOST_MATCHES // len(pool.tournaments)
    for t in pool.tournaments:
        names = {id: pool.contestants.names.get((t.id, name), "") for name, id in ids.items()}
        order = [*names.values()]
        records = store.matches(t.id, {id: place for place, id in enumerate(names)})
        played = (r for r in records if r.reason != WITHDRAWN and order[r.first] and order[r.second])
        first = [*islice(played, each)]
        last = first[-1].number if first else -1
        failed = (n for n, _, reason in store.failures(t.id) if n > last and reason != WITHDRAWN)
        asked = sorted(n for tournament, n in also if tournament == t.id and n > last)
        wanted = dict.fromkeys([*asked, *islice(failed, MOST_FORFEITED)])
        later = [next(store.matches(t.id, {id: i for i, id in enumerate(names)}, n)) for n in wanted]
        for r in (*later, *first):
            if order[r.first] and order[r.second]:
                seats = order[r.first], order[r.second]
                yield Played(
                    t.id, r.number, *seats, r.result, r.reason, r.detail, r.opening, r.moves, r.start
                )


def forfeits_of(store: Store, pool: Pool) -> Iterator[tuple[str, int, str, str]]:
    """Yield contestant, number of forfeits, reason and first detail, for each entry and reason."""
    for t in pool.tournaments:
        for name, times, reason, detail, number in store.forfeits_by_reason(t.id):
            if (t.id, name) in pool.contestants.names:
                where = f"tournament {t.id}, match {number}: {detail}"
                yield pool.contestants.names[t.id, name], times, reason, where


def options_of(store: Store, pool: Pool) -> Mapping[str, Mapping[str, object]]:
    """Return the values of all options of each contestant."""
    options = store.options(pool.tournaments[0].game)
    return {shown: options.get(name, {}) for (_, name), shown in pool.contestants.names.items()}


def modules_of(board: Leaderboard, pool: Pool, known: Registry) -> tuple[dict[str, Module], dict[str, str]]:
    """Return the best entries as WebAssembly modules, and the reasons why others cannot be included.

    For an entry with several seeds, the first is used.
    """
    from arena.commands.export.call import module_for
    from arena.wasm.module import TooLarge

    on = known.spec("game", pool.tournaments[0].game)
    modules: dict[str, Module] = {}
    plain: dict[str, str] = {}
    for row in board.rows:
        if len(modules) == MOST_PLAYABLE:
            break
        try:
            (spec, *_), _ = apart([known.spec("agent", row.entry)])
            if row.code not in (UNKNOWN_CODE, code_of(spec)):
                raise ArenaError("it was played with code that differs from the installed code")
            left = min(MODULE, MODULES - sum(len(module.data) for module in modules.values()))
            modules[row.entry] = module_for(spec, on, left)
        except TooLarge as error:
            why = "too many" if error.size > MODULE else "more than the remaining space"
            plain[row.entry] = f"{error.size / 1e6:.1f} MB of data are {why}"
        except ArenaError as error:
            plain[row.entry] = str(error)
    return modules, plain
