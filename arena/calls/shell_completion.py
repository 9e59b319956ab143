"""Shell completion for names of plugins and models, options, and values of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_origin

from arena.api.options import Option, split_outside_brackets, words
from arena.errors import ArenaError
from arena.registry.plugins import registry
from arena.results.settings import split_name
from arena.storage.model_file import id_of, model_files


def completions(kind: str, text: str) -> list[str]:
    """Return all completions of a text such as `minimax:ties=r`, each as a whole: `minimax:ties=random`.

    Args:
        kind: Kind of plugin, such as `"agent"` or `"game"`.
        text: Beginning of a name with options. There are no completions if the named class cannot be loaded.
    """
    short, text = split_name(text) if kind == "agent" else ("", text)
    if short:
        return [f"{short}={found}" for found in completions(kind, text)]
    name, colon, rest = text.partition(":")
    if not colon:
        return [known for known in registry().offers[kind] if known.startswith(text)]
    try:
        options = getattr(registry().offer(kind, name).load(), "options", {})
        *done, last = split_outside_brackets(rest, ",")
    except ArenaError:
        return []
    return [text.removesuffix(last) + found for found in pieces(options, done, last)]


def models(text: str) -> list[tuple[str, str]]:
    """Return the ids of stored models that begin with a text, each with the name of its file."""
    try:
        found = [(id_of(path), path.stem) for path in model_files()]
    except ArenaError:
        return []
    return [(id, name) for id, name in found if id.startswith(text)]


def pieces(options: Mapping[str, Option], done: list[str], last: str) -> list[str]:
    """Return the completions of a partly typed option.

    Args:
        options: Options of the class.
        done: Preceding options, as `name=value`.
        last: The part of the option typed so far.
    """
    given = [key(piece) for piece in done if "=" in piece]
    if "=" in last:
        stated = options.get(key(last))
        name, _, value = last.partition("=")
        return [f"{name}={found}" for found in values(stated, value)] if stated else []
    found = [f"{name}=" for name in options if name not in given and name.startswith(last)]
    if given and given[-1] in options and get_origin(options[given[-1]].type) is tuple:
        found += values(options[given[-1]], last)
    return found


def key(piece: str) -> str:
    return piece.partition("=")[0].strip().replace("-", "_")


def values(stated: Option, text: str) -> list[str]:
    """Return those known values of an option that begin with `text`."""
    named = completions(stated.kind, text) if stated.kind else []
    return [word for word in words(stated.type) if word.startswith(text)] + named
