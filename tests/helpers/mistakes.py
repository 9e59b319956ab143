"""The base of agents with a mistake, and the line that they mark as the one at fault."""

from __future__ import annotations

import inspect
from inspect import getsourcefile
from pathlib import Path

import numpy as np

from arena import Agent


class Mistaken(Agent):
    def prepare(self):
        self.total = 0
        self.rate = 0.5
        self.counts = np.zeros(4, np.int64)
        self.known = {}
        self.seen = set()
        self.past = []

    def score(self, state, move):
        return state[0] - move


def place(cls: type) -> str:
    """The file and line that are marked in a class."""
    lines, first = inspect.getsourcelines(cls)
    (line,) = [first + i for i, text in enumerate(lines) if "# here" in text]
    return f"{Path(getsourcefile(cls) or '').name}, line {line}"
