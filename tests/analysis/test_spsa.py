"""SPSA and the test after it, on objectives whose best values are known."""

from __future__ import annotations

import math

import pytest

from arena.analysis.spsa import PAIRS, Parameter, Spsa
from arena.analysis.tuning import Confirmation, confirm, score_of, seek
from arena.ratings.sprt import Sprt
from arena.rng import Rng

KING = Parameter("king", 0, 20, 2.0)
DEPTH = Parameter("depth", 1, 9, 2, True)


def counts_by(elo, seed, pairs):
    """Pairs of matches without draws, between two who are so many Elo apart."""
    rng, chance = Rng(seed), 1 / (1 + 10 ** (-elo / 400))
    counts = [0] * 5
    for _ in range(pairs):
        counts[2 * sum(rng.random() < chance for _ in range(2))] += 1
    return counts


def strength(values):
    """In Elo: best at a king of 12 and a depth of 6."""
    king, depth = values
    return -3 * (king - 12) ** 2 - 10 * (depth - 6) ** 2


def against(one, other, seed, pairs):
    start = [KING.start, DEPTH.start]
    return counts_by(strength(one or start) - strength(other or start), seed, pairs)


def even(one, other, seed, pairs):
    """Whatever the values are."""
    return counts_by(0, seed, pairs)


def tuned(play, iterations, seed, parameters=(KING, DEPTH)):
    spsa = Spsa(parameters, iterations, seed)
    for _ in seek(spsa, play, seed, lambda: spsa.done < iterations):
        pass
    return spsa


def accepts(play, spsa, seed, most=2000):
    found = Confirmation(Sprt(0, 20), most, spsa.done)
    for _ in confirm(found, spsa.values(), play, seed, lambda: True):
        pass
    return found


def test_the_first_two_are_a_fifth_of_the_range_from_the_start():
    above, below = Spsa([Parameter("king", 0, 20, 10.0)], 100, 0).two()
    assert sorted([above[0], below[0]]) == [6.0, 14.0]


def test_whole_numbers_differ_however_small_their_range():
    for seed in range(20):
        above, below = Spsa([Parameter("depth", 1, 2, 1, True)], 100, seed).two()
        assert {above[0], below[0]} <= {1, 2}
    spsa = Spsa([Parameter("depth", 1, 100, 50, True)], 10, 0)
    spsa.points += [spsa.points[0]] * 10**4
    above, below = spsa.two()
    assert isinstance(above[0], int)
    assert abs(above[0] - below[0]) >= 1


def test_a_step_is_towards_whoever_has_won_and_as_spall_has_it():
    spsa = Spsa([Parameter("king", 0, 20, 10.0)], 100, 0)
    (above,), (below,) = spsa.two()
    spsa.take(0.75)
    # a (2 s - 1) / c with a = 0.02 * 0.2 / (2 * 0.35 / sqrt(32)), c = 0.2
    step = 0.02 * 0.5 / (0.7 / math.sqrt(32))
    assert spsa.points[1][0] == pytest.approx(0.5 + step * (1 if above > below else -1))
    before = spsa.points[1][0]
    spsa.take(0.5)
    assert spsa.points[2][0] == before


def test_values_stay_within_their_ranges():
    spsa = tuned(lambda *_: [0, 0, 0, 0, 16], 60, 1)
    for point in spsa.points:
        assert all(0 <= share <= 1 for share in point)
    assert KING.value(-0.0) == 0
    assert DEPTH.value(1.0, 0.999) == 9


def test_values_are_told_to_three_digits_of_their_range():
    assert Parameter("weight", 0, 1, 0.5).value(1 / 3) == 0.333
    assert Parameter("weight", 0, 1000, 500.0).value(1 / 3) == 333
    assert Parameter("weight", 0.0004, 0.0005, 0.0004).value(0) == 0.0004


def test_the_best_values_are_found_and_accepted():
    spsa = tuned(against, 400, 5)
    king, depth = spsa.values()
    assert strength([king, depth]) > -10 > strength([2, 2])
    test = accepts(against, spsa, 5)
    assert test.decision == "high"
    assert test.played < 2000


def test_one_seed_finds_the_same_and_another_one_other_values():
    assert tuned(against, 20, 3).points == tuned(against, 20, 3).points
    assert tuned(against, 20, 3).points != tuned(against, 20, 4).points


def test_a_test_ends_at_its_last_pair_and_its_parts_are_of_seeds_of_their_own():
    seeds = []

    def play(one, other, seed, pairs):
        seeds.append((seed, pairs))
        return [0, 0, pairs, 0, 0]

    test = Confirmation(Sprt(0, 1), 100, 7)
    for _ in confirm(test, [1.0], play, 0, lambda: True):
        pass
    assert test.over
    assert test.decision is None
    assert test.played == 100
    assert len({seed for seed, _ in seeds}) == len(seeds) == math.ceil(100 / PAIRS)


def test_the_score_of_pairs():
    assert score_of([1, 0, 0, 0, 1]) == 0.5
    assert score_of([0, 0, 0, 4, 0]) == 0.75
    assert score_of([0] * 5) == 0.5


def false_claims(runs):
    """How many of so many tests between equals accept a gain."""
    spsa = Spsa((KING, DEPTH), 10, 0)
    return sum(accepts(even, spsa, seed, 200).decision == "high" for seed in range(runs))


def test_without_a_gain_few_runs_claim_one():
    """Of 20 at 5 %, more than 4 are as likely as 0.3 %."""
    assert false_claims(20) <= 4


@pytest.mark.slow
def test_without_a_gain_at_most_a_twentieth_of_runs_claim_one():
    """Of 200 at 5 %, more than 17 are as likely as 1.4 %."""
    assert false_claims(200) <= 17
