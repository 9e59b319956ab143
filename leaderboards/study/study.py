"""The best learner for a budget of training: tunes, trains and has the families of `families.toml` play.

    python leaderboards/study/study.py                                      all that is lacking, at any budget
    python leaderboards/study/study.py --game checkers --budget 1 --family psv --seeds 5
    python leaderboards/study/study.py --moves                              how long all take for a move, anew

It writes what it has come to row by row, and goes on from there when it is started again. Episodes are
measured where `episodes.csv` lacks them. With that file all else is decided, but for times.
"""

from __future__ import annotations

import argparse
import shutil
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean

from calibration import calibrated
from meeting import met
from pace import fastest_moves
from protocol import Configuration, Family, Game, Protocol
from rows import Rows
from training import trained

from arena import ArenaError

FOLDER = Path(__file__).parent
REFERENCE = "search"  # the family of entries that do not learn


class Study:
    """The rows of a study, and what adds to them.

    episodes: of each configuration in a budget. tuning: the score of each in a stage. scores: matches against
    each opponent, of each seed. seconds: of training. moves: seconds for one of the first seed's, and of who
    does not learn, measured side by side.
    """

    def __init__(self, protocol: Protocol, folder: Path) -> None:
        self.protocol = protocol
        here = ("game", "family", "budget")
        self.episodes = Rows(
            folder / "episodes.csv", (*here, "configuration"), ("episodes", "run", "run_seconds")
        )
        self.tuning = Rows(
            folder / "tuning.csv", (*here, "stage", "configuration"), ("seed", "episodes", "entry", "score")
        )
        self.scores = Rows(
            folder / "scores.csv", (*here, "seed", "opponent"), ("entry", "wins", "draws", "losses")
        )
        self.seconds = Rows(folder / "seconds.csv", (*here, "seed"), ("training",))
        self.moves = Rows(folder / "moves.csv", here, ("entry", "move"))

    def run(self, game: Game, family: Family, budget: float, seeds: int) -> None:
        """All that is lacking of a family at a game with a budget."""
        number = self.tuned(game, family, budget)
        for seed in range(1, seeds + 1):
            self.evaluate(game, family, budget, number, seed)

    def episodes_of(self, game: Game, family: Family, budget: float, number: int) -> int:
        """How many a configuration has in a budget, measured if that was not done."""
        row = self.episodes.get(game.name, family.name, short(budget), number)
        if row is None:
            configuration = self.configuration(family, number)
            found = calibrated(
                lambda episodes: family.learner_entry(configuration, episodes, 0),
                game.name,
                budget,
                family.most,
            )
            key = game.name, family.name, short(budget), number
            row = self.episodes.add(key, (found.episodes, found.run, f"{found.seconds:.3g}"))
        return int(row["episodes"])

    def configuration(self, family: Family, number: int) -> Configuration:
        return self.protocol.configurations_of(family)[number]

    def tuned(self, game: Game, family: Family, budget: float) -> int:
        """The number of the configuration that comes out best of the last stage; of equals the first."""
        numbers = list(range(len(self.protocol.configurations_of(family))))
        for stage in range(len(self.protocol.shares)):
            scores = {number: self.tuning_score(game, family, budget, stage, number) for number in numbers}
            numbers = sorted(numbers, key=lambda number: -scores[number])[: self.protocol.kept]
        return numbers[0]

    def tuning_score(self, game: Game, family: Family, budget: float, stage: int, number: int) -> float:
        """The mean over the tuning opponents, from 0 to 1."""
        row = self.tuning.get(game.name, family.name, short(budget), stage + 1, number)
        if row is None:
            part = self.protocol.shares[stage] * budget
            episodes = self.episodes_of(game, family, part, number)
            configuration, seed = self.configuration(family, number), self.protocol.tuning_seeds[stage]
            entry = family.entry(configuration, episodes, seed)
            with trained(family.learner_entry(configuration, episodes, seed), game.name):
                found = [one.score for one in met(entry, game.tuning, game, self.protocol.matches, seed)]
            key = game.name, family.name, short(budget), stage + 1, number
            row = self.tuning.add(key, (seed, episodes, entry, f"{fmean(found):.6f}"))
        return float(row["score"])

    def evaluate(self, game: Game, family: Family, budget: float, number: int, seed: int) -> None:
        """Train a configuration with a seed, and have it meet the gauntlet."""
        here = game.name, family.name, short(budget), seed
        if all(self.scores.get(*here, opponent) for opponent in game.gauntlet):
            return
        episodes, configuration = (
            self.episodes_of(game, family, budget, number),
            self.configuration(family, number),
        )
        with trained(family.learner_entry(configuration, episodes, seed), game.name) as seconds:
            self.meet(game, here, family.entry(configuration, episodes, seed), f"{seconds:.3g}")

    def meet(self, game: Game, here: tuple[str, str, str, int], entry: str, training: str) -> None:
        """Have an entry meet the gauntlet; its time is noted first, so that scores are there last."""
        if not self.seconds.get(*here):
            self.seconds.add(here, (training,))
        for one in met(entry, game.gauntlet, game, self.protocol.matches, here[-1]):
            self.scores.add((*here, one.opponent), (entry, one.wins, one.draws, one.losses))

    def refer(self, game: Game, seeds: int) -> None:
        """Have the entries that do not learn meet the gauntlet, from the openings that learners have."""
        for entry in game.references:
            for seed in range(1, seeds + 1):
                here = game.name, f"{REFERENCE} {entry}", "0", seed
                if not all(self.scores.get(*here, opponent) for opponent in game.gauntlet):
                    self.meet(game, here, entry, "0")

    def time_moves(self, game: Game, budget: float) -> None:
        """Measure a move of whoever has met the gauntlet, all side by side, learners trained once more."""
        met = [
            row for row in self.scores.having(game=game.name, seed=1) if row["opponent"] == game.gauntlet[0]
        ]
        learn = {row["family"]: row["entry"] for row in met if row["budget"] == short(budget)}
        if not learn:
            return
        search = {row["family"]: row["entry"] for row in met if row["budget"] == "0"}
        with ExitStack() as kept:
            for name in learn:
                family = self.protocol.families[name]
                number = self.tuned(game, family, budget)
                episodes = self.episodes_of(game, family, budget, number)
                learner = family.learner_entry(self.configuration(family, number), episodes, 1)
                kept.enter_context(trained(learner, game.name))
            entries = learn | search
            for name, move in zip(entries, fastest_moves([*entries.values()], game), strict=True):
                self.moves.add((game.name, name, short(budget)), (entries[name], f"{move:.3g}"))


