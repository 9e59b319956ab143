"""An agent's kernel, compiled, with the arrays it works on."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.compiled import lessons
from arena.errors import ArenaError
from arena.kernel import Other, States

if TYPE_CHECKING:
    from arena.agent import Agent, FastAgent
    from arena.compiled.engines import Engine, Kernels
    from arena.game import Move, State


class Uncompiled(Exception):
    """An agent is to consult one that is plain Python, and so has to be that too."""


class Player:
    """Runs an agent's kernel for Python, and holds what compiled matches need to run it themselves.

    address, begin_address: of its machine code; begin_address 0 = it has none. table: see `table_of`.
    """

    def __init__(self, engine: Engine, kernels: Kernels, agent: FastAgent) -> None:
        self.game, self.call = agent.game, engine.view.choose
        self.engine, self.kernel = engine, agent.kernel
        self.address, self.begin_address = kernels.address("choose"), kernels.address("begin")
        self.learn_address = kernels.address("learn")
        self.work = engine.ints(agent.lists * agent.game.max_moves)
        self.stream = engine.ints(2)
        given = list(agent.arrays())
        if not all(isinstance(getattr(other, "player", None), Player) for other in others(given)):
            raise Uncompiled
        self.arrays = [as_array(array, agent) for array in given]
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

    def run(self, name: str, n: int) -> int:
        """Another kernel with the parameters of `choose`, begun in the first position."""
        address = self.engine.kernels(self.kernel, name, python=False).address(name)
        given: int = self.call(address, self.game.initial(), n, self.work, self.stream, self.table)
        return given

    @cached_property
    def teach(self) -> Any:
        return self.engine.kernels(lessons, "learn").learn

    def learn(self, numbers: range, seed: int, tally: MutableSequence[int]) -> int:
        """Learn from these episodes, counting how they end; the number of one without room, or their end."""
        counts = np.zeros(3, np.int64)
        terms = (self.learn_address, numbers.start, numbers.stop, seed)
        stop: int = self.teach(*terms, self.work, self.stream, self.table, counts)
        for ended, times in enumerate(counts.tolist()):
            tally[ended] += times
        return stop


def others(arrays: Sequence[Any]) -> list[Agent]:
    """The agents to consult among an agent's arrays."""
    return [array.agent for array in arrays if isinstance(array, Other)]


def as_array(given: Any, agent: FastAgent) -> np.ndarray[Any, Any]:
    """What an agent gave as an array of int64 or float64, itself if it is one, or ArenaError."""
    if isinstance(given, States):
        states = np.zeros(given.room * len(agent.game.initial()), np.int64)
        states[: np.size(given.given)] = np.ravel(given.given)
        return states
    if isinstance(given, Other):
        player = given.agent.player
        table = player.table
        return np.array([player.address, 0, table.ctypes.data, table.size, player.begin_address], np.int64)
    array = np.asarray(given)
    if array.dtype.kind == "f" or not array.size:
        return np.ascontiguousarray(array, np.float64)
    if array.dtype.kind in "bi":
        return np.ascontiguousarray(array, np.int64)
    raise ArenaError(f"{type(agent).__name__}: arrays gives {given!r}; give ints or floats")


def table_of(arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Address and length of each array, which must be kept alive."""
    return np.array([x for array in arrays for x in (array.ctypes.data, array.size)], np.int64)
