"""An agent plugin that learns: `monte-carlo`, for any game."""

import numpy as np

from arena import Learner, Spec, hookimpl, option, pack_states, unpack_states


@hookimpl
def register_agents(register):
    register("monte-carlo", "arena_monte_carlo:MonteCarlo")


class MonteCarlo(Learner):
    """Moves to the position that ended best in training (Sutton & Barto 2018, eq. 6.1 over afterstates)."""

    episodes: int = option(5_000, "how many games it learns from", low=1)
    opponent: Spec = option("random", "whom it trains against", kind="agent")
    alpha: float = option(0.1, "how far a game moves the value of a position", low=0, high=1)
    epsilon: float = option(0.1, "the chance of a random move in training", low=0, high=1)

    def prepare(self):
        self.values = {}  # of positions after a move of its own, from -1, lost, to 1, won
        self.trainer = None

    def choose(self, state, moves, rng):
        return max(moves, key=lambda move: self.values.get(self.game.play(state, move), 0.0))

    def learn(self, episode, rng):
        game, seat = self.game, episode % 2
        self.trainer = self.trainer or self.opponent.make(game)
        self.trainer.begin(1 - seat)
        state, visited = game.initial(), []
        while (moves := game.moves(state)) and len(visited) < game.max_plies:
            if game.to_move(state) != seat:
                state = game.play(state, self.trainer.choose(state, moves, rng))
                continue
            explore = rng.random() < self.epsilon
            state = game.play(state, rng.choice(moves) if explore else self.choose(state, moves, rng))
            visited.append(state)
        won = 0 if moves else game.value(state) * (1 if game.to_move(state) == seat else -1)
        for state in visited:
            value = self.values.get(state, 0.0)
            self.values[state] = value + self.alpha * (won - value)
        return won

    def model(self):
        values = np.array(list(self.values.values()), np.float64)
        return {"states": pack_states(self.game, list(self.values)), "values": values}

    def recall(self, model):
        states = unpack_states(model["states"])
        self.values = dict(zip(states, model["values"].tolist(), strict=True))