def short(budget: float) -> str:
    """Seconds as the files have them."""
    return f"{budget:.6g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--game", action="append", help="this game alone; may be repeated, as may the next two"
    )
    parser.add_argument(
        "--family", action="append", help="this family alone; 'search' for who does not learn"
    )
    parser.add_argument("--budget", type=float, action="append", help="this budget alone, in seconds")
    parser.add_argument("--seeds", type=int, help="of training, in place of all that the protocol has")
    parser.add_argument(
        "--protocol", type=Path, default=FOLDER / "families.toml", help="another file of this kind"
    )
    parser.add_argument("--to", type=Path, default=FOLDER, help="where results are, in place of this folder")
    parser.add_argument("--episodes", type=Path, help="a file of episodes to begin with, where there is none")
    parser.add_argument("--moves", action="store_true", help="measure how long moves take, and no more")
    options = parser.parse_args()
    protocol = Protocol.read(options.protocol)
    options.to.mkdir(parents=True, exist_ok=True)
    if options.episodes and not (options.to / "episodes.csv").exists():
        shutil.copyfile(options.episodes, options.to / "episodes.csv")
    known = {*protocol.families, REFERENCE}
    for name in {*(options.family or ())} - known:
        parser.error(f"there is no family {name!r}; known: {', '.join(sorted(known))}")
    for name in {*(options.game or ())} - {*protocol.games}:
        parser.error(f"there is no game {name!r}; known: {', '.join(protocol.games)}")
    study, seeds = Study(protocol, options.to), options.seeds or protocol.seeds
    for game in protocol.games.values():
        if options.game and game.name not in options.game:
            continue
        if options.moves:
            for budget in options.budget or game.budgets:
                print(f"{game.name}, {budget:g} s: moves", flush=True)
                study.time_moves(game, budget)
            continue
        if not options.family or REFERENCE in options.family:
            study.refer(game, seeds)
        for budget in game.budgets:
            for family in protocol.at(game.name):
                if (options.budget or [budget]).count(budget) and (options.family or [family.name]).count(
                    family.name
                ):
                    if not family.installed:
                        print(f"{family.name} is left out: pip install ./{family.plugin}", flush=True)
                        continue
                    print(f"{game.name}, {budget:g} s: {family.name}", flush=True)
                    study.run(game, family, budget, seeds)


if __name__ == "__main__":
    try:
        main()
    except ArenaError as error:
        raise SystemExit(f"Error: {error}") from error
