"""Learning curves, drawn and in tables, of the files in a folder beside this.

python leaderboards/curves.py [FOLDER…]     by default of all of them

A figure for each file of results is written, and, between two marks, what README.md says of them.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from pathlib import Path

from arena.registry.plugins import registry
from arena.results.curve_row import Row
from arena.show.board import INK, WHITE
from arena.show.curve import plots, read_one

HERE = Path(__file__).parent
FOLDERS = ("connect-four", "checkers")
BEGIN, END = "<!-- written by curves.py -->", "<!-- to here -->"
SVG = "http://www.w3.org/2000/svg"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown, of numbers but for the column of agents."""
    rules = ["---" if head == "agent" else "---:" for head in heads]
    return [f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows)]


def entry(text: str) -> str:
    """What is typed for an entry of a curve, where each point is of a learner of its own."""
    return registry().spec("agent", text.replace(":episodes=n,", ":").replace(":episodes=n", "")).text


def command(path: Path, folder: Path) -> str:
    """What writes a file of results; the folder is where its name is from."""
    results = read_one(str(path))
    names = "entry", "game", "matches", "openings"
    (text,), (game,), (matches,), (openings,) = ({getattr(r, name) for r in results} for name in names)
    ends = sorted({r.episodes for r in results})
    points = ",".join(map(str, ends)) if len(ends) > 1 else f"{ends[0]},"
    opponents = list(dict.fromkeys(r.opponent for r in results))
    options = ["--game", game, "--curve", f"leaderboards/{path.relative_to(folder)}"]
    options += ["--fresh-per-point"] * (":episodes=n" in text)
    options += ["--points", points, "--seeds", str(len({r.seed for r in results})), "--matches", str(matches)]
    options += ["--openings", openings] if openings != "none" else []
    for opponent in opponents if opponents != ["random"] else []:
        options += ["--against", opponent]
    return shlex.join(["arena", "train", entry(text), *options])


def figure(svg: str, heading: str) -> str:
    """A drawing for a page as a file of its own, on white; what it says in words stays in it."""
    root = ET.fromstring(svg)
    height, width = root.attrib["height"], root.attrib["width"]
    root.attrib |= {"xmlns": SVG, "fill": INK, "color": INK}
    paper = ET.Element("rect", {"width": width, "height": height, "fill": WHITE})
    title = root.find("title")
    if title is None:
        raise SystemExit(f"the drawing of {heading} has no title")
    root.insert(list(root).index(title) + 1, paper)
    return ET.tostring(root, encoding="unicode") + "\n"


def shown(results: Sequence[Row]) -> str:
    """`85.1 ± 0.6`: mean and standard deviation of seeds, per cent of the score; of one seed `85.1` alone."""
    scores = [100 * r.score for r in results]
    mean = f"{statistics.fmean(scores):.1f}"
    return f"{mean} ± {statistics.stdev(scores):.1f}" if len(scores) > 1 else mean


def scores(results: Sequence[Row]) -> list[str]:
    """A row for each number of episodes, and for each opponent a column as either player."""
    met = list(dict.fromkeys(r.opponent for r in results))
    heads = ["episodes", *(f"{opponent}, as {seat}" for opponent in met for seat in ("first", "second"))]
    rows = []
    for n in sorted({r.episodes for r in results}):
        here = [r for r in results if r.episodes == n]
        cells = [[r for r in here if (r.opponent, r.seat) == (o, seat)] for o in met for seat in (1, 2)]
        rows.append([f"{n:,}", *map(shown, cells)])
    return table(heads, rows)


def records(results: Sequence[Row]) -> list[str]:
    """Matches won, drawn and lost by number of episodes and opponent, of all seeds from both seats."""
    met = list(dict.fromkeys(r.opponent for r in results))
    rows = []
    for n in sorted({r.episodes for r in results}):
        here = [[r for r in results if r.episodes == n and r.opponent == o] for o in met]
        counts = [[sum(getattr(r, k) for r in rs) for k in ("wins", "draws", "losses")] for rs in here]
        rows.append([f"{n:,}", *(" / ".join(f"{count:,}" for count in cell) for cell in counts)])
    return table(["episodes", *met], rows)


def section(path: Path) -> tuple[list[str], str]:
    """What is said of a file of results, and its figure."""
    results = read_one(str(path))
    (plot,) = plots(results)
    of_seeds = ", as mean and standard deviation over seeds" if len({r.seed for r in results}) > 1 else ""
    lines = [
        f"## `{entry(results[0].entry)}`",
        "",
        f"![{plot.heading}]({path.stem}.svg)",
        "",
        f"{plot.caption} The table has scores in per cent{of_seeds}:",
        "",
        *scores(results),
        "",
        "Matches won, drawn and lost, summed over both seats and all seeds:",
        "",
        *records(results),
        "",
        "```sh",
        command(path, HERE),
        "```",
    ]
    return lines, figure(plot.svg, plot.heading)


def written(folder: Path) -> dict[str, str]:
    """README.md and the figures of a folder, by name."""
    files = {}
    body: list[str] = []
    for path in sorted(folder.glob("*.csv")):
        if path.name == "published.csv":
            continue
        lines, files[f"{path.stem}.svg"] = section(path)
        body += [*lines, ""]
    before, rest = (folder / "README.md").read_text(encoding="utf-8").split(BEGIN)
    after = rest.partition(END)[2]
    files["README.md"] = "\n".join([before + BEGIN, "", *body, END + after])
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=", ".join(FOLDERS))
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of leaderboards")
    options = parser.parse_args()
    for name in {*options.folders} - {*FOLDERS}:
        parser.error(f"there is no folder {name!r}; known: {', '.join(FOLDERS)}")
    for name in options.folders or FOLDERS:
        (options.to / name).mkdir(exist_ok=True)
        for file, text in written(HERE / name).items():
            (options.to / name / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
