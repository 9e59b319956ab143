"""Entry points of installed distributions; a faulty distribution does not affect the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from warnings import catch_warnings

from arena.errors import one_line

GROUP = "arena"
OWN = "arena-tournament"  # arena's own distribution


@dataclass
class Plugin:
    """An installed plugin.

    Attributes:
        name: Name of its entry point.
        distribution: Name of its distribution.
        version: Version of its distribution; for a class or file of the user, a digest of its code.
        offers: Names that it registered, by kind.
        errors: Problems in loading it.
    """

    name: str
    distribution: str
    version: str
    offers: dict[str, list[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def details(self) -> Iterator[str]:
        """Yield lines that list the names it offers, and its errors."""
        for kind, names in self.offers.items():
            yield f"    {kind}: {', '.join(names)}"
        for error in self.errors:
            yield f"    failed: {error}"


def installed() -> Iterator[tuple[Plugin, EntryPoint | None]]:
    """Yield the plugins of all installed distributions with their entry points, or None for faulty ones."""
    seen = set()
    for dist in distributions():
        try:
            text = dist.read_text("entry_points.txt") or ""
            points = list(points_in(text)) if GROUP in text else []
        except (OSError, UnicodeDecodeError) as error:
            points = [("", "", f"its entry_points.txt cannot be read: {one_line(error)}")]
        if points:
            plugin = Plugin("", said(dist, "name"), said(dist, "version"))
            if plugin.distribution not in seen and not shadowed(dist, plugin):
                seen.add(plugin.distribution)
                for name, value, fault in points:
                    one = replace(
                        plugin, name=name or plugin.distribution, offers={}, errors=[fault] * bool(fault)
                    )
                    yield one, None if fault else EntryPoint(name, value, GROUP)


def shadowed(dist: Distribution, plugin: Plugin) -> bool:
    """Return whether another version of this distribution comes before it in `sys.path`."""
    with suppress(Exception):
        return said(Distribution.from_name(plugin.distribution), "version") != plugin.version
    return False


def points_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the entry points for arena in an `entry_points.txt`: name, value, and error message or ""."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif section == GROUP and line and not line.startswith(("#", ";")):
            name, equals, value = map(str.strip, line.partition("="))
            good = name and equals and EntryPoint.pattern.match(value)
            yield name or line, value, "" if good else f"entry point {line!r} is not 'name = module'"


def found_point(point: EntryPoint) -> tuple[Plugin, EntryPoint]:
    """Return an entry point with a new plugin that has registered nothing yet."""
    return Plugin(point.name, said(point.dist, "name"), said(point.dist, "version")), point


def said(dist: Distribution | None, name: str) -> str:
    """Return the `name` or `version` of a distribution.

    If its metadata cannot be read, this is the stem of its folder for the name, and otherwise `unknown`.
    """
    with suppress(Exception), catch_warnings(action="ignore"):
        if text := getattr(dist, name):
            return str(text)
    stem = Path(str(getattr(dist, "_path", ""))).stem
    return (stem if name == "name" else "") or "unknown"


def place(plugin: Plugin) -> tuple[str, str, str]:
    """Return the key by which plugins are sorted."""
    return plugin.name, plugin.distribution, plugin.version
