"""What each change to a learner is worth: the changed one beside the one it is changed from, seed by seed.

python leaderboards/ablation.py            writes tables into README.md of the folders, of what was played
python leaderboards/ablation.py STUDY…     plays what is missing of these: transition-q, sarsa, training
python leaderboards/ablation.py --list     what each of them plays

Learners are trained with the same ten seeds, and all of a study meet the same opponents from the same
openings. Differences are of the score against all opponents, between learners of one seed: Student's t over
seeds, and probabilities after Holm (1979), of all comparisons in the tables of a page.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from curves import table

import arena
from arena.ratings.comparison import Mean, holm, mean_of, paired
from arena.registry.plugins import registry
from arena.show.curve import read_one
from arena.training.learners import untrained

HERE = Path(__file__).parent
RULES = "checkers:capture_to_win=true,repetition=0,quiet_plies=0"  # of "Checkers-Reinforcement-Learning"
SEEDS = 10
OPENINGS = "random:4"

# what a change to transition-q is, by the name it has on the page
CHANGES = {
    "replies": "replies=true",
    "learning rate .02": "alpha=.02",
    "first value 0": "first_value=0",
    "ends as targets": "ending=target",
    "discount .95": "discount=.95",
    "epsilon .1": "epsilon=.1",
}
DETERMINED = "opponent=(alpha-beta:depth=2,evaluation=(material),ties=first,wins=any)"
PUBLISHED = f"decided=alone,ties=last,later=known,seats=first,{DETERMINED}"
TRAINED = {  # of the games in training
    "as published": PUBLISHED,
    "default": "",
    "all six changes": ",".join(CHANGES.values()),
}
AS_LONG = {"depths 3 v 1, as long": 4800}  # games, which take as long as 2000 at depths 3 v 3
ABOUT = {  # above the tables of a page that says nothing of them by itself
    "sarsa": (
        "## Each choice by itself",
        "",
        "Sarsa with our own schedule of 2,000 games at equal depths and one random move in twenty, and",
        "the same with one change: scores in per cent for ten seeds each, with 25 matches from either",
        "seat, from random openings. Settings that the document does not specify (the reward of a move, the",
        "value of a draw, the initial weights) are options. ± is the 95 % interval of the mean over seeds",
        "(Student's t). Differences are between learners with the same seed; p has Holm's correction for all",
        "comparisons of these tables.",
        "`python leaderboards/ablation.py sarsa` plays the matches.",
        "",
    )
}
BEGIN, END = "<!-- written by ablation.py -->", "<!-- to there -->"
COUNTED = ("name", "seed", "games", "won", "lost", "tied", "transitions")


@dataclass(frozen=True)
class Study:
    """Learners, by what is changed, and whom they meet: `matches` from either seat, from openings.

    entries: options by name. families: of each table the title, whom all in it are compared with, and these.
    points: how many games are learned from, where that is not `episodes`.
    """

    agent: str
    folder: str
    game: str
    entries: Mapping[str, str]
    families: Mapping[str, tuple[str, Sequence[str]]]
    points: Mapping[str, int]
    episodes: int
    opponents: Sequence[str]
    matches: int

    def path(self, name: str, to: Path) -> Path:
        """The file of a learner."""
        kept = "".join(letter for letter in name if letter.isalnum() or letter == " ")
        return to / self.folder / "ablation" / f"{kept.replace(' ', '-')}.csv"

    def learned(self, name: str) -> int:
        """How many games a learner learns from."""
        return self.points.get(name, self.episodes)

    def entry(self, name: str) -> str:
        """A learner as it is entered."""
        options = self.entries[name]
        return f"{self.agent}:episodes={self.learned(name)}" + (f",{options}" if options else "")


def transition_q() -> Study:
    """Each of six changes alone, and all but each."""
    entries = {"default": "", "all six changes": ",".join(CHANGES.values())}
    for name, change in CHANGES.items():
        entries[f"only {name}"] = change
        entries[f"without {name}"] = ",".join(other for other in CHANGES.values() if other != change)
    entries["replies and first value 0"] = f"{CHANGES['replies']},{CHANGES['first value 0']}"
    entries["as published"] = PUBLISHED
    families = {
        "Each change alone": ("default", [f"only {name}" for name in CHANGES]),
        "All changes but one": ("all six changes", [f"without {name}" for name in CHANGES]),
        "The two changes without which it is worse": ("all six changes", ["replies and first value 0"]),
        "All changes, and the published form": ("default", ["all six changes", "as published"]),
    }
    met = [f"alpha-beta:depth={depth},evaluation=material" for depth in (1, 2, 3)]
    return Study("transition-q", "checkers", RULES, entries, families, {}, 2500, met, 50)


def sarsa() -> Study:
    """How much chance there is in training, how deep both search, and what the document leaves open."""
    chance = {name: f"epsilon_floor={name.split()[1]}" for name in ("epsilon 0", "epsilon .01", "epsilon .1")}
    depths = {
        "depths 3 v 1": "schedule=1x3v1@.001",
        "depths 3 v 1, as long": "schedule=1x3v1@.001",
        "depths 3 v 2": "schedule=1x3v2@.001",
    }
    schedules = {"schedule of the document": "schedule=document"}
    left_open = {"reward -.01": "reward=-.01", "draw .5": "draw=.5", "first weight .1": "first_weight=.1"}
    families = {
        "Chance in training": chance,
        "Depths in training": depths,
        "Schedule": schedules,
        "What the document leaves open": left_open,
    }
    return Study(
        "sarsa", "connect-four", "connect-four",
        {"default": "", **chance, **depths, **left_open, **schedules},
        {title: ("default", [*family]) for title, family in families.items()},
        AS_LONG, 2000, ["alpha-beta:depth=4"], 25,
    )  # fmt: skip


STUDIES = {"transition-q": transition_q(), "sarsa": sarsa()}


def play(study: Study, to: Path, only: str, seeds: int, matches: int, episodes: int) -> None:
    """Train and play what is missing; 0 for what is as the study has it. only: a learner's name, or all."""
    for name in [only] if only else study.entries:
        path = study.path(name, to)
        path.parent.mkdir(parents=True, exist_ok=True)
        n = episodes or study.learned(name)
        arena.curve(
            study.entry(name), path, game=study.game, against=study.opponents, seeds=seeds, points=[n],
            matches=matches or study.matches, openings=OPENINGS, executor="serial", progress=False,
        )  # fmt: skip
        print(f"{study.entry(name)}: {path}", flush=True)


