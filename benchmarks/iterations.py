"""Time learners that iterate over all positions of a game, from the start until convergence."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time

from timed_training import TimedTraining

from arena.training.learners import untrained


class Iteration(TimedTraining):
    """A learner that is trained until it converges each time it is timed, and once before."""

    def __init__(self, game: str, entry: str) -> None:
        super().__init__(game, entry)
        self.rate()

    def whole(self, seconds: float) -> float:
        """Return how often per second of CPU time it converges, from finding the positions on.

        This includes querying its opponent.
        """
        spent, done = 0.0, 0
        while spent < seconds:
            self.learner = untrained(self.entry, self.game)
            spent += self.trained()
            done += 1
        return done / spent

    def rate(self) -> float:
        """Return the sweeps or rounds per second of CPU time, after all positions have been found."""
        self.begin()
        seconds = self.trained()
        return self.sweeps() / seconds

    def trained(self) -> float:
        """Return the seconds of CPU time of a training; exit with an error if it does not converge."""
        start = process_time()
        self.learner.learn_many(range(self.learner.episodes), [0, 0, 0])
        seconds = process_time() - start
        if not self.learner.model()["converged"][0]:
            raise SystemExit(f"{self.entry} at {self.game} has not converged; give it more episodes")
        return seconds

    def sweeps(self) -> int:
        """Return the number of sweeps or rounds of the last training."""
        return len(self.learner.findings()["start"])

    def shown(self) -> str:
        """Return the number of sweeps or rounds as text."""
        return f"{self.sweeps()} {self.learner.columns[0]}s"

    def values(self) -> dict[str, float]:
        """Return the value of each position for the first player, by its text."""
        game, model = self.learner.game, self.learner.model()
        states = map(tuple, model["states"].tolist())
        worth = zip(states, model["own"].tolist(), model["other"].tolist(), strict=True)
        return {game.position_text(s): (other if game.to_move(s) else own) for s, own, other in worth}

    def agree(self, theirs: Mapping[str, float]) -> None:
        """Exit with an error unless positions and values equal those of another program."""
        ours = self.values()
        for position in sorted(ours.keys() | theirs.keys()):
            if ours.get(position) != theirs.get(position):
                raise SystemExit(
                    f"{self.entry} at {self.game}, {position}: worth {ours.get(position)}, "
                    f"beside it {theirs.get(position)}"
                )
