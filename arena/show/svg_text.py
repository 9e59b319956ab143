"""Colours and text escaping shared by all drawings of boards as SVG."""

from __future__ import annotations

from xml.sax import saxutils

from arena.texts import on_one_line

INK, WHITE = "#222222", "#ffffff"


def escape(text: str) -> str:
    """Return a text as one line, escaped for SVG."""
    return saxutils.escape(on_one_line(text))
