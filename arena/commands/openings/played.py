"""A book of balanced openings of recorded matches."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from arena.commands.leaderboard.call import check_game, worths_of_openings
from arena.commands.openings.book import Book
from arena.errors import ArenaError
from arena.ratings.contestants import by_rules
from arena.storage.database import Store
from arena.texts import call


def book_of_played(game: str, lines: int, db: str | Path) -> Book:
    """Choose openings by their values in recorded matches, the most even first.

    Openings from start positions other than the game's own are left out.

    Args:
        game: The game.
        lines: Maximum number of openings to choose.
        db: Path of the database.

    Raises:
        ArenaError: If no match began with an opening, or all openings decide the match.
    """
    with closing(Store(db)) as store:
        found = [t for t in store.tournaments() if not t.exact]
        check_game(game, dict.fromkeys(t.game for t in found), str(db))
        *_, last = by_rules([t for t in found if t.game == game]).values()
        worths = [one for one in worths_of_openings(store, last) if one.from_start]
    if not worths:
        raise ArenaError(
            f"no match of {game} in {db} began with an opening; play a tournament with openings: "
            + call("tournament", game=game, openings="random:4")
        )
    even = [one for one in worths if not one.decides]
    if not even:
        raise ArenaError(f"each of {len(worths):,} openings of {game} in {db} decides the match")
    chosen = sorted(even, key=lambda one: (abs(one.worth), one.moves))[:lines]
    how = f"arena openings {game} --played --lines {lines}"
    return Book(game, how, [one.moves for one in chosen], [one.worth for one in chosen], len(worths), True)
