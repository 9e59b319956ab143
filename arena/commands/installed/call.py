"""Functions that list installed plugins: `arena.games`, `agents`, `evaluations`, `formats` and `plugins`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from arena.api.agent import Agent
from arena.api.format import FixedFormat
from arena.api.game import CAPABILITY_USES, Game
from arena.api.learner import Learner
from arena.api.options import format_value, required
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec
from arena.calls.arguments import game_spec, known_with
from arena.compiler import reason, with_compiled_rules
from arena.errors import ArenaError
from arena.plan.entries import make_game
from arena.registry.files import without_paths
from arena.registry.plugins import Offer, Plugin, Registry, registry
from arena.registry.sandboxed import SandboxedAgent
from arena.show.frame import Column, Columns
from arena.show.grid import Grid
from arena.show.presentation import Part, Shown, ShownSequence


@dataclass(frozen=True)
class OptionFacts:
    """An option of a game or an agent.

    Attributes:
        name: Name of the option.
        default: Default value.
        text: Default value as text.
        takes: Description of the values that the option accepts.
        help: Description of the option.
    """

    name: str
    default: object
    text: str
    takes: str
    help: str


@dataclass(frozen=True, repr=False)
class Installed(Shown):
    """An installed game, agent, evaluation or format.

    Attributes:
        name: Name of the game, agent, evaluation or format.
        plugin: Name of the plugin.
        distribution: Name of the distribution.
        version: Version of the distribution.
        summary: Description in one line.
        facts: Further facts in the form of the JSON output, such as capabilities, needs, uses and protocols;
            also whether it runs compiled, if it was requested by name.
        options: Its options.
        error: Why it cannot be loaded; empty if it can.
    """

    frame_columns: ClassVar[Columns] = {
        "name": Column(str, "Name."),
        "plugin": Column(str, "The plugin that offers it."),
        "distribution": Column(str, "Its distribution."),
        "version": Column(str, "Version of the plugin."),
        "summary": Column(str, "One-line description."),
        "error": Column(str, "Error that keeps it from being used.", True),
    }

    name: str
    plugin: str
    distribution: str
    version: str
    summary: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    options: Sequence[OptionFacts] = ()
    error: str = ""

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        yield f"{self.name}  ({self.distribution} {self.version})"
        yield from self.details()

    def details(self) -> Iterator[str]:
        """Yield the lines of the description that follow the name."""
        if self.error:
            yield f"    failed: {self.error}"
            return
        yield f"    {self.summary}"
        for fact in ("needs", "uses", "capabilities"):
            if self.facts.get(fact):
                yield f"    {fact}: {', '.join(self.facts[fact])}"
        if "compiled" in self.facts:
            for capability in self.facts.get("capabilities", ()):
                yield f"    {capability}: {CAPABILITY_USES[capability]}"
        for one in self.options:
            yield f"    {one.name}={one.text}  {one.help} ({one.takes})"
        if "compiled" in self.facts:
            yield f"    {running(self.facts)}"
        for protocol, what in self.facts.get("protocols", {}).items():
            yield f"    protocol {protocol}: {what}"

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [self.to_dict()]

    def to_dict(self) -> dict[str, object]:
        """Return the description as a dictionary for JSON."""
        row = {name: getattr(self, name) for name in ("name", "plugin", "distribution", "version")}
        if self.error:
            return {**row, "error": self.error}
        options = [asdict(one) for one in self.options]
        return {**row, "summary": self.summary, **self.facts, "options": options}


class InstalledList(ShownSequence[Installed]):
    """Installed games, agents, evaluations or formats.

    Attributes:
        kind: The kind of plugin that is listed in full; empty if one was requested by name.
    """

    frame_columns = Installed.frame_columns

    def __init__(self, items: Sequence[Installed], kind: str = "") -> None:
        self.items, self.kind = items, kind

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        if not self.kind:
            for item in self.items:
                yield from item.parts()
            return
        sources = [f"{item.distribution} {item.version}" for item in self.items]
        rows = [
            [item.name, f"failed: {item.error}" if item.error else item.summary, source]
            for item, source in zip(self.items, sources, strict=True)
        ]
        grid = Grid([self.kind, "what it is", "from"], rows, left=3, spare=("from",))
        yield grid.without(["from"] if len(set(sources)) < 2 else [])
        yield f"'arena {self.kind}s NAME' tells all about one."

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [item.to_dict() for item in self.items]


def games(name: str | None = None) -> InstalledList:
    """List the installed games, or describe one.

    >>> import arena
    >>> [game.name for game in arena.games()][0]
    'tic-tac-toe'

    Args:
        name: Name of one game; its description also says whether its rules run compiled.

    Returns:
        The games.

    Raises:
        ArenaError: If the name is unknown.
    """

    def facts(cls: Any, spec: Spec | None) -> dict[str, object]:
        if required(cls):  # it cannot be instantiated without these options
            return {"capabilities": []}
        return {"capabilities": list(cls().capabilities), **(compiling(cls) if name else {})}

    return described("game", name, facts)


def agents(name: str | None = None, *, game: str | None = None) -> InstalledList:
    """List the installed agents, or describe one.

    Args:
        name: Name of one agent; its description also says whether it runs compiled.
        game: The game for which to check compilation. Default: the first installed.

    Returns:
        The agents.

    Raises:
        ArenaError: If a game is passed without an agent, or a name is unknown.
    """
    if game and not name:
        raise ArenaError("game requires the name of an agent")
    of = with_compiled_rules(make_game(game_spec(game, known_with(game=game)))) if name else None

    def facts(cls: Any, spec: Spec | None) -> dict[str, object]:
        protocols = {name: found.describe() for name, found in cls.protocols.items()}
        return {
            "needs": list(cls.needs),
            "uses": list(cls.uses),
            "protocols": protocols,
            **(compiled_at(of, spec) if of and spec else {}),
        }

    return described("agent", name, facts)


def evaluations(name: str | None = None) -> InstalledList:
    """List the installed evaluations, or describe one.

    >>> import arena
    >>> [evaluation.name for evaluation in arena.evaluations()][:2]
    ['own', 'none']

    Args:
        name: Name of one evaluation.

    Returns:
        The evaluations.

    Raises:
        ArenaError: If the name is unknown.
    """
    return described("evaluation", name, lambda cls, spec: {"needs": list(cls.needs), "uses": list(cls.uses)})


def formats(name: str | None = None) -> InstalledList:
    """List the installed formats, or describe one.

    >>> import arena
    >>> [format.name for format in arena.formats()][:2]
    ['round-robin', 'gauntlet']

    Args:
        name: Name of one format.

    Returns:
        The formats.

    Raises:
        ArenaError: If the name is unknown.
    """
    return described("format", name, lambda cls, spec: {"fixed": issubclass(cls, FixedFormat)})


class PluginList(ShownSequence[Plugin]):
    """Installed plugins with what they offer, and errors in loading them."""

    frame_columns: ClassVar[Columns] = {
        "name": Column(str, "Name of the plugin."),
        "distribution": Column(str, "Its distribution."),
        "version": Column(str, "Version of the plugin."),
        "kind": Column(str, "Kind of what it offers, such as `agent`."),
        "offer": Column(str, "Name of what it offers; missing if it offers nothing."),
    }

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each game, agent or other offer of each plugin."""
        rows: list[dict[str, object]] = []
        for plugin in self.items:
            about = {"name": plugin.name, "distribution": plugin.distribution, "version": plugin.version}
            offers = [(kind, name) for kind, names in plugin.offers.items() for name in names]
            rows += [{**about, "kind": kind, "offer": name} for kind, name in offers]
            if not offers:
                rows.append({**about})
        return rows

    def __init__(self, items: Sequence[Plugin]) -> None:
        self.items = items

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for plugin in self.items:
            yield f"{plugin.name}  ({plugin.distribution} {plugin.version})"
            yield from plugin.details()

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [asdict(plugin) for plugin in self.items]


