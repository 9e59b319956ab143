"""README.md of the results of Prior State Voting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from curves import entry
from voting import breadth, games, keep
from voting.numbers import figure_4, sees, tests_of_curves
from voting.seconds import Times, seconds_table
from voting.shares import of_seeds
from voting.studies import DEEPEST, STUDIES, scores, study_table
from voting.wins import ABOUT, NAMES, Curve, apart, beside, known, said, turned, won

from arena.show.curve import read_one

CONDITIONS = (
    "Settings that the paper does not specify are taken from its program. Self-play has no draw rules; a "
    "training match that reaches its maximum length has a reward of 0. The learning rate of 0.1, the "
    "probability of a random move of 0.5, and the discount that rises from 0.1 to 1 are those of the "
    "program. A capture votes for another if it has the same path and captures pieces of the same kinds, "
    "while the paper requires only the same relative direction."
)

FIRST = (
    "Draws do not count as wins. In the paper, a match is drawn by the third occurrence of a position "
    "and after 100 turns without a capture, as in `checkers` here; its program implements neither rule, "
    "so its figures are compared with those without draws."
)

MENDED = (
    "In the published program, the sign of keep-training's rewards is wrong where white is to move; it "
    "is corrected here. [The main conclusion of the paper depends on this sign](#keep-training): with "
    "the wrong sign, keep-training loses nearly always as white; with the corrected sign, it wins as "
    "often as from the other seat."
)


BELOW = ("turned", "zeros", "rewards", "lines", "games")  # folders with further curves


def readme(
    folder: Path, found: Mapping[str, Mapping[str, Curve]], measured: Times, published: Mapping[str, Any]
) -> str:
    """All of README.md."""
    lines = [
        *head(folder, found, published),
        *wins(found, published),
        *keep_training(folder, published),
        *boards_turned(folder, found),
        *covered(folder),
        *times(measured, published),
        *parts(folder),
        *others(folder),
        *tournaments(),
        *again(),
    ]
    return "\n".join(lines) + "\n"


def head(
    folder: Path, found: Mapping[str, Mapping[str, Curve]], published: Mapping[str, Any]
) -> Iterator[str]:
    entries = {name: entry(text) for text, name in NAMES.items()}
    met = [name for name in NAMES.values() if any(name in here for here in found.values())]
    yield from ("# Prior State Voting at checkers", "")
    yield (
        "The table has the percentages of matches won against random play, by number of training games, "
        f"compared with the figures of {published['source']}; [program]({published['program']}). These "
        f"are of {published['matches']} matches each, half as either colour. Ours are means over seeds, ± "
        "95 % (Student's t), or with their range where the interval would exceed 100. A file compares "
        "[all numbers of the paper](published.csv) with ours."
    )
    yield from ("", *in_short(folder, found, published), "", FIRST, "", CONDITIONS, "")
    yield from (f"- **{name}** {ABOUT[name]}: `{entries[name]}`" for name in met)
    yield from ("", MENDED)
    yield from ("", "![Matches won by number of training games](wins.svg)")


def wins(found: Mapping[str, Mapping[str, Curve]], published: Mapping[str, Any]) -> Iterator[str]:
    for heading, here in found.items():
        yield from ("", f"## Won, {heading}", "", *beside(here, published), "")
        yield from ("<details><summary>From either seat</summary>", "", *apart(here), "", "</details>")


def in_short(
    folder: Path, found: Mapping[str, Mapping[str, Curve]], published: Mapping[str, Any]
) -> Iterator[str]:
    """What comes out."""
    curves = found["without draws"]
    psv, random, keep, lines = (curves[name] for name in ("psv", "q-random", "keep-training", "lines"))
    last, most = max(random), max(psv)
    points = [row.why for row in figure_4(found, published) if row.what.startswith("psv wins")]
    agree = sum(why.startswith("compatible") for why in points)
    test = tests_of_curves(found, published)["psv"]
    yield from ("**In short**, without draws, in per cent won against random play:", "")
    yield (
        f"- Votes by boards, `psv`, win {said(psv[5000])} after 5,000 games, and {said(psv[last])} after "
        f"{last:,}; {agree} of the {len(points)} published points are [compatible](published.csv) with "
        f"these results, as is the whole curve (p {test.p:.2f}; {sees(test)}). After {most:,} it is "
        f"{said(psv[most])}."
    )
    yield (
        f"- Without votes, random play in unknown positions wins {said(random[last])} after {last:,} "
        "games, `q-random`."
    )
    means = [won(results).mean for results in keep.values()]
    yield (
        f"- Keep-training, with the corrected sign of rewards, wins {min(means):.1f} to {max(means):.1f} "
        f"after {min(keep):,} to {max(keep):,} games."
    )
    few = next(n for n in lines if won(lines[n]).mean > 99)
    means = [won(results).mean for n, results in lines.items() if n >= few]
    yield (
        f"- Votes by lines, an extension of arena, win {min(means):.1f} to {max(means):.1f} from "
        f"{few:,} games on."
    )
    by_lines, by_boards = (
        of_seeds([*scores(read_one(str(folder / f"{name}.csv")))[DEEPEST].values()])
        for name in ("lines/whole", "zeros/without")
    )
    yield (
        f"- Against `{DEEPEST}`, with draws, after 10,000 games, votes by lines have {by_lines} % of the "
        f"points, votes by boards {by_boards} %."
    )


def keep_training(folder: Path, published: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "## Keep-training", "")
    yield (
        "The table has the percentages of matches won in tests as in the program: 100 matches in "
        "sequence, the first half as black, for ten seeds after 1,000 training games and for three seeds "
        "after more. `keep-training:published=true` uses the program's sign of rewards. In the program, "
        "values learned in one match are kept for the next; in arena they are discarded, because a match "
        "must not depend on others. The table shows both differences, each with and without the other:"
    )
    yield from ("", *keep.keep_table(keep.read(folder), known(published, "wins", "keep-training")), "")
    yield "Keeping learned values makes little difference; the sign explains nearly the whole difference."


def boards_turned(folder: Path, found: Mapping[str, Mapping[str, Curve]]) -> Iterator[str]:
    yield from ("", "## Symmetries", "")
    yield (
        "The effect of votes under symmetries of the board, without draws: matches won by psv without "
        "and with `symmetry`."
    )
    files = [read_one(str(path)) for path in sorted(folder.glob("turned/*.csv"))]
    yield from ("", *turned(files, found["without draws"]["psv"]))


def covered(folder: Path) -> Iterator[str]:
    rows, shares = breadth.read(folder)
    yield from ("", "## Positions covered", "")
    yield (
        "The numbers of known positions and moves after training, and the share of known positions among "
        f"those that `psv` meets in {breadth.MATCHES} matches against random play, without draws."
    )
    yield from ("", "![Positions covered in training](breadth.svg)", "", *breadth.breadth_table(rows, shares))
    yield from (
        "",
        "Memory of the table with its index; of the table if it also stored the moves without a value;",
    )
    yield "and of the summed votes, with and without these moves."
    yield from ("", *breadth.memory_table(rows))


def times(measured: Times, published: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "## Seconds per match", "")
    yield (
        "CPU time of a match against random play, without draws, compiled: mean and standard deviation "
        "(sd) over matches. It excludes the time to sum the votes of the table, once, when the agent is "
        "created. The published times are from another machine."
    )
    yield from ("", "![Seconds per match by number of training games](seconds.svg)", "")
    yield from seconds_table(measured, published)


def parts(folder: Path) -> Iterator[str]:
    yield from ("", "## What helps", "")
    yield (
        "The tables have scores in per cent after 10,000 training games, for ten seeds each, ± 95 % "
        "(Student's t), and the difference from the first row of the same kind, seed by seed. Matches "
        "begin after four random moves, and draws count half. The p-values of a table are adjusted "
        "together (Holm 1979)."
    )
    for study in STUDIES:
        yield from ("", f"### {study.heading}", "", study.text, "", *study_table(study, folder))


def others(folder: Path) -> Iterator[str]:
    yield from ("", "## Other games", "")
    yield "Scores in per cent, for ten seeds, ± 95 % (Student's t)."
    paths = sorted(folder.glob("games/*.csv"))
    yield from ("", *games.games_table(paths), "", games.drawn(paths))


def tournaments() -> Iterator[str]:
    yield from ("", "## Tournaments", "")
    yield (
        "[Ten seeds of each learner, against search and others](../checkers.md), and [after a million games"
        " of training](million.md)."
    )


def again() -> Iterator[str]:
    yield from ("", "## Reproduce the results", "")
    yield (
        "`python leaderboards/reproduce.py psv` reproduces all of these results; "
        "[results.toml](results.toml) has the commands."
    )


def curve_files(folder: Path) -> Sequence[Path]:
    """The learning curves, those of the figure first."""
    top = [path for path in sorted(folder.glob("*.csv")) if is_curve(path)]
    return [*top, *(path for name in BELOW for path in sorted(folder.glob(f"{name}/*.csv")))]


def is_curve(path: Path) -> bool:
    """Whether a file is a learning curve."""
    return path.read_text(encoding="utf-8").startswith("entry,")
