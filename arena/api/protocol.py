"""What a learning curve takes besides the entry, under a name."""

from __future__ import annotations

from typing import NamedTuple


class Protocol(NamedTuple):
    """Settings of `arena train --curve`, such as those of a published experiment, for `--protocol` to name.

    game: as entered. against: opponents, as entered. points: after how many episodes. seeds: how many
    learners. matches: at each point, against each opponent, from either seat. fresh_per_point:
    whether each point is of a learner of its own, whose episodes are as many.
    """

    game: str
    against: tuple[str, ...]
    points: tuple[int, ...]
    seeds: int
    matches: int
    fresh_per_point: bool = False

    def describe(self) -> str:
        """`random at tic-tac-toe, 20 matches from either seat after 100, 200, …, 1,000 episodes; 5 seeds`."""
        points = [f"{n:,}" for n in self.points]
        if len(points) > 4:
            points[2:-1] = ["…"]
        seeds = "1 seed" if self.seeds == 1 else f"{self.seeds} seeds"
        fresh = ", a fresh learner for each" if self.fresh_per_point else ""
        return (
            f"{' and '.join(self.against)} at {self.game}, {self.matches} matches from either seat "
            f"after {', '.join(points)} episodes{fresh}; {seeds}"
        )
