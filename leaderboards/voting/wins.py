"""Figure 4: per cent of matches won against random play, by games of training, beside what was published."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from curves import entry, table
from voting.drawing import document, frame, line
from voting.shares import Share, binomial, of_seeds

from arena.results.curve_row import Row
from arena.show.curve import read
from arena.show.curve_plot import HEIGHT, Axis, axis_over, colour

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
    "psv": "uses its table; in positions that are not in the table, the known moves vote (votes by boards)",
    "q-random": "moves at random in such positions",
    "keep-training": "plays 100 training games against itself from there, and uses the learned values",
    "lines and captures": "`lines`, trained with a reward of 0.5 for captures",
    "lines": "known moves vote by lines of three cells near the move, also under symmetries of the "
    "board, and in all positions",
}
LOWEST = 30  # per cent, in the figure

Curve = Mapping[int, Sequence[Row]]  # the results by games of training, which ascend


def curves(paths: Iterable[Path]) -> dict[str, dict[str, Curve]]:
    """What the files hold, by `GAMES` and `NAMES`, in the order of these; KeyError if that is of no name."""
    found: dict[str, dict[str, dict[int, list[Row]]]]
    found = {heading: {name: {} for name in NAMES.values()} for heading in GAMES.values()}
    for r in sorted(read(map(str, paths)), key=lambda r: (r.episodes, r.seed, r.seat)):
        found[GAMES[r.game]][NAMES[r.entry]].setdefault(r.episodes, []).append(r)
    return {
        heading: {name: curve for name, curve in here.items() if curve} for heading, here in found.items()
    }


def won(results: Sequence[Row]) -> Share:
    """The mean over seeds."""
    return of_seeds(by_seed(results))


def by_seed(results: Sequence[Row]) -> list[float]:
    """Per cent won by each seed, whose seats are pooled; draws are not won."""
    seeds: dict[int, list[Row]] = {}
    for r in results:
        seeds.setdefault(r.seed, []).append(r)
    return [100 * sum(r.wins for r in rs) / sum(r.matches for r in rs) for rs in seeds.values()]


def known(published: Mapping[str, Any], kind: str, name: str) -> dict[int, float]:
    """The published `wins` or `seconds` of an agent, by games of training."""
    values = published[kind].get(name, [])
    return {n: value for n, value in zip(published["games"], values, strict=False) if value is not None}


# --- the figure ----------------------------------------------------------------------------------------


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
            titles = [f"{name} after {n:,} games, %: {said(results)}" for n, results in curve.items()]
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


# --- the tables ----------------------------------------------------------------------------------------


def said(results: Sequence[Row]) -> str:
    """`85.1 ± 0.6`, or `89.9` of one seed."""
    return str(won(results))


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


def turned(files: Sequence[Sequence[Row]], as_it_is: Curve) -> list[str]:
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