def train(to: Path, only: str, seeds: int, episodes: int) -> None:
    """Count how the games in training end, as the published program did."""
    rows = []
    for name, options in TRAINED.items():
        if only not in ("", name):
            continue
        for seed in range(seeds):
            entry = f"transition-q:seed={seed}" + (f",{options}" if options else "")
            learner = untrained(registry().spec("agent", entry), registry().spec("game", RULES))
            tally = [0, 0, 0]
            learner.learn_many(range(episodes), tally)
            lost, tied, won = tally
            rows.append([name, seed, episodes, won, lost, tied, len(learner.model()["values"])])
    path = to / "checkers" / "ablation" / "training.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COUNTED, *rows])


# --- what came out -------------------------------------------------------------------------------------


def scores(study: Study, name: str) -> dict[int, list[float]]:
    """Per cent of the score by seed, against each opponent; both seats count alike."""
    results = read_one(str(study.path(name, HERE)))
    return {
        seed: [
            100 * statistics.fmean(r.score for r in results if (r.seed, r.opponent) == (seed, opponent))
            for opponent in study.opponents
        ]
        for seed in sorted({r.seed for r in results})
    }


class Change(NamedTuple):
    """What a change is worth: score by opponent, difference of all, its probability by chance."""

    name: str
    scores: list[Mean]
    difference: Mean
    chance: float


def change(study: Study, base: str, name: str) -> Change:
    """One learner beside the one that it is compared with, its probability not corrected."""
    held, changed = scores(study, base), scores(study, name)
    differences = [statistics.fmean(changed[seed]) - statistics.fmean(held[seed]) for seed in held]
    by_opponent = [mean_of(column) for column in zip(*changed.values(), strict=True)]
    return Change(name, by_opponent, mean_of(differences), paired(differences))


