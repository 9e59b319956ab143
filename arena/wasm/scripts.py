"""The JavaScript that loads modules in a page, as a JavaScript module and as a plain script."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
EXPORT = re.compile(r"^export (\{.*\});$", re.MULTILINE)


def script() -> str:
    """Return `arena.js`, a JavaScript module."""
    return (HERE / "arena.js").read_text(encoding="utf-8")


def types() -> str:
    """Return the TypeScript declarations of `arena.js`."""
    return (HERE / "arena.d.ts").read_text(encoding="utf-8")


def classic() -> str:
    """Return `arena.js` as a plain script that defines one global, `arena`, for pages and Blob workers."""
    body = EXPORT.sub(r"return \1;", script())
    return f'"use strict";\nvar arena = (() => {{\n{body}}})();\n'
