"""The openings of a tournament: random moves, or the lines and positions of a book file."""

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
from arena.plan.opening_book import HOW, Opening, openings_in, read_book, recorded_lines
from arena.results.record import NO_OPENINGS
from arena.rng import Rng, Streams

TRIES = 1000  # maximum attempts at drawing random moves


@dataclass(frozen=True)
class Openings:
    """The openings of a tournament's rounds. Both seats of a pairing have the same opening in a round.

    Attributes:
        plies: The number of random moves.
        book: Openings used instead of random moves. A pairing plays all of them once, in an order determined
            by the seed, before it repeats them in another order.
        shared: Whether all pairings have the same opening in a round. Otherwise each pairing has its own
            openings, so that matches of different pairings are independent.
    """

    plies: int = 0
    book: tuple[Opening, ...] = ()
    shared: bool = False

    @classmethod
    def of(
        cls,
        text: str,
        recorded: Sequence[str] | None,
        game: Game,
        streams: Streams,
        max_plies: int,
        shared: bool = False,
    ) -> Openings:
        """Return the openings that the settings name.

        Args:
            text: `none`, `random:N`, `FILE` or `FILE:N`.
            recorded: The lines of a book that was read earlier, used instead of the file.
            game: The game.
            streams: The tournament's random streams.
            max_plies: The plies after which matches end.
            shared: Whether all pairings have the same openings. Under scheme 1 of the streams they always do.

        Raises:
            ArenaError: If the text is invalid, or the game has no such openings.
        """
        if text == NO_OPENINGS:
            return cls()
        shared = shared or streams.scheme == 1
        if text.startswith("random:"):
            plies = plies_of(text, text.removeprefix("random:"))
            random_opening(game, streams.opening(streams.opening_key(), 0), plies)  # raises if none exist
            return cls(plies, shared=shared)
        if recorded is None:
            lines = read_book(*file_of(text))
        else:
            lines = recorded_lines(text, recorded)
        return cls(book=openings_in(lines, game, max_plies), shared=shared)

    def __reduce__(self) -> Any:
        """Pickle the book only once, since a plan is sent with each block of matches."""
        return unpacked, (self.plies, self.packed, self.shared)

    @cached_property
    def packed(self) -> bytes:
        """The pickled book."""
        return pickle.dumps(self.book)

    @property
    def longest(self) -> int:
        """The number of plies of the longest opening."""
        return max(len(line.moves) for line in self.book) if self.book else self.plies

    @property
    def some(self) -> bool:
        """Whether matches have openings."""
        return bool(self.book or self.plies)


@lru_cache(maxsize=2)
def unpacked(plies: int, packed: bytes, shared: bool) -> Openings:
    """Unpickle openings; repeated calls for the same book return the same object."""
    return Openings(plies, pickle.loads(packed), shared)


def in_text(openings: object) -> object:
    """Return openings in the form used in settings: a path as text, anything else unchanged."""
    return str(openings) if isinstance(openings, PurePath) else openings


def beside(text: str, folder: Path) -> str:
    """Return the text of openings with the full path of the file, if that file exists in a folder."""
    if text == NO_OPENINGS or text.startswith("random:"):
        return text
    path = folder / file_of(text)[0]
    return str(folder / text) if path.is_file() else text


def file_of(text: str) -> tuple[str, int | None]:
    """Return the file that openings name, and the number of plies, None for all.

    Raises:
        ArenaError: If the number is 0.
    """
    if found := re.fullmatch(r"(.+):([0-9]+)", text, re.DOTALL):
        plies = plies_of(text, found[2])
        if not plies:
            raise ArenaError(f"openings {text!r}: the number of plies is 0; {HOW}")
        return found[1], plies
    return text, None


def plies_of(text: str, digits: str) -> int:
    """Return a number of plies read from its digits.

    Raises:
        ArenaError: If the digits are not a number.
    """
    if not re.fullmatch(r"[0-9]{1,9}", digits):
        raise ArenaError(f"openings {text!r}: {HOW}")
    return int(digits)


def random_opening(game: Game, seed: int, plies: int) -> list[Move]:
    """Return random moves from the game's start after which the match is not over.

    Raises:
        ArenaError: If none are found.
    """
    rng = Rng(seed)
    for _ in range(TRIES):
        state = game.initial()
        history: list[Move] = []
        while (legal := game.moves(state)) and len(history) < plies:
            history.append(legal[rng.below(len(legal))])
            state = game.play(state, history[-1])
        if legal:
            return history
    raise ArenaError(f"openings 'random:{plies}': no match of {game} continues after {plies} random plies")
