"""What is told of a fault beside its one line: where it was, in which position, and what had been printed."""

from __future__ import annotations

import re
from typing import NamedTuple

STORIES = 3  # of an entry in a tournament, of its first faults
CUT = "\n…\n"  # stands for what is left out


class Story(NamedTuple):
    """Of a fault, texts that may be empty.

    place: the author's line, `mine.py:12 in choose`. position: in the game's notation, board: as the game
    draws it. traceback: of all frames but arena's own. printed: the last that the agent printed in the match.
    """

    place: str = ""
    position: str = ""
    board: str = ""
    traceback: str = ""
    printed: str = ""


LONGEST = Story("200", "1000", "4000", "8000", "8192")  # characters of each


def story(**texts: object) -> Story:
    """A story of such texts: none too long, all storable, without addresses, which differ each time."""
    return Story(**{name: bounded(str(text), int(getattr(LONGEST, name))) for name, text in texts.items()})


def bounded(text: str, most: int) -> str:
    """A text of at most so many characters, of a longer one its first and its last."""
    if len(text) > 4 * most:
        text = text[:most] + text[-3 * most :]
    text = re.sub(r"0x[0-9a-fA-F]+", "0x…", text)
    if len(text) > most:
        head = most // 4
        text = text[:head] + CUT + text[head + len(CUT) - most :]
    return text.encode(errors="replace").decode()
