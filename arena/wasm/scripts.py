"""The scripts that load modules: as a module of JavaScript, and as a plain script."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
EXPORT = re.compile(r"^export (\{.*\});$", re.MULTILINE)


def script() -> str:
    """`arena.js`, a module of JavaScript."""
    return (HERE / "arena.js").read_text(encoding="utf-8")


def types() -> str:
    """Its types, for TypeScript."""
    return (HERE / "arena.d.ts").read_text(encoding="utf-8")


def classic() -> str:
    """The same as a plain script, which has one name, `arena`: for a page, or a worker made of a Blob."""
    body = EXPORT.sub(r"return \1;", script())
    return f'"use strict";\nvar arena = (() => {{\n{body}}})();\n'
