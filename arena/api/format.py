"""The base class of formats, which choose the next pairings from the results so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from arena.api.options import Configurable, option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.api.rating import ByOpening

ROUNDS = 50  # unless a format or a user says otherwise


class Stage(NamedTuple):
    """Matches that are planned together.

    The matches (a, b) and (b, a) of a round are a pair and begin with the same opening. Match r of a pairing
    is the same in any stage.

    Attributes:
        pairings: First and second entry by index, in the order of a round.
        rounds: How often all pairings are played.
    """

    pairings: Sequence[tuple[int, int]]
    rounds: int = 1


@dataclass(frozen=True)
class Standing:
    """The results on which a format bases the next stage. Arrays are int64 and copies.

    Attributes:
        entries: The number of entries.
        rounds: The number of rounds that the user, or else the format, asked for.
        seed: The seed of the tournament.
        limit: The most matches that are played.
        stages: The number of stages played.
        matches: The number of matches played.
        results: [first, second, 3] wins, draws and losses of the first. Matches that repeat others move for
            move, and those forfeited unplayed, are left out.
        played: [first, second] all matches.
        fresh: [first, second] matches of the last stage that are in `results`.
        pairs: [a, b, 5] for a < b, pairs of matches with seats exchanged, by the score of a from 0 to 4 half
            points. Pairs in which both matches repeat others are left out.
        withdrawn: Entries that failed so often that they play no more.
        openings: None if matches begin at the start; otherwise a function that returns `results` by opening,
            as `Results.openings` does.
    """

    entries: int
    rounds: int
    seed: int
    limit: int
    stages: int
    matches: int
    results: NDArray[np.int64]
    played: NDArray[np.int64]
    fresh: NDArray[np.int64]
    pairs: NDArray[np.int64]
    withdrawn: frozenset[int] = frozenset()
    openings: Callable[[], ByOpening] | None = None


class Format(Configurable):
    """The rule by which pairings are chosen; subclass it for a format of your own.

    It has no state: the same standing gives the same stage, for any number of workers and after any
    interruption.
    """

    name: str = ""  # as registered, with options; set when it is created by name
    # whether it ends once differences between entries are clear, after which they look larger than they are
    optional_stopping: ClassVar[bool] = False

    def check_entries(self, entries: int) -> None:
        """Raise ArenaError if the format cannot be played with so many entries."""

    def usual_rounds(self, entries: int) -> int:
        """Return the number of rounds if the user gives none."""
        return ROUNDS

    def limit(self, entries: int, rounds: int) -> int:
        """Return the most matches that are played."""
        return rounds * entries * (entries - 1)

    def next_stage(self, standing: Standing) -> Stage | None:
        """Return the matches to play next, None when the tournament is over."""
        raise NotImplementedError  # subclasses implement it

    def progress(self, standing: Standing) -> str:
        """Return the state of the tournament in a few words, for the progress bar."""
        return ""

    def notes(self, standing: Standing) -> list[str]:
        """Return sentences about the outcome, to be shown below the leaderboard."""
        return []


class FixedFormat(Format):
    """A format whose matches do not depend on results, such as a round robin. Entries can be added later."""

    # whether the first seeds of all learners meet, then the second ones, each with openings of their own
    in_step: ClassVar[bool] = False
    turns: bool = option(
        False,
        "whether the seeds of a learner rotate by round, so together they play as often as another entry",
    )

    def stage(self, entries: int, rounds: int) -> Stage:
        """Return all matches between so many entries.

        With one more entry the pairings must be the same and others, so that an entry can be added later.
        """
        raise NotImplementedError  # subclasses implement it

    def next_stage(self, standing: Standing) -> Stage | None:
        """Return all matches first, and then None."""
        return None if standing.stages else self.stage(standing.entries, standing.rounds)
