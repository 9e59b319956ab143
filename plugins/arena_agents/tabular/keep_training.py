"""Training that continues during a match."""

from __future__ import annotations

from arena import Move, Rng, State, hash_state, option
from arena_agents.tabular.over_table import OverTable

ENTRIES = 1 << 17  # table entries learned in a match; the table is cleared when it is full


class KeepTraining(OverTable):
    """Plays like its learner in known positions; in others, it first trains by self-play from there.

    The values learned in this way supplement the learner's table for the rest of the match. This is keep
    training in "Prior State Voting (PSV)". In the published program the sign of rewards is wrong if white is
    to move, and learned values are kept between matches; here a match does not depend on earlier ones.
    """

    # match_learner: learns from these games; its own table supplements the trained learner's table

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
        self.match_learner.learn_many(range(0), [0, 0, 0])  # prepares learning

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
