"""Games as Gymnasium and PettingZoo environments, and policies trained in them as agents.

This package must be imported explicitly: `import arena.gymnasium`. Environments need the extra `gymnasium`;
agents that play by a policy need it only if the policy imports Gymnasium.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, without its import
if TYPE_CHECKING:
    from arena.gymnasium.encoding import Encoding, Observe
    from arena.gymnasium.one_player import Environment, make
    from arena.gymnasium.policy import PolicyAgent
    from arena.gymnasium.two_players import AECEnvironment, aec

__all__ = ["AECEnvironment", "Encoding", "Environment", "Observe", "PolicyAgent", "aec", "make"]

HOMES = {
    "AECEnvironment": "two_players",
    "Encoding": "encoding",
    "Environment": "one_player",
    "Observe": "encoding",
    "PolicyAgent": "policy",
    "aec": "two_players",
    "make": "one_player",
}


def __getattr__(name: str) -> object:
    """Import a name when it is first used, since a policy agent does not need Gymnasium."""
    if name in HOMES:
        return getattr(import_module(f"arena.gymnasium.{HOMES[name]}"), name)
    raise AttributeError(f"module 'arena.gymnasium' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
