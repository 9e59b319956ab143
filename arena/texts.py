"""Texts that others wrote, shown as texts: none of them moves the cursor, ends a line or turns it round."""

from __future__ import annotations

import re

# C0, DEL, C1; marks and overrides of direction; separators of lines and paragraphs; half characters
HIDDEN = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
CONTROL = re.compile(f"[{HIDDEN}]")
NOT_NEWLINE = re.compile(f"(?!\n)[{HIDDEN}]")
MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")  # within a word `_` means nothing
FORMULA = ("=", "+", "-", "@")  # what a cell begins with that spreadsheets compute


def on_one_line(text: str) -> str:
    r"""A text with what cannot be seen escaped as in Python, newlines too: `\n`, `\x1b`, `\u202e`."""
    return text if text.isascii() and text.isprintable() else CONTROL.sub(escaped, text)


def on_lines(text: str) -> str:
    """The same of a text of several lines, whose newlines are kept."""
    return NOT_NEWLINE.sub(escaped, text.replace("\r\n", "\n"))


def escaped(found: re.Match[str]) -> str:
    """A character as Python writes it."""
    return found[0].encode("unicode_escape").decode()


def in_json(text: str) -> str:
    r"""JSON whose texts have what cannot be seen as `\u202e`, which they mean."""
    return NOT_NEWLINE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_markdown(text: str) -> str:
    """A text for a cell of a table in Markdown, where it is shown as it is."""
    return MARKDOWN.sub(r"\\\g<0>", on_one_line(text))


def in_csv(text: str) -> str:
    """A text for a cell, with an apostrophe before what a spreadsheet would compute."""
    shown = on_one_line(text)
    return f"'{shown}" if shown.startswith(FORMULA) else shown
