"""Ratings stored in the database: what was rated, and the resulting table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from arena.api.rating import CONFIDENCE
from arena.errors import ArenaError
from arena.storage.database import Store, Tournament, now
from arena.storage.rows import Amount, Count, Rating
from arena.texts import in_json
from arena.version import __version__

NEEDED = "0007 ratings and views"  # the migration that creates the tables
PATIENCE = 0.5  # seconds to wait for another writer; short, since ratings can be computed again


class Rated(NamedTuple):
    """A row of `ratings`, with the entry's name."""

    entry: str
    code: str
    rank: int
    best_rank: int | None
    worst_rank: int | None
    rating: float
    low: float | None
    high: float | None
    elo: float | None
    wins: float
    draws: float
    losses: float
    forfeits: float
    unplayed: float


HEAD = tuple[int, str, int | None, Literal[0, 1], str, Rating, Amount, str, str]
AT_HAND = tuple[int, Count, Literal[0, 1]]
RATED = tuple[
    str, str, Count, Count | None, Count | None, Rating, Rating | None, Rating | None, Rating | None, Amount,
    Amount, Amount, Amount, Amount,
]  # fmt: skip
COLUMNS = ", ".join(f'"{name}"' for name in Rated._fields[1:])


class RatedRow(Protocol):
    """A row of a leaderboard; its other attributes are the fields of `Rated`."""

    @property
    def matches(self) -> float: ...


class RatedBoard(Protocol):
    """A computed leaderboard."""

    @property
    def game(self) -> str: ...
    @property
    def rows(self) -> Sequence[RatedRow]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def exact(self) -> bool: ...
    @property
    def system(self) -> str: ...
    @property
    def tournaments(self) -> Sequence[int]: ...


@dataclass(frozen=True)
class Fit:
    """A row of `fits` with its ratings.

    Attributes:
        game: The game with its options.
        tournament: The only tournament that was considered; None for all tournaments of the game.
        exact: Whether exact results were rated instead of matches.
        system: Name of the rating system.
        confidence: Confidence level of the intervals.
        matches: Number of matches rated.
        notes: Remarks on the ratings.
        at_hand: Number of matches of each considered tournament at that time, by its number.
        rated: Numbers of the tournaments whose matches were rated.
        ratings: A row for each entry.
    """

    game: str
    tournament: int | None
    exact: bool
    system: str
    confidence: float
    matches: float
    notes: Sequence[str]
    at_hand: Mapping[int, int]
    rated: Sequence[int]
    ratings: Sequence[Rated]

    @classmethod
    def of(cls, board: RatedBoard, looked_at: Sequence[Tournament], alone: bool) -> Fit:
        """Return a leaderboard in the form to be stored, with the tournaments that it is computed from.

        Args:
            board: The leaderboard.
            looked_at: The tournaments that were considered.
            alone: Whether the leaderboard is of one tournament only.
        """
        return cls(
            game=board.game,
            tournament=looked_at[0].id if alone else None,
            exact=board.exact,
            system=board.system,
            confidence=CONFIDENCE,
            matches=sum(row.matches for row in board.rows) / 2,
            notes=board.notes,
            at_hand={t.id: t.played for t in looked_at},
            rated=board.tournaments,
            ratings=[Rated(*(getattr(row, name) for name in Rated._fields)) for row in board.rows],
        )

    @property
    def scope(self) -> tuple[str, int, bool, str]:
        """Game, tournament (0 for all), exactness and system; the database stores one fit for each."""
        return self.game, self.tournament or 0, self.exact, self.system

    @property
    def about(self) -> tuple[object, ...]:
        """Values of the columns from `game` to `notes` in its row."""
        notes = in_json(json.dumps(self.notes, ensure_ascii=False))
        scope = self.game, self.tournament, self.exact, self.system
        return *scope, self.confidence, self.matches, __version__, notes


def keep_in(db: str | Path, fits: Sequence[Fit]) -> None:
    """Write ratings to a database file that is not open, unless they are stored or tables are missing."""
    with suppress(ArenaError):
        with closing(Store(db)) as store:
            changed = changed_in(store, fits)
        if changed:
            with closing(Store(db, write=True, patience=PATIENCE)) as writing:
                writing.due = math.inf  # leave checkpoints to the process that plays
                write(writing, changed)


