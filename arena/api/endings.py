"""The base class of endgame databases, which number positions and store the value of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.api.component import Component
from arena.api.game import Game, State
from arena.api.spec import endings_kept, endings_probe


class Probed(Protocol):
    """A game's endings in memory, as `probe` returns them."""

    game: Game
    endings: Endings

    def value(self, state: State) -> int:
        """Return the value of a position for the side to move, 2 if it is none of the endings."""


def probe(game: Game, pieces: int) -> object:
    """Return a component that knows the endings of a game.

    Its method `look` returns the code of a position, -1 if it is not such an ending: 0 is drawn, other even
    codes are won for the player to move, odd codes lost. `plies` returns the number of plies to the end for a
    code other than 0. `value` returns -1, 0 or 1 for the player to move, 2 if the position is not such an
    ending.

    Args:
        game: The game.
        pieces: Endings with up to so many pieces.

    Raises:
        ArenaError: If they have not been computed.
    """
    return endings_probe(game, pieces)


def pieces_kept(game: Game, pieces: int = 0) -> int:
    """Return up to how many pieces the endings of a game are stored.

    Args:
        game: The game.
        pieces: Up to how many are wanted; 0: as many as there are.

    Raises:
        ArenaError: If there are none, or some of those that are wanted are missing.
    """
    found: int = endings_kept(game, pieces)
    return found


@dataclass(frozen=True)
class Slice:
    """Positions that are solved together, since moves lead back and forth among them.

    Attributes:
        name: A name of letters, digits and hyphens.
        size: Positions are numbered from 0 up to, but not including, this number.
        leads: Numbers of the slices, all earlier ones, that other moves lead to.
    """

    name: str
    size: int
    leads: tuple[int, ...] = ()


class Endings(Component):
    """Endings of a game; subclass it and register it under the name of the game.

    It numbers positions and takes moves back. All methods except `of`, `rules` and `slices` must compile.
    Positions that differ only in which player is called first may have the same number. Without `unmoves`,
    all positions of a slice are examined for each ply, which takes longer.

    Attributes:
        game: The game.
        pieces: Endings have up to so many pieces.
        version: The version of the numbering; increase it when the numbering changes.
        paired: Whether the players move in turn and the player to move at the end has lost or drawn, so that
            a win takes an odd number of plies.
        longest: The most plies that a win can take. A position takes one byte if it is up to 254, or up to
            126 if not `paired`; otherwise two.
    """

    game: Game
    pieces: int
    version: int = 1
    paired: bool = False
    longest: int = 254

    @classmethod
    def of(cls, game: Game, pieces: int) -> Endings:
        """Return the endings of a game with up to so many pieces, or raise ArenaError if there are none."""
        raise NotImplementedError  # subclasses implement it

    def rules(self) -> str:
        """Return the game with those of its options that matter for endings.

        Draws by repetition or length are disregarded.
        """
        return str(self.game)

    def slices(self) -> Sequence[Slice]:
        """Return all slices, in an order in which no move leads to a later one."""
        raise NotImplementedError  # subclasses implement it

    def slice(self, state: State) -> int:
        """Return the number of the slice of a position, -1 if it is in none."""
        raise NotImplementedError  # subclasses implement it

    def number(self, state: State) -> int:
        """Return the number of a position in its slice."""
        raise NotImplementedError  # subclasses implement it

    def position(self, slice: int, number: int) -> State:
        """Return the position with this number in a slice."""
        raise NotImplementedError  # subclasses implement it

    def unmoves(self, state: State) -> Iterator[State]:
        """Yield the positions of the same slice from which legal moves lead to a position.

        Each is yielded as often as there are moves.
        """
        raise NotImplementedError  # subclasses implement it
