"""Matches in PGN and PDN: tags, then numbered moves with comments, then the result."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from arena.api.reasons import TERMINATIONS
from arena.texts import on_one_line

WIDTH = 79  # width of the lines with moves
MATE = 10**6  # the score of a mate is this minus the number of moves to it
MOST_MOVES = 1000  # maximum number of moves to a mate
SWAPPED = {"1-0": "0-1", "0-1": "1-0"}


def tagged_text(
    tags: Mapping[str, str],
    moves: Sequence[str],
    *,
    white: int = 0,
    result: str | None = None,
    black_begins: bool = False,
    first_number: int = 1,
    repeat_numbers: bool = True,
    extra: Mapping[str, str] | None = None,
) -> str:
    """Return a match in PGN format.

    Args:
        tags: The tags passed to `Game.match_text`. A `start` is written as `SetUp` and `FEN`.
        moves: Moves in the notation of the game.
        white: The seat of White, 0 or 1.
        result: The result in the notation of the game. Default: the result from White's side.
        black_begins: Number the first move `1...`, as PGN does if Black is to move at the start.
        first_number: The number of the first move.
        repeat_numbers: Number a reply `1...` after a comment. Some PDN programs do not accept such numbers.
        extra: Additional tags, written after the seven standard tags.
    """
    if result is None:
        result = tags["result"] if white == 0 else SWAPPED.get(tags["result"], tags["result"])
    players = tags["first"], tags["second"]
    written = {
        "Event": tags["event"],
        "Site": "?",
        "Date": tags["date"],
        "Round": tags["round"],
        "White": players[white],
        "Black": players[1 - white],
        "Result": result,
        **(extra or {}),
        **({"SetUp": "1", "FEN": tags["start"]} if "start" in tags else {}),
        **({"TimeControl": tags["time_control"]} if "time_control" in tags else {}),
        "Termination": TERMINATIONS.get(tags["termination"], "normal"),
    }
    head = [f'[{name} "{quoted(text)}"]' for name, text in written.items()]
    before = 2 * (first_number - 1) + black_begins
    words = numbered(moves, comments(tags, white), before, repeat_numbers)
    if tags["termination"] != "rules":
        words.append(f"{{{tags['termination']}}}")
    return "\n".join([*head, "", *wrapped([*words, result]), ""])


def quoted(text: str) -> str:
    """Return a text escaped for the quotes of a tag."""
    return on_one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def numbered(
    moves: Sequence[str], comments: Mapping[int, str], before: int, repeat_numbers: bool
) -> list[str]:
    """Return moves, their numbers and comments as a list of words.

    comments: comments by ply, 1 for the first. before: the number of plies before the first move.
    """
    words = []
    for ply, move in enumerate(moves, 1):
        number, reply = divmod(ply + before - 1, 2)
        if not reply:
            words.append(f"{number + 1}.")
        elif ply == 1 or (repeat_numbers and ply - 1 in comments):
            words.append(f"{number + 1}...")
        words.append(move)
        if ply in comments:
            words.append(f"{{{comments[ply]}}}")
    return words


def comments(tags: Mapping[str, str], white: int) -> dict[int, str]:
    """Return the `usage` of moves as comments by ply, such as `[%eval 0.31,12] [%clk 0:00:05.2]`.

    A score is interpreted as centipawns, and written from White's side. white: the seat of White.
    """
    found = {}
    for said in json.loads(tags.get("usage", "[]")):
        parts = []
        if "score" in said:
            score = said["score"] if said["seat"] == white else -said["score"]
            depth = f",{said['depth']:.0f}" if "depth" in said else ""
            parts.append(f"[%eval {score_text(score)}{depth}]")
        parts += [f"[%{name} {clock_text(said[key])}]" for name, key in CLOCKS if key in said]
        if parts:
            found[said["ply"]] = " ".join(parts)
    return found


CLOCKS = (("clk", "clock"), ("emt", "seconds"))  # PGN command and name in `move_usage`


def score_text(score: float) -> str:
    """Return centipawns as pawns, `-0.35`, and a mate as the number of moves to it, `#-3`."""
    if MATE - MOST_MOVES <= abs(score) <= MATE:
        return f"#{'-' * (score < 0)}{MATE - abs(score):.0f}"
    return f"{score / 100:.2f}"


def clock_text(seconds: float) -> str:
    """Return seconds as `0:01:23.4`, rounded to thousandths."""
    thousandths = round(1000 * seconds)
    minutes, rest = divmod(thousandths, 60_000)
    fraction = f".{rest % 1000:03}".rstrip("0").rstrip(".")
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 1000:02}{fraction}"


def wrapped(words: Sequence[Any]) -> list[str]:
    """Return words wrapped to lines, without breaking commands in comments."""
    text = (
        " ".join(words)
        .replace("[%eval ", "[%eval\0")
        .replace("[%clk ", "[%clk\0")
        .replace("[%emt ", "[%emt\0")
    )
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]
