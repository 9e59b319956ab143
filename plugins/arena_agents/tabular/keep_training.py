"""Training that goes on during play, for the length of a match."""

from __future__ import annotations

from arena import Move, Rng, State, hash_state, option
from arena_agents.tabular.over_table import OverTable

ENTRIES = 1 << 17  # of what it learns in a match; when they are used up it begins with none again


class KeepTraining(OverTable):
    """Plays as its learner where that knows the position, else first plays games against itself from there.

    What is learned from these is laid over the learner's table for the rest of the match. Keep training, in
    "Prior State Voting (PSV)". In its program the sign of rewards is wrong where white is to move, and what
    is learned lasts from match to match; here a match does not depend on those before it.
    """

    # match_learner: what learns from these games, by a table of its own that lies over the trained learner's

    kept_attributes = ("match_learner",)  # `begin` empties its table

    games: int = option(100, "number of games played from an unknown position", low=1)
    published: bool = option(
        False, "the published program's sign of rewards, which is wrong where the second player is to move"
    )

    def prepare(self) -> None:
        super().prepare()
        options = {name: getattr(self.trained, name) for name in self.trained.options}
        self.match_learner = type(self.trained)(self.game, **{**options, "episodes": self.games})
        self.match_learner.below = self.trained.table
        self.match_learner.table.make_room(ENTRIES + self.game.max_plies)
        self.match_learner.learn_many(range(0), [0, 0, 0])  # begins to learn

    def begin(self, seat: int) -> None:
        self.match_learner.table.empty()

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        hashed = hash_state(state)
        if self.match_learner.look_up(hashed, state, moves) == 0:
            self.match_learner.sign = -1 if self.published and self.game.to_move(state) == 1 else 1
            for game in range(self.games):
                if self.match_learner.table.full():
                    self.match_learner.table.empty()
                self.match_learner.play_and_learn(state, self.match_learner.discount(game), rng)
            self.match_learner.look_up(hashed, state, moves)
        return self.match_learner.best_of(moves, rng)
