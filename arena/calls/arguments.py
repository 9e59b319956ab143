"""Arguments common to several calls: entries, games, and the conditions of matches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, Union

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.options import Configurable, join_text, misnamed, name_in, read_options, split_head
from arena.api.spec import Spec
from arena.errors import ArenaError, did_you_mean
from arena.plan.entries import default_game
from arena.plan.openings import in_text
from arena.registry.files import files_named, placed, references, without_paths
from arena.registry.plugins import Registry, registry
from arena.results.settings import Settings, check_name, split_name

# `"minimax:depth=3"`, `"bots/alice.py"`, `MyAgent`, `partial(MyAgent, depth=3)`
Entry: TypeAlias = Union[str, Spec, type[Agent], "partial[Agent]"]
Entries: TypeAlias = Sequence[Entry] | Mapping[str, Entry]  # the keys of a mapping are short names
GameEntry: TypeAlias = Union[str, Spec, type[Game], "partial[Game]", None]


def parted(entries: Entries) -> tuple[list[Entry], list[str]]:
    """Return the entries of a list or mapping, and their short names, empty for entries without one.

    Raises:
        ArenaError: If it is neither a list nor a mapping, or a short name is not valid.
    """
    if isinstance(entries, str):
        raise ArenaError(f"entries is the text {entries!r}; pass a list, [{entries!r}, ...]")
    if not isinstance(entries, Sequence | Mapping):
        raise ArenaError(f"entries is {entries!r}; pass a list, in order")
    if isinstance(entries, Mapping):
        for name in entries:
            check_name(name)
        return [*entries.values()], [*entries]
    pairs = [named(entry) if isinstance(entry, str) else ("", entry) for entry in entries]
    return [entry for _, entry in pairs], [name for name, _ in pairs]


def named(entry: str) -> tuple[str, str]:
    """Return the short name of an entry, empty if it has none, and its text.

    `bot=2.py` is the entry `2.py` with the short name `bot`, unless a file `bot=2.py` exists and `2.py` does
    not.

    Raises:
        ArenaError: If the text is the name of a file that cannot be entered under this name.
    """
    name, text = split_name(entry)
    if not name or ".py" not in entry:
        return name, text
    whole, inner = name_in(entry), name_in(text)
    if whole.endswith(".py") and os.path.exists(whole) and not os.path.exists(inner):
        raise ArenaError(misnamed(whole))
    if name.endswith(".py") and not references(text) and inner not in registry().offers["agent"]:
        raise ArenaError(misnamed(entry))
    return name, text


def known_with(
    entries: Iterable[object] = (), game: object = None, named: bool = True, besides: Registry | None = None
) -> Registry:
    """Return a registry with the classes and files among the entries added.

    Args:
        entries: Entries that are agents.
        game: A game.
        named: Whether the user named the entries and the game. If not, they are from a database, and the file
            of the game must be trusted.
        besides: Registry to add to. Default: everything installed.
    """
    known = besides or registry()
    asked = [("agent", entry) for entry in entries] + ([] if game is None else [("game", game)])
    own = [(kind, cls) for kind, entry in asked for cls in classes_of(entry)]
    wanted = [(kind, one) for kind, entry in asked if isinstance(entry, str) for one in files_named(entry)]
    if wanted:
        from arena.registry.file_offers import opened  # imported only if needed, to save time

        return known.including(own, opened(wanted, named))
    return known.including(own) if own else known


def listed(name: str, given: Any) -> list[Any]:
    """Return an argument with several values as a list.

    Args:
        name: Name of the argument, for errors.
        given: Its value.

    Raises:
        ArenaError: If it is not iterable, or a single text, path or class.
    """
    if isinstance(given, str | os.PathLike | type | partial):
        told = given.__name__ if isinstance(given, type) else repr(given)
        raise ArenaError(f"{name} is {told}, not a list; pass [{told}]")
    try:
        return list(given)
    except TypeError as error:
        raise ArenaError(f"{name} is {given!r}; pass a list") from error


def own_classes(own: object) -> list[tuple[str, type[Configurable]]]:
    """Return the caller's own classes, each with its kind, or raise ArenaError if one cannot be used."""
    found = [cls for one in listed("own", own) for cls in classes_of(one)]
    return [("game" if issubclass(cls, Game) else "agent", cls) for cls in found]


