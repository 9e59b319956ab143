"""The base class of formats, which choose the next pairings based on the results so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from arena.api.options import Configurable, option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.api.rating import ByOpening

ROUNDS = 50  # default number of rounds


class Stage(NamedTuple):
    """Matches that are planned together.

    The matches (a, b) and (b, a) of a round form a pair and begin with the same opening. Match r of a pairing
    is the same in whichever stage it is played.

    Attributes:
        pairings: Indices of the first and second entry, in the order in which a round is played.
        rounds: How many times each pairing is played.
    """

    pairings: Sequence[tuple[int, int]]
    rounds: int = 1


@dataclass(frozen=True)
class Standing:
    """The results on which a format bases the next stage. Arrays have dtype int64 and are copies.

    Attributes:
        entries: The number of entries.
        rounds: The number of rounds set by the user, otherwise the default of the format.
        seed: The seed of the tournament.
        limit: The maximum number of matches.
        stages: The number of stages played.
        matches: The number of matches played.
        results: [first, second, 3] wins, draws and losses of the first entry. Matches that repeat others move
            for move, and those forfeited unplayed, are left out.
        played: [first, second] the number of all matches.
        fresh: [first, second] the number of matches of the last stage that count in `results`.
        pairs: [a, b, 5] for a < b, the number of match pairs with seats exchanged, by the score of a: 0 to 4
            half points. Pairs in which both matches repeat others are left out.
        withdrawn: Entries that have failed too often and no longer play.
        openings: None if matches begin at the start of the game; otherwise a function that returns `results`
            by opening, as `Results.openings` does.
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
    """The rule by which pairings are chosen; subclass it to define your own format.

    A format has no state: the same standing leads to the same stage, for any number of workers and after any
    interruption.
    """

    name: str = ""  # the registered name with options; set when the format is created by name
    # whether it stops once differences between entries are significant, which biases them upwards
    optional_stopping: ClassVar[bool] = False

    def check_entries(self, entries: int) -> None:
        """Raise ArenaError if the format cannot be played with this number of entries."""

    def usual_rounds(self, entries: int) -> int:
        """Return the default number of rounds."""
        return ROUNDS

    def limit(self, entries: int, rounds: int) -> int:
        """Return the maximum number of matches."""
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

    # whether the first seeds of all learners meet, then the second seeds, and so on, each time with new
    # openings
    in_step: ClassVar[bool] = False
    turns: bool = option(
        False,
        "whether the seeds of a learner rotate by round, so together they play as often as another entry",
    )

    def stage(self, entries: int, rounds: int) -> Stage:
        """Return all matches between this number of entries.

        With one more entry, the result must contain the same pairings and others only, so that an entry can
        be added later.
        """
        raise NotImplementedError  # subclasses implement it

    def next_stage(self, standing: Standing) -> Stage | None:
        """Return all matches as the first stage, and then None."""
        return None if standing.stages else self.stage(standing.entries, standing.rounds)
