"""Where games and agents come from: versions of what is installed."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from arena.api.spec import Spec
from arena.registry.plugins import Registry


def versions(game: Spec, entries: Iterable[Spec], registry: Registry) -> dict[str, str]:
    """Of Python, and of every distribution that a game and entries come from."""
    found = {"python": platform.python_version()}
    kinds = [("game", game), *(("agent", spec) for spec in entries)]
    for kind, spec in kinds:
        for plugin in registry.sources(kind, spec):
            found[plugin.distribution] = plugin.version
    return found
