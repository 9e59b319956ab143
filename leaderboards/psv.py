"""The figures of "Prior State Voting (PSV)" and their tables, with our learning curves beside the published.

python leaderboards/psv.py          reads leaderboards/psv, writes README.md, wins.svg and seconds.svg there
python leaderboards/psv.py --time   measures seconds.json before that
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from curves import command, entry, table

from arena.api.options import with_options
from arena.api.spec import InstanceSpec
from arena.compiler import is_compiled
from arena.matches import block
from arena.matches.match import Limits
from arena.matches.openings import Openings
from arena.matches.schedule import Plan
from arena.registry.plugins import registry
from arena.report.board import INK, WHITE
from arena.report.curve import Result, read, read_one
from arena.report.plot import (
    BOTTOM,
    GAP,
    HEIGHT,
    LEFT,
    RIGHT,
    ROW,
    SWATCH,
    TOP,
    WIDTH,
    Axis,
    axis_over,
    colour,
    mark,
    short,
)
from arena.results.tally import Summary
from arena.training.learners import trained_here

FOLDER = Path(__file__).parent / "psv"
ENDLESS = "checkers:repetition=0,quiet_plies=0"
GAMES = {ENDLESS: "without draws", "checkers": "with draws"}
LINES = "rule=lines,known=votes,symmetry=inversion,reflection"
NAMES = {
    "psv:learner=(q-backprop:episodes=n)": "psv",
    "q-random:learner=(q-backprop:episodes=n)": "q-random",
    "keep-training:learner=(q-backprop:episodes=n)": "keep-training",
    f"psv:learner=(q-backprop:episodes=n,capture=0.5),{LINES}": "lines and captures",
    f"psv:learner=(q-backprop:episodes=n),{LINES}": "lines",
}
LOOKS = {name: look for look, name in enumerate(NAMES.values())}
ABOUT = {
    "psv": "goes by its table; in positions that are not in it, the moves that are there vote",
    "q-random": "moves at random in such positions",
    "keep-training": "plays 100 games against itself from there, and goes by what it learned",
    "lines and captures": "`lines`, taught with a reward of 0.5 for captures",
    "lines": "known moves vote by lines of three near the move, on boards turned too, and in all positions",
}
# Student's t for 95 %, of 1 to 19 degrees of freedom; more are taken for 19
STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093),
)
LOWEST = 30  # per cent, in the figure
COLUMN = 190  # of the legend, in pixels
TAUGHT, MATCHES, ROUNDS = (1000, 10_000, 100_000), 2000, 5  # games of training, what is timed, how often


# --- the numbers ---------------------------------------------------------------------------------------


class Share(NamedTuple):
    """Per cent of matches won, with 95 % from `low` to `high`; of one seed these are the mean as well."""

    mean: float
    low: float
    high: float


Curve = Mapping[int, Sequence[Result]]  # the results by games of training, which ascend


def curves(paths: Iterable[Path]) -> dict[str, dict[str, Curve]]:
    """What the files hold, by `GAMES` and `NAMES`, in the order of these; KeyError if that is of no name."""
    found: dict[str, dict[str, dict[int, list[Result]]]]
    found = {heading: {name: {} for name in NAMES.values()} for heading in GAMES.values()}
    for r in sorted(read(map(str, paths)), key=lambda r: (r.episodes, r.seed, r.seat)):
        found[GAMES[r.game]][NAMES[r.entry]].setdefault(r.episodes, []).append(r)
    return {
        heading: {name: curve for name, curve in here.items() if curve} for heading, here in found.items()
    }


def won(results: Sequence[Result]) -> Share:
    """The mean over seeds, whose seats are pooled; draws are not won."""
    seeds: dict[int, list[Result]] = {}
    for r in results:
        seeds.setdefault(r.seed, []).append(r)
    shares = [100 * sum(r.wins for r in rs) / sum(r.matches for r in rs) for rs in seeds.values()]
    mean, n = statistics.fmean(shares), len(shares)
    margin = STUDENT[min(n - 1, len(STUDENT)) - 1] * statistics.stdev(shares) / n**0.5 if n > 1 else 0.0
    return Share(mean, mean - margin, mean + margin)


def binomial(wins: int, matches: int) -> Share:
    """Per cent won, with its 95 % interval (Wilson 1927)."""
    z = 1.96**2 / matches
    p = wins / matches
    middle, half = (p + z / 2) / (1 + z), (z * p * (1 - p) + z * z / 4) ** 0.5 / (1 + z)
    return Share(100 * p, 100 * (middle - half), 100 * (middle + half))


def known(published: Mapping[str, Any], kind: str, name: str) -> dict[int, float]:
    """The published `wins` or `seconds` of an agent, by games of training."""
    values = published[kind].get(name, [])
    return {n: value for n, value in zip(published["games"], values, strict=False) if value is not None}


# --- the figures ---------------------------------------------------------------------------------------


def line(places: Sequence[tuple[float, float]], look: int, hollow: bool, titles: Sequence[str]) -> list[str]:
    """A line with its marks: whole and filled, or dashed and hollow."""
    dashes = ' stroke-dasharray="5 4" stroke-opacity=".7"' if hollow else ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    drawn = f'fill="none" stroke="{colour(look)}" stroke-width="{1.2 if hollow else 2}"{dashes}'
    marks = [
        mark(look, f"{x:.1f},{y:.1f}", title, hollow) for (x, y), title in zip(places, titles, strict=True)
    ]
    return [f'<polyline points="{points}" {drawn}/>', *marks]


def frame(heading: str, x: Axis, ticks: Mapping[float, str]) -> list[str]:
    """A panel's heading, axes and lines across, at heights that have these labels."""
    body = [f'<text y="-12" font-weight="600">{escape(heading)}</text>']
    for y, label in ticks.items():
        body.append(f'<path d="M0 {y:.1f}H{WIDTH}" stroke="{INK}" stroke-opacity=".15"/>')
        body.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    marks = "".join(f"M{x.at(n):.1f} {HEIGHT}v5" for n in x.ticks())
    body.append(f'<path d="M0 {HEIGHT}H{WIDTH}{marks}" stroke="{INK}" fill="none"/>')
    for n in x.ticks():
        body.append(f'<text x="{x.at(n):.1f}" y="{HEIGHT + 19}" text-anchor="middle">{short(n)}</text>')
    middle = f'x="{WIDTH / 2:g}" y="{HEIGHT + 38}" text-anchor="middle"'
    return [*body, f"<text {middle}>Games of training, log scale</text>"]


