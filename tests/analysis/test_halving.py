"""Sequential halving."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from arena.analysis.halving import least_budget, rounds_of, survivors


@pytest.mark.parametrize("candidates", [2, 3, 5, 8, 16, 100])
@pytest.mark.parametrize("more", [0, 1, 10, 1000])
def test_rounds_halve_the_candidates_and_keep_to_the_budget(candidates, more):
    budget = least_budget(candidates) + more
    rounds = rounds_of(candidates, budget)
    assert rounds[0].candidates == candidates
    assert rounds[-1].candidates == 2
    assert all(b.candidates == -(-a.candidates // 2) for a, b in pairwise(rounds))
    assert [one.before for one in rounds] == [0, *(one.until for one in rounds[:-1])]
    assert all(one.until > one.before for one in rounds)
    spent = sum(one.candidates * (one.until - one.before) for one in rounds)
    assert budget - 1 <= spent <= budget


def test_the_best_means_survive_and_the_first_of_equal_ones():
    scores = [[0.1, 0.9], [0.8, 0.6], [0.5, 0.5], [0.2, 0.8]]
    assert survivors(scores, [0, 1, 2, 3], 2) == [0, 1]
    assert survivors(scores, [0, 2, 3], 1) == [0]


def test_it_finds_the_best_more_often_than_an_even_share_of_the_same_budget():
    rng, halved, even, times = random.Random(1), 0, 0, 800
    means = [0.5, *(0.5 - 0.03 * i for i in range(1, 16))]
    for _ in range(times):
        left, scores = [*range(16)], [[] for _ in means]
        rounds = rounds_of(16, 96)
        for number, one in enumerate(rounds, 1):
            for i in left:
                scores[i] += [rng.gauss(means[i], 0.1) for _ in range(one.until - one.before)]
            left = survivors(scores, left, rounds[number].candidates if number < len(rounds) else 1)
        halved += left == [0]
        flat = [[rng.gauss(mean, 0.1) for _ in range(6)] for mean in means]
        even += survivors(flat, [*range(16)], 1) == [0]
    assert halved > even + 3 * (2 * times * 0.25) ** 0.5
