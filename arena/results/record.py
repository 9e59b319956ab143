"""The record of a match: moves, result, reason, and the cost of moves; also tags for digests of code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from arena.results.fault_story import Story

SCORE = "score"  # value of the move for the side to move; may be negative
READINGS = frozenset({SCORE, "clock", "depth"})  # amounts that are not meaningful as sums


class Used(NamedTuple):
    """Usage of one move.

    Attributes:
        ply: Number of the ply, from 1.
        seat: The seat of the player who moved, 0 or 1.
        amounts: Amounts by name.
    """

    ply: int
    seat: int
    amounts: Mapping[str, float]


def plain(amount: float) -> float:
    """Return a float as an int if it is an integer."""
    return int(amount) if amount == int(amount) else amount


NO_OPENINGS = "none"  # the `openings` setting for matches from the game's own start
VARIED = 2  # replaces `chance` = 0 if the play of an entry in the match varies


class Record(NamedTuple):
    """The record of a match.

    Attributes:
        number: Number of the match in the schedule.
        round: Number of its round.
        first: Entry in the first seat, as an index or an id.
        second: Entry in the second seat.
        result: From the first player's side: 1 win, 0 draw, -1 loss.
        reason: How the match ended: 'rules', 'resignation' or 'adjudication'; for a draw 'repetition', 'no
            capture' or 'max plies'; for a forfeit by the loser, one of `arena.api.reasons.FORFEITS`.
        detail: Details of the forfeit; None if the match was not forfeited, or forfeited unplayed.
        plies: Number of plies of the whole match.
        opening: Number of plies of the opening, whose moves no agent chose.
        moves: All moves in the game's notation, separated by spaces.
        chance: 1 if an agent drew a random number, 0 if a replay would repeat the match; 2 if no trusted
            agent drew one but the play of a sandboxed entry varies, see `arena.results.varying_entries`.
        first_seconds: Time spent in the first player's `choose`, in seconds.
        second_seconds: Time spent in the second player's `choose`, in seconds.
        start: Text of the start position; None for the game's own.
        story: Texts about a forfeit, if any; stored only for an entry's first faults.
        usage: Usage of the moves for which agents report it, in order.
    """

    number: int
    round: int
    first: int
    second: int
    result: int
    reason: str
    detail: str | None
    plies: int
    opening: int
    moves: str
    chance: int
    first_seconds: float
    second_seconds: float
    start: str | None = None
    story: Story | None = None
    usage: tuple[Used, ...] = ()

    def as_played(self) -> Record:
        """Return the record as created by workers, before it is determined which entries vary."""
        return self._replace(chance=self.chance % 2)

    @property
    def loser(self) -> int:
        """The entry that lost; for a draw, the second."""
        return self.first if self.result < 0 else self.second


COLUMNS = tuple(name for name in Record._fields if name not in ("story", "usage"))  # of the table `matches`


UNKNOWN_CODE = "unknown"  # for code without readable source, or matches played before digests were recorded
SHORTEST = 4  # minimum number of digits shown of a digest


def tags(codes: Iterable[str]) -> dict[str, str]:
    """Return a prefix of each digest, long enough to distinguish all of them; `unknown` is unchanged."""
    digests = sorted({*codes} - {UNKNOWN_CODE})
    length = SHORTEST
    while len({digest[:length] for digest in digests}) < len(digests):
        length += 1
    return {UNKNOWN_CODE: UNKNOWN_CODE, **{digest: digest[:length] for digest in digests}}
