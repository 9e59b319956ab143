"""What is played and who plays: the game and the entries of a tournament, as far as they fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from arena.api.agent import check_needs, missing_capabilities, missing_needs
from arena.api.game import Game
from arena.api.options import required
from arena.api.plugin_guard import Failed, foreign, limited
from arena.api.rulings import check_beginning, check_declared
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.faults.rule_check import asked_for, check_offered
from arena.faults.tracebacks import at_place, told
from arena.plan.seeds import apart, checkpoints, several, times
from arena.plan.settings import STALL_SECONDS, renamed
from arena.registry.plugins import Registry
from arena.registry.short_names import check_names
from arena.results.settings import Settings
from arena.sandbox import missing
from arena.wording import argument, call, either

LACKING = ", which the game does not offer"  # ends why an agent is left out that needs more of a game


def default_game(registry: Registry) -> str:
    """The first one installed, or ArenaError."""
    if not registry.offers["game"]:
        raise ArenaError(f"no game is installed (see '{call('plugins')}')")
    return next(iter(registry.offers["game"]))


def make_game(spec: Spec, seconds: float = STALL_SECONDS) -> Game:
    """The game, which has shown that it can begin within these, or ArenaError that names it."""
    try:
        with foreign(), limited(seconds):
            game: Game = spec.make()
            check_declared(game)
            check_beginning(game)
    except Failed as error:
        at = at_place(told(error.__cause__)[0] if error.__cause__ else "")
        raise ArenaError(f"game {spec.text} cannot be made: {error}{at}") from error
    return game


def entered(settings: Settings, game: Game, registry: Registry) -> tuple[Settings, tuple[Spec, ...]]:
    """Return the entries: all agents that can play if none are named; of a learner one for each seed.

    Returns:
        The settings with short names and seeds by the entries' texts, and the entries.

    Raises:
        ArenaError: If an entry cannot play.
    """
    names = settings.entries
    if names is None:
        names, left_out = all_entries(game, registry)
        settings = replace(settings, left_out=left_out)
    specs = tuple(registry.spec("agent", text) for text in names)
    check_entries(specs, game)
    texts = {name: spec.text for name, spec in zip(names, specs, strict=True)}
    settings = with_names(settings, {**{name: name for name in settings.seeds or {}}, **texts})
    if settings.two_entries:
        return settings, check_single(specs)
    for text in settings.names or {}:
        if any(spec.text == text and len(checkpoints(spec)) > 1 for spec in specs):
            raise ArenaError(f"{text!r} is several entries, which cannot share a short name; leave that out")
    specs, fresh = apart(specs)
    return with_seeds(settings, [spec.text for spec in specs], fresh), specs


def all_entries(game: Game, registry: Registry) -> tuple[list[str], dict[str, str]]:
    """Return every agent installed that can play the game with its default options, and why others cannot.

    One that takes an option, or is interactive, is for users to name, and in neither.
    """
    names, left_out = [], {}
    for name in registry.offers["agent"]:
        try:
            cls = registry.cls("agent", name)
            if required(cls) or getattr(cls, "interactive", False):
                continue
            spec = registry.spec("agent", name)
        except ArenaError as error:
            left_out[name] = str(error)
            continue
        missing = [need for part in with_needs(spec) for need in missing_needs(part.cls, game)]
        missing += missing_capabilities(spec.cls.default_needs, game)
        if missing:
            left_out[name] = f"needs {' and '.join(dict.fromkeys(missing))}{LACKING}"
        else:
            names.append(name)
    return names, left_out


def check_entries(specs: Iterable[Spec], game: Game) -> None:
    """ArenaError if the game lacks what an entry, or what it names, needs; GameFault if that fails.

    Or if what one uses fails.
    """
    asked = set[str]()
    for spec in specs:
        for part in with_needs(spec):
            where = "" if part is spec else f" in {spec.text}"
            check_needs(part.cls, game, part.text + where)
            asked.update(asked_for(part.cls))
    check_offered(game, asked, STALL_SECONDS)


def with_needs(spec: Spec) -> list[Spec]:
    """A spec and those within it, as far as they are of classes that may need something of the game."""
    return [part for part in spec.walk() if hasattr(part.cls, "needs")]


def check_distinct(texts: list[str], left_out: Mapping[str, str] | None = None) -> None:
    """Raise ArenaError unless there are two entries or more, each named once.

    left_out: Why others do not play, by their names, which is said if there are too few.
    """
    if len(texts) < 2:
        entries = f"only {texts[0]!r}" if texts else "none"
        more = either("add --entry NAME", "name another")
        needed = f"a tournament needs at least two entries, and there is {entries}; {more}"
        missing = [
            f"{name} is left out: {why}"
            for name, why in (left_out or {}).items()
            if not why.endswith(LACKING)
        ]
        raise ArenaError("; ".join([needed, *missing]))
    for text in texts:
        if texts.count(text) > 1:
            raise ArenaError(f"entry {text!r} is named twice; give one of them other options or take it out")


def check_single(specs: tuple[Spec, ...]) -> tuple[Spec, ...]:
    """The specs of a match between two, or ArenaError if one enters several."""
    for spec in specs:
        if learner := several(spec):
            raise ArenaError(
                f"{spec.text!r} enters {times(learner)} learners; play a tournament, or give it one seed"
            )
    return specs


def with_seeds(settings: Settings, entries: Sequence[str], fresh: Mapping[str, list[str]]) -> Settings:
    """Return settings with the learners that play with several seeds, those of before and fresh ones.

    Where `isolate` names such a learner it then names its entries.
    """
    found = {**(settings.seeds or {}), **fresh}
    found = {name: [text for text in texts if text in entries] for name, texts in found.items()}
    isolate = settings.isolate
    if isinstance(isolate, list):
        isolate = [one for text in isolate for one in found.get(text, [text])]
    seeds = {name: texts for name, texts in found.items() if texts} or None
    return replace(settings, seeds=seeds, isolate=isolate)


def with_names(settings: Settings, texts: Mapping[str, str]) -> Settings:
    """Return settings with short names by the entries' texts, also where `isolate` and `published` use them.

    Args:
        settings: With short names by how entries were given.
        texts: The entries' texts, likewise.

    Raises:
        ArenaError: If a name is not one entry's alone.
    """
    names = {texts[entered]: name for entered, name in (settings.names or {}).items() if entered in texts}
    check_names([*texts.values()], names)
    meant = {name: text for text, name in names.items()}
    return replace(renamed(settings, meant), names=names or None)


def is_interactive(spec: Spec) -> bool:
    """Return whether an entry, or an agent in one of its options, asks at the terminal."""
    return any(getattr(part.cls, "interactive", False) for part in spec.walk())


def check_strict(isolate: str) -> None:
    """ArenaError unless `isolate` is `strict` and the sandbox of this system is complete."""
    if isolate != "strict":
        raise ArenaError(f"isolate is {isolate!r}; give true, false, 'strict' or a list of entries")
    if lacks := missing():
        raise ArenaError(
            f"on this system the sandbox cannot prevent {', '.join(lacks)}; "
            f"{argument('isolate', True)} plays all the same"
        )


def isolated_entries(settings: Settings, registry: Registry) -> tuple[Settings, frozenset[int]]:
    """Return settings that name the entries that play sandboxed by their texts, and these by number."""
    entries, isolate = settings.entries or [], settings.isolate
    if isinstance(isolate, str):
        check_strict(isolate)
        isolate = True
    if isolate is not None and not isinstance(isolate, bool):
        isolate = [registry.spec("agent", text).text for text in isolate]
        for text in isolate:
            if text not in entries:
                raise ArenaError(f"isolate: {text!r} is not among the entries")
    named = entries if isolate is True else isolate or []
    for text in named:
        for part in registry.spec("agent", text).walk():
            if getattr(part.cls, "interactive", False):
                raise ArenaError(
                    f"isolate: {text!r} asks at the terminal, and the sandbox has none; "
                    "name the others: isolate = [...]"
                )
            if not getattr(part.cls, "confinable", True):
                raise ArenaError(
                    f"isolate: {text!r} needs the network, and the sandbox has none; "
                    "name the others: isolate = [...]"
                )
    isolated = frozenset(i for i, text in enumerate(entries) if text in named)
    if isolated and settings.exact:
        raise ArenaError("isolate is for matches that are played; leave it out, or leave exact out")
    return replace(settings, isolate=isolate), isolated
