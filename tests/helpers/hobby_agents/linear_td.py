"""A learner: TD with a linear function of features."""

# ruff: noqa
# mypy: ignore-errors

import numpy as np

from arena import Learner, option


class LinearTD(Learner):
    """TD(lambda) with a linear value function and tanh."""

    episodes: int = option(500, "games")
    rate: float = option(0.01, "step")
    decay: float = option(0.7, "lambda")

    def prepare(self):
        self.weights = np.zeros(18)

    def encode(self, state):
        own, other = state
        x = np.zeros(18)
        for i in range(9):
            x[i] = own >> i & 1
            x[9 + i] = other >> i & 1
        return x

    def predict(self, state):
        return np.tanh(self.weights @ self.encode(state))

    def choose(self, state, moves, rng):
        return min(moves, key=lambda m: self.predict(self.game.play(state, m)))

    def learn(self, episode, rng):
        state = self.game.initial()
        trace = np.zeros(18)
        moves = list(self.game.moves(state))
        plies = 0
        while moves:
            x = self.encode(state)
            value = np.tanh(self.weights @ x)
            move = rng.choice(moves) if rng.random() < 0.1 else self.choose(state, moves, rng)
            state = self.game.play(state, move)
            moves = list(self.game.moves(state))
            target = -self.predict(state) if moves else -self.game.value(state)
            trace = self.decay * -trace + (1 - value**2) * x
            self.weights += self.rate * (target - value) * trace
            plies += 1
        result = self.game.value(state)
        return -result if plies % 2 == 1 else result

    def model(self):
        return {"weights": self.weights}

    def recall(self, model):
        self.weights = model["weights"]
