"""The registry of plugins, found through entry points and imported only when used.

Each plugin is loaded separately. One that fails to load is left out, listed by `arena plugins` with the
reason, and reported in a warning.
"""

from __future__ import annotations

import platform
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.metadata import EntryPoint
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import pluggy

from arena.api import hooks
from arena.api.options import NAME, Configurable, join_text, name_in, read_options, split_text
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec as Spec
from arena.api.spec import load_target
from arena.errors import ArenaError, did_you_mean
from arena.registry import builtin
from arena.registry.distributions import OWN as OWN
from arena.registry.distributions import Plugin as Plugin
from arena.registry.distributions import found_point, installed, place
from arena.texts import call, on_one_line

if TYPE_CHECKING:
    from arena.registry.source_classes import Source

KINDS = {  # kind -> its hook
    "game": "register_games",
    "agent": "register_agents",
    "command": "register_commands",
    "executor": "register_executors",
    "rating system": "register_ratings",
    "evaluation": "register_evaluations",
    "format": "register_formats",
    "solver": "register_solvers",
    "endings": "register_endings",
}
APART = {("executor", "dask"): "arena-dask"}  # plugins in separate distributions
DEEPEST = 8  # maximum nesting depth of specs
OWN_CODE = " (own code)"  # replaces the distribution's name for a class passed by the caller


@dataclass(frozen=True)
class Offer:
    """A name that a plugin registered.

    Attributes:
        kind: Kind of plugin, a key of `KINDS`.
        name: The name.
        target: Where the object is defined, as `module:attribute`.
        help: Description in one line.
        plugin: The plugin.
        section: For a command, its section in `arena --help`.
    """

    kind: str
    name: str
    target: str
    help: str
    plugin: Plugin
    section: str = field(default="", kw_only=True)  # in `arena --help`, for commands

    def spec(self, text: str, values: Mapping[str, object]) -> Spec:
        """Return a spec of the offer with these options."""
        return Spec(text, self.target, values)

    def load(self) -> Any:
        """Import the target, or raise ArenaError that names the plugin."""
        try:
            with foreign():
                return load_target(self.target)
        except Failed as error:
            raise ArenaError(
                f"{self.kind} {self.name!r} of plugin {self.plugin.name} cannot be loaded: {error}"
            ) from error


@dataclass(frozen=True)
class ClassOffer(Offer):
    """A class that the caller passed and that no plugin registered."""

    cls: Any

    def load(self) -> object:
        return self.cls

    def spec(self, text: str, values: Mapping[str, object]) -> Spec:
        from arena.module_files import is_written
        from arena.registry.source_classes import StayingSpec, WrittenSpec

        spec = Spec(text, self.target, values)
        if is_written(self.cls):
            source = self.source
            if isinstance(source, ArenaError):
                spec = StayingSpec(text, self.target, values, str(source))
            else:
                spec = WrittenSpec(text, self.target, values, source)
        vars(spec)["cls"] = self.cls
        return spec

    @cached_property
    def source(self) -> Source | ArenaError:
        """The source code to send to other processes, or the error if that is impossible."""
        from arena.registry.source_classes import source_of

        try:
            return source_of(self.cls)
        except ArenaError as error:
            return error

    def check_travels(self) -> None:
        """Raise ArenaError if the class cannot be sent to other processes."""
        from arena.module_files import is_written

        if is_written(self.cls) and isinstance(self.source, ArenaError):
            raise self.source


