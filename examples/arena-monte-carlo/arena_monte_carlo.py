"""An agent plugin that learns: `monte-carlo`, for any game."""

from arena import Learner, Spec, States, Table, hookimpl, option


@hookimpl
def register_agents(register):
    register("monte-carlo", "arena_monte_carlo:MonteCarlo")


class MonteCarlo(Learner):
    """Moves to the position that ended best in training (Sutton & Barto 2018, eq. 6.1 over afterstates)."""

    episodes: int = option(5_000, "number of training games", low=1)
    opponent: Spec = option("random", "training opponent", kind="agent")
    alpha: float = option(0.1, "how far a game moves the value of a position", low=0, high=1)
    epsilon: float = option(0.1, "the chance of a random move in training", low=0, high=1)

    def prepare(self):
        self.values = Table(self.game)  # of positions after a move of its own, from -1, lost, to 1, won

    def choose(self, state, moves, rng):
        return max(moves, key=lambda move: self.values[self.game.play(state, move)])

    def prepare_learning(self):
        self.trainer = self.opponent.make(self.game)
        self.visited = States(self.game, self.game.max_plies)

    def learn(self, episode, rng):
        state, seat, turns = self.game.initial(), episode % 2, 0
        self.trainer.begin(1 - seat)
        moves = self.game.moves(state)
        while moves and turns < self.game.max_plies:
            if self.game.to_move(state) != seat:
                state = self.game.play(state, self.trainer.choose(state, moves, rng))
            else:
                random = rng.random() < self.epsilon
                state = self.game.play(state, rng.choice(moves) if random else self.choose(state, moves, rng))
                self.visited[turns] = state
                turns += 1
            moves = self.game.moves(state)
        won = 0 if moves else self.game.value(state) * (1 if self.game.to_move(state) == seat else -1)
        for turn in range(turns):
            value = self.values[self.visited[turn]]
            self.values[self.visited[turn]] = value + self.alpha * (won - value)
        return won

    def model(self):
        return self.values.model()

    def recall(self, model):
        self.values.recall(model)
