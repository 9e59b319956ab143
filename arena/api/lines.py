"""Split the text of a line of play into words, and read each word as a move."""

from __future__ import annotations

import re
from typing import Any, Protocol

from arena.errors import ArenaError

PASS = "pass"  # may be omitted if it is the only legal move
RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "1/2", "½-½", "½", "2-0", "0-2", "1-1", "*"})
NUMBER = re.compile(r"(?P<digits>\d+)[ \t]*\.(?:[ \t]*\.)*")  # move numbers: `1.`, `1...`, `1 .`, `1. ...`
SKIPPED = re.compile(rf"{NUMBER.pattern}|[.…]+")  # words that are not moves in any game
LEADING = re.compile(r"^\d+\.+")  # a move number attached to its move
BETWEEN = re.compile(r"[^\w/]*")  # annotation signs around a move


class Rules(Protocol):
    """The methods of a game that are needed to read lines."""

    def moves(self, state: Any) -> Any: ...
    def play(self, state: Any, move: Any) -> Any: ...
    def move_text(self, move: Any) -> str: ...
    def read_move(self, state: Any, text: str) -> object: ...
    def split_moves(self, text: str) -> list[str]: ...


def words_of(game: Rules, text: str) -> list[str]:
    """Split a line typed by a user into words for `game.read_move`.

    Move numbers, results and signs such as `!?` are left out. A word that contains anything besides moves is
    not split, so that the error message shows the whole word.
    """
    chunks = [chunk for chunk in text.split() if not SKIPPED.fullmatch(chunk)]
    moves = [game.split_moves(chunk) for chunk in chunks]
    if all(map(is_split, chunks, moves)):
        return [*game.split_moves(" ".join(chunks))]
    words = (found if is_split(chunk, found) else [chunk] for chunk, found in zip(chunks, moves, strict=True))
    return [word for found in words for word in found]


def is_split(chunk: str, moves: list[str]) -> bool:
    """Return whether a chunk consists of only these moves, a move number, a result and annotation signs."""
    if not moves and (chunk in RESULTS or chunk.isdigit()):
        return True
    chunk = LEADING.sub("", chunk)
    at = 0
    for move in moves:
        start = chunk.find(move, at)
        if start < 0 or not BETWEEN.fullmatch(chunk, at, start):
            return False
        at = start + len(move)
    return BETWEEN.fullmatch(chunk, at) is not None


def read_word(game: Rules, state: object, word: str) -> list[tuple[object, Any]]:
    """Return the moves that a word represents, each with the position after it, or raise ArenaError.

    Passes that the text omits come first: if the only legal move is called `pass`, the text may continue with
    the other player's move.
    """
    plies: list[tuple[object, object]] = []
    while True:
        try:
            move = game.read_move(state, word)
        except ArenaError:
            legal = [*game.moves(state)]
            if len(plies) == 2 or len(legal) != 1 or game.move_text(legal[0]) != PASS:
                raise
            move = legal[0]
            state = game.play(state, move)
            plies.append((move, state))
        else:
            return [*plies, (move, game.play(state, move))]
