"""What texts of games and agents begin with, a name or a file; and what is wrong with what is neither."""

from __future__ import annotations

import os
import re

from arena.errors import ArenaError
from arena.texts import on_one_line

LONGEST = 1 << 13  # characters of a text that names a thing, with its options
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FILE = r"[^,=():]+\.py(?:::[^\W\d]\w*)?"  # a file, or a class in it
HEAD = re.compile(rf"(?P<name>{FILE}(?=:(?!:)|$)|{FILE},[^:]*|[^:]*)(?P<colon>:?)(?P<options>.*)", re.DOTALL)
UNNAMED = "{!r} has one of , = ( ) : in its name, which stand for options; rename it"
SHORT = re.compile(r"[^\W_][\w .+#-]{0,23}")  # what may be a short name, before `=`


def check_length(text: str) -> None:
    """Raise ArenaError for a text that is too long to name a game or an agent with options."""
    if len(text) > LONGEST:
        raise ArenaError(
            f"{text[:40]!r}… has {len(text):,} characters; give up to {LONGEST:,} to name a thing"
        )


def split_head(text: str) -> tuple[str, str, str]:
    """What a text names, such as `minimax`, `alice.py` or `two.py::Bob`; a colon; and the options."""
    check_length(text)
    found = HEAD.fullmatch(text.strip())
    assert found is not None
    return found["name"], found["colon"], found["options"]


def name_in(text: str) -> str:
    """What a text names, without its options."""
    return split_head(text)[0]


def is_named(text: str) -> bool:
    """Whether something can be called so, or is a file that can."""
    return bool(NAME.fullmatch(text) or re.fullmatch(FILE, text))


def check_file(path: str) -> None:
    """ArenaError unless a file can stand in the text of an entry."""
    if not re.fullmatch(FILE, path):
        raise ArenaError(UNNAMED.format(path))


def misnamed(text: str) -> str:
    """Why a text names nothing that can be entered, and what to do."""
    name, colon, options = split_head(text)
    before, _, after = name.partition("=")
    parts = [part.strip() for part in name.split(",")]
    if name.endswith(".py") and os.path.exists(name):
        return UNNAMED.format(name)
    if len(parts) > 1 and any(parts) and all(is_named(part) for part in parts if part):
        several = [part for part in [*parts[:-1], parts[-1] + colon + options] if part]
        if len(several) == 1:
            return f"{text!r} has a comma too many; write {several[0]!r}"
        each = on_one_line(" and ".join([", ".join(several[:-1]), several[-1]]))
        return f"{text!r} names {len(several)} where one belongs; give each by itself, {each}"
    if before.endswith(".py") and is_named(before):
        short = f", a short name as '{after}={before}'" if SHORT.fullmatch(after) else ""
        return f"{text!r} has {after!r} after a file; write options as '{before}:key=value'{short}"
    if is_named(after) and SHORT.fullmatch(before):
        return f"{text!r} has a short name where none belongs; write {after + colon + options!r}"
    if is_named(after):
        return (
            f"{text!r}: nothing can be called {before!r}; give a short name of 1 to 24 letters, digits, "
            "spaces and . + # - _, a letter or digit first"
        )
    if name.endswith(".py"):
        return UNNAMED.format(name)
    program = text.split(" ")[0]
    if os.path.isfile(program) and os.access(program, os.X_OK):
        return f"{text!r} is not a name; a program is entered as 'engine:command={text}', or by uci:command"
    return f"{text!r} is not a name with options, such as 'minimax:ties=first'"
