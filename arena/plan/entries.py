"""Choose and check the game and the entries, and check that they fit together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from arena.api.agent import Agent, agent_class, check_needs, missing_capabilities, missing_needs
from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import replaced, required, with_options
from arena.api.plugin_guard import Failed, foreign, limited
from arena.api.rulings import check_beginning, check_declared
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.faults.rule_check import asked_for, check_offered
from arena.faults.tracebacks import at_place, told
from arena.registry.plugins import Registry
from arena.results.settings import LACKING, STALL_SECONDS, Settings, check_names, renamed
from arena.sandbox import missing
from arena.texts import argument, call, either


def default_game(registry: Registry) -> str:
    """Return the name of the first installed game.

    Raises:
        ArenaError: If there is none.
    """
    if not registry.offers["game"]:
        raise ArenaError(f"no game is installed (see '{call('plugins')}')")
    return next(iter(registry.offers["game"]))


def make_game(spec: Spec, seconds: float = STALL_SECONDS) -> Game:
    """Return an instance of a game, after checking that it reaches its first position within the time limit.

    Args:
        spec: The game.
        seconds: Time limit, 0 = none.

    Raises:
        ArenaError: If the game fails.
    """
    try:
        with foreign(), limited(seconds):
            game: Game = spec.make()
            check_declared(game)
            check_beginning(game)
    except Failed as error:
        at = at_place(told(error.__cause__)[0] if error.__cause__ else "")
        raise ArenaError(f"game {spec.text} cannot be created: {error}{at}") from error
    return game


def entered(settings: Settings, game: Game, registry: Registry) -> tuple[Settings, tuple[Spec, ...]]:
    """Return the entries; default: all agents that can play.

    A learner with several seeds becomes one entry for each seed.

    Returns:
        The settings, in which short names and seeds are stored by the entries' texts, and the entries.

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
            raise ArenaError(
                f"{text!r} is several entries, which cannot share a short name; leave the short name out"
            )
    specs, fresh = apart(specs)
    return with_seeds(settings, [spec.text for spec in specs], fresh), specs


def all_entries(game: Game, registry: Registry) -> tuple[list[str], dict[str, str]]:
    """Return all installed agents that can play the game with default options, and why others cannot.

    Agents with required options and interactive agents are in neither list, because users have to name them.

    Returns:
        The names of the agents, and for each agent that is left out, by name, the reason.
    """
    names, left_out = [], {}
    for name in registry.offers["agent"]:
        try:
            cls = registry.cls("agent", name)
            if required(cls) or (issubclass(cls, Agent) and cls.interactive):
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
    """Check that the game offers the capabilities that the entries and their parts need and use.

    Raises:
        ArenaError: If the game lacks a capability that an entry needs.
        GameFault: If a capability that an entry needs or uses fails.
    """
    asked = set[str]()
    for spec in specs:
        for part in with_needs(spec):
            where = "" if part is spec else f" in {spec.text}"
            check_needs(part.cls, game, part.text + where)
            asked.update(asked_for(part.cls))
    check_offered(game, asked, STALL_SECONDS)


def with_needs(spec: Spec) -> list[Spec]:
    """Return a spec and the specs within it whose classes may need capabilities of the game."""
    return [part for part in spec.walk() if hasattr(part.cls, "needs")]


def check_distinct(texts: list[str], left_out: Mapping[str, str] | None = None) -> None:
    """Check that there are at least two entries, each named once.

    Args:
        texts: The entries.
        left_out: Reasons why other agents do not play, by name, for the message if there are too few entries.

    Raises:
        ArenaError: If there are too few, or one is named twice.
    """
    if len(texts) < 2:
        entries = f"only {texts[0]!r}" if texts else "none"
        more = either("add --entry NAME", "name another")
        needed = f"a tournament needs at least two entries, but there is {entries}; {more}"
        missing = [
            f"{name} is left out: {why}"
            for name, why in (left_out or {}).items()
            if not why.endswith(LACKING)
        ]
        raise ArenaError("; ".join([needed, *missing]))
    for text in texts:
        if texts.count(text) > 1:
            raise ArenaError(f"entry {text!r} is named twice; change its options, or remove one")


def check_single(specs: tuple[Spec, ...]) -> tuple[Spec, ...]:
    """Return the specs of a match between two entries.

    Raises:
        ArenaError: If one of them represents several entries.
    """
    for spec in specs:
        if learner := several(spec):
            raise ArenaError(
                f"{spec.text!r} enters {times(learner)} learners; play a tournament, or use one seed"
            )
    return specs


def with_seeds(settings: Settings, entries: Sequence[str], fresh: Mapping[str, list[str]]) -> Settings:
    """Return settings that list the learners with several seeds, both earlier ones and `fresh`.

    If `isolate` names such a learner, the new settings name its entries instead.

    Args:
        settings: The settings.
        entries: The texts of all entries.
        fresh: The entries of each new learner, by the learner's text.
    """
    found = {**(settings.seeds or {}), **fresh}
    found = {name: [text for text in texts if text in entries] for name, texts in found.items()}
    isolate = settings.isolate
    if isinstance(isolate, list):
        isolate = [one for text in isolate for one in found.get(text, [text])]
    seeds = {name: texts for name, texts in found.items() if texts} or None
    return replace(settings, seeds=seeds, isolate=isolate)


