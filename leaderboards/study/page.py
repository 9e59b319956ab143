"""Writes what README.md says of results, between two marks, and the figure, of the files of the study.

python leaderboards/study/page.py
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from figure import figure
from protocol import Protocol
from standings import Standing, not_told_apart, standings
from study import FOLDER, REFERENCE

from arena.report.rate import three_digits

BEGIN, END = "<!-- written by page.py -->", "<!-- to here -->"
HEADS = (
    "#", "family", "score, %", "seeds", "episodes", "CPU s", "a move", "search no slower", "not told from",
)  # fmt: skip
SUMMARY = ("game", "budget, s", "best", "score, %", "not told from it", "search no slower than it")


def page(protocol: Protocol, found: Sequence[Standing]) -> Iterator[str]:
    """The lines between the marks."""
    yield from ("", "## The best", "", *summary(protocol, found))
    for game in protocol.games.values():
        here = [one for one in found if one.game == game.name]
        if not any(one.budget for one in here):
            continue
        search = [one for one in here if not one.budget]
        yield from ("", f"## {game.name}", "")
        yield f"Gauntlet: {listed(game.gauntlet)}. Openings: `{game.openings}`."
        yield f"Tuned against {listed(game.tuning)}."
        for budget in game.budgets:
            if learned := ranked(here, budget):
                yield from ("", f"### {game.name}, {budget:g} s", "", *table(learned, search))
                if missing := lacking(protocol, game.name, learned):
                    yield from ("", f"Not run: {', '.join(missing)}.")
        yield from ("", "Without training:", "", *references(search))


def ranked(found: Sequence[Standing], budget: float) -> list[Standing]:
    """The families of a budget, the best first."""
    return sorted((one for one in found if one.budget == budget), key=lambda one: -one.score.value)


def lacking(protocol: Protocol, game: str, learned: Sequence[Standing]) -> list[str]:
    """The families that learn a game and do not stand there."""
    there = {one.family for one in learned}
    return [family.name for family in protocol.at(game) if family.name not in there]


def listed(entries: Sequence[str]) -> str:
    return ", ".join(f"`{entry}`" for entry in entries)


def summary(protocol: Protocol, found: Sequence[Standing]) -> Iterator[str]:
    """The best family of each game and budget, where all are there."""
    yield f"| {' | '.join(SUMMARY)} |"
    yield "| --- | ---: | --- | ---: | --- | ---: |"
    for game in protocol.games.values():
        here = [one for one in found if one.game == game.name]
        for budget in game.budgets:
            learned = ranked(here, budget)
            if lacking(protocol, game.name, learned):
                continue
            best, alike = learned[0], not_told_apart(several_seeds(learned))
            others = [one.family for one in learned if one.family in alike.get(best.family, ())]
            search = no_slower(best, [one for one in here if not one.budget])
            cells = f"{best.score:.1f}", "; ".join(others) or "none", search
            yield f"| {game.name} | {budget:g} | {best.family} | {' | '.join(cells)} |"


def several_seeds(found: Sequence[Standing]) -> list[Standing]:
    return [one for one in found if len(one.scores) > 1]


def table(learned: Sequence[Standing], search: Sequence[Standing]) -> Iterator[str]:
    """Families by their score after one budget."""
    alike = not_told_apart(several_seeds(learned))
    place = {one.family: f"{i}" for i, one in enumerate(learned, 1)}
    yield f"| {' | '.join(HEADS)} |"
    yield "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for one in learned:
        others = ", ".join(sorted((place[name] for name in alike.get(one.family, ())), key=int))
        cells = (
            place[one.family], one.family, f"{one.score:.1f}", f"{len(one.scores)}", f"{one.episodes:,}",
            f"{one.training:.3g}", three_digits(one.move), no_slower(one, search), others or "none",
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield from ("", "Tuned, as the first seed played:", "")
    for one in learned:
        yield f"- {one.family}: `{one.entry}`" + ("" if one.configuration else ", as by default")


def references(search: Sequence[Standing]) -> Iterator[str]:
    yield "| entry | score, % | a move |"
    yield "| --- | ---: | ---: |"
    for one in sorted(search, key=lambda one: -one.score.value):
        yield f"| {name_of(one)} | {one.score:.1f} | {three_digits(one.move)} |"


def name_of(one: Standing) -> str:
    return f"`{one.family.removeprefix(REFERENCE + ' ')}`"


def no_slower(one: Standing, search: Sequence[Standing]) -> str:
    """The best of those that do not learn and take no longer for a move."""
    there = [other for other in search if other.move <= one.move]
    if not there:
        return ""
    best = max(there, key=lambda other: other.score.value)
    return f"{name_of(best)} {best.score.value:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=FOLDER, help="where to write, in place of this folder")
    options = parser.parse_args()
    protocol = Protocol.read(FOLDER / "families.toml")
    found = standings(protocol, FOLDER)
    before, rest = (FOLDER / "README.md").read_text(encoding="utf-8").split(BEGIN)
    lines = [before + BEGIN, *page(protocol, found), "", END + rest.split(END)[1]]
    (options.to / "README.md").write_text("\n".join(lines), encoding="utf-8")
    games = [name for name in protocol.games if any(one.game == name and one.budget for one in found)]
    (options.to / "learners.svg").write_text(figure(found, games), encoding="utf-8")
    print(f"{len(found)} standings of {len(games)} games")


if __name__ == "__main__":
    main()
