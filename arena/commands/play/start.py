"""Where a match begins that somebody plays: at the start, after moves, at a position, or as a file has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from arena.api.game import Game, Move, State
from arena.api.rulings import check_position, telling
from arena.commands.position.call import line_of
from arena.errors import ArenaError
from arena.user_files import read_given

LONGEST = 1 << 20  # bytes of a file


@dataclass(frozen=True)
class Start:
    """The moves that a match begins with, and its positions, one more. position: where it began, if named."""

    game: Game
    moves: list[Move]
    states: list[State]
    position: str | None = None


class Saved(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A match as it is saved, in JSON: who plays at what, your seat, and the moves from a position on."""

    game: str
    entry: str
    player: str
    seat: Literal[0, 1]
    seed: int | str  # a text if it has more than 53 bits
    streams: int = 1  # see `arena.streams`; files from before schemes do not say
    position: str | None = None
    moves: str = ""

    @classmethod
    def read(cls, file: str | Path) -> Saved:
        """What a file says, or ArenaError."""
        try:
            return msgspec.json.decode(read_given(file, LONGEST), type=cls)
        except OSError as error:
            raise ArenaError(f"cannot read {file}: {error.strerror}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ArenaError(f"{file} is no match that was saved: {error}") from error

    def write(self, file: str | Path) -> None:
        """Write it, or ArenaError."""
        try:
            Path(file).write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")
        except OSError as error:
            raise ArenaError(f"cannot write {file}: {error.strerror}; name another file") from error


def start_of(game: Game, text: str | None, moves: str = "") -> Start:
    """Where a text says that a match begins, moves or a position, and moves from there on; or ArenaError."""
    with telling(game):
        state, position, line = game.initial(), None, []
        if text:
            try:
                line = line_of(game, state, text)
            except ArenaError as no_moves:
                try:
                    position, state = text, game.read_position(text)
                except ArenaError as error:
                    raise ArenaError(f"neither moves, {no_moves}; nor a position, {error}") from error
                check_position(game, state)
        last = line[-1][1] if line else state
        line += line_of(game, last, moves)
        for _, after in line:
            check_position(game, after)
        return Start(game, [move for move, _ in line], [state, *(after for _, after in line)], position)


def seat_of_side(game: Game, side: str | None) -> int:
    """The seat of a side that the game, or `first` and `second`, name; the first if None. Or ArenaError."""
    if side is None:
        return 0
    names = [(game.sides[0], 0), (game.sides[1], 1), ("first", 0), ("second", 1)]
    exact = [seat for name, seat in names if name == side]
    found = exact or [seat for name, seat in names if side and name.casefold().startswith(side.casefold())]
    if len(set(found)) != 1:
        known = ", ".join(dict.fromkeys(name for name, _ in names))
        raise ArenaError(f"no side of {game} is called {side!r}; known: {known}")
    return found[0]
