"""The start of a match against you: the start of the game, moves, a position, or a saved match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from arena.api.game import Game, Move, State
from arena.api.rulings import check_position, telling
from arena.commands.position.call import line_of
from arena.errors import ArenaError
from arena.file_io import read_given

LONGEST = 1 << 20  # maximum size of a saved match in bytes


@dataclass(frozen=True)
class Start:
    """The beginning of a match.

    Attributes:
        game: The game.
        moves: Moves that the match begins with.
        states: The positions before and after each of these moves.
        position: The position before the moves, as text; None for the start of the game.
    """

    game: Game
    moves: list[Move]
    states: list[State]
    position: str | None = None


class Saved(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A match saved as JSON.

    Attributes:
        game: The game.
        entry: The entry that you play against.
        player: The entry that represents you in records.
        seat: Your seat.
        seed: Seed; a text if it has more than 53 bits.
        streams: Version of the scheme that derives random numbers from the seed.
        position: Position in which the match began; None for the start of the game.
        moves: Moves from that position on.
    """

    game: str
    entry: str
    player: str
    seat: Literal[0, 1]
    seed: int | str  # text if it has more than 53 bits
    streams: int = 1  # see `arena.rng`; missing in old files
    position: str | None = None
    moves: str = ""

    @classmethod
    def read(cls, file: str | Path) -> Saved:
        """Read a saved match, or raise ArenaError."""
        try:
            return msgspec.json.decode(read_given(file, LONGEST), type=cls)
        except OSError as error:
            raise ArenaError(f"cannot read {file}: {error.strerror}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ArenaError(f"{file} is not a saved match: {error}") from error

    def write(self, file: str | Path) -> None:
        """Write the match to a file, or raise ArenaError."""
        try:
            Path(file).write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")
        except OSError as error:
            raise ArenaError(f"cannot write {file}: {error.strerror}; name another file") from error


def start_of(game: Game, text: str | None, moves: str = "") -> Start:
    """Return the beginning of a match.

    Args:
        game: The game.
        text: Moves from the start of the game, or a position; None for the start.
        moves: Further moves after these, or from the position.

    Raises:
        ArenaError: If the text is neither moves nor a position, or a further move is not legal.
    """
    with telling(game):
        state, position, line = game.initial(), None, []
        if text:
            try:
                line = line_of(game, state, text)
            except ArenaError as no_moves:
                try:
                    position, state = text, game.read_position(text)
                except ArenaError as error:
                    raise ArenaError(f"neither moves ({no_moves}) nor a position ({error})") from error
                check_position(game, state)
        last = line[-1][1] if line else state
        line += line_of(game, last, moves)
        for _, after in line:
            check_position(game, after)
        return Start(game, [move for move, _ in line], [state, *(after for _, after in line)], position)


def seat_of_side(game: Game, side: str | None) -> int:
    """Return the seat of a side. side: the game's name for it, `first` or `second`, or an abbreviation.

    Raises:
        ArenaError: If there is no such side.
    """
    if side is None:
        return 0
    names = [(game.sides[0], 0), (game.sides[1], 1), ("first", 0), ("second", 1)]
    exact = [seat for name, seat in names if name == side]
    found = exact or [seat for name, seat in names if side and name.casefold().startswith(side.casefold())]
    if len(set(found)) != 1:
        known = ", ".join(dict.fromkeys(name for name, _ in names))
        raise ArenaError(f"no side of {game} is called {side!r}; known: {known}")
    return found[0]
