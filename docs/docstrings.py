"""An extension of griffe: reads docstrings for the site as this project writes them.

Examples (`>>> …`) become blocks of code, and a comment beside an attribute becomes its description.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?m)^>>> (?:.+\n?)+")
COMMENT = re.compile(r"  # (.+)$")


class Docstrings(griffe.Extension):
    """Changes what griffe has found, before mkdocstrings renders it."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(fenced, obj.docstring.value)

    def on_attribute(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        if attr.docstring is None and attr.lineno and not attr.name.startswith("_"):
            line = attr.lines_collection[attr.filepath][attr.endlineno - 1]
            if found := COMMENT.search(line):
                attr.docstring = griffe.Docstring(f"{found[1][:1].upper()}{found[1][1:]}.", parent=attr)


def fenced(found: re.Match[str]) -> str:
    return f"```pycon\n{found[0].rstrip()}\n```\n"
