"""The conformance kit: what the author of a game or an agent runs, in one line each.

    def test_my_game_keeps_its_promises(check_game):
        check_game(MyGame)

    def test_my_agent_keeps_its_promises(check_agent):
        check_agent(MyAgent, MyGame, options={"depth": 2})

The two are fixtures of pytest where arena is installed. Elsewhere they are functions of this module, which
raise AssertionError at the first promise that is broken.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, without its import: pytest imports this wherever arena is installed
if TYPE_CHECKING:
    from arena.testing.kit import check_agent, check_game

__all__ = ["check_agent", "check_game"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("arena.testing.kit"), name)
    raise AttributeError(f"module 'arena.testing' has no attribute {name!r}")