def document(title: str, panels: Sequence[Sequence[str]], legend: Sequence[Sequence[tuple[str, int]]]) -> str:
    """An SVG file of panels side by side; the legend has a column of ours, and of what was published."""
    width = LEFT + len(panels) * (WIDTH + GAP) - GAP + RIGHT
    above = TOP + HEIGHT + BOTTOM
    height = above + ROW * max(map(len, legend)) + 8
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif" font-size="12"'
        f' fill="{INK}" color="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
    ]
    for i, panel in enumerate(panels):
        body += [f'<g transform="translate({LEFT + i * (WIDTH + GAP)} {TOP})">', *panel, "</g>"]
    for hollow, column in enumerate(legend):
        for row, (text, look) in enumerate(column):
            place = f"{LEFT + hollow * COLUMN} {above + row * ROW}"
            body.append(f'<g transform="translate({place})">')
            body += line([(0, 9), (12, 9), (24, 9)], look, bool(hollow), ["", "", ""])[0::2]
            body.append(f'<text x="{SWATCH}" y="13">{escape(text)}</text></g>')
    return "\n".join([*body, "</svg>\n"])


def wins_svg(found: Mapping[str, Mapping[str, Curve]], published: Mapping[str, Any]) -> str:
    """Per cent won by games of training, in a panel for each game; bands and bars hold 95 %."""
    everywhere = {n for here in found.values() for curve in here.values() for n in curve}
    x = axis_over(everywhere | set(published["games"]))

    def y(percent: float) -> float:
        return HEIGHT * (100 - min(max(percent, LOWEST), 100)) / (100 - LOWEST)

    panels: list[list[str]] = []
    for heading, here in found.items():
        ticks = {y(n): "" if panels else f"{n} %" for n in range(LOWEST, 101, 10)}
        body = frame(f"Won, {heading}", x, ticks)
        for name in published["wins"]:
            body += bars(name, published, x, y)
        for name, curve in here.items():
            shares = {n: won(results) for n, results in curve.items()}
            top = [f"{x.at(n):.1f},{y(share.high):.1f}" for n, share in shares.items()]
            low = [f"{x.at(n):.1f},{y(share.low):.1f}" for n, share in shares.items()]
            paint = f'fill="{colour(LOOKS[name])}" fill-opacity=".18"'
            body.append(f'<polygon points="{" ".join(top + low[::-1])}" {paint}/>')
            titles = [f"{name}: {said(results)} % after {n:,} games" for n, results in curve.items()]
            places = [(x.at(n), y(share.mean)) for n, share in shares.items()]
            body += line(places, LOOKS[name], False, titles)
        panels.append(body)
    names = [name for name in LOOKS if any(name in here for here in found.values())]
    ours = [(name, LOOKS[name]) for name in names]
    theirs = [(f"{name}, published", LOOKS[name]) for name in published["wins"]]
    return document("Matches won against random play by games of training", panels, [ours, theirs])


