"""The scripts that load modules, as a JavaScript module and as a plain script."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
EXPORT = re.compile(r"^export (\{.*\});$", re.MULTILINE)


def script() -> str:
    """Return `arena.js`, a JavaScript module."""
    return (HERE / "arena.js").read_text(encoding="utf-8")


def types() -> str:
    """Return its declarations for TypeScript."""
    return (HERE / "arena.d.ts").read_text(encoding="utf-8")


def classic() -> str:
    """Return it as a plain script with one global name, `arena`, for a page or a worker from a Blob."""
    body = EXPORT.sub(r"return \1;", script())
    return f'"use strict";\nvar arena = (() => {{\n{body}}})();\n'
