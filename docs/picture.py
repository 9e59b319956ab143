"""Draws `docs/leaderboard.svg`, the picture in the README: ratings at connect four with their intervals.

    python docs/picture.py

The tournament has a seed, so the picture is the same wherever it is drawn; a test does so.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import arena
from arena.session.results import Tournament

FILE = Path(__file__).parent / "leaderboard.svg"
ENTRIES = [
    "random",
    "greedy",
    "alpha-beta:depth=2",
    "alpha-beta:depth=4",
    "alpha-beta:depth=6",
    "alpha-beta:depth=8",
    "q-table:episodes=20000",
]
WIDTH, ROW, TOP, LEFT, RIGHT = 720, 30, 44, 200, 40  # pixels
STEP = 200  # Elo points between lines
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #24292f }
.small { font-size: 12px; fill: #6e7781 }
line { stroke: #d0d7de }
.interval { stroke: #0969da; stroke-width: 2 }
circle { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #8d96a0 } line { stroke: #30363d }
  .interval { stroke: #4493f8 } circle { fill: #4493f8 }
}"""


def played() -> Tournament:
    with TemporaryDirectory() as folder:
        return arena.tournament(
            ENTRIES,
            game="connect-four",
            openings="random:4",
            rounds=25,
            seed=1,
            db=Path(folder, "arena.db"),
            progress=False,
        )


def drawn() -> str:
    """The picture as an SVG document."""
    found = played()
    rows = found.leaderboard.rows
    numbers = [x for row in rows for x in (row.low, row.rating, row.high) if x is not None]
    low = min(numbers) // STEP * STEP
    high = -(-max(numbers) // STEP) * STEP
    bottom = TOP + ROW * len(rows)

    def x(points: float | None, edge: float = low) -> str:  # an open end reaches the edge
        points = edge if points is None else points
        return f"{LEFT + (WIDTH - LEFT - RIGHT) * (points - low) / (high - low):.0f}"

    title = f"Ratings at {found.game} after {found.played:,} matches, with 95 % intervals"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 30}" role="img">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        f'<text x="12" y="24">{title}</text>',
    ]
    for points in range(int(low), int(high) + 1, STEP):
        parts += [
            f'<line x1="{x(points)}" x2="{x(points)}" y1="{TOP}" y2="{bottom}"/>',
            f'<text class="small" x="{x(points)}" y="{bottom + 18}" text-anchor="middle">{points}</text>',
        ]
    for i, row in enumerate(rows):
        y = TOP + ROW * i + ROW // 2
        parts += [
            f'<text x="12" y="{y + 5}">{row.entry}</text>',
            f'<line class="interval" x1="{x(row.low)}" x2="{x(row.high, high)}" y1="{y}" y2="{y}"/>',
            f'<circle cx="{x(row.rating)}" cy="{y}" r="4"/>',
        ]
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    FILE.write_text(drawn(), encoding="utf-8")
