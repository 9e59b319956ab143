"""What cannot be compiled, said with the author's own file, line and words."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class CannotCompile(Exception):
    """Why something stays plain Python.

    file, line: where in the author's code. facts: what has been gone by, if it can be looked up.
    """

    facts: dict[str, Any] | None = None

    def __init__(self, text: str, file: str = "", line: int = 0) -> None:
        super().__init__(text, file, line)
        self.text, self.file, self.line = text, file, line

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}: {self.text}" if self.file else self.text
