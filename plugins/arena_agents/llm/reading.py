"""Find the move in an answer of a language model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arena_agents.engines.program import cut
from arena_agents.llm.answer import Answer

MARK = re.compile(r"^[ \t>#*_`]*MOVE[ \t*_`]*:(.*)$", re.IGNORECASE | re.MULTILINE)
AROUND = " \t\r*_`'\"“”‘’«»<>[](){}.,;:!"  # characters around a move that are not part of it
CUT_OFF, EMPTY, UNREADABLE, ILLEGAL = KINDS = "cut_off", "empty", "unreadable", "illegal"


class Unread(Exception):
    """There is no legal move in an answer. kind: one of `KINDS`. what: the relevant part of the answer."""

    def __init__(self, kind: str, what: str = "") -> None:
        super().__init__(kind, what)
        self.kind, self.what = kind, what

    def __str__(self) -> str:
        """`an illegal move, '9'`."""
        return {
            CUT_OFF: "an answer that is cut off by max-tokens",
            EMPTY: "an empty answer",
            UNREADABLE: f"an answer without a move, {cut(self.what)!r}",
            ILLEGAL: f"an illegal move, {cut(self.what)!r}",
        }[self.kind]


def move_in(answer: Answer, legal: Iterable[str]) -> str:
    """Return the move in an answer, one of `legal`, or raise Unread.

    The move is the text after the last `MOVE:` at the beginning of a line, or else the last line. Characters
    around it are ignored, as is case if the move is still unique. An answer that was cut off is not read.
    """
    if answer.cut_off:
        raise Unread(CUT_OFF)
    lines = [line.strip() for line in answer.text.splitlines() if line.strip()]
    if not lines:
        raise Unread(EMPTY)
    marked = [said for said in MARK.findall(answer.text) if said.strip(AROUND)]
    said = (marked or lines)[-1].strip()
    bare = said.strip(AROUND)
    moves = list(legal)
    if said in moves:
        return said
    for same in (str, str.lower):
        alike = [move for move in moves if same(move.strip(AROUND)) == same(bare)]
        if len(alike) == 1:
            return alike[0]
    if len(bare.split()) == 1:
        raise Unread(ILLEGAL, bare)
    raise Unread(UNREADABLE, said)
