from __future__ import annotations

from arena import Register, hookimpl


@hookimpl
def register_agents(register: Register) -> None:
    register("mcts", "arena_mcts.mcts:MCTS")
    register("mcts-table", "arena_mcts.mcts_table:MCTSTable")
