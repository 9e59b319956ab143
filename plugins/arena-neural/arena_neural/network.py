"""A multilayer perceptron in plain loops that compile to vector instructions.

Each inner loop runs over adjacent numbers and adds to each of them separately, so that vector instructions do
not change the order of summation: compiled and plain code yield bit-for-bit equal results.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Any

import numpy as np

from arena import Arrays, Component, Game, Rng, unchecked

INDEX = np.uint32  # dtype of indices: compiled code need not check unsigned ones for negative values


@unchecked
def put(to: Any, row: Any) -> None:
    """Copy a row of numbers."""
    for i in range(len(to)):
        to[i] = row[i]


@unchecked
def add(to: Any, a: float, row: Any) -> None:
    """Add a * row to an array."""
    for i in range(len(to)):
        to[i] += a * row[i]


@unchecked
def add_four(to: Any, a: float, p: Any, b: float, q: Any, c: float, r: Any, d: float, s: Any) -> None:
    """Add a * p + b * q + c * r + d * s to an array, from left to right."""
    for i in range(len(to)):
        to[i] = to[i] + a * p[i] + b * q[i] + c * r[i] + d * s[i]


def sigmoid(x: float) -> float:
    if x >= 0:
        return 1 / (1 + exp(-x))
    small = exp(x)
    return small / (1 + small)


class Network(Component):
    """Layers of rectified linear units, and outputs from 0 to 1 through a sigmoid.

    It is trained by stochastic gradient descent on the mean squared error of the outputs.

    sizes: the number of units in each layer, inputs first. begins: the first index of each layer in `units`,
    the outputs of units; in `errors`, the derivatives of the loss by their inputs; and in `active`, the
    indices of units whose output is not 0, of which there are `counts`. weights: float64, for each layer
    except the inputs [previous units + 1, units], from `rows` on; the last row contains the biases. turned:
    for each layer after the first hidden one, the transposed weights without biases, [units, previous units],
    from `turns` on. gradient: like `weights`; empty unless steps are delayed.
    """

    def __init__(self, game: Game, sizes: Sequence[int], puts_off: bool = False) -> None:
        self.game = game
        self.layers = len(sizes) - 1
        self.sizes = np.array(sizes, INDEX)
        self.begins = np.array([sum(sizes[:layer]) for layer in range(len(sizes))], INDEX)
        self.inputs, self.outputs = sizes[0], sizes[-1]
        self.output = sum(sizes[:-1])  # index of the first output
        spans = [(sizes[i] + 1) * sizes[i + 1] for i in range(self.layers)]
        self.rows = np.array([sum(spans[:layer]) for layer in range(self.layers)], INDEX)
        self.weights = np.zeros(sum(spans))
        self.gradient = np.zeros(sum(spans) if puts_off else 0)
        spans = [sizes[i] * sizes[i + 1] if i else 0 for i in range(self.layers)]
        self.turns = np.array([sum(spans[:layer]) for layer in range(self.layers)], INDEX)
        self.turned = np.zeros(sum(spans))
        self.units, self.errors = np.zeros(sum(sizes)), np.zeros(sum(sizes))
        self.active = np.zeros(sum(sizes), INDEX)
        self.counts = np.zeros(len(sizes), INDEX)

    def __len__(self) -> int:
        """Return the number of weights, including biases."""
        return len(self.weights)

    def draw(self, rng: Rng) -> None:
        """Draw weights uniformly up to 1 / sqrt(previous units), PyTorch's bounds after He et al. (2015)."""
        for layer in range(self.layers):
            bound = 1 / sqrt(self.sizes[layer])
            begin, size = self.rows[layer], (self.sizes[layer] + 1) * self.sizes[layer + 1]
            for i in range(begin, begin + size):
                self.weights[i] = bound * (2 * rng.random() - 1)
        self.turn()

    # --- outputs ------------------------------------------------------------------------------------------

    @unchecked
    def clear(self) -> None:
        """Set all inputs to 0."""
        self.counts[0] = 0

    @unchecked
    def give(self, i: int, value: float) -> None:
        """Set input `i` to a value other than 0; at most once for each input after `clear`."""
        self.units[i] = value
        self.active[self.counts[0]] = i
        self.counts[0] += 1

    @unchecked
    def forward(self) -> None:
        """Compute the outputs."""
        for layer in range(self.layers):
            self.take_in(layer)
            if layer + 1 < self.layers:
                self.rectify(layer + 1)
        for i in range(self.output, self.output + self.outputs):
            self.units[i] = sigmoid(self.units[i])

    @unchecked
    def take_in(self, layer: int) -> None:
        """Compute the inputs of the units after a layer, from biases and the outputs of the layer."""
        size, here, after = self.sizes[layer + 1], self.begins[layer], self.begins[layer + 1]
        row = self.rows[layer]
        to = self.units[after : after + size]
        bias = row + self.sizes[layer] * size
        put(to, self.weights[bias : bias + size])
        k, count = 0, self.counts[layer]
        while k + 4 <= count:
            a, b = self.active[here + k], self.active[here + k + 1]
            c, d = self.active[here + k + 2], self.active[here + k + 3]
            p, q, r, s = row + a * size, row + b * size, row + c * size, row + d * size
            add_four(
                to,
                self.units[here + a],
                self.weights[p : p + size],
                self.units[here + b],
                self.weights[q : q + size],
                self.units[here + c],
                self.weights[r : r + size],
                self.units[here + d],
                self.weights[s : s + size],
            )
            k += 4
        while k < count:
            a = self.active[here + k]
            p = row + a * size
            add(to, self.units[here + a], self.weights[p : p + size])
            k += 1

    @unchecked
    def rectify(self, layer: int) -> None:
        """Apply the rectified linear unit to a layer's inputs, and store the indices of positive ones."""
        here, count = self.begins[layer], 0
        for i in range(self.sizes[layer]):
            if self.units[here + i] > 0:
                self.active[here + count] = i
                count += 1
            else:
                self.units[here + i] = 0.0
        self.counts[layer] = count

    @unchecked
    def says(self, output: int) -> float:
        """Return an output, as computed last."""
        return self.units[self.output + output]

    # --- learning -----------------------------------------------------------------------------------------

    @unchecked
    def begin_aims(self) -> None:
        """Set the errors of all outputs to 0, as if all targets were reached."""
        for i in range(self.output, self.output + self.outputs):
            self.errors[i] = 0.0

    @unchecked
    def aim(self, output: int, target: float) -> None:
        """Set the target of an output."""
        said = self.units[self.output + output]
        self.errors[self.output + output] = 2 * (said - target) * said * (1 - said) / self.outputs

    @unchecked
    def spare(self, output: int) -> None:
        """Set the error of an output to 0, as if its target were reached."""
        self.errors[self.output + output] = 0.0

    @unchecked
    def descend(self, alpha: float) -> None:
        """Take a step of size `alpha` down the gradient of the loss."""
        layer = self.layers - 1
        while layer >= 0:
            if layer > 0:
                self.hand_back(layer)
            after, size = self.begins[layer + 1], self.sizes[layer + 1]
            for i in range(after, after + size):
                self.errors[i] *= -alpha
            self.move(self.weights, layer)
            if layer > 0:
                self.move_turned(layer)
            layer -= 1

    @unchecked
    def collect(self) -> None:
        """Add the gradient of the loss to `gradient`."""
        layer = self.layers - 1
        while layer >= 0:
            if layer > 0:
                self.hand_back(layer)
            self.move(self.gradient, layer)
            layer -= 1

    @unchecked
    def descend_collected(self, alpha: float) -> None:
        """Take a step of size `alpha` down the collected gradient, and clear it."""
        add(self.weights, -alpha, self.gradient)
        for i in range(len(self.gradient)):
            self.gradient[i] = 0.0
        self.turn()

    @unchecked
    def hand_back(self, layer: int) -> None:
        """Compute the errors of a hidden layer from those of the next layer."""
        size, here = self.sizes[layer], self.begins[layer]
        after = self.begins[layer + 1]
        to = self.errors[here : here + size]
        for i in range(size):
            to[i] = 0.0
        for j in range(self.sizes[layer + 1]):
            error = self.errors[after + j]
            if error != 0:
                row = self.turns[layer] + j * size
                add(to, error, self.turned[row : row + size])
        units = self.units[here : here + size]
        for i in range(size):
            to[i] = to[i] if units[i] > 0 else 0.0

    @unchecked
    def move(self, weights: Any, layer: int) -> None:
        """Add the products of the next layer's errors and a layer's outputs to an array like `weights`."""
        size, here, after = self.sizes[layer + 1], self.begins[layer], self.begins[layer + 1]
        row = self.rows[layer]
        errors = self.errors[after : after + size]
        for k in range(self.counts[layer]):
            i = self.active[here + k]
            to = row + i * size
            add(weights[to : to + size], self.units[here + i], errors)
        to = row + self.sizes[layer] * size
        add(weights[to : to + size], 1.0, errors)

    @unchecked
    def move_turned(self, layer: int) -> None:
        """Add the products of the next layer's errors and a layer's outputs to `turned`."""
        size, here, after = self.sizes[layer], self.begins[layer], self.begins[layer + 1]
        units = self.units[here : here + size]
        for j in range(self.sizes[layer + 1]):
            error = self.errors[after + j]
            if error != 0:
                to = self.turns[layer] + j * size
                add(self.turned[to : to + size], error, units)

    @unchecked
    def turn(self) -> None:
        """Compute `turned` from `weights`."""
        for layer in range(1, self.layers):
            size, after = self.sizes[layer], self.sizes[layer + 1]
            row, to = self.rows[layer], self.turns[layer]
            for i in range(size):
                for j in range(after):
                    self.turned[to + j * size + i] = self.weights[row + i * after + j]

    # --- the model ------------------------------------------------------------------------------------------

    def arrays(self, prefix: str = "") -> dict[str, Any]:
        """Return copies of weights [previous units, units] and biases [units] by layer, from 1."""
        found = {}
        for layer in range(self.layers):
            before, size, row = int(self.sizes[layer]), int(self.sizes[layer + 1]), int(self.rows[layer])
            block = np.array(self.weights[row : row + (before + 1) * size]).reshape(before + 1, size)
            found[f"{prefix}weights_{layer + 1}"] = block[:before].copy()
            found[f"{prefix}biases_{layer + 1}"] = block[before].copy()
        return found

    def take(self, arrays: Arrays, prefix: str = "") -> None:
        """Load a result of `arrays`."""
        parts = [
            np.asarray(arrays[f"{prefix}{what}_{layer + 1}"]).ravel()
            for layer in range(self.layers)
            for what in ("weights", "biases")
        ]
        self.weights[:] = np.concatenate(parts)
        self.turn()

    @unchecked
    def copy(self, other: Network) -> None:
        """Copy the weights of a network of the same sizes."""
        put(self.weights, other.weights)
