"""Short names of entries, by which tables call them: `A=alpha-beta:depth=6`, `name` in a tournament's file.

Results are filed under an entry's whole text, whatever it is called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from arena.errors import ArenaError

NAME = r"[^\W_](?:[\w .+#-]{0,22}[\w.+#-])?"
NAMED = re.compile(rf"({NAME})=(.+)", re.DOTALL)


def split_name(text: str) -> tuple[str, str]:
    """The short name before an entry's text, or none, and the text."""
    found = NAMED.fullmatch(text)
    return (found[1], found[2]) if found else ("", text)


def check_name(name: str) -> None:
    """ArenaError unless an entry can be called so."""
    if not re.fullmatch(NAME, name):
        raise ArenaError(
            f"an entry cannot be called {name!r}; give 1 to 24 letters, digits, spaces and . + # - _, "
            "a letter or digit first"
        )


def check_names(texts: Sequence[str], names: Mapping[str, str]) -> None:
    """ArenaError unless these names, by the texts of entries, are one entry's alone each."""
    for text, name in names.items():
        check_name(name)
        others = [other for other in texts if other != text and name in (other, names.get(other))]
        if others:
            raise ArenaError(f"{name!r} names {text!r} and {others[0]!r}; give each a name of its own")


def by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names by texts, of (name, text) with a name; ArenaError if a text has two."""
    found: dict[str, str] = {}
    for name, text in pairs:
        if name and found.setdefault(text, name) != name:
            raise ArenaError(f"entry {text!r} has two names, {found[text]!r} and {name!r}; leave one out")
    return found


def unambiguous(names: Mapping[str, str], texts: Sequence[str]) -> dict[str, str]:
    """Those of the names, by texts, that name one text alone, and are themselves none of these texts."""
    times = Counter(names.values())
    return {text: name for text, name in names.items() if times[name] == 1 and name not in texts}
