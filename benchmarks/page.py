"""Write tables into pages, each between a line that names its script and a line that marks its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

END = "<!-- to here -->"


def parts(page: Path, script: str) -> tuple[str, str, str]:
    """Return what a page has before the table that `script` writes, the table, and what follows it."""
    before, rest = page.read_text(encoding="utf-8").split(f"<!-- written by benchmarks/{script} -->")
    table, after = rest.split(END, 1)
    return before, table.strip("\n"), after


def put(page: Path, script: str, lines: Sequence[str]) -> None:
    """Replace the table that `script` has written into a page."""
    before, _, after = parts(page, script)
    table = "\n".join(lines).strip("\n")
    written = f"{before}<!-- written by benchmarks/{script} -->\n\n{table}\n\n{END}{after}"
    page.write_text(written, encoding="utf-8")


def show(lines: Iterable[str], page: Path, script: str, write: bool) -> None:
    """Print a table line by line as it is computed, and put it into a page if `write` is set."""
    found = []
    for line in lines:
        print(line, flush=True)
        found.append(line)
    if write:
        put(page, script, found)
