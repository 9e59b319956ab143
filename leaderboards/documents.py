"""Writes documents.md: every figure, table and number of the documents that arena reproduces, beside ours.

    python leaderboards/documents.py

The rows are what the scripts in the folders make of their results, FOLDER/published.csv. How a row stands
is what its last cell begins with, see `STANDINGS`.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
COLUMNS = ("where", "what", "published", "ours", "why")
STANDINGS = {  # what `why` begins with, and what is said of such rows
    "agrees": "agree",
    "compatible": "compatible",
    "": "differ, for the reason in the last column",
    "not reproducible": "not reproducible",
    "not published": "not published",
    "not tested": "not tested",
}
LONG = 10  # rows that differ in numbers alone, from which on they are joined
NUMBER = re.compile(r"\d[\d,.]*(e-?\d+)?")


class Document(NamedTuple):
    """What was published, and the folders with results of it.

    settings: how rows begin, `where: what`, that are settings and definitions, not results.
    """

    title: str
    author: str
    address: str
    folders: tuple[str, ...]
    settings: tuple[str, ...]


DOCUMENTS = (
    Document(
        "Prior State Voting (PSV): Predicting unknown move states from prior states in Q-table"
        " reinforcement learning",
        "Oliver Benning, University of Ottawa, May 2021",
        "https://github.com/obenn/PSV",
        ("psv", "neural"),
        (
            *("text, section 1.4:", "figure 1:", "table ", "text, section 2.1.2:", "equations 5 and 6:"),
            *("text, section 2.2: value of a move", "text, section 3.1:"),
            *(f"figure 4: {name}, matches" for name in ("psv", "q-random", "keep-training")),
        ),
    ),
    Document(
        "Math of Turn-Based Strategy Games: Checkers",
        "Harsh Vardhan, Aditya Keshari, Anupam Kumar, Deepak Chouhan, Utkarsh Alpuria, report for EE566",
        "https://github.com/Anupam0401/Checkers-AI",
        ("checkers-4x4",),
        ("game description:", "our simplification:", "model:", "states transition:"),
    ),
    Document(
        "Tic-Tac-Toe with Tabular Q-Learning",
        "Nested Software, July 2019, and the results of its program",
        "https://github.com/nestedsoftware/tictac",
        ("tic-tac-toe", "mcts", "neural"),
        (
            *("text, results: rewards", "text, results: initial value", "text, results: learning rate"),
            *("text, results: discount", "text, results: games", "text, results: probability"),
            *("results, training:", "results of the program: playouts", "output of main_qneural: games"),
        ),
    ),
    Document(
        "Checkers-Reinforcement-Learning",
        "the description of a program",
        "",
        ("checkers",),
        ("state characteristics:", "text, alpha-beta:", "program, settings:"),
    ),
    Document(
        "4 in a row",
        "Michal Samuel and Yuval Kalev, Workshop in reinforcement learning",
        "",
        ("connect-four",),
        ("",),
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


def joined(found: Sequence[dict[str, str]]) -> Iterator[dict[str, str]]:
    """The rows, of each long run of such as differ in numbers alone the first and the last as one."""
    for _, same in groupby(found, lambda row: [NUMBER.sub("#", row[name]) for name in COLUMNS]):
        run = list(same)
        if len(run) < LONG:
            yield from run
        else:
            first, last = run[0], run[-1]
            row = {
                name: first[name] if first[name] == last[name] else f"{first[name]} … {last[name]}"
                for name in COLUMNS
            }
            yield {**row, "why": f"{row['why']}; {len(run)} rows"}


def standing(row: dict[str, str]) -> str:
    """How what is ours stands to what was published, of `STANDINGS`."""
    return max((start for start in STANDINGS if row["why"].startswith(start)), key=len)


def parts(document: Document) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The rows of a document that are results, and those that are settings."""
    found = [row for folder in document.folders for row in joined(rows(folder, document))]
    settings = [row for row in found if f"{row['where']}: {row['what']}".startswith(document.settings)]
    return [row for row in found if row not in settings], settings


def page() -> Iterator[str]:
    """All of documents.md, line by line."""
    yield "# Comparison with published results"
    yield ""
    yield (
        "This page compares every figure, table and number of the five documents whose methods arena "
        "implements with our results. Where a number differs, the last column gives the reason. [The "
        "commands](README.md#reproduce-results) that produce our results are listed with them."
    )
    yield ""
    yield (
        "*agrees*: equal. *compatible*: a test at the 5 % level does not reject the hypothesis that the "
        "published result comes from another training of our learner, with the published number of "
        "matches; the last column has the range of results that would not be rejected. *not reproducible*: "
        "the published result depends on something that was not published. *settings*: rules, "
        f"definitions and options; they are folded. {LONG} or more consecutive rows that differ only in "
        "numbers are joined, and count once."
    )
    yield ""
    yield from summary()
    for document in DOCUMENTS:
        yield from section(document)


def summary() -> Iterator[str]:
    """For each document and for all how many results stand how, and how many settings."""
    lines, total = [], Counter[str]()
    for document in DOCUMENTS:
        results, settings = parts(document)
        counts = Counter({"results": len(results), "settings": len(settings)})
        counts.update(standing(row) for row in results)
        counts["same"] = sum(standing(row) == "agrees" for row in settings)
        total += counts
        lines.append(summed(document.title, counts))
    heads = ["document", "results", *STANDINGS.values(), "settings", "of these the same"]
    yield from table(heads, [*lines, summed("all", total)])


def summed(name: str, counts: Counter[str]) -> list[str]:
    """A row of the summary."""
    return [name, *(str(counts[key]) for key in ("results", *STANDINGS, "settings", "same"))]


def section(document: Document) -> Iterator[str]:
    """A heading and the tables."""
    title = f"[program]({document.address})" if document.address else ""
    yield from ("", f"## {document.title}", "", f"{document.author}. {title}".rstrip(), "")
    results, settings = ([[row[name] for name in COLUMNS] for row in found] for found in parts(document))
    if results:
        yield from (*table(COLUMNS, results), "")
    yield from (f"<details><summary>Settings: {len(settings)}</summary>", "")
    yield from (*table(COLUMNS, settings), "", "</details>")


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
