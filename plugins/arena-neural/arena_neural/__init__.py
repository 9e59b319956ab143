"""A plugin for arena: `neural-q`, Q-learning with a neural network."""

from __future__ import annotations

from arena import Register, hookimpl


@hookimpl
def register_agents(register: Register) -> None:
    register("neural-q", "arena_neural.neural_q:NeuralQ")
