"""Details of a fault beyond its one-line message: place, position, traceback and output."""

from __future__ import annotations

import re
from typing import NamedTuple

STORIES = 3  # stories are stored for this number of an entry's first faults in a tournament
CUT = "\n…\n"  # replaces omitted text


class Story(NamedTuple):
    """Texts about a fault, any of which may be empty.

    Attributes:
        place: The line of the agent's or game's code, `mine.py:12 in choose`.
        position: The position of the fault in the game's notation.
        board: The position as the game draws it.
        traceback: The traceback without arena's own frames.
        printed: The last text that the agent printed in the match.
    """

    place: str = ""
    position: str = ""
    board: str = ""
    traceback: str = ""
    printed: str = ""


LONGEST = Story("200", "1000", "4000", "8000", "8192")  # maximum number of characters of each text


def story(**texts: object) -> Story:
    """Return a story whose texts are shortened to `LONGEST`, valid UTF-8 and without memory addresses."""
    return Story(**{name: bounded(str(text), int(getattr(LONGEST, name))) for name, text in texts.items()})


def bounded(text: str, most: int) -> str:
    """Shorten a text to `most` characters by omitting its middle, and replace memory addresses."""
    if len(text) > 4 * most:
        text = text[:most] + text[-3 * most :]
    text = re.sub(r"0x[0-9a-fA-F]+", "0x…", text)
    if len(text) > most:
        head = most // 4
        text = text[:head] + CUT + text[head + len(CUT) - most :]
    return text.encode(errors="replace").decode()
