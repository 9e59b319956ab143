"""Training that goes on during play, for the length of a match."""

from __future__ import annotations

from arena import Rng, option
from arena.api.game import Move, State
from arena.rng import hash_state
from arena_agents.over_table import OverTable

ENTRIES = 1 << 17  # of what it learns in a match; when they are used up it begins with none again


class KeepTraining(OverTable):
    """Plays as its learner where that knows the position, else first plays games against itself from there.

    What these teach is laid over the learner's table for the rest of the match. Keep training, in "Prior
    State Voting (PSV)", the sign of whose rewards is mended here.
    """

    games: int = option(100, "how many games it plays from a position that it does not know", low=1)

    def prepare(self) -> None:
        super().prepare()
        options = {name: getattr(self.teacher, name) for name in self.teacher.options}
        self.pupil = type(self.teacher)(self.game, **{**options, "episodes": self.games})
        self.pupil.below = self.teacher.table
        self.pupil.table.make_room(ENTRIES + self.game.max_plies)
        self.pupil.begin_learning()

    def begin(self, seat: int) -> None:
        self.pupil.table.empty()

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        hashed = hash_state(state)
        if self.pupil.look_up(hashed, state, moves) == 0:
            for game in range(self.games):
                if self.pupil.table.full():
                    self.pupil.table.empty()
                self.pupil.play_and_learn(state, self.pupil.discount(game), rng)
            self.pupil.look_up(hashed, state, moves)
        return self.pupil.best_of(moves, rng)
