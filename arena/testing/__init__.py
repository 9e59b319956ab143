"""The conformance kit: checks for authors of games and agents.

    def test_my_game_keeps_its_promises(check_game):
        check_game(MyGame)

    def test_my_agent_keeps_its_promises(check_agent):
        check_agent(MyAgent, MyGame, options={"depth": 2})

Both are pytest fixtures if arena is installed. Without pytest, call the functions of this module, which raise
AssertionError at the first broken promise.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # not from typing, since pytest always imports this module if arena is installed
if TYPE_CHECKING:
    from arena.testing.kit import check_agent, check_game

__all__ = ["check_agent", "check_game"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("arena.testing.kit"), name)
    raise AttributeError(f"module 'arena.testing' has no attribute {name!r}")
