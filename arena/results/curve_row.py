"""A row of a learning curve."""

from __future__ import annotations

from typing import NamedTuple

from arena.results.record import NO_OPENINGS, UNKNOWN_CODE


class Row(NamedTuple):
    """A learner's results at one point against one opponent from one seat, 1 or 2; score in [0, 1].

    entry: the learner's name. code: digest of the code of the learner, opponent and game; UNKNOWN_CODE in
    older files without digests. openings: the `openings` setting as typed. seconds: training time so far; 0
    if it was not recorded.
    """

    entry: str
    game: str
    seed: int
    episodes: int
    opponent: str
    seat: int
    wins: int
    draws: int
    losses: int
    score: float
    code: str = UNKNOWN_CODE
    openings: str = NO_OPENINGS
    seconds: float = 0.0

    @property
    def matches(self) -> int:
        """Number of matches."""
        return self.wins + self.draws + self.losses
