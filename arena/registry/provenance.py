"""Versions of the distributions that games and agents come from."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from arena.api.spec import Spec
from arena.registry.plugins import OWN, Registry


def versions(game: Spec, entries: Iterable[Spec], registry: Registry) -> dict[str, str]:
    """Return the versions of Python and of every distribution that a game and entries come from.

    arena itself is listed as `arena`, whatever the name of its distribution, so that versions in different
    databases can be compared.
    """
    found = {"python": platform.python_version()}
    kinds = [("game", game), *(("agent", spec) for spec in entries)]
    for kind, spec in kinds:
        for plugin in registry.sources(kind, spec):
            found["arena" if plugin.distribution == OWN else plugin.distribution] = plugin.version
    return found
