"""The base class of endgame databases, which number positions and store their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.api.component import Component
from arena.api.game import Game, State
from arena.api.spec import endings_kept, endings_probe


class Probed(Protocol):
    """A game's endings in memory, as returned by `probe`."""

    game: Game
    endings: Endings

    def value(self, state: State) -> int:
        """Return the value of a position for the side to move; 2 if the database does not contain it."""


def probe(game: Game, pieces: int) -> object:
    """Return a component that looks up positions in the endgame database of a game.

    Its method `look` returns the code of a position: 0 is a draw, other even codes are wins for the player to
    move, odd codes losses, and -1 means that the position is not in the database. `plies` returns the number
    of plies to the end for a code other than 0. `value` returns -1, 0 or 1 for the player to move, or 2 if
    the position is not in the database.

    Args:
        game: The game.
        pieces: The maximum number of pieces.

    Raises:
        ArenaError: If these endings have not been computed.
    """
    return endings_probe(game, pieces)


def pieces_kept(game: Game, pieces: int = 0) -> int:
    """Return the largest number of pieces up to which the endings of a game are stored.

    Args:
        game: The game.
        pieces: The number of pieces required; 0 for as many as are stored.

    Raises:
        ArenaError: If no endings are stored, or some of the required ones are missing.
    """
    found: int = endings_kept(game, pieces)
    return found


@dataclass(frozen=True)
class Slice:
    """Positions that are solved together because moves lead back and forth between them.

    Attributes:
        name: A name of letters, digits and hyphens.
        size: The number of positions, which are numbered from 0.
        leads: Indices of the other slices that moves lead to, all of them earlier.
    """

    name: str
    size: int
    leads: tuple[int, ...] = ()


class Endings(Component):
    """Endings of a game; subclass it and register it under the name of the game.

    The class numbers positions and generates their predecessors. All methods except `of`, `rules` and
    `slices` must compile. Positions that differ only in swapped players may have the same number. Without
    `unmoves`, all positions of a slice are examined for each ply, which takes longer.

    Attributes:
        game: The game.
        pieces: The maximum number of pieces.
        version: The version of the numbering; increase it when the numbering changes.
        paired: Whether the players always alternate and the player to move at the end has lost or drawn, so
            that a win takes an odd number of plies.
        longest: The maximum number of plies that a win can take. Each position takes one byte if this is at
            most 254 (126 if not `paired`), otherwise two bytes.
    """

    game: Game
    pieces: int
    version: int = 1
    paired: bool = False
    longest: int = 254

    @classmethod
    def of(cls, game: Game, pieces: int) -> Endings:
        """Return the endings of a game with up to `pieces` pieces, or raise ArenaError if there are none."""
        raise NotImplementedError  # subclasses implement it

    def rules(self) -> str:
        """Return the text of the game with only the options that affect the values of endings.

        Draws by repetition or length are ignored.
        """
        return str(self.game)

    def slices(self) -> Sequence[Slice]:
        """Return all slices, in an order in which no move leads to a later one."""
        raise NotImplementedError  # subclasses implement it

    def slice(self, state: State) -> int:
        """Return the index of the slice that contains a position, -1 if none does."""
        raise NotImplementedError  # subclasses implement it

    def number(self, state: State) -> int:
        """Return the number of a position in its slice."""
        raise NotImplementedError  # subclasses implement it

    def position(self, slice: int, number: int) -> State:
        """Return the position with this number in a slice."""
        raise NotImplementedError  # subclasses implement it

    def unmoves(self, state: State) -> Iterator[State]:
        """Yield the predecessors of a position within its slice.

        A predecessor is yielded once for each legal move that leads from it to `state`.
        """
        raise NotImplementedError  # subclasses implement it
