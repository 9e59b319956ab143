"""Tables in pages, each between a line that names the script which writes it and one where it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

END = "<!-- to here -->"


def parts(page: Path, script: str) -> tuple[str, str, str]:
    """What a page has before the table that `script` writes, the table, and what comes after it."""
    before, rest = page.read_text(encoding="utf-8").split(f"<!-- written by benchmarks/{script} -->")
    table, after = rest.split(END, 1)
    return before, table.strip("\n"), after


def put(page: Path, script: str, lines: Sequence[str]) -> None:
    """Put a table into a page, in place of what `script` has written there before."""
    before, _, after = parts(page, script)
    table = "\n".join(lines).strip("\n")
    written = f"{before}<!-- written by benchmarks/{script} -->\n\n{table}\n\n{END}{after}"
    page.write_text(written, encoding="utf-8")


def show(lines: Iterable[str], page: Path, script: str, write: bool) -> None:
    """Print a table line by line as it is found, and `put` it into a page if that is asked for."""
    found = []
    for line in lines:
        print(line, flush=True)
        found.append(line)
    if write:
        put(page, script, found)
