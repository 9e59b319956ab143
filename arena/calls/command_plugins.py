"""The commands of the command line, which plugins add to."""

from __future__ import annotations

from collections.abc import Mapping

from arena.registry.plugins import Offer, registry


def commands() -> Mapping[str, Offer]:
    """All commands by name, none of them imported."""
    return registry().offers["command"]