def with_names(settings: Settings, texts: Mapping[str, str]) -> Settings:
    """Return settings with short names by entries' texts, and with full texts in `isolate` and `published`.

    Args:
        settings: Settings with short names by the texts that the user gave.
        texts: The entries' texts, by the texts that the user gave.

    Raises:
        ArenaError: If a name does not refer to exactly one entry.
    """
    names = {texts[entered]: name for entered, name in (settings.names or {}).items() if entered in texts}
    check_names([*texts.values()], names)
    meant = {name: text for text, name in names.items()}
    return replace(renamed(settings, meant), names=names or None)


def is_interactive(spec: Spec) -> bool:
    """Return whether an entry, or an agent in one of its options, reads from the terminal."""
    return any(agent_class(part).interactive for part in spec.walk())


def check_strict(isolate: str) -> None:
    """Raise ArenaError unless `isolate` is `strict` and the sandbox of this system is complete.

    Raises:
        ArenaError: If either condition does not hold.
    """
    if isolate != "strict":
        raise ArenaError(f"isolate is {isolate!r}; use true, false, 'strict' or a list of entries")
    if lacks := missing():
        raise ArenaError(
            f"on this system the sandbox cannot prevent {', '.join(lacks)}; "
            f"{argument('isolate', True)} plays anyway"
        )


def isolated_entries(settings: Settings, registry: Registry) -> tuple[Settings, frozenset[int]]:
    """Return settings with the texts of sandboxed entries, and the indices of these entries.

    The texts replace the names in `isolate`.

    Raises:
        ArenaError: If an entry in `isolate` is not entered or cannot play in a sandbox.
    """
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
            if agent_class(part).interactive:
                raise ArenaError(
                    f"isolate: {text!r} plays at the terminal, which the sandbox does not have; "
                    "name the others: isolate = [...]"
                )
            if not agent_class(part).confinable:
                raise ArenaError(
                    f"isolate: {text!r} needs the network, which the sandbox does not have; "
                    "name the others: isolate = [...]"
                )
    isolated = frozenset(i for i, text in enumerate(entries) if text in named)
    if isolated and settings.exact:
        raise ArenaError("isolate applies only to matches; leave it out, or leave exact out")
    return replace(settings, isolate=isolate), isolated


Seeds = Mapping[str, Sequence[str]]  # the entries of each learner with several seeds, by its text


def apart(specs: Sequence[Spec]) -> tuple[tuple[Spec, ...], dict[str, list[str]]]:
    """Return the entries, with a learner with several seeds or checkpoints replaced by one entry for each.

    `q-table:seeds=3` becomes `q-table`, `q-table:seed=1` and `q-table:seed=2`. An agent that contains such a
    learner becomes the same number of entries.

    Returns:
        The entries, and for each text with several seeds the entries that replace it.

    Raises:
        ArenaError: If a learner contains a learner with several seeds, or an agent contains two of them.
    """
    found: list[Spec] = []
    seeds: dict[str, list[str]] = {}
    for spec in chain.from_iterable(map(checkpoints, specs)):
        each = [spec]
        if learner := several(spec):
            first = learner.values["seed"]
            alone = [with_options(learner, seed=first + i, seeds=1) for i in range(learner.values["seeds"])]
            each = [replaced(spec, learner, one) for one in alone]
            seeds[spec.text] = [one.text for one in each]
        found += each
    return tuple(found), seeds


def several(spec: Spec) -> Spec | None:
    """Return the part of an entry that represents several learners, or None.

    Raises:
        ArenaError: If there are two such parts, or the part is within another learner.
    """
    found = list({part.text: part for part in spec.walk() if times(part) > 1}.values())
    if not found:
        return None
    if len(found) > 1 or (found[0] is not spec and learns(spec)):
        raise ArenaError(f"{found[-1].text!r} in {spec.text!r} is several learners; use one seed")
    return found[0]


def learns(spec: Spec) -> bool:
    """Return whether a spec is that of a learner."""
    return isinstance(spec.cls, type) and issubclass(spec.cls, Learner)


def times(spec: Spec) -> int:
    """Return how many learners a spec represents."""
    return spec.values["seeds"] * spec.values["checkpoints"] if learns(spec) else 1


def checkpoints(spec: Spec) -> list[Spec]:
    """Return an entry for each checkpoint of a learner, or the spec itself if it has no checkpoints.

    `q-table:episodes=800,checkpoints=2` becomes the learner after 400 episodes and after all 800.

    Raises:
        ArenaError: If the option `checkpoint` is also set, or there are more checkpoints than episodes.
    """
    learner = several(spec)
    if learner is None or (points := learner.values["checkpoints"]) == 1:
        return [spec]
    episodes, given = learner.values["episodes"], learner.values["checkpoint"]
    if given:
        raise ArenaError(f"{learner.text!r} has a checkpoint and checkpoints; leave one out")
    if points > episodes:
        raise ArenaError(f"{learner.text!r} has {points} checkpoints in {episodes} episodes; use fewer")
    at = [*(round(episodes * i / points) for i in range(1, points)), 0]
    return [replaced(spec, learner, with_options(learner, checkpoint=n, checkpoints=1)) for n in at]


def together(entries: Sequence[str], seeds: Seeds) -> list[list[int]]:
    """Return the indices of the entries, grouped in lists by learner."""
    learner = {text: name for name, texts in seeds.items() for text in texts}
    found: dict[str, list[int]] = {}
    for i, text in enumerate(entries):
        found.setdefault(learner.get(text, text), []).append(i)
    return [*found.values()]