def plugins() -> PluginList:
    """List the installed plugins with what they offer, and errors in loading them.

    Returns:
        The plugins.
    """
    return PluginList(registry().plugins)


def described(
    kind: str, name: str | None, facts: Callable[[Any, Spec | None], dict[str, object]]
) -> InstalledList:
    """Return all installed offers of a kind, or one by name.

    Args:
        kind: The kind, such as `game`.
        name: Name of one offer; None for all.
        facts: Function that returns further facts on a class.
    """
    if name is None:
        offers = registry().offers[kind].values()
        return InstalledList([describe(kind, offer, facts, registry()) for offer in offers], kind)
    known = known_with([name] if kind == "agent" else [], name if kind == "game" else None)
    return InstalledList([describe(kind, known.offer(kind, without_paths(name)), facts, known)])


def describe(
    kind: str, offer: Offer, facts: Callable[[object, Spec | None], dict[str, object]], known: Registry
) -> Installed:
    where = offer.name, offer.plugin.name, offer.plugin.distribution, offer.plugin.version
    try:
        with foreign(ArenaError):
            cls: Any = known.cls(kind, offer.name)
            spec = None
            if not required(cls):
                spec = known.spec(kind, offer.name)  # its defaults may name missing plugins
                cls = spec.cls
            summary = ((cls.__doc__ or "").strip().splitlines() or [""])[0]
            options = [
                OptionFacts(key, one.default, format_value(one.default), one.describe(), one.help)
                for key, one in cls.options.items()
            ]
            return Installed(*where, summary, facts(cls, spec), options)
    except ArenaError as error:
        return Installed(*where, error=str(error))
    except Failed as error:  # the class raises an exception
        return Installed(*where, error=f"{kind} {offer.name!r} of plugin {offer.plugin.name} fails: {error}")


def compiled_at(game: Game, spec: Spec) -> dict[str, object]:
    """Return whether an agent runs compiled in a game, and if not, the reason."""
    if spec.cls.interactive:
        return {"game": str(game), "compiled": False, "reason": "it plays at the terminal"}

    def make() -> Agent:
        agent: Agent = spec.build(game)
        if isinstance(agent, Learner):
            agent._begin_learning()
        return agent

    return {"game": str(game), **compiling(make)}


def compiling(make: Callable[[], object]) -> dict[str, object]:
    """Return whether an object runs compiled, and if not, the reason.

    `compiled` is None if the object cannot be created.
    """
    try:
        with foreign():
            thing = make()
    except Failed as error:
        return {"compiled": None, "reason": str(error).removeprefix("ArenaError: ")}
    why = thing.plain_reason() if isinstance(thing, SandboxedAgent) else reason(thing)
    return {"compiled": why is None, "reason": why}


def running(facts: Mapping[str, Any]) -> str:
    """Return a text such as `runs compiled at tic-tac-toe` or `runs in plain Python: heap.py, line 3: …`."""
    how = {True: "runs compiled", False: "runs in plain Python", None: "cannot be created"}[facts["compiled"]]
    at = f" at {facts['game']}" if "game" in facts else ""
    return f"{how}{at}" + (f": {facts['reason']}" if facts["reason"] else "")
