"""Terms in simulation: strengths are known, matches are drawn, and intervals hold as often as they say."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from arena.api.rating import Results
from arena.commands.season.ratings import JointFit, share_of
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.results.tally import Counts

PLAYERS, UPDATES, CHANGES, ROUNDS = 8, 8, 2, 5
BASELINES = (0, 1)


class Term:
    """A term of players who improve by steps, or change their code and do not.

    Attributes:
        strengths: True strength of each version.
        current: Version of each player.
        totals: Results by first and second version, as (won, drawn, lost).
    """

    def __init__(self, random):
        self.random = random
        self.strengths = [0.0, 0.0, *random.normal(0, 200, PLAYERS - len(BASELINES))]
        self.current = [*range(PLAYERS)]
        self.totals = {}
        for one in range(PLAYERS):
            for other in range(one):
                self.play(one, other)

    def play(self, one, other):
        for first, second in ((one, other), (other, one)):
            odds = 10 ** ((self.strengths[first] - self.strengths[second]) / 400)
            won = int(self.random.binomial(ROUNDS, odds / (1 + odds)))
            self.totals[first, second] = (won, 0, ROUNDS - won)

    def update(self):
        """Change some players, play what is missing, and return pairs of new and old versions."""
        pairs = []
        for player in self.random.choice(np.arange(len(BASELINES), PLAYERS), CHANGES, replace=False):
            old = self.current[player]
            rise = 0.0 if self.random.random() < 0.5 else self.random.normal(100, 50)
            self.strengths.append(self.strengths[old] + rise)
            self.current[player] = len(self.strengths) - 1
            pairs.append((self.current[player], old))
        for new, _ in pairs:
            for other in self.current:
                if other != new and (new, other) not in self.totals:
                    self.play(new, other)
        return pairs

    def fit(self):
        names = [str(version) for version in range(len(self.strengths))]
        rows = [(*pair, *counts) for pair, counts in sorted(self.totals.items())]
        fit = MaximumLikelihood().fit(Results(names, rows, lambda: iter(())))
        places = {i: i for i in range(len(names))}
        return JointFit(fit, places, dict.fromkeys(places, Counts()), BASELINES)


def holds(low, value, high):
    return (low is None or low <= value) and (high is None or value <= high)


def least(share, times):
    """Return the share less three standard errors."""
    return share - 3 * sqrt(share * (1 - share) / times)


@pytest.mark.parametrize(
    "terms",
    [pytest.param(25, marks=pytest.mark.slow), pytest.param(500, marks=pytest.mark.campaign)],
)
def test_intervals_of_versions_and_steps_hold_and_few_terms_have_a_false_rise(terms):
    random = np.random.default_rng(11)
    versions, steps, false = [], [], 0
    for _ in range(terms):
        term, wrong = Term(random), False
        for update in range(2, UPDATES + 1):
            pairs = term.update()
            joint = term.fit()
            for step in joint.steps(update, pairs):
                rise = term.strengths[step.version] - term.strengths[step.before]
                steps.append(holds(step.low, rise, step.high))
                wrong |= step.sure and (step.difference > 0) != (rise > 0)
        false += wrong
        for rated in joint.ratings(UPDATES):
            if rated.version not in BASELINES:
                versions.append(holds(rated.low, 1500 + term.strengths[rated.version], rated.high))
    assert sum(versions) / len(versions) >= least(0.93, len(versions))
    assert sum(steps) / len(steps) >= least(0.93, len(steps))
    assert false / terms <= 0.05 + 3 * sqrt(0.05 * 0.95 / terms)


def test_shares_of_the_error_probability_add_up_to_one():
    shares = [share_of(update) for update in range(2, 100_000)]
    assert sum(shares) == pytest.approx(1, abs=1e-4)
    assert sum(shares) < 1
    assert shares == sorted(shares, reverse=True)
