"""Tables of the program published with "Prior State Voting (PSV)", which plays checkers on 8 x 8 cells.

Its model files are JSON. Under `q_table` there are positions, `b+` or `w+` for the player to move and a
letter for each of cells 0 to 31, x for none, b and w for men, B and W for kings; and of each its moves with
their values, `[[start, end], value]`, or for captures `[[start, [[captured, landing], …]], value]`.
"""

from __future__ import annotations

import re
from array import array
from typing import Any

import msgspec
import numpy as np

from arena import ArenaError, Arrays, Game
from arena_games.checkers.game_8x8 import Checkers, step

Written = tuple[int, int | list[tuple[int, int]]]  # a move: start, end or hops
State = tuple[int, int, int, int]  # as checkers has it

GREATEST = 1e6  # of values, either way: a match is worth 1 a move
LETTERS = re.compile(r"[bw]\+[xbBwW]{32}")
BLACK, WHITE, KINGS = (str.maketrans("xbBwW", bits) for bits in ("01100", "00011", "00101"))

# direction of a step from a cell to another, and of a jump from a cell over another to a third
STEPS = {(a, step(1 << a, d).bit_length() - 1): d for a in range(32) for d in range(4) if step(1 << a, d)}
JUMPS = {
    (a, over, landing): d
    for (a, over), d in STEPS.items()
    for (b, landing), e in STEPS.items()
    if (over, d) == (b, e)
}


class File(msgspec.Struct):
    """A model file: what else it has is passed over."""

    q_table: dict[str, msgspec.Raw]


decode_file = msgspec.json.Decoder(File).decode
decode_moves = msgspec.json.Decoder(list[tuple[Written, float]]).decode


def read(data: bytes, game: Game) -> Arrays:
    """Return moves with a value other than 0 as in a learner's model; raise ArenaError naming the place.

    Moves that only the published program's generator makes are kept.
    """
    if not isinstance(game, Checkers):
        raise ArenaError(f"it is a table of checkers on 8 x 8 cells, not of {game}; import it for checkers")
    try:
        table = decode_file(data).q_table
    except msgspec.ValidationError as error:
        raise ArenaError(f"it has no q_table of positions: {plain(error)}") from error
    except ValueError as error:
        raise ArenaError(f"it is not JSON: {error}") from error
    states, moves, values = array("q"), array("q"), array("d")
    for text, raw in table.items():
        if not LETTERS.fullmatch(text):
            raise ArenaError(f"position {text[:50]!r} is not 'b+' or 'w+' and 32 of xbBwW")
        state = state_of(text)
        try:
            written = decode_moves(raw)
        except msgspec.ValidationError as error:
            raise ArenaError(f"position {text!r}: {plain(error)}") from error
        known = set()
        for place, (words, value) in enumerate(written):
            try:
                move = move_of(words, state)
                if move in known:
                    raise ValueError("occurs twice")
            except ValueError as error:
                shown = msgspec.json.encode(words).decode()[:60]
                raise ArenaError(f"position {text!r}: move {shown} at $[{place}] {error}") from error
            if abs(value) > GREATEST:
                raise ArenaError(f"position {text!r}: value {value:g} at $[{place}] is too large")
            known.add(move)
            if value:
                states.extend(state)
                moves.append(move)
                values.append(value)
    return {
        "states": np.array(states, np.int64).reshape(-1, 4),
        "moves": np.array(moves, np.int64),
        "values": np.array(values, np.float64).reshape(-1, 1),
    }


def plain(error: Exception) -> str:
    """Return what was wrong and where, `$` being the whole document."""
    return str(error).replace("`", "'")


def state_of(text: str) -> State:
    """Return a position from its letters."""
    cells = text[:1:-1]  # the last one first, as the digits of a number are
    black, white, kings = (int(cells.translate(bits), 2) for bits in (BLACK, WHITE, KINGS))
    return (black, white, kings, 0) if text[0] == "b" else (white, black, kings, 1)


def move_of(words: Written, state: State) -> int:
    """Return the move of a text; raise ValueError if it cannot be one in this position."""
    own, other, kings, side = state
    start, way = words
    if not (0 <= start < 32 and own >> start & 1):
        raise ValueError("does not move a piece of the player to move")
    free = ~(own | other) | 1 << start
    hops: list[Any] = [(None, way)] if isinstance(way, int) else way
    at, path, captured = start, 0, 0
    for number, (over, to) in enumerate(hops):
        direction = STEPS.get((at, to)) if over is None else JUMPS.get((at, over, to))
        if direction is None or not (kings >> start & 1 or direction >> 1 == side):
            raise ValueError(f"cannot go from {at} to {to}")
        if not free >> to & 1:
            raise ValueError(f"ends on {to}, which is taken")
        if over is not None:
            if not (other & ~captured) >> over & 1:
                raise ValueError(f"captures nothing on {over}")
            captured |= 1 << over
        path |= direction << 2 * number
        at = to
    if not hops:
        raise ValueError("goes nowhere")
    return path << 42 | captured << 10 | start << 5 | at
