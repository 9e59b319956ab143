"""A learner: Q by defaultdict, epsilon decays."""

# ruff: noqa
# mypy: ignore-errors

from collections import defaultdict

import numpy as np

from arena import Learner, option


class DictQ(Learner):
    """Q-learning in a dictionary of positions and moves."""

    episodes: int = option(1000, "games")
    alpha: float = option(0.3, "learning rate")
    gamma: float = option(0.95, "discount")
    epsilon: float = option(0.2, "exploration")

    def prepare(self):
        self.q = defaultdict(float)

    def best(self, state, moves):
        values = [self.q[(state, move)] for move in moves]
        return moves[values.index(max(values))]

    def choose(self, state, moves, rng):
        return self.best(state, moves)

    def learn(self, episode, rng):
        state = self.game.initial()
        epsilon = self.epsilon * 0.999**episode
        trace = []
        moves = list(self.game.moves(state))
        while moves:
            move = rng.choice(moves) if rng.random() < epsilon else self.best(state, moves)
            trace.append((state, move))
            state = self.game.play(state, move)
            moves = list(self.game.moves(state))
        reward = float(self.game.value(state))
        for state, move in reversed(trace):
            reward = -reward
            self.q[(state, move)] += self.alpha * (reward - self.q[(state, move)])
            reward *= self.gamma
        return 0 if reward == 0 else 1 if len(trace) % 2 == 1 else -1

    def model(self):
        keys = list(self.q)
        return {
            "states": np.array([list(state) for state, _ in keys]),
            "moves": np.array([move for _, move in keys]),
            "values": np.array([self.q[key] for key in keys]),
        }

    def recall(self, model):
        self.q = defaultdict(float)
        for state, move, value in zip(model["states"], model["moves"], model["values"]):
            self.q[(tuple(int(x) for x in state), int(move))] = float(value)
