"""A learner for arena: `example`."""

from arena import Learner, Table, hookimpl, option


@hookimpl
def register_agents(register):
    register("example", "arena_example:Example")


class Example(Learner):
    """Q-learning against itself (Sutton & Barto 2018, section 6.5)."""

    episodes = 20_000
    alpha: float = option(0.2, "step size", low=0, high=1)
    epsilon: float = option(0.3, "chance of a random move in training", low=0, high=1)

    def prepare(self):
        self.Q = Table(self.game, keyed=True)  # values of moves for the player who makes them: 1 won, -1 lost

    def choose(self, state, moves, rng):
        return moves[self.Q[state].argmax()]

    def learn(self, episode, rng):
        state, plies = self.game.initial(), 0
        while (moves := self.game.moves(state)) and plies < self.game.max_plies:
            explores = rng.random() < self.epsilon
            move = rng.choice(moves) if explores else self.choose(state, moves, rng)
            after = self.game.play(state, move)
            self.Q[state, move] += self.alpha * (self.value(state, after) - self.Q[state, move])
            state, plies = after, plies + 1
        return 0  # neither a win nor a loss, since it played both sides

    def value(self, state, after):
        """The value of the next position for the player who moved to it."""
        value = self.Q[after].max() if self.game.moves(after) else float(self.game.value(after))
        return value if self.game.to_move(after) == self.game.to_move(state) else -value

    def model(self):
        return {"Q": self.Q}

    def recall(self, model):
        self.Q = model["Q"]