def keep(store: Store, fits: Sequence[Fit]) -> None:
    """Write ratings to an open database, unless they are already stored or it cannot be written to now."""
    with suppress(ArenaError):
        if changed := changed_in(store, fits):
            write(store, changed)


def changed_in(store: Store, fits: Sequence[Fit]) -> list[Fit]:
    """Return the fits that differ from the stored ones; none if the database lacks the tables."""
    return [fit for fit in fits if not kept(store, fit)] if store.has(NEEDED) else []


def kept(store: Store, fit: Fit) -> bool:
    """Return whether the database stores exactly these ratings."""
    found = store.rows(
        "SELECT id, game, tournament, exact, system, confidence, matches, arena, notes FROM fits"
        " WHERE (game, coalesce(tournament, 0), exact, system) = (?, ?, ?, ?)",
        fit.scope,
    )
    if not found or found[0][1:] != fit.about:
        return False
    ((id, *_),) = found
    ratings = store.rows(
        f"SELECT name, {COLUMNS} FROM ratings JOIN entries ON id = entry WHERE fit = ? ORDER BY rank", (id,)
    )
    at_hand = store.rows("SELECT tournament, results, rated FROM fitted_to WHERE fit = ?", (id,))
    return ratings == [*fit.ratings] and {*at_hand} == {
        (tournament, results(store, fit, tournament), tournament in fit.rated) for tournament in fit.at_hand
    }


def recorded_fits(store: Store) -> Iterator[tuple[Fit, str]]:
    """Yield the stored ratings and the arena version that made them; raise ArenaError for invalid rows."""
    heads = store.rows(
        "SELECT id, game, tournament, exact, system, confidence, matches, arena, notes FROM fits ORDER BY id"
    )
    at_hand_of = "SELECT tournament, results, rated FROM fitted_to WHERE fit = ?"
    ratings_of = f"SELECT name, {COLUMNS} FROM ratings JOIN entries ON id = entry WHERE fit = ?"
    for id, *scope, confidence, matches, version, notes in store.checked(heads, HEAD, "kept ratings"):
        game, tournament, exact, system = scope
        at_hand = store.checked(store.rows(at_hand_of, (id,)), AT_HAND, "kept ratings")
        ratings = store.checked(store.rows(ratings_of, (id,)), RATED, "kept ratings")
        fit = Fit(
            game=game,
            tournament=tournament,
            exact=bool(exact),
            system=system,
            confidence=confidence,
            matches=matches,
            notes=store.decoded(notes, list[str], "kept ratings"),
            at_hand={number: results for number, results, _ in at_hand},
            rated=[number for number, _, is_rated in at_hand if is_rated],
            ratings=[Rated(*row) for row in ratings],
        )
        yield fit, version


def write(store: Store, fits: Sequence[Fit]) -> None:
    """Replace the stored ratings of the same scopes in one transaction."""
    with store.hurried(PATIENCE), store.transaction():
        for fit in fits:
            store.db.execute(
                "DELETE FROM fits WHERE (game, coalesce(tournament, 0), exact, system) = (?, ?, ?, ?)",
                fit.scope,
            )
            id = store.db.execute(
                "INSERT INTO fits (game, tournament, exact, system, confidence, matches, arena, notes, made)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*fit.about, now()),
            ).lastrowid
            store.db.conn.executemany(
                "INSERT INTO fitted_to VALUES (?, ?, ?, ?)",
                ((id, t, results(store, fit, t), t in fit.rated) for t in fit.at_hand),
            )
            ids = store.entry_ids(fit.game)
            store.db.conn.executemany(
                f"INSERT INTO ratings (fit, entry, {COLUMNS}) VALUES ({', '.join('?' * 15)})",
                ((id, ids.get(name), *rest) for name, *rest in fit.ratings),
            )


def results(store: Store, fit: Fit, tournament: int) -> int:
    """Return the number of matches, or of pairings with exact results, of a considered tournament."""
    if not fit.exact:
        return fit.at_hand[tournament]
    return len(store.exact(tournament))
