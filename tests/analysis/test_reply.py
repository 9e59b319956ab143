"""Layers of numbers, of which only those that change are kept, against all of them."""

from __future__ import annotations

import numpy as np
import pytest

from arena.analysis.reply import Layers


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.9])
def test_layers_give_what_was_put_in(share):
    rng = np.random.default_rng(1)
    numbers, all_of_them, layers = rng.integers(0, 9, 50), [], Layers()
    for _ in range(30):
        numbers = np.where(rng.random(50) < share, rng.integers(0, 9, 50), numbers)
        layers.add(numbers)
        all_of_them.append(numbers)
    for left in range(40):
        known = all_of_them[min(left, 29)]
        assert [layers.at(left, i) for i in range(50)] == known.tolist()


def test_what_does_not_change_takes_no_room():
    layers = Layers()
    for _ in range(100):
        layers.add(np.arange(1000))
    assert sum(len(numbers) for numbers in layers.numbers) == 1000
