"""The same policy without PyTorch: two hidden layers in numpy, from a file of their weights."""

from pathlib import Path

import numpy as np

from arena.gymnasium import PolicyAgent


class Small(PolicyAgent):
    """The network of MaskablePPO, as numpy multiplies it."""

    def load(self):
        with np.load(Path(__file__).parent / "connect_four.npz") as file:
            self.parts = {name: np.asarray(part, np.float64) for name, part in file.items()}

    def act(self, observation, mask, rng):
        layer = observation.reshape(-1).astype(np.float64)
        for i in range(3):
            layer = self.parts[f"weights_{i}"] @ layer + self.parts[f"biases_{i}"]
            layer = np.tanh(layer) if i < 2 else layer
        return np.where(mask == 1, layer, -np.inf).argmax()
