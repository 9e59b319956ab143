"""Learners over all positions of a game, timed from nothing until they are done."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time

from timed_training import TimedTraining

from arena.training.learners import untrained


class Iteration(TimedTraining):
    """Made anew and trained until it has converged whenever it is timed; once before."""

    def __init__(self, game: str, entry: str) -> None:
        super().__init__(game, entry)
        self.rate()

    def whole(self, seconds: float) -> float:
        """How often in a second of CPU time it finds the positions, asks its opponent and converges."""
        spent, done = 0.0, 0
        while spent < seconds:
            self.learner = untrained(self.entry, self.game)
            spent += self.trained()
            done += 1
        return done / spent

    def rate(self) -> float:
        """Sweeps, or rounds, in a second of CPU time, all positions being found."""
        self.begin()
        seconds = self.trained()
        return self.sweeps() / seconds

    def trained(self) -> float:
        """Seconds that the learner takes; it ends with an error unless it converges."""
        start = process_time()
        self.learner.learn_many(range(self.learner.episodes), [0, 0, 0])
        seconds = process_time() - start
        if not self.learner.model()["converged"][0]:
            raise SystemExit(f"{self.entry} at {self.game} has not converged; give it more episodes")
        return seconds

    def sweeps(self) -> int:
        """How many the last learner took, or how many rounds."""
        return len(self.learner.findings()["start"])

    def shown(self) -> str:
        """That in words."""
        return f"{self.sweeps()} {self.learner.columns[0]}s"

    def values(self) -> dict[str, float]:
        """What each position, by its text, is worth to the first player."""
        game, model = self.learner.game, self.learner.model()
        states = map(tuple, model["states"].tolist())
        worth = zip(states, model["own"].tolist(), model["other"].tolist(), strict=True)
        return {game.position_text(s): (other if game.to_move(s) else own) for s, own, other in worth}

    def agree(self, theirs: Mapping[str, float]) -> None:
        """End with an error unless these are the positions and what they are worth."""
        ours = self.values()
        for position in sorted(ours.keys() | theirs.keys()):
            if ours.get(position) != theirs.get(position):
                raise SystemExit(
                    f"{self.entry} at {self.game}, {position}: worth {ours.get(position)}, "
                    f"beside it {theirs.get(position)}"
                )
