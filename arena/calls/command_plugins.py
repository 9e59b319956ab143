"""The commands of the command line, including those of plugins."""

from __future__ import annotations

from collections.abc import Mapping

from arena.registry.plugins import Offer, registry


def commands() -> Mapping[str, Offer]:
    """Return all commands by name, without importing them."""
    return registry().offers["command"]
