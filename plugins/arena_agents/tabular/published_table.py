"""Tables of the program published with "Prior State Voting (PSV)", which plays checkers on 8 x 8 cells.

Its model files are JSON. `q_table` maps positions to moves with values. A position is `b+` or `w+` for the
player to move and a letter for each of the cells 0 to 31: x for empty, b and w for men, B and W for kings. A
move is `[[start, end], value]`, or for captures `[[start, [[captured, landing], …]], value]`.
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
State = tuple[int, int, int, int]  # a state of checkers

GREATEST = 1e6  # maximum absolute value; a match is worth 1 per move
LETTERS = re.compile(r"[bw]\+[xbBwW]{32}")
BLACK, WHITE, KINGS = (str.maketrans("xbBwW", bits) for bits in ("01100", "00011", "00101"))

# directions of steps by start and end, and of jumps by start, captured cell and end
STEPS = {(a, step(1 << a, d).bit_length() - 1): d for a in range(32) for d in range(4) if step(1 << a, d)}
JUMPS = {
    (a, over, landing): d
    for (a, over), d in STEPS.items()
    for (b, landing), e in STEPS.items()
    if (over, d) == (b, e)
}


class File(msgspec.Struct):
    """The parts of a model file that are read; others are ignored."""

    q_table: dict[str, msgspec.Raw]


decode_file = msgspec.json.Decoder(File).decode
decode_moves = msgspec.json.Decoder(list[tuple[Written, float]]).decode


def read(data: bytes, game: Game) -> Arrays:
    """Return moves with a value other than 0 as a learner's model; raise ArenaError that names the place.

    Moves that are legal only in the published program are included.
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
    """Return what is wrong and where; `$` is the whole document."""
    return str(error).replace("`", "'")


def state_of(text: str) -> State:
    """Return the position described by a text."""
    cells = text[:1:-1]  # reversed, since the last digit of a binary number is cell 0
    black, white, kings = (int(cells.translate(bits), 2) for bits in (BLACK, WHITE, KINGS))
    return (black, white, kings, 0) if text[0] == "b" else (white, black, kings, 1)


def move_of(words: Written, state: State) -> int:
    """Return the move with this start and end or hops; raise ValueError if it is impossible."""
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
