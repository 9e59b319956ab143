"""Where games and agents come from: versions of what is installed."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from arena.api.spec import Spec
from arena.registry.plugins import OWN, Registry


def versions(game: Spec, entries: Iterable[Spec], registry: Registry) -> dict[str, str]:
    """Of Python, and of every distribution that a game and entries come from.

    arena itself is called `arena`, whatever its distribution is called: the name under which every
    database has it, so that its versions can be compared.
    """
    found = {"python": platform.python_version()}
    kinds = [("game", game), *(("agent", spec) for spec in entries)]
    for kind, spec in kinds:
        for plugin in registry.sources(kind, spec):
            found["arena" if plugin.distribution == OWN else plugin.distribution] = plugin.version
    return found
