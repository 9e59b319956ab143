"""Prior State Voting at other games, which say what stands where: the score by games of training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curves import entry, table
from voting.shares import of_seeds

from arena.ratings.comparison import mean_of
from arena.results.curve_row import Row
from arena.show.curve import read_one

KEEP = "keep-training"


def by_points(results: Sequence[Row], opponent: str = "random") -> dict[int, str]:
    """By games of training the mean score over seeds against an opponent, both seats pooled, per cent."""
    return {n: str(of_seeds(values)) for n, values in scored(results, opponent).items()}


def scored(results: Sequence[Row], opponent: str) -> dict[int, list[float]]:
    """The same seed by seed, in the order of seeds."""
    found: dict[int, dict[int, float]] = {}
    for r in results:
        if r.opponent == opponent:
            seeds = found.setdefault(r.episodes, {})
            seeds[r.seed] = seeds.get(r.seed, 0.0) + 50 * r.score
    return {n: [seeds[seed] for seed in sorted(seeds)] for n, seeds in sorted(found.items())}


def kept(paths: Sequence[Path]) -> list[str]:
    """Where keep-training was played, what psv scores more after as many games and with the same seeds."""
    curves = {(results[0].game, entry(results[0].entry)): results for results in map(read, paths)}
    told = []
    for (game, name), results in curves.items():
        if not name.startswith(KEEP):
            continue
        for opponent in dict.fromkeys(
            r.opponent for r in sorted(results, key=lambda r: r.opponent != "random")
        ):
            voting = scored(curves[game, "psv"], opponent)
            for n, values in scored(results, opponent).items():
                more = mean_of([a - b for a, b in zip(voting[n], values, strict=True)])
                told.append(
                    f"At {game}, after {n:,} games against `{opponent}`, `psv` scores {more:+.1f} points"
                    f" compared with `{name}`."
                )
    return told


def read(path: Path) -> Sequence[Row]:
    return read_one(str(path))


def drawn(paths: Sequence[Path]) -> str:
    """How often matches are drawn at each game, by numbers of games of training."""
    found: dict[str, dict[bool, list[float]]] = {}
    for results in map(read, paths):
        if results[0].entry.startswith(KEEP):
            continue
        of = found.setdefault(results[0].game, {}).setdefault(results[0].entry.startswith("q-random"), [])
        for n in {r.episodes for r in results}:
            here = [r for r in results if r.episodes == n and r.opponent == "random"]
            of.append(100 * sum(r.draws for r in here) / sum(r.matches for r in here))
    told = [
        f"at {game} {extent(of[False])} % of matches are drawn (`q-random`: {extent(of[True])} %)"
        for game, of in found.items()
    ]
    return f"Against random play, depending on the number of games, {'; '.join(told)}."


def extent(values: Sequence[float]) -> str:
    """`66 to 78`, or `72` alone."""
    return " to ".join(dict.fromkeys(f"{value:.0f}" for value in (min(values), max(values))))


def games_table(paths: Sequence[Path]) -> list[str]:
    """A row for each game, opponent and number of games of training, a column for each entry."""
    curves = list(map(read, paths))
    heads, rows = [], []
    for game in dict.fromkeys(results[0].game for results in curves):
        here = [results for results in curves if results[0].game == game]
        heads += [name for results in here if (name := entry(results[0].entry)) not in heads]
        for opponent in dict.fromkeys(
            r.opponent for r in sorted(here[0], key=lambda r: r.opponent != "random")
        ):
            columns = {entry(results[0].entry): by_points(results, opponent) for results in here}
            for n in sorted({n for column in columns.values() for n in column}):
                rows.append((game, opponent, n, columns))
    cells = []
    for game, opponent, n, found in rows:
        cells.append([game, f"`{opponent}`", f"{n:,}", *(found.get(head, {}).get(n, "") for head in heads)])
    return table(["game", "against", "games of training", *(f"`{head}`" for head in heads)], cells)
