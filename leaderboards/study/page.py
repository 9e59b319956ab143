"""Writes what README.md says of results, between two marks, and the figure, of the files of the study.

python leaderboards/study/page.py
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from figure import figure
from protocol import Protocol
from standings import LEVEL, Standing, chances, not_told_apart, standings
from study import FOLDER, REFERENCE

from arena.show.rate import short_duration

AT_END = 0.8  # of the budget: who takes less has come to the end of what it can learn
DEPTH = (
    "Sarsa is the only learner that searches deeper than one move, to depth 4. `sarsa, depth 1` searches "
    "only one move deep, and shows the effect of learning without search."
)
BEGIN, END = "<!-- written by page.py -->", "<!-- to here -->"
HEADS = (
    "#", "family", "score, %", "seeds", "episodes", "CPU s", "a move", "best search no slower",
    "no significant difference from",
)  # fmt: skip
SUMMARY = (
    "game",
    "budget, s",
    "best",
    "score, %",
    "not significantly below it",
    "best search no slower than it",
)


def page(protocol: Protocol, found: Sequence[Standing]) -> Iterator[str]:
    """The lines between the marks."""
    yield from ("", "## The best", "", *summary(protocol, found), "", *overruns(found))
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
            best, search = learned[0], [one for one in here if not one.budget]
            others = not_told_apart(best, learned, chances([*learned, *search]))
            cells = f"{best.score:.1f}", "; ".join(others) or "none", named(no_slower(best, search))
            yield f"| {game.name} | {budget:g} | {best.family} | {' | '.join(cells)} |"


def table(learned: Sequence[Standing], search: Sequence[Standing]) -> Iterator[str]:
    """Families by their score after one budget."""
    by = chances([*learned, *search])
    place = {one.family: f"{i}" for i, one in enumerate(learned, 1)}
    yield f"| {' | '.join(HEADS)} |"
    yield "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for one in learned:
        others = ", ".join(place[name] for name in not_told_apart(one, learned, by))
        cells = (
            place[one.family], one.family, f"{one.score:.1f}", f"{len(one.scores)}", f"{one.episodes:,}",
            f"{one.training:.3g}", seconds(one.move), named(no_slower(one, search)), others or "none",
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield from ("", "Tuned configurations, with the first seed:", "")
    for one in learned:
        yield f"- {one.family}: `{one.entry}`" + ("" if one.configuration else " (the default)")


def references(search: Sequence[Standing]) -> Iterator[str]:
    """Who does not learn: a move was measured beside the learners of each budget."""
    budgets = sorted({budget for one in search for budget in one.moves})
    yield f"| {' | '.join(['entry', 'score, %', *(f'a move, beside {budget:g} s' for budget in budgets)])} |"
    yield "| --- | ---: |" + " ---: |" * len(budgets)
    for one in sorted(search, key=lambda one: -one.score.value):
        times = [seconds(one.moves.get(budget, math.nan)) for budget in budgets]
        yield f"| {' | '.join([name_of(one), f'{one.score:.1f}', *times])} |"


def name_of(one: Standing) -> str:
    return f"`{one.family.removeprefix(REFERENCE + ' ')}`"


def no_slower(one: Standing, search: Sequence[Standing]) -> Standing | None:
    """The best of those that do not learn and took no longer for a move when measured beside it."""
    there = [other for other in search if other.moves.get(one.budget, math.inf) <= one.move]
    return max(there, key=lambda other: other.score.value, default=None)


def named(search: Standing | None) -> str:
    return f"{name_of(search)} {search.score.value:.1f}" if search else ""


def seconds(move: float) -> str:
    return "" if math.isnan(move) else short_duration(move)


def in_short(protocol: Protocol, found: Sequence[Standing]) -> Iterator[str]:
    """Of each game, at the largest budget that all families have: who is first, and the best search."""
    yield ""
    for game in protocol.games.values():
        here = [one for one in found if one.game == game.name]
        whole = [b for b in game.budgets if not lacking(protocol, game.name, ranked(here, b))]
        if whole:
            search = [one for one in here if not one.budget]
            text = first_of(ranked(here, whole[-1]), search)
            yield f"- **{game.name}**, {whole[-1]:g} s: {text}{later(here, whole[-1])}"
    yield from ("", DEPTH)


def overruns(found: Sequence[Standing]) -> Iterator[str]:
    """How far from their budgets those were who used them up."""
    ratios = [one.training / one.budget for one in found if one.budget and one.training > AT_END * one.budget]
    yield f"Training took {min(ratios):.2f} to {max(ratios):.2f} times the budget, as the mean over seeds,"
    yield "except for learners that finished earlier."


def first_of(learned: Sequence[Standing], search: Sequence[Standing]) -> str:
    """Who is first, who is not significantly below, who is next, and what search does without training."""
    best, by = learned[0], chances([*learned, *search])
    alike = not_told_apart(best, learned, by)
    text = f"`{best.family}` is first with {best.score:.1f} %"
    if alike:
        are = "are" if len(alike) > 1 else "is"
        text += f"; {listed_words([f'`{name}`' for name in alike])} {are} not significantly below it"
    if other := next((one for one in learned[1:] if one.family not in alike), None):
        text += f". `{other.family}` is {best.score.value - other.score.value:.1f} points lower"
    top = max(search, key=lambda one: one.score.value)
    text += f". The best search tried without training, {beside(best, top, by)}"
    equal = no_slower(best, search)
    if equal not in (None, top):
        text += f"; the best that takes no longer for a move, {beside(best, equal, by)}"
    return f"{text}."


def beside(best: Standing, search: Standing, by: Mapping[frozenset[str], float]) -> str:
    """What a search has, and whether that is another score than the best learner's."""
    chance = by.get(frozenset((best.family, search.family)), math.nan)
    differs = "less" if search.score.value < best.score.value else "more"
    verdict = f"significantly {differs}" if chance < LEVEL else "not significantly different"
    times = search.moves.get(best.budget, math.nan) / best.move
    takes = "" if math.isnan(times) else f" at {times:.2g} times its time for a move"
    return f"{name_of(search)}, has {search.score:.1f} %{takes}, {verdict} (p {p_text(chance)})"


def later(found: Sequence[Standing], budget: float) -> str:
    """What families have after more seconds, where not all were run."""
    more = [one for one in found if one.budget > budget]
    told = [f"`{one.family}` has {one.score:.1f} % after {one.budget:g} s" for one in more]
    return f" {'; '.join(told)}." if told else ""


def listed_words(names: Sequence[str]) -> str:
    """`a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def p_text(chance: float) -> str:
    return "under .0001" if chance < 0.0001 else f"{chance:.2g}".removeprefix("0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=FOLDER, help="where to write, in place of this folder")
    options = parser.parse_args()
    protocol = Protocol.read(FOLDER / "families.toml")
    found = standings(protocol, FOLDER)
    text, parts = (FOLDER / "README.md").read_text(encoding="utf-8"), (in_short, page)
    for i, part in enumerate(parts, 1):
        *before, rest = text.split(BEGIN, i)
        lines = [BEGIN.join(before) + BEGIN, *part(protocol, found), "", END + rest.partition(END)[2]]
        text = "\n".join(lines)
    (options.to / "README.md").write_text(text, encoding="utf-8")
    games = [name for name in protocol.games if any(one.game == name and one.budget for one in found)]
    (options.to / "learners.svg").write_text(figure(found, games), encoding="utf-8")
    print(f"{len(found)} standings of {len(games)} games")


if __name__ == "__main__":
    main()
