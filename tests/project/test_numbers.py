"""The page of the documents' numbers: what the folders have is on it, and its summary adds up."""

from __future__ import annotations

import csv
import re
import tomllib

import pytest

from paths import ROOT

LEADERBOARDS = ROOT / "leaderboards"
PAGE = (LEADERBOARDS / "documents.md").read_text(encoding="utf-8")
COLUMNS = ("where", "what", "published", "ours", "why")
FILES = sorted(LEADERBOARDS.glob("*/published.csv"))


@pytest.fixture(scope="module")
def documents():
    """The script, as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(LEADERBOARDS)
        import documents

        yield documents


def lines_of(path):
    """The rows of a file as they are on the page."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert all(row[name].strip() for name in COLUMNS)
            yield f"| {' | '.join(row[name].replace('|', chr(92) + '|') for name in COLUMNS)} |"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_row_of_a_folder_is_on_the_page_or_joined_with_others_that_differ_in_numbers(path):
    there = {re.sub(r" \(`[\w/-]+`\) \|$", " |", line) for line in PAGE.splitlines()}  # no names of results
    joined = [line for line in lines_of(path) if line not in there]
    kinds = {re.sub(r"\d[\d,.]*(e-?\d+)?", "#", line) for line in joined}
    assert len(kinds) == (1 if joined else 0)
    if joined:
        assert path.parent.name == "checkers-4x4"
        assert len(joined) == 40
        assert "| iteration 0, largest change … iteration 39, largest change | 10000 … 164.2320327 |" in PAGE
        assert "agrees with published=true; 40 rows |" in PAGE


def test_the_summary_counts_the_rows_of_the_tables(documents):
    heads, _, *lines = [
        line.strip("| ").split(" | ")
        for line in PAGE.partition("\n## ")[0].splitlines()
        if line.startswith("|")
    ]
    assert heads[:3] == ["document", "results", "agree"]
    counts = {line[0]: [*map(int, line[1:])] for line in lines}
    for document in documents.DOCUMENTS:
        section = PAGE.partition(f"\n## {document.title}\n")[2].partition("\n## ")[0]
        results, settings = (
            [line for line in part.splitlines() if line.startswith("| ") and "| --- |" not in line]
            for part in section.split("<details>")
        )
        found = counts[document.title]
        assert found[0] == sum(found[1:-2]) == max(len(results) - 1, 0)
        assert found[-2] == len(settings) - 1
        assert found[1] == sum("| agrees" in line for line in results)
        assert found[-1] == sum("| agrees" in line for line in settings)
    total = counts.pop("all")
    assert total == [sum(column) for column in zip(*counts.values(), strict=True)]


def test_a_result_of_ours_that_differs_or_cannot_be_had_names_what_shows_why(documents):
    known = {
        result["name"]
        for path in LEADERBOARDS.rglob("results.toml")
        for result in tomllib.loads(path.read_text(encoding="utf-8"))["result"]
    }
    unlike = {
        start for start in documents.STANDINGS if start not in ("agrees", "compatible", "not published")
    }
    assert set(documents.UNEXPLAINED) == unlike
    for document in documents.DOCUMENTS:
        results, _ = documents.parts(document)
        named = [row for row in results if documents.standing(row) in unlike]
        told = [re.search(r" \(`([\w/-]+)`\)$", row["why"]) for row in named]
        assert {match[1] for match in told} <= known
        assert {result for _, result in document.causes} <= known
    assert "not reproduced" not in PAGE


def test_whatever_is_called_a_setting_is_in_a_file(documents):
    for document in documents.DOCUMENTS:
        found = [
            f"{row['where']}: {row['what']}" for f in document.folders for row in documents.rows(f, document)
        ]
        for start in document.settings:
            assert any(name.startswith(start) for name in found), start


def test_short_runs_and_words_that_differ_are_not_joined(documents):
    def row(what, ours):
        return {"where": "table", "what": what, "published": "1", "ours": ours, "why": "agrees"}

    long = [row(f"point {n}", f"{n / 3:.3g}") for n in range(documents.LONG)]
    (one,) = documents.joined(long)
    assert one == row("point 0 … point 9", "0 … 3") | {"why": "agrees; 10 rows"}
    assert [*documents.joined(long[1:])] == long[1:]
    other = row("another point 3", "1")
    assert [*documents.joined([*long[:5], other, *long[5:]])] == [*long[:5], other, *long[5:]]
