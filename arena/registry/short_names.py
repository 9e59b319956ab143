"""Short names of entries for tables: `A=alpha-beta:depth=6`, or `name` in a tournament file.

Results are stored under the full text of an entry, whatever its short name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from arena.errors import ArenaError

NAME = r"[^\W_](?:[\w .+#-]{0,22}[\w.+#-])?"
NAMED = re.compile(rf"({NAME})=(.+)", re.DOTALL)


def split_name(text: str) -> tuple[str, str]:
    """Split a short name off an entry's text, and return both; the name is empty if there is none."""
    found = NAMED.fullmatch(text)
    return (found[1], found[2]) if found else ("", text)


def check_name(name: str) -> None:
    """Raise ArenaError unless a text is a valid short name."""
    if not re.fullmatch(NAME, name):
        raise ArenaError(
            f"an entry cannot be called {name!r}; give 1 to 24 letters, digits, spaces and . + # - _, "
            "a letter or digit first"
        )


def check_names(texts: Sequence[str], names: Mapping[str, str]) -> None:
    """Raise ArenaError unless each short name is valid and refers to one entry.

    Args:
        texts: All entries.
        names: Short names, by entry.
    """
    for text, name in names.items():
        check_name(name)
        others = [other for other in texts if other != text and name in (other, names.get(other))]
        if others:
            raise ArenaError(f"{name!r} names {text!r} and {others[0]!r}; give each a name of its own")


def by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return short names by entry, from pairs of name and entry; pairs with an empty name are left out.

    Raises:
        ArenaError: If an entry has two names.
    """
    found: dict[str, str] = {}
    for name, text in pairs:
        if name and found.setdefault(text, name) != name:
            raise ArenaError(f"entry {text!r} has two names, {found[text]!r} and {name!r}; leave one out")
    return found


def unambiguous(names: Mapping[str, str], texts: Sequence[str]) -> dict[str, str]:
    """Return the short names, by entry, that refer to one entry and are not themselves among `texts`."""
    times = Counter(names.values())
    return {text: name for text, name in names.items() if times[name] == 1 and name not in texts}
