"""Tables in pages, each between a line that names the script which writes it and one where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

END = "<!-- to here -->"


def put(page: Path, script: str, lines: Sequence[str]) -> None:
    """Put a table into a page, in place of what `script` has written there before."""
    begin = f"<!-- written by benchmarks/{script} -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    table = "\n".join(lines).strip("\n")
    page.write_text(f"{before}{begin}\n\n{table}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
