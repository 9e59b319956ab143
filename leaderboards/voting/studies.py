"""What each part of an agent brings: entries that differ in one, held against each other seed by seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from curves import entry, table
from voting.shares import of_seeds

from arena.ratings.comparison import Mean, holm, mean_of, paired
from arena.results.curve_row import Row
from arena.show.curve import read_one

DEEPEST = "alpha-beta:depth=2"  # the opponent that searches most


class Study(NamedTuple):
    """A question, and files: of each group the first is what the others are held against."""

    heading: str
    text: str
    groups: Sequence[Sequence[str]]


STUDIES = (
    Study(
        "Votes of zero-valued moves",
        "In Algorithm 2 of the paper, all moves of known positions vote, including those without a "
        "value, with a vote of 0. Its program leaves these out, as does `psv`. With `zeros=true` they "
        "vote.",
        (("zeros/without", "zeros/with"), ("lines/whole", "zeros/lines-with")),
    ),
    Study(
        "Rewards",
        "The paper suggests two rewards as future work (section 2.2): a reward for captures, and a "
        "reward for the result that is discounted towards the start of the game.",
        (
            (
                "zeros/without",
                *(f"rewards/{name}" for name in ("fading-95", "fading-80", "captures", "captures-fading-95")),
            ),
            (
                "lines/whole",
                *(f"rewards/lines-{name}" for name in ("fading-95", "fading-80")),
                *(f"rewards/lines-{name}" for name in ("captures", "captures-fading-95")),
            ),
        ),
    ),
    Study(
        "What votes by lines are made of",
        "Each part is left out or changed separately: votes by lines or by boards, votes in known "
        "positions, symmetries, `doubt` and `loud`. `doubt` is the number of votes of 0 that are added "
        "to each mean of votes, so that a few votes have little weight. `loud` multiplies the amount by "
        "which the votes for a line exceed the mean.",
        (
            (
                *(f"lines/{name}" for name in ("whole", "boards", "table", "unturned", "inversion")),
                *(f"lines/{name}" for name in ("reflection", "doubt-1", "doubt-3", "doubt-30", "doubt-100")),
                *(f"lines/{name}" for name in ("loud-0.1", "loud-1")),
            ),
        ),
    ),
)


class Difference(NamedTuple):
    """Of an entry's score to that of what it is held against, in points of a per cent; p, by Holm."""

    mean: Mean
    p: float

    def __str__(self) -> str:
        return f"{self.mean:+.1f}, p {number(self.p)}"


def number(p: float) -> str:
    """`.031`, `1`, `< .001`."""
    return "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".lstrip("0")


def scores(results: Sequence[Row]) -> dict[str, dict[int, float]]:
    """Per cent of the score from both seats, by opponent and seed."""
    found: dict[str, dict[int, float]] = {}
    for r in results:
        of = found.setdefault(r.opponent, {})
        of[r.seed] = of.get(r.seed, 0.0) + 50 * r.score
    return dict(sorted(found.items(), key=lambda item: (item[0] != "random", item[0])))


def differences(study: Study, folder: Path) -> dict[tuple[str, str], Difference]:
    """By file and opponent; all comparisons of a study are adjusted together."""
    values: dict[tuple[str, str], list[float]] = {}
    for first, *others in study.groups:
        base = scores(read_one(str(folder / f"{first}.csv")))
        for name in others:
            for opponent, of in scores(read_one(str(folder / f"{name}.csv"))).items():
                values[name, opponent] = [of[seed] - base[opponent][seed] for seed in sorted(of)]
    adjusted = holm([paired(found) for found in values.values()])
    return {
        key: Difference(mean_of(found), p) for (key, found), p in zip(values.items(), adjusted, strict=True)
    }


def study_table(study: Study, folder: Path) -> list[str]:
    """A row for each entry; for each opponent its score, and the difference."""
    found, rows = differences(study, folder), []
    opponents: list[str] = []
    for group in study.groups:
        for name in group:
            results = read_one(str(folder / f"{name}.csv"))
            by_opponent = scores(results)
            opponents = list(by_opponent)
            row = [f"`{entry(results[0].entry)}`"]
            for opponent, of in by_opponent.items():
                difference = found.get((name, opponent))
                row += [str(of_seeds(list(of.values()))), str(difference) if name != group[0] else ""]
            rows.append(row)
    heads = [head for opponent in opponents for head in (f"against {opponent}", "difference")]
    return table(["agent", *heads], rows)


def files(studies: Sequence[Study] = STUDIES) -> list[str]:
    """Of all studies, each once."""
    return sorted({name for study in studies for group in study.groups for name in group})
