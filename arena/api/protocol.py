"""Named settings of learning curves: everything that defines a curve except the entry."""

from __future__ import annotations

from typing import NamedTuple


class Protocol(NamedTuple):
    """Settings of a learning curve, registered under a name, such as those of a published experiment.

    Chosen with `arena train --curve --protocol NAME`.

    Attributes:
        game: The game, as on the command line.
        against: The opponents, as on the command line.
        points: The numbers of episodes after which matches are played.
        seeds: The number of learners, each trained with a different seed.
        matches: The number of matches at each point against each opponent, from each seat.
        fresh_per_point: Whether a new learner is trained from scratch for each point.
    """

    game: str
    against: tuple[str, ...]
    points: tuple[int, ...]
    seeds: int
    matches: int
    fresh_per_point: bool = False

    def describe(self) -> str:
        """Return the settings in words."""
        points = [f"{n:,}" for n in self.points]
        if len(points) > 4:
            points[2:-1] = ["…"]
        seeds = "1 seed" if self.seeds == 1 else f"{self.seeds} seeds"
        fresh = ", a new learner for each" if self.fresh_per_point else ""
        return (
            f"{' and '.join(self.against)} at {self.game}, {self.matches} matches from either seat "
            f"after {', '.join(points)} episodes{fresh}; {seeds}"
        )