def bars(name: str, published: Mapping[str, Any], x: Axis, y: Callable[[float], float]) -> list[str]:
    """What was published of an agent, each point with the bar of a binomial, a little aside of others."""
    look, wins = LOOKS[name], known(published, "wins", name)
    places, titles, body = [], [], []
    for n, value in wins.items():
        share, at = binomial(int(value), published["matches"]), x.at(n) + 4 * (look - 1)
        ends = f"M{at:.1f} {y(share.low):.1f}V{y(share.high):.1f}"
        body.append(f'<path d="{ends}" stroke="{colour(look)}" stroke-opacity=".6"/>')
        places.append((at, y(share.mean)))
        titles.append(f"{name}, published: {value} of {published['matches']} after {n:,} games")
    return [*body, *line(places, look, True, titles)]


def seconds_svg(measured: Mapping[str, float], published: Mapping[str, Any]) -> str:
    """Seconds a match by games of training, both axes logarithmic."""
    theirs = known(published, "seconds", "psv")
    ours = {int(n): seconds for n, seconds in measured.items()}
    x = axis_over({*ours, *theirs})
    micro = {round(1e6 * seconds) for seconds in (*ours.values(), *theirs.values())}
    low, high = (10**k for k in (len(str(min(micro))) - 1, len(str(max(micro)))))
    up = Axis(low, high, True, False, HEIGHT)
    heading = "Seconds a match, log scale; on different machines"
    body = frame(heading, x, {HEIGHT - up.at(n): f"{n / 1e6:g}" for n in up.ticks()})
    for hollow, times in enumerate((ours, theirs)):
        places = [(x.at(n), HEIGHT - up.at(1e6 * seconds)) for n, seconds in times.items()]
        titles = [f"{seconds:.2g} s after {n:,} games" for n, seconds in times.items()]
        body += line(places, LOOKS["psv"], bool(hollow), titles)
    legend = [[("psv", LOOKS["psv"])], [("psv, published", LOOKS["psv"])]]
    return document("Seconds a match by games of training, on different machines", [body], legend)


# --- the text ------------------------------------------------------------------------------------------


def said(results: Sequence[Result]) -> str:
    """`85.1 ± 0.6`, or `89.9` of one seed."""
    share = won(results)
    margin = f" ± {share.high - share.mean:.1f}" if len({r.seed for r in results}) > 1 else ""
    return f"{share.mean:.1f}{margin}"


def beside(here: Mapping[str, Curve], published: Mapping[str, Any]) -> list[str]:
    """A row for each number of games of training, a column for each agent, and what was published of it."""
    heads, columns = [], []
    for name, curve in here.items():
        heads.append(name)
        columns.append({n: said(results) for n, results in curve.items()})
        if wins := known(published, "wins", name):
            heads.append("published")
            columns.append({n: str(value) for n, value in wins.items()})
    games = sorted({n for column in columns for n in column})
    rows = [[f"{n:,}", *(column.get(n, "") for column in columns)] for n in games]
    return table(["games of training", *heads], rows)


def apart(here: Mapping[str, Curve]) -> list[str]:
    """A row for each agent and number of games of training: both seats, and what that was counted on."""
    rows = []
    for name, curve in here.items():
        for n, results in curve.items():
            seats = [said([r for r in results if r.seat == seat]) for seat in (1, 2)]
            matches = sum(r.matches for r in results)
            drawn = f"{100 * sum(r.draws for r in results) / matches:.1f}"
            seeds = len({r.seed for r in results})
            rows.append([name, f"{n:,}", said(results), *seats, drawn, str(seeds), f"{matches:,}"])
    heads = [
        "agent",
        "games of training",
        "won",
        "as black, first",
        "as white, second",
        "drawn",
        "seeds",
        "matches",
    ]
    return table(heads, rows)


def turned(files: Sequence[Sequence[Result]], as_it_is: Curve) -> list[str]:
    """A row for psv and for each entry with a symmetry, a column for each number of games."""
    curves = [as_it_is] + [
        {r.episodes: [s for s in rs if s.episodes == r.episodes] for r in rs} for rs in files
    ]
    games = sorted({r.episodes for results in files for r in results})
    names = ["psv", *(entry(results[0].entry) for results in files)]
    rows = [
        [f"`{name}`", *(said(curve[n]) for n in games)] for name, curve in zip(names, curves, strict=True)
    ]
    return table(["agent", *(f"{n:,} games" for n in games)], rows)