class Registry:
    """All plugins, and their offers, as `offers[kind][name]`."""

    def __init__(self, points: Iterable[EntryPoint] | None = None) -> None:
        self.manager = pluggy.PluginManager("arena")
        self.manager.add_hookspecs(hooks)
        self.plugins: list[Plugin] = []
        self.offers: dict[str, dict[str, Offer]] = {kind: {} for kind in KINDS}
        self.add(Plugin("arena", OWN, own_version()), builtin)
        found = installed() if points is None else map(found_point, points)
        # arena's own plugins come first, so that no other plugin can take their names
        for plugin, point in sorted(found, key=lambda f: (f[0].distribution != OWN, *place(f[0]))):
            if point is None:
                self.plugins.append(plugin)
                continue
            try:
                with foreign():
                    module = point.load()
            except Failed as error:
                plugin.errors.append(str(error))
                self.plugins.append(plugin)
            else:
                self.add(plugin, module)

    def add(self, plugin: Plugin, module: object) -> None:
        """Add a plugin's module, or record its errors."""
        self.plugins.append(plugin)
        if self.manager.has_plugin(plugin.name):
            plugin.errors.append(
                f"a plugin called {plugin.name!r} is installed already; rename the entry point"
            )
            return
        try:
            with foreign():
                self.manager.register(module, plugin.name)
                self.manager.check_pending()
        except Failed as error:
            plugin.errors.append(re.sub(r"^(ValueError|PluginValidationError): ", "", str(error)))
            if self.manager.has_plugin(plugin.name):
                self.manager.unregister(name=plugin.name)
            return
        if not self.manager.get_hookcallers(module):
            plugin.errors.append(
                "it has no hook, such as a function 'register_agents' marked @arena.hookimpl"
            )
        others = [other for other in self.manager.get_plugins() if other is not module]
        for kind, hook in KINDS.items():

            def register(name: str, target: str, help: str = "", section: str = "", kind: str = kind) -> None:
                self.register(plugin, kind, name, target, help, section)

            try:
                with foreign():
                    self.manager.subset_hook_caller(hook, others)(register=register)
            except Failed as error:
                plugin.errors.append(f"{hook}: {error}")

    def register(
        self, plugin: Plugin, kind: str, name: str, target: str, help: str, section: str = ""
    ) -> None:
        """Add an offer, or record its error; other offers of the plugin are not affected."""
        taken = self.offers[kind].get(name)
        if not isinstance(name, str) or not NAME.fullmatch(name):
            plugin.errors.append(f"{kind} {name!r}: a name must be words of a-z and 0-9 joined by hyphens")
        elif not isinstance(target, str) or ":" not in target:
            plugin.errors.append(f"{kind} {name!r}: target {target!r} is not 'module:attribute'")
        elif not isinstance(help, str):
            plugin.errors.append(f"{kind} {name!r}: help {help!r} is not a text")
        elif not isinstance(section, str):
            plugin.errors.append(f"{kind} {name!r}: section {section!r} is not a text")
        elif taken is not None:
            plugin.errors.append(
                f"{kind} {name!r} is already offered by {owner(taken.plugin)}; "
                "rename it, or uninstall one of the two"
            )
        else:
            self.offers[kind][name] = Offer(kind, name, target, help, plugin, section=section)
            plugin.offers.setdefault(kind, []).append(name)

    def offer(self, kind: str, name: str) -> Offer:
        """Return the offer with a name, or raise ArenaError that suggests a similar name."""
        if kind not in self.offers:
            raise ArenaError(f"no kind of plugin called {kind!r}{did_you_mean(kind, self.offers)}")
        if name not in self.offers[kind]:
            if name.partition("::")[0].endswith(".py"):
                raise ArenaError(f"{kind} {name!r} is in a file; use its path")
            if apart := APART.get((kind, name)):
                remedy = f"pip install {apart}, or in a clone ./plugins/{apart}"
                raise ArenaError(f"{kind} {name!r} is in a plugin that is not installed: {remedy}")
            raise ArenaError(f"no {kind} called {name!r}{did_you_mean(name, self.offers[kind])}")
        return self.offers[kind][name]

    def cls(self, kind: str, name: str) -> type[Configurable]:
        """Return the class registered under a name, or raise ArenaError."""
        offer = self.offer(kind, name)
        cls = offer.load()
        if not (isinstance(cls, type) and issubclass(cls, Configurable)):
            raise ArenaError(
                f"{kind} {name!r} of plugin {offer.plugin.name}: {offer.target} is not a class of that kind"
            )
        return cls

    def spec(self, kind: str, text: str, within: int = 0) -> Spec:
        """Resolve `name:key=value,…`: import the class and check the options.

        Args:
            kind: Kind of plugin, a key of `KINDS`.
            text: The text.
            within: Nesting depth of the text.

        Raises:
            ArenaError: If there is no such name or option, or a value is not allowed.
        """
        if within > DEEPEST:
            raise ArenaError(
                f"{text!r} has over {DEEPEST} levels; use fewer, or fix a default that refers to itself"
            )
        name, given = split_text(text)
        offer, cls = self.offer(kind, name), self.cls(kind, name)
        resolve = partial(self.spec, within=within + 1)
        values = read_options(cls, given, name, resolve)
        return offer.spec(join_text(name, cls, values, resolve), values)

    def including(self, classes: Iterable[tuple[str, type]], offers: Iterable[Offer] = ()) -> Registry:
        """Return a copy of the registry with further classes and files.

        A class that is not registered is named by its class name in words: `my-agent` for MyAgent.

        Args:
            classes: Pairs of a kind and a class.
            offers: Offers of files.

        Raises:
            ArenaError: If the name of a class is that of another class, or its files were edited.
        """
        # imported only if needed, to save time
        from arena.module_files import is_written
        from arena.registry.digests import check_unedited, code_of_classes

        found = copy(self)
        found.offers = {kind: dict(offers) for kind, offers in self.offers.items()}
        for kind, cls in classes:
            name = found.name_of(kind, cls)
            there = found.offers[kind].get(name)
            if isinstance(there, ClassOffer) and is_written(there.cls) and is_written(cls):
                name = found.free_name(kind, name, cls)
                there = found.offers[kind].get(name)
            if there is None:
                code = code_of_classes([cls])
                if not is_written(cls):
                    check_unedited(cls, code)
                plugin = Plugin(name, f"{name}{OWN_CODE}", code)
                target = f"{cls.__module__}:{cls.__qualname__}"
                found.offers[kind][name] = ClassOffer(kind, name, target, "", plugin, cls)
            elif there.load() is not cls:
                raise ArenaError(
                    f"{kind} class {cls.__name__} of {home_of(cls)} would be called {name!r}, "
                    f"and so is {owner_of(there)}; rename the class"
                    + ("" if isinstance(there, ClassOffer) else ", or uninstall the plugin")
                )
        for offer in offers:
            found.offers[offer.kind][offer.name] = offer
        return found

    def free_name(self, kind: str, name: str, cls: type) -> str:
        """Return a name for a class of a notebook or script: `my-agent`, or `my-agent-2` if that is taken."""
        offers = self.offers[kind]
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(one for one in names if one not in offers or offers[one].load() is cls)

    def name_of(self, kind: str, cls: type) -> str:
        """Return the name under which a class is registered, or its class name in words, such as `my-agent`.

        Raises:
            ArenaError: If the class name cannot be converted to a-z and 0-9.
        """
        for name, offer in self.offers[kind].items():
            module, _, attribute = offer.target.partition(":")
            if attribute == cls.__name__ and module in sys.modules and offer.load() is cls:
                return name
        letters = unicodedata.normalize("NFKD", cls.__name__.replace("ß", "ss"))
        plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
        if not plain.isascii() or not plain.strip("_"):
            raise ArenaError(
                f"{kind} class {cls.__name__} does not yield a name of a-z and 0-9; rename the class"
            )
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", plain)
        return "-".join(words).lower()

    def check_travels(self) -> None:
        """Raise ArenaError if one of the caller's classes cannot be sent to other processes."""
        for offers in self.offers.values():
            for offer in offers.values():
                if isinstance(offer, ClassOffer):
                    offer.check_travels()

    def sources(self, kind: str, spec: Spec) -> list[Plugin]:
        """Return the plugins of a spec, and of the specs among its values."""
        found = [self.offer(kind, name_in(spec.text)).plugin]
        for name, stated in spec.cls.options.items():
            value = spec.values[name]
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Spec):
                    found += self.sources(stated.kind, item)
        return found

    def versions(self, game: Spec, entries: Iterable[Spec]) -> dict[str, str]:
        """Return the versions of Python and of all distributions to which a game and entries belong.

        arena itself is listed as `arena`, whatever its distribution is called, so that versions in different
        databases can be compared.
        """
        found = {"python": platform.python_version()}
        for kind, spec in [("game", game), *(("agent", spec) for spec in entries)]:
            for plugin in self.sources(kind, spec):
                found["arena" if plugin.distribution == OWN else plugin.distribution] = plugin.version
        return found

    def warnings(self) -> list[str]:
        return [
            f"plugin {plugin.name} ({plugin.distribution} {plugin.version}): {error}"
            for plugin in self.plugins
            for error in plugin.errors
        ]


