"""What matches begin with: moves at random, or the lines of a book."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import Any

from arena.api.game import Game, Move
from arena.errors import ArenaError
from arena.plan.opening import Opening
from arena.plan.opening_book import HOW, openings_in, read_book, recorded_lines
from arena.results.book_order import in_order
from arena.results.record import NO_OPENINGS
from arena.rng import Rng
from arena.streams import Streams

TRIES = 1000


@dataclass(frozen=True)
class Openings:
    """The openings of a tournament's rounds, the same for all pairings and both seats.

    plies: so many moves at random. book: openings in place of these. All are played, in an order that the
    seed decides, before one is played again, and then in another order.
    """

    plies: int = 0
    book: tuple[Opening, ...] = ()

    @classmethod
    def of(
        cls, text: str, recorded: Sequence[str] | None, game: Game, streams: Streams, max_plies: int
    ) -> Openings:
        """What settings name, held against the game, or ArenaError.

        text: `none`, `random:N`, `FILE` or `FILE:N`. recorded: the lines of a book that was read before; the
        file itself is not read then.
        """
        if text == NO_OPENINGS:
            return cls()
        if text.startswith("random:"):
            found = cls(plies_of(text, text.removeprefix("random:")))
            found.opening(game, streams, 0)  # there has to be one
            return found
        if recorded is None:
            lines = read_book(*file_of(text))
        else:
            lines = recorded_lines(text, recorded)
        return cls(book=openings_in(lines, game, max_plies))

    def __reduce__(self) -> Any:
        """A plan is sent with each block of matches, its book as bytes that are made and read once."""
        return unpacked, (self.plies, self.packed)

    @cached_property
    def packed(self) -> bytes:
        """The book, pickled."""
        return pickle.dumps(self.book)

    @property
    def longest(self) -> int:
        """The plies of the longest opening."""
        return max(len(line.moves) for line in self.book) if self.book else self.plies

    @property
    def some(self) -> bool:
        """Whether matches begin elsewhere than at the game's start."""
        return bool(self.book or self.plies)

    def opening(self, game: Game, streams: Streams, round: int) -> Opening:
        """Return the opening of a round, drawn from the tournament's random streams."""
        if self.book:
            return self.line(streams, round)
        if not self.plies:
            return Opening()
        return Opening(tuple(random_opening(game, streams.openings(round), self.plies)))

    def line(self, streams: Streams, round: int) -> Opening:
        """The line of the book that a round's matches begin with."""
        time, place = divmod(round, len(self.book))
        return self.book[in_order(len(self.book), streams, time)[place]]

    def start(self, streams: Streams, round: int) -> str | None:
        """The text of the position that a round's matches begin in, None for the game's own start."""
        return self.line(streams, round).start if self.book else None


@lru_cache(maxsize=2)
def unpacked(plies: int, packed: bytes) -> Openings:
    """Openings as they were sent: of the same book the same object."""
    return Openings(plies, pickle.loads(packed))


def in_text(openings: object) -> object:
    """Openings as settings have them: a path as text, anything else as it is."""
    return str(openings) if isinstance(openings, PurePath) else openings


def beside(text: str, folder: Path) -> str:
    """Openings with their file looked for in a folder first."""
    if text == NO_OPENINGS or text.startswith("random:"):
        return text
    path = folder / file_of(text)[0]
    return str(folder / text) if path.is_file() else text


def file_of(text: str) -> tuple[str, int | None]:
    """The file that openings name, and up to which ply, None if they do not say. ArenaError for ply 0."""
    if found := re.fullmatch(r"(.+):([0-9]+)", text, re.DOTALL):
        plies = plies_of(text, found[2])
        if not plies:
            raise ArenaError(f"openings {text!r}: no plies are no opening; {HOW}")
        return found[1], plies
    return text, None


def plies_of(text: str, digits: str) -> int:
    """So many plies, or ArenaError."""
    if not re.fullmatch(r"[0-9]{1,9}", digits):
        raise ArenaError(f"openings {text!r}: {HOW}")
    return int(digits)


def random_opening(game: Game, seed: int, plies: int) -> list[Move]:
    """So many random moves from the start that leave a match to be played, or ArenaError."""
    rng = Rng(seed)
    for _ in range(TRIES):
        state = game.initial()
        history: list[Move] = []
        while (legal := game.moves(state)) and len(history) < plies:
            history.append(legal[rng.below(len(legal))])
            state = game.play(state, history[-1])
        if legal:
            return history
    raise ArenaError(f"openings 'random:{plies}': no match of {game} goes on after {plies} random plies")