def readme(
    paths: Sequence[Path],
    found: Mapping[str, Mapping[str, Curve]],
    measured: Mapping[str, float],
    published: Mapping[str, Any],
) -> str:
    """All of README.md; the files in folders of their own are of boards turned."""
    entries = {name: entry(text) for text, name in NAMES.items()}
    met = [name for name in NAMES.values() if any(name in here for here in found.values())]
    lines = [
        "# Prior State Voting at checkers",
        "",
        "Per cent of matches won against random play, by games of training, beside the figures of"
        f" {published['source']}; [program]({published['program']}). These are of"
        f" {published['matches']} matches each, half as either colour. Ours are means over seeds, ± 95 %"
        " (Student's t).",
        "",
        "A draw is not won. The paper draws when a position comes for the third time and after 100 turns"
        " without a capture, as `checkers` does here; its program does neither, so that its figures go with"
        " those without draws.",
        "",
        *(f"- **{name}** {ABOUT[name]}: `{entries[name]}`" for name in met),
        "",
        "The published program has the sign of keep-training's rewards wrong where white is to move; it is"
        " mended here.",
        "",
        "![Matches won by games of training](wins.svg)",
    ]
    for heading, here in found.items():
        lines += ["", f"## Won, {heading}", "", *beside(here, published), "", *apart(here)]
    files = [read_one(str(path)) for path in paths if path.parent != FOLDER]
    lines += [
        "",
        "## Boards turned",
        "",
        "What it brings that known moves vote on boards turned as well, without draws: won by psv as it is,"
        " and with `symmetry`.",
        "",
        *turned(files, found["without draws"]["psv"]),
    ]
    ours = {int(n): f"{1e6 * seconds:.0f} µs" for n, seconds in measured.items()}
    theirs = {n: f"{seconds:g} s" for n, seconds in known(published, "seconds", "psv").items()}
    times = [[f"{n:,}", ours.get(n, ""), theirs.get(n, "")] for n in sorted({*ours, *theirs})]
    lines += [
        "",
        "## Seconds a match",
        "",
        "Ours is the CPU time of a match against random, without draws, compiled: the mean of"
        f" {MATCHES:,}, and of {ROUNDS} such means the median. It leaves out how long it takes to gather the"
        " votes of the table, once, when the agent is made. What was published is of another machine.",
        "",
        "![Seconds a match by games of training](seconds.svg)",
        "",
        *table(["games of training", "psv", "published"], times),
        "",
        "## The same again",
        "",
        "The same seeds give the same files. `python leaderboards/psv.py` makes figures and tables of them;"
        " with `--time` it measures the seconds first.",
        "",
        "```sh",
        *(command(path, FOLDER.parent) for path in paths),
        "python leaderboards/psv.py --time",
        "```",
    ]
    return "\n".join(lines) + "\n"


# --- the clock -----------------------------------------------------------------------------------------


def seconds(games: int) -> float:
    """Of CPU time that psv, taught by so many games, takes for a match against random."""
    specs = registry()
    game, random = specs.spec("game", ENDLESS), specs.spec("agent", "random")
    rules, learner = game.make(), specs.spec("agent", f"q-backprop:episodes={games}")
    taught = InstanceSpec(learner.text, learner.target, learner.values, trained_here(learner, rules))
    psv = with_options(specs.spec("agent", "psv"), learner=taught)
    player = InstanceSpec(psv.text, psv.target, psv.values, psv.make(rules))
    if not is_compiled(player.thing):
        raise SystemExit("psv is not compiled here: is ARENA_COMPILED set to 0?")
    limits = Limits(rules.max_plies, 0.0, 0.0)
    plan = Plan(game, (player, random), ((0, 1), (1, 0)), MATCHES, games, Openings(), limits)
    block.play_block(plan, range(2), Summary)  # by which time all is compiled
    times = []
    for _ in range(ROUNDS):
        start = process_time()
        block.play_block(plan, range(MATCHES), Summary)
        times.append(process_time() - start)
    return statistics.median(times) / MATCHES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--time", action="store_true", help="measure seconds.json anew")
    parser.add_argument(
        "--to", type=Path, default=FOLDER, help="where to write, in place of leaderboards/psv"
    )
    options = parser.parse_args()
    if options.time:
        measured = {str(n): float(f"{seconds(n):.3g}") for n in TAUGHT}
        (FOLDER / "seconds.json").write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    published, measured = (
        json.loads((FOLDER / name).read_text(encoding="utf-8")) for name in ("published.json", "seconds.json")
    )
    paths = sorted(FOLDER.glob("*.csv"))
    found = curves(paths)
    paths += sorted(FOLDER.glob("turned/*.csv"))
    written = {
        "wins.svg": wins_svg(found, published),
        "seconds.svg": seconds_svg(measured, published),
        "README.md": readme(paths, found, measured, published),
    }
    for name, text in written.items():
        (options.to / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
