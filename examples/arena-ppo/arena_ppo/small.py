"""The same network without PyTorch: two hidden layers in numpy, from a file of their weights."""

from pathlib import Path

import numpy as np

from arena.gymnasium import PolicyAgent

WEIGHTS = Path(__file__).parent / "connect_four.npz"


class Small(PolicyAgent):
    """A policy of MaskablePPO, as numpy computes it."""

    shape = (3, 6, 7)

    def load(self):
        with np.load(WEIGHTS) as file:
            parts = {name: np.asarray(part, np.float64) for name, part in file.items()}
        self.layers = [(parts[f"weights_{i}"], parts[f"biases_{i}"]) for i in range(3)]

    def act(self, observation, mask, rng):
        layer = observation.reshape(-1).astype(np.float64)
        for i, (weights, biases) in enumerate(self.layers):
            layer = weights @ layer + biases
            layer = np.tanh(layer) if i < 2 else layer
        return np.where(mask == 1, layer, -np.inf).argmax()
