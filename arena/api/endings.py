"""What endings are: positions with numbers, by which what each of them is worth can be kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.api.component import Component
from arena.api.game import Game, State
from arena.api.lazy import endings_kept, endings_probe


def probe(game: Game, pieces: int) -> Any:
    """A component that knows a game's endings with up to so many pieces, or ArenaError if they are not there.

    Its method `look` gives a position's code, -1 if it is no such ending. 0 is drawn, what is even else won
    for who is to move, what is odd lost; `plies` of a code that is not 0 says in how many. `value` gives -1,
    0 or 1, for who is to move, and 2 if it is no such ending.
    """
    return endings_probe(game, pieces)


def pieces_kept(game: Game, pieces: int = 0) -> int:
    """Up to how many pieces a game's endings are kept, or ArenaError if there are none.

    pieces: up to so many are wanted, 0 = as many as there are; ArenaError where some of these are missing.
    """
    found: int = endings_kept(game, pieces)
    return found


@dataclass(frozen=True)
class Slice:
    """Positions that are solved together, since moves go to and fro among them.

    name: of letters, digits and hyphens. size: they are numbered from 0 to below that. leads: the numbers of
    the slices, all earlier, that other moves lead to.
    """

    name: str
    size: int
    leads: tuple[int, ...] = ()


class Endings(Component):
    """What a plugin's endings subclass; they are registered under the name of their game.

    They say how positions are numbered, and how moves are taken back. All but `of`, `rules` and `slices` is
    to compile. Positions that are the same but for who is called first may have one number. Without `unmoves`
    all positions of a slice are looked at anew for each ply, which takes longer.

    pieces: up to how many. version: of the numbering, to be raised where it changes. paired: the players move
    in turn, and whoever is to move at the end has lost or drawn, so that a win takes an odd number of plies.
    longest: plies that a win may take at most. A position takes a byte if these are up to 254, or 126 if not
    paired; else two.
    """

    game: Game
    pieces: int
    version: int = 1
    paired: bool = False
    longest: int = 254

    @classmethod
    def of(cls, game: Game, pieces: int) -> Endings:
        """Those of a game with up to so many pieces. ArenaError if there are none such."""
        raise NotImplementedError  # the author's to write

    def rules(self) -> str:
        """The game with those of its options that matter; draws by repetition or length are left out."""
        return str(self.game)

    def slices(self) -> Sequence[Slice]:
        """All slices, in an order in which no move leads to a later one."""
        raise NotImplementedError  # the author's to write

    def slice(self, state: State) -> int:
        """The number of the slice that a position is in, -1 if it is in none."""
        raise NotImplementedError  # the author's to write

    def number(self, state: State) -> int:
        """The number of a position in its slice."""
        raise NotImplementedError  # the author's to write

    def position(self, slice: int, number: int) -> State:
        """The position with a number in a slice."""
        raise NotImplementedError  # the author's to write

    def unmoves(self, state: State) -> Iterator[State]:
        """The positions of the same slice from which a legal move leads here, each as often as moves do."""
        raise NotImplementedError  # the author's to write