def changes(study: Study) -> dict[str, list[Change]]:
    """By title of a table that is whole its changes; probabilities are corrected for all of them."""
    found = {
        title: [change(study, base, name) for name in names]
        for title, (base, names) in study.families.items()
        if all(whole(study, name) for name in (base, *names))
    }
    corrected = iter(holm([one.chance for family in found.values() for one in family]))
    return {
        title: [one._replace(chance=next(corrected)) for one in family] for title, family in found.items()
    }


def whole(study: Study, name: str) -> bool:
    """Whether a learner's matches have been played, with all its seeds."""
    path = study.path(name, HERE)
    return path.exists() and len({r.seed for r in read_one(str(path))}) == SEEDS


def tables(study: Study) -> Iterator[str]:
    """A table for each family, the one that all in it are compared with first."""
    heads = ["agent", "games", *study.opponents, "difference", "p"]
    for title, family in changes(study).items():
        base, _ = study.families[title]
        held = [f"{mean_of(column):.1f}" for column in zip(*scores(study, base).values(), strict=True)]
        rows = [[base, f"{study.learned(base):,}", *held, "", ""]]
        for one in family:
            cells = [f"{told:.1f}" for told in one.scores]
            p = "< .001" if one.chance < 0.001 else f"{one.chance:.3f}".removeprefix("0")
            rows.append([one.name, f"{study.learned(one.name):,}", *cells, f"{one.difference:+.1f}", p])
        yield from (f"### {title}", "", *table(heads, rows), "")


def counted() -> dict[str, list[dict[str, int]]]:
    """How the games in training ended, of each seed, by the learner's name."""
    found: dict[str, list[dict[str, int]]] = {}
    with (HERE / "checkers" / "ablation" / "training.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = row.pop("name")
            found.setdefault(name, []).append({key: int(value) for key, value in row.items()})
    return found


def trained() -> Iterator[str]:
    """The games in training beside the published ones."""
    heads = ["agent", *COUNTED[3:]]
    rows = [["the published program", "0", "1557", "942", "24308"]]
    for name, seeds in counted().items():
        rows.append([name, *(f"{mean_of([row[key] for row in seeds]):.1f}" for key in heads[1:])])
    yield from ("### Games in training", "", *table(heads, rows), "")


def entered(study: Study) -> Iterator[str]:
    """How the learners of a study are entered."""
    yield from ("| agent | entered as |", "| --- | --- |")
    for name in filter(partial(whole, study), study.entries):
        yield f"| {name} | `{study.entry(name)}` |"
    yield ""


def written(title: str) -> tuple[Path, str]:
    """The page of a study's folder with what came out between the marks, and where it is."""
    study = STUDIES[title]
    path = HERE / study.folder / "README.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    after = rest.partition(END)[2]
    shown = list(tables(study))
    body = [*(trained() if title == "transition-q" else ()), *shown, *(entered(study) if shown else ())]
    if shown and title in ABOUT:
        body = [*ABOUT[title], *body]
    return path.relative_to(HERE), "\n".join([before + BEGIN, "", *body, END + after])


def listing() -> None:
    """Print what the studies play."""
    for title, study in STUDIES.items():
        print(f"{title}, at {study.game}, against {' and '.join(study.opponents)}:")
        for name in study.entries:
            print(f"    {name:26} {study.entry(name)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--list", action="store_true", help="what each of them plays")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of leaderboards")
    parser.add_argument("--only", default="", metavar="NAME", help="this learner of the studies")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="learners of each kind")
    parser.add_argument("--matches", type=int, default=0, help="from either seat, in place of the study's")
    parser.add_argument(
        "--episodes", type=int, default=0, help="games to learn from, in place of the study's"
    )
    options = parser.parse_args()
    for title in {*options.studies} - {*STUDIES, "training"}:
        parser.error(f"there is no study {title!r}; known: {', '.join([*STUDIES, 'training'])}")
    if options.list:
        listing()
    if not options.studies and not options.list:
        for title in STUDIES:
            name, text = written(title)
            (options.to / name).write_text(text, encoding="utf-8")
    for title in options.studies:
        if title == "training":
            train(options.to, options.only, options.seeds, options.episodes or 2500)
        else:
            how = (options.only, options.seeds, options.matches, options.episodes)
            play(STUDIES[title], options.to, *how)


if __name__ == "__main__":
    main()
