"""Plays the published tournaments, and writes their tables and pages: NAME.md and NAME.html beside NAME.toml.

    python leaderboards/publish.py [NAME …]     by default of all in this folder
    python leaderboards/publish.py --small --to FOLDER NAME …   one round, two seeds of each learner, no page
    python leaderboards/publish.py --pictures   those of the docs, from the page of connect-four

Pages have the learning curves of their game besides. Pictures take Chromium: `pip install -e ".[browser]"`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import sys
import time
from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import arena
from arena.show.curve import read_one

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
CURVES = "connect-four", "checkers"  # folders
NUMBERS = "published.csv"  # which is no curve
PICTURED = HERE / "connect-four.html"
ANIMATED = "alpha-beta:depth=4", "perfect"  # whose match is the animated image
JUDGED = ("connect-four",)  # whose moves are held against perfect play
NODES = 10_000_000  # positions looked at to judge one
ONCE = ("million",)  # tournaments whose learners are trained once, with a seed
TITLES = {
    "tic-tac-toe": "Tic-tac-toe",
    "checkers-4x4": "Checkers on 4 x 4",
    "checkers-4x4-stuck-draws": "Checkers on 4 x 4, where a side that cannot move draws",
    "connect-four": "Connect four",
    "checkers": "Checkers",
    "million": "Checkers after a million games of training",
}
MEANINGS = {  # of columns that not everybody knows
    "rating": "*rating*: in points about a mean of 1500",
    "95 %": "*95 %*: its interval",
    "Elo": "*Elo*: the rating match by match",
    "blunders": "*blunders*: the share of moves that give away value",
    "expected loss": "*expected loss*: what these cost in a match",
    "spread": "*spread*: standard deviation between a learner's seeds, in points, with its interval",
}
COST = "## What it took"
TIMED = "By the clock of a shared machine with two cores, so that it comes out otherwise each time."
WIDTH, HEIGHT = 880, 720  # of pictures, in pixels, as they are shown


def tournaments() -> list[Path]:
    """The files of those in this folder."""
    return [file for file in sorted(HERE.glob("*.toml")) if file.name != "results.toml"]


def publish(file: Path, folder: Path) -> None:
    """Play a tournament, with its database in a folder, and write what came out."""
    db = folder / f"{file.stem}.db"
    found = arena.tournament(file=file, db=db)
    page, curves, judged = file.with_suffix(".html"), curves_of(found.game), file.stem in JUDGED
    table = arena.leaderboard(
        db=db, html=page, curves=curves, blunders=judged, nodes=NODES, doubts=not found.exact
    )
    pairings = arena.tournaments.show(found.number, db).markdown()
    shown = without_intervals(table.markdown()) if file.stem in ONCE else table.markdown()
    cost = arena.leaderboard(db=db, cost=True).markdown()
    text = f"{page_of(file, shown, pairings)}\n{COST}\n\n{TIMED}\n\n{cost}"
    file.with_suffix(".md").write_text(text, encoding="utf-8")


def without_intervals(table: str) -> str:
    """A leaderboard without the intervals of ratings: those of learners leave out what a seed changes."""
    lines = table.splitlines()
    column = lines[0].strip("| ").split(" | ").index("95 %")
    for number, line in enumerate(lines):
        if line.startswith("|"):
            cells = line.strip("|").split("|")
            lines[number] = f"|{'|'.join(cells[:column] + cells[column + 1 :])}|"
    return "\n".join(line for line in lines if not line.startswith("Intervals ")) + "\n"


def page_of(file: Path, table: str, pairings: str) -> str:
    """A tournament's page, but for what it took: what columns mean, the table, and the pairings, folded."""
    rows, pairs = (sum(line.startswith("|") for line in text.splitlines()) - 2 for text in (table, pairings))
    return (
        f"# {TITLES.get(file.stem, file.stem)}, {rows} entries\n\n{legend(file, table)}\n\n{table}\n"
        f"## Both seats\n\n<details><summary>All {pairs} pairings</summary>\n\n{pairings}\n</details>\n"
    )


def legend(file: Path, table: str) -> str:
    """What columns of a table mean."""
    columns = table.partition("\n")[0].strip("| ").split(" | ")
    ranks = re.findall(r"^\| (\d+–\d+) \|", table, re.MULTILINE)
    said = [f"*#*: the place, `{ranks[0]}` those that an entry may have, with 95 %"] if ranks else []
    said += [meaning for column, meaning in MEANINGS.items() if column in columns]
    more = Path(os.path.relpath(DOCS / "explanation" / "ratings.md", file.parent)).as_posix()
    return f"What columns mean: [ratings]({more}). {'; '.join(said)}."


def publish_small(file: Path, to: Path) -> None:
    """Play one round of a tournament, with two seeds of each learner, and write the pairings."""
    text = file.read_text(encoding="utf-8").replace("seeds=10", "seeds=2")
    with TemporaryDirectory() as folder:
        small = Path(folder) / file.name
        small.write_text(re.sub("^rounds = .*$", "rounds = 1", text, flags=re.M), encoding="utf-8")
        found = arena.tournament(file=small, db=small.with_suffix(".db"))
        shown = arena.tournaments.show(found.number, small.with_suffix(".db")).markdown()
    (to / f"{file.stem}.md").write_text(shown, encoding="utf-8")


def curves_of(game: str) -> list[Path]:
    """The files of learning curves at a game."""
    files = sorted(file for name in CURVES for file in (HERE / name).glob("*.csv") if file.name != NUMBERS)
    return [file for file in files if {result.game for result in read_one(str(file))} == {game}]


def pictures() -> None:
    """Write pictures of the standings and of a match, light and dark, and an animated image of a match."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, device_scale_factor=2
            )
            page.goto(PICTURED.as_uri())
            page.screenshot(path=DOCS / f"leaderboard-{scheme}.png")
            page.goto(f"{PICTURED.as_uri()}#match-0-{pictured_match(page)}")
            page.get_by_role("dialog").wait_for()
            page.keyboard.press("End")
            page.wait_for_timeout(1000)  # milliseconds, until the last piece has come to rest
            page.screenshot(path=DOCS / f"replay-{scheme}.png")
        browser.close()
    with TemporaryDirectory() as folder:
        db = Path(folder, "match.db")
        arena.tournament(ANIMATED, game="connect-four", rounds=1, openings="random:2", seed=1, db=db)
        (DOCS / "match.svg").write_text(arena.replay(1, 1, db=db).svg(), encoding="utf-8")


def pictured_match(page: Page) -> int:
    """The first of the best two entries against each other."""
    data = json.loads(gzip.decompress(b64decode(page.locator("#data").text_content() or "")))
    matches = data[0]["matches"]
    return next(i for i, match in enumerate(matches) if sorted(match["seats"]) == [0, 1])


def chromium() -> str:
    """Where it is, or the script ends."""
    return shutil.which("chromium") or sys.exit("chromium is not installed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as tic-tac-toe, or psv/million")
    parser.add_argument("--pictures", action="store_true", help="take pictures of a page instead")
    parser.add_argument("--small", action="store_true", help="a small version")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write that")
    args = parser.parse_args()
    if args.pictures:
        pictures()
        return
    files = [HERE / f"{name}.toml" for name in args.names] or tournaments()
    if args.small:
        for file in files:
            publish_small(file, args.to)
        return
    with TemporaryDirectory() as folder:
        for file in files:
            begun = time.perf_counter()
            publish(file, Path(folder))
            print(f"{file.name}: {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
