"""Books of openings whose lines all begin at the game's own start."""

from __future__ import annotations

from arena.plan.opening_book import openings_in


def moves_of(lines, game, max_plies):
    """The moves of each opening of a book, none of which begins in a position."""
    book = openings_in(lines, game, max_plies)
    assert {opening.start for opening in book} <= {None}
    return tuple(opening.moves for opening in book)
