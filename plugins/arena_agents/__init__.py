"""The agents that come with arena, by family, and modules that several families share."""

from __future__ import annotations

from arena import Register, hookimpl


@hookimpl
def register_agents(register: Register) -> None:
    register("random", "arena_agents.baselines.random:Random")
    register("first", "arena_agents.baselines.first:First")
    register("human", "arena_agents.baselines.human:Human")
    register("greedy", "arena_agents.baselines.greedy:Greedy")
    register("minimax", "arena_agents.search.minimax:Minimax")
    register("alpha-beta", "arena_agents.search.alpha_beta:AlphaBeta")
    register("perfect", "arena_agents.search.perfect:Perfect")
    register("q-table", "arena_agents.tabular.q_table:QTable")
    register("double-q", "arena_agents.tabular.q_table:DoubleQ")
    register("q-backprop", "arena_agents.tabular.q_backprop:QBackprop")
    register("q-random", "arena_agents.tabular.q_random:QRandom")
    register("keep-training", "arena_agents.tabular.keep_training:KeepTraining")
    register("value-iteration", "arena_agents.planning.value_iteration:ValueIteration")
    register("policy-iteration", "arena_agents.planning.value_iteration:PolicyIteration")
    register("transition-q", "arena_agents.abstract.transition_q:TransitionQ")
    register("sarsa", "arena_agents.linear.sarsa:Sarsa")
    register("td-lines", "arena_agents.linear.td_lines:TDLines")
    register("psv", "arena_agents.psv.psv:PSV")
    register("engine", "arena_agents.engines.engine:Engine")
    register("uci", "arena_agents.engines.uci:UCI")
    register("llm", "arena_agents.llm.llm:LLM")


@hookimpl
def register_evaluations(register: Register) -> None:
    register("own", "arena_agents.evaluations:Own")
    register("none", "arena_agents.evaluations:Nothing")