def home_of(cls: type) -> str:
    """Return the file of a class, or the name of its module if there is no file."""
    return getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__


def owner_of(offer: Offer) -> str:
    """Return a description of an offer and its owner, for errors."""
    if isinstance(offer, ClassOffer):
        return f"class {offer.cls.__name__} of {home_of(offer.cls)}"
    return f"{offer.kind} {offer.name!r} of {owner(offer.plugin)}"


def owner(plugin: Plugin) -> str:
    """Return `plugin arena_eager (arena-eager 1.0)`."""
    return f"plugin {plugin.name} ({plugin.distribution} {plugin.version})"


@cache
def registry() -> Registry:
    """Return this process's registry; when it is first created, warnings are printed to standard error."""
    loaded = Registry()
    for warning in loaded.warnings():
        print(on_one_line(f"Warning: {warning} (see '{call('plugins')}')"), file=sys.stderr)
    return loaded


def spec_named(kind: str, text: str) -> Spec:
    """Return the spec of a text in this process's registry, or raise ArenaError."""
    return registry().spec(kind, text)


def takes_text(name: str, option: str) -> bool:
    """Return whether an option of an installed plugin accepts any text, rather than a name or a spec.

    Args:
        name: Name of a game, an agent or another plugin.
        option: Name of the option.
    """
    for offers in registry().offers.values():
        stated = getattr(offers[name].load(), "options", {}).get(option) if name in offers else None
        if stated is not None:
            return bool(stated.kind is None)
    return False


def own_version() -> str:
    from arena.version import __version__

    return __version__
