"""An agent's kernel, compiled, with the arrays it works on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.errors import ArenaError
from arena.kernel import States

if TYPE_CHECKING:
    from arena.agent import FastAgent
    from arena.compiled.engines import Engine, Kernels
    from arena.game import Move, State


class Player:
    """Runs an agent's kernel for Python, and holds what compiled matches need to run it themselves.

    address, begin_address: of its machine code; begin_address 0 = it has none. table: see `table_of`.
    """

    def __init__(self, engine: Engine, kernels: Kernels, agent: FastAgent) -> None:
        self.game, self.call = agent.game, engine.view.choose
        self.address, self.begin_address = kernels.address("choose"), kernels.address("begin")
        self.work = engine.ints(agent.lists * agent.game.max_moves)
        self.stream = engine.ints(2)
        self.arrays = [as_array(given, agent) for given in agent.arrays()]
        self.table = table_of(self.arrays)

    def begin(self, seat: int) -> None:
        if self.begin_address:
            start = self.game.initial()
            self.call(self.begin_address, start, seat, self.work, self.stream, self.table)

    def choose(self, state: State, moves: list[Move], stream: list[int]) -> int:
        self.work[: len(moves)] = moves
        self.stream[:] = stream
        chosen: int = self.call(self.address, state, len(moves), self.work, self.stream, self.table)
        stream[1] = int(self.stream[1])
        return chosen


def as_array(given: Any, agent: FastAgent) -> np.ndarray[Any, Any]:
    """What an agent gave as an array of int64 or float64, itself if it is one, or ArenaError."""
    if isinstance(given, States):
        return np.zeros(given.room * len(agent.game.initial()), np.int64)
    array = np.asarray(given)
    if array.dtype.kind == "f" or not array.size:
        return np.ascontiguousarray(array, np.float64)
    if array.dtype.kind in "bi":
        return np.ascontiguousarray(array, np.int64)
    raise ArenaError(f"{type(agent).__name__}: arrays gives {given!r}; give ints or floats")


def table_of(arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Address and length of each array, which must be kept alive."""
    return np.array([x for array in arrays for x in (array.ctypes.data, array.size)], np.int64)
