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
    "What the paper leaves open is taken from its program. Self-play knows no draws by rule; a training match"
    " that reaches its last ply teaches 0. The learning rate of 0.1, the probability of a random move of 0.5,"
    " and the discount that rises from 0.1 to 1 are the program's. A capture votes on another if it has the"
    " same path and takes pieces of the same kinds, where the paper asks for the same relative direction"
    " alone."
)

FIRST = (
    "A draw is not won. The paper draws when a position comes for the third time and after 100 turns without"
    " a capture, as `checkers` does here; its program does neither, so that its figures go with those without"
    " draws."
)

MENDED = (
    "The published program has the sign of keep-training's rewards wrong where white is to move; it is"
    " mended here. [The headline of the paper rests on this sign](#keep-training): with it keep-training"
    " loses nearly always as white, mended it wins as often as from the other seat."
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
        "Per cent of matches won against random play, by games of training, beside the figures of"
        f" {published['source']}; [program]({published['program']}). These are of"
        f" {published['matches']} matches each, half as either colour. Ours are means over seeds, ± 95 %"
        " (Student's t), or with their range where that would exceed 100."
        " [All numbers of the paper](published.csv) stand beside ours in a file."
    )
    yield from ("", *in_short(folder, found, published), "", FIRST, "", CONDITIONS, "")
    yield from (f"- **{name}** {ABOUT[name]}: `{entries[name]}`" for name in met)
    yield from ("", MENDED)
    yield from ("", "![Matches won by games of training](wins.svg)")


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
        f"- Votes by boards, `psv`, win {said(psv[5000])} after 5,000 games, and {said(psv[last])} after"
        f" {last:,}; {agree} of the {len(points)} published points are [compatible](published.csv) with"
        f" that, and the whole curve is (p {test.p:.2f}; {sees(test)}). After {most:,} it is"
        f" {said(psv[most])}."
    )
    yield f"- Without votes it is {said(random[last])} after {last:,} games, `q-random`."
    means = [won(results).mean for results in keep.values()]
    yield (
        f"- Keep-training, with the sign of its rewards mended, wins {min(means):.1f} to {max(means):.1f}"
        f" after {min(keep):,} to {max(keep):,} games."
    )
    few = next(n for n in lines if won(lines[n]).mean > 99)
    means = [won(results).mean for n, results in lines.items() if n >= few]
    yield f"- Votes by lines, which are ours, win {min(means):.1f} to {max(means):.1f} from {few:,} games on."
    by_lines, by_boards = (
        of_seeds([*scores(read_one(str(folder / f"{name}.csv")))[DEEPEST].values()])
        for name in ("lines/whole", "zeros/without")
    )
    yield (
        f"- Against `{DEEPEST}`, with draws, after 10,000 games, votes by lines have {by_lines} % of the"
        f" score, votes by boards {by_boards} %."
    )


def keep_training(folder: Path, published: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "## Keep-training", "")
    yield (
        "Per cent won in tests as the program plays them: 100 matches one after another, the first half as"
        " black, of ten seeds after 1,000 games of training and of three after more."
        " `keep-training:published=true` has the program's sign of rewards. What is learned in one match"
        " lasts in the program; an agent of arena forgets it, as a match does not depend on others. The two"
        " differences, each with and without the other:"
    )
    yield from ("", *keep.keep_table(keep.read(folder), known(published, "wins", "keep-training")), "")
    yield "Whether learning lasts makes little difference; the sign makes nearly all of it."


def boards_turned(folder: Path, found: Mapping[str, Mapping[str, Curve]]) -> Iterator[str]:
    yield from ("", "## Symmetries", "")
    yield (
        "What it brings that known moves vote under symmetries of the board as well, without draws: won by"
        " psv as it is, and with `symmetry`."
    )
    files = [read_one(str(path)) for path in sorted(folder.glob("turned/*.csv"))]
    yield from ("", *turned(files, found["without draws"]["psv"]))


def covered(folder: Path) -> Iterator[str]:
    rows, shares = breadth.read(folder)
    yield from ("", "## Positions covered", "")
    yield (
        "How many positions and moves are known after training, and how many of the positions are that `psv`"
        f" meets in {breadth.MATCHES} matches against random play, without draws."
    )
    yield from ("", "![Positions covered in training](breadth.svg)", "", *breadth.breadth_table(rows, shares))
    yield from (
        "",
        "What that takes: the table as it is, with its index; if it kept the moves without a value as",
    )
    yield "well; and what all of it says, added up once, with these moves and without."
    yield from ("", *breadth.memory_table(rows))


def times(measured: Times, published: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "## Seconds a match", "")
    yield (
        "CPU time of a match against random play, without draws, compiled: mean and standard deviation (sd)"
        " over matches. It leaves out how long it takes to gather the votes of the table, once, when the"
        " agent is made. What was published is of another machine."
    )
    yield from ("", "![Seconds a match by games of training](seconds.svg)", "")
    yield from seconds_table(measured, published)


def parts(folder: Path) -> Iterator[str]:
    yield from ("", "## What helps", "")
    yield (
        "Entries after 10,000 games of training, ten seeds each: per cent of the score, ± 95 % (Student's t),"
        " and by how much that is more than what the first line of its kind scores, seed by seed. Matches"
        " begin after four random moves, and draws count half. The p values of a table are adjusted together"
        " (Holm 1979)."
    )
    for study in STUDIES:
        yield from ("", f"### {study.heading}", "", study.text, "", *study_table(study, folder))


def others(folder: Path) -> Iterator[str]:
    yield from ("", "## Other games", "")
    yield "Per cent of the score, ten seeds, ± 95 % (Student's t)."
    paths = sorted(folder.glob("games/*.csv"))
    yield from ("", *games.games_table(paths), "", games.drawn(paths))


def tournaments() -> Iterator[str]:
    yield from ("", "## Tournaments", "")
    yield (
        "[Ten seeds of each learner, against search and others](../checkers.md), and [after a million games"
        " of training](million.md)."
    )


def again() -> Iterator[str]:
    yield from ("", "## The same again", "")
    yield (
        "`python leaderboards/reproduce.py psv` makes all of this again; [results.toml](results.toml) has the"
        " commands."
    )


def curve_files(folder: Path) -> Sequence[Path]:
    """The learning curves, those of the figure first."""
    top = [path for path in sorted(folder.glob("*.csv")) if is_curve(path)]
    return [*top, *(path for name in BELOW for path in sorted(folder.glob(f"{name}/*.csv")))]


def is_curve(path: Path) -> bool:
    """Whether a file is a learning curve."""
    return path.read_text(encoding="utf-8").startswith("entry,")
