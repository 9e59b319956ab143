"""How long entries take for a move, measured side by side."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

from protocol import Game

from arena import Agent, Component, Rng, States, compiled
from arena.api.game import State
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry
from arena.testing.matches import random_match

MATCHES = 20  # of random moves, whose positions are asked about
PIECE = 32  # positions that are asked about at once
LEAST = 0.05  # CPU seconds that a measurement takes at least
ROUNDS = 5


class Decisions(Component):
    """An agent asked for its move in these positions, one after the other."""

    def __init__(self, agent: Agent, states: Sequence[State]) -> None:
        self.game, self.agent = agent.game, agent
        self.states = States(agent.game, len(states))
        for i, state in enumerate(states):
            self.states[i] = state

    @compiled
    def decide(self, start: int, stop: int, rng: Rng) -> int:
        """Find the moves and choose in positions `start` up to `stop`, begun anew where they end."""
        total = 0
        for i in range(start, stop):
            state = self.states[i % len(self.states)]
            total += self.agent.choose(state, self.game.moves(state), rng)
        return total


class Clock:
    """Times a player's moves, over positions of random matches; learners have learned before."""

    def __init__(self, entry: str, game: Game) -> None:
        rules = with_compiled_rules(registry().spec("game", game.name).make())
        agent = registry().spec("agent", entry).make(rules)
        agent.begin(0)
        matches = (random_match(rules, seed) for seed in range(MATCHES))
        states = [
            state for match in matches for state in match if rules.to_move(state) == 0 and rules.moves(state)
        ]
        self.decisions, self.rng = Decisions(agent, states), Rng(1)
        self.decisions.decide(0, len(states), self.rng)  # by which time it has been compiled

    def measured(self) -> float:
        """CPU seconds for a move, the mean of as many as take `LEAST`."""
        asked, taken, begun = 0, 0.0, process_time()
        while taken < LEAST:
            self.decisions.decide(asked, asked + PIECE, self.rng)
            asked += PIECE
            taken = process_time() - begun
        return taken / asked


def fastest_moves(entries: Sequence[str], game: Game) -> list[float]:
    """CPU seconds for a move of each, the least of several rounds that all take part in by turns."""
    clocks = [Clock(entry, game) for entry in entries]
    rounds = [[clock.measured() for clock in clocks] for _ in range(ROUNDS)]
    return list(map(min, zip(*rounds, strict=True)))
