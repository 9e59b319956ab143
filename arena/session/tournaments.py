"""`arena.tournament`, and `arena.resume` for one that was stopped."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from arena.api.game import Game
from arena.errors import ArenaError
from arena.matches.schedule import Plan
from arena.matches.settings import complete, read_file, settings_of
from arena.matches.tournament import begin, reopen, run
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.registry.plugins import Registry
from arena.session.entries import Entry, GameEntry, isolated_texts, known_with, text_of
from arena.session.results import Tournament
from arena.session.running import ExecutorEntry, How, train_entries
from arena.storage.database import DATABASE, Store


def tournament(
    entries: Sequence[Entry] | None = None,
    *,
    file: str | Path | None = None,
    game: GameEntry = None,
    format: str | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    openings: str | None = None,
    max_plies: int | None = None,
    move_seconds: float | None = None,
    stall_seconds: float | None = None,
    isolate: bool | Sequence[Entry] | None = None,
    exact: bool | None = None,
    db: str | Path = DATABASE,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Tournament:
    """Play a tournament, record it in a database and rate it.

    entries: as for `arena.match`; every agent installed that can play the game if None. file: a tournament in
    TOML, before which the other arguments take precedence. format: who meets whom, "round-robin". rounds: how
    often each meets each from either seat, 50 if None. exact: play nothing, but evaluate with which
    probabilities matches end how. The other arguments are those of `arena.match`. Whatever interrupts it,
    `arena.resume` goes on from what is recorded. ArenaError for what cannot be.

    >>> import arena
    >>> found = arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=10, seed=1)
    >>> found.played, [row.entry for row in found.leaderboard.rows]
    (20, ['minimax', 'random'])
    """
    if isinstance(entries, str):
        raise ArenaError(f"entries is the text {entries!r}; give a list of them, [{entries!r}, ...]")
    known = known_with(entries or (), game)
    given: dict[str, Any] = {
        "game": None if game is None else text_of(game, "game", known),
        "entries": None if entries is None else [text_of(entry, "agent", known) for entry in entries],
        "format": format,
        "rounds": rounds,
        "seed": seed,
        "openings": openings,
        "max_plies": max_plies,
        "move_seconds": move_seconds,
        "stall_seconds": stall_seconds,
        "isolate": isolated_texts(isolate, known),
        "exact": exact,
    }
    said = read_file(str(file)) if file else {}
    said |= {name: value for name, value in given.items() if value is not None}
    settings, plan = complete(settings_of(said), known)
    how = How.of(known, workers, executor, progress, stop)
    with closing(Store(db, write=True)) as store:  # or its fault is told before anything is learned
        if settings.exact:
            from arena.session.exact import evaluated  # which the others need not wait for

            number = begin(store, settings, plan, known, evaluated(plan, known, how))
            return rated(store, number)
        train_entries(plan, known, how)
        return play(store, begin(store, settings, plan, known), plan, known, how)


def resume(
    number: int | None = None,
    *,
    own: Sequence[Any] = (),
    db: str | Path = DATABASE,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Tournament:
    """Go on with a tournament that was stopped, as it was planned; the last such if no number is given.

    own: classes of yours that were entered, and its game if that is one. The rest is as for
    `arena.tournament`.
    """
    known = known_with([cls for cls in own if not is_game(cls)], next(filter(is_game, own), None))
    how = How.of(known, workers, executor, progress, stop)
    with closing(Store(db)):  # which must be there
        pass
    with closing(Store(db, write=True)) as store:
        number, plan = reopen(store, number, known)
        train_entries(plan, known, how)
        return play(store, number, plan, known, how)


def is_game(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, Game)


def play(store: Store, number: int, plan: Plan, known: Registry, how: How) -> Tournament:
    """Play what is left of a tournament."""
    try:
        with how.showing(f"Tournament {number}", "matches") as tell:
            for played, planned in run(store, number, plan, how.executor, how.workers, how.stop):
                tell(played, planned)
    except KeyboardInterrupt as interrupt:
        interrupt.add_note(f"What was played is kept; go on with arena.resume({number}, db={store.path!r})")
        raise
    return rated(store, number)


def rated(store: Store, number: int) -> Tournament:
    """A tournament as it is in the database."""
    found = store.tournament(number)
    return Tournament.of(store, found, leaderboard(store, found.game, [found], MaximumLikelihood()))
