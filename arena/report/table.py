"""A leaderboard as rows of text: for the terminal, Markdown, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from arena.leaderboard import Leaderboard, Row

COLUMNS = ("#", "entry", "rating", "95 %", "Elo", "score", "matches", "won", "drawn", "lost", "forfeits")

OUTCOMES = ("wins", "draws", "losses")


def cells(row: Row) -> list[str]:
    """One line of the table."""
    error = "" if row.low is None or row.high is None else f"± {(row.high - row.low) / 2:.0f}"
    return [
        str(row.rank),
        row.entry,
        f"{row.rating:.0f}",
        error,
        "" if row.elo is None else f"{row.elo:.0f}",
        f"{100 * row.score:.1f} %",
        *(f"{n:,}" for n in (row.matches, row.wins, row.draws, row.losses, row.forfeits)),
    ]


def markdown(board: Leaderboard) -> str:
    """A table in Markdown, and the notes as a paragraph."""
    lines = [
        "| " + " | ".join(COLUMNS) + " |",
        "| ---: | --- |" + " ---: |" * (len(COLUMNS) - 2),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row)) + " |" for row in board.rows),
    ]
    text = "\n".join(lines) + "\n"
    return text + "\n" + "\n".join(board.notes) + "\n" if board.notes else text


def pairings_markdown(pairings: Sequence[Mapping[str, Any]]) -> str:
    """Results by pairing in per cent, the first player's score, and published figures if there are any."""
    columns = ["first", "second", "matches", "won", "drawn", "lost", "score"]
    if compared := any("published" in row for row in pairings):
        columns.append("published: won, drawn, lost")
    lines = ["| " + " | ".join(columns) + " |", "| --- | --- |" + " ---: |" * (len(columns) - 2)]
    for row in pairings:
        counts = [row[name] for name in OUTCOMES]
        played = sum(counts)
        shares = [f"{100 * count / max(played, 1):.1f} %" for count in counts]
        cells = [row["first"], row["second"], f"{played:,}", *shares, score_text(row)]
        lines.append("| " + " | ".join([*cells, *([published_text(row)] if compared else [])]) + " |")
    return "\n".join(lines) + "\n"


def published_text(pairing: Mapping[str, Any]) -> str:
    """`93.1, 6.9, 0.0 %`, or nothing."""
    there = pairing.get("published")
    return ", ".join(f"{there[name]:.1f}" for name in OUTCOMES) + " %" if there else ""


def comma_separated(boards: list[Leaderboard]) -> str:
    """Every field of every row in full precision, with a header; the game first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["game", *(field.name for field in fields(Row))])
    for board in boards:
        writer.writerows([board.game, *asdict(row).values()] for row in board.rows)
    return out.getvalue()


def score_text(pairing: Mapping[str, Any]) -> str:
    """The first player's score in per cent, with its 95 % interval (Wilson 1927) if there is a sample."""
    played = pairing["wins"] + pairing["draws"] + pairing["losses"]
    if not played:
        return ""
    mean = (pairing["wins"] + pairing["draws"] / 2) / played
    if pairing["copies"]:
        return f"{100 * mean:.1f} %"
    z = 1.96**2 / played
    middle = (mean + z / 2) / (1 + z)
    half = (z * mean * (1 - mean) + z * z / 4) ** 0.5 / (1 + z)
    return f"{100 * mean:.1f} % ({100 * max(middle - half, 0):.1f} to {100 * min(middle + half, 1):.1f})"
