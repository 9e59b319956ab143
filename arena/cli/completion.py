"""What a shell completes: names of what is installed, their options, and the options' values."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, get_origin

from click.shell_completion import BashComplete, CompletionItem, split_arg_string

from arena.api.options import Option, split_outside_brackets, words
from arena.errors import ArenaError
from arena.registry.plugins import registry


def completions(kind: str, text: str) -> list[str]:
    """All that a text such as `minimax:ties=r` may go on as, whole; none if its class cannot be loaded."""
    name, colon, rest = text.partition(":")
    if not colon:
        return [known for known in registry().offers[kind] if known.startswith(text)]
    try:
        options = getattr(registry().offer(kind, name).load(), "options", {})
        *done, last = split_outside_brackets(rest, ",")
    except ArenaError:
        return []
    return [text.removesuffix(last) + found for found in pieces(options, done, last)]


def pieces(options: Mapping[str, Option], done: list[str], last: str) -> list[str]:
    """What the last of the pieces between commas may go on as."""
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
    """The values of an option that begin with `text`, where they can be told."""
    named = completions(stated.kind, text) if stated.kind else []
    return [word for word in words(stated.type) if word.startswith(text)] + named


class Bash(BashComplete):
    """Bash parts words at `:` and `=`, and completes what follows the last of these."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value)\n            [[ $value == *= ]] && compopt -o nospace"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        parts = split_arg_string(os.environ["COMP_WORDS"])[: int(os.environ["COMP_CWORD"]) + 1]
        if len(parts) <= int(os.environ["COMP_CWORD"]):
            parts.append("")
        whole: list[str] = []
        self.before = ""  # of the last word, what bash does not complete
        sign = False
        for part in parts:
            joined = sign and part != ""
            sign = re.fullmatch("[:=]+", part) is not None
            if whole and (joined or sign):
                whole[-1] += part
            else:
                whole.append(part)
            self.before = whole[-1] if sign else whole[-1].removesuffix(part)
        self.before = re.sub("^-[^=]*=", "", self.before)  # click gives the value alone of --entry=value
        return whole[1:-1], whole[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{item.value.removeprefix(self.before)}"
