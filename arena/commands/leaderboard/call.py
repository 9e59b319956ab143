"""The function `arena.leaderboard`, which rates the entries of games."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.api.plugin_guard import quiet
from arena.api.rating import RatingSystem, Results
from arena.calls.arguments import GameEntry, known_with, text_of
from arena.calls.costs import costs_of, with_costs
from arena.calls.execution import Execution
from arena.calls.recorded_files import known_of
from arena.calls.results import Leaderboard, Leaderboards
from arena.errors import ArenaError, Stopped
from arena.ratings import leaderboard as ratings
from arena.ratings.contestants import Which, by_rules, check_which
from arena.ratings.leaderboard import NoSequence, no_sequence
from arena.ratings.leaderboard import leaderboard as rate
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.opening_worth import OpeningWorth, opening_worths
from arena.ratings.pool import counted_records, pool_of, pooled_results, totals_of
from arena.registry.plugins import Registry, registry
from arena.results.mastery import Mastery
from arena.results.record import UNKNOWN_CODE
from arena.results.settings import check_range
from arena.storage.database import DATABASE, Store, Tournament
from arena.storage.fits import Fit, keep_in
from arena.texts import call
from arena.workers.pools import ending_at_once

if TYPE_CHECKING:
    from arena.results.curve_row import Row
    from arena.show.page.event import Event

UNMASTERED = "Blunders are not counted: these matches were played under other rules of {} than are installed."

STOPPED = "Stopped before the table was complete; played matches are kept."
NODES = 20_000
JUDGED = (
    "Blunders are those among the {:.1f} % of moves that a search of {:,} positions each{} could judge; "
    "the expected loss is what they gave away in a match."
)


def leaderboard(
    game: GameEntry = None,
    *,
    tournament: int | None = None,
    rating: str = "maximum-likelihood",
    blunders: bool = False,
    nodes: int = NODES,
    cost: bool = False,
    worst: float | None = None,
    doubts: bool = False,
    openings: bool = False,
    anchor: tuple[str, float] | None = None,
    code: Which = "latest",
    html: str | Path | None = None,
    title: str | None = None,
    coach: Sequence[str] = (),
    playable: bool = True,
    curves: Sequence[str | Path] = (),
    db: str | Path | None = DATABASE,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Leaderboards:
    """Rate the entries of a game over all tournaments in a database.

    Tournaments that were evaluated exactly have a separate table.

    >>> import arena
    >>> _ = arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=10, seed=1)
    >>> (table,) = arena.leaderboard("tic-tac-toe")
    >>> [row.entry for row in table.rows]
    ['minimax', 'random']

    Args:
        game: The game, as a text or a class; for a game from a file that was moved, its new path. Default:
            all games.
        tournament: Number of one tournament. Default: all.
        rating: The rating system, with its options.
        blunders: Show how often the moves of entries lose value, judged by perfect play.
        nodes: Search limit for each position of a match, in a game too large to enumerate, to find
            blunders.
        cost: Show the time per move and the training time.
        worst: Show each entry's score against its best response; in a large game, the time limit of the
            search in seconds.
        doubts: Report misfit of the model, cycles, and differences that are not significant.
        openings: Estimate the value of each opening for the first player.
        anchor: An entry and its fixed rating, relative to which the other ratings and intervals are computed.
        code: "latest": leave out results of older code of an entry or older rules of a game. "all": one row
            for each version of an entry's code, and one table for each version of a game's rules.
        html: Path of a self-contained HTML page to write, with plots.
        title: Headline of the page.
        coach: Entries for which the page shows the findings of `arena.coach`, from a random sample of about
            10,000 matches of each entry that has more. The moves of the matches on the page are then judged;
            in games of up to 20,000 positions they always are.
        playable: Include the best compiled entries on the page, so that visitors can play against them.
        curves: Files of `arena.curve` to plot on the page.
        db: Path of the database. None: only `curves` are shown.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        One leaderboard for each game.

    Raises:
        ArenaError: If there is nothing to show.
        Stopped: If `stop` was set before the end.
    """
    check_which(code)
    on = None if game is None else game_as_recorded(game)
    if worst is not None:
        check_range("worst", worst, 0.001, 10**6)
    system = registry().spec("rating system", anchored(rating, anchor)).make()
    learned = results_of(curves)
    if coach and db is None:
        raise ArenaError("coach needs db, the database with the matches of the entry")
    fits: list[Fit] = []
    if db is None:
        boards: list[Leaderboard] = []
        events: list[Event] = []
        known = dict.fromkeys(result.game for result in learned)
    else:
        with closing(Store(db)) as store:
            with ending(stop):
                found = [store.tournament(tournament)] if tournament is not None else store.tournaments()
            known = dict.fromkeys([*(t.game for t in found), *(result.game for result in learned)])
            check_game(on, known, str(db))
            # worker processes are needed only for searches
            executor = "processes" if blunders or worst is not None else "serial"
            how = Execution.of(registry(), executor=executor, progress=progress, stop=stop)
            groups = [*grouped(found, on, code)]
            alone = all(group[0].exact for group, _ in groups)  # then there may be nothing to rate
            boards, events = [], []
            for group, older in groups:
                again = known_of(group, game) if blunders or worst is not None else registry()
                mastered, more = mastery(store, group, code, how, nodes, again) if blunders else ({}, [])
                with ending(stop):
                    board = rated(store, group, system, mastered, code, alone, doubts)
                fits.append(Fit.of(board, group, tournament is not None))
                boards.append(Leaderboard.of(replace(board, notes=[*board.notes, *more], older=older)))
                if openings and not group[0].exact:
                    with ending(stop):
                        boards[-1] = replace(boards[-1], openings=worths_of_openings(store, group, code))
                if cost:
                    boards[-1] = with_costs(boards[-1], costs_of(store, pool_of(store, group, code)))
                if worst is not None:
                    from arena.commands.exploit.worst import with_worst, worst_of

                    boards[-1] = with_worst(boards[-1], worst_of(store, group, code, worst, how, again))
            if html:
                from arena.commands.leaderboard.coaching import check_entries_of

                check_entries_of(boards, coach)
                for board, (group, _) in zip(boards, groups, strict=True):
                    drawn = known_there(group, game)
                    events.append(on_page(store, board, group, code, playable, drawn, coach, how))
    check_game(on, known, str(db))
    if html:
        from arena.commands.page.content import write

        if on is not None:
            learned = [one for one in learned if on in (one.game, one.game.partition(":")[0])]
        with ending(stop):
            write(html, events, learned, title)
    if db is not None and code == "latest":
        keep_in(db, fits)
    return Leaderboards(boards)


@contextmanager
def ending(stop: threading.Event | None) -> Iterator[None]:
    """Raise Stopped at once when `stop` is set, or if it is already set."""
    if stop is not None and stop.is_set():
        raise Stopped(STOPPED)
    with ending_at_once(stop, STOPPED):
        yield


def on_page(
    store: Store,
    board: Leaderboard,
    group: Sequence[Tournament],
    code: Which,
    playable: bool,
    known: Registry,
    coach: Sequence[str],
    how: Execution,
) -> Event:
    """Return the content of a leaderboard's page, with the findings of `arena.coach` about entries."""
    from arena.commands.leaderboard.coaching import coached_entries, with_marks
    from arena.commands.page.content import event_of
    from arena.show.page.event import Advice

    own = coached_entries(store, board, group, coach, known, how)
    with ending(how.stop):
        event = event_of(store, board, group, code, playable, known, own.matches)
    event = with_marks(event, group, known, how if own.found else None, own.matches)
    advice = {entry: Advice(one.sentences, [*one.parts()]) for entry, one in own.found.items()}
    return replace(event, advice=advice)


