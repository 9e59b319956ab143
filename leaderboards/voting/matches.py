"""Matches of an agent against random moves, in compiled code: what they take, and what it knows."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from arena import Component, Rng, compiled
from arena.api.options import with_options
from arena.api.spec import InstanceSpec
from arena.registry.plugins import registry
from arena.rng import derive
from arena.training.learners import trained_here

GAME = "checkers:repetition=0,quiet_plies=0"


class Matches(Component):
    """An agent over a learner's table, against random moves.

    counting: whether positions are counted. met, known: int64 [plies], positions in which the agent was to
    move, by the plies before, and those of them that the learner knows.
    """

    def __init__(self, agent: Any, counting: bool = False) -> None:
        self.game, self.agent, self.counting = agent.game, agent, counting
        self.met, self.known = (
            np.zeros(self.game.max_plies, np.int64),
            np.zeros(self.game.max_plies, np.int64),
        )

    @compiled
    def play(self, seed: int, seat: int, times: int, rng: Rng) -> None:
        """Play the match of this seed so many times."""
        for _ in range(times):
            rng.restart(seed)
            self.agent.begin(seat)
            state, ply = self.game.initial(), 0
            moves = self.game.moves(state)
            while moves and ply < self.game.max_plies:
                if self.game.to_move(state) == seat:
                    if self.counting:
                        self.met[ply] += 1
                        if self.agent.trained.table.find(state) >= 0:
                            self.known[ply] += 1
                    move = self.agent.choose(state, moves, rng)
                else:
                    move = rng.choice(moves)
                state = self.game.play(state, move)
                ply += 1
                moves = self.game.moves(state)

    def seconds(self, matches: int, times: int) -> list[float]:
        """Of CPU time that each of these takes, from either seat by turns, each played so often."""
        self.play(0, 0, 1, Rng())  # by which time all is compiled
        found, rng = [], Rng()
        for match in range(matches):
            start = process_time()
            self.play(derive(match), match % 2, times, rng)
            found.append((process_time() - start) / times)
        return found


def learner(games: int, seed: int = 0) -> InstanceSpec:
    """What has learned from so many games against itself, for `player`."""
    spec = with_options(registry().spec("agent", "q-backprop"), episodes=games, seed=seed)
    return InstanceSpec(spec.text, spec.target, spec.values, trained_here(spec, rules()))


def player(entry: str, taught: InstanceSpec) -> Any:
    """An agent made around a learner that has learned."""
    return with_options(registry().spec("agent", entry), learner=taught).make(taught.instance.game)


def rules() -> Any:
    return registry().spec("game", GAME).make()
