"""What is kept of a match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arena.results.fault_story import STORIES, Story
from arena.results.usage import Used

WITHDRAWN = "withdrawn"  # what was not played, for one of the entries had failed too often before
FORFEITS = ("illegal move", "crash", "clock", "stall", WITHDRAWN)
ADJUDICATED = "adjudication"  # as the endings of the game have it
NO_OPENINGS = "none"  # the setting of openings where matches begin at the start
RESIGNED = "resignation"  # whoever sat at the terminal gave it up
VARIED = 2  # in place of `chance` = 0, where an entry in the match varies
FAILURES = ("crash", "stall")  # those after so many of which an entry is withdrawn


class Record(NamedTuple):
    """What is kept of a match.

    result: from the first player's side: 1 win, 0 draw, -1 loss.
    reason: 'rules', 'resignation', 'adjudication', or a draw's 'repetition', 'no capture' or 'max plies'; or
        how the loser forfeited, one of `FORFEITS`, `detail` saying more.
    plies, opening: of the whole match, and how many of these it began with, played by no agent.
    moves: the whole match in the game's notation, parted by spaces.
    chance: 1 if an agent drew a random number, 0 if the match would always go this way; 2 if no trusted agent
        drew one and a sandboxed entry was seen to vary, see `arena.results.varying_entries`.
    seconds: spent in each agent's `choose`.
    start: the text of the position that the match began in, None for the game's own start.
    story: of a forfeit, as far as there is one; kept of an entry's first.
    usage: of the moves of which an agent says what they took, in their order.
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
        """Return the record as a worker gives it, before it is known who varies."""
        return self._replace(chance=self.chance % 2)

    @property
    def loser(self) -> int:
        """Who lost, the second player where nobody did."""
        return self.first if self.result < 0 else self.second


def with_first_stories(records: Iterable[Record], told: Counter[int]) -> Iterator[Record]:
    """Records in the order of their numbers, with the stories of each entry's first `STORIES` faults alone.

    told: how many there were so far, by entry.
    """
    for record in records:
        if record.story is not None:
            told[record.loser] += 1
            if told[record.loser] > STORIES:
                record = record._replace(story=None)
        yield record


COLUMNS = tuple(name for name in Record._fields if name not in ("story", "usage"))  # of a table of matches
