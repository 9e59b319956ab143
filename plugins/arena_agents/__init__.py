"""The agents that come with arena, one a module."""

from __future__ import annotations

from arena import hookimpl
from arena.api.hooks import Register


@hookimpl
def register_agents(register: Register) -> None:
    register("random", "arena_agents.random:Random")
    register("first", "arena_agents.first:First")
    register("greedy", "arena_agents.greedy:Greedy")
    register("minimax", "arena_agents.minimax:Minimax")
    register("alpha-beta", "arena_agents.alpha_beta:AlphaBeta")
    register("q-table", "arena_agents.q_table:QTable")
    register("double-q", "arena_agents.q_table:DoubleQ")
    register("q-backprop", "arena_agents.q_backprop:QBackprop")
    register("q-random", "arena_agents.over_table:QRandom")
    register("keep-training", "arena_agents.keep_training:KeepTraining")
    register("value-iteration", "arena_agents.value_iteration:ValueIteration")
    register("policy-iteration", "arena_agents.value_iteration:PolicyIteration")
    register("transition-q", "arena_agents.transition_q:TransitionQ")
    register("sarsa", "arena_agents.sarsa:Sarsa")
    register("psv", "arena_agents.psv:PSV")


@hookimpl
def register_evaluations(register: Register) -> None:
    register("own", "arena_agents.evaluations:Own")
    register("none", "arena_agents.evaluations:Nothing")