def classes_of(entry: object) -> Iterator[type[Configurable]]:
    """Yield the class of an entry; nothing is yielded if the entry is a text.

    Raises:
        ArenaError: If the object is not a valid entry, or its class cannot be used.
    """
    if isinstance(entry, str):
        return
    if isinstance(entry, Spec):
        cls: object = entry.cls
    else:
        cls = entry.func if isinstance(entry, partial) else entry
    if not (isinstance(cls, type) and issubclass(cls, Configurable)):
        raise ArenaError(f"{entry!r} is not an entry; pass a text such as 'minimax:depth=3', or a class")
    if isinstance(entry, partial) and entry.args:
        raise ArenaError(f"options of {cls.__name__} are given by name: partial({cls.__name__}, option=…)")
    if "<locals>" in cls.__qualname__:
        where = "at the top of its file, where workers find it"
        raise ArenaError(f"{cls.__name__!r} is defined within a function; define it {where}")
    yield cls


def text_of(entry: object, kind: str, known: Registry) -> str:
    """Return the text of an entry in a registry.

    Args:
        entry: The entry or game.
        kind: `"agent"` or `"game"`.
        known: The registry.

    Raises:
        ArenaError: If the entry is of another kind or not known.
    """
    if isinstance(entry, str):
        return without_paths(entry)
    (cls,) = classes_of(entry)
    wanted = {"agent": Agent, "game": Game}[kind]
    if not issubclass(cls, wanted):
        raise ArenaError(f"{cls.__name__} does not subclass arena.{wanted.__name__}; pass a class that does")
    name = known.name_of(kind, cls)
    if isinstance(entry, Spec):
        return join_text(name, cls, entry.values)
    given = entry.keywords if isinstance(entry, partial) else {}
    return join_text(name, cls, read_options(cls, given, name))


def isolated_texts(
    isolate: bool | Sequence[Entry] | None, known: Registry
) -> bool | Literal["strict"] | list[str] | None:
    """Return the argument `isolate`, with entries as texts.

    Raises:
        ArenaError: If it is a single text other than `"strict"`.
    """
    if isolate is None or isinstance(isolate, bool):
        return isolate
    if isolate == "strict":
        return "strict"
    if isinstance(isolate, str):
        raise ArenaError(
            f"isolate is the text {isolate!r}; pass a list of entries, [{isolate!r}, ...], or 'strict'"
        )
    return [text_of(entry, "agent", known) for entry in isolate]


def game_text(game: GameEntry, known: Registry) -> str:
    """Return the text of a game; for None, that of the first installed game."""
    return default_game(known) if game is None else text_of(game, "game", known)


def game_spec(game: GameEntry, known: Registry) -> Spec:
    return known.spec("game", game_text(game, known))


def agent_spec(entry: Entry, known: Registry) -> Spec:
    return known.spec("agent", text_of(entry, "agent", known))


def with_option(text: str, name: str) -> str:
    """Return the text of an entry with the placeholder `VALUE` for an option, for messages.

    Raises:
        ArenaError: If it has no such option.
    """
    _, entry = split_name(text)
    agent, colon, _ = split_head(entry)
    if name not in agent_spec(entry, known_with([entry])).cls.options:
        raise ArenaError(f"{agent} has no option {name!r}")
    return f"{text}{',' if colon else ':'}{name}=VALUE"


