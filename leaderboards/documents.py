"""Writes documents.md: every figure, table and number of the documents that arena reproduces, beside ours.

    python leaderboards/documents.py

The rows are what the scripts in the folders make of their results, FOLDER/published.csv.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
COLUMNS = ("where", "what", "published", "ours", "why")


class Document(NamedTuple):
    """What was published, and the folders with results of it."""

    title: str
    author: str
    address: str
    folders: tuple[str, ...]


DOCUMENTS = (
    Document(
        "Prior State Voting (PSV): Predicting unknown move states from prior states in Q-table"
        " reinforcement learning",
        "Oliver Benning, University of Ottawa, May 2021",
        "https://github.com/obenn/PSV",
        ("psv", "neural"),
    ),
    Document(
        "Math of Turn-Based Strategy Games: Checkers",
        "Harsh Vardhan, Aditya Keshari, Anupam Kumar, Deepak Chouhan, Utkarsh Alpuria, report for EE566",
        "https://github.com/Anupam0401/Checkers-AI",
        ("checkers-4x4",),
    ),
    Document(
        "Tic-Tac-Toe with Tabular Q-Learning",
        "Nested Software, July 2019, and the results of its program",
        "https://github.com/nestedsoftware/tictac",
        ("tic-tac-toe", "mcts", "neural"),
    ),
    Document(
        "Checkers-Reinforcement-Learning",
        "the description of a program",
        "",
        ("checkers",),
    ),
    Document(
        "4 in a row",
        "Michal Samuel and Yuval Kalev, Workshop in reinforcement learning",
        "",
        ("connect-four",),
    ),
)


def rows(folder: str, document: Document) -> list[dict[str, str]]:
    """What a folder's file says of a document.

    Where it speaks of several, a column `document` names the first of the document's folders.
    """
    path = HERE / folder / "published.csv"
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    for number, row in enumerate(found, 2):
        if empty := [name for name in COLUMNS if not row[name].strip()]:
            raise SystemExit(f"{path}, line {number}: {empty[0]} is empty")
    key = document.folders[0]
    return [row for row in found if row.get("document", key) == key]


def page() -> Iterator[str]:
    """All of documents.md, line by line."""
    yield "# The documents, number by number"
    yield ""
    yield (
        "Every figure, table and number of the five documents whose methods are here, beside what they come"
        " to here. Where a number differs, the last column says why. *agrees*: equal, or such as one more"
        " training of ours, and as many matches as were published, may well come to."
        " [The commands](README.md#made-again) that make ours stand with the results."
    )
    for document in DOCUMENTS:
        yield from section(document)


def section(document: Document) -> Iterator[str]:
    """A heading and a table."""
    title = f"[program]({document.address})" if document.address else ""
    yield from ("", f"## {document.title}", "", f"{document.author}. {title}".rstrip(), "")
    yield from table(
        COLUMNS,
        [[row[name] for name in COLUMNS] for folder in document.folders for row in rows(folder, document)],
    )


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *cells)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    args = parser.parse_args()
    (args.to / "documents.md").write_text("\n".join(page()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
