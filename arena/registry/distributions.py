"""Entry points of whatever is installed: a distribution that is not as it should be costs itself alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from warnings import catch_warnings

from arena.errors import one_line

GROUP = "arena"
OWN = "arena-tournament"  # the distribution that arena itself comes in


@dataclass
class Plugin:
    """One entry point, what it offers by kind, and what went wrong with it."""

    name: str
    distribution: str
    version: str
    offers: dict[str, list[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def details(self) -> Iterator[str]:
        """Lines of what it offers, and of what went wrong."""
        for kind, names in self.offers.items():
            yield f"    {kind}: {', '.join(names)}"
        for error in self.errors:
            yield f"    failed: {error}"


def installed() -> Iterator[tuple[Plugin, EntryPoint | None]]:
    """The entry points of all that is installed; None with a plugin that says what is wrong with one."""
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
    """Whether another distribution of that name comes before it on the path."""
    with suppress(Exception):
        return said(Distribution.from_name(plugin.distribution), "version") != plugin.version
    return False


def points_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, value and what is wrong of each of arena's entry points in an `entry_points.txt`."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif section == GROUP and line and not line.startswith(("#", ";")):
            name, equals, value = map(str.strip, line.partition("="))
            good = name and equals and EntryPoint.pattern.match(value)
            yield name or line, value, "" if good else f"entry point {line!r} is not 'name = module'"


def found_point(point: EntryPoint) -> tuple[Plugin, EntryPoint]:
    """An entry point with its plugin, of which nothing is registered yet."""
    return Plugin(point.name, said(point.dist, "name"), said(point.dist, "version")), point


def said(dist: Distribution | None, name: str) -> str:
    """What the metadata of a distribution have by this name, `name` or `version`; else its folder's name."""
    with suppress(Exception), catch_warnings(action="ignore"):
        if text := getattr(dist, name):
            return str(text)
    stem = Path(str(getattr(dist, "_path", ""))).stem
    return (stem if name == "name" else "") or "unknown"


def place(plugin: Plugin) -> tuple[str, str, str]:
    """By what plugins are sorted."""
    return plugin.name, plugin.distribution, plugin.version
