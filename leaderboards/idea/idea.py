"""Votes by lines against linear weights of the same lines, by the protocol of README.md.

    python leaderboards/idea/idea.py GAME SETTING    plays what is missing
    python leaderboards/idea/idea.py --page          writes the results into README.md

What is played is kept row by row in tuning.csv and scores.csv, and not played again. episodes.csv has how
many games a learner has in the seconds of the protocol.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "study"), str(HERE.parent)]

from calibration import calibrated  # noqa: E402
from curves import table  # noqa: E402
from meeting import met  # noqa: E402
from protocol import Game  # noqa: E402
from rows import Rows  # noqa: E402
from scores_plot import plot  # noqa: E402
from training import trained  # noqa: E402

from arena.ratings.comparison import Mean, holm, mean_of, paired  # noqa: E402

LEARNERS, GAMES, SETTINGS = ("votes", "td-lines"), ("checkers", "othello"), ("games", "seconds")
NAMES = (*LEARNERS, "votes by default")
FIGURE = "scores.svg"
CHANGES_GAMES = ("capture", "epsilon")  # options that are not tuned with the same games
OF_TABLE = ("capture", "gamma")  # options of votes that are those of its learner
BEGIN, END = "<!-- written by idea.py -->", "<!-- to here -->"

Configuration = Mapping[str, Any]


class Experiment:
    """A game and a setting of the protocol: what is tuned, trained and met."""

    def __init__(self, told: Mapping[str, Any], game: str, setting: str, folder: Path) -> None:
        self.told, self.game, self.setting = told, game, setting
        here = ("game", "setting", "learner")
        self.episodes = Rows(folder / "episodes.csv", (*here, "configuration"), ("episodes",))
        self.tuning = Rows(folder / "tuning.csv", (*here, "configuration", "seed"), ("entry", "score"))
        self.scores = Rows(
            folder / "scores.csv", (*here, "seed", "opponent"), ("entry", "wins", "draws", "losses")
        )

    def configurations(self, learner: str) -> list[Configuration]:
        """The default and others drawn, as many as the protocol has or all that there are."""
        space = {
            name: values
            for name, values in self.told[learner].items()
            if self.setting == "seconds" or not self.fixes(learner, name)
        }
        every = [dict(zip(space, values, strict=True)) for values in product(*space.values())]
        drawn = random.Random(f"{self.told['seed']} {self.game} {self.setting} {learner}")
        return [every[0], *drawn.sample(every[1:], min(self.told["configurations"] - 1, len(every) - 1))]

    def fixes(self, learner: str, name: str) -> bool:
        """Whether an option would change the games that both learn from."""
        return name in CHANGES_GAMES or (learner == "votes" and name in OF_TABLE)

    def learner(self, learner: str, configuration: Configuration, episodes: int, seed: int) -> str:
        """What is trained."""
        if learner == "td-lines":
            options = {**configuration, "games": "own" if self.setting == "seconds" else "table"}
            turned = self.told["symmetry"][self.game]
            return f"td-lines:episodes={episodes},seed={seed},{written(options)},symmetry=({turned})"
        options = {name: value for name, value in configuration.items() if name in OF_TABLE}
        return f"q-backprop:episodes={episodes},seed={seed}" + (f",{written(options)}" if options else "")

    def entry(self, learner: str, configuration: Configuration, episodes: int, seed: int) -> str:
        """What plays."""
        trained = self.learner(learner, configuration, episodes, seed)
        if learner == "td-lines":
            return trained
        options = {name: value for name, value in configuration.items() if name not in OF_TABLE}
        turned = self.told["symmetry"][self.game]
        return f"psv:learner=({trained}),rule=lines,known=votes,symmetry=({turned}),{written(options)}"

    def games_of(self, learner: str, number: int) -> int:
        """How many games a configuration learns from."""
        if self.setting == "games":
            return int(self.told["games"])
        key = self.game, self.setting, learner, number
        row = self.episodes.get(*key)
        if row is None:
            configuration = self.configurations(learner)[number]
            entry = partial(self.learner, learner, configuration)
            found = calibrated(lambda episodes: entry(episodes, 0), self.game, self.told["seconds"], None)
            row = self.episodes.add(key, (found.episodes,))
        return int(row["episodes"])

    def play(
        self, learner: str, number: int, seed: int, opponents: Sequence[str]
    ) -> Iterator[tuple[str, Any]]:
        """Train a configuration with a seed, and have it meet these; the entry with what came of each."""
        configuration, episodes = self.configurations(learner)[number], self.games_of(learner, number)
        entry = self.entry(learner, configuration, episodes, seed)
        game = Game(self.game, (), self.told["openings"], (), (), ())
        with trained(self.learner(learner, configuration, episodes, seed), self.game):
            for one in met(entry, opponents, game, 2 * self.told["matches"], seed):
                yield entry, one

    def tuned(self, learner: str) -> int:
        """The number of the configuration with the best mean score, of equals the first."""
        means = []
        for number in range(len(self.configurations(learner))):
            scores = [self.tuning_score(learner, number, seed) for seed in self.told["tuning_seeds"]]
            means.append(fmean(scores))
        return means.index(max(means))

    def tuning_score(self, learner: str, number: int, seed: int) -> float:
        key = self.game, self.setting, learner, number, seed
        row = self.tuning.get(*key)
        if row is None:
            found = list(self.play(learner, number, seed, self.told["tuning"]))
            row = self.tuning.add(key, (found[0][0], f"{fmean(one.score for _, one in found):.6f}"))
        return float(row["score"])

    def run(self) -> None:
        """All that is missing: the tuned learners, and votes as they are by default."""
        for name, learner, number in (
            *((learner, learner, self.tuned(learner)) for learner in LEARNERS),
            ("votes by default", "votes", 0),
        ):
            for seed in range(self.told["seeds"]):
                here = self.game, self.setting, name, seed
                if not all(self.scores.get(*here, opponent) for opponent in self.told["final"]):
                    for entry, one in list(self.play(learner, number, seed, self.told["final"])):
                        self.scores.add((*here, one.opponent), (entry, one.wins, one.draws, one.losses))
                print(f"{self.game}, {self.setting}: {name}, seed {seed}", flush=True)

    def by_seed(self, name: str) -> list[float]:
        """The mean score over opponents of each seed, per cent."""
        opponents = [self.against(name, opponent) for opponent in self.told["final"]]
        return [fmean(scores) for scores in zip(*opponents, strict=False)]

    def against(self, name: str, opponent: str) -> list[float]:
        """The score of each seed against an opponent, per cent."""
        found = self.scores.having(game=self.game, setting=self.setting, learner=name, opponent=opponent)
        return [score(*(int(row[how]) for how in ("wins", "draws", "losses"))) for row in found]


def written(options: Configuration) -> str:
    """Options as an entry has them."""
    return ",".join(f"{name}={value}" for name, value in options.items())


def score(wins: int, draws: int, losses: int) -> float:
    """Per cent; a draw counts as half a win."""
    return 100 * (wins + draws / 2) / (wins + draws + losses)


def page(told: Mapping[str, Any], folder: Path) -> tuple[list[str], str]:
    """The results as lines and as a figure, once all parts are run: their p-values are adjusted together."""
    every = {
        (game, setting): Experiment(told, game, setting, folder) for game, setting in product(GAMES, SETTINGS)
    }
    scores = {part: {name: of.by_seed(name) for name in NAMES} for part, of in every.items()}
    done = [part for part, found in scores.items() if all(len(of) == told["seeds"] for of in found.values())]
    if len(done) < len(every):
        named = ", ".join(f"{game} with the same {setting}" for game, setting in done) or "none"
        return [f"None yet, because p-values are adjusted over all four parts. Completed parts: {named}."], ""
    titles = {part: f"{part[0]}, the same {part[1]}" for part in every}
    differences = [[a - b for a, b in zip(*list(of.values())[:2], strict=True)] for of in scores.values()]
    held = holm([paired(difference) for difference in differences])
    lines = [
        [titles[part], *(shown(mean_of(of)) for of in found.values()), shown(mean_of(less)), chance(p)]
        for (part, found), less, p in zip(scores.items(), differences, held, strict=True)
    ]
    apart = [
        [titles[part], opponent, *(shown(mean_of(of.against(name, opponent))) for name in NAMES)]
        for part, of in every.items()
        for opponent in told["final"]
    ]
    chosen = [
        [titles[part], learner, f"`{written(of.configurations(learner)[number])}`", f"{games:,}"]
        for part, of in every.items()
        for learner in LEARNERS
        for number in [of.tuned(learner)]
        for games in [of.games_of(learner, number)]
    ]
    text = [
        f"![Score of each learner in each part]({FIGURE})",
        "",
        "Scores in per cent, ± 95 % (Student's t); differences seed by seed.",
        "",
        *table(["part", *NAMES, "votes less td-lines", "p, Holm"], lines),
        "",
        "By opponent:",
        "",
        *table(["part", "opponent", *NAMES], apart),
        "",
        "The tuned configurations, and the number of games that each learns from:",
        "",
        *table(["part", "learner", "options", "games"], chosen),
    ]
    return text, plot({titles[part]: found for part, found in scores.items()})


def shown(mean: Mean) -> str:
    return f"{mean:.1f}"


def chance(p: float) -> str:
    """A p-value with four digits, or `< 0.0001`."""
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", nargs="?", choices=GAMES, metavar="GAME")
    parser.add_argument("setting", nargs="?", choices=SETTINGS, metavar="SETTING")
    parser.add_argument("--page", action="store_true", help="write README.md")
    parser.add_argument("--protocol", type=Path, default=HERE / "protocol.toml", help="another of this kind")
    parser.add_argument("--to", type=Path, default=HERE, help="where results are, in place of this folder")
    asked = parser.parse_args()
    told = tomllib.loads(asked.protocol.read_text(encoding="utf-8"))
    if asked.page:
        before, rest = (HERE / "README.md").read_text(encoding="utf-8").split(BEGIN)
        lines, drawn = page(told, HERE)
        text = "\n".join([before + BEGIN, "", *lines, "", END + rest.partition(END)[2]])
        (asked.to / "README.md").write_text(text, encoding="utf-8")
        if drawn:
            (asked.to / FIGURE).write_text(drawn, encoding="utf-8")
    elif asked.game and asked.setting:
        asked.to.mkdir(parents=True, exist_ok=True)
        Experiment(told, asked.game, asked.setting, asked.to).run()
    else:
        parser.error("name a game and a setting, or --page")


if __name__ == "__main__":
    main()