def rated(
    store: Store,
    group: Sequence[Tournament],
    system: RatingSystem,
    mastery: Mapping[str, Mastery] | None,
    code: Which,
    strict: bool,
    doubts: bool = False,
) -> ratings.Leaderboard:
    """Return the leaderboard of tournaments of one game.

    If the rating system needs a sequence of matches, exact results are rated by maximum likelihood, with a
    note.

    Raises:
        ArenaError: In that case, if `strict` is set.
    """
    game, of = group[0].game, list(group)
    try:
        return rate(store, game, of, system, mastery, code, doubts)
    except NoSequence:
        if strict:
            raise
    found = rate(store, game, of, MaximumLikelihood(), mastery, code)
    note = f"Rated by maximum likelihood: {system.name} needs matches in sequence, and there are none."
    return replace(found, notes=[*found.notes, note])


def worths_of_openings(
    store: Store, group: Sequence[Tournament], code: Which = "latest"
) -> list[OpeningWorth]:
    """Estimate the values of openings from the rated matches of tournaments of one game."""
    pool = pooled_results(store, group, code)
    totals = totals_of(pool.results)
    index = {name: i for i, name in enumerate(sorted({name for pair in totals for name in pair}))}
    sums = [(index[a], index[b], c.wins, c.draws, c.losses) for (a, b), c in totals.items()]
    fit = MaximumLikelihood().fit(Results([*index], sums, no_sequence))
    return opening_worths(counted_records(store, group[0].game, pool, index), fit.maximum[0])


