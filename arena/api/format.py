"""What a format is: it says who meets whom next, from the results so far alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from arena.api.options import Configurable, option

if TYPE_CHECKING:
    from arena.api.rating import ByOpening

ROUNDS = 50  # unless a format or a user says otherwise


class Stage(NamedTuple):
    """Matches that are planned together.

    pairings: first and second entry by index, in the order of a round. rounds: how often all that is played.
    The r-th match of a pairing is the same in any stage, so that (a, b) and (b, a) of one round are a pair:
    they begin with the same opening.
    """

    pairings: Sequence[tuple[int, int]]
    rounds: int = 1


@dataclass(frozen=True)
class Standing:
    """What a format goes by: results so far, up to the end of the last stage. Arrays are copies, of int64.

    entries: how many. rounds: as the user asked for, or as the format would have it. seed: the tournament's.
    limit: more matches than that are not played. stages, matches: how many have been played. results: [first,
    second, 3], wins, draws and losses of the first; matches that repeat others move for move tell nothing new
    and are left out, as are those that were forfeited unplayed. played: [first, second], all matches. fresh:
    [first, second], those of the last stage that are in `results`. pairs: [a, b, 5] for a < b, pairs of
    matches from either seat by the score of a, from 0 to 4 half points; those of two matches that repeat
    others are left out. withdrawn: entries that have failed so often that their matches are not played any
    more. openings: None where matches begin at the start; else call it for `results` by opening, as in
    `Results.openings`.
    """

    entries: int
    rounds: int
    seed: int
    limit: int
    stages: int
    matches: int
    results: Any
    played: Any
    fresh: Any
    pairs: Any
    withdrawn: frozenset[int] = frozenset()
    openings: Callable[[], ByOpening] | None = None


class Format(Configurable):
    """What a format plugin subclasses.

    It keeps nothing in itself: the same standing gives the same stage, for any number of workers and after
    any interruption.
    """

    name: str = ""  # as registered, with options: set when it is made by name
    # whether it ends once differences between entries are clear, after which they look larger than they are
    optional_stopping: ClassVar[bool] = False

    def check_entries(self, entries: int) -> None:
        """ArenaError if so many entries cannot be played."""

    def usual_rounds(self, entries: int) -> int:
        """How many rounds there are unless a user says so."""
        return ROUNDS

    def limit(self, entries: int, rounds: int) -> int:
        """More matches than that are not played."""
        return rounds * entries * (entries - 1)

    def next_stage(self, standing: Standing) -> Stage | None:
        """What is played next; None when the tournament is over."""
        raise NotImplementedError  # the author's to write

    def progress(self, standing: Standing) -> str:
        """How it stands, in a few words beside the bar."""
        return ""

    def notes(self, standing: Standing) -> list[str]:
        """What came of it: sentences that are shown below the leaderboard."""
        return []


class FixedFormat(Format):
    """A format whose matches do not depend on results, such as a round robin; entries can be added to it."""

    turns: bool = option(False, "whether a learner's seeds take turns, and play together as often as others")

    def stage(self, entries: int, rounds: int) -> Stage:
        """All matches between so many entries.

        With one entry more the pairings are these and others, so that one can be added later.
        """
        raise NotImplementedError  # the author's to write

    def next_stage(self, standing: Standing) -> Stage | None:
        return None if standing.stages else self.stage(standing.entries, standing.rounds)
