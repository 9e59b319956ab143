"""How families stand at a game after a budget of training, and which of them can be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import fmean

from protocol import Game, Protocol
from study import REFERENCE, Study

from arena.ratings.comparison import Mean, holm, mean_of, welch

LEVEL = 0.05  # of significance


@dataclass(frozen=True)
class Standing:
    """A family at a game after a budget, or an entry that does not learn.

    budget: seconds, 0 of who does not learn. scores: of each seed, the mean over the gauntlet, from 0 to 1.
    entry: who played with the first seed. configuration: its number, 0 = as by default. episodes: in the
    budget. training: CPU seconds, the mean over seeds. moves: CPU seconds for one, of the first seed's, by
    the budget with whose families they were measured side by side.
    """

    game: str
    family: str
    budget: float
    scores: Sequence[float]
    entry: str
    configuration: int
    episodes: int
    training: float
    moves: Mapping[float, float]

    @property
    def move(self) -> float:
        """CPU seconds, of a learner, not a number where none was measured."""
        return self.moves.get(self.budget, math.nan)

    @cached_property
    def score(self) -> Mean:
        """Per cent, with the interval over seeds."""
        mean, half = mean_of(self.scores)
        return Mean(100 * mean, 100 * half)


def standings(protocol: Protocol, folder: Path) -> list[Standing]:
    """All that there are, in the order of the protocol; seeds that lack an opponent do not count."""
    study = Study(protocol, folder)
    found = []
    for game in protocol.games.values():
        learn = [(one.name, f"{budget:.6g}") for budget in game.budgets for one in protocol.at(game.name)]
        search = [(f"{REFERENCE} {entry}", "0") for entry in game.references]
        found += [one for key in (*learn, *search) if (one := standing(study, game, *key))]
    return found


def standing(study: Study, game: Game, family: str, budget: str) -> Standing | None:
    """That of a family, None where nothing is finished."""
    here = {"game": game.name, "family": family, "budget": budget}
    by_seed: dict[str, dict[str, float]] = {}
    for row in study.scores.having(**here):
        wins, draws, losses = (int(row[name]) for name in ("wins", "draws", "losses"))
        by_seed.setdefault(row["seed"], {})[row["opponent"]] = (wins + draws / 2) / (wins + draws + losses)
    whole = {seed: met for seed, met in by_seed.items() if {*game.gauntlet} <= {*met}}
    if not whole:
        return None
    times = [row for row in study.seconds.having(**here) if row["seed"] in whole]
    number, episodes = 0, 0
    if family in study.protocol.families:
        number = study.tuned(game, study.protocol.families[family], float(budget))
        episodes = study.episodes_of(game, study.protocol.families[family], float(budget), number)
    return Standing(
        game.name,
        family,
        float(budget),
        [fmean(met[opponent] for opponent in game.gauntlet) for met in whole.values()],
        study.scores.having(**here, seed=next(iter(whole)))[0]["entry"],
        number,
        episodes,
        fmean(float(row["training"]) for row in times),
        {
            float(row["budget"]): float(row["move"])
            for row in study.moves.having(game=game.name, family=family)
            if budget in ("0", row["budget"])
        },
    )


def chances(found: Sequence[Standing]) -> dict[frozenset[str], float]:
    """How probable a difference like that of two is by chance, by the two, where both have several seeds.

    Welch's test of each pair, after Holm's correction for all of them.
    """
    pairs = list(combinations([one for one in found if len(one.scores) > 1], 2))
    corrected = holm([welch(a.scores, b.scores) for a, b in pairs])
    return {frozenset((a.family, b.family)): p for (a, b), p in zip(pairs, corrected, strict=True)}


def not_told_apart(one: Standing, found: Sequence[Standing], by: Mapping[frozenset[str], float]) -> list[str]:
    """The families among these whose score may be the same as one's. by: what `chances` says."""
    return [other.family for other in found if by.get(frozenset((one.family, other.family)), 0.0) >= LEVEL]