def anchored(rating: str, anchor: tuple[str, float] | None) -> str:
    """Return the text of a rating system with an anchor added."""
    if anchor is None:
        return rating
    entry, at = anchor
    name = rating.partition(":")[0]
    if "anchor" not in registry().offer("rating system", name).load().options:
        raise ArenaError(f"rating system {name!r} takes no anchor; leave it out")
    return f"{rating}{',' if ':' in rating else ':'}anchor=({registry().spec('agent', entry).text}),at={at:g}"


def game_as_recorded(game: GameEntry) -> str:
    """Return the text of a game as in results; a file need not exist."""
    return text_of(game, "game", registry() if isinstance(game, str) else known_with(game=game))


def check_game(game: str | None, known: Mapping[str, object], db: str) -> None:
    """Raise ArenaError unless there are results, of this game if it is not None."""
    if not known:
        raise ArenaError(f"{db} holds no tournaments yet; play one: {call('tournament')}")
    if game is not None and game not in known:
        raise ArenaError(f"{db} holds no tournament of {game!r}; it has: {', '.join(known)}")


def grouped(
    found: Sequence[Tournament], game: str | None, code: Which
) -> Iterator[tuple[list[Tournament], bool]]:
    """Group tournaments by game, exact ones separately; for `code="all"`, also by version of the rules.

    Yields:
        Each group, and whether its rules are older than those of another group.
    """
    for name in dict.fromkeys(t.game for t in found if game in (None, t.game)):
        for exact in (False, True):
            if group := [t for t in found if (t.game, t.exact) == (name, exact)]:
                *older, last = by_rules(group).values() if code == "all" else [group]
                yield last, False
                yield from ((one, True) for one in reversed(older))


def known_there(tournaments: Sequence[Tournament], asked: GameEntry) -> Registry:
    """Return the registry of `known_of` for the page of a leaderboard.

    If the game's file cannot be used and the caller did not name it, return the registry of installed
    plugins.
    """
    try:
        return known_of(tournaments, asked)
    except ArenaError:
        if asked not in (None, tournaments[-1].game):
            raise
        return registry()


def mastery(
    store: Store, tournaments: Sequence[Tournament], code: Which, how: Execution, nodes: int, known: Registry
) -> tuple[dict[str, Mastery], list[str]]:
    """Compare the entries in tournaments of one game with perfect play.

    Returns:
        The comparison by entry, and notes about it.
    """
    from arena.analysis.blunders import blunders_of, remedy
    from arena.commands.exact.call import losses
    from arena.plan.entries import make_game
    from arena.registry.digests import code_of
    from arena.results.settings import STALL_SECONDS

    if tournaments[0].exact:
        return {}, []  # exact results include the comparison
    game = known.spec("game", tournaments[0].game)
    pool = pooled_results(store, tournaments, code)
    if not {t.code for t in pool.tournaments} <= {UNKNOWN_CODE, code_of(game)}:
        return {}, [UNMASTERED.format(game.text)]
    names = sorted({name for one in pool.results for name in (one.first, one.second)})
    index = {name: i for i, name in enumerate(names)}
    records, stall = counted_records(store, game.text, pool, index), STALL_SECONDS
    with quiet():
        found = blunders_of(game, records, len(names), stall, nodes, how, how.showing)
    if found is None:
        raise Stopped(f"Stopped before all moves were judged; {remedy()} for the table only.")
    sums, judging = found
    if judging.nodes is not None:
        moves, unsolved = sum(own.moves for own in sums), sum(own.unsolved for own in sums)
        looked_up = f" and endings of up to {judging.pieces} pieces" if judging.pieces else ""
        notes = [JUDGED.format(100 * moves / max(1, moves + unsolved), nodes, looked_up)]
        lost: Mapping[str, float | None] = {name: own.loss for name, own in zip(names, sums, strict=True)}
    else:
        notes, lost = [], losses(game, make_game(game), pool.contestants.codes, how, known)
    mastered = {
        name: Mastery(own.rate, own.error, lost.get(name)) for name, own in zip(names, sums, strict=True)
    }
    return mastered, notes


# Modules that a plain leaderboard does not need are imported where they are used, to save time.


def results_of(curves: Sequence[str | Path]) -> list[Row]:
    """Return the results in files of learning curves, or raise ArenaError."""
    if not curves:
        return []
    curves = [curves] if isinstance(curves, str | Path) else curves
    from arena.show.curve import read

    return read([str(file) for file in curves])