def with_paths(settings: Settings) -> tuple[list[str], str | None]:
    """Return the entries and the game of a tournament with paths of files; no entries if it has no files."""
    if not (files := settings.files):
        return [], None
    entries = [placed(text, files) for text in settings.entries or ()]
    return entries, settings.game and placed(settings.game, files)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions under which matches are played; None means the default.

    Each call that plays matches takes them as one object or as separate keywords, which take precedence:
    `arena.match(a, b, conditions=Conditions(clock="60+0.6"))` is the same as
    `arena.match(a, b, clock="60+0.6")`.

    Attributes:
        openings: How matches begin. "none", the default, means at the start of the game; "random:N" means
            after N random plies; the path of a file means with the lines or positions of an opening book, and
            "FILE:N" with the first N plies of each line. Each pairing has its own openings, which both seats
            share.
        shared_openings: Give all pairings the same opening in a round. Differences between entries then
            depend less on luck, but matches of different pairings are not independent.
        max_plies: Plies after which a match is a draw. Default: the game's own limit.
        adjudicate: End a match with the value in a stored endgame database once it has at most this many
            pieces; True uses all stored endings. See `docs/how-to/solve-endings.md`.
        move_seconds: Time limit for a move in seconds; a slower move loses the match. Default: 0, no limit.
        clock: Time for a match and increment for each move in seconds: "60+0.6". A player that runs out of
            time loses.
        equal_time: Time for a move in seconds. Entries with a budget option, such as the nodes of alpha-beta,
            get the budget that takes this time, unless they set the option.
        stall_seconds: Time limit in seconds, in addition to the clock, after which an unresponsive agent
            loses; 0 for no limit. Default: 60, or 10 if agents from files play.
        isolate: Entries that play in the sandbox: True for all, False for none, or a list; "strict" for all,
            with an error if the sandbox is incomplete. See `docs/explanation/isolation.md`. Default: those
            from files.
        withdraw_after: Number of crashes and stalls after which an entry is withdrawn and forfeits its
            remaining matches; 0 for never. Default: 3, or 1 stall of an agent from a file.
    """

    openings: str | Path | None = None
    shared_openings: bool | None = None
    max_plies: int | None = None
    adjudicate: bool | int | None = None
    move_seconds: float | None = None
    clock: str | None = None
    equal_time: float | None = None
    stall_seconds: float | None = None
    isolate: bool | str | Sequence[Entry] | None = None
    withdraw_after: int | None = None

    def stated(self, known: Registry) -> dict[str, Any]:
        """Return the conditions that are not None by name, in the form of a tournament's settings."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        found |= {"openings": in_text(self.openings), "isolate": isolated_texts(self.isolate, known)}
        return {name: value for name, value in found.items() if value is not None}


class ConditionKeywords(TypedDict, total=False):
    """The fields of `Conditions` as keyword arguments."""

    openings: str | Path | None
    shared_openings: bool | None
    max_plies: int | None
    adjudicate: bool | int | None
    move_seconds: float | None
    clock: str | None
    equal_time: float | None
    stall_seconds: float | None
    isolate: bool | str | Sequence[Entry] | None
    withdraw_after: int | None


NAMES = tuple(field.name for field in fields(Conditions))


def conditions_of(
    call: str, together: Conditions | None, keywords: ConditionKeywords, takes: Sequence[str] = NAMES
) -> Conditions:
    """Return the conditions of a call.

    Args:
        call: Name of the call, for errors.
        together: Conditions passed as one object, if any.
        keywords: Conditions passed as keywords, which take precedence.
        takes: Names of the conditions that the call uses.

    Raises:
        TypeError: If there is no such keyword.
        ArenaError: If the call does not use a condition.
    """
    for name in keywords:
        if name not in NAMES:
            meant = did_you_mean(name, NAMES)
            raise TypeError(f"{call}() got an unexpected keyword argument {name!r}{meant}")
    given: dict[str, Any] = {name: value for name, value in keywords.items() if value is not None}
    found = replace(together or Conditions(), **given)
    for name in NAMES:
        if name not in takes and getattr(found, name) is not None:
            raise ArenaError(f"{name} does not apply here; {call} takes {', '.join(takes)}; leave it out")
    return found
