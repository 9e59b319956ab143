"""The plugin files of games and entries of recorded tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from arena.calls.arguments import GameEntry, known_with, with_paths
from arena.errors import ArenaError
from arena.registry.file_offers import opened
from arena.registry.files import references
from arena.registry.plugins import Registry
from arena.storage.database import Tournament


def known_of(tournaments: Sequence[Tournament], asked: GameEntry) -> Registry:
    """Return a registry with those files of the game and the entries of tournaments that still exist.

    Args:
        tournaments: The tournaments.
        asked: The game as the caller gave it; a path or class takes precedence over the recorded one.

    Raises:
        ArenaError: If the file of the game does not exist.
    """
    (*_, last) = tournaments
    by_path = asked if asked != last.game else None
    game = by_path or with_paths(last.settings)[1]
    return known_to(tournaments, known_with(game=game, named=by_path is not None))


def known_to(tournaments: Sequence[Tournament], known: Registry) -> Registry:
    """Return a registry with those files of entries in tournaments added that still exist."""
    for t in tournaments:
        for text in with_paths(t.settings)[0]:
            with suppress(ArenaError):
                known = known.including([], opened([("agent", one) for one in references(text)], named=False))
    return known
